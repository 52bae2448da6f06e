/* SPDX-License-Identifier: ISC */
/* table.c - collects aggregates in a table for each measure, and prints the tables. */
#include "src/table/table.h"

#include <math.h>
#include <stdlib.h>

#include "lib/buf.h"
#include "lib/kinds.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/tab.h"
#include "lib/units.h"
#include "lib/vec.h"
#include "src/table/figure.h"

/* Named columns of texts.  Columns may be added at any time. */
struct grid {
	struct tab names;
	uint32_t *cell; /* indexed by row * stride + column: number of the text + 1, or 0 */
	size_t rows, rows_cap, stride;
};

/* The table of one measure. */
struct block {
	struct slice measure, unit, of; /* "." for none */
	bool overlaps; /* events are in several groups, so that groups must not be added up */
	bool unsaid; /* it has no unit, but a later measure line may give one for some lines */
	/*
	 * The names of its rows: the keys that distinguish the group, LF, its type, LF, its times.
	 */
	struct tab rows;
	struct grid keys, stats;
	struct grid totals; /* of the stats that shares are computed of, if groups overlap */
};

struct table {
	struct tab text; /* the texts of all cells */
	struct tab blocks; /* MEASURE TAB UNIT TAB OF */
	struct block *block;
	size_t blocks_cap;
	struct units units; /* from the measure lines */
	struct buf key;
	struct table_counts counts;
};

/* Returns the text of a cell, or "." if there is none. */
static inline struct slice
grid_get(const struct table *t, const struct grid *g, size_t row, size_t column)
{
	uint32_t n = g->cell[row * g->stride + column];

	return n == 0 ? SLICE(".") : t->text.item[n - 1];
}

#define KEYS_ALWAYS ((size_t)3) /* run, region, start */

struct table *
table_open(void)
{
	return mem_zero(1, sizeof(struct table));
}

static void
grid_free(struct grid *g)
{
	tab_free(&g->names);
	mem_free(g->cell);
}

void
table_close(struct table *t)
{
	size_t i;

	if (t == NULL)
		return;
	for (i = 0; i < t->blocks.count; i++) {
		tab_free(&t->block[i].rows);
		grid_free(&t->block[i].keys);
		grid_free(&t->block[i].stats);
		grid_free(&t->block[i].totals);
	}
	tab_free(&t->text);
	tab_free(&t->blocks);
	units_free(&t->units);
	buf_free(&t->key);
	mem_free(t->block);
	mem_free(t);
}

const struct table_counts *
table_counts(const struct table *t)
{
	return &t->counts;
}

bool
table_has(const struct table *t, struct slice stat)
{
	size_t i;

	for (i = 0; i < t->blocks.count; i++)
		if (tab_find(&t->block[i].stats.names, stat) != TAB_NONE)
			return true;
	return false;
}

/* Makes room for another row or column.  The cells get a new layout. */
static bool
grid_grow(struct grid *g, size_t rows, size_t columns)
{
	size_t rows_cap = g->rows_cap == 0 ? 4 : g->rows_cap,
	       stride = g->stride == 0 ? 4 : g->stride, i;
	uint32_t *cell;

	while (rows_cap < rows)
		rows_cap *= 2;
	while (stride < columns)
		stride *= 2;
	if (rows_cap == g->rows_cap && stride == g->stride)
		return true;
	if (rows_cap > SIZE_MAX / sizeof *cell / stride)
		return false;
	cell = mem_zero(rows_cap * stride, sizeof *cell);
	if (cell == NULL)
		return false;
	for (i = 0; i < g->rows; i++)
		memcpy(cell + i * stride, g->cell + i * g->stride, g->stride * sizeof *cell);
	mem_free(g->cell);
	g->cell = cell;
	g->rows_cap = rows_cap;
	g->stride = stride;
	return true;
}

/*
 * Returns the cell of that row and column, creating them if necessary, or NULL if memory runs out.
 */
