/* SPDX-License-Identifier: ISC */
/* sheet.c - all tables as one CSV table, for spreadsheets and other programs. */
#include <errno.h>
#include <stdlib.h>

#include "lib/esc.h"
#include "lib/keys.h"
#include "lib/mem.h"
#include "src/table/tableint.h"

#define SHOWN_MAX 100 /* bytes of a name in a message */

#define NO_COLUMN SIZE_MAX

/* A column of statistics. */
struct figures {
	struct slice stat, value; /* value is that of the key whose values are columns */
	size_t number; /* in sheet.stats */
};

struct sheet {
	const struct table *t;
	const struct csv_style *style;
	struct out *o;
	struct tab keys, stats; /* the columns of all tables, in the order of appearance */
	bool *is_empty; /* by number in keys: no row has a text */
	struct figures *order; /* of stats */
	size_t *key_at, *stat_at; /* by number: the column of the current table, or NO_COLUMN */
	bool has_of, has_windows; /* there are columns of these */
	bool by_stat; /* the names of columns have the statistic */
	bool has_stat; /* a column of its own has the only one */
	size_t columns; /* of the current row, so far */
	struct buf text; /* scratch */
};

static void
close_sheet(struct sheet *s)
{
	tab_free(&s->keys);
	tab_free(&s->stats);
	mem_free(s->is_empty);
	mem_free(s->order);
	mem_free(s->key_at);
	mem_free(s->stat_at);
	buf_free(&s->text);
}

/* Adds the names of a table's columns to those of all tables. */
static bool
add_names(struct tab *all, const struct tab *names)
{
	size_t i;

	for (i = 0; i < names->count; i++)
		if (tab_add(all, names->item[i], NULL) == TAB_NONE)
			return false;
	return true;
}

static bool
is_used(const struct table *t, const struct block *b, size_t key)
{
	size_t i;

	for (i = 0; i < b->rows.count; i++)
		if (!slice_is_nothing(grid_get(t, &b->keys, i, key)))
			return true;
	return false;
}

/*
 * The keys whose column every table has are left out if they are empty everywhere.  There are none
 * at all if each line was refused because it would make its table too wide.
 */
static void
find_empty(struct sheet *s)
{
	size_t always = s->keys.count < TABLE_KEYS_ALWAYS ? s->keys.count : TABLE_KEYS_ALWAYS, i, k;

	for (k = 0; k < always; k++)
		s->is_empty[k] = true;
	for (i = 0; i < s->t->blocks.count; i++)
		for (k = 0; k < always; k++)
			if (s->is_empty[k])
				s->is_empty[k] = !is_used(s->t, &s->t->block[i], k);
}

static int
compare_figures(const void *pa, const void *pb)
{
	const struct figures *a = pa, *b = pb;
	int c = table_compare_cells(a->value, b->value);

	return c != 0 ? c : (a->number > b->number) - (a->number < b->number);
}

static bool
open_sheet(struct sheet *s)
{
	size_t i;

	s->has_windows = table_windows_differ(s->t);
	for (i = 0; i < s->t->blocks.count; i++) {
		s->has_of |= !slice_is_nothing(s->t->block[i].of);
		if (!add_names(&s->keys, &s->t->block[i].keys.names) ||
		    !add_names(&s->stats, &s->t->block[i].stats.names))
			return false;
	}
	s->is_empty = mem_zero(s->keys.count + 1, sizeof *s->is_empty);
	s->order = mem_zero(s->stats.count + 1, sizeof *s->order);
	s->key_at = mem_zero(s->keys.count + 1, sizeof *s->key_at);
	s->stat_at = mem_zero(s->stats.count + 1, sizeof *s->stat_at);
	if (s->is_empty == NULL || s->order == NULL || s->key_at == NULL || s->stat_at == NULL)
		return false;
	find_empty(s);
	for (i = 0; i < s->stats.count; i++) {
		s->order[i].number = i;
		s->order[i].stat = table_stat(s->t, s->stats.item[i], &s->order[i].value);
		s->by_stat |= !slice_eq(s->order[i].stat, s->order[0].stat);
	}
	s->has_stat = s->t->wide.len != 0 && !s->by_stat;
	if (s->t->wide.len != 0)
		qsort(s->order, s->stats.count, sizeof *s->order, compare_figures);
	return true;
}

/* Writes a field of these bytes. */
static void
put_bytes(struct sheet *s, struct slice bytes)
{
	char *p;

	if (s->columns++ != 0)
		out_put(s->o, &s->style->delimiter, 1);
	p = out_room(s->o, CSV_FIELD_MAX(bytes.len));
	if (p != NULL)
		out_commit(s->o, (size_t)(csv_put(p, bytes.p, bytes.len, s->style->delimiter) - p));
}

/* Appends a text to the scratch, without its escapes unless they are wanted. */
static bool
add_text(struct sheet *s, struct slice text)
{
	size_t at;

	return s->style->escaped ? buf_put(&s->text, text.p, text.len)
				 : esc_undo(&s->text, text, &at) == 0;
}

/* Writes a text as a field, which is empty for ".".  A failure is kept in the output. */
static void
put_field(struct sheet *s, struct slice value)
{
	s->text.len = 0;
	if (slice_is_nothing(value))
		value.len = 0;
	if (!s->style->escaped && memchr(value.p, '\\', value.len) != NULL) {
		if (!add_text(s, value))
			out_fail(s->o, ENOMEM);
		value = buf_slice(&s->text);
	}
	put_bytes(s, value);
}

static void
end_row(struct sheet *s)
{
	out_put(s->o, "\n", 1);
	s->columns = 0;
}

/*
 * Puts the name of a column of statistics into the scratch.  The value of a key and the statistic
 * are two texts: "\\." is an escape only as a whole one.  Returns false if memory runs out.
 */
