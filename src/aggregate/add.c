/* SPDX-License-Identifier: ISC */
/* add.c - the settings, the groups, and the lines that are added to them. */
#include "src/aggregate/aggregate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/esc.h"
#include "lib/hint.h"
#include "lib/keys.h"
#include "lib/kinds.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/short.h"
#include "lib/vec.h"
#include "src/aggregate/aggint.h"

#define SHOWN_MAX 100 /* bytes of a word shown in a message */
#define MANY_GROUPS 4096 /* so many that the caches may not have them */
#define CHECK_MEMORY 16 /* lines */
#define GROUPS_FIRST ((size_t)64)

struct aggregate *
aggregate_new(void)
{
	struct aggregate *a = mem_zero(1, sizeof *a);

	if (a == NULL)
		return NULL;
	a->last_fate = AGGREGATE_DROP;
	a->last_run = MIXED;
	a->windows_key = GROUPING_NONE;
	a->epoch = 1;
	return a;
}

void
aggregate_free_cells(struct cells *c, size_t n)
{
	size_t i;

	for (i = 0; i < n && i < c->cap; i++) {
		struct state st = cells_state(c, i);

		state_release(&st);
	}
	mem_array_free(c->group);
	mem_array_free(c->spread);
	mem_array_free(c->detail);
	mem_array_free(c->counted);
	mem_array_free(c->stamp);
	*c = (struct cells){ 0 };
}

void
aggregate_free_groups(struct aggregate *a)
{
	aggregate_free_cells(&a->cells, a->groups.count);
	tab_free(&a->groups);
}

void
aggregate_free(struct aggregate *a)
{
	if (a == NULL)
		return;
	join_free_shares(a);
	aggregate_free_groups(a);
	spill_close(a);
	aggregate_free_cells(&a->totals, a->totals.cap);
	aggregate_free_cells(&a->extents, a->extents.cap);
	tab_free(&a->kinds);
	tab_free(&a->names);
	tab_free(&a->runs.tab);
	tab_free(&a->mids.tab);
	tab_free(&a->raw);
	tab_free(&a->measures);
	units_free(&a->units);
	grouping_free(&a->by);
	keys_free(&a->on_skipped);
	nesting_free(&a->nesting);
	namesakes_free(&a->namesakes);
	mem_free(a->said);
	buf_free(&a->text);
	buf_free(&a->unit_text);
	buf_free(&a->frame);
	buf_free(&a->of_text);
	absent_free(&a->watch);
	mem_free(a);
}

/* Settings. */

static int
set_kinds(struct aggregate *a, const char *list, struct err *e)
{
	struct slice kind;

	while (list != NULL) {
		size_t n = strcspn(list, ",");

		if (grouping_intern(&a->kinds, (struct slice){ list, n }, ESC_COLUMN, &kind, e) !=
		    0)
			return (int)e->code;
		if (slice_eq(kind, SLICE("part")))
			return err_data(e, "partial results are always taken");
		/* those of all statistics of a measure would be added up, with its unit */
		if (slice_eq(kind, SLICE("diff")))
			return err_data(e, "changes cannot be aggregated (aftab shows them)");
		list = list[n] == ',' ? list + n + 1 : NULL;
	}
	return 0;
}

/* Stores the name of a tag, which lines must have. */
static int
set_tag(struct aggregate *a, const char *name, struct slice *out, struct err *e)
{
	struct tab *names = &a->names;

	if (name[0] == '\0')
		return err_data(e, "the name of a tag is empty");
	if (grouping_intern(names, slice_of(name), ESC_KEY, out, e) != 0 && e->code == ERR_SYS)
		return ERR_SYS;
	if (ev_column_named(*out) != EV_COLUMNS)
		return err_data(e, "%s is a column, not a tag", name);
	return 0;
}

static int
set_zeros(struct aggregate *a, const char *list, struct err *e)
{
	struct slice key;

	for (a->nzeros = 0; list != NULL; a->nzeros++) {
		size_t n = strcspn(list, ","), name = n - (n > 1 && list[n - 1] == '?');

		if (a->nzeros == GROUPING_KEYS_MAX)
			return err_data(e, "more than %d keys", GROUPING_KEYS_MAX);
		if (n == 0)
			return err_data(e, "the name of a key is empty");
		if (grouping_intern(&a->names, (struct slice){ list, name }, ESC_KEY, &key, e) !=
			0 &&
		    e->code == ERR_SYS)
			return ERR_SYS;
		a->zeros_key[a->nzeros] = key;
		list = list[n] == ',' ? list + n + 1 : NULL;
	}
	return 0;
}

int
aggregate_set(struct aggregate *a, enum aggregate_option option, const char *argument,
    struct err *e)
{
	a->option[option] = argument;
	switch (option) {
	case AGGREGATE_BY: return grouping_set_keys(&a->by, argument, e);
	case AGGREGATE_STAT: return stats_set_list(&a->stats, argument, e);
	case AGGREGATE_KIND: return set_kinds(a, argument, e);
	case AGGREGATE_WINDOW: return grouping_set_window(&a->by, argument, e);
	case AGGREGATE_FROM: return grouping_set_from(&a->by, argument, e);
	case AGGREGATE_OF: return set_tag(a, argument, &a->of, e);
	case AGGREGATE_WEIGHT:
		stats_set_weighted(&a->stats);
		return set_tag(a, argument, &a->weight_tag, e);
	case AGGREGATE_PERCENTILE: return stats_set_percentile(&a->stats, argument, e);
	case AGGREGATE_SKETCH: return stats_set_sketch(&a->stats, argument, e);
	case AGGREGATE_BINS: return stats_set_bins(&a->stats, argument, e);
	case AGGREGATE_ZEROS: return set_zeros(a, argument, e);
	case AGGREGATE_OPTIONS: break;
	}
	return 0;
}

const char *
aggregate_word(enum aggregate_option option, size_t i)
{
	static const char *const by[] = { "kind", "time", "run", "region", "measure", "value",
		"frame", "leaf", "caller", "root", "comm", "pid", "tid", "cpu" };
	static const char *const how[] = { "nearest", "interpolate" };

	switch (option) {
	case AGGREGATE_BY:
	case AGGREGATE_ZEROS: return i < sizeof by / sizeof by[0] ? by[i] : NULL;
	case AGGREGATE_STAT: return stats_name(i);
	case AGGREGATE_PERCENTILE: return i < sizeof how / sizeof how[0] ? how[i] : NULL;
	default: return NULL;
	}
}

void
aggregate_set_partial(struct aggregate *a)
{
	a->partial = true;
}

void
aggregate_set_duration(struct aggregate *a, uint64_t ns)
{
	a->duration = ns;
}

static bool
takes_only_results(const struct aggregate *a)
{
	return a->kinds.count == 1 && slice_eq(a->kinds.item[0], SLICE("agg"));
}

/* Checks what --partial cannot be combined with. */
static int
check_partial(const struct aggregate *a, struct err *e)
{
	if (!a->partial)
		return 0;
	if (a->by.window.from_first)
		return err_data(e,
		    "--partial needs the same windows in all shards, so --window-from "
		    "cannot be \"first\"");
	if (tab_find(&a->kinds, SLICE("agg")) != TAB_NONE)
		return err_data(e, "--partial cannot be used with --kind agg");
	if (grouping_has(&a->by, SLICE("unit")))
		return err_data(e,
		    "--partial cannot be used with the key unit, since another shard may have the "
		    "measure line");
	return 0;
}

/* The lines of a histogram have the tags lo and hi. */
static int
check_bins(const struct aggregate *a, struct err *e)
{
	bool bins = false,
	     keys = grouping_has(&a->by, SLICE("lo")) || grouping_has(&a->by, SLICE("hi"));
	size_t i;

	for (i = 0; i < a->stats.n; i++)
		bins |= a->stats.wanted[i].stat == STAT_HIST;
	return bins && keys ? err_data(e, "lo and hi cannot be keys with hist") : 0;
}

