/* SPDX-License-Identifier: ISC */
/* csvtable.c - writes the lines of a stream as the rows of a CSV table. */
#include "src/csv/csvtable.h"

#include <errno.h>
#include <stdint.h>

#include "lib/esc.h"
#include "lib/hint.h"
#include "lib/spool.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/short.h"
#include "lib/tab.h"
#include "lib/vec.h"

#define NO_COLUMN UINT32_MAX
#define CHUNK ((size_t)128 * 1024) /* of what is copied from the temporary file */
#define AHEAD 8 /* number of columns that a line may skip in the usual case */

/* The current row's value in a column. */
struct cell {
	uint64_t row; /* the last row with a value here */
	uint64_t keyed; /* the last row with the key */
	uint32_t times; /* how often that row has the key */
	struct slice value;
};

/* Rows, one after another, with equally many columns. */
struct piece {
	uint64_t bytes;
	uint32_t columns;
	bool breaks; /* fields may have line breaks */
};

struct csvtable {
	struct out *o;
	struct csv_style style;
	bool named;
	struct tab keys; /* keys of columns; a repeated key is followed by a TAB and its number */
	struct tab needed; /* keys that some line must have */
	struct cell *cell; /* by column */
	size_t cell_cap, names_len;
	uint32_t fixed[EV_COLUMNS]; /* the columns of the fixed fields */
	struct ev_keys known; /* the first columns, by the same numbers */
	uint64_t rows;
	bool plain; /* the current line has nothing to unescape */
	bool bare; /* nor anything to quote, but for blanks */
	struct buf key, text; /* scratch */
	struct spool rest; /* rows, in pieces */
	struct piece *piece;
	size_t pieces, piece_cap;
};

struct csvtable *
csvtable_open(struct out *o, const struct csv_style *style)
{
	struct csvtable *s = mem_zero(1, sizeof *s);
	size_t i;

	if (s == NULL)
		return NULL;
	s->o = o;
	s->style = *style;
	for (i = 0; i < EV_COLUMNS; i++)
		s->fixed[i] = NO_COLUMN;
	return s;
}

void
csvtable_close(struct csvtable *s)
{
	if (s == NULL)
		return;
	spool_close(&s->rest);
	tab_free(&s->keys);
	tab_free(&s->needed);
	mem_free(s->cell);
	mem_free(s->piece);
	buf_free(&s->key);
	buf_free(&s->text);
	mem_free(s);
}

/*
 * Makes the key, as stored in the table, of the column for the N-th occurrence of a key on a line.
 */
static bool
make_key(struct csvtable *s, struct slice key, uint32_t n)
{
	char digits[NUM_MAX];

	s->key.len = 0;
	return buf_put(&s->key, key.p, key.len) &&
	    (n <= 1 ||
		(buf_putc(&s->key, '\t') && buf_put(&s->key, digits, num_put_u64(digits, n))));
}

/* Returns the name of a column, without the suffix added by make_key. */
static struct slice
name_of(const struct csvtable *s, size_t column)
{
	struct slice key = s->keys.item[column];
	const char *tab = key.len == 0 ? NULL : memchr(key.p, '\t', key.len);

	return tab == NULL ? key : (struct slice){ key.p, (size_t)(tab - key.p) };
}

/* Finds or adds the column whose key is in s->key. */
static int
add_column(struct csvtable *s, uint32_t *column, struct err *e)
{
	bool fresh;
	size_t n = tab_add(&s->keys, buf_slice(&s->key), &fresh);

	if (n == TAB_NONE)
		return err_nomem(e);
	s->names_len += fresh ? s->key.len : 0;
	if (n >= CSV_COLUMNS_MAX)
		return err_data(e, "there are more than %d columns: select some with --columns",
		    CSV_COLUMNS_MAX);
	if (s->names_len > CSVTABLE_NAMES_MAX)
		return err_data(e, "the names of all columns have more than %zu bytes",
		    CSVTABLE_NAMES_MAX);
	if (!vec_room_zero(s->cell, n, s->cell_cap))
		return err_nomem(e);
	if (fresh && n < EV_KEYS_MAX) /* the text for the empty key is that of no tag */
		ev_keys_add(&s->known, s->key.len == 0 ? SLICE("\t") : s->keys.item[n]);
	*column = (uint32_t)n;
	return 0;
}

