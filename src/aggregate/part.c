/* SPDX-License-Identifier: ISC */
/*
 * part.c - partial results: lines that carry all that is kept for a group, so that merging them
 * gives what one aggregation of all lines would have given; see afstream(5).
 */
#include <string.h>

#include "lib/esc.h"
#include "lib/kinds.h"
#include "lib/mem.h"
#include "src/aggregate/aggint.h"
#include "src/aggregate/result.h"

/* The tags that repeat the options. */
static const struct slice option_tags[AGGREGATE_OPTIONS] = {
	[AGGREGATE_BY] = SLICE_INIT("part.by"),
	[AGGREGATE_STAT] = SLICE_INIT("part.stat"),
	[AGGREGATE_KIND] = SLICE_INIT("part.kind"),
	[AGGREGATE_WINDOW] = SLICE_INIT("part.window"),
	[AGGREGATE_FROM] = SLICE_INIT("part.window_from"),
	[AGGREGATE_OF] = SLICE_INIT("part.of"),
	[AGGREGATE_WEIGHT] = SLICE_INIT("part.weight"),
	[AGGREGATE_PERCENTILE] = SLICE_INIT("part.percentile"),
	[AGGREGATE_SKETCH] = SLICE_INIT("part.sketch"),
	[AGGREGATE_BINS] = SLICE_INIT("part.bins"),
	[AGGREGATE_ZEROS] = SLICE_INIT("part.zeros"),
};

/* What is told of the lines of all shards together, and the tags for it. */
enum { STACKLESS, OUTSIDE, SKIPPED, INTERVALS, BACK, LONGER, SAMPLES, AGAIN, COUNTERS };

static const struct slice counter_tags[COUNTERS] = {
	[STACKLESS] = SLICE_INIT("part.stackless"),
	[OUTSIDE] = SLICE_INIT("part.outside"),
	[SKIPPED] = SLICE_INIT("part.skipped"),
	[INTERVALS] = SLICE_INIT("part.intervals"),
	[BACK] = SLICE_INIT("part.back"),
	[LONGER] = SLICE_INIT("part.longer"),
	[SAMPLES] = SLICE_INIT("part.samples"),
	[AGAIN] = SLICE_INIT("part.again"),
};

#define SHOWN_MAX 100
#define NESTED_MAX ((size_t)65536) /* bytes of a text about nesting, so that no line is too long */
#define EVENTS_MAX ((size_t)65536) /* twice the events that partial results tell of */

/*
 * ---- writing
 */

/* Writes the names among K that no line had, or that were "." on all lines. */
static void
put_keys_seen(const struct aggregate *a, struct evwrite *w, const struct keys *k)
{
	bool any = false;
	size_t i;

	for (i = 0; i < k->wanted; i++)
		any |= !k->seen[i];
	if (any) {
		evw_tag_begin(w, SLICE("part.unseen"));
		for (i = 0; i < k->wanted; i++) {
			if (k->seen[i])
				continue;
			evw_bytes(w, k->names.item[i].p, k->names.item[i].len);
			evw_bytes(w, ";", 1);
		}
		evw_tag_end(w, SLICE("part.unseen"));
	}
	if (!a->by.unrecorded)
		return;
	evw_tag_begin(w, SLICE("part.unrecorded"));
	for (i = 0; i < a->by.nkeys; i++) {
		const struct key *key = &a->by.key[i];

		if (key->recorded || key->optional)
			continue;
		evw_bytes(w, key->name.p, key->name.len);
		evw_bytes(w, ";", 1);
	}
	evw_tag_end(w, SLICE("part.unrecorded"));
}

/* The kinds that no line is of and that no page names, so that a merge can tell a typing error. */
static void
put_kinds_seen(const struct aggregate *a, struct evwrite *w)
{
	bool any = false;
	size_t i;

	for (i = 0; i < a->kinds.count && i < KINDS_SEEN; i++) {
		struct slice kind = a->kinds.item[i];

		if ((a->kinds_seen >> i & 1) != 0 || kind_named(kind) != NULL)
			continue;
		if (!any)
			evw_tag_begin(w, SLICE("part.unseen_kinds"));
		any = true;
		evw_bytes(w, kind.p, kind.len);
		evw_bytes(w, ";", 1);
	}
	if (any)
		evw_tag_end(w, SLICE("part.unseen_kinds"));
}

