/* SPDX-License-Identifier: ISC */
/*
 * csv.c - compares records of random bytes with libcsv, fed one byte at a time.
 *
 *	csv COUNT SEED [FOLDER]
 *
 * The bytes are mostly those with a meaning.  The results of src/afperf/records.c for them, in
 * files in FOLDER, are compared record by record with those of libcsv alone.  Then fields of random
 * bytes are written, and compared with fields that were examined byte by byte.
 */
#include <csv.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/afperf/records.h"
#include "t/unit/check.h"

#define SIZE_MAX_MADE ((size_t)200)
#define OUTCOME ((size_t)64 * 1024)

/* The result as text, with one line per record. */
struct outcome {
	char text[OUTCOME];
	size_t len;
};

static void
add(struct outcome *o, const char *s, size_t n)
{
	if (n > sizeof o->text - o->len)
		abort();
	if (n != 0)
		memcpy(o->text + o->len, s, n);
	o->len += n;
}

static void
add_head(struct outcome *o, const char *what, uint64_t line)
{
	char text[64];

	add(o, text, (size_t)snprintf(text, sizeof text, "\n%s %" PRIu64, what, line));
}

/* One record of the reference. */
struct reference {
	struct outcome fields;
	unsigned rows;
	int end;
};

static void
take_field(void *s, size_t n, void *ctx)
{
	struct reference *r = ctx;

	if (r->rows != 0)
		return;
	add(&r->fields, " <", 2);
	add(&r->fields, s, n);
	add(&r->fields, ">", 1);
}

static void
take_row(int c, void *ctx)
{
	struct reference *r = ctx;

	if (r->rows++ == 0)
		r->end = c;
}

static int
no_space(unsigned char c)
{
	(void)c;
	return 0;
}

static size_t
line_size(const char *s, size_t n)
{
	const char *lf = memchr(s, '\n', n);

	return lf == NULL ? n : (size_t)(lf - s) + 1;
}

/* Returns the size of a comment or an empty record, with its end. */
static size_t
passed_over(const char *s, size_t n, bool *comment)
{
	size_t size = line_size(s, n), i;

	*comment = s[0] == '#';
	if (*comment)
		return size;
	for (i = 0; i < size && (s[i] == ' ' || s[i] == '\t'); i++)
		;
	if (i + 1 < size && s[i] == '\r' && s[i + 1] == '\n')
		i++;
	return i == size || s[i] == '\n' ? size : 0;
}

static uint64_t
lines_in(const char *s, size_t n)
{
	uint64_t lines = 0;
	size_t at;

	for (at = 0; at < n; at += line_size(s + at, n - at))
		lines++;
	return lines;
}

/* Reads one record with libcsv.  Returns its size, up to the start of the next one. */
static size_t
reference_record(const char *s, size_t n, uint64_t line, struct outcome *o)
{
	static struct reference r;
	struct csv_parser p;
	size_t at = 0, used = 0;
	bool ok = true;

	r.fields.len = 0;
	r.rows = 0;
	r.end = -1;
	if (csv_init(&p, CSV_STRICT | CSV_STRICT_FINI | CSV_REPALL_NL) != 0)
		abort();
	csv_set_space_func(&p, no_space);
	while (at < n && r.rows == 0 && ok)
		ok = csv_parse(&p, s + at++, 1, take_field, take_row, &r) == 1;
	if (ok && r.rows == 0)
		ok = csv_fini(&p, take_field, take_row, &r) == 0;
	csv_free(&p);
	used = at + (at > 0 && s[at - 1] != '\n' ? line_size(s + at, n - at) : 0);
	if (!ok) {
		add_head(o, "bad", line);
		return used;
	}
	if (r.end == CSV_CR) {
		if (at >= n || s[at] != '\n') {
			add_head(o, "bad", line);
			return used;
		}
		used = at + 1;
	}
	add_head(o, "record", line);
	add(o, r.fields.text, r.fields.len);
	return used;
}

static void
reference_all(const char *s, size_t n, struct outcome *o)
{
	uint64_t line = 1;
	size_t at, size;
	bool comment;

	for (at = 0; at < n; at += size) {
		size = passed_over(s + at, n - at, &comment);
		if (size != 0 && comment)
			add_head(o, "comment", line);
		if (size == 0)
			size = reference_record(s + at, n - at, line, o);
		line += lines_in(s + at, size);
	}
}

