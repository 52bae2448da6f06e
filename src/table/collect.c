/* SPDX-License-Identifier: ISC */
/* collect.c - collects aggregates in a table for each measure. */
#include "src/table/tableint.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "lib/keys.h"
#include "lib/kinds.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/vec.h"
#include "src/table/figure.h"

struct table *
table_open(void)
{
	struct table *t = mem_zero(1, sizeof *t);

	if (t != NULL) {
		t->units = &t->own_units;
		t->columns = TABLE_COLUMNS_MAX;
	}
	return t;
}

struct table *
table_open_beside(const struct table *other)
{
	struct table *t = mem_zero(1, sizeof *t);

	if (t != NULL) {
		t->units = other->units;
		t->wide = other->wide;
		t->columns = other->columns;
	}
	return t;
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
	buf_free(&t->figures);
	tab_free(&t->blocks);
	tab_free(&t->runs);
	units_free(&t->own_units);
	kinds_left_free(&t->left);
	forms_free(&t->forms);
	buf_free(&t->key);
	buf_free(&t->head);
	mem_free(t->block);
	mem_free(t);
}

const struct table_counts *
table_counts(const struct table *t)
{
	return &t->counts;
}

void
table_told(struct table *t, struct slice kind)
{
	kinds_left_told(&t->left, kind);
}

int
table_read_wide(const char *text, struct slice *key, struct err *e)
{
	*key = slice_of(text);
	if (key->len == 0)
		return err_data(e, "an empty name");
	if (slice_eq(*key, SLICE("measure")))
		return err_data(e,
		    "measures are never columns, since units differ (afpipe-cookbook(7), \"perf "
		    "stat over time\", has several side by side)");
	if (slice_eq(*key, SLICE("stat")))
		*key = SLICE("");
	return 0;
}

void
table_set_wide(struct table *t, struct slice key)
{
	t->wide = key;
}

void
table_set_columns(struct table *t, size_t columns)
{
	t->columns = columns;
}

size_t
table_column(const struct table *t, const struct block *b, struct slice stat)
{
	struct slice value;
	size_t i;

	if (t->wide.len == 0)
		return stat.len == 0 ? TAB_NONE : tab_find(&b->stats.names, stat);
	for (i = 0; i < b->stats.names.count; i++)
		if (slice_eq(table_stat(t, b->stats.names.item[i], &value), stat))
			return i;
	return TAB_NONE;
}

size_t
table_key(const struct block *b, struct slice name)
{
	size_t key = name.len == 0 ? TAB_NONE : tab_find(&b->keys.names, name);

	return key == TAB_NONE && slice_eq(name, SLICE("time"))
	    ? tab_find(&b->keys.names, SLICE("start"))
	    : key;
}

/* The columns run, region and start are always there, but not every group has them. */
static bool
is_recorded(const struct table *t, const struct block *b, size_t key)
{
	size_t i;

	for (i = 0; i < b->rows.count; i++)
		if (key >= TABLE_KEYS_ALWAYS || !slice_is_nothing(grid_get(t, &b->keys, i, key)))
			return true;
	return false;
}

/* Returns whether any group has this key. */
static bool
has_key(const struct table *t, struct slice name)
{
	size_t i, key;

	for (i = 0; i < t->blocks.count; i++) {
		key = table_key(&t->block[i], name);
		if (key != TAB_NONE && is_recorded(t, &t->block[i], key))
			return true;
	}
	return false;
}

bool
table_list_keys(const struct table *t, struct buf *list)
{
	const struct tab *keys = &t->block[0].keys.names;
	size_t i;
	bool ok = true;

	for (i = 0; ok && i < keys->count; i++)
		if (has_key(t, keys->item[i]))
			ok = buf_puts(list, list->len == 0 ? "" : ", ") &&
			    buf_put(list, keys->item[i].p, keys->item[i].len);
	return ok;
}

/* Stores an error about a key that no group has. */
static int
refuse_key(const struct table *t, const char *option, struct slice key, struct err *e)
{
	struct buf list = { 0 };

	if (t->blocks.count != 0 && !table_list_keys(t, &list))
		list.len = 0;
	(void)err_data(e, "--%s: no group has this key: %.*s%s%.*s%s", option, slice_shown(key, 60),
	    key.p,
	    list.len == 0 ? "" : " (there are: ", slice_shown(buf_slice(&list), TABLE_NAMES_MAX),
	    list.len == 0 ? "" : list.p, list.len == 0 ? "" : ")");
	buf_free(&list);
	return e->code;
}