/* Adds the columns that all lines have. */
static int
add_fixed(struct csvtable *s, struct err *e)
{
	static const char *const names[] = { "kind", "time", "run", "region", "measure", "value" };
	size_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < EV_COLUMNS; i++)
		rc = make_key(s, slice_of(names[i]), 1) ? add_column(s, &s->fixed[i], e)
							: err_nomem(e);
	return rc;
}

/*
 * Adds a name given by the user.  The name of a fixed column selects that column when it first
 * appears.  All other names are tags.
 */
static int
add_named(struct csvtable *s, struct slice name, struct err *e)
{
	bool optional = slice_ends(name, SLICE("?"));
	enum ev_column fixed;
	struct buf key = { 0 };
	uint32_t column = NO_COLUMN, n = 1;
	int rc;

	name.len -= optional;
	fixed = ev_column_named(name);
	if (name.len == 0)
		return err_data(e, "an empty name");
	if (!esc_append(&key, name.p, name.len, ESC_KEY) ||
	    (!optional && tab_add(&s->needed, buf_slice(&key), NULL) == TAB_NONE) ||
	    !make_key(s, buf_slice(&key), n)) {
		buf_free(&key);
		return err_nomem(e);
	}
	while (tab_find(&s->keys, buf_slice(&s->key)) != TAB_NONE)
		if (!make_key(s, buf_slice(&key), ++n))
			break;
	buf_free(&key);
	rc = add_column(s, &column, e);
	if (rc == 0 && fixed != EV_COLUMNS && n == 1)
		s->fixed[fixed] = column;
	return rc;
}

/*
 * Writes a value without its escapes, which the reader has checked.  Returns NULL only when memory
 * runs out.
 */
static char *
put_undone(struct csvtable *s, char *d, struct slice value)
{
	size_t at;

	s->text.len = 0;
	if (esc_undo(&s->text, value, &at) != 0)
		return NULL;
	return csv_put(d, s->text.p, s->text.len, s->style.delimiter);
}

/* Writes the field of a value that may need quotes or have escapes. */
static HINT_APART char *
put_odd(struct csvtable *s, char *d, struct slice value)
{
	if (!s->plain && memchr(value.p, '\\', value.len) != NULL)
		return put_undone(s, d, value);
	return csv_put(d, value.p, value.len, s->style.delimiter);
}

/* Writes the field of a value to d, which has room for twice its length plus 2. */
static HINT_INLINE char *
put_field(struct csvtable *s, char *d, struct slice value)
{
	if (value.len == 0 || slice_is_nothing(value))
		return d;
	if (s->bare && value.p[0] != ' ' && value.p[value.len - 1] != ' ')
		return short_copy(d, value.p, value.len);
	return put_odd(s, d, value);
}

static int
put_header(struct csvtable *s, struct err *e)
{
	size_t i, room = 2 * s->names_len + 3 * s->keys.count + 2;
	char *d, *from;

	if (s->style.bom)
		out_puts(s->o, ESC_BOM);
	d = from = out_room(s->o, room);
	if (d == NULL)
		return err_nomem(e);
	/* names are always written unescaped, so they can be passed to csvtable_name */
	for (i = 0; i < s->keys.count && d != NULL; i++) {
		struct slice name = name_of(s, i);

		if (i != 0)
			*d++ = s->style.delimiter;
		d = name.len == 0 || slice_is_nothing(name)
		    ? csv_put(d, name.p, name.len, s->style.delimiter)
		    : put_undone(s, d, name);
	}
	if (d == NULL)
		return err_nomem(e);
	*d++ = '\n'; /* no line is empty, since names given by the user are not */
	out_commit(s->o, (size_t)(d - from));
	return 0;
}

