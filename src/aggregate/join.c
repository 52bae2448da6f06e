/* SPDX-License-Identifier: ISC */
/* join.c - adds one aggregation to another in memory, without the text of partial results. */
#include <string.h>

#include "lib/mem.h"
#include "src/aggregate/aggint.h"
#include "src/aggregate/result.h"

/* Groups that are joined may take one part in so many of the memory that is left. */
#define JOIN_PART 4

static bool
map_texts(struct memo *to, const struct tab *from, uint32_t **map)
{
	size_t i;

	*map = mem_alloc((from->count + 1) * sizeof **map);
	for (i = 0; *map != NULL && i < from->count; i++)
		if (((*map)[i] = aggregate_number(to, from->item[i])) == MIXED)
			return false;
	return *map != NULL;
}

static bool
map_measures(struct aggregate *a, const struct aggregate *from, uint32_t **map)
{
	size_t i;

	*map = mem_alloc((from->measures.count + 1) * sizeof **map);
	for (i = 0; *map != NULL && i < from->measures.count; i++) {
		uint32_t number = measures_add(a, from->measures.item[i], from->said[i]);

		if (number == MIXED)
			return false;
		(*map)[i] = number;
	}
	return *map != NULL;
}

/* Returns the number that it has here; numbers that stand for something else stay. */
static uint32_t
mapped(const uint32_t *map, uint32_t number)
{
	return number < BROKEN ? map[number] : number;
}

/* Joins a cell with one of another aggregation, which then has no state. */
static bool
add_cell(const struct aggregate *a, const struct cells *to, size_t number, const struct cells *from,
    size_t i, uint32_t run, uint32_t mid)
{
	struct state dst = cells_state(to, number), src = cells_state(from, i);
	struct group *g = &to->group[number], *other = &from->group[i];
	bool ok = true;

	if (other->run == UNSEEN)
		return true;
	aggregate_see(g, run, mid, other->start, other->end, other->total.n != 0);
	if (from->counted != NULL)
		cells_count(to, number, from->counted[i]);
	if (g->total.n != 0) {
		ok = state_join(&a->stats.keep, &dst, &src);
		state_release(&src);
	} else {
		state_release(&dst);
		*dst.t = *src.t;
		if (dst.s != NULL)
			*dst.s = *src.s;
		if (dst.d != NULL)
			*dst.d = *src.d;
	}
	other->total = (struct accumulator){ .n = 0 };
	if (src.d != NULL)
		memset(src.d, 0, sizeof *src.d);
	return ok;
}

int
join_cell(const struct aggregate *a, const struct cells *to, size_t number,
    const struct cells *from, size_t i, struct err *e)
{
	const struct group *g = &from->group[i];

	return add_cell(a, to, number, from, i, g->run, g->mid) ? 0 : err_nomem(e);
}

/* Does the same with a cell whose numbers are others. */
static bool
map_cell(const struct aggregate *a, const struct cells *to, size_t number, const struct cells *from,
    size_t i, const struct mapping *m)
{
	const struct group *g = &from->group[i];

	return add_cell(a, to, number, from, i, mapped(m->run, g->run), mapped(m->mid, g->mid));
}

/* Finds a group of another aggregation here, or adds it.  Returns MIXED if memory runs out. */
static size_t
find_group(struct aggregate *a, const struct aggregate *from, size_t i, const struct mapping *m)
{
	uint32_t measure;
	struct slice text = results_keys(from, i, &measure);
	size_t number;

	measure = m->measure[measure];
	a->text.len = 0;
	if (!buf_put(&a->text, text.p, text.len) ||
	    (measure != 0 &&
		(!buf_putc(&a->text, '\t') ||
		    !buf_put(&a->text, (const char *)&measure, GROUP_MEASURE))))
		return MIXED;
	number = tab_add(&a->groups, buf_slice(&a->text), NULL);
	if (number == TAB_NONE || (number >= a->cells.cap && !aggregate_room(a, &a->cells, number)))
		return MIXED;
	return number;
}

/* Tells which groups come next, as aggregate_expect does.  Most have the same identity here. */
static void
expect_groups(const struct aggregate *a, const struct aggregate *from, size_t i, size_t n)
{
	uint32_t hash[AGGREGATE_AHEAD];
	size_t k, number;

	if (a->groups.count == 0)
		return;
	for (k = 0; k < n; k++) {
		hash[k] = tab_soon(&a->groups, from->groups.item[i + k]);
		cells_soon(&from->cells, i + k);
	}
	for (k = 0; k < n; k++) {
		number = tab_sooner(&a->groups, hash[k]);
		if (number != TAB_NONE)
			cells_soon(&a->cells, number);
	}
}

static bool
is_identity(const uint32_t *map, size_t n)
{
	size_t i;

	for (i = 0; i < n && map[i] == i; i++)
		;
	return i == n;
}

static bool
map_to_itself(uint32_t **map, size_t n)
{
	size_t i;

	mem_free(*map);
	*map = mem_alloc((n + 1) * sizeof **map);
	for (i = 0; *map != NULL && i < n; i++)
		(*map)[i] = (uint32_t)i;
	return *map != NULL;
}

/*
 * Exchanges the groups of both if that leaves fewer to join: those that the other one has then are
 * from here.  It needs the same numbers in both.  Returns false if memory runs out.
 */