static uint32_t *
grid_cell(struct grid *g, size_t row, struct slice name)
{
	size_t column = tab_add(&g->names, name, NULL);

	if (column == TAB_NONE || !grid_grow(g, row + 1, column + 1))
		return NULL;
	if (g->rows < row + 1)
		g->rows = row + 1;
	return &g->cell[row * g->stride + column];
}

static bool
set(struct table *t, struct grid *g, size_t row, struct slice name, struct slice value)
{
	uint32_t *cell = grid_cell(g, row, name);
	size_t n = tab_add(&t->text, value, NULL);

	if (cell == NULL || n == TAB_NONE)
		return false;
	*cell = (uint32_t)n + 1;
	return true;
}

/*
 * Returns whether a tag of agg lines is not a key.  The type is a key, but has a place of its own.
 */
static bool
is_no_key(struct slice key)
{
	static const struct slice words[] = {
		{ "stat", 4 },
		{ "start", 5 },
		{ "n", 1 },
		{ "mid", 3 },
		{ "type", 4 },
		{ "unit", 4 },
		{ "of", 2 },
		{ "total", 5 },
	};
	size_t i;

	for (i = 0; i < sizeof words / sizeof words[0]; i++)
		if (slice_eq(words[i], key))
			return true;
	return false;
}

static struct slice
tag_or_nothing(const struct ev *ev, struct slice key)
{
	struct slice value;

	return ev_tag(ev, key, &value) ? value : SLICE(".");
}

/* Writes the key of a block to t->key.  Returns false when memory runs out. */
static bool
block_key(struct table *t, struct slice measure, struct slice unit, struct slice of)
{
	t->key.len = 0;
	return buf_put(&t->key, measure.p, measure.len) && buf_putc(&t->key, '\t') &&
	    buf_put(&t->key, unit.p, unit.len) && buf_putc(&t->key, '\t') &&
	    buf_put(&t->key, of.p, of.len);
}

static struct block *
block_of(struct table *t, const struct ev *ev)
{
	struct slice measure = ev->col[EV_MEASURE], unit = units_of(&t->units, ev),
		     of = tag_or_nothing(ev, SLICE("of")), said;
	bool fresh;
	size_t n;

	if (!block_key(t, measure, unit, of))
		return NULL;
	/* make room first, since table_close visits the blocks that exist */
	if (!vec_room(t->block, t->blocks.count, t->blocks_cap))
		return NULL;
	n = tab_add(&t->blocks, buf_slice(&t->key), &fresh);
	if (n == TAB_NONE)
		return NULL;
	if (fresh) {
		struct slice all = t->blocks.item[n];

		t->block[n] = (struct block){ .measure = { all.p, measure.len },
			.unit = { all.p + measure.len + 1, unit.len },
			.of = { all.p + measure.len + unit.len + 2, of.len } };
	}
	t->block[n].unsaid |= slice_is_nothing(unit) && !ev_tag(ev, SLICE("unit"), &said);
	return &t->block[n];
}

static bool
is_new(const struct grid *g, struct slice name)
{
	return tab_find(&g->names, name) == TAB_NONE;
}

/*
 * Returns whether the line would make the table too wide.  A table has a cell for each row and
 * column, even if the input has no value for it.
 */
static bool
is_too_wide(const struct block *b, const struct ev *ev, struct slice stat)
{
	size_t columns = KEYS_ALWAYS + b->keys.names.count + b->stats.names.count;
	struct slice rest = ev->tags;
	struct ev_tag tag;

	if (columns + ev->ntags < TABLE_COLUMNS_MAX)
		return false;
	columns -= b->keys.names.count < KEYS_ALWAYS ? b->keys.names.count : KEYS_ALWAYS;
	columns += is_new(&b->stats, stat);
	while (columns <= TABLE_COLUMNS_MAX && ev_next_tag(&rest, &tag))
		columns += (!is_no_key(tag.key) || slice_eq(tag.key, SLICE("type"))) &&
		    is_new(&b->keys, tag.key);
	return columns > TABLE_COLUMNS_MAX;
}