static bool
make_name(struct sheet *s, const struct figures *f)
{
	bool no_value = slice_is_nothing(f->value);

	s->text.len = 0;
	if (s->t->wide.len == 0)
		return add_text(s, f->stat);
	if (!s->by_stat)
		return no_value || add_text(s, f->value);
	return (no_value ? buf_putc(&s->text, '.') : add_text(s, f->value)) &&
	    buf_putc(&s->text, ' ') && add_text(s, f->stat);
}

static int
check_name(struct tab *names, struct slice name, struct err *e)
{
	bool fresh;

	if (tab_add(names, name, &fresh) == TAB_NONE)
		return err_nomem(e);
	if (fresh)
		return 0;
	return err_data(e, "two columns would have the name %.*s", slice_shown(name, SHOWN_MAX),
	    name.p);
}

/* The message spells the name as the stream does. */
static int
check_figure(struct sheet *s, struct tab *names, const struct figures *f, struct err *e)
{
	bool both = s->t->wide.len != 0 && s->by_stat, fresh;
	struct slice stat = both ? f->stat : SLICE(""),
		     first = s->t->wide.len == 0 ? f->stat : f->value;

	if (!make_name(s, f) || tab_add(names, buf_slice(&s->text), &fresh) == TAB_NONE)
		return err_nomem(e);
	if (fresh)
		return 0;
	return err_data(e, "two columns would have the name %.*s%s%.*s",
	    slice_shown(first, SHOWN_MAX), first.p, both ? " " : "", slice_shown(stat, SHOWN_MAX),
	    stat.p);
}

static int
check_names(struct sheet *s, struct err *e)
{
	struct tab names = { 0 };
	size_t i;
	int rc = check_name(&names, SLICE("measure"), e);

	if (rc == 0)
		rc = check_name(&names, SLICE("unit"), e);
	if (rc == 0 && s->has_of)
		rc = check_name(&names, SLICE("of"), e);
	if (rc == 0 && s->has_windows)
		rc = check_name(&names, SLICE("windows"), e);
	if (rc == 0 && s->has_stat)
		rc = check_name(&names, SLICE("stat"), e);
	for (i = 0; rc == 0 && i < s->keys.count; i++)
		if (!s->is_empty[i])
			rc = check_name(&names, s->keys.item[i], e);
	for (i = 0; rc == 0 && i < s->stats.count; i++)
		rc = check_figure(s, &names, &s->order[i], e);
	tab_free(&names);
	return rc;
}

static void
put_names(struct sheet *s)
{
	size_t i;

	if (s->style->bom)
		out_puts(s->o, ESC_BOM);
	put_field(s, SLICE("measure"));
	put_field(s, SLICE("unit"));
	if (s->has_of)
		put_field(s, SLICE("of"));
	if (s->has_windows)
		put_field(s, SLICE("windows"));
	if (s->has_stat)
		put_field(s, SLICE("stat"));
	for (i = 0; i < s->keys.count; i++)
		if (!s->is_empty[i])
			put_field(s, s->keys.item[i]);
	for (i = 0; i < s->stats.count; i++) {
		if (!make_name(s, &s->order[i]))
			out_fail(s->o, ENOMEM);
		put_bytes(s, buf_slice(&s->text));
	}
	end_row(s);
}

/* Finds the columns of a table. */
static void
find_columns(const struct tab *all, const struct tab *names, size_t *at)
{
	size_t i;

	for (i = 0; i < all->count; i++)
		at[i] = NO_COLUMN;
	for (i = 0; i < names->count; i++)
		at[tab_find(all, names->item[i])] = i;
}

static struct slice
cell(const struct sheet *s, const struct grid *g, size_t row, size_t column)
{
	return column == NO_COLUMN ? SLICE(".") : grid_get(s->t, g, row, column);
}

static void
put_row(struct sheet *s, const struct block *b, struct slice unit, size_t row)
{
	size_t i;

	put_field(s, b->measure);
	put_field(s, unit.len == 0 ? SLICE(".") : unit);
	if (s->has_of)
		put_field(s, b->of);
	if (s->has_windows)
		put_field(s, b->windows);
	if (s->has_stat)
		put_field(s, s->order[0].stat);
	for (i = 0; i < s->keys.count; i++)
		if (!s->is_empty[i])
			put_field(s, cell(s, &b->keys, row, s->key_at[i]));
	for (i = 0; i < s->stats.count; i++)
		put_field(s, cell(s, &b->stats, row, s->stat_at[s->order[i].number]));
	end_row(s);
}

int
table_read_wide_sheet(const char *text, struct slice *key, struct err *e)
{
	if (table_read_wide(text, key, e) != 0)
		return e->code;
	if (keys_is_result_tag(*key) || slice_eq(*key, SLICE("mid")))
		return err_data(e, "%s is not a key of groups", text);
	return 0;
}

int
table_put_csv(struct table *t, const struct csv_style *style, struct out *o, struct err *e)
{
	struct sheet s = { .t = t, .style = style, .o = o };
	size_t i, row;
	int rc = open_sheet(&s) ? check_names(&s, e) : err_nomem(e);

	if (rc == 0)
		put_names(&s);
	for (i = 0; rc == 0 && i < t->blocks.count && o->error == 0; i++) {
		const struct block *b = &t->block[i];
		struct slice unit = table_unit(t, b);

		find_columns(&s.keys, &b->keys.names, s.key_at);
		find_columns(&s.stats, &b->stats.names, s.stat_at);
		for (row = 0; row < b->rows.count && o->error == 0; row++)
			put_row(&s, b, unit, row);
	}
	close_sheet(&s);
	return rc;
}