/* The tags of the settings, which all lines repeat, so that each can be merged on its own. */
static void
put_settings(const struct aggregate *a, struct evwrite *w, const struct keys *k)
{
	size_t i;

	for (i = 0; i < AGGREGATE_OPTIONS; i++)
		if (a->option[i] != NULL)
			evw_tag_text(w, option_tags[i], slice_of(a->option[i]));
	put_kinds_seen(a, w);
	put_keys_seen(a, w, k);
}

static void
put_identity(const struct aggregate *a, struct evwrite *w, const struct identified *id,
    struct said said, const struct group *g)
{
	struct slice unit = id->part[ID_UNIT];

	if (wide_cmp(g->start, g->end) <= 0)
		results_put_time(w, SLICE("start"), g->start);
	results_put_tag(a, w, SLICE("of"), id->part[ID_OF]);
	if (g->mid < BROKEN)
		results_put_tag(a, w, SLICE("mid"), a->mids.tab.item[g->mid]);
	else
		evw_tag_raw(w, SLICE("part.mid"), SLICE("several"));
	if (g->run == MIXED)
		evw_tag_raw(w, SLICE("part.run"), SLICE("several"));
	if (said.about != 0)
		evw_tag_u64(w, SLICE("part.scopes"), said.about);
	if (said.unit || slice_is_nothing(unit))
		evw_tag_raw(w, SLICE("unit"), unit);
	else if (!slice_eq(unit, SLICE(UNIT_UNKNOWN)))
		evw_tag_raw(w, SLICE("part.unit"), unit);
}

/* Writes a state in as many lines as it needs.  over is what it covers, or "." for a group. */
static int
put_state(const struct aggregate *a, struct evwrite *w, const struct identified *id,
    struct said said, const struct slice *key, const struct cells *cells, size_t number,
    struct err *e)
{
	struct state st = cells_state(cells, number);
	struct slice type = id->part[ID_TYPE];
	struct state_piece at = { 0 };
	struct buf text = { 0 };
	bool more = true, total = cells == &a->totals;
	int rc = state_settle(&a->stats.keep, &st, e);

	while (rc == 0 && more && !evw_failed(w)) {
		results_begin(a, w, SLICE("part"), key, id->part[ID_MEASURE],
		    &cells->group[number]);
		evw_none(w);
		if (total)
			evw_tag_raw(w, SLICE("part.over"), SLICE("total"));
		else
			results_put_keys(a, w, key);
		put_identity(a, w, id, said, &cells->group[number]);
		/* a total has no keys, so its type is not among them */
		if (total && !slice_is_nothing(type))
			evw_tag_raw(w, SLICE("type"), type);
		else
			results_put_tag(a, w, SLICE("type"), type);
		put_settings(a, w, &a->by.wanted);
		text.len = 0;
		if (!state_write(&a->stats.keep, &st, &at, &text, &more)) {
			rc = err_nomem(e);
			break; /* not half a line */
		}
		evw_bytes(w, text.p, text.len);
		evw_end(w);
	}
	buf_free(&text);
	return rc;
}

int
part_put(const struct aggregate *a, const struct results *r, struct evwrite *w,
    const struct placed *p, struct err *e)
{
	struct slice key[GROUPING_KEYS_MAX];

	(void)aggregate_split(p->keys, key, a->by.nkeys);
	return put_state(a, w, &r->identity[p->measure], a->said[p->measure], key, p->cells,
	    p->number, e);
}

static void
put_extent(const struct aggregate *a, struct evwrite *w, size_t run)
{
	const struct group *g = &a->extents.group[run];

	evw_begin(w, SLICE("part"));
	results_put_time(w, (struct slice){ NULL, 0 }, g->end);
	evw_raw(w, a->runs.tab.item[run]);
	evw_none(w);
	evw_none(w);
	evw_none(w);
	evw_tag_raw(w, SLICE("part.over"), SLICE("run"));
	results_put_time(w, SLICE("start"), g->start);
	put_settings(a, w, &a->by.wanted);
	evw_end(w);
}

/* Begins a line that belongs to no group, measure or run. */
static void
begin_over(struct evwrite *w, struct slice over)
{
	size_t i;

	evw_begin(w, SLICE("part"));
	for (i = EV_TIME; i < EV_COLUMNS; i++)
		evw_none(w);
	evw_tag_raw(w, SLICE("part.over"), over);
}

