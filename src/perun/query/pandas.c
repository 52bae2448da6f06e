/* SPDX-License-Identifier: ISC */
/* pandas.c - writes flattened resources as the CSV of Perun's table. */
#include "src/perun/query/pandas.h"

#include <math.h>

#include "lib/csv.h"
#include "lib/mem.h"
#include "lib/vec.h"
#include "src/perun/pytext.h"

/*
 * The kinds of values by which pandas chooses a column's type (pandas/_libs/lib.pyx:
 * maybe_convert_objects).
 */
enum pandas_seen {
	SEEN_OBJECT = 1, /* values stay as they are; further values are ignored */
	SEEN_NULL = 2,
	SEEN_NAN = 4,
	SEEN_BOOL = 8,
	SEEN_FLOAT = 16,
	SEEN_INT = 32,
	SEEN_NEGATIVE = 64, /* an integer below 0 */
	SEEN_UNSIGNED = 128, /* an integer that needs the 64th bit */
};

#define SNAPSHOTS UINT32_MAX /* the column of a cell with the resource's snapshot */
#define DOUBLE_DIGITS 309 /* integers with fewer digits fit into a double */

/* The head that precedes a value in the file. */
struct head {
	uint32_t column, len, kind;
};

void
pandas_free(struct pandas *t)
{
	tab_free(&t->names);
	mem_free(t->column);
	mem_free(t->cell);
	spool_close(&t->rest);
}

static bool
is_word(const struct pandas_cell *c, const char *word)
{
	return c->kind == JSCAN_WORD && slice_eq(c->value, slice_of(word));
}

/* Compares the size of decimal integers without signs. */
static int
size_cmp(struct slice a, struct slice b)
{
	if (a.len != b.len)
		return a.len < b.len ? -1 : 1;
	return memcmp(a.p, b.p, a.len);
}

static unsigned
see_integer(unsigned seen, struct slice s)
{
	bool negative = s.p[0] == '-';

	seen |= SEEN_INT;
	if ((seen & SEEN_NULL) != 0)
		return seen; /* it becomes a double, however large it is */
	s.p += negative;
	s.len -= negative;
	if (negative && size_cmp(s, SLICE("9223372036854775808")) > 0)
		return seen | SEEN_OBJECT;
	if (!negative && size_cmp(s, SLICE("18446744073709551615")) > 0)
		return seen | SEEN_OBJECT;
	if (negative)
		seen |= SEEN_NEGATIVE;
	else if (size_cmp(s, SLICE("9223372036854775807")) > 0)
		seen |= SEEN_UNSIGNED;
	return (seen & SEEN_NEGATIVE) != 0 && (seen & SEEN_UNSIGNED) != 0 ? seen | SEEN_OBJECT
									  : seen;
}

static unsigned
see(unsigned seen, const struct pandas_cell *c)
{
	if ((seen & SEEN_OBJECT) != 0)
		return seen;
	switch (c->kind) {
	case JSCAN_INTEGER: return see_integer(seen, c->value);
	case JSCAN_FLOAT: return seen | SEEN_FLOAT;
	case JSCAN_WORD: break;
	default: return seen | SEEN_OBJECT;
	}
	if (is_word(c, "None"))
		return seen | SEEN_NULL;
	if (is_word(c, "nan"))
		return seen | SEEN_NAN;
	return seen | (is_word(c, "True") || is_word(c, "False") ? SEEN_BOOL : SEEN_FLOAT);
}

/* Returns whether the column's integers are written as doubles. */
static bool
has_doubles(const struct pandas *t, const struct pandas_column *c)
{
	if ((c->seen & (SEEN_OBJECT | SEEN_BOOL)) != 0)
		return false;
	return (c->seen & (SEEN_FLOAT | SEEN_NAN | SEEN_NULL)) != 0 ||
	    c->values != t->snapshots.values;
}

/*
 * Returns whether the text has a surrogate.  Surrogates have three bytes here and cannot be
 * written.
 */
static bool
has_surrogate(struct slice s)
{
	const char *p = s.p, *end = s.p + s.len;

	for (; p < end && (p = memchr(p, 0xed, (size_t)(end - p))) != NULL; p++)
		if (end - p > 1 && (unsigned char)p[1] >= 0xa0)
			return true;
	return false;
}

