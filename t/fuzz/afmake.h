/* SPDX-License-Identifier: ISC */
/*
 * afmake.h - makes streams of a few runs, measures, regions and sections in any order, chosen by
 * numbers: mostly lines that were AFPerf, many with blank ids, with lines of other programs between
 * them.
 */
#ifndef AFPIPE_FUZZ_AFMAKE_H
#define AFPIPE_FUZZ_AFMAKE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "t/fuzz/fuzz.h"

#define MAKE_MAX ((size_t)64 * 1024)

struct make {
	const uint8_t *p; /* choices, one byte each */
	size_t n;
	char text[MAKE_MAX];
	size_t len;
};

static inline unsigned
choose(struct make *m, unsigned among)
{
	if (m->n == 0)
		return 0;
	m->n--;
	return *m->p++ % among;
}

#define ONE_OF(m, words) ((words)[choose(m, sizeof(words) / sizeof *(words))])

static inline void __attribute__((format(printf, 2, 3))) say(struct make *m, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(m->text + m->len, MAKE_MAX - m->len, fmt, ap);
	va_end(ap);
	check(n >= 0 && (size_t)n < MAKE_MAX - m->len, "a line too long");
	m->len += (size_t)n;
}

static const char *const make_runs[] = { "@1", "1", "@2", "0xa", "some", ".", "1", "@1" };
static const char *const make_measures[] = { "m", "q", "m", "." };
static const char *const make_units[] = { "ns", "count", "s", "." };
static const char *const make_mids[] = { "7", "0x8", "7", "." };
static const char *const make_types[] = { "double", "int64", "int64", "string", "bool", "." };
static const char *const make_values[] = { "1", "0.5", "7", "-3", "x", ".", "0", "1" };
static const char *const make_ids[] = { "@1", "5", "@2", "0x6", "@1", "1" };
static const char *const make_tags[] = { "", "", "", "\ttag.k=v", "\tn=3", "\textra=e" };

/* Writes a label, which is mostly that of the id. */
static inline void
say_label(struct make *m, const char *id)
{
	if (choose(m, 16) == 15)
		say(m, "\tother");
	else
		say(m, "\tr%s", id + (*id == '@'));
}

static inline void
say_definition(struct make *m)
{
	static const char *const versions[] = { "\tafperf=1.0.0", "\tafperf=1.2.0", "",
		"\tafperf=1.0.0" };
	const char *run = ONE_OF(m, make_runs), *name;

	if (choose(m, 2) == 0) {
		bool timed = choose(m, 4) != 3;

		say(m, "run\t%s\t%s\t.\t.\t.\tunit=%s", timed ? "2000" : ".", run,
		    choose(m, 4) == 3 ? "us" : "ns");
		say(m, "%s%s\n", ONE_OF(m, versions), choose(m, 8) == 7 ? "\textra=a;b" : "");
		return;
	}
	name = ONE_OF(m, make_measures);
	say(m, "measure\t%s\t%s\t.\t%s\t.", choose(m, 2) == 1 ? "3000" : ".", run, name);
	say(m, "\tid=%s", ONE_OF(m, make_mids));
	say(m, "\ttype=%s", ONE_OF(m, make_types));
	say(m, "\tunit=%s\n", ONE_OF(m, make_units));
}

static inline void
say_event(struct make *m)
{
	static const char *const kinds[] = { "start", "stop", "start", "section" };
	const char *kind = ONE_OF(m, kinds), *run = ONE_OF(m, make_runs), *id = ONE_OF(m, make_ids);
	bool section = *kind == 's' && kind[1] == 'e', interval = !section && choose(m, 3) == 2;

	say(m, "%s\t%u000\t%s", kind, 3 + choose(m, 4), run);
	say_label(m, id);
	say(m, "\t.\t.\tscope=%s\tid=%s", section || interval ? "section" : "region", id);
	if (interval)
		say(m, "\tinterval=%s", ONE_OF(m, make_ids));
	say(m, "%s\n", ONE_OF(m, make_tags));
}

static inline void
say_data(struct make *m)
{
	static const char *const kinds[] = { "sample", "agg", "span", "agg" };
	static const char *const scopes[] = { "region", "", "section", "run", "group", "region" };
	const char *kind = ONE_OF(m, kinds), *run = ONE_OF(m, make_runs);
	const char *id = ONE_OF(m, make_ids), *scope = ONE_OF(m, scopes), *measure;
	unsigned time = 4 + choose(m, 4), how = choose(m, 4);

	say(m, "%s\t%u000\t%s", kind, time, run);
	if (*scope == '\0' || *scope == 'g')
		say(m, "\t%s", how == 0 ? "." : how == 1 ? "label" : "r1");
	else if (strcmp(scope, "run") == 0 || (*kind == 'a' && how != 0))
		say(m, "\t.");
	else
		say_label(m, id);
	measure = ONE_OF(m, make_measures);
	say(m, "\t%s\t%s", measure, ONE_OF(m, make_values));
	if (*scope != '\0')
		say(m, "\tscope=%s", scope);
	if (*scope == 'r' && scope[1] == 'u')
		;
	else if (*kind == 'a' && how == 1)
		say(m, "\tid=%s", run);
	else if (*scope != '\0' && *scope != 'g' && !(*kind == 'a' && how == 2))
		say(m, "\tid=%s", id);
	if (*scope == 's' && *kind != 'a')
		say(m, "\tinterval=%s", ONE_OF(m, make_ids));
	if (*kind == 'a')
		say(m, "\tstat=%s", choose(m, 2) == 1 ? "mean" : "sum");
	if (*kind != 's' || kind[1] == 'p')
		say(m, "\tstart=%u000", choose(m, 8) == 7 ? time + 1 : 3);
	say(m, "\tmid=%s\tunit=%s", ONE_OF(m, make_mids), ONE_OF(m, make_units));
	say(m, "%s\n", ONE_OF(m, make_tags));
}

/* Makes a stream from the choices. */
static inline void
make_stream(struct make *m, const uint8_t *data, size_t size)
{
	m->p = data;
	m->n = size;
	m->len = 0;
	while (m->n > 0 && m->len < MAKE_MAX - 1024) {
		switch (choose(m, 16)) {
		case 0:
			say(m, "pause\t9000\t%s\t.\t.\t.\tstart=8000\n", ONE_OF(m, make_runs));
			break;
		case 1: say(m, "comment\t.\t.\t.\t.\twords\ttype=text\n"); break;
		case 2:
			say(m, "other\t.\t.\t.\t.\t.\trecord=%s\tfields=a;b\n",
			    choose(m, 4) == 3 ? "RunInfo" : "X");
			break;
		case 3:
		case 4:
		case 5:
		case 6: say_definition(m); break;
		case 7:
		case 8:
		case 9: say_event(m); break;
		default: say_data(m); break;
		}
	}
}

#endif