static int
name_all(struct csvtable *s, struct slice text, const struct csv_ends *ends, struct err *e)
{
	size_t i, at = 0;
	int rc = 0;

	for (i = 0; rc == 0 && i < ends->n; i++) {
		rc = add_named(s, (struct slice){ text.p + at, ends->end[i] - at }, e);
		at = ends->end[i] + (size_t)1;
	}
	return rc;
}

int
csvtable_name(struct csvtable *s, const char *record, struct err *e)
{
	struct buf text = { 0 };
	struct csv_ends ends = { 0 };
	struct csv_reader *r = csv_reader_open(&text, &ends);
	enum csv_state state = CSV_READ_NOMEM;
	int rc;

	if (r != NULL)
		state = csv_reader_line(r, record, strlen(record));
	if (state == CSV_READ_MORE)
		state = csv_reader_last(r);
	if (state == CSV_READ_RECORD)
		rc = name_all(s, buf_slice(&text), &ends, e);
	else
		rc = state == CSV_READ_NOMEM ? err_nomem(e)
					     : err_data(e, "this is not a CSV record");
	csv_reader_close(r);
	buf_free(&text);
	csv_ends_free(&ends);
	s->named = true;
	return rc != 0 ? rc : put_header(s, e);
}

void
csvtable_reads(const struct csvtable *s, ev_key_sink *sink, void *ctx)
{
	size_t i;

	for (i = 0; i < s->keys.count; i++)
		sink(ctx, name_of(s, i));
}

void
csvtable_needs(const struct csvtable *s, ev_key_sink *sink, void *ctx)
{
	size_t i;

	for (i = 0; i < s->needed.count; i++)
		sink(ctx, s->needed.item[i]);
}

/*
 * Finds the column of the N-th tag with that key on this line.  Sets *column to NO_COLUMN if there
 * is none.
 */
static int
find_column(struct csvtable *s, struct slice key, uint32_t n, uint32_t *column, struct err *e)
{
	size_t at;

	if (!make_key(s, key, n))
		return err_nomem(e);
	if (!s->named)
		return add_column(s, column, e);
	at = tab_find(&s->keys, buf_slice(&s->key));
	*column = at == TAB_NONE ? NO_COLUMN : (uint32_t)at;
	return 0;
}

static inline void
fill_cell(struct csvtable *s, uint32_t column, struct slice value)
{
	s->cell[column].row = s->rows;
	s->cell[column].value = value;
}

static int
take_tag(struct csvtable *s, struct slice key, struct slice value, uint32_t *column, struct err *e)
{
	struct cell *c;
	int rc = find_column(s, key, 1, column, e);

	if (rc != 0 || *column == NO_COLUMN)
		return rc;
	c = &s->cell[*column];
	if (c->keyed == s->rows) {
		rc = find_column(s, key, ++c->times, column, e);
	} else {
		c->keyed = s->rows;
		c->times = 1;
	}
	if (rc == 0 && *column != NO_COLUMN)
		fill_cell(s, *column, value);
	return rc;
}

static int
take_tags(struct csvtable *s, const struct ev *ev, struct err *e)
{
	bool others = !s->named || s->keys.count > EV_KEYS_MAX;
	struct slice value;
	uint32_t column;
	size_t i, n;
	int rc = 0;

	for (i = 0; rc == 0 && i < ev->ntags; i++) {
		struct slice tag = ev_tag_at(ev, i);
		size_t k = ev_keys_find(&s->known, tag, &value);
		const char *equals;

		if (k != EV_KEYS_MAX && s->cell[k].keyed != s->rows) {
			s->cell[k].keyed = s->rows;
			s->cell[k].times = 1;
			fill_cell(s, (uint32_t)k, value);
			continue;
		}
		if (k == EV_KEYS_MAX && !others)
			continue;
		equals = memchr(tag.p, '=', tag.len);
		n = equals == NULL ? 0 : (size_t)(equals - tag.p);
		rc = take_tag(s, (struct slice){ tag.p, n },
		    (struct slice){ tag.p + n + (equals != NULL), tag.len - n - (equals != NULL) },
		    &column, e);
	}
	return rc;
}