/* Finds the column with that name, creating it if necessary. */
static int
find_column(struct pandas *t, struct slice name, uint32_t *column, struct err *e)
{
	bool fresh;
	size_t n = tab_add(&t->names, name, &fresh);

	if (n == TAB_NONE)
		return err_nomem(e);
	t->names_len += fresh ? name.len : 0;
	if (n >= PANDAS_COLUMNS_MAX || t->names_len > PANDAS_NAMES_MAX) {
		t->refused = true;
		return n >= PANDAS_COLUMNS_MAX
		    ? err_data(e, "there are more than %d fields", PANDAS_COLUMNS_MAX)
		    : err_data(e, "the names of all fields take more than %zu bytes",
			  PANDAS_NAMES_MAX);
	}
	if (!vec_room_zero(t->column, n, t->column_cap))
		return err_nomem(e);
	*column = (uint32_t)n;
	return 0;
}

static bool
room(struct pandas *t, size_t n)
{
	size_t cap = t->cell_cap == 0 ? 64 : t->cell_cap;
	struct pandas_cell *cell;

	while (cap < n)
		cap *= 2;
	if (cap == t->cell_cap)
		return true;
	cell = mem_resize(t->cell, cap * sizeof *cell);
	if (cell == NULL)
		return false;
	t->cell = cell;
	t->cell_cap = cap;
	return true;
}

/*
 * Makes cells of the items.  If several values have the same name, the last one is used, as in a
 * dict.
 */
static int
make_cells(struct pandas *t, const struct flat *flat, struct err *e)
{
	size_t i;
	uint32_t n = SNAPSHOTS;
	int rc;

	for (i = 0; i < flat->n; i++) {
		const struct flat_item *item = &flat->item[i];

		rc = find_column(t, item->path, &n, e);
		if (rc != 0)
			return rc;
		if (t->column[n].row != t->rows) {
			t->column[n].row = t->rows;
			t->column[n].cell = (uint32_t)t->cells++;
		}
		t->cell[t->column[n].cell] =
		    (struct pandas_cell){ .value = item->value, .column = n, .kind = item->kind };
	}
	return 0;
}

/* Rejects values that pandas or UTF-8 cannot represent. */
static int
check_items(const struct flat *flat, struct err *e)
{
	size_t i;

	for (i = 0; i < flat->n; i++)
		if (has_surrogate(flat->item[i].path) ||
		    (flat->item[i].kind <= JSCAN_STRING && has_surrogate(flat->item[i].value)))
			return err_data(e, "a text of the resource has a lone surrogate");
	return 0;
}

/*
 * Checks that an integer fits in a double.  pandas converts each integer to a double as long as its
 * column contains only numbers.
 */
static int
check_integer(const struct pandas_column *column, const struct pandas_cell *c, struct err *e)
{
	if (c->kind == JSCAN_INTEGER && c->value.len >= DOUBLE_DIGITS &&
	    (column->seen & SEEN_OBJECT) == 0 && isinf(pytext_double(c->value)))
		return err_data(e, "an integer of the resource is too large for a double");
	return 0;
}

static int
put_cells(struct pandas *t, struct err *e)
{
	size_t i, n = 0;
	char *p, *d;

	for (i = 0; i < t->cells; i++)
		n += sizeof(struct head) + t->cell[i].value.len;
	p = d = spool_room(&t->rest, n);
	if (p == NULL)
		return err_nomem(e);
	for (i = 0; i < t->cells; i++) {
		const struct pandas_cell *c = &t->cell[i];
		struct head h = { c->column, (uint32_t)c->value.len, c->kind };

		memcpy(d, &h, sizeof h);
		d += sizeof h;
		if (h.len != 0)
			memcpy(d, c->value.p, h.len);
		d += h.len;
	}
	return spool_put(&t->rest, n, e);
}

int
pandas_add(struct pandas *t, const struct flat *flat, const struct pandas_cell *snapshot,
    struct err *e)
{
	size_t i;
	int rc;