/* Checks the keys of --zeros: some of the keys, and not all of them. */
static int
check_zeros_keys(const struct aggregate *a, struct err *e)
{
	static const char *const of_measure[] = { "measure", "type", "unit" };
	bool windows = a->by.window.size != 0, is_key[GROUPING_KEYS_MAX + 1] = { false };
	size_t i, k, n = 0, key;

	for (i = 0; i < a->nzeros; i++) {
		struct slice name = a->zeros_key[i];

		key = windows && slice_eq(name, SLICE("window")) ? GROUPING_KEYS_MAX
								 : grouping_find_key(&a->by, name);
		if (key == GROUPING_NONE)
			return err_data(e, "--zeros: %.*s is not a key of --by",
			    slice_shown(name, SHOWN_MAX), name.p);
		for (k = 0; k < sizeof of_measure / sizeof of_measure[0]; k++)
			if (slice_eq(name, slice_of(of_measure[k])))
				return err_data(e,
				    "--zeros: each measure has results of its own, so that no "
				    "other %s can have one",
				    of_measure[k]);
		n += !is_key[key];
		is_key[key] = true;
	}
	return n < a->by.nkeys + windows
	    ? 0
	    : err_data(e, "--zeros needs another key: results are missing only in a part of all");
}

/* Checks --zeros: without lines, only some statistics are 0. */
static int
check_zeros(const struct aggregate *a, bool joins, struct err *e)
{
	size_t i;

	if (a->nzeros == 0)
		return 0;
	for (i = 0; !joins && i < a->stats.n; i++) {
		struct slice name = a->stats.wanted[i].name;

		if (!stats_is_zero(a->stats.wanted[i].stat))
			return err_data(e,
			    "--zeros cannot be used with --stat %.*s: only count, sum and distinct "
			    "are 0 without lines",
			    slice_shown(name, SHOWN_MAX), name.p);
	}
	return check_zeros_keys(a, e);
}

/* Returns how many keys will be added to those of the user: see add_keys_of_results. */
static size_t
further_keys(const struct aggregate *a, bool joins)
{
	const struct grouping *by = &a->by;

	if (by->window.size != 0)
		return 1 + (size_t)joins;
	if (joins)
		return 1 + (size_t)grouping_has(by, SLICE("window"));
	return a->takes_aggs;
}

int
aggregate_ready(struct aggregate *a, struct err *e)
{
	bool joins;

	if (a->option[AGGREGATE_FROM] != NULL && a->by.window.size == 0)
		return err_data(e, "--window-from needs --window");
	if (a->kinds.count == 0 && set_kinds(a, "sample,span", e) != 0)
		return (int)e->code;
	joins = takes_only_results(a) && a->stats.n == 0;
	if (a->stats.n == 0 &&
	    stats_set_list(&a->stats, joins ? "sum,min,max" : "count,sum", e) != 0)
		return (int)e->code;
	if (a->by.window.size != 0 && grouping_has(&a->by, SLICE("window")))
		return err_data(e, "window is a key already, because of --window");
	if (check_partial(a, e) != 0 || check_bins(a, e) != 0 || check_zeros(a, joins, e) != 0)
		return (int)e->code;
	a->takes_aggs = tab_find(&a->kinds, SLICE("agg")) != TAB_NONE;
	a->takes_measures = tab_find(&a->kinds, SLICE("measure")) != TAB_NONE;
	a->takes_losses = tab_find(&a->kinds, SLICE("lost")) != TAB_NONE;
	if (a->by.nkeys + further_keys(a, joins) > GROUPING_KEYS_MAX)
		return err_data(e, "more than %d keys", GROUPING_KEYS_MAX);
	if (a->of.p != NULL && a->takes_aggs)
		return err_data(e, "--of cannot be used with --kind agg");
	if (a->weight_tag.p != NULL && joins)
		return err_data(e,
		    "--weight with --kind agg needs --stat, as results that are joined by the "
		    "rules of their statistics have no weights");
	return stats_ready(&a->stats, e);
}

void
aggregate_reads(const struct aggregate *a, ev_key_sink *sink, void *ctx)
{
	grouping_reads(&a->by, sink, ctx);
	if (a->of.p != NULL)
		sink(ctx, a->of);
	if (a->weight_tag.p != NULL)
		sink(ctx, a->weight_tag);
}

/* The first line. */

static int
begin_places(struct aggregate *a, struct err *e)
{
	struct grouping *by = &a->by;

	if (!(a->input == INPUT_PARTS ? grouping_ready_for_results(by)
		    : a->takes_aggs   ? grouping_ready_for_mixed(by)
				      : grouping_ready_for_events(by)) ||
	    (a->of.p != NULL && !keys_need(&by->wanted, a->of)) ||
	    (a->weight_tag.p != NULL && !keys_need(&by->wanted, a->weight_tag)) ||
	    !keys_want_all(&a->on_skipped, &by->wanted))
		return err_nomem(e);
	a->several = by->frame != GROUPING_NONE ||
	    (by->windowed != GROUPING_NONE && by->window.size != by->window.step);
	a->total_by_run = aggregate_wants_totals(a) && grouping_has(by, SLICE("run"));
	a->by_run = a->settles || a->total_by_run;
	a->identity[ID_MEASURE] = EV_MEASURE;
	a->identity[ID_TYPE] = grouping_place(by, SLICE("type"));
	a->identity[ID_UNIT] = grouping_place(by, SLICE("unit"));
	a->nidentity = ID_UNIT + 1;
	if (a->takes_aggs || a->quantity.p != NULL || a->by_run)
		a->identity[a->nidentity++] = a->takes_aggs ? grouping_place(by, SLICE("stat"))
		    : a->input == INPUT_PARTS               ? grouping_place(by, SLICE("of"))
							    : grouping_own_place(by);
	if (a->input == INPUT_PARTS)
		a->identity[a->nidentity++] = grouping_place(by, SLICE("part.unit"));
	a->mid = grouping_place(by, SLICE("mid"));
	a->start = grouping_place(by, SLICE("start"));
	a->scope = grouping_place(by, SLICE("scope"));
	a->event = grouping_place(by, SLICE("event"));
	a->value = a->of.p != NULL ? grouping_place(by, a->of) : EV_VALUE;
	if (a->weight_tag.p != NULL)
		a->weight = grouping_place(by, a->weight_tag);
	if (a->takes_aggs) {
		a->lines = grouping_place(by, SLICE("n"));
		a->whole = grouping_place(by, SLICE("total"));
		a->inner = grouping_place(by, SLICE("of"));
		a->method = grouping_place(by, SLICE("percentile"));
	}
	return 0;
}

/*
 * Returns whether results of 0 would change those of the aggregation: with weights they might count
 * nothing.
 */
static bool
wants_all_results(const struct aggregate *a)
{
	size_t i;

	if (!a->takes_aggs || a->input != INPUT_EVENTS || a->weight_tag.p != NULL)
		return false;
	for (i = 0; i < a->stats.n; i++)
		if (stats_depends_on_zeros(a->stats.wanted[i].stat))
			return true;
	return false;
}

/* Returns true if more is found out about a line than its group: add_windows does that. */
static bool
is_roundabout(const struct aggregate *a)
{
	return a->several || a->by.windowed != GROUPING_NONE || a->nesting.watching;
}

/* Adds the keys that results need besides those of the user.  There is room: see further_keys. */
static void
add_keys_of_results(struct aggregate *a)
{
	struct grouping *by = &a->by;

	if (a->input == INPUT_RESULTS)
		grouping_add_tag(by, SLICE("of"));
	if (a->takes_aggs && by->window.size == 0 &&
	    (a->input == INPUT_EVENTS || grouping_has(by, SLICE("window"))))
		grouping_add_tag(by, SLICE("windows"));
	a->windows_key = grouping_find_key(by, SLICE("windows"));
}

/* Stores how the windows lie: SIZE[/STEP][@first]. */
static int
name_windows(struct aggregate *a, struct err *e)
{
	const struct time_window *w = &a->by.window;
	char text[2 * NUM_MAX + sizeof "/@first"];
	size_t n = num_put_u64(text, w->size), number;

	if (w->size == 0)
		return 0;
	if (w->step != w->size) {
		text[n++] = '/';
		n += num_put_u64(text + n, w->step);
	}
	if (w->from_first) {
		memcpy(text + n, "@first", 6);
		n += 6;
	}
	number = tab_add(&a->names, (struct slice){ text, n }, NULL);
	if (number == TAB_NONE)
		return err_nomem(e);
	a->windows = a->names.item[number];
	return 0;
}