/* Sets t->key to the text that distinguishes the row from others. */
static bool
name_row(struct table *t, const struct ev *ev, struct slice start, struct slice type)
{
	struct slice run = ev->col[EV_RUN], region = ev->col[EV_REGION], rest = ev->tags;
	struct ev_tag tag;
	bool ok;

	t->key.len = 0;
	/* run and region are adjacent in the line */
	ok = buf_put(&t->key, run.p, (size_t)(region.p + region.len - run.p));
	while (ok && ev_next_tag(&rest, &tag))
		if (!is_no_key(tag.key))
			ok = buf_putc(&t->key, '\t') && buf_put(&t->key, tag.key.p, tag.key.len) &&
			    buf_putc(&t->key, '=') && buf_put(&t->key, tag.value.p, tag.value.len);
	return ok && buf_putc(&t->key, '\n') && buf_put(&t->key, type.p, type.len) &&
	    buf_putc(&t->key, '\n') && buf_put(&t->key, start.p, start.len) &&
	    buf_put(&t->key, ev->col[EV_TIME].p, ev->col[EV_TIME].len);
}

/* Returns the row of the group, with its keys filled in, or TAB_NONE if memory runs out. */
static size_t
row_of(struct table *t, struct block *b, const struct ev *ev)
{
	struct slice start = tag_or_nothing(ev, SLICE("start")),
		     type = tag_or_nothing(ev, SLICE("type")), rest = ev->tags;
	struct ev_tag tag;
	bool fresh, ok;
	size_t row;

	if (!name_row(t, ev, start, type))
		return TAB_NONE;
	row = tab_add(&b->rows, buf_slice(&t->key), &fresh);
	if (row == TAB_NONE || !fresh)
		return row;
	ok = set(t, &b->keys, row, SLICE("run"), ev->col[EV_RUN]) &&
	    set(t, &b->keys, row, SLICE("region"), ev->col[EV_REGION]) &&
	    set(t, &b->keys, row, SLICE("start"), start);
	while (ok && ev_next_tag(&rest, &tag))
		if (!is_no_key(tag.key))
			ok = set(t, &b->keys, row, tag.key, tag.value);
	if (ok && !slice_is_nothing(type))
		ok = set(t, &b->keys, row, SLICE("type"), type);
	return ok ? row : TAB_NONE;
}

/* Returns whether shares are computed of that statistic, if it is there. */
static bool
is_base(struct slice stat)
{
	return slice_eq(stat, SLICE("sum")) || slice_eq(stat, SLICE("count"));
}

static bool
take_value(struct table *t, struct block *b, const struct ev *ev, size_t row, struct slice stat)
{
	struct slice total;

	if (ev_tag(ev, SLICE("total"), &total)) {
		b->overlaps = true;
		if (is_base(stat) && !set(t, &b->totals, row, stat, total))
			return false;
	}
	return set(t, &b->stats, row, stat, ev->col[EV_VALUE]);
}

static int
take_aggregate(struct table *t, const struct ev *ev, struct err *e)
{
	struct slice stat = tag_or_nothing(ev, SLICE("stat"));
	struct block *b;
	uint32_t *cell;
	size_t row;

	if (slice_is_nothing(stat))
		return err_line(e, ev->number, "agg line without stat=");
	b = block_of(t, ev);
	if (b == NULL)
		return err_nomem(e);
	if (is_too_wide(b, ev, stat))
		return err_line(e, ev->number,
		    "the table would have more than %d columns: the line is left out",
		    TABLE_COLUMNS_MAX);
	row = row_of(t, b, ev);
	if (row == TAB_NONE)
		return err_nomem(e);
	cell = grid_cell(&b->stats, row, stat);
	if (cell == NULL)
		return err_nomem(e);
	if (*cell != 0 && slice_eq(t->text.item[*cell - 1], ev->col[EV_VALUE])) {
		t->counts.repeated++;
		return 0;
	}
	if (*cell != 0)
		return err_line(e, ev->number,
		    "the group already has another value of this statistic");
	return take_value(t, b, ev, row, stat) ? 0 : err_nomem(e);
}