/* Returns where the key keeps a function whose name is like the one that no stack has, or NULL. */
static struct buf *
like_of(const struct key *key)
{
	return key->neighbour != NULL ? &key->neighbour->like : NULL;
}

/* Writes those functions, one for each key. */
static void
put_likes(const struct aggregate *a, struct evwrite *w)
{
	bool any = false;
	size_t i;

	for (i = 0; i < a->by.nkeys; i++)
		any |= like_of(&a->by.key[i]) != NULL && like_of(&a->by.key[i])->len != 0;
	if (!any)
		return;
	evw_tag_begin(w, SLICE("part.like"));
	for (i = 0; i < a->by.nkeys; i++) {
		const struct buf *like = like_of(&a->by.key[i]);

		if (i != 0)
			evw_bytes(w, ";", 1);
		if (like != NULL && like->len != 0)
			evw_bytes(w, like->p, like->len);
		else
			evw_bytes(w, ".", 1);
	}
	evw_tag_end(w, SLICE("part.like"));
}

/* Says which keys the lines had that were left out, since there is no group to say it. */
static void
put_left_out(const struct aggregate *a, struct evwrite *w, struct slice over, const struct keys *k)
{
	begin_over(w, over);
	put_likes(a, w);
	put_settings(a, w, k);
	evw_end(w);
}

/* Writes what shows whether values contain each other: other shards may have the others. */
static void
put_nesting(const struct aggregate *a, struct evwrite *w)
{
	struct slice text;
	size_t at = 0;

	while (!evw_failed(w) && (text = nesting_next_text(&a->nesting, &a->by, &at)).p != NULL) {
		if (text.len > NESTED_MAX)
			continue;
		begin_over(w, SLICE("nested"));
		evw_tag_text(w, SLICE("part.nested"), text);
		put_settings(a, w, &a->by.wanted);
		evw_end(w);
	}
}

static void
find_counters(struct aggregate *a, uint64_t *counter[COUNTERS])
{
	counter[STACKLESS] = &a->by.stackless;
	counter[OUTSIDE] = &a->by.left_out;
	counter[SKIPPED] = &a->skipped;
	counter[INTERVALS] = &a->reaching.intervals;
	counter[BACK] = &a->reaching.back;
	counter[LONGER] = &a->reaching.longer;
	counter[SAMPLES] = &a->reaching.samples;
	counter[AGAIN] = &a->again;
}

/* Writes what notes tell: they are for those who see the merged result, and not each shard's. */
static void
put_counters(struct aggregate *a, struct evwrite *w)
{
	uint64_t *counter[COUNTERS];
	bool any = a->namesakes.found;
	size_t i;

	find_counters(a, counter);
	for (i = 0; i < COUNTERS; i++)
		any |= *counter[i] != 0;
	if (!any)
		return;
	begin_over(w, SLICE("lines"));
	for (i = 0; i < COUNTERS; i++)
		if (*counter[i] != 0)
			evw_tag_u64(w, counter_tags[i], *counter[i]);
	if (a->namesakes.found)
		evw_tag_raw(w, SLICE("part.namesakes"), SLICE("found"));
	put_settings(a, w, &a->by.wanted);
	evw_end(w);
}

/* Writes which event each measure has, since other shards may have others of the same name. */
static void
put_events(const struct aggregate *a, struct evwrite *w)
{
	struct slice run, measure, event;
	size_t at = 0;

	while (!evw_failed(w) && at < EVENTS_MAX &&
	    namesakes_next(&a->namesakes, &at, &run, &measure, &event)) {
		evw_begin(w, SLICE("part"));
		evw_none(w);
		evw_raw(w, run);
		evw_none(w);
		evw_raw(w, measure);
		evw_none(w);
		evw_tag_raw(w, SLICE("part.over"), SLICE("event"));
		evw_tag_raw(w, SLICE("part.event"), event);
		put_settings(a, w, &a->by.wanted);
		evw_end(w);
	}
}