/* Appends what is repeated by the weight. */
static bool
put_product(const struct aggregate *a, struct buf *b, struct slice what)
{
	return buf_put(b, what.p, what.len) && buf_putc(b, '*') &&
	    buf_put(b, a->weight_tag.p, a->weight_tag.len);
}

/*
 * Names what is aggregated, so that nobody takes weighted values, or those of a tag, for the
 * values.  Of results it is named line by line: see name_inner.
 */
static int
name_quantity(struct aggregate *a, struct err *e)
{
	struct buf text = { 0 };
	size_t number = TAB_NONE;

	a->quantity = a->of;
	if (a->weight_tag.p == NULL || a->takes_aggs)
		return 0;
	if (put_product(a, &text, a->of.p != NULL ? a->of : SLICE("value")))
		number = tab_add(&a->names, buf_slice(&text), NULL);
	buf_free(&text);
	if (number == TAB_NONE)
		return err_nomem(e);
	a->quantity = a->names.item[number];
	return 0;
}

/* Decides how lines are treated, before the first one. */
int
aggregate_begin(struct aggregate *a, enum input input, struct err *e)
{
	size_t i;

	a->input = input;
	a->joins_means = a->takes_aggs && slice_eq(a->weight_tag, SLICE("n"));
	a->counts_lines = input == INPUT_RESULTS || a->joins_means;
	a->spill_at = spill_threshold();
	a->settles = a->partial || input == INPUT_PARTS;
	a->pools = input == INPUT_PARTS && !grouping_has(&a->by, SLICE("run"));
	add_keys_of_results(a);
	if (name_windows(a, e) != 0 || name_quantity(a, e) != 0 || begin_places(a, e) != 0)
		return (int)e->code;
	for (i = 0; i < a->nzeros; i++)
		a->by.key[grouping_find_key(&a->by, a->zeros_key[i])].zeros = true;
	a->by_unit = grouping_has(&a->by, SLICE("unit"));
	a->by_bin = grouping_has(&a->by, SLICE("lo")) && grouping_has(&a->by, SLICE("hi"));
	for (i = 0; i < a->stats.n; i++)
		a->sums |= a->stats.wanted[i].stat == STAT_SUM ||
		    a->stats.wanted[i].stat == STAT_SHARE || a->stats.wanted[i].stat == STAT_RATE;
	/* without --stat, sums are added up */
	a->nesting.wanted = input == INPUT_RESULTS;
	for (i = 0; i < a->stats.n; i++)
		a->nesting.means |= a->stats.wanted[i].stat == STAT_MEAN;
	for (i = 0; i < a->stats.n && input != INPUT_PARTS; i++)
		a->nesting.wanted |= a->stats.wanted[i].stat == STAT_SUM ||
		    a->stats.wanted[i].stat == STAT_MEAN || a->stats.wanted[i].stat == STAT_RATE;
	a->nesting.regions = nesting_is_possible(&a->by);
	a->nesting.forms = a->nesting.watching = a->takes_aggs && a->nesting.wanted;
	a->nesting.joins = input == INPUT_RESULTS;
	a->roundabout = is_roundabout(a);
	a->namesakes.wanted = input != INPUT_PARTS;
	for (i = 0; i < a->by.nkeys; i++) {
		struct slice tag = a->by.key[i].tag;

		if (namesakes_are_told_by(tag))
			a->namesakes.wanted = false;
		a->runs_apart |=
		    a->takes_aggs && (slice_eq(tag, SLICE("run")) || ev_is_of_run(tag));
	}
	a->adds = a->takes_aggs && a->sums;
	a->needs_whole =
	    input != INPUT_PARTS && (aggregate_wants_totals(a) || a->stats.wants_duration);
	if (wants_all_results(a) && !absent_begin(&a->watch, &a->by))
		return err_nomem(e);
	a->needs_care = a->takes_aggs || a->takes_measures || a->takes_losses || a->of.p != NULL ||
	    a->weight != 0;
	return 0;
}

/* The kinds of lines. */

static enum aggregate_fate
judge_kind(struct aggregate *a, struct slice kind)
{
	const struct kind *known = kind_named(kind);
	size_t wanted = tab_find(&a->kinds, kind);

	if (wanted < KINDS_SEEN)
		a->kinds_seen |= (uint64_t)1 << wanted;
	if (wanted != TAB_NONE)
		return AGGREGATE_TAKE;
	if (slice_eq(kind, SLICE("part")))
		return AGGREGATE_PART;
	if (slice_eq(kind, SLICE("measure")))
		return AGGREGATE_MEASURE;
	return known != NULL && !known->outlives ? AGGREGATE_DROP : AGGREGATE_PASS;
}

enum aggregate_fate
aggregate_fate(struct aggregate *a, const struct ev *ev)
{
	struct slice kind = ev->col[EV_KIND], paused;

	if (short_eq(kind, a->last_kind))
		return a->last_fate;
	a->last_fate = judge_kind(a, kind);
	a->deducted |= slice_eq(kind, SLICE("span")) && ev_tag(ev, SLICE("paused"), &paused);
	a->last_kind = (struct slice){ a->last_kind_text, 0 };
	if (kind.len <= sizeof a->last_kind_text) {
		memcpy(a->last_kind_text, kind.p, kind.len);
		a->last_kind.len = kind.len;
	}
	return a->last_fate;
}

int
aggregate_see_run(struct aggregate *a, const struct ev *ev, struct err *e)
{
	keys_see_run(&a->by.wanted, ev);
	keys_see_run(&a->on_skipped, ev);
	return grouping_see_run(&a->by, ev, e);
}

/* Groups. */

static inline uint32_t
number_of_measure(struct aggregate *a, const struct ev *ev, const struct slice *tag, uint32_t run)
{
	struct slice unit = tag[a->identity[ID_UNIT] - EV_COLUMNS];
	size_t i;

	/* unit=. means that there is no unit, which is not the same as not saying it */
	if (!short_eq(ev->col[EV_MEASURE], a->measure[ID_MEASURE]) ||
	    (unit.p != grouping_nothing && slice_is_nothing(unit)))
		return measures_find(a, ev, tag, run);
	for (i = ID_MEASURE + 1; i < a->nidentity; i++)
		if (!short_eq(tag[a->identity[i] - EV_COLUMNS], a->measure[i]))
			return measures_find(a, ev, tag, run);
	return run == a->last_run ? a->last_resolved->number : measures_resolve(a, ev, run);
}

/*
 * Returns the number of a text, which is usually the same text as last time, or MIXED if memory
 * runs out.
 */
static inline uint32_t
number_of_text(struct memo *m, struct slice s)
{
	size_t number;

	if (m->tab.count != 0 && short_eq(s, m->text))
		return m->number;
	number = tab_add(&m->tab, s, NULL);
	if (number == TAB_NONE)
		return MIXED;
	m->text = slice_is_nothing(s) ? (struct slice){ grouping_nothing, 1 } : m->tab.item[number];
	m->number = (uint32_t)number;
	return m->number;
}

/* Grows an array of the cells.  Returns false if memory runs out. */
static bool
grow(void **array, const struct cells *c, size_t room, size_t size)
{
	void *p = mem_array(*array, c->cap * size, room * size);

	if (p != NULL)
		*array = p;
	return p != NULL;
}

/* Makes the memory for more cells.  Returns false if it runs out. */
static bool
make_room(const struct aggregate *a, struct cells *c, size_t room)
{
	unsigned need = a->stats.keep.need;

	if (!grow((void **)&c->group, c, room, sizeof *c->group) ||
	    ((need & ~(unsigned)ACCUMULATOR_SUM) != 0 &&
		!grow((void **)&c->spread, c, room, sizeof *c->spread)) ||
	    ((need & STATE_DETAIL) != 0 &&
		!grow((void **)&c->detail, c, room, sizeof *c->detail)) ||
	    (a->counts_lines && !grow((void **)&c->counted, c, room, sizeof *c->counted)) ||
	    (a->several && !grow((void **)&c->stamp, c, room, sizeof *c->stamp)))
		return false;
	c->room = room;
	return true;
}

