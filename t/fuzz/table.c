/* SPDX-License-Identifier: ISC */
/*
 * table.c - fuzzes the tables of aftab, aftop and csvenc.
 *
 * The first line of an input has the texts of --sort, --wide and --percent-of and a text to search
 * for, separated by TABs.  The rest is a stream.  All rows of CSV must have as many fields as the
 * first, and all cells of a screen must be in their columns.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/csv.h"
#include "lib/evread.h"
#include "src/table/table.h"
#include "t/fuzz/fuzz.h"

enum setting { SORT, WIDE, PERCENT_OF, MATCH, SETTINGS };

#define WIDTH 80

/* Takes the lines of standard input.  Returns true if none was refused. */
static bool
take_lines(struct table *t)
{
	struct evread *r = evread_open(NULL, 0, EVREAD_NO_MARKS);
	struct ev ev;
	struct err e;
	bool good = true;
	size_t at = 0;
	int rc;

	check(r != NULL, "no memory");
	while ((rc = evread_next(r, &ev, &e)) != 0)
		if (rc > 0 && table_line(t, &ev, &e) != 0) {
			check_error(&e);
			good = false;
		}
	while (table_report(t, &at, &e))
		check(e.msg[0] != '\0', "a report without words");
	evread_close(r);
	return good;
}

/* Returns the number of fields of the record at the start of *rest, and removes it. */
static size_t
fields(struct csv_reader *r, struct buf *text, struct csv_ends *ends, struct slice *rest)
{
	enum csv_state state = CSV_READ_MORE;

	text->len = ends->n = 0;
	while (state == CSV_READ_MORE) {
		const char *end = rest->len == 0 ? NULL : memchr(rest->p, '\n', rest->len);
		size_t n;

		check(end != NULL, "a row without its end");
		n = (size_t)(end - rest->p) + 1;
		state = csv_reader_line(r, rest->p, n);
		rest->p += n;
		rest->len -= n;
	}
	check(state == CSV_READ_RECORD, "a row that is no record");
	return ends->n;
}

static void
check_sheet(struct slice csv)
{
	struct buf text = { 0 };
	struct csv_ends ends = { 0 };
	struct csv_reader *r = csv_reader_open(&text, &ends);
	size_t columns;

	check(r != NULL, "no memory");
	columns = csv.len == 0 ? 0 : fields(r, &text, &ends, &csv);
	while (csv.len != 0)
		check(fields(r, &text, &ends, &csv) == columns, "a row of another length");
	csv_reader_close(r);
	buf_free(&text);
	csv_ends_free(&ends);
}

static void
check_cell(struct table_cell c)
{
	check(c.text.len == 0 || c.text.p != NULL, "a cell without a text");
	check(memchr(c.text.p == NULL ? "" : c.text.p, '\n', c.text.len) == NULL, "a line break");
}

static size_t
bytes(const void *screen, struct slice text)
{
	(void)screen;
	return text.len;
}

static void
check_pane(struct table *t, size_t i, const struct table_view *view, struct slice match)
{
	struct table_pane *p;
	struct err e;
	size_t row, column, rows;

	check(table_pane_open(&p, t, i, view, match, &e) == 0, "no memory");
	rows = table_pane_rows(p);
	check(rows <= table_pane_groups(p), "more rows than groups");
	table_pane_fit(p, 0, rows, &(struct table_room){ WIDTH, bytes, NULL });
	check(table_pane_title(p).len != 0, "a table without a title");
	for (column = 0; column < table_pane_columns(p); column++) {
		check_cell(table_pane_heading(p, column));
		for (row = 0; row < rows; row++)
			check_cell(table_pane_cell(p, row, column));
	}
	for (row = 0; row < rows; row++)
		check(table_pane_name(p, row).p != NULL, "a row without a name");
	table_pane_close(p);
}

static void
show(struct table *t, const struct table_view *view, struct slice match)
{
	static const struct csv_style sheet = { .delimiter = ',' };
	struct err e = { 0 };
	struct out o;
	size_t i;

	check(out_open(&o, -1), "no memory");
	o.hold = true;
	check(table_print(t, view, &o, &e) == 0 && o.error == 0, "a table that is not whole");
	check(o.len == 0 || o.p[o.len - 1] == '\n', "a table that does not end");
	o.len = 0;
	if (table_put_csv(t, &sheet, &o, &e) == 0)
		check_sheet((struct slice){ o.p, o.len });
	else
		check_error(&e);
	for (i = 0; i < table_count(t); i++)
		check_pane(t, i, view, match);
	out_free(&o);
}

/* Cuts a line at its TABs. */
static void
cut(struct slice line, struct slice *field)
{
	const char *tab;
	size_t i, n;

	for (i = 0; i < SETTINGS; i++) {
		tab = line.len == 0 ? NULL : memchr(line.p, '\t', line.len);
		n = tab == NULL ? line.len : (size_t)(tab - line.p);
		field[i] = (struct slice){ line.p, n };
		n += tab != NULL;
		line.p += n;
		line.len -= n;
	}
}

/* In way 0 the tables are shown as they are, in way 1 with their runs joined. */
static bool
take_way(size_t way, const uint8_t *data, size_t size)
{
	static int in = -1;
	const uint8_t *end = size == 0 ? NULL : memchr(data, '\n', size);
	size_t n = end == NULL ? 0 : (size_t)(end - data);
	struct slice field[SETTINGS];
	struct table_view view = { .sort = { "", 0 }, .width = size % 40 + 5 };
	struct table *t = table_open();
	struct err e;
	char sort[64];
	bool good;

	if (in < 0)
		in = scratch();
	check(t != NULL, "no memory");
	cut((struct slice){ (const char *)data, n }, field);
	n += end != NULL;
	scratch_put(in, data + n, size - n);
	stdin_file(in);
	if (field[SORT].len != 0 && field[SORT].len < sizeof sort) {
		memcpy(sort, field[SORT].p, field[SORT].len);
		sort[field[SORT].len] = '\0';
		if (table_view_sort(&view, sort, &e) != 0)
			check_error(&e);
	}
	if (field[WIDE].len != 0)
		table_set_wide(t, field[WIDE]);
	view.percent_of = field[PERCENT_OF];
	view.human = size % 2 != 0;
	view.top = size % 3;
	good = take_lines(t);
	if (table_check_sort(t, &view, &e) != 0)
		check_error(&e);
	check(way == 0 || table_join_runs(t, &e) == 0, "no memory");
	show(t, &view, field[MATCH]);
	table_close(t);
	return good;
}

const struct fuzz_driver fuzz_driver = {
	.take_way = take_way,
	.ways = 2,
	.meaning = SLICE_INIT("\t\n.\\=;:-0159aegx"),
	.meaning_of_4 = 2,
};