/* Writes the current row to d, which has enough room.  Returns NULL when memory runs out. */
static char *
put_row(struct csvtable *s, char *d)
{
	const char *from = d;
	size_t i;

	for (i = 0; i < s->keys.count && d != NULL; i++) {
		if (i != 0)
			*d++ = s->style.delimiter;
		if (s->cell[i].row == s->rows)
			d = put_field(s, d, s->cell[i].value);
	}
	if (d == from) /* readers skip empty lines */
		d += csv_quote(d, "", 0);
	return d;
}

/* Returns whether the tag has the key.  If so, stores its value. */
static inline bool
has_key(struct slice tag, struct slice key, struct slice *value)
{
	size_t n = key.len;

	if (tag.len <= n || tag.p[n] != '=' || n == 0)
		return false;
	if (n >= 4 ? !short_eq(key, (struct slice){ tag.p, n })
		   : key.p[0] != tag.p[0] || key.p[n / 2] != tag.p[n / 2] ||
		    key.p[n - 1] != tag.p[n - 1])
		return false;
	*value = (struct slice){ tag.p + n + 1, tag.len - n - 1 };
	return true;
}

/*
 * Writes to d, which has enough room, the row of a line whose tags are in the order of the columns,
 * as in most lines.  Returns NULL for any other line.
 */
static char *
put_ordered(struct csvtable *s, const struct ev *ev, char *d)
{
	size_t i, column = EV_COLUMNS - 1, next, end;
	struct slice value;

	for (i = 0; i < EV_COLUMNS && d != NULL; i++) {
		if (i != 0)
			*d++ = s->style.delimiter;
		d = put_field(s, d, ev->col[i]);
	}
	for (i = 0; i < ev->ntags && d != NULL; i++) {
		end = s->keys.count - column - 1 < AHEAD ? s->keys.count : column + 1 + AHEAD;
		next = column + 1;
		while (next < end && !has_key(ev_tag_at(ev, i), s->keys.item[next], &value))
			next++;
		if (next == end)
			return NULL;
		for (; column < next; column++)
			*d++ = s->style.delimiter;
		d = put_field(s, d, value);
	}
	for (; d != NULL && column + 1 < s->keys.count; column++)
		*d++ = s->style.delimiter;
	return d;
}

static int
fill_cells(struct csvtable *s, const struct ev *ev, struct err *e)
{
	size_t i;

	for (i = 0; i < EV_COLUMNS; i++) {
		if (s->fixed[i] == NO_COLUMN)
			continue;
		fill_cell(s, s->fixed[i], ev->col[i]);
		s->cell[s->fixed[i]].keyed = s->rows;
		s->cell[s->fixed[i]].times = 1;
	}
	return take_tags(s, ev, e);
}

static size_t
row_room(const struct csvtable *s, const struct ev *ev)
{
	return 2 * ev->text.len + 3 * s->keys.count + 3;
}

/* Stores the row of LEN bytes that has been written to the temporary file. */
static int
keep_row(struct csvtable *s, size_t len, struct err *e)
{
	uint32_t columns = (uint32_t)s->keys.count;
	struct piece *last;

	if (s->pieces == 0 || s->piece[s->pieces - 1].columns != columns) {
		if (!vec_room(s->piece, s->pieces, s->piece_cap))
			return err_nomem(e);
		s->piece[s->pieces++] = (struct piece){ .columns = columns };
	}
	last = &s->piece[s->pieces - 1];
	last->bytes += len;
	last->breaks |= !s->plain;
	out_commit(&s->rest.out, len);
	return s->rest.out.error == 0 ? 0 : spool_rewind(&s->rest, e);
}

static int
put_later(struct csvtable *s, const struct ev *ev, struct err *e)
{
	int rc = spool_open(&s->rest, e);
	char *p, *d;

	if (rc != 0)
		return rc;
	p = out_room(&s->rest.out, row_room(s, ev));
	d = p == NULL ? NULL : put_ordered(s, ev, p);
	if (d == NULL) {
		rc = fill_cells(s, ev, e);
		if (rc != 0)
			return rc;
		p = out_room(&s->rest.out, row_room(s, ev));
		d = p == NULL ? NULL : put_row(s, p);
		if (d == NULL)
			return err_nomem(e);
	}
	*d++ = '\n';
	return keep_row(s, (size_t)(d - p), e);
}