/* Sets up only as many cells as are needed soon: memory that is not touched takes no place. */
HINT_APART bool
aggregate_room(const struct aggregate *a, struct cells *c, size_t number)
{
	size_t room = c->room == 0 ? GROUPS_FIRST : c->room, i;

	while (number >= room)
		room *= 2;
	if (room != c->room && !make_room(a, c, room))
		return false;
	for (i = c->cap; i < room && i < number + GROUPS_FIRST; i++) {
		c->group[i] = GROUP_EMPTY;
		if (c->spread != NULL)
			c->spread[i] = SPREAD_EMPTY;
		if (c->detail != NULL)
			c->detail[i] = (struct detail){ 0 };
		if (c->counted != NULL)
			c->counted[i] = 0;
		if (c->stamp != NULL)
			c->stamp[i] = 0;
	}
	c->cap = i;
	return true;
}

/*
 * Finds the text that identifies the group, in a->text or in the line.  Returns false if memory
 * runs out.
 */
static inline bool
name_group(struct aggregate *a, const struct ev *ev, const struct slice *tag, uint32_t measure,
    struct slice *name)
{
	if (measure == 0 && a->by.nkeys == 1) {
		*name = grouping_text(ev, tag, a->by.place[0]);
		return true;
	}
	if (!aggregate_join(a, ev, tag, a->by.place, a->by.nkeys, 1 + GROUP_MEASURE))
		return false;
	*name = buf_slice(&a->text);
	if (measure != 0) {
		a->text.p[name->len] = '\t';
		memcpy(a->text.p + name->len + 1, &measure, GROUP_MEASURE);
		name->len += 1 + GROUP_MEASURE;
	}
	return true;
}

static inline uint32_t
find_group(struct aggregate *a, const struct ev *ev, const struct slice *tag, uint32_t measure)
{
	struct slice id;
	size_t number;

	if (!name_group(a, ev, tag, measure, &id))
		return MIXED;
	if (a->last < a->groups.count && short_eq(id, a->groups.item[a->last]))
		return a->last;
	number = tab_add(&a->groups, id, NULL);
	if (number == TAB_NONE || (number >= a->cells.cap && !aggregate_room(a, &a->cells, number)))
		return MIXED;
	a->last = (uint32_t)number;
	return a->last;
}

uint32_t
aggregate_number(struct memo *m, struct slice s)
{
	return number_of_text(m, s);
}

uint32_t
aggregate_measure_number(struct aggregate *a, const struct ev *ev, const struct slice *tag,
    uint32_t run)
{
	return number_of_measure(a, ev, tag, run);
}

uint32_t
aggregate_group(struct aggregate *a, const struct ev *ev, struct slice *tag, uint32_t measure)
{
	return find_group(a, ev, tag, measure);
}

/* Lines. */

static int
at_line(const struct ev *ev, struct err *e)
{
	return err_at_line(e, ev->number);
}

static int
get_time(struct slice s, const char *what, struct wide *t, struct err *e)
{
	t->hi = 0;
	if (number_small_unsigned(s, &t->lo) || wide_get(s, t) == WIDE_OK)
		return 0;
	return err_data(e, "%s \"%.*s\" is not a time of up to 128 bits", what, slice_shown(s, 60),
	    s.p);
}

int
aggregate_times(const struct ev *ev, struct slice start, struct wide *from, struct wide *to,
    struct err *e)
{
	*from = (struct wide){ UINT64_MAX, UINT64_MAX };
	*to = (struct wide){ 0, 0 };
	if (slice_is_nothing(ev->col[EV_TIME]))
		return 0;
	if (get_time(ev->col[EV_TIME], "time", to, e) != 0)
		return (int)e->code;
	*from = *to;
	if (slice_is_nothing(start))
		return 0;
	if (get_time(start, "start", from, e) != 0)
		return (int)e->code;
	if (wide_cmp(*from, *to) > 0)
		*from = *to;
	return 0;
}

/*
 * Updates the start.  It compares halves, since reading a whole struct is slow if its halves have
 * just been written.
 */
static inline void
see_start(struct group *g, struct wide t)
{
	if (t.hi > g->start.hi || (t.hi == g->start.hi && t.lo >= g->start.lo))
		return;
	g->start.hi = t.hi;
	g->start.lo = t.lo;
}

static inline void
see_end(struct group *g, struct wide t)
{
	if (t.hi < g->end.hi || (t.hi == g->end.hi && t.lo <= g->end.lo))
		return;
	g->end.hi = t.hi;
	g->end.lo = t.lo;
}

static inline void
see(struct group *g, uint32_t run, uint32_t mid, struct wide start, struct wide end)
{
	if (g->run == UNSEEN) {
		g->run = run;
		g->mid = mid;
	}
	if (g->run != run)
		g->run = MIXED;
	if (g->mid != mid)
		g->mid = MIXED;
	see_start(g, start);
	see_end(g, end);
}

/* Forgets the run and the mid of lines of weight 0, which add nothing if there are others. */
static inline void
forget(struct group *g)
{
	g->run = UNSEEN;
	g->mid = UNSEEN;
}

void
aggregate_see(struct group *g, uint32_t run, uint32_t mid, struct wide start, struct wide end,
    bool counts)
{
	if (!counts && g->total.n != 0)
		return;
	if (counts && g->total.n == 0)
		forget(g);
	see(g, run, mid, start, end);
}

/* What is added to groups for one line. */
struct item {
	bool small;
	int64_t v; /* if small is set, otherwise big */
	struct number big;
	uint64_t weight, lines;
	struct wide start, end; /* start > end if there are none */
	uint32_t run, mid;
};

/* Adds the value, which is not small, or to a state that keeps more than totals. */
static HINT_APART int
add_general(struct aggregate *a, const struct state *st, const struct item *x, struct err *e)
{
	struct number v = x->small ? number_of(x->v) : x->big;
	bool timed = wide_cmp(x->start, x->end) <= 0;

	return state_add_number(&a->stats.keep, st, &v, x->weight, timed ? &x->end : NULL, e);
}

static inline int
add_item(struct aggregate *a, struct cells *c, uint32_t number, const struct item *x, struct err *e)
{
	struct state st = cells_state(c, number);
	struct group *g = &c->group[number];
	int rc = 0;

	if (!a->stats.wants_numbers && (a->stats.keep.need & STATE_GENERAL) == 0)
		st.t->n++;
	else if (!x->small || (a->stats.keep.need & STATE_GENERAL) != 0)
		rc = add_general(a, &st, x, e);
	else if (!state_add(&a->stats.keep, &st, x->v))
		return err_nomem(e);
	if (rc != 0)
		return rc;
	cells_count(c, number, x->lines);
	if (x->weight == 0 && st.t->n != 0)
		return 0;
	if (x->weight != 0 && st.t->n == 1)
		forget(g);
	see(g, x->run, x->mid, x->start, x->end);
	return 0;
}

/*
 * Adds the line to the total of its measure and to the extent of its run, where needed.  This comes
 * before its groups: if the total takes it, so do they, and a line is counted everywhere or
 * nowhere.
 */
static HINT_APART int
add_to_whole(struct aggregate *a, uint32_t measure, const struct item *x, struct err *e)
{
	bool timed = wide_cmp(x->start, x->end) <= 0;
	int rc = 0;

	if (aggregate_wants_totals(a)) {
		if (measure >= a->totals.cap && !aggregate_room(a, &a->totals, measure))
			return err_nomem(e);
		rc = add_item(a, &a->totals, measure, x, e);
	}
	/* those of lines are of 64 bits, so that they never add up to more than 128 bits */
	if (rc == ERR_DATA)
		return err_data(e,
		    "the weights of all groups of the measure add up to more than the 64 bits of a "
		    "bucket");
	if (rc != 0)
		return rc;
	if (a->stats.wants_duration && !timed && x->weight != 0)
		a->said[measure].about |= ABOUT_UNTIMED;
	if (a->stats.wants_duration && timed) {
		if (x->run >= a->extents.cap && !aggregate_room(a, &a->extents, x->run))
			return err_nomem(e);
		see_start(&a->extents.group[x->run], x->start);
		see_end(&a->extents.group[x->run], x->end);
	}
	return 0;
}

