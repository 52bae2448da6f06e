/* SPDX-License-Identifier: ISC */
/*
 * afperfmake.c - makes AFPerf files.
 *
 *	afperfmake random SEED          a small valid file with everything in it somewhere
 *	afperfmake points N [REGIONS]   N RunPoints, doubles of up to 15 digits; or RegionPoints
 *	afperfmake mixed N              N records: regions, tags, doubles of 17 digits
 *
 * The same numbers give the same bytes everywhere, so no expression has two random numbers.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

static uint64_t
random_next(void)
{
	uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static unsigned
below(unsigned n)
{
	return (unsigned)(random_next() % n);
}

/* The records, each a text. */
#define RECORDS_MAX 4096
#define RECORD_MAX ((size_t)8192)
static char *record[RECORDS_MAX];
static size_t records;
static char line[RECORD_MAX];
static size_t len;

/* The properties of a file. */
static struct {
	bool blank; /* no ids */
	bool shuffled; /* records in any order */
	bool numbers; /* record types by number */
	bool crlf, later, redefined;
	unsigned runs;
} like;

static void
put(const char *s, size_t n)
{
	if (n > sizeof line - len)
		abort();
	memcpy(line + len, s, n);
	len += n;
}

static void
field(const char *s)
{
	bool quoted = strpbrk(s, ",\"\r\n") != NULL || below(12) == 0;

	if (len != 0)
		put(",", 1);
	if (quoted)
		put("\"", 1);
	for (; *s != '\0'; s++) {
		if (*s == '"')
			put("\"", 1);
		put(s, 1);
	}
	if (quoted)
		put("\"", 1);
}

static void
number(uint64_t v)
{
	char text[32];

	snprintf(text, sizeof text, below(3) == 0 ? "0x%" PRIx64 : "%" PRIu64, v);
	field(text);
}

static void
id(uint64_t v)
{
	char text[32];

	/* always the same spelling, so that the lines are the same in any order */
	snprintf(text, sizeof text, v % 2 != 0 ? "0x%" PRIx64 : "%" PRIu64, v);
	field(like.blank ? "" : text);
}

static void
begin(const char *name)
{
	static const char *const names[] = { "MeasurementType", "PauseResume", "RegionAggregate",
		"RegionPoint", "RegionStart", "RegionStop", "RunAggregate", "RunInfo", "RunPoint",
		"SectionAggregate", "SectionInfo", "SectionPoint", "SectionStart", "SectionStop" };
	char text[4];
	unsigned i;

	len = 0;
	if (!like.numbers || below(5) == 0) {
		field(name);
		return;
	}
	for (i = 0; strcmp(names[i], name) != 0; i++)
		;
	snprintf(text, sizeof text, "%u", i + 1);
	field(text);
}

static void
end(void)
{
	if (records == RECORDS_MAX)
		abort();
	record[records] = malloc(len + 1);
	if (record[records] == NULL)
		abort();
	memcpy(record[records], line, len);
	record[records++][len] = '\0';
}

/* Returns text made of pieces that mean something to some reader. */
static const char *
text(unsigned pieces, bool tag)
{
	static const char *const piece[] = { "a", "frob", " ", ".", "x", "\xc3\xa9", "\xe2\x82\xac",
		"\\", "\\x{01}", "\\x{3b}", "\\\\x{ff}", "\\x86", "\t", "#", "\x01", "\x7f",
		"\xe2\x80\xae", ",", "\"", "\n", "\r\n", "0", ";", "=" };
	static char made[4][512];
	static unsigned turn;
	char *p = made[turn++ % 4];
	unsigned n = sizeof piece / sizeof piece[0] - (tag ? 2 : 0);

	p[0] = '\0';
	for (; pieces > 0; pieces--)
		strcat(p, piece[below(4) != 0 ? below(5) : below(n)]);
	return p;
}