int
part_put_whole(struct aggregate *a, const struct results *r, struct evwrite *w, struct err *e)
{
	struct slice none[GROUPING_KEYS_MAX];
	size_t i, k;

	if (a->taken == 0 && aggregate_is_outside(a))
		put_left_out(a, w, SLICE("outside"), &a->by.wanted);
	else if (a->taken == 0 && (a->skipped != 0 || a->all_skipped))
		put_left_out(a, w, SLICE("skipped"), &a->on_skipped);
	put_counters(a, w);
	put_events(a, w);
	put_nesting(a, w);
	for (i = 0; i < a->runs.tab.count && i < a->extents.cap; i++)
		if (wide_cmp(a->extents.group[i].start, a->extents.group[i].end) <= 0)
			put_extent(a, w, i);
	for (i = 0; i < r->identities && i < a->totals.cap; i++) {
		if (a->totals.group[i].run == UNSEEN || a->totals.group[i].run == BROKEN)
			continue;
		if (r->total[r->identity[i].whole] != i)
			continue; /* it has been joined with that of another identity */
		/* the run column is that of the total even if it is a key */
		for (k = 0; k < GROUPING_KEYS_MAX; k++)
			none[k] = k < a->by.nkeys && slice_eq(a->by.key[k].tag, SLICE("run"))
			    ? r->identity[i].part[ID_RUN]
			    : SLICE(".");
		if (put_state(a, w, &r->identity[i], a->said[i], none, &a->totals, i, e) != 0)
			return (int)e->code;
	}
	return 0;
}

/*
 * ---- reading
 */

/* Takes an option from the first partial result, as if it had been on the command line. */
static int
adopt(struct aggregate *a, enum aggregate_option option, struct slice text, struct err *e)
{
	struct buf plain = { 0 };
	size_t number, at;
	int rc = esc_undo(&plain, text, &at) == 0 && buf_putc(&plain, '\0') ? 0 : err_nomem(e);

	number = rc == 0 ? tab_add(&a->names, buf_slice(&plain), NULL) : TAB_NONE;
	buf_free(&plain);
	if (number == TAB_NONE)
		return err_nomem(e);
	if (memchr(a->names.item[number].p, '\0', a->names.item[number].len - 1) != NULL)
		return err_data(e, "the settings of this partial result are damaged");
	a->adopted |= 1u << option;
	return aggregate_set(a, option, a->names.item[number].p, e);
}

/* Returns true if the keys are some of those of the partial result, whose results they can join. */
static bool
is_coarser(const char *keys, struct slice of_part)
{
	struct slice own = slice_of(keys), left, key, other;

	while (slice_cut(&own, ',', &key)) {
		left = of_part;
		do {
			if (!slice_cut(&left, ',', &other))
				return false;
		} while (!slice_eq(key, other));
	}
	return true;
}

static int
refuse_option(const struct aggregate *a, enum aggregate_option option, struct slice text,
    struct err *e)
{
	struct slice name = { option_tags[option].p + 5, option_tags[option].len - 5 };
	bool given = a->option[option] != NULL && (a->adopted >> option & 1) == 0;
	const char *why = given
	    ? "it belongs to the afagg --partial that makes them (with afarray, in --map), not here"
	    : "unlike the first one";

	if (text.p == NULL)
		return err_data(e, "this partial result was made without --%.*s: %s", (int)name.len,
		    name.p, why);
	err_data(e, "this partial result was made with --%.*s %.*s: %s", (int)name.len, name.p,
	    slice_shown(text, SHOWN_MAX), text.p, why);
	if (given && option == AGGREGATE_BY && is_coarser(a->option[option], text))
		(void)err_add(e, "; afagg PART... | afagg --kind agg --by %s adds up counts, sums",
		    a->option[option]);
	return ERR_DATA;
}

/* Compares an option with that of a partial result. */
static int
check_option(const struct aggregate *a, enum aggregate_option option, struct slice text,
    struct err *e)
{
	const char *own = a->option[option];
	struct buf escaped = { 0 };
	bool same = own == NULL && text.p == NULL;

	if (own != NULL && !esc_append(&escaped, own, strlen(own), ESC_COLUMN)) {
		buf_free(&escaped);
		return err_nomem(e);
	}
	if (own != NULL)
		same = slice_eq(buf_slice(&escaped), text);
	buf_free(&escaped);
	return same ? 0 : refuse_option(a, option, text, e);
}

#define ALL_OPTIONS ((1u << AGGREGATE_OPTIONS) - 1)

/* Returns the options that are set: bit N for option N. */
static unsigned
set_options(const struct aggregate *a)
{
	unsigned set = 0;
	size_t i;

	for (i = 0; i < AGGREGATE_OPTIONS; i++)
		set |= (unsigned)(a->option[i] != NULL) << i;
	return set;
}