/* Returns the innermost element of a stack as a list, empty if an outer one is the same. */
static struct slice
outermost_call(struct slice stack)
{
	struct slice rest = stack, last = { NULL, 0 }, element;

	while (ev_next_element(&rest, &element))
		last = element;
	for (rest = stack; ev_next_element(&rest, &element) && element.p != last.p;)
		if (slice_eq(element, last))
			return (struct slice){ NULL, 0 };
	return last;
}

/*
 * Adds the line to the group of each function of its stack, once.  The value of a nested measure
 * contains those of inner functions already, so it is only that of its own one.
 */
static int
add_frames(struct aggregate *a, const struct ev *ev, struct slice *tag, uint32_t measure,
    const struct item *x, struct err *e)
{
	struct slice *place = &tag[a->by.place[a->by.frame] - EV_COLUMNS];
	struct slice rest = grouping_text(ev, tag, a->by.stack), element;
	uint32_t number;

	if (ev_is_nested_measure(ev->col[EV_MEASURE]))
		rest = outermost_call(rest);
	while (ev_next_element(&rest, &element)) {
		*place = esc_element(element, &a->frame);
		number = place->p == NULL ? MIXED : find_group(a, ev, tag, measure);
		if (number == MIXED)
			return err_nomem(e);
		if (a->cells.stamp[number] == a->stamp)
			continue;
		a->cells.stamp[number] = a->stamp;
		if (add_item(a, &a->cells, number, x, e) != 0)
			return (int)e->code;
	}
	return 0;
}

/* Looks whether values of the group contain each other.  Returns false if memory runs out. */
static HINT_APART bool
look_for_nesting(struct aggregate *a, const struct ev *ev, const struct slice *tag)
{
	bool ok = nesting_see(&a->nesting, &a->by, ev, tag);

	/* the memory is for the groups */
	if (a->nesting.forms && mem_used() > a->spill_at / 2)
		nesting_forget(&a->nesting);
	a->roundabout = is_roundabout(a);
	return ok;
}

static int
add_in_window(struct aggregate *a, const struct ev *ev, struct slice *tag, uint32_t measure,
    const struct item *x, struct err *e)
{
	uint32_t number;

	if (a->by.frame != GROUPING_NONE &&
	    tag[a->by.place[a->by.frame] - EV_COLUMNS].p == grouping_nothing)
		return add_frames(a, ev, tag, measure, x, e);
	if (a->nesting.watching && !look_for_nesting(a, ev, tag))
		return err_nomem(e);
	number = find_group(a, ev, tag, measure);
	return number == MIXED ? err_nomem(e) : add_item(a, &a->cells, number, x, e);
}

/* Notes a line about an interval, whose value counts in the window where it ends. */
static void
see_interval(struct reaching *r, const struct ev *ev, const struct item *x, const struct windows *w)
{
	uint64_t length;

	if (w->untimed || x->start.hi != 0 || x->start.lo >= x->end.lo)
		return;
	length = x->end.lo - x->start.lo;
	r->intervals++;
	r->back += length > w->ago;
	r->longer += length > w->size;
	r->samples += short_eq(ev->col[EV_KIND], SLICE("sample"));
}

/* Adds the line to each of its windows. */
static HINT_APART int
add_windows(struct aggregate *a, const struct ev *ev, struct slice *tag, uint32_t measure,
    const struct item *x, struct err *e)
{
	struct slice frame = { grouping_nothing, 1 };
	char text[GROUPING_WINDOW_MAX];
	struct windows windows;
	int rc = 0;

	a->stamp++;
	if (a->by.windowed == GROUPING_NONE) {
		rc = a->needs_whole ? add_to_whole(a, measure, x, e) : 0;
		return rc == 0 ? add_in_window(a, ev, tag, measure, x, e) : rc;
	}
	if (grouping_windows(&a->by, ev, &windows, e) != 0)
		return at_line(ev, e);
	if (!windows.untimed && !windows.before && windows.time > a->newest)
		a->newest = windows.time;
	if (a->upto != 0)
		a->late += grouping_windows_ended(&windows, a->upto);
	if (a->sums)
		see_interval(&a->reaching, ev, x, &windows);
	if (a->needs_whole && add_to_whole(a, measure, x, e) != 0)
		return (int)e->code;
	if (a->by.frame != GROUPING_NONE)
		frame = tag[a->by.place[a->by.frame] - EV_COLUMNS];
	while (rc == 0 &&
	    grouping_next_window(&windows, text, &tag[a->by.place[a->by.windowed] - EV_COLUMNS])) {
		if (a->by.frame != GROUPING_NONE)
			tag[a->by.place[a->by.frame] - EV_COLUMNS] = frame;
		rc = add_in_window(a, ev, tag, measure, x, e);
	}
	return rc;
}

/* Marks an error of which there is usually one for each group.  Returns its code. */
static int
one_of_many(struct err *e)
{
	e->alike = true;
	return e->code;
}

/* Returns true if the result has the tag total, perhaps "." */
static bool
overlaps_others(const struct aggregate *a, const struct slice *tag)
{
	return tag[a->whole - EV_COLUMNS].p != grouping_nothing;
}

/*
 * Checks that n, the number of lines, is the weight of a mean: that of weighted values has their
 * weights.
 */
static int
check_mean(const struct aggregate *a, const struct slice *tag, struct err *e)
{
	struct slice of = tag[a->inner - EV_COLUMNS];
	size_t i = 0;

	while (i < of.len && of.p[i] != '*' && of.p[i] != '(')
		i++;
	if (i == of.len || of.p[i] == '(' || !a->joins_means)
		return 0;
	err_data(e,
	    "means of %.*s do not have the weight n, the number of lines: make partial results "
	    "(afagg --partial) and merge those",
	    slice_shown(of, SHOWN_MAX), of.p);
	return one_of_many(e);
}

/*
 * Checks a result that is joined with others by the rule of its statistic, and reads how many
 * lines it counts.
 */
static HINT_APART int
check_result(const struct aggregate *a, const struct ev *ev, const struct slice *tag,
    uint64_t *lines, struct err *e)
{
	struct slice stat = grouping_text(ev, tag, a->identity[ID_OF]);
	bool adds = slice_eq(stat, SLICE("count")) || slice_eq(stat, SLICE("sum")) ||
	    (slice_eq(stat, SLICE("hist")) && a->by_bin);
	struct slice n = grouping_text(ev, tag, a->lines);
	bool joins = adds || slice_eq(stat, SLICE("min")) || slice_eq(stat, SLICE("max"));

	*lines = 1;
	if (!slice_eq(ev->col[EV_KIND], SLICE("agg")))
		return 0;
	if (a->input == INPUT_RESULTS ? !joins : a->adds && !adds) {
		err_data(e,
		    "results of the statistic \"%.*s\" cannot be added up: make partial results "
		    "(afagg --partial) and merge those",
		    slice_shown(stat, SHOWN_MAX), stat.p);
		return one_of_many(e);
	}
	if (a->nzeros != 0 && a->input == INPUT_RESULTS && !adds) {
		err_data(e,
		    "results of the statistic \"%.*s\" are not 0 where there are no lines, as "
		    "--zeros needs it: choose counts and sums (afsel -k agg -w stat=sum)",
		    slice_shown(stat, SHOWN_MAX), stat.p);
		return one_of_many(e);
	}
	if (a->adds && overlaps_others(a, tag)) {
		err_data(e,
		    "results with the tag total count lines several times and cannot be added up: "
		    "make partial results (afagg --partial) and merge those");
		return one_of_many(e);
	}
	if (slice_eq(stat, SLICE("mean")) && check_mean(a, tag, e) != 0)
		return (int)e->code;
	if (a->counts_lines && !slice_is_nothing(n) && !num_get_u64(n, lines))
		return err_data(e, "n \"%.*s\" is not a number of lines", slice_shown(n, SHOWN_MAX),
		    n.p);
	return 0;
}

/*
 * Reads a value that is not a small integer.  A text has no number: its group has only the count,
 * and what else is kept for it is never shown.
 */
static HINT_APART int
read_number(const struct aggregate *a, struct slice value, const struct slice *tag, struct item *x,
    struct err *e)
{
	struct slice of = a->takes_aggs ? tag[a->identity[ID_OF] - EV_COLUMNS] : SLICE(".");