/* Returns ERR_DATA, with the keys that there are, if no group has one that was given to OPTION. */
static int
check_key(const struct table *t, const char *option, struct slice key, struct err *e)
{
	return key.len == 0 || has_key(t, key) ? 0 : refuse_key(t, option, key, e);
}

/* Returns ERR_DATA if no shares of the key can be given. */
static int
check_shares(const struct table *t, struct slice key, struct err *e)
{
	if (check_key(t, "percent-of", key, e) != 0)
		return e->code;
	if (key.len != 0 && t->counts.changes != 0)
		return err_data(e, "--percent-of: changes are not parts of a whole");
	if (key.len != 0 && table_overlaps(t))
		return err_data(e,
		    "--percent-of: the groups overlap (total=), so only their share of "
		    "the total is known (to choose one: afsel --where, before afagg)");
	return 0;
}

bool
table_view_fails(const struct table *t, const struct table_view *view, size_t *at, struct err *e)
{
	int rc = 0;

	while (rc == 0 && t->counts.aggregates != 0 && *at < 3)
		switch ((*at)++) {
		case 0: rc = table_check_sort(t, view, e); break;
		case 1: rc = check_key(t, "top", view->top_of, e); break;
		default: rc = check_shares(t, view->percent_of, e);
		}
	return rc != 0;
}

bool
table_lacks_shares(const struct table *t, const struct table_view *view, struct err *e)
{
	if (view->percent_of.len == 0 || t->has_shares || t->counts.aggregates == 0 ||
	    check_shares(t, view->percent_of, e) != 0)
		return false;
	if (!table_has(t, SLICE("sum")) && !table_has(t, SLICE("count")))
		return err_data(e,
			   "--percent-of: only sums and counts have shares, and there are none"),
		       true;
	*e = (struct err){ .code = ERR_NONE };
	snprintf(e->msg, sizeof e->msg,
	    "--percent-of: no shares, since some values are negative or infinite, all are 0, or "
	    "they contain each other");
	return true;
}

bool
table_has(const struct table *t, struct slice name)
{
	size_t i;

	for (i = 0; i < t->blocks.count; i++)
		if (table_column(t, &t->block[i], name) != TAB_NONE)
			return true;
	return has_key(t, name);
}