/* Compares some options with those of a partial result: bit N of WHICH is for option N. */
static int
check_options(const struct aggregate *a, const struct ev *ev, unsigned which, struct err *e)
{
	struct slice text;
	size_t i;

	for (i = 0; i < AGGREGATE_OPTIONS; i++) {
		if (!ev_tag(ev, option_tags[i], &text))
			text = (struct slice){ NULL, 0 };
		if ((which >> i & 1) != 0 &&
		    check_option(a, (enum aggregate_option)i, text, e) != 0)
			return (int)e->code;
	}
	return 0;
}

/* Adopts the options of the first partial result that are not set. */
static int
adopt_options(struct aggregate *a, const struct ev *ev, struct err *e)
{
	struct slice text;
	size_t i;

	for (i = 0; i < AGGREGATE_OPTIONS; i++) {
		if (a->option[i] != NULL || !ev_tag(ev, option_tags[i], &text))
			continue;
		if (i == AGGREGATE_KIND)
			tab_free(&a->kinds);
		if (adopt(a, (enum aggregate_option)i, text, e) != 0)
			return (int)e->code;
	}
	return check_options(a, ev, ALL_OPTIONS, e);
}

/* Undoes what aggregate_ready has chosen where the command line gives no statistics. */
static int
forget_defaults(struct aggregate *a, struct err *e)
{
	static const enum aggregate_option of_stats[] = { AGGREGATE_STAT, AGGREGATE_WEIGHT,
		AGGREGATE_PERCENTILE, AGGREGATE_SKETCH, AGGREGATE_BINS };
	size_t i;

	a->stats = (struct stats){ 0 };
	for (i = 0; i < sizeof of_stats / sizeof of_stats[0]; i++)
		if (a->option[of_stats[i]] != NULL &&
		    aggregate_set(a, of_stats[i], a->option[of_stats[i]], e) != 0)
			return (int)e->code;
	return 0;
}

static int
begin(struct aggregate *a, const struct ev *ev, struct err *e)
{
	if (a->input == INPUT_EVENTS || a->input == INPUT_RESULTS)
		return err_data(e, "partial results and other lines cannot be aggregated together");
	if (check_options(a, ev, set_options(a), e) != 0)
		return (int)e->code;
	a->unready = true;
	if (forget_defaults(a, e) != 0 || adopt_options(a, ev, e) != 0)
		return (int)e->code;
	if (aggregate_ready(a, e) != 0 || aggregate_begin(a, INPUT_PARTS, e) != 0)
		return (int)e->code;
	a->unready = false;
	return 0;
}

static bool
is_listed(struct slice list, struct slice name)
{
	struct slice element;

	while (ev_next_element(&list, &element))
		if (slice_eq(element, name))
			return true;
	return false;
}

/* Takes over which kinds have been seen. */
static void
see_kinds(struct aggregate *a, const struct ev *ev)
{
	size_t i, n = a->kinds.count < KINDS_SEEN ? a->kinds.count : KINDS_SEEN;
	struct slice unseen = { NULL, 0 };

	if (a->kinds_seen == UINT64_MAX >> (KINDS_SEEN - n)) /* soon all of them */
		return;
	(void)ev_tag(ev, SLICE("part.unseen_kinds"), &unseen);
	for (i = 0; i < n; i++)
		if (!is_listed(unseen, a->kinds.item[i]))
			a->kinds_seen |= (uint64_t)1 << i;
}

/* Takes over which keys have been seen, in K. */
static void
see_names(struct keys *k, const struct ev *ev)
{
	struct slice unseen = { NULL, 0 };
	size_t i;

	(void)ev_tag(ev, SLICE("part.unseen"), &unseen);
	for (i = 0; i < k->wanted; i++)
		if (!is_listed(unseen, k->names.item[i]))
			keys_saw(k, i);
}

/* Does the same for lines that were counted, and takes over which keys have been recorded. */
static void
see_keys(struct aggregate *a, const struct ev *ev)
{
	struct slice unrecorded = { NULL, 0 };
	size_t i;

	see_names(&a->by.wanted, ev);
	(void)ev_tag(ev, SLICE("part.unrecorded"), &unrecorded);
	a->by.unrecorded = false;
	for (i = 0; i < a->by.nkeys; i++) {
		struct key *key = &a->by.key[i];

		key->recorded |= !is_listed(unrecorded, key->name);
		a->by.unrecorded |= !key->recorded && !key->optional;
	}
}