	if (number_get(value, &x->big, e) == 0)
		return 0;
	if (!measures_is_text(tag[a->identity[ID_TYPE] - EV_COLUMNS], of))
		return (int)e->code;
	x->small = true;
	x->v = 0;
	return 0;
}

/* Reads the value and the weight.  Returns ERR_DATA if they are not numbers. */
static inline int
read_value(struct aggregate *a, const struct ev *ev, const struct slice *tag, struct item *x,
    struct err *e)
{
	struct slice value = grouping_text(ev, tag, a->value), weight;

	x->small = true;
	x->v = 0;
	x->weight = 1;
	if (a->stats.wants_numbers) {
		x->small = number_small(value, &x->v);
		if (!x->small && read_number(a, value, tag, x, e) != 0)
			return (int)e->code;
	}
	if (a->weight == 0)
		return 0;
	weight = grouping_text(ev, tag, a->weight);
	if (num_get_u64(weight, &x->weight))
		return 0;
	return err_data(e, "weight \"%.*s\" is not an integer from 0 to 2^64 - 1",
	    slice_shown(weight, SHOWN_MAX), weight.p);
}

static inline int
read_times(struct aggregate *a, const struct ev *ev, const struct slice *tag, struct item *x,
    struct err *e)
{
	struct slice start = grouping_text(ev, tag, a->start);
	uint64_t now;

	if (start.p != grouping_nothing || !number_small_unsigned(ev->col[EV_TIME], &now))
		return aggregate_times(ev, start, &x->start, &x->end, e);
	/* by halves: a whole struct is read slowly if its halves have just been written */
	x->start.hi = x->end.hi = 0;
	x->start.lo = x->end.lo = now;
	return 0;
}

/* Returns true if the line lacks a tag that it must have to be counted. */
static HINT_APART bool
lacks_tag(const struct aggregate *a, const struct slice *tag)
{
	return (a->of.p != NULL && tag[a->value - EV_COLUMNS].p == grouping_nothing) ||
	    (a->weight != 0 && tag[a->weight - EV_COLUMNS].p == grouping_nothing);
}

static bool
put_slice(struct buf *b, struct slice s)
{
	return buf_put(b, s.p, s.len);
}

/*
 * Returns true if values with the statistic OF, or ".", are not what they were once they are
 * weighted.  A mean that counts as often as it has lines is joined with others, and still is one.
 */
static bool
is_product(const struct aggregate *a, struct slice of)
{
	return a->weight_tag.p != NULL &&
	    (!a->joins_means || slice_is_nothing(of) || slice_eq(of, SLICE("count")) ||
		slice_eq(of, SLICE("sum")));
}

/*
 * A statistic of a statistic, or of another tag, is another quantity: the text is "max(mean)".  So
 * is a percentile that was found in another way: "p99:nearest"; and what is weighted: "sum*n".
 */
static HINT_APART int
name_inner(struct aggregate *a, struct slice *tag, struct err *e)
{
	struct slice inner = tag[a->inner - EV_COLUMNS], method = tag[a->method - EV_COLUMNS],
		     *of = &tag[a->identity[ID_OF] - EV_COLUMNS];
	bool product = is_product(a, *of), ok;
	struct buf *b = &a->of_text;

	if (slice_is_nothing(inner) && slice_is_nothing(method) && !product)
		return 0;
	b->len = 0;
	ok = product ? put_product(a, b, slice_is_nothing(*of) ? SLICE("value") : *of)
		     : put_slice(b, *of);
	if (!slice_is_nothing(method))
		ok = ok && buf_putc(b, ':') && put_slice(b, method);
	if (!slice_is_nothing(inner))
		ok = ok && buf_putc(b, '(') && put_slice(b, inner) && buf_putc(b, ')');
	if (!ok)
		return err_nomem(e);
	*of = buf_slice(b);
	return 0;
}

/* Handles what most aggregations do not need: missing tags, results, other values. */
static HINT_APART int
prepare(struct aggregate *a, const struct ev *ev, struct slice *tag, struct item *x, bool *skip,
    struct err *e)
{
	*skip = lacks_tag(a, tag);
	a->skipped += *skip;
	if (*skip) {
		if (!keys_done(&a->on_skipped))
			keys_see(&a->on_skipped, ev);
		return 0;
	}
	if (a->takes_aggs && check_result(a, ev, tag, &x->lines, e) != 0)
		return (int)e->code;
	a->overlaps |= a->takes_aggs && overlaps_others(a, tag);
	a->pooled += a->runs_apart && slice_is_nothing(ev->col[EV_RUN]);
	if (a->takes_losses)
		a->again = num_plus(a->again, kinds_counted_again(ev));
	if (a->takes_aggs && a->input == INPUT_EVENTS && name_inner(a, tag, e) != 0)
		return (int)e->code;
	if (a->quantity.p != NULL)
		tag[a->identity[ID_OF] - EV_COLUMNS] = a->quantity;
	if (a->of.p != NULL) {
		/* the unit and the type are those of the value */
		tag[a->identity[ID_UNIT] - EV_COLUMNS] = SLICE(".");
		tag[a->identity[ID_TYPE] - EV_COLUMNS] = (struct slice){ grouping_nothing, 1 };
	}
	if (a->takes_measures && slice_eq(ev->col[EV_KIND], SLICE("measure")) &&
	    aggregate_measure(a, ev, e) != 0)
		return (int)e->code;
	return 0;
}

/* Computes keys, and notes which keys there are. */
static HINT_APART int
compute(struct aggregate *a, const struct ev *ev, struct slice *tag, bool *skip, struct err *e)
{
	int rc = a->by.computes ? grouping_compute(&a->by, ev, tag, skip, e) : 0;

	if (!grouping_is_settled(&a->by))
		grouping_see(&a->by, ev, tag);
	return rc;
}

/* Notes the scope of a line, and looks from now on whether a group has several. */
static HINT_APART void
see_scope(struct aggregate *a, const struct ev *ev, const struct slice *tag, uint32_t measure)
{
	unsigned about = nesting_about(ev, tag[a->scope - EV_COLUMNS]);

	a->said[measure].about |= (unsigned char)about;
	if (about != 0 && a->nesting.wanted && !a->nesting.mixed)
		a->nesting.watching = a->roundabout = true;
}

/* Adds a line whose places have been found to its group or groups. */
static inline int
add_line(struct aggregate *a, const struct ev *ev, struct slice *tag, struct item *x, struct err *e)
{
	uint32_t measure, number;

	x->run = number_of_text(&a->runs, ev->col[EV_RUN]);
	x->mid = number_of_text(&a->mids, grouping_text(ev, tag, a->mid));
	measure = number_of_measure(a, ev, tag, x->run);
	if (x->run == MIXED || x->mid == MIXED || measure == MIXED)
		return err_nomem(e);
	if (tag[a->scope - EV_COLUMNS].p != grouping_nothing)
		see_scope(a, ev, tag, measure);
	if (a->namesakes.wanted && tag[a->event - EV_COLUMNS].p != grouping_nothing &&
	    !namesakes_see(&a->namesakes, ev, tag[a->event - EV_COLUMNS]))
		return err_nomem(e);
	if (a->by_unit)
		tag[a->identity[ID_UNIT] - EV_COLUMNS] = a->last_resolved->unit;
	a->taken++;
	if (a->watch.on &&
	    !absent_see(&a->watch, &a->by, ev, tag, tag[a->identity[ID_OF] - EV_COLUMNS]))
		return err_nomem(e);
	if (a->roundabout)
		return add_windows(a, ev, tag, measure, x, e);
	if (a->needs_whole && add_to_whole(a, measure, x, e) != 0)
		return (int)e->code;
	number = find_group(a, ev, tag, measure);
	return number == MIXED ? err_nomem(e) : add_item(a, &a->cells, number, x, e);
}

static int
refuse_mixture(const struct ev *ev, struct err *e)
{
	return err_line(e, ev->number,
	    "partial results and other lines cannot be aggregated together");
}

/* Decides how lines are treated, at the first one. */
static HINT_APART int
begin_lines(struct aggregate *a, const struct ev *ev, struct err *e)
{
	bool joins = takes_only_results(a) && a->option[AGGREGATE_STAT] == NULL;

	if (a->unready)
		return refuse_mixture(ev, e);
	return aggregate_begin(a, joins ? INPUT_RESULTS : INPUT_EVENTS, e);
}