static const char *
tags(void)
{
	static char made[2048];
	unsigned n = below(3) == 0 ? 1 + below(3) : 0;

	made[0] = '\0';
	for (; n > 0; n--) {
		if (made[0] != '\0')
			strcat(made, ";");
		strcat(made, "k");
		strcat(made, text(below(3), true));
		strcat(made, "=");
		strcat(made, text(below(4), true));
	}
	return made;
}

/* Measurement types 0 to 5 of each run, one for each datatype. */
enum { DOUBLE, INT32, INT64, BOOL, STRING, ENUM, TYPES };

static void
measurement_type(uint64_t run, unsigned type)
{
	static const char *const datatype[TYPES] = { "double", "int32", "int64", "bool", "string",
		"enum" };
	static const char *const units[TYPES] = { "ms", "count", "KiB", "-", "text", "-" };

	begin("MeasurementType");
	number(run);
	id(run);
	number(run * 100 + type);
	field(text(below(4), false));
	field(datatype[type]);
	field(units[type]);
	field(text(below(3), false));
	field(text(below(3), false));
	if (like.later && below(4) == 0)
		field("extra");
	end();
}

static double
random_double(void)
{
	uint64_t bits = random_next();
	double v;

	if (below(3) != 0)
		return (double)(bits >> 11) * 0x1p-53 * (below(2) != 0 ? 1e6 : 1);
	memcpy(&v, &bits, sizeof v);
	return v;
}

static void
value(unsigned type)
{
	static const char *const odd[] = { "inf", "-INFINITY", "nan", "NAN(12)", "-0.0", " 0.5\t",
		"0x1.8p3", "5.", ".5", "1e-310", "000123.50", "1E+308", "-nan" };
	char made[64];
	double v;

	switch (type) {
	case DOUBLE:
		if (below(3) == 0) {
			field(odd[below(sizeof odd / sizeof odd[0])]);
			return;
		}
		v = random_double();
		snprintf(made, sizeof made, below(2) != 0 ? "%.17g" : "%.9g", v);
		field(made);
		return;
	case INT32: snprintf(made, sizeof made, "%" PRId32, (int32_t)random_next()); break;
	case INT64: snprintf(made, sizeof made, "%" PRId64, (int64_t)random_next()); break;
	case BOOL: snprintf(made, sizeof made, "%u", below(2)); break;
	default: field(text(below(5), false)); return;
	}
	field(made);
}

static void
pairs(uint64_t run)
{
	unsigned n = 1, type;

	n += below(3) == 0;
	n += below(6) == 0;
	for (; n > 0; n--) {
		type = below(TYPES);
		number(run * 100 + type);
		value(type);
	}
	if (like.later && below(6) == 0)
		field("odd");
	end();
}

static void
run_info(uint64_t run)
{
	static const char *const units[] = { "seconds", "milliseconds", "microseconds",
		"nanoseconds" };

	begin("RunInfo");
	number(run);
	field(units[below(4)]);
	field(below(2) != 0 ? "1639527663.713" : "-1.25e3");
	field(like.later ? "1.3.0" : "1.0.7");
	id(run);
	field(text(below(4), false));
	field(text(below(3), false));
	field(tags());
	if (like.later && below(3) == 0)
		field("more");
	end();
}

static uint64_t now, next_id;

static void
aggregate(const char *name, uint64_t run, uint64_t owner, const char *stat)
{
	begin(name);
	number(now);
	number(now - below(5));
	id(owner);
	if (strcmp(name, "SectionAggregate") == 0)
		field("");
	field(stat);
	pairs(run);
}

/* Makes a region with its data and the regions inside it. */
static void
region(uint64_t run, unsigned depth)
{
	uint64_t me = next_id++;
	unsigned i;

	begin("RegionStart");
	number(now);
	id(run);
	id(me);
	field(text(below(4), false));
	field(tags());
	end();
	for (i = below(3); i > 0; i--) {
		begin("RegionPoint");
		number(now);
		id(me);
		pairs(run);
	}
	now += below(5);
	for (i = depth < 4 ? below(3) : 0; i > 0; i--)
		region(run, depth + 1);
	now += below(5);
	begin("RegionStop");
	number(now);
	id(me);
	if (like.later && below(5) == 0)
		field("");
	end();
	if (below(2) == 0)
		aggregate("RegionAggregate", run, me, "");
	if (like.blank && below(4) == 0)
		aggregate("RegionAggregate", run, me, "sum");
}

