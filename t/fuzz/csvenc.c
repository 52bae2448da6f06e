/* SPDX-License-Identifier: ISC */
/*
 * csvenc.c - fuzzes the table that csvenc makes from a stream.
 *
 * The reader of CSV in lib must find a record for each line and a header, all with the same number
 * of fields.  The fields of each column must be those of the lines, without escapes.  The header,
 * used as names, must give the same columns.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/csv.h"
#include "lib/esc.h"
#include "lib/evread.h"
#include "src/csv/csvtable.h"
#include "t/fuzz/fuzz.h"

/*
 * Returns the table for the input in fd, which the caller must free.  NAMES are the columns, or
 * NULL.
 */
static struct out
make(int fd, const char *names, bool escaped, uint64_t *lines)
{
	struct evread *r;
	struct csvtable *s;
	struct out o;
	struct ev ev;
	struct err e = { 0 };
	int rc, bad = 0;

	stdin_file(fd);
	r = evread_open(NULL, 0, 0);
	check(r != NULL && out_open(&o, -1), "no memory");
	o.hold = true;
	s = csvtable_open(&o, &(struct csv_style){ .delimiter = ',', .escaped = escaped });
	check(s != NULL, "no memory");
	if (names != NULL && csvtable_name(s, names, &e) != 0) {
		check_error(&e);
		bad = 1;
	}
	*lines = 0;
	while (bad == 0 && (rc = evread_next(r, &ev, &e)) != 0)
		if (rc > 0) {
			++*lines;
			bad = csvtable_line(s, &ev, &e);
		}
	if (bad != 0)
		check_error(&e);
	else
		check(csvtable_end(s, &e) == 0, "a table that does not end");
	csvtable_close(s);
	evread_close(r);
	check(o.error == 0, "a table that is not whole");
	return o;
}

struct record {
	struct buf text;
	struct csv_ends ends;
	struct csv_reader *reader;
};

/* Reads the next record of *rest. */
static void
next_record(struct record *r, struct slice *rest)
{
	enum csv_state state = CSV_READ_MORE;

	r->text.len = r->ends.n = 0;
	while (state == CSV_READ_MORE) {
		const char *end = rest->len == 0 ? NULL : memchr(rest->p, '\n', rest->len);
		size_t n;

		check(end != NULL, "a row without its end");
		n = (size_t)(end - rest->p) + 1;
		state = csv_reader_line(r->reader, rest->p, n);
		rest->p += n;
		rest->len -= n;
	}
	check(state == CSV_READ_RECORD, "a row that is no record");
}

static struct slice
field(const struct record *r, size_t i)
{
	size_t from = i == 0 ? 0 : r->ends.end[i - 1] + (size_t)1;

	return (struct slice){ r->text.p + from, r->ends.end[i] - from };
}

/* Checks that the text of a value, without its escapes, is somewhere in the row. */
static void
check_value(const struct record *r, struct buf *text, struct slice value)
{
	size_t i, at;

	text->len = 0;
	check(esc_undo(text, value, &at) == 0, "an escape that is none");
	for (i = 0; i < r->ends.n; i++)
		if (slice_eq(field(r, i), buf_slice(text)))
			return;
	check(0, "a value that no field has");
}

static void
check_row(const struct record *r, struct buf *text, const struct ev *ev)
{
	struct slice rest = ev->tags;
	struct ev_tag tag;
	size_t i, at;

	for (i = 0; i < EV_COLUMNS; i++) {
		text->len = 0;
		check(esc_undo(text, ev->col[i], &at) == 0, "an escape that is none");
		check(slice_eq(field(r, i), buf_slice(text)), "another column");
	}
	while (ev_next_tag(&rest, &tag))
		check_value(r, text, tag.value);
}

static void
check_table(int fd, struct slice table, uint64_t lines)
{
	struct evread *in;
	struct record r = { .reader = NULL };
	struct buf text = { 0 };
	struct ev ev;
	struct err e;
	size_t columns;
	int rc;

	check(lseek(fd, 0, SEEK_SET) == 0, "lseek");
	in = evread_open(NULL, 0, 0);
	r.reader = csv_reader_open(&r.text, &r.ends);
	check(in != NULL && r.reader != NULL, "no memory");
	next_record(&r, &table);
	columns = r.ends.n;
	while ((rc = evread_next(in, &ev, &e)) != 0) {
		if (rc < 0)
			continue;
		next_record(&r, &table);
		check(r.ends.n == columns, "a row of another length");
		check_row(&r, &text, &ev);
		lines--;
	}
	check(lines == 0 && table.len == 0, "more rows than lines");
	csv_reader_close(r.reader);
	buf_free(&r.text);
	csv_ends_free(&r.ends);
	buf_free(&text);
	evread_close(in);
}

/*
 * Returns the header as a string, which the caller must free, or NULL if it cannot be used as
 * names.
 */
static char *
header_of(const struct out *o)
{
	size_t i;
	bool quoted = false;
	char *names;

	for (i = 0; i < o->len && (quoted || o->p[i] != '\n'); i++) {
		quoted ^= o->p[i] == '"';
		if (o->p[i] == '\0')
			return NULL;
	}
	names = malloc(i + 1);
	check(names != NULL, "no memory");
	memcpy(names, o->p, i);
	names[i] = '\0';
	return names;
}

/* What is done with an input. */
enum way { FIELDS, NAMES, ESCAPES, WAYS };

/* Checks that the header of a table, used as names, gives the same table. */
static void
check_names(int in, const struct out *o, const uint8_t *data, size_t size)
{
	struct out again;
	uint64_t lines;
	char *names;
	size_t i;
	bool odd = false;

	/* with these a key may be spelled in two ways, or a ? at its end is none of the key */
	for (i = 0; i + 2 <= size; i++)
		odd |= data[i] == '?' ||
		    (data[i] == '\\' && (data[i + 1] == 'x' || data[i + 1] == '.'));
	names = o->len == 0 || odd ? NULL : header_of(o);
	if (names != NULL) {
		again = make(in, names, false, &lines);
		check(again.len == 0 || (again.len == o->len && memcmp(again.p, o->p, o->len) == 0),
		    "its names make another table");
		out_free(&again);
	}
	free(names);
}

static bool
take_way(size_t way, const uint8_t *data, size_t size)
{
	static int in = -1;
	struct out o;
	uint64_t lines;

	if (in < 0)
		in = scratch();
	scratch_put(in, data, size);
	o = make(in, NULL, way == ESCAPES, &lines);
	if (way == FIELDS && o.len != 0)
		check_table(STDIN_FILENO, (struct slice){ o.p, o.len }, lines);
	if (way == NAMES)
		check_names(in, &o, data, size);
	out_free(&o);
	return true;
}

const struct fuzz_driver fuzz_driver = {
	.take_way = take_way,
	.ways = WAYS,
	.meaning = SLICE_INIT("\t\n.\\=;,\" nrtx3bd0"),
	.meaning_of_4 = 2,
};
