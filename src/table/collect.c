/* SPDX-License-Identifier: ISC */
/* collect.c - collects aggregates in a table for each measure. */
#include "src/table/tableint.h"

#include <inttypes.h>
#include <stdio.h>

#include "lib/kinds.h"
#include "lib/mem.h"
#include "lib/vec.h"

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
	tab_free(&t->blocks);
	units_free(&t->own_units);
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

bool
table_has_key(const struct table *t, struct slice name)
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
table_has(const struct table *t, struct slice name)
{
	size_t i;

	for (i = 0; i < t->blocks.count; i++)
		if (table_column(t, &t->block[i], name) != TAB_NONE)
			return true;
	return table_has_key(t, name);
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
is_not_key(struct slice key)
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
	struct slice measure = ev->col[EV_MEASURE], unit = units_of(t->units, ev),
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
		columns += (!is_not_key(tag.key) || slice_eq(tag.key, SLICE("type"))) &&
		    is_new(&b->keys, tag.key);
	return columns > t->columns;
}

static bool
is_wide(const struct table *t, struct slice key)
{
	return t->wide.len != 0 && slice_eq(t->wide, key);
}

/* Returns whether the tag is a key of the row. */
static bool
is_row_key(const struct table *t, struct slice key)
{
	return !is_not_key(key) && !is_wide(t, key);
}

static struct slice
row_column(const struct table *t, const struct ev *ev, enum ev_column which)
{
	return is_wide(t, ev_column_name(which)) ? SLICE(".") : ev->col[which];
}

/* Returns the name of the line's column of stats, or an empty text if memory runs out. */
static struct slice
name_stat(struct table *t, const struct ev *ev, struct slice stat)
{
	struct slice value;

	if (t->wide.len == 0)
		return stat;
	value = ev_get(ev, t->wide);
	if (!slice_is_nothing(value))
		t->counts.wide++;
	t->head.len = 0;
	return buf_put(&t->head, value.p, value.len) && buf_putc(&t->head, ' ') &&
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
		if (is_row_key(t, tag.key))
			ok = buf_putc(&t->key, '\t') && buf_put(&t->key, tag.key.p, tag.key.len) &&
			    buf_putc(&t->key, '=') && buf_put(&t->key, tag.value.p, tag.value.len);
	ok = ok && buf_putc(&t->key, '\n') && buf_put(&t->key, type.p, type.len);
	if (t->wide.len != 0)
		return ok; /* the times of its columns differ */
	return ok && buf_putc(&t->key, '\n') && buf_put(&t->key, start.p, start.len) &&
	    buf_put(&t->key, time.p, time.len);
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
	ok = set(t, &b->keys, row, SLICE("run"), row_column(t, ev, EV_RUN)) &&
	    set(t, &b->keys, row, SLICE("region"), row_column(t, ev, EV_REGION)) &&
	    set(t, &b->keys, row, SLICE("start"), t->wide.len != 0 ? SLICE(".") : start);
	while (ok && ev_next_tag(&rest, &tag))
		if (is_row_key(t, tag.key))
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
	stat = name_stat(t, ev, stat);
	if (b == NULL || stat.len == 0)
		return err_nomem(e);
	if (is_too_wide(t, b, ev, stat))
		return err_line(e, ev->number,
		    "the table would have more than %zu columns: the line is left out", t->columns);
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
		return units_declare(t->units, ev) ? 0 : err_nomem(e);
	if (slice_eq(kind, SLICE("sample")) || slice_eq(kind, SLICE("span")))
		t->counts.events++;
	else if (slice_eq(kind, SLICE("lost")))
		t->counts.lost++;
	else if (!slice_eq(kind, SLICE("run")) && !kind_is_silent(kind))
		t->counts.others++;
	return 0;
}

struct slice
table_unit(struct table *t, const struct block *b)
{
	struct slice unit = b->unit;

	if (slice_is_nothing(unit) && b->unsaid) {
		unit = units_common(t->units, b->measure);
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

	if (!slice_is_nothing(b->unit) || !b->unsaid || !units_any(t->units, b->measure) ||
	    table_unit(t, b).len != 0)
		return false;
	for (i = 0; i < b->rows.count; i++)
		if (!slice_is_nothing(
			units_said(t->units, grid_get(t, &b->keys, i, run), b->measure)))
			return true;
	return false;
}

bool
table_report(struct table *t, size_t *at, struct err *e)
{
	const struct table_counts *n = &t->counts;
	struct slice measure;

	*e = (struct err){ .code = ERR_NONE };
	if (*at == 0 && ++*at != 0 && n->events != 0) {
		if (n->aggregates == 0)
			err_data(e,
			    "%" PRIu64 " sample or span lines and no aggregates: pipe the stream "
			    "through afagg first",
			    n->events);
		else
			(void)snprintf(e->msg, sizeof e->msg,
			    "left out sample or span lines, which are not aggregates: %" PRIu64,
			    n->events);
		return true;
	}
	while (*at <= t->blocks.count) {
		const struct block *b = &t->block[(*at)++ - 1];

		measure = b->measure;
		if (b->rows.count <= 1 || !is_late(t, b))
			continue;
		err_data(e, "measure lines after the aggregates give different units of %.*s",
		    slice_shown(measure, 100), measure.p);
		return true;
	}
	if (*at == t->blocks.count + 1 && ++*at != 0 && t->wide.len != 0 && n->aggregates != 0 &&
	    n->wide == 0) {
		err_data(e, "--wide: no group has this key: %.*s", slice_shown(t->wide, 100),
		    t->wide.p);
		return true;
	}
	if (*at == t->blocks.count + 2 && ++*at != 0 && n->repeated != 0) {
		(void)snprintf(e->msg, sizeof e->msg,
		    "%" PRIu64 " lines repeat others: each group is shown once", n->repeated);
		return true;
	}
	if (*at == t->blocks.count + 3 && ++*at != 0 && n->others != 0) {
		(void)snprintf(e->msg, sizeof e->msg, "left out lines of other kinds: %" PRIu64,
		    n->others);
		return true;
	}
	return false;
}