/* The parts of a partial result.  run and mid are MIXED if they are several. */
struct part {
	uint32_t run, mid, measure;
	struct wide start, end;
};

static bool
read_part(struct aggregate *a, const struct ev *ev, const struct slice *tag, struct part *p)
{
	uint32_t run = aggregate_number(&a->runs, ev->col[EV_RUN]);
	struct slice several;

	p->run = ev_tag(ev, SLICE("part.run"), &several) ? MIXED : run;
	p->mid = ev_tag(ev, SLICE("part.mid"), &several)
	    ? MIXED
	    : aggregate_number(&a->mids, grouping_text(ev, tag, a->mid));
	p->measure = run == MIXED ? MIXED : aggregate_measure_number(a, ev, tag, run);
	return p->measure != MIXED;
}

/* Finds the cell that the partial result belongs to. */
static int
find_cell(struct aggregate *a, const struct ev *ev, struct slice *tag, const struct part *p,
    bool total, size_t *number, struct err *e)
{
	char room[GROUPING_WINDOW_MAX];
	struct slice *window;

	size_t i;

	*number = p->measure;
	for (i = 0; !total && i < a->by.nkeys; i++)
		if (grouping_text(ev, tag, a->by.place[i]).p == grouping_nothing)
			return err_data(e, "the key %.*s is missing",
			    slice_shown(a->by.key[i].tag, SHOWN_MAX), a->by.key[i].tag.p);
	if (total)
		return p->measure < a->totals.cap || aggregate_room(a, &a->totals, p->measure)
		    ? 0
		    : err_nomem(e);
	if (a->by.windowed != GROUPING_NONE) {
		window = &tag[a->by.place[a->by.windowed] - EV_COLUMNS];
		if (!grouping_window_read(*window, room, window))
			return err_data(e, "the window of this partial result is not a time");
	}
	*number = aggregate_group(a, ev, tag, p->measure);
	return *number == MIXED ? err_nomem(e) : 0;
}

static int
take_extent(struct aggregate *a, const struct part *p, struct err *e)
{
	if (p->run >= a->extents.cap && !aggregate_room(a, &a->extents, p->run))
		return err_nomem(e);
	aggregate_see(&a->extents.group[p->run], p->run, 0, p->start, p->end, true);
	return 0;
}

/* Adds the partial result to its cell.  If it is damaged, the cell has no results. */
static int
take_state(struct aggregate *a, const struct ev *ev, struct slice *tag, const struct part *p,
    bool total, struct err *e)
{
	struct cells *cells = total ? &a->totals : &a->cells;
	struct state st;
	size_t number;

	if (find_cell(a, ev, tag, p, total, &number, e) != 0)
		return (int)e->code;
	if (cells->group[number].run == BROKEN)
		return 0;
	st = cells_state(cells, number);
	aggregate_see(&cells->group[number], p->run, p->mid, p->start, p->end,
	    results_count(ev->tags));
	if (results_take_tags(a, &st, ev->tags, e) == 0)
		return 0;
	if (e->code == ERR_DATA)
		cells->group[number].run = BROKEN;
	return (int)e->code;
}

/* Takes such functions for keys that have none yet.  Returns false if memory runs out. */
static bool
take_likes(struct aggregate *a, const struct ev *ev)
{
	struct slice list = { NULL, 0 }, element;
	bool ok = true;
	size_t i;

	(void)ev_tag(ev, SLICE("part.like"), &list);
	for (i = 0; ok && i < a->by.nkeys && ev_next_element(&list, &element); i++) {
		struct buf *like = like_of(&a->by.key[i]);

		if (like != NULL && like->len == 0 && !slice_is_nothing(element))
			ok = buf_put(like, element.p, element.len);
	}
	return ok;
}

/*
 * Takes what a part without groups says about the lines that were left out.  Returns false if
 * memory runs out.
 */
static bool
take_left_out(struct aggregate *a, const struct ev *ev, struct slice over)
{
	if (slice_eq(over, SLICE("skipped"))) {
		see_names(&a->on_skipped, ev);
		a->all_skipped = true;
	} else {
		see_keys(a, ev);
		a->all_outside = true;
	}
	return take_likes(a, ev);
}