static bool
exchange_groups(struct aggregate *a, struct aggregate *from, struct mapping *m)
{
	struct tab groups = a->groups;
	struct cells cells = a->cells;

	if (from->groups.count <= groups.count || !is_identity(m->run, from->runs.tab.count) ||
	    !is_identity(m->mid, from->mids.tab.count) ||
	    !is_identity(m->measure, from->measures.count) ||
	    from->measures.count != a->measures.count)
		return true;
	a->groups = from->groups;
	a->cells = from->cells;
	from->groups = groups;
	from->cells = cells;
	if (a->stamp < from->stamp) /* none of the groups has the stamp of a line to come */
		a->stamp = from->stamp;
	return map_to_itself(&m->run, a->runs.tab.count) &&
	    map_to_itself(&m->mid, a->mids.tab.count) &&
	    map_to_itself(&m->measure, a->measures.count);
}

/* Joins the groups, some of which are moved to disk if all take more than MOST bytes. */
static int
join_groups(struct aggregate *a, struct aggregate *from, const struct mapping *m, uint64_t most,
    struct err *e)
{
	size_t i, number, left;

	for (i = 0; i < from->groups.count; i++) {
		left = from->groups.count - i;
		if (i % AGGREGATE_AHEAD == 0)
			expect_groups(a, from, i, left < AGGREGATE_AHEAD ? left : AGGREGATE_AHEAD);
		number = find_group(a, from, i, m);
		if (number == MIXED || !map_cell(a, &a->cells, number, &from->cells, i, m))
			return err_nomem(e);
		if (mem_used() > most && spill_is_due(a) && spill_groups(a, e) != 0)
			return (int)e->code;
	}
	return 0;
}

/* Joins the totals of measures and the extents of runs. */
static bool
join_whole(struct aggregate *a, struct aggregate *from, const struct mapping *m)
{
	size_t i;

	for (i = 0; i < from->measures.count && i < from->totals.cap; i++) {
		if (from->totals.group[i].run == UNSEEN)
			continue;
		if (m->measure[i] >= a->totals.cap && !aggregate_room(a, &a->totals, m->measure[i]))
			return false;
		if (!map_cell(a, &a->totals, m->measure[i], &from->totals, i, m))
			return false;
	}
	for (i = 0; i < from->runs.tab.count && i < from->extents.cap; i++) {
		const struct group *g = &from->extents.group[i];

		if (wide_cmp(g->start, g->end) > 0)
			continue;
		if (m->run[i] >= a->extents.cap && !aggregate_room(a, &a->extents, m->run[i]))
			return false;
		aggregate_see(&a->extents.group[m->run[i]], m->run[i], 0, g->start, g->end, true);
	}
	return true;
}

/* Joins all but the groups, and finds the numbers of what these refer to. */
static bool
join_rest(struct aggregate *a, struct aggregate *from, struct mapping *m)
{
	a->taken += from->taken;
	a->overlaps |= from->overlaps;
	a->skipped += from->skipped;
	a->pooled += from->pooled;
	a->again = num_plus(a->again, from->again);
	a->reaching.intervals += from->reaching.intervals;
	a->reaching.back += from->reaching.back;
	a->reaching.longer += from->reaching.longer;
	a->reaching.samples += from->reaching.samples;
	a->by.stackless += from->by.stackless;
	a->by.left_out += from->by.left_out;
	a->kinds_seen |= from->kinds_seen;
	a->deducted |= from->deducted;
	absent_join(&a->watch, &from->watch);
	return nesting_join(&a->nesting, &from->nesting) &&
	    namesakes_join(&a->namesakes, &from->namesakes) &&
	    map_texts(&a->runs, &from->runs.tab, &m->run) &&
	    map_texts(&a->mids, &from->mids.tab, &m->mid) && map_measures(a, from, &m->measure) &&
	    join_whole(a, from, m);
}

static void
free_mapping(const struct mapping *m)
{
	mem_free(m->run);
	mem_free(m->mid);
	mem_free(m->measure);
}

int
join_all(struct aggregate *a, struct aggregate *from, struct err *e)
{
	uint64_t used = mem_used(), room = used < mem_ceiling() ? mem_ceiling() - used : 0;
	struct mapping m = { NULL, NULL, NULL };
	int rc = join_rest(a, from, &m) && exchange_groups(a, from, &m) ? 0 : err_nomem(e);

	if (rc == 0)
		rc = join_groups(a, from, &m, used + room / JOIN_PART, e);
	free_mapping(&m);
	return rc;
}

int
join_apart(struct aggregate *a, struct aggregate *from, struct err *e)
{
	struct share *s = &a->share[a->shares++];

	*s = (struct share){ .a = from };
	from->finished = true;
	return join_rest(a, from, &s->map) ? 0 : err_nomem(e);
}

void
join_free_shares(struct aggregate *a)
{
	size_t i;

	for (i = 0; i < a->shares; i++) {
		free_mapping(&a->share[i].map);
		aggregate_free(a->share[i].a);
	}
	mem_free(a->share);
	a->share = NULL;
	a->shares = 0;
}

void
join_renumber(struct aggregate *a, const struct mapping *m)
{
	size_t i;

	if (is_identity(m->run, a->runs.tab.count) && is_identity(m->mid, a->mids.tab.count))
		return;
	for (i = 0; i < a->groups.count && i < a->cells.cap; i++) {
		struct group *g = &a->cells.group[i];

		g->run = mapped(m->run, g->run);
		g->mid = mapped(m->mid, g->mid);
	}
}