static HINT_INLINE int
add(struct aggregate *a, const struct ev *ev, struct err *e)
{
	struct slice tag[GROUPING_TAGS_MAX];
	struct item x;
	bool skip = false;

	if (a->input == INPUT_UNKNOWN && begin_lines(a, ev, e) != 0)
		return (int)e->code;
	if (a->input == INPUT_PARTS)
		return refuse_mixture(ev, e);
	grouping_find_tags(&a->by, ev, tag);
	if (a->needs_care && prepare(a, ev, tag, &x, &skip, e) != 0)
		return e->code == ERR_DATA ? at_line(ev, e) : (int)e->code;
	if (skip)
		return 0;
	if (read_value(a, ev, tag, &x, e) != 0 || read_times(a, ev, tag, &x, e) != 0)
		return at_line(ev, e);
	if (x.weight == 0) {
		x.start = (struct wide){ UINT64_MAX, UINT64_MAX };
		x.end = (struct wide){ 0, 0 };
	}
	if (a->by.computes || !grouping_is_settled(&a->by)) {
		if (compute(a, ev, tag, &skip, e) != 0)
			return (int)e->code;
		if (skip)
			return 0;
	}
	if (add_line(a, ev, tag, &x, e) != 0)
		return e->code == ERR_DATA ? at_line(ev, e) : (int)e->code;
	return (a->several || a->taken % CHECK_MEMORY == 0) && mem_used() > a->spill_at &&
		spill_is_due(a)
	    ? spill_groups(a, e)
	    : 0;
}

int
aggregate_add(struct aggregate *a, const struct ev *ev, struct err *e)
{
	return add(a, ev, e);
}

/* Lines to come. */

/* Returns true if each line is in one group, and its texts are those of the line. */
static bool
has_plain_keys(const struct aggregate *a)
{
	return !a->several && !a->by.computes && !a->by_unit;
}

/* Returns true if some key is a tag. */
static bool
has_tags(const struct grouping *g)
{
	size_t i;

	for (i = 0; i < g->nkeys; i++)
		if (g->place[i] >= EV_COLUMNS)
			return true;
	return false;
}

/* Stores the hash of each line's group.  Returns for how many lines. */
static size_t
expect_texts(struct aggregate *a, const struct ev *ev, size_t n, uint32_t *hash)
{
	struct slice tag[GROUPING_TAGS_MAX], text;
	bool tags = has_tags(&a->by);
	size_t i;

	for (i = 0; i < n; i++) {
		if (tags)
			grouping_find_tags(&a->by, &ev[i], tag);
		if (!name_group(a, &ev[i], tag, measures_likely(a, ev[i].col[EV_MEASURE]), &text))
			break;
		hash[i] = tab_soon(&a->groups, text);
	}
	return i;
}

void
aggregate_expect(struct aggregate *a, const struct ev *ev, size_t n)
{
	size_t number[AGGREGATE_AHEAD], found = 0, i;
	uint32_t hash[AGGREGATE_AHEAD];

	if (a->groups.count < MANY_GROUPS || !has_plain_keys(a))
		return;
	n = expect_texts(a, ev, n, hash);
	for (i = 0; i < n; i++) {
		number[found] = tab_sooner(&a->groups, hash[i]);
		if (number[found] != TAB_NONE)
			cells_soon(&a->cells, number[found++]);
	}
	for (i = 0; i < found; i++)
		hint_soon(a->groups.item[number[i]].p);
}

size_t
aggregate_add_some(struct aggregate *a, const struct ev *ev, size_t n, int *rc, struct err *e)
{
	size_t i;

	*rc = 0;
	for (i = 0; i < n && aggregate_fate(a, &ev[i]) == AGGREGATE_TAKE; i++) {
		*rc = add(a, &ev[i], e);
		if (*rc != 0)
			break;
	}
	return i;
}

/* What the caller reports. */

uint64_t
aggregate_taken(const struct aggregate *a)
{
	return a->taken;
}

bool
aggregate_merges(const struct aggregate *a)
{
	return a->input == INPUT_PARTS;
}

bool
aggregate_deducted(const struct aggregate *a)
{
	return a->deducted;
}

bool
aggregate_is_outside(const struct aggregate *a)
{
	return a->by.left_out != 0 || a->all_outside;
}

int
aggregate_missing(const struct aggregate *a, size_t *at, struct err *e)
{
	size_t judged = a->kinds.count < KINDS_SEEN ? a->kinds.count : KINDS_SEEN, key;
	const struct keys *wanted;

	if (a->partial)
		return 0;
	if (*at < judged && a->last_kind.p == NULL) /* no line was asked for by its kind */
		*at = judged;
	while (*at < judged) {
		size_t i = (*at)++;

		if ((a->kinds_seen >> i & 1) == 0 && keys_check_kind(a->kinds.item[i], e) != 0)
			return e->code;
	}
	if (a->taken + a->skipped == 0 && !aggregate_is_outside(a) && !a->all_skipped)
		return 0;
	key = *at - judged;
	/*
	 * If lines were counted, only these matter: a part of the input may consist of others, and
	 * its partial results do not tell.
	 */
	wanted = a->taken != 0 || aggregate_is_outside(a) ? &a->by.wanted : &a->on_skipped;
	if (key < wanted->wanted && keys_missing(wanted, &key, e) != 0) {
		*at = judged + key;
		return e->code;
	}
	key -= wanted->wanted;
	if (grouping_missing(&a->by, &key, e) == 0)
		return 0;
	*at = judged + wanted->wanted + key;
	return e->code;
}

enum note {
	NOTE_STACKLESS,
	NOTE_LEFT_OUT,
	NOTE_SKIPPED,
	NOTE_RATELESS,
	NOTE_POOLED_RATES,
	NOTE_CLOCKS,
	NOTE_SHARELESS,
	NOTE_NESTED,
	NOTE_SCOPES,
	NOTE_FORMS,
	NOTE_NAMESAKES,
	NOTE_REACHING,
	NOTE_LATE,
	NOTE_UNLIKE,
	NOTE_POOLED,
	NOTE_AGAIN,
	NOTES
};

/*
 * Returns how many intervals began before their window, if a user should know: if some are longer
 * than a window, or more than a tenth began before theirs.
 */
static uint64_t
reaching_back(const struct reaching *r)
{
	return r->longer != 0 || r->back > r->intervals / 10 ? r->back : 0;
}

/* Writes a note about N such intervals, and what to do if none of them fits into a window. */
static void
put_reaching(const struct reaching *r, uint64_t n, char *text, size_t size)
{
	(void)snprintf(text, size,
	    "%" PRIu64 " of %" PRIu64
	    " spans or intervals began before the window in which they end: the whole value counts "
	    "there, and none before%s",
	    n, r->intervals,
	    r->back == r->intervals && r->samples == r->intervals
		? " (--by time instead of --window shows intervals as they are)"
		: "");
}

/* Writes a note about N losses that sums count several times. */
static void
put_again(uint64_t n, char *text, size_t size)
{
	(void)snprintf(text, size,
	    "sums of lost events are too large by %" PRIu64
	    ", which lines before have counted already (tag again)",
	    n);
}

#define PART_MAX (2 * NUM_MAX + 16)

/* Writes "N of ALL lines".  Partial results do not tell how many lines there were. */
static void
put_part(const struct aggregate *a, uint64_t n, uint64_t all, char *text, size_t size)
{
	if (a->input == INPUT_PARTS)
		(void)snprintf(text, size, "%" PRIu64 " line%s", n, n == 1 ? "" : "s");
	else
		(void)snprintf(text, size, "%" PRIu64 " of %" PRIu64 " lines", n, all);
}

/*
 * Writes a note about the lines without the function of a key, unless none had it, which is an
 * error, but not in a part of the input.
 */
static bool
put_left_out(const struct aggregate *a, char *text, size_t size)
{
	struct slice lacking;
	char room[128], part[PART_MAX];
	size_t at = 0;
	struct err e;

	if (!a->partial && grouping_missing(&a->by, &at, &e) != 0)
		return false;
	lacking = grouping_lacking(&a->by, room, sizeof room);
	put_part(a, a->by.left_out, a->taken + a->by.left_out, part, sizeof part);
	(void)snprintf(text, size, "left out %s, whose stacks do not have %.*s", part,
	    slice_shown(lacking, SHOWN_MAX), lacking.p);
	return true;
}