static int
take_nesting(struct aggregate *a, const struct ev *ev, struct err *e)
{
	struct buf text = { 0 };
	size_t at;
	int rc = esc_undo(&text, ev_get(ev, SLICE("part.nested")), &at) == 0
	    ? nesting_take_text(&a->nesting, &a->by, buf_slice(&text), e)
	    : err_nomem(e);

	buf_free(&text);
	return rc;
}

static int
take_counters(struct aggregate *a, const struct ev *ev, struct err *e)
{
	uint64_t *counter[COUNTERS], n;
	struct slice text;
	size_t i;

	find_counters(a, counter);
	for (i = 0; i < COUNTERS; i++) {
		if (!ev_tag(ev, counter_tags[i], &text))
			continue;
		if (!num_get_u64(text, &n) || n > UINT64_MAX - *counter[i])
			return err_data(e, "the tag %s is not a number, or makes a total too large",
			    counter_tags[i].p);
		*counter[i] += n;
	}
	a->namesakes.found |= ev_tag(ev, SLICE("part.namesakes"), &text);
	return 0;
}

/* Takes the event of a measure of a run. */
static int
take_event(struct aggregate *a, const struct ev *ev, struct err *e)
{
	struct slice event;

	return a->namesakes.found || !ev_tag(ev, SLICE("part.event"), &event) ||
		namesakes_see(&a->namesakes, ev, event)
	    ? 0
	    : err_nomem(e);
}

static int
take_part(struct aggregate *a, const struct ev *ev, struct err *e)
{
	struct slice tag[GROUPING_TAGS_MAX], over = { NULL, 0 }, scopes;
	struct part p;
	uint64_t about;

	see_kinds(a, ev);
	(void)ev_tag(ev, SLICE("part.over"), &over);
	if (slice_eq(over, SLICE("skipped")) || slice_eq(over, SLICE("outside")))
		return take_left_out(a, ev, over) ? 0 : err_nomem(e);
	if (slice_eq(over, SLICE("lines")))
		return take_counters(a, ev, e);
	if (slice_eq(over, SLICE("event")))
		return take_event(a, ev, e);
	if (!grouping_is_settled(&a->by))
		see_keys(a, ev);
	if (slice_eq(over, SLICE("nested")))
		return take_nesting(a, ev, e);
	grouping_find_tags(&a->by, ev, tag);
	if (aggregate_times(ev, grouping_text(ev, tag, a->start), &p.start, &p.end, e) != 0)
		return (int)e->code;
	if (!read_part(a, ev, tag, &p))
		return err_nomem(e);
	a->taken++;
	if (ev_tag(ev, SLICE("part.scopes"), &scopes)) {
		if (!num_get_u64(scopes, &about) || about > ABOUT_ALL)
			return err_data(e, "the tag part.scopes is not a number up to %d",
			    ABOUT_ALL);
		a->said[p.measure].about |= (unsigned char)about;
	}
	if (over.p == NULL)
		return take_state(a, ev, tag, &p, false, e);
	if (slice_eq(over, SLICE("total")))
		return take_state(a, ev, tag, &p, true, e);
	if (slice_eq(over, SLICE("run")))
		return p.run == MIXED ? err_data(e, "the extent of several runs")
				      : take_extent(a, &p, e);
	return err_data(e,
	    "the tag part.over is none of total, run, nested, event, lines, skipped, outside");
}

/*
 * Counts a line that does not fit.  Only the first is reported, since all lines of a shard have the
 * same settings.
 */
static int
refuse_unlike(struct aggregate *a, const struct ev *ev, struct err *e)
{
	return a->unlike++ == 0 ? err_at_line(e, ev->number) : 0;
}

int
aggregate_part(struct aggregate *a, const struct ev *ev, struct err *e)
{
	int rc = a->input == INPUT_PARTS ? check_options(a, ev, ALL_OPTIONS, e) : begin(a, ev, e);
	struct slice first;

	if (rc == ERR_DATA)
		return refuse_unlike(a, ev, e);
	/* only before a first piece are all states complete, so that they can be written */
	if (rc == 0 && mem_used() > a->spill_at && spill_is_due(a) &&
	    ev_tag(ev, SLICE("agg.n"), &first))
		rc = spill_groups(a, e);
	if (rc == 0)
		rc = take_part(a, ev, e);
	return rc == ERR_DATA ? err_at_line(e, ev->number) : rc;
}