	if (t->refused)
		return 0;
	rc = spool_open(&t->rest, e);
	if (rc != 0)
		return rc;
	rc = check_items(flat, e);
	if (rc != 0)
		return rc;
	if (!room(t, flat->n + 1))
		return err_nomem(e);
	t->rows++;
	t->cell[0] = *snapshot;
	t->cell[0].column = SNAPSHOTS;
	t->cells = 1;
	rc = make_cells(t, flat, e);
	for (i = 1; rc == 0 && i < t->cells; i++)
		rc = check_integer(&t->column[t->cell[i].column], &t->cell[i], e);
	if (rc == 0)
		rc = put_cells(t, e);
	for (i = 0; rc == 0 && i < t->cells; i++) {
		struct pandas_column *c = i == 0 ? &t->snapshots : &t->column[t->cell[i].column];

		c->seen = see(c->seen, &t->cell[i]);
		c->values++;
	}
	return rc;
}

/* Writes a field like Python's csv.writer with QUOTE_MINIMAL.  Lines end in LF. */
static char *
put_field(char *d, struct slice s)
{
	if (s.len == 0)
		return d;
	if (memchr(s.p, ',', s.len) != NULL || memchr(s.p, '"', s.len) != NULL ||
	    memchr(s.p, '\n', s.len) != NULL)
		return d + csv_quote(d, s.p, s.len);
	memcpy(d, s.p, s.len);
	return d + s.len;
}

static char *
put_cell(const struct pandas *t, const struct pandas_column *column, const struct pandas_cell *c,
    char *d)
{
	if (is_word(c, "None") || is_word(c, "nan"))
		return d;
	if (c->kind == JSCAN_INTEGER && has_doubles(t, column))
		return d + pytext_str_float(d, c->value);
	return put_field(d, c->value);
}

static int
write_names(const struct pandas *t, struct out *o, struct err *e)
{
	char *p = out_room(o, 2 * t->names_len + 3 * t->names.count + sizeof "snapshots\n"), *d = p;
	size_t i;

	if (p == NULL)
		return err_nomem(e);
	for (i = 0; i < t->names.count; i++) {
		d = put_field(d, t->names.item[i]);
		*d++ = ',';
	}
	memcpy(d, "snapshots\n", 10);
	out_commit(o, (size_t)(d + 10 - p));
	return 0;
}

/* Reads the cells of a record of the file. */
static void
take_cells(struct pandas *t, uint64_t row, struct slice record)
{
	struct head h;
	struct pandas_cell *c;

	for (t->cells = 0; record.len != 0; t->cells++) {
		memcpy(&h, record.p, sizeof h);
		c = &t->cell[t->cells];
		*c = (struct pandas_cell){ .value = { record.p + sizeof h, h.len },
			.column = h.column,
			.kind = (uint8_t)h.kind };
		record.p += sizeof h + h.len;
		record.len -= sizeof h + h.len;
		if (h.column == SNAPSHOTS)
			continue;
		t->column[h.column].row = row;
		t->column[h.column].cell = (uint32_t)t->cells;
	}
}

static int
write_row(struct pandas *t, uint64_t row, struct slice record, struct out *o, struct err *e)
{
	char *p = out_room(o, 2 * record.len + (PYTEXT_FLOAT_MAX + 3) * (t->names.count + 1)), *d;
	size_t i;

	if (p == NULL)
		return err_nomem(e);
	take_cells(t, row, record);
	d = p;
	for (i = 0; i < t->names.count; i++) {
		const struct pandas_column *c = &t->column[i];

		if (c->row == row)
			d = put_cell(t, c, &t->cell[c->cell], d);
		*d++ = ',';
	}
	d = put_cell(t, &t->snapshots, &t->cell[0], d);
	*d++ = '\n';
	out_commit(o, (size_t)(d - p));
	return 0;
}

int
pandas_write(struct pandas *t, struct out *o, struct err *e)
{
	uint64_t row = t->rows;
	struct slice record;
	int rc;

	if (t->refused)
		return 0;
	if (t->snapshots.values != 0 && tab_find(&t->names, SLICE("snapshots")) != TAB_NONE)
		return err_data(e, "a resource has a field named snapshots, like the table itself");
	rc = write_names(t, o, e);
	if (rc == 0 && spool_is_open(&t->rest))
		rc = spool_rewind(&t->rest, e);
	while (rc == 0 && spool_is_open(&t->rest) && o->error == 0) {
		rc = spool_next(&t->rest, &record, e);
		if (rc != 0 || record.p == NULL)
			break;
		rc = write_row(t, ++row, record, o, e);
	}
	return rc;
}