static void
interval_data(uint64_t run, uint64_t section, uint64_t interval)
{
	if (below(2) == 0) {
		begin("SectionPoint");
		number(now);
		id(section);
		id(interval);
		pairs(run);
	}
}

static void
section(uint64_t run)
{
	uint64_t me = next_id++, first = next_id;
	unsigned n = below(4), i;

	begin("SectionInfo");
	if (below(2) != 0)
		number(now);
	else
		field("");
	id(run);
	id(me);
	field(text(below(4), false));
	field(tags());
	end();
	next_id += n;
	for (i = 0; i < n; i++) {
		begin("SectionStart");
		number(now);
		id(me);
		id(first + i);
		end();
		interval_data(run, me, first + i);
		now += below(5);
	}
	for (i = 0; i < n; i++) {
		begin("SectionStop");
		number(now);
		id(me);
		id(first + i);
		end();
		interval_data(run, me, first + i);
		now += below(5);
	}
}

/* Makes aggregates of a group that never was a region. */
static void
group(uint64_t run)
{
	uint64_t start = now;
	unsigned n = 1 + below(3);

	begin("RegionStart");
	number(start);
	id(run);
	field("");
	field(text(below(4), false));
	field(tags());
	end();
	for (; n > 0; n--) {
		begin("RegionAggregate");
		number(start + 5);
		number(start);
		field("");
		field(below(2) != 0 ? "mean" : "std deviation");
		pairs(run);
	}
	begin("RegionStop");
	number(start);
	field("");
	end();
}

static void
whole_run(uint64_t run)
{
	bool unknown = like.later;
	unsigned i;

	now = run + 10;
	run_info(run);
	for (i = 0; i < TYPES; i++)
		measurement_type(run, i);
	for (i = 5 + below(30); i > 0; i--) {
		switch (below(9)) {
		case 0: section(run); break;
		case 1:
		case 2: region(run, 0); break;
		case 3:
			begin("PauseResume");
			number(now + below(3));
			number(now);
			id(run);
			end();
			break;
		case 4:
			if (!like.shuffled)
				group(run);
			break;
		case 5:
			if (!like.blank)
				aggregate(below(2) != 0 ? "RegionAggregate" : "SectionAggregate",
				    run, run, "max");
			break;
		case 6:
			if (like.redefined)
				measurement_type(run, below(TYPES));
			break;
		case 7:
			begin("RunAggregate");
			number(now);
			number(now - below(5));
			id(run);
			field(below(2) != 0 ? "" : "sum");
			pairs(run);
			break;
		default:
			begin("RunPoint");
			number(now);
			id(run);
			pairs(run);
			break;
		}
		if (unknown && below(10) == 0) {
			len = 0;
			field("Novelty");
			field(text(below(4), false));
			field("");
			end();
		}
		now += below(4);
	}
}

static void
print_random(void)
{
	const char *eol = like.crlf ? "\r\n" : "\n";
	size_t i;

	printf("# AFPerf v1     %s", eol);
	for (i = 0; i < records; i++) {
		if (below(20) == 0)
			printf("# a comment, with a \" quote%s", eol);
		if (below(30) == 0)
			printf(" \t%s", eol);
		if (below(40) == 0)
			printf("# AFPerf v1     %s", eol);
		printf("%s%s", record[i], i + 1 < records || below(4) != 0 ? eol : "");
		free(record[i]);
	}
}