bool
table_overlaps(const struct table *t)
{
	size_t i;

	for (i = 0; i < t->blocks.count; i++)
		if (t->block[i].overlaps)
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

/* Appends the text to t->figures.  Returns its place, or TAB_NONE if memory runs out. */
static size_t
add_figure(struct table *t, struct slice value)
{
	size_t at = t->figures.len;
	uint32_t len = (uint32_t)value.len;

	return at + sizeof len + value.len < UINT32_MAX &&
		buf_put(&t->figures, (const char *)&len, sizeof len) &&
		buf_put(&t->figures, value.p, value.len)
	    ? at
	    : TAB_NONE;
}

static bool
set(struct table *t, struct grid *g, size_t row, struct slice name, struct slice value)
{
	uint32_t *cell = grid_cell(g, row, name);
	size_t n = g->is_figures ? add_figure(t, value) : tab_add(&t->text, value, NULL);

	if (cell == NULL || n == TAB_NONE)
		return false;
	*cell = (uint32_t)n + 1;
	return true;
}

static bool
is_change(const struct ev *ev)
{
	return slice_eq(ev->col[EV_KIND], SLICE("diff"));
}

/* Returns whether a tag of the line is not a key.  The type is one, but has a place of its own. */
static bool
is_not_key(const struct ev *ev, struct slice key)
{
	static const struct slice change[] = { SLICE_INIT("before"), SLICE_INIT("after"),
		SLICE_INIT("change"), SLICE_INIT("change.lo"), SLICE_INIT("change.hi"),
		SLICE_INIT("delta.lo"), SLICE_INIT("delta.hi"), SLICE_INIT("p"),
		SLICE_INIT("n.before"), SLICE_INIT("n.after"), SLICE_INIT("overlap"),
		SLICE_INIT("normalised"), SLICE_INIT("beyond") };

	return keys_is_of_result(ev, key) || (is_change(ev) && SLICE_AMONG(key, change));
}

static struct slice
tag_or_nothing(const struct ev *ev, struct slice key)
{
	struct slice value;

	return ev_tag(ev, key, &value) ? value : SLICE(".");
}

enum block_part {
	BLOCK_MEASURE,
	BLOCK_UNIT,
	BLOCK_OF,
	BLOCK_WINDOWS,
	BLOCK_STAT,
	BLOCK_NORMALISED,
	BLOCK_PARTS
};

/* Writes the key of a block to t->key.  Returns false when memory runs out. */
static bool
block_key(struct table *t, const struct slice part[BLOCK_PARTS])
{
	size_t i;

	t->key.len = 0;
	for (i = 0; i < BLOCK_PARTS; i++)
		if ((i > 0 && !buf_putc(&t->key, '\t')) ||
		    !buf_put(&t->key, part[i].p, part[i].len))
			return false;
	return true;
}

/* Points the parts to the same texts in KEY. */
static void
move_parts(struct slice part[BLOCK_PARTS], const char *key)
{
	size_t i;

	for (i = 0; i < BLOCK_PARTS; i++) {
		part[i].p = key;
		key += part[i].len + 1;
	}
}

static struct block *
block_of(struct table *t, const struct ev *ev)
{
	struct slice part[BLOCK_PARTS], said;
	bool fresh;
	size_t n;

	part[BLOCK_MEASURE] = ev->col[EV_MEASURE];
	part[BLOCK_UNIT] = units_of(t->units, ev);
	part[BLOCK_OF] = tag_or_nothing(ev, SLICE("of"));
	part[BLOCK_WINDOWS] = tag_or_nothing(ev, SLICE("windows"));
	part[BLOCK_STAT] = is_change(ev) ? tag_or_nothing(ev, SLICE("stat")) : SLICE(".");
	part[BLOCK_NORMALISED] =
	    is_change(ev) ? tag_or_nothing(ev, SLICE("normalised")) : SLICE(".");
	if (!slice_is_nothing(part[BLOCK_NORMALISED]))
		part[BLOCK_UNIT] = SLICE("."); /* that of the measure is not that of the quotient */
	if (!block_key(t, part))
		return NULL;
	/* make room first, since table_close visits the blocks that exist */
	if (!vec_room(t->block, t->blocks.count, t->blocks_cap))
		return NULL;
	n = tab_add(&t->blocks, buf_slice(&t->key), &fresh);
	if (n == TAB_NONE)
		return NULL;
	if (fresh) {
		move_parts(part, t->blocks.item[n].p);
		t->block[n] = (struct block){ .measure = part[BLOCK_MEASURE],
			.unit = part[BLOCK_UNIT],
			.of = part[BLOCK_OF],
			.windows = part[BLOCK_WINDOWS],
			.stat = part[BLOCK_STAT],
			.normalised = part[BLOCK_NORMALISED],
			.stats.is_figures = true,
			.totals.is_figures = true };
	}
	t->block[n].unsaid |= slice_is_nothing(part[BLOCK_UNIT]) &&
	    !ev_tag(ev, SLICE("unit"), &said) && slice_is_nothing(part[BLOCK_NORMALISED]);
	return &t->block[n];
}

static bool
is_new(const struct grid *g, struct slice name)
{
	return tab_find(&g->names, name) == TAB_NONE;
}

static bool
is_wide(const struct table *t, struct slice key)
{
	return t->wide.len != 0 && slice_eq(t->wide, key);
}

/* Returns whether the tag is a key of the row. */
static bool
is_row_key(const struct table *t, const struct ev *ev, struct slice key)
{
	return !is_not_key(ev, key) && !is_wide(t, key);
}

/* Returns whether the tag is the type, and tells rows apart. */
static bool
is_row_type(const struct table *t, struct slice key)
{
	return slice_eq(key, SLICE("type")) && !is_wide(t, key);
}

/*
 * Returns whether the line would make the table too wide.  A table has a cell for each row and
 * column, even if the input has no value for it.
 */
static bool
is_too_wide(const struct table *t, const struct block *b, const struct ev *ev, struct slice stat)
{
	size_t columns = TABLE_KEYS_ALWAYS + b->keys.names.count + b->stats.names.count;
	struct slice rest = ev->tags;
	struct ev_tag tag;

	if (columns + ev->ntags < t->columns)
		return false;
	columns -=
	    b->keys.names.count < TABLE_KEYS_ALWAYS ? b->keys.names.count : TABLE_KEYS_ALWAYS;
	columns += is_new(&b->stats, stat);
	while (columns <= t->columns && ev_next_tag(&rest, &tag))
		columns += (is_row_key(t, ev, tag.key) || is_row_type(t, tag.key)) &&
		    is_new(&b->keys, tag.key);
	return columns > t->columns;
}

static struct slice
row_column(const struct table *t, const struct ev *ev, enum ev_column which)
{
	return is_wide(t, ev_column_name(which)) ? SLICE(".") : ev->col[which];
}

/*
 * Returns the line's value of the key whose values are columns.  Results have a tag for each key
 * but run, region and measure; other columns of theirs are not those of the events.
 */
static struct slice
wide_value(const struct table *t, const struct ev *ev)
{
	static const bool
	    is_tag[EV_COLUMNS] = { [EV_KIND] = true, [EV_TIME] = true, [EV_VALUE] = true };
	enum ev_column c = ev_column_named(t->wide);
	struct slice value;

	if (c != EV_COLUMNS && !is_tag[c])
		return ev->col[c];
	return ev_tag(ev, t->wide, &value) ? value : SLICE(".");
}

/* Returns the name of the line's column of stats, or an empty text if memory runs out. */
static struct slice
name_stat(struct table *t, const struct ev *ev, struct slice stat)
{
	struct slice value;

	if (t->wide.len == 0)
		return stat;
	value = wide_value(t, ev);
	if (!slice_is_nothing(value))
		t->counts.wide++;
	t->head.len = 0;
	return buf_put(&t->head, value.p, value.len) && buf_putc(&t->head, '\t') &&
		buf_put(&t->head, stat.p, stat.len)
	    ? buf_slice(&t->head)
	    : SLICE("");
}

/* Sets t->key to the text that distinguishes the row from others. */
static bool
name_row(struct table *t, const struct ev *ev, struct slice start, struct slice type)
{
	struct slice run = row_column(t, ev, EV_RUN), region = row_column(t, ev, EV_REGION),
		     rest = ev->tags, time = ev->col[EV_TIME];
	struct ev_tag tag;
	bool ok;

	t->key.len = 0;
	ok = buf_put(&t->key, run.p, run.len) && buf_putc(&t->key, '\t') &&
	    buf_put(&t->key, region.p, region.len);
	while (ok && ev_next_tag(&rest, &tag))
		if (is_row_key(t, ev, tag.key))
			ok = buf_putc(&t->key, '\t') && buf_put(&t->key, tag.key.p, tag.key.len) &&
			    buf_putc(&t->key, '=') && buf_put(&t->key, tag.value.p, tag.value.len);
	ok = ok && buf_putc(&t->key, '\n') && buf_put(&t->key, type.p, type.len);
	if (t->wide.len != 0)
		return ok; /* the times of its columns differ */
	return ok && buf_putc(&t->key, '\n') && buf_put(&t->key, start.p, start.len) &&
	    buf_putc(&t->key, '\t') && buf_put(&t->key, time.p, time.len);
}

/* Returns the row of the group, with its keys filled in, or TAB_NONE if memory runs out. */
static size_t
row_of(struct table *t, struct block *b, const struct ev *ev)
{
	struct slice start = tag_or_nothing(ev, SLICE("start")), type = SLICE("."), rest = ev->tags;
	struct ev_tag tag;
	bool fresh, ok;
	size_t row;

	if (is_row_type(t, SLICE("type")))
		type = tag_or_nothing(ev, SLICE("type"));
	if (!name_row(t, ev, start, type))
		return TAB_NONE;
	row = tab_add(&b->rows, buf_slice(&t->key), &fresh);
	if (row == TAB_NONE || !fresh)
		return row;
	ok = set(t, &b->keys, row, SLICE("run"), row_column(t, ev, EV_RUN)) &&
	    set(t, &b->keys, row, SLICE("region"), row_column(t, ev, EV_REGION)) &&
	    set(t, &b->keys, row, SLICE("start"), t->wide.len != 0 ? SLICE(".") : start);
	while (ok && ev_next_tag(&rest, &tag))
		if (is_row_key(t, ev, tag.key))
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

	b->overlaps = b->overlaps || ev_is_of_whole(ev);
	if (ev_tag(ev, SLICE("total"), &total)) {
		b->overlaps = true;
		if (is_base(stat) && !set(t, &b->totals, row, stat, total))
			return false;
	}
	return set(t, &b->stats, row, stat, ev->col[EV_VALUE]);
}

/* Returns true for statistics whose lines say how they were found, unless that is the usual way. */
static bool
is_percentile(struct slice stat)
{
	return slice_eq(stat, SLICE("median")) || slice_eq(stat, SLICE("iqr")) ||
	    (stat.len > 1 && stat.p[0] == 'p' && stat.p[1] >= '0' && stat.p[1] <= '9');
}

/* Finds out whether the percentiles of a table were found in different ways. */
static bool
see_method(struct table *t, struct block *b, const struct ev *ev)
{
	struct slice method = tag_or_nothing(ev, SLICE("percentile"));
	size_t i;

	if (!is_percentile(tag_or_nothing(ev, SLICE("stat"))) || slice_eq(method, b->method))
		return true;
	if (b->method.len != 0) {
		t->methods_differ = true;
		return true;
	}
	i = tab_add(&t->text, method, NULL);
	if (i == TAB_NONE)
		return false;
	b->method = t->text.item[i];
	return true;
}

static int
take_aggregate(struct table *t, const struct ev *ev, struct err *e)
{
	struct slice stat = tag_or_nothing(ev, SLICE("stat"));
	struct block *b;
	uint32_t *cell;
	size_t row;

	if (stat.len == 0 || slice_is_nothing(stat))
		return err_line(e, ev->number, "agg line without stat=");
	b = block_of(t, ev);
	stat = name_stat(t, ev, stat);
	if (b == NULL || stat.len == 0)
		return err_nomem(e);
	if (is_too_wide(t, b, ev, stat))
		return err_line(e, ev->number,
		    "the table would have more than %zu columns: the line is left out", t->columns);
	row = row_of(t, b, ev);
	if (row == TAB_NONE || !forms_see(&t->forms, ev, b->windows) || !see_method(t, b, ev))
		return err_nomem(e);
	cell = grid_cell(&b->stats, row, stat);
	if (cell == NULL)
		return err_nomem(e);
	if (*cell != 0 && slice_eq(grid_text(t, &b->stats, *cell), ev->col[EV_VALUE])) {
		t->counts.repeated++;
		return 0;
	}
	if (*cell != 0)
		return err_line(e, ev->number,
		    "the group already has another value of this statistic");
	return take_value(t, b, ev, row, stat) ? 0 : err_nomem(e);
}

/* What an interval says about a change; the order is that of the words in verdict(). */
enum side { SIDE_UNKNOWN, SIDE_EITHER, SIDE_MORE, SIDE_LESS, SIDE_SAME };

struct ends {
	struct slice lo, hi;
	double from, to;
	enum side side;
};

/* Returns the interval in these two tags.  Its side is unknown if it is not there. */
static struct ends
ends_of(const struct ev *ev, struct slice lo, struct slice hi)
{
	struct ends x = { .side = SIDE_UNKNOWN };

	if (!ev_tag(ev, lo, &x.lo) || !ev_tag(ev, hi, &x.hi) || !num_get_double(x.lo, &x.from) ||
	    !num_get_double(x.hi, &x.to))
		return x;
	x.side = x.from > 0            ? SIDE_MORE
	    : x.to < 0                 ? SIDE_LESS
	    : x.from == 0 && x.to == 0 ? SIDE_SAME
				       : SIDE_EITHER;
	return x;
}

/* Writes the interval of a change, or "." if there is none.  Returns its length. */
static size_t
put_relative(char *dst, const struct ends *x)
{
	size_t n;

	if (x->side == SIDE_UNKNOWN) {
		dst[0] = '.';
		return 1;
	}
	n = figure_percent_sided(dst, x->from);
	memcpy(dst + n, "..", 2);
	return n + 2 + figure_percent_sided(dst + n + 2, x->to);
}

/* Does the same with the interval of a difference. */
static size_t
put_absolute(char *dst, const struct ends *x)
{
	if (x->side == SIDE_UNKNOWN || x->lo.len + x->hi.len > FIGURE_MAX) {
		dst[0] = '.';
		return 1;
	}
	memcpy(dst, x->lo.p, x->lo.len);
	memcpy(dst + x->lo.len, "..", 2);
	memcpy(dst + x->lo.len + 2, x->hi.p, x->hi.len);
	return x->lo.len + 2 + x->hi.len;
}

/*
 * What the interval of the difference says about a change: "." without one; ! if the change is
 * beyond a limit.
 */
static struct slice
verdict(struct table *t, const struct ev *ev, enum side side)
{
	static const struct slice words[][2] = {
		[SIDE_UNKNOWN] = { SLICE_INIT("."), SLICE_INIT("!") },
		[SIDE_EITHER] = { SLICE_INIT("unclear"), SLICE_INIT("! unclear") },
		[SIDE_MORE] = { SLICE_INIT("more"), SLICE_INIT("! more") },
		[SIDE_LESS] = { SLICE_INIT("less"), SLICE_INIT("! less") },
		[SIDE_SAME] = { SLICE_INIT("same"), SLICE_INIT("! same") },
	};
	struct slice beyond;

	if (side == SIDE_UNKNOWN)
		t->counts.open += !slice_is_nothing(ev->col[EV_VALUE]);
	return words[side][ev_tag(ev, SLICE("beyond"), &beyond)];
}

#define DIFFERENCE 2 /* its number among the columns of changes */

static int
fill_change(struct table *t, struct block *b, const struct ev *ev, size_t row, struct err *e)
{
	const struct slice name[] = { SLICE("before"), SLICE("after"), SLICE("difference"),
		table_interval_name(TABLE_OF_DIFFERENCE), SLICE("change"),
		table_interval_name(TABLE_OF_CHANGE), SLICE("verdict") };
	char absolute[FIGURE_MAX + 2], relative[2 * FIGURE_MAX + 2];
	const struct ends delta = ends_of(ev, SLICE("delta.lo"), SLICE("delta.hi")),
			  change = ends_of(ev, SLICE("change.lo"), SLICE("change.hi"));
	const struct slice value[] = { tag_or_nothing(ev, SLICE("before")),
		tag_or_nothing(ev, SLICE("after")), ev->col[EV_VALUE],
		{ absolute, put_absolute(absolute, &delta) }, tag_or_nothing(ev, SLICE("change")),
		{ relative, put_relative(relative, &change) }, verdict(t, ev, delta.side) };
	size_t i;
	bool ok = true;

	for (i = 0; ok && i < sizeof name / sizeof name[0]; i++)
		ok = set(t, &b->stats, row, name[i], value[i]);
	b->by_change |= change.side != SIDE_UNKNOWN;
	b->by_difference |= delta.side != SIDE_UNKNOWN && delta.side != change.side;
	return ok ? 0 : err_nomem(e);
}

static int
take_change(struct table *t, const struct ev *ev, struct err *e)
{
	struct slice stat = tag_or_nothing(ev, SLICE("stat"));
	struct block *b;
	size_t rows, row;

	if (t->wide.len != 0)
		return t->counts.changes > 1
		    ? 0
		    : err_line(e, ev->number, "--wide is for aggregates: changes are left out");
	if (stat.len == 0 || slice_is_nothing(stat))
		return err_line(e, ev->number, "diff line without stat=");
	b = block_of(t, ev);
	if (b == NULL)
		return err_nomem(e);
	if (is_too_wide(t, b, ev, SLICE("verdict")))
		return err_line(e, ev->number,
		    "the table would have more than %zu columns: the line is left out", t->columns);
	rows = b->rows.count;
	row = row_of(t, b, ev);
	if (row == TAB_NONE)
		return err_nomem(e);
	if (row == rows)
		return fill_change(t, b, ev, row, e);
	if (!slice_eq(grid_get(t, &b->stats, row, DIFFERENCE), ev->col[EV_VALUE]))
		return err_line(e, ev->number, "the group already has another change");
	t->counts.repeated++;
	return 0;
}

int
table_line(struct table *t, const struct ev *ev, struct err *e)
{
	struct slice kind = ev->col[EV_KIND];
	uint64_t n;

	if (slice_eq(kind, SLICE("agg"))) {
		t->counts.aggregates++;
		return take_aggregate(t, ev, e);
	}
	if (is_change(ev)) {
		t->counts.aggregates++;
		t->counts.changes++;
		return take_change(t, ev, e);
	}
	if (slice_eq(kind, SLICE("measure")))
		return units_declare(t->units, ev) ? 0 : err_nomem(e);
	if (slice_eq(kind, SLICE("sample")) || slice_eq(kind, SLICE("span")))
		t->counts.events++;
	else if (slice_eq(kind, SLICE("lost")))
		t->counts.lost += kinds_loss(ev, &n);
	else if (!slice_eq(kind, SLICE("run"))) {
		kinds_leave(&t->left, kind, 1);
		t->counts.starts += slice_eq(kind, SLICE("start")) || slice_eq(kind, SLICE("stop"));
	} else if (tab_add(&t->runs, ev->col[EV_RUN], NULL) == TAB_NONE)
		return err_nomem(e);
	return 0;
}

/* For each value of the key whose values are columns: the run of its results. */
struct owners {
	struct tab values;
	uint32_t *run; /* by number of the value: the cell of the run; 0 at first */
	bool is_one; /* no value has results of several runs */
};

/* Adds the results of a table.  Returns false if memory runs out. */
static bool
see_owners(struct owners *o, const struct table *t, const struct block *b)
{
	size_t run_key = tab_find(&b->keys.names, SLICE("run")), row, column, at;
	struct slice value;

	if (run_key == TAB_NONE)
		return true;
	for (column = 0; o->is_one && column < b->stats.names.count; column++) {
		(void)table_stat(t, b->stats.names.item[column], &value);
		at = tab_add(&o->values, value, NULL);
		if (at == TAB_NONE)
			return false;
		for (row = 0; row < b->stats.rows; row++) {
			uint32_t run = b->keys.cell[row * b->keys.stride + run_key];

			if (b->stats.cell[row * b->stats.stride + column] == 0)
				continue;
			o->is_one = o->is_one && (o->run[at] == 0 || o->run[at] == run);
			o->run[at] = run;
		}
	}
	return true;
}

/*
 * Sets *is if all results of each value are of one run, in all tables: the run of a result is then
 * known without it.  In a single table it may only happen to be so.  Returns false if memory runs
 * out.
 */
static bool
has_run_by_value(const struct table *t, bool *is)
{
	struct owners o = { .is_one = true };
	size_t i, columns = 0;
	bool ok;

	for (i = 0; i < t->blocks.count; i++)
		columns += t->block[i].stats.names.count;
	o.run = mem_zero(columns + 1, sizeof *o.run);
	ok = o.run != NULL;
	for (i = 0; ok && i < t->blocks.count; i++)
		ok = see_owners(&o, t, &t->block[i]);
	*is = o.is_one;
	tab_free(&o.values);
	mem_free(o.run);
	return ok;
}

/* Returns whether the rows are of several runs. */
static bool
has_runs(const struct block *b, size_t run_key)
{
	size_t row;

	for (row = 1; row < b->keys.rows; row++)
		if (b->keys.cell[row * b->keys.stride + run_key] != b->keys.cell[run_key])
			return true;
	return false;
}

size_t
table_pooled_rows(const struct block *b)
{
	size_t row, n = 0;

	for (row = 0; row < b->rows.count; row++)
		n += slice_begins(b->rows.item[row], SLICE(".\t"));
	return n;
}

/* Returns whether two rows have results in the same column, so that they cannot be one. */
static bool
are_in_the_way(const struct grid *g, size_t a, size_t b)
{
	size_t i;

	for (i = 0; a != b && i < g->names.count; i++)
		if (g->cell[a * g->stride + i] != 0 && g->cell[b * g->stride + i] != 0)
			return true;
	return false;
}

/* Moves row FROM to row TO, which is not after it, and has no cells or others than FROM. */
static void
move_row(struct grid *g, size_t from, size_t to)
{
	size_t i;

	if (from >= g->rows || from == to)
		return;
	for (i = 0; i < g->stride; i++) {
		uint32_t *cell = &g->cell[from * g->stride + i];

		if (*cell != 0)
			g->cell[to * g->stride + i] = *cell;
		*cell = 0;
	}
}

/*
 * Finds the place for a row among those that are joined so far: without its run, unless that one
 * has been taken by results that are in the way.  Returns TAB_NONE if memory runs out.
 */
static size_t
place_without_run(struct table *t, const struct block *b, struct tab *rows, size_t row)
{
	struct slice name = b->rows.item[row];
	size_t run = (size_t)((const char *)memchr(name.p, '\t', name.len) - name.p), of_all, to;

	t->key.len = 0;
	if (!buf_putc(&t->key, '.') || !buf_put(&t->key, name.p + run, name.len - run))
		return TAB_NONE;
	/* a row without a run that is still to come has no other name */
	of_all = tab_find(&b->rows, buf_slice(&t->key));
	if (of_all != TAB_NONE && of_all > row && are_in_the_way(&b->stats, row, of_all))
		return tab_add(rows, name, NULL);
	to = tab_add(rows, buf_slice(&t->key), NULL);
	return to != TAB_NONE && are_in_the_way(&b->stats, row, to) ? tab_add(rows, name, NULL)
								    : to;
}

/* Joins rows that have the same name without the run. */
static bool
join_rows(struct table *t, struct block *b, size_t run_key)
{
	struct tab rows = { 0 };
	size_t row, to;
	bool ok = true;

	for (row = 0; ok && row < b->rows.count; row++) {
		to = place_without_run(t, b, &rows, row);
		ok = to != TAB_NONE;
		if (!ok)
			continue;
		move_row(&b->keys, row, to);
		move_row(&b->stats, row, to);
		move_row(&b->totals, row, to);
		if (rows.item[to].p[0] == '.')
			b->keys.cell[to * b->keys.stride + run_key] = 0;
	}
	b->keys.rows = b->stats.rows = rows.count;
	b->totals.rows = b->totals.rows < rows.count ? b->totals.rows : rows.count;
	tab_free(&b->rows);
	b->rows = rows;
	return ok;
}

int
table_join_runs(struct table *t, struct err *e)
{
	bool by_value;
	size_t i;

	if (t->wide.len == 0)
		return 0;
	if (!has_run_by_value(t, &by_value))
		return err_nomem(e);
	for (i = 0; i < t->blocks.count; i++) {
		struct block *b = &t->block[i];
		size_t run_key = tab_find(&b->keys.names, SLICE("run"));

		/* if some rows have no run, it is no key: the others only happen to be of one */
		if (run_key != TAB_NONE && has_runs(b, run_key) &&
		    (by_value || table_pooled_rows(b) != 0) && !join_rows(t, b, run_key))
			return err_nomem(e);
	}
	return 0;
}

bool
table_windows_differ(const struct table *t)
{
	size_t i;

	for (i = 1; i < t->blocks.count; i++)
		if (!slice_eq(t->block[i].windows, t->block[0].windows))
			return true;
	return false;
}

struct slice
table_unit(struct table *t, const struct block *b)
{
	struct slice unit = b->unit;

	if (slice_is_nothing(unit) && b->unsaid) {
		unit = units_common(t->units, b->measure);
		if (!block_key(t,
			(const struct slice[]){ b->measure, unit, b->of, b->windows, b->stat,
			    b->normalised }) ||
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

	if (!slice_is_nothing(b->unit) || !b->unsaid || !units_any(t->units, b->measure) ||
	    table_unit(t, b).len != 0)
		return false;
	for (i = 0; i < b->rows.count; i++)
		if (!slice_is_nothing(
			units_said(t->units, grid_get(t, &b->keys, i, run), b->measure)))
			return true;
	return false;
}

/* Returns true if the place is that one, and goes on to the next. */
static bool
passes(size_t *at, size_t place)
{
	if (*at != place)
		return false;
	++*at;
	return true;
}

/* Returns true if there is something to say of events. */
static bool
report_events(const struct table_counts *n, struct err *e)
{
	if (n->aggregates != 0 && n->events != 0)
		(void)snprintf(e->msg, sizeof e->msg,
		    "left out sample or span lines, which are not aggregates: %" PRIu64, n->events);
	else if (n->events != 0)
		err_data(e,
		    "%" PRIu64 " sample or span lines and no aggregates: pipe the stream through "
		    "afagg first",
		    n->events);
	else if (n->aggregates == 0 && n->starts != 0)
		err_data(e,
		    "%" PRIu64 " start and stop lines and no aggregates: pipe the stream through "
		    "afdur and afagg first",
		    n->starts);
	else
		return false;
	return true;
}

bool
table_report(struct table *t, size_t *at, struct err *e)
{
	const struct table_counts *n = &t->counts;
	struct slice measure;

	*e = (struct err){ .code = ERR_NONE };
	if (passes(at, 0) && report_events(n, e))
		return true;
	while (*at <= t->blocks.count) {
		const struct block *b = &t->block[(*at)++ - 1];

		measure = b->measure;
		if (b->rows.count <= 1 || !is_late(t, b))
			continue;
		err_data(e, "measure lines after the aggregates give different units of %.*s",
		    slice_shown(measure, 100), measure.p);
		return true;
	}
	if (passes(at, t->blocks.count + 1) && t->wide.len != 0 && n->aggregates != 0 &&
	    n->wide == 0) {
		(void)refuse_key(t, "wide", t->wide, e);
		return true;
	}
	if (passes(at, t->blocks.count + 2) && n->repeated != 0) {
		(void)snprintf(e->msg, sizeof e->msg,
		    "%" PRIu64 " lines repeat others: each group is shown once", n->repeated);
		return true;
	}
	if (passes(at, t->blocks.count + 3) && t->forms.differ) {
		(void)snprintf(e->msg, sizeof e->msg, FORMS_NOTE);
		return true;
	}
	if (passes(at, t->blocks.count + 4) && t->methods_differ) {
		(void)snprintf(e->msg, sizeof e->msg,
		    "percentiles in one table were found in different ways, so they cannot be "
		    "compared exactly: aggregate with the same --percentile and --sketch");
		return true;
	}
	return passes(at, t->blocks.count + 5) &&
	    kinds_left_note(&t->left, "other kinds", e->msg, sizeof e->msg);
}