static inline bool
has(const struct ev *ev, char c)
{
	return memchr(ev->text.p, c, ev->text.len) != NULL;
}

int
csvtable_line(struct csvtable *s, const struct ev *ev, struct err *e)
{
	char *p, *d;
	int rc = s->keys.count == 0 ? add_fixed(s, e) : 0;

	if (rc != 0)
		return rc;
	s->rows++;
	s->plain = s->style.escaped || !has(ev, '\\');
	/* a line has no control bytes but its TABs, and fields without escapes have none */
	s->bare = s->plain && !has(ev, '"') && !has(ev, s->style.delimiter);
	if (!s->named)
		return put_later(s, ev, e);
	rc = fill_cells(s, ev, e);
	if (rc != 0)
		return rc;
	p = out_room(s->o, row_room(s, ev));
	d = p == NULL ? NULL : put_row(s, p);
	if (d == NULL)
		return err_nomem(e);
	*d++ = '\n';
	out_commit(s->o, (size_t)(d - p));
	return 0;
}

/* Returns where the row at p ends, or NULL.  *QUOTED: the place is between quotes. */
static const char *
end_of_row(const char *p, size_t n, bool breaks, bool *quoted)
{
	size_t i;

	if (!breaks)
		return memchr(p, '\n', n);
	for (i = 0; i < n && (p[i] != '\n' || *quoted); i++)
		*quoted ^= p[i] == '"';
	return i == n ? NULL : p + i;
}

/* Writes rows that lack so many columns, with delimiters for them. */
static int
put_padded(struct csvtable *s, const char *p, size_t n, size_t missing, bool breaks, bool *quoted,
    struct err *e)
{
	const char *end;
	size_t len;
	char *d;

	for (; n != 0; p += len, n -= len) {
		end = end_of_row(p, n, breaks, quoted);
		len = end == NULL ? n : (size_t)(end - p);
		d = out_room(s->o, len + missing + 1);
		if (d == NULL)
			return err_nomem(e);
		memcpy(d, p, len);
		out_commit(s->o, len);
		if (end == NULL)
			continue;
		memset(d + len, s->style.delimiter, missing);
		d[len + missing] = '\n';
		out_commit(s->o, missing + 1);
		len++;
	}
	return 0;
}

/* Copies bytes of the temporary file to p. */
static int
read_rest(struct csvtable *s, char *p, size_t n, struct err *e)
{
	size_t got;

	if (spool_read(&s->rest, p, n, &got, e) != 0)
		return e->code;
	return got == n ? 0 : err_sys(e, EIO, "cannot read the temporary file");
}

static int
put_piece(struct csvtable *s, const struct piece *piece, struct err *e)
{
	size_t missing = s->keys.count - piece->columns, n;
	uint64_t left = piece->bytes;
	bool quoted = false;
	char *p;
	int rc = 0;

	for (; rc == 0 && left != 0 && s->o->error == 0; left -= n) {
		n = left < CHUNK ? (size_t)left : CHUNK;
		if (missing != 0) {
			s->text.len = 0;
			p = buf_room(&s->text, n) ? s->text.p : NULL;
		} else {
			p = out_room(s->o, n);
		}
		if (p == NULL)
			return err_nomem(e);
		rc = read_rest(s, p, n, e);
		if (rc == 0 && missing != 0)
			rc = put_padded(s, p, n, missing, piece->breaks, &quoted, e);
		else if (rc == 0)
			out_commit(s->o, n);
	}
	return rc;
}

int
csvtable_end(struct csvtable *s, struct err *e)
{
	size_t i;
	int rc = 0;

	if (s->named)
		return 0;
	if (s->keys.count == 0)
		rc = add_fixed(s, e);
	if (rc == 0)
		rc = put_header(s, e);
	if (rc == 0 && spool_is_open(&s->rest))
		rc = spool_rewind(&s->rest, e);
	for (i = 0; rc == 0 && i < s->pieces && s->o->error == 0; i++)
		rc = put_piece(s, &s->piece[i], e);
	return rc;
}