int
table_line(struct table *t, const struct ev *ev, struct err *e)
{
	struct slice kind = ev->col[EV_KIND];

	if (slice_eq(kind, SLICE("agg"))) {
		t->counts.aggregates++;
		return take_aggregate(t, ev, e);
	}
	if (slice_eq(kind, SLICE("measure")))
		return units_declare(&t->units, ev) ? 0 : err_nomem(e);
	if (slice_eq(kind, SLICE("part")))
		return t->counts.parts++ == 0 ? err_data(e, KINDS_PARTS) : 0;
	if (slice_eq(kind, SLICE("sample")) || slice_eq(kind, SLICE("span")))
		t->counts.events++;
	else if (slice_eq(kind, SLICE("lost")))
		t->counts.lost++;
	else if (!slice_eq(kind, SLICE("run")) && !kind_is_silent(kind))
		t->counts.others++;
	return 0;
}

#define KEY_WIDTH ((size_t)48) /* width of the column of a key, without --wide */
#define WIDTH_MAX ((size_t)256) /* width of any column; a longer cell shifts the rest of its row */
#define GAP ((size_t)2)
#define EXACT 9007199254740992.0 /* every integer up to this is exact as a double */
#define TINY 1e-7 /* a column whose largest number is below this is shown unrounded */

struct column {
	struct slice name;
	size_t at; /* its index in the grid */
	size_t width; /* in code points */
	bool is_key;
	bool is_fixed; /* some of its numbers have decimals */
	int decimals;
	double total; /* for a share, the total that it is a share of, unless groups overlap */
	bool is_share; /* this column is a percentage of the column before it */
};

struct layout {
	const struct table *t;
	const struct block *b;
	const struct table_view *view;
	struct slice unit;
	struct column *column;
	size_t columns;
	size_t sort; /* the column of stats by which rows are sorted */
	bool by_type, by_start; /* needed to tell groups apart */
	size_t *row; /* in the order of printing */
	struct out *o;
};

/*
 * Counts code points.  This is the width on a terminal unless some are combining or double-width.
 */
static size_t
width_of(struct slice s)
{
	size_t n = 0, i;

	for (i = 0; i < s.len; i++)
		n += ((unsigned char)s.p[i] & 0xc0) != 0x80;
	return n;
}

/* Returns the first n code points. */
static struct slice
cut(struct slice s, size_t n)
{
	size_t i;

	for (i = 0; i < s.len; i++)
		if (((unsigned char)s.p[i] & 0xc0) != 0x80 && n-- == 0)
			break;
	return (struct slice){ s.p, i };
}

/* Removes the sign and leading zeros.  Returns true if there was a minus. */
static bool
strip(struct slice *s)
{
	bool negative = s->p[0] == '-';
	size_t n = negative;

	while (n < s->len && s->p[n] == '0')
		n++;
	*s = (struct slice){ s->p + n, s->len - n };
	return negative;
}

static int
compare_integers(struct slice a, struct slice b)
{
	bool negative = strip(&a);
	int c;

	if (strip(&b) != negative)
		return negative ? -1 : 1;
	c = a.len != b.len ? (a.len < b.len ? -1 : 1) : memcmp(a.p, b.p, a.len);
	return negative ? -c : c;
}

/*
 * Converts the text to a double, which is infinite for an integer too large for a double.  Returns
 * false if it is not a number.
 */
static bool
number(struct slice s, double *v)
{
	if (num_get_double(s, v))
		return true;
	*v = s.p[0] == '-' ? -HUGE_VAL : HUGE_VAL;
	return num_is_integer(s);
}