/* Returns the text of a note that has no numbers, or NULL. */
static const char *
plain_note(enum note which)
{
	switch (which) {
	case NOTE_SCOPES:
		return "sums and means count the same several times: values of a whole run, "
		       "region or section contain those of the regions inside (to tell them apart: "
		       "--by scope,region)";
	case NOTE_FORMS:
		return "groups have results with different keys (afagg --by): sums count the same "
		       "several times, and means mix results of different sorts (to choose some, "
		       "for example those with comm: afsel -k agg -w 'comm~.')";
	case NOTE_NAMESAKES:
		return "groups have values of several events with the same name (to tell them "
		       "apart, add event to --by; to choose one: afsel -w 'event=N || event=.')";
	default: return NULL;
	}
}

/* Returns what so many groups have or lack, or NULL if the note is not about groups. */
static const char *
groups_note(enum note which)
{
	switch (which) {
	case NOTE_RATELESS:
		return "no rate: the lines have no times, or only one, or come from several runs, "
		       "or some have no time (afsel -w 'time>=0' leaves these out)";
	case NOTE_POOLED_RATES:
		return "the rate of several runs together, which is that of none (to tell them "
		       "apart, add run to --by)";
	case NOTE_CLOCKS:
		return "no first or last: the lines come from several runs, whose clocks may "
		       "differ";
	case NOTE_SHARELESS:
		return "no share: values of inclusive, union and .delta contain each other, and so "
		       "do those of whole runs, regions and sections";
	default: return NULL;
	}
}

/* Writes a note about all lines, unless there is nothing to note. */
static bool
put_note(const struct aggregate *a, enum note which, char *text, size_t size)
{
	const uint64_t of[NOTES] = { a->by.stackless, a->by.left_out, a->skipped, a->rateless,
		a->pooled_rates, a->clocks, a->shareless, a->nesting.found || a->nesting.pooled,
		a->nesting.mixed, a->nesting.formed, a->namesakes.found,
		reaching_back(&a->reaching), a->late, a->unlike,
		a->pooled == a->taken ? 0 : a->pooled, a->sums && a->of.p == NULL ? a->again : 0 };
	uint64_t n = of[which];
	const char *s = n == 1 ? "" : "s", *plain = plain_note(which), *groups = groups_note(which);
	char part[PART_MAX];

	if (n == 0)
		return false;
	if (plain != NULL) {
		(void)snprintf(text, size, "%s", plain);
		return true;
	}
	if (groups != NULL) {
		(void)snprintf(text, size, "%" PRIu64 " group%s %s", n, n == 1 ? " has" : "s have",
		    groups);
		return true;
	}
	switch (which) {
	case NOTE_STACKLESS:
		put_part(a, n, a->taken, part, sizeof part);
		(void)snprintf(text, size, "%s %s no stack", part,
		    n == 1 && a->input == INPUT_PARTS ? "has" : "have");
		break;
	case NOTE_LEFT_OUT: return put_left_out(a, text, size);
	case NOTE_SKIPPED:
		(void)snprintf(text, size, "%" PRIu64 " line%s without %s %s not counted", n, s,
		    a->of.p != NULL && a->weight != 0 ? "one of the tags"
			: a->of.p != NULL             ? a->option[AGGREGATE_OF]
						      : a->option[AGGREGATE_WEIGHT],
		    n == 1 ? "is" : "are");
		break;
	case NOTE_NESTED:
		(void)snprintf(text, size,
		    "sums and means of inclusive and .delta %scount the same several times, since "
		    "regions %scontain each other: use the measure self, or --by region, or choose "
		    "one region",
		    a->nesting.found ? "" : "may ", a->nesting.found ? "" : "can ");
		break;
	case NOTE_REACHING: put_reaching(&a->reaching, n, text, size); break;
	case NOTE_UNLIKE:
		if (n == 1)
			return false;
		(void)snprintf(text, size,
		    "%" PRIu64 " lines of partial results were left out, since they do not fit", n);
		break;
	case NOTE_POOLED:
		(void)snprintf(text, size,
		    "%" PRIu64 " of %" PRIu64
		    " results are of several runs (run=.), and are no part of any: "
		    "the values of each run are too small (use --by run,... for the events)",
		    n, a->taken);
		break;
	case NOTE_AGAIN: put_again(n, text, size); break;
	default:
		(void)snprintf(text, size,
		    "%" PRIu64 " line%s came after an interim result with their window: only the "
		    "final result counts them",
		    n, s);
	}
	return true;
}

/*
 * Finds the next measure, in order of their names, whose values are texts.  Begin with { NULL, 0 }.
 * Returns false at the end.
 */
static bool
next_text(const struct aggregate *a, struct slice *name)
{
	struct slice part[IDENTITY], after = *name;
	bool found = false;
	size_t i;

	for (i = 0; i < a->measures.count; i++) {
		measures_split(a, i, part);
		if (!measures_are_texts(a, part) ||
		    (after.p != NULL && slice_cmp(part[ID_MEASURE], after) <= 0) ||
		    (found && slice_cmp(part[ID_MEASURE], *name) >= 0))
			continue;
		*name = part[ID_MEASURE];
		found = true;
	}
	return found;
}

#define NAMES_MAX ((size_t)120) /* bytes of the names in a note */

/* Writes a note about the measures whose values are texts, if they lack statistics. */
static bool
put_texts_note(const struct aggregate *a, char *text, size_t size)
{
	struct slice name = { NULL, 0 };
	char names[NAMES_MAX + sizeof ", ..."];
	size_t len = 0;

	if (a->partial || !a->stats.wants_numbers)
		return false;
	while (next_text(a, &name)) {
		const char *comma = len == 0 ? "" : ", ";
		int shown = slice_shown(name, SHOWN_MAX);

		if (len + (size_t)shown + 2 > NAMES_MAX) {
			len += (size_t)snprintf(names + len, sizeof names - len, "%s...", comma);
			break;
		}
		len += (size_t)snprintf(names + len, sizeof names - len, "%s%.*s", comma, shown,
		    name.p);
	}
	if (len != 0)
		(void)snprintf(text, size,
		    "left out all statistics except count of measures whose values are texts: %s "
		    "(--stat count --by value counts each text; afsel -w 'measure!=NAME' leaves a "
		    "measure out)",
		    names);
	return len != 0;
}

#define BINS_MANY ((size_t)100) /* more bins than anybody asks for by their number */

/* Writes a note about bins if their width seems to be meant as their number. */
static bool
put_bins_note(const struct aggregate *a, char *text, size_t size)
{
	const char *bins = a->option[AGGREGATE_BINS];
	uint64_t width;

	if (bins == NULL || !num_get_u64(slice_of(bins), &width) || width < 2 ||
	    width > BINS_MANY || (a->bins != 1 && a->bins <= BINS_MANY))
		return false;
	if (a->bins == 1)
		(void)snprintf(text, size,
		    "each group has one bin: --bins %s is a width, not a number of bins, and a "
		    "smaller one gives more",
		    bins);
	else
		(void)snprintf(text, size,
		    "up to %zu bins in a group: --bins %s is a width, not a number of bins, and a "
		    "larger one gives fewer",
		    a->bins, bins);
	return true;
}

bool
aggregate_note(const struct aggregate *a, size_t *at, char *text, size_t size)
{
	size_t n = a->by.nkeys;

	if (*at < n && !a->partial && a->taken != 0 && grouping_note(&a->by, at, text, size))
		return true;
	if (*at < n)
		*at = n;
	while (*at < n + NOTES)
		if (put_note(a, (enum note)((*at)++ - n), text, size))
			return true;
	if (*at == n + NOTES) {
		(*at)++;
		if (put_texts_note(a, text, size))
			return true;
	}
	if (*at == n + NOTES + 1) {
		(*at)++;
		if (put_bins_note(a, text, size))
			return true;
	}
	return (*at)++ == n + NOTES + 2 && absent_note(&a->watch, text, size);
}