static void
found_all(struct in in, struct outcome *o)
{
	struct records x;
	struct record r;
	struct err e;
	enum afperf_rule rule;
	enum records_next next;
	uint32_t i;

	if (!records_open(&x, in, SIZE_MAX_MADE * 2))
		abort();
	while ((next = records_next(&x, &r, &rule, &e)) != RECORDS_END) {
		switch (next) {
		case RECORDS_COMMENT: add_head(o, "comment", r.line); break;
		case RECORDS_RECORD:
			add_head(o, "record", r.line);
			for (i = 0; i < r.n; i++) {
				struct slice field = record_field(&r, i);

				add(o, " <", 2);
				add(o, field.p, field.len);
				add(o, ">", 1);
			}
			break;
		case RECORDS_BROKEN:
		case RECORDS_LOST: add_head(o, "bad", e.pos); break;
		default: abort();
		}
	}
	records_close(&x);
}

static size_t
make(char *s, struct check *c)
{
	static const char bytes[] = "aaaa,,,\"\"\n\n\r# \t1";
	size_t n = check_random(c) % SIZE_MAX_MADE, i;
	uint64_t quotes = check_random(c) % 3;
	bool sparse = check_random(c) % 4 == 0; /* few but long records */

	for (i = 0; i < n; i++) {
		uint64_t v = check_random(c);

		s[i] = bytes[v % (sizeof bytes - 1)];
		if (s[i] == '\n' && sparse && v >> 60 != 0)
			s[i] = 'n';
		if (s[i] == '"' && quotes == 0)
			s[i] = 'q';
		/* pairs that make whole fields more likely */
		if (quotes == 2 && i > 0 && (s[i - 1] == ',' || s[i - 1] == '\n') && v >> 60 < 8)
			s[i] = '"';
		if (s[i] == '\r' && v >> 61 != 0 && i + 1 < n)
			s[++i] = '\n';
	}
	return n;
}

/* Writes a field, which may have any bytes, with each of two delimiters. */
static void
check_field(struct check *c)
{
	static const char odd[] = { ',', ';', '"', ' ', '\n', '\x1f', '\0', '!', '\x7f', '\x80',
		'\xac' };
	char text[40], got[CSV_FIELD_MAX(sizeof text)], want[sizeof got], delimiter;
	size_t n = check_random(c) % sizeof text, i, len;
	bool special;

	for (i = 0; i < n; i++)
		text[i] = check_random(c) % 16 != 0 ? 'a' : odd[check_random(c) % sizeof odd];
	delimiter = check_random(c) % 2 == 0 ? ',' : ';';
	special = n != 0 && (text[0] == ' ' || text[n - 1] == ' ');
	for (i = 0; i < n; i++)
		special |= (unsigned char)text[i] < 0x20 || text[i] == '"' || text[i] == delimiter;
	len = special ? csv_quote(want, text, n) : n;
	if (!special)
		memcpy(want, text, n);
	CHECK(c,
	    (size_t)(csv_put(got, text, n, delimiter) - got) == len && memcmp(got, want, len) == 0,
	    "%.*s", (int)n, text);
}

int
main(int argc, char **argv)
{
	struct check c = { 0 };
	static struct outcome want, got;
	char text[SIZE_MAX_MADE], name[4096];
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000, i;
	int fd;

	c.seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	snprintf(name, sizeof name, "%s/csv.XXXXXX", argc > 3 ? argv[3] : "/tmp");
	fd = mkstemp(name);
	if (fd < 0 || unlink(name) != 0)
		return 1;
	for (i = 0; i < count; i++) {
		size_t n = make(text, &c);

		if (ftruncate(fd, 0) != 0 || pwrite(fd, text, n, 0) != (ssize_t)n ||
		    lseek(fd, 0, SEEK_SET) != 0)
			return 1;
		want.len = got.len = 0;
		reference_all(text, n, &want);
		found_all((struct in){ .fd = fd }, &got);
		add(&want, "", 1);
		add(&got, "", 1);
		CHECK(&c, strcmp(want.text, got.text) == 0,
		    "round %" PRIu64 ": %.*s\nwant%s\ngot%s", i, (int)n, text, want.text, got.text);
	}
	for (i = 0; i < count; i++)
		check_field(&c);
	return check_end(&c);
}