/* Returns the digits of a number whose double is v.  Doubles beyond 2^53 are integers as well. */
static struct slice
digits_of(struct slice s, double v, char *dst)
{
	return num_is_integer(s) ? s : (struct slice){ dst, figure_fixed(dst, v, 0) };
}

/* Compares two numbers, exactly even beyond 2^53.  Other texts come last. */
static int
compare_numbers(struct slice a, struct slice b)
{
	char text_a[FIGURE_MAX], text_b[FIGURE_MAX];
	double x, y;
	bool is_a, is_b;

	if (num_is_integer(a) && num_is_integer(b))
		return compare_integers(a, b);
	is_a = number(a, &x) && !isnan(x);
	is_b = number(b, &y) && !isnan(y);
	if (!is_a || !is_b)
		return (int)is_a - (int)is_b;
	if (x == y && fabs(x) >= EXACT && isfinite(x))
		return compare_integers(digits_of(a, x, text_a), digits_of(b, y, text_b));
	return (x > y) - (x < y);
}

struct entry {
	struct slice value, name;
	size_t row;
};

/* Puts the largest first, and orders equal ones by their keys. */
static int
compare_entries(const void *pa, const void *pb)
{
	const struct entry *a = pa, *b = pb;
	int c = compare_numbers(b->value, a->value);

	return c != 0 ? c : slice_cmp(a->name, b->name);
}