static void
make_random(void)
{
	size_t i;

	like.blank = below(4) == 0;
	like.shuffled = !like.blank && below(3) == 0;
	like.numbers = below(3) == 0;
	like.crlf = below(3) == 0;
	like.later = below(4) == 0;
	like.redefined = !like.shuffled && below(2) == 0;
	like.runs = 1 + below(3);
	next_id = 1000;
	for (i = 0; i < like.runs; i++)
		whole_run(i * 3 + 1);
	for (i = records; like.shuffled && i > 1; i--) {
		size_t k = below((unsigned)i);
		char *swap = record[i - 1];

		record[i - 1] = record[k];
		record[k] = swap;
	}
	print_random();
}

static void
head(void)
{
	printf("# AFPerf v1     \n"
	       "RunInfo,0,nanoseconds,1639527663.713,1.0.0,0xbad0bad0,mission,2.9.0,\n"
	       "MeasurementType,1,0xbad0bad0,0xcccddd,Execution Time,double,ns,,\n"
	       "MeasurementType,1,0xbad0bad0,0xeeeeffff,Memory,int64,KiB,,\n");
}

static void
make_points(uint64_t n, uint64_t regions)
{
	uint64_t time = 123456789, i;

	head();
	for (i = 0; i < regions; i++)
		printf("RegionStart,%" PRIu64 ",0xbad0bad0,0x%" PRIx64 ",region %" PRIu64
		       ",\nRegionStop,%" PRIu64 ",0x%" PRIx64 "\n",
		    i * 10, i + 1000, i % 100, i * 10 + 5, i + 1000);
	for (i = 0; i < n; i++) {
		double v = (double)(random_next() >> 11) * 0x1p-53;

		time += below(1000);
		if (regions == 0)
			printf("RunPoint,%" PRIu64 ",0xbad0bad0,0xcccddd,%.15g\n", time, v);
		else
			printf("RegionPoint,%" PRIu64 ",0x%" PRIx64 ",0xcccddd,%.15g\n", time,
			    random_next() % regions + 1000, v);
	}
}

static double
fraction(void)
{
	return (double)(random_next() >> 11) * 0x1p-53;
}

static void
make_mixed(uint64_t n)
{
	uint64_t time = 123456789, i, me;
	unsigned a, b;
	double v;

	head();
	for (i = 0; i + 6 <= n; i += 6) {
		me = 0xaaaa0000 + i;
		a = below(50);
		b = below(20);
		printf("RegionStart,%" PRIu64 ",0xbad0bad0,0x%" PRIx64
		       ",rudimentary FooBar frobbing %u,platform=F15_ABC;component=sensor_%u\n",
		    time, me, a, b);
		v = fraction() * 1000;
		a = below(1000000);
		printf("RegionPoint,%" PRIu64 ",0x%" PRIx64 ",0xcccddd,%.17g,0xeeeeffff,%u\n", time,
		    me, v, a);
		printf("RunPoint,%" PRIu64 ",0xbad0bad0,0xcccddd,%.17g\n", time, fraction());
		time += below(1000);
		printf("RegionPoint,%" PRIu64 ",0x%" PRIx64 ",0xcccddd,%.17g\n", time, me,
		    fraction() * 1e6);
		printf("RegionStop,%" PRIu64 ",0x%" PRIx64 "\n", time, me);
		printf("RegionAggregate,%" PRIu64 ",%" PRIu64 ",0x%" PRIx64 ",,0xcccddd,%.17g\n",
		    time, time - 1, me, fraction());
	}
}

int
main(int argc, char **argv)
{
	uint64_t n = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;

	if (argc == 3 && strcmp(argv[1], "random") == 0) {
		state = n * 1000003;
		make_random();
	} else if (argc >= 3 && strcmp(argv[1], "points") == 0) {
		make_points(n, argc > 3 ? strtoull(argv[3], NULL, 10) : 0);
	} else if (argc == 3 && strcmp(argv[1], "mixed") == 0) {
		make_mixed(n);
	} else {
		fprintf(stderr, "usage: afperfmake random SEED | points N [REGIONS] | mixed N\n");
		return 2;
	}
	return fflush(stdout) == 0 ? 0 : 3;
}