static int
compare_names(const void *a, const void *b)
{
	return slice_cmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

/* Removes and returns the text before the next LF of a row's name, or all the rest. */
static struct slice
next_part(struct slice *name)
{
	const char *end = memchr(name->p, '\n', name->len);
	struct slice part = { name->p, end == NULL ? name->len : (size_t)(end - name->p) };

	name->p += part.len + (end != NULL);
	name->len -= part.len + (end != NULL);
	return part;
}

/* Determines whether any groups differ only in their type, or only in their times. */
static void
tell_apart(struct layout *l, struct entry *entry, size_t n)
{
	size_t i;

	qsort(entry, n, sizeof *entry, compare_names);
	for (i = 1; i < n; i++) {
		struct slice a = entry[i - 1].name, b = entry[i].name;

		if (!slice_eq(next_part(&a), next_part(&b)))
			continue;
		if (slice_eq(next_part(&a), next_part(&b)))
			l->by_start = true;
		else
			l->by_type = true;
	}
}

static bool
sort_rows(struct layout *l)
{
	size_t n = l->b->rows.count, i;
	struct entry *entry = mem_zero(n, sizeof *entry);

	l->row = mem_zero(n, sizeof *l->row);
	if (entry == NULL || l->row == NULL) {
		mem_free(entry);
		return false;
	}
	for (i = 0; i < n; i++)
		entry[i] = (struct entry){ grid_get(l->t, &l->b->stats, i, l->sort),
			l->b->rows.item[i], i };
	tell_apart(l, entry, n);
	qsort(entry, n, sizeof *entry, compare_entries);
	for (i = 0; i < n; i++)
		l->row[i] = entry[i].row;
	mem_free(entry);
	return true;
}

static size_t
stat_named(const struct layout *l, struct slice name)
{
	return name.len == 0 ? TAB_NONE : tab_find(&l->b->stats.names, name);
}

/*
 * Returns whether the column of a key is superfluous: a run that is the same in all rows, no region
 * in any row, or a type or start that is not needed.  Tags are there only if they are keys.
 */
static bool
says_nothing(const struct layout *l, size_t key)
{
	struct slice name = l->b->keys.names.item[key], first = grid_get(l->t, &l->b->keys, 0, key);
	size_t i;

	if (slice_eq(name, SLICE("start")))
		return !l->by_start;
	if (slice_eq(name, SLICE("type")))
		return !l->by_type;
	if (!slice_eq(name, SLICE("run")) &&
	    (!slice_eq(name, SLICE("region")) || !slice_is_nothing(first)))
		return false;
	for (i = 1; i < l->b->rows.count; i++)
		if (!slice_eq(first, grid_get(l->t, &l->b->keys, i, key)))
			return false;
	return true;
}

/*
 * Finds the total of the row's share: that of the table or, if groups overlap, the one that the
 * line gave.  Returns false if there is none.
 */
static bool
total_for(const struct layout *l, const struct column *share, size_t row, double *total)
{
	const struct grid *totals = &l->b->totals;
	size_t at;

	*total = share->total;
	if (!l->b->overlaps)
		return true;
	at = tab_find(&totals->names, l->b->stats.names.item[share->at]);
	return at != TAB_NONE && row < totals->rows &&
	    number(grid_get(l->t, totals, row, at), total);
}

static bool
is_whole(double total)
{
	return total > 0 && !isinf(total);
}

/*
 * Computes the sum over all rows, unless groups overlap.  Returns false if shares would be
 * misleading.
 */
static bool
find_total(const struct layout *l, struct column *share)
{
	size_t i, known = 0;
	double v, total, sum = 0;

	for (i = 0; i < l->b->rows.count; i++) {
		if (!number(grid_get(l->t, &l->b->stats, i, share->at), &v))
			continue;
		if (!(v >= 0) || isinf(v))
			return false;
		sum += v;
		if (!total_for(l, share, i, &total))
			continue;
		known++;
		if (l->b->overlaps && !is_whole(total))
			return false;
	}
	share->total = sum;
	return l->b->overlaps ? known > 0 : sum > 0;
}

/*
 * Decides whether the numbers of a column are printed unchanged and, if not, with how many
 * decimals.
 */
static void
judge_numbers(const struct layout *l, struct column *c)
{
	double max = 0, v;
	size_t i;

	for (i = 0; i < l->b->rows.count; i++) {
		struct slice value = grid_get(l->t, &l->b->stats, i, c->at);

		if (!number(value, &v))
			continue;
		c->is_fixed |= !num_is_integer(value) && isfinite(v);
		if (isfinite(v) && fabs(v) > max)
			max = fabs(v);
	}
	c->is_fixed &= max >= TINY || max == 0;
	c->decimals = figure_decimals(max);
}

static bool
choose_columns(struct layout *l)
{
	size_t keys = l->b->keys.names.count, stats = l->b->stats.names.count, base, i;
	struct column *c;

	l->column = mem_zero(keys + stats + 1, sizeof *l->column);
	if (l->column == NULL)
		return false;
	for (i = 0; i < keys; i++)
		if (!says_nothing(l, i))
			l->column[l->columns++] = (struct column){ .name = l->b->keys.names.item[i],
				.at = i,
				.is_key = true };
	base = stat_named(l, SLICE("sum"));
	if (base == TAB_NONE)
		base = stat_named(l, SLICE("count"));
	for (i = 0; i < stats; i++) {
		c = &l->column[l->columns++];
		*c = (struct column){ .name = l->b->stats.names.item[i], .at = i };
		judge_numbers(l, c);
		if (i != base)
			continue;
		c[1] = (struct column){ .name = SLICE("%"), .at = i, .is_share = true };
		l->columns += find_total(l, &c[1]);
	}
	return true;
}

static size_t
figure_share(char *dst, double v, double total)
{
	size_t n = figure_fixed(dst, 100 * v / total, 1);

	dst[n] = '%';
	return n + 1;
}

/* Returns an exact integer, followed by decimals if dst has room for them. */
static struct slice
with_zeros(struct slice integer, int decimals, char *dst)
{
	size_t n = (size_t)decimals;

	if (n == 0 || integer.len + 1 + n > FIGURE_MAX)
		return integer;
	memcpy(dst, integer.p, integer.len);
	dst[integer.len] = '.';
	memset(dst + integer.len + 1, '0', n);
	return (struct slice){ dst, integer.len + 1 + n };
}

/* Returns whether results of that statistic have the unit of the values. */
static bool
has_unit(struct slice stat)
{
	static const struct slice without[] = { SLICE_INIT("count"), SLICE_INIT("distinct"),
		SLICE_INIT("hist"), SLICE_INIT("rate"), SLICE_INIT("share"), SLICE_INIT("var") };
	size_t i;

	for (i = 0; i < sizeof without / sizeof without[0]; i++)
		if (slice_eq(stat, without[i]))
			return false;
	return true;
}

/* Returns the text of a cell as printed.  It is in dst if it has to be formatted. */
static struct slice
shown(const struct layout *l, const struct column *c, size_t row, char *dst)
{
	struct slice value = grid_get(l->t, c->is_key ? &l->b->keys : &l->b->stats, row, c->at);
	double v, total;

	if (c->is_key || !number(value, &v) || (isinf(v) && num_is_integer(value)))
		return value;
	if (c->is_share)
		return total_for(l, c, row, &total)
		    ? (struct slice){ dst, figure_share(dst, v, total) }
		    : SLICE(".");
	if (l->view->human)
		return (struct slice){ dst,
			figure_human(dst, v, has_unit(c->name) ? l->unit : SLICE("")) };
	if (!c->is_fixed)
		return value;
	if (num_is_integer(value))
		return with_zeros(value, c->decimals, dst);
	return (struct slice){ dst, figure_fixed(dst, v, c->decimals) };
}

/* Returns whether the cells of a column are cut if they are too long. */
static bool
is_cut(const struct layout *l, const struct column *c)
{
	return c->is_key && !l->view->wide;
}

static void
set_widths(struct layout *l, size_t rows)
{
	char figure[FIGURE_MAX];
	size_t i, k;

	for (k = 0; k < l->columns; k++) {
		struct column *c = &l->column[k];

		c->width = width_of(c->name);
		for (i = 0; i < rows; i++) {
			size_t w = width_of(shown(l, c, l->row[i], figure));

			if (w > c->width)
				c->width = w;
		}
		if (c->width > WIDTH_MAX)
			c->width = WIDTH_MAX;
		if (is_cut(l, c) && c->width > KEY_WIDTH)
			c->width = KEY_WIDTH;
	}
}

static void
put_blanks(struct out *o, size_t n)
{
	char *p = out_room(o, n);

	if (p == NULL)
		return;
	memset(p, ' ', n);
	out_commit(o, n);
}

/* Aligns keys to the left and numbers to the right, without blanks at the end of a line. */
static void
put_cell(const struct layout *l, size_t k, struct slice text)
{
	const struct column *c = &l->column[k];
	size_t w = width_of(text);

	if (k > 0)
		put_blanks(l->o, GAP);
	if (!c->is_key)
		put_blanks(l->o, c->width > w ? c->width - w : 0);
	if (w > c->width && is_cut(l, c)) {
		text = cut(text, c->width - 3);
		out_put(l->o, text.p, text.len);
		out_put(l->o, "...", 3);
	} else {
		out_put(l->o, text.p, text.len);
	}
	if (c->is_key && k + 1 < l->columns)
		put_blanks(l->o, c->width > w ? c->width - w : 0);
}

/* Returns the unit for the title, which is empty if there is none. */
static struct slice
unit_of(struct table *t, const struct block *b)
{
	struct slice unit = b->unit;

	if (slice_is_nothing(unit) && b->unsaid) {
		unit = units_common(&t->units, b->measure);
		if (!block_key(t, b->measure, unit, b->of) ||
		    tab_find(&t->blocks, buf_slice(&t->key)) != TAB_NONE)
			unit = SLICE("."); /* another table has that unit, so this one must not */
	}
	return slice_is_nothing(unit) ? SLICE("") : unit;
}

/* Returns whether a group has a unit that came too late and is not in the title. */
static bool
is_late(struct table *t, const struct block *b)
{
	size_t run = tab_find(&b->keys.names, SLICE("run")), i;

	if (!slice_is_nothing(b->unit) || !b->unsaid || !units_any(&t->units, b->measure) ||
	    unit_of(t, b).len != 0)
		return false;
	for (i = 0; i < b->rows.count; i++)
		if (!slice_is_nothing(
			units_said(&t->units, grid_get(t, &b->keys, i, run), b->measure)))
			return true;
	return false;
}

bool
table_late(struct table *t, size_t *at, struct slice *measure)
{
	while (*at < t->blocks.count) {
		const struct block *b = &t->block[(*at)++];

		*measure = b->measure;
		if (b->rows.count > 1 && is_late(t, b))
			return true;
	}
	return false;
}

static void
put_title(const struct layout *l)
{
	char figure[NUM_MAX];
	size_t n = l->b->rows.count;

	out_put(l->o, l->b->measure.p, l->b->measure.len);
	if (l->unit.len != 0) {
		out_put(l->o, " [", 2);
		out_put(l->o, l->unit.p, l->unit.len);
		out_put(l->o, "]", 1);
	}
	if (!slice_is_nothing(l->b->of)) {
		out_put(l->o, ", of ", 5);
		out_put(l->o, l->b->of.p, l->b->of.len);
	}
	out_put(l->o, ": ", 2);
	out_put(l->o, figure, num_put_u64(figure, n));
	out_put(l->o, n == 1 ? " group\n" : " groups\n", n == 1 ? 7 : 8);
}

/* Prints the number of groups that --top omits and, unless groups overlap, their share. */
static void
put_rest(const struct layout *l, size_t rows)
{
	char figure[FIGURE_MAX];
	size_t n = l->b->rows.count, i, k;
	double sum = 0, v;

	if (rows == n)
		return;
	out_put(l->o, "... ", 4);
	out_put(l->o, figure, num_put_u64(figure, n - rows));
	out_put(l->o, " more", 5);
	for (k = 0; k < l->columns; k++) {
		const struct column *c = &l->column[k];

		if (!c->is_share || l->b->overlaps)
			continue;
		for (i = rows; i < n; i++)
			if (number(grid_get(l->t, &l->b->stats, l->row[i], c->at), &v))
				sum += v;
		out_put(l->o, ", ", 2);
		out_put(l->o, figure, figure_share(figure, sum, c->total));
		out_put(l->o, " of ", 4);
		out_put(l->o, c[-1].name.p, c[-1].name.len);
	}
	out_put(l->o, "\n", 1);
}

static int
print_block(struct layout *l, struct err *e)
{
	char figure[FIGURE_MAX];
	size_t rows = l->b->rows.count, i, k;

	l->sort = stat_named(l, l->view->sort);
	if (l->sort == TAB_NONE)
		l->sort = stat_named(l, SLICE("sum"));
	if (l->sort == TAB_NONE)
		l->sort = 0;
	if (!sort_rows(l) || !choose_columns(l))
		return err_nomem(e);
	if (l->view->top != 0 && l->view->top < rows)
		rows = l->view->top;
	set_widths(l, rows);
	put_title(l);
	for (k = 0; k < l->columns; k++)
		put_cell(l, k, l->column[k].name);
	out_put(l->o, "\n", 1);
	for (i = 0; i < rows; i++) {
		for (k = 0; k < l->columns; k++)
			put_cell(l, k, shown(l, &l->column[k], l->row[i], figure));
		out_put(l->o, "\n", 1);
	}
	put_rest(l, rows);
	return 0;
}

int
table_print(struct table *t, const struct table_view *view, struct out *o, struct err *e)
{
	size_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < t->blocks.count; i++) {
		struct layout l = { .t = t, .b = &t->block[i], .view = view, .o = o };

		/* results of counts have no unit, although their measure has one */
		l.unit = has_unit(l.b->of) ? unit_of(t, l.b) : SLICE("");
		if (i > 0)
			out_put(o, "\n", 1);
		rc = print_block(&l, e);
		mem_free(l.column);
		mem_free(l.row);
	}
	return rc;
}
