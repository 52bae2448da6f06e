/* SPDX-License-Identifier: ISC */
/* put.c - writes the statistics of a group as lines of kind agg. */
#include <string.h>

#include "lib/mem.h"
#include "lib/short.h"
#include "src/aggregate/aggint.h"
#include "src/aggregate/result.h"

/* Returns the text of the column if it is a key, or the text that all lines of the group have. */
static struct slice
column(const struct aggregate *a, const struct slice *key, enum ev_column which,
    struct slice otherwise)
{
	size_t i;

	for (i = 0; i < a->by.nkeys; i++)
		if (a->by.key[i].column == which)
			return key[i];
	return otherwise;
}

void
results_put_time(struct evwrite *w, struct slice key, struct wide t)
{
	char text[WIDE_DIGITS];

	if (key.len == 0 && t.hi == 0)
		evw_u64(w, t.lo);
	else if (key.len == 0)
		evw_raw(w, (struct slice){ text, wide_put(text, t) });
	else
		evw_tag_raw(w, key, (struct slice){ text, wide_put(text, t) });
}

void
results_begin(const struct aggregate *a, struct evwrite *w, struct slice kind,
    const struct slice *key, struct slice measure, const struct group *g)
{
	struct slice none = SLICE(".");

	evw_begin(w, kind);
	if (wide_cmp(g->start, g->end) <= 0)
		results_put_time(w, (struct slice){ NULL, 0 }, g->end);
	else
		evw_none(w);
	evw_raw(w, column(a, key, EV_RUN, g->run < BROKEN ? a->runs.tab.item[g->run] : none));
	evw_raw(w, column(a, key, EV_REGION, none));
	evw_raw(w, measure);
}

void
results_put_keys(const struct aggregate *a, struct evwrite *w, const struct slice *text)
{
	char room[GROUPING_WINDOW_MAX];
	size_t i;

	for (i = 0; i < a->by.nkeys; i++) {
		const struct key *key = &a->by.key[i];

		if (key->column == EV_RUN || key->column == EV_REGION ||
		    key->column == EV_MEASURE || i == a->windows_key ||
		    (slice_eq(key->tag, SLICE("of")) && slice_is_nothing(text[i])))
			continue;
		evw_tag_raw(w, key->tag,
		    key->source == KEY_WINDOW ? grouping_window_shown(text[i], room) : text[i]);
	}
}

void
results_put_tag(const struct aggregate *a, struct evwrite *w, struct slice key, struct slice value)
{
	if (!slice_is_nothing(value) && !grouping_has(&a->by, key))
		evw_tag_raw(w, key, value);
}

/*
 * The lines of a group differ only in the value, the name of the statistic and its own tags.  What
 * comes before, between and after these is formatted for the first line and copied to the others,
 * unless the lines are so long that tags may be omitted.
 */
#define SHARED_MAX ((size_t)64 * 1024)

struct shared {
	size_t columns, keys; /* where the first two parts end in out->shared */
	bool set;
};

/* A group whose statistics are being written. */
struct written {
	const struct aggregate *a;
	const struct results *r;
	struct results_out *out;
	struct evwrite *w; /* of out */
	const struct identified *id;
	const struct slice *key;
	const struct group *group;
	uint64_t n; /* the lines that were counted */
	struct state state, total; /* total.t is NULL if there is none */
	struct stats_context context;
	bool repeats; /* there may be several lines */
	struct shared shared;
};

/* Windows of another size, or that count from elsewhere, are others: the tag tells them apart. */
static void
put_windows(const struct written *x)
{
	const struct aggregate *a = x->a;
	struct slice windows =
	    a->windows_key != GROUPING_NONE ? x->key[a->windows_key] : a->windows;

	if (windows.p != NULL && !slice_is_nothing(windows))
		evw_tag_raw(x->w, SLICE("windows"), windows);
}

/* The tags after those of the statistic itself. */
static void
put_rest(const struct written *x)
{
	const struct aggregate *a = x->a;

	if (wide_cmp(x->group->start, x->group->end) <= 0)
		results_put_time(x->w, SLICE("start"), x->group->start);
	evw_tag_u64(x->w, SLICE("n"), x->n);
	if (a->input != INPUT_RESULTS)
		results_put_tag(a, x->w, SLICE("of"), x->id->part[ID_OF]);
	put_windows(x);
	if (x->group->mid < BROKEN)
		results_put_tag(a, x->w, SLICE("mid"), a->mids.tab.item[x->group->mid]);
	if (x->id->shows_unit && !grouping_has(&a->by, SLICE("unit")))
		evw_tag_raw(x->w, SLICE("unit"), x->id->part[ID_UNIT]);
	results_put_tag(a, x->w, SLICE("type"), x->id->part[ID_TYPE]);
}

/* Keeps what the line being written shares with those after it.  The places are those in it. */
static void
share(struct written *x, size_t columns, size_t value, size_t stat, size_t own, size_t rest)
{
	struct buf *b = &x->out->shared;
	const char *p = x->w->out.p + x->w->out.len;

	b->len = 0;
	x->shared = (struct shared){ columns, columns + stat - value,
		rest <= SHARED_MAX && buf_put(b, p, columns) &&
		    buf_put(b, p + value, stat - value) && buf_put(b, p + own, rest - own) };
}

/* Writes the first line of a group. */
static void
put_first(struct written *x, struct slice value, struct slice stat, const struct ev_tag *tag,
    size_t tags)
{
	struct evwrite *w = x->w;
	size_t columns, after, own, i;

	results_begin(x->a, w, x->a->interim ? SLICE(EVW_INTERIM "agg") : SLICE("agg"), x->key,
	    x->id->part[ID_MEASURE], x->group);
	columns = evw_length(w);
	evw_raw(w, value);
	results_put_keys(x->a, w, x->key);
	evw_tag_raw(w, SLICE("stat"), stat);
	after = evw_length(w);
	for (i = 0; i < tags; i++)
		evw_tag_raw(w, tag[i].key, tag[i].value);
	own = evw_length(w);
	put_rest(x);
	if (x->repeats && w->nomit == 0 && !evw_failed(w))
		share(x, columns + 1, columns + 1 + value.len, after - stat.len, own,
		    evw_length(w));
	evw_end(w);
}

/* Writes a further line.  Tags are short. */
static void
put_next(const struct written *x, struct slice value, struct slice stat, const struct ev_tag *tag,
    size_t tags)
{
	const struct shared *s = &x->shared;
	struct slice text = buf_slice(&x->out->shared);
	size_t room = text.len + value.len + stat.len, i;
	char *p;

	for (i = 0; i < tags; i++)
		room += tag[i].key.len + tag[i].value.len + 2;
	evw_start(x->w);
	p = evw_room(x->w, room);
	if (p == NULL)
		return;
	p = short_copy(p, text.p, s->columns);
	p = short_copy(p, value.p, value.len);
	p = short_copy(p, text.p + s->columns, s->keys - s->columns);
	p = short_copy(p, stat.p, stat.len);
	for (i = 0; i < tags; i++) {
		*p++ = '\t';
		p = short_copy(p, tag[i].key.p, tag[i].key.len);
		*p++ = '=';
		p = short_copy(p, tag[i].value.p, tag[i].value.len);
	}
	p = short_copy(p, text.p + s->keys, text.len - s->keys);
	evw_advance(x->w, p);
	evw_end_line(x->w);
}

/* Writes a line, with its own tags. */
static void
put_line(struct written *x, struct slice value, struct slice stat, const struct ev_tag *tag,
    size_t tags)
{
	if (x->shared.set)
		put_next(x, value, stat, tag, tags);
	else
		put_first(x, value, stat, tag, tags);
}

static void
put_bins(struct written *x)
{
	char count[NUM_MAX];
	struct bin bin;
	size_t at = 0;

	if (x->n > 1 && x->state.d->hist.n > x->out->bins)
		x->out->bins = x->state.d->hist.n;
	while (!evw_failed(x->w) && state_next_bin(&x->a->stats.keep, &x->state, &at, &bin)) {
		const struct ev_tag ends[] = {
			{ SLICE("lo"), { bin.lo, bin.lo_len } },
			{ SLICE("hi"), { bin.hi, bin.hi_len } },
		};

		put_line(x, (struct slice){ count, num_put_u64(count, bin.count) }, SLICE("hist"),
		    ends, 2);
	}
}

/* Returns true if its groups are no parts of their total. */
static bool
is_nested(const struct identified *id)
{
	return id->overlaps || ev_is_nested_measure(id->part[ID_MEASURE]);
}

/* Returns a statistic of the total, or "." if there is none. */
static struct slice
total_of(const struct written *x, size_t i)
{
	const struct results *r = x->r;
	size_t at = r->total_at[x->id->whole * x->a->stats.n + i];

	return at == 0
	    ? SLICE(".")
	    : (struct slice){ r->total_text.p + at, (unsigned char)r->total_text.p[at - 1] };
}

static void
put_stat(struct written *x, size_t i, struct slice name)
{
	const struct stats *stats = &x->a->stats;
	char text[STATS_PUT_MAX], room[STATS_METHOD_MAX];
	bool has_total = (x->a->several && x->total.t != NULL) || x->id->overlaps;
	struct slice method = stats_method(stats, i, room);
	struct ev_tag tag[2];
	size_t n, tags = 0;

	if (stats->wanted[i].stat == STAT_HIST) {
		put_bins(x);
		return;
	}
	n = stats_put_value(text, stats, i, &x->state, &x->context);
	if (method.len != 0)
		tag[tags++] = (struct ev_tag){ SLICE("percentile"), method };
	if (has_total)
		tag[tags++] = (struct ev_tag){ SLICE("total"),
			x->id->overlaps ? SLICE(".") : total_of(x, i) };
	put_line(x, (struct slice){ text, n }, name, tag, tags);
}

/*
 * Writes a result that was joined from results of one statistic.  Counts are added up; they are
 * still counts.
 */
static void
put_joined(struct written *x)
{
	struct slice of = x->id->part[ID_OF];
	enum stat rule = slice_eq(of, SLICE("min")) ? STAT_MIN
	    : slice_eq(of, SLICE("max"))            ? STAT_MAX
						    : STAT_SUM;
	size_t i;

	for (i = 0; i < x->a->stats.n; i++)
		if (x->a->stats.wanted[i].stat == rule)
			put_stat(x, i, of);
}

/*
 * Finds the duration of a group: the one that is known of all lines, or its window, or the extent
 * of its run if it has only one and all lines of the measure have times.  WINDOW is the text of its
 * window; "." for lines without a time, or for totals.
 */
static const struct wide *
duration_of(const struct aggregate *a, const struct identified *id, const struct group *g,
    struct slice window, struct wide *room)
{
	const struct group *extent;

	if (!a->stats.wants_duration)
		return NULL;
	if (a->duration != 0) {
		*room = (struct wide){ 0, a->duration };
		return room;
	}
	if (a->by.windowed != GROUPING_NONE) {
		*room = (struct wide){ 0, a->by.window.size };
		return slice_is_nothing(window) ? NULL : room;
	}
	if (id->untimed || g->run >= BROKEN || g->run >= a->extents.cap)
		return NULL;
	extent = &a->extents.group[g->run];
	if (wide_cmp(extent->start, extent->end) >= 0)
		return NULL;
	*room = wide_sub(extent->end, extent->start);
	return room;
}

/* Writes the statistics of one total. */
static bool
put_total(const struct aggregate *a, struct results *r, const struct identified *id, uint32_t total)
{
	const struct group *g = &a->totals.group[total];
	const struct state st = cells_state(&a->totals, total);
	struct wide room;
	const struct stats_context context = { duration_of(a, id, g, SLICE("."), &room), st.t,
		g->run == MIXED };
	char text[STATS_PUT_MAX];
	size_t i, n;

	for (i = 0; i < a->stats.n; i++) {
		enum stat stat = a->stats.wanted[i].stat;

		if (stat == STAT_HIST || (id->texts && stat != STAT_COUNT))
			continue;
		n = stats_put_value(text, &a->stats, i, &st, &context);
		if (!buf_putc(&r->total_text, (char)n) || !buf_put(&r->total_text, text, n))
			return false;
		r->total_at[id->whole * a->stats.n + i] = r->total_text.len - n;
	}
	return true;
}

/*
 * It is done once, since a percentile is found by a walk over all values.  A statistic over results
 * that overlap is none over their lines.
 */
bool
results_put_totals(const struct aggregate *a, struct results *r)
{
	size_t i;

	r->total_at = mem_zero(r->wholes.count * a->stats.n + 1, sizeof *r->total_at);
	for (i = 0; r->total_at != NULL && i < r->identities; i++) {
		const struct identified *id = &r->identity[i];
		uint32_t total = r->total[id->whole];

		if (total == i && a->totals.group[total].run != BROKEN && !is_nested(id) &&
		    !a->overlaps && !put_total(a, r, id, total))
			return false;
	}
	return r->total_at != NULL;
}

/* Writes the statistics of values that are texts.  Results that are joined by others have none. */
static void
put_texts(struct written *x)
{
	const struct stats *stats = &x->a->stats;
	size_t i;

	for (i = 0; i < stats->n; i++)
		if (stats->wanted[i].stat == STAT_COUNT)
			put_stat(x, i, stats->wanted[i].name);
}

static int
put_group(struct written *x, struct err *e)
{
	const struct aggregate *a = x->a;
	size_t i;

	if (x->out->watch != NULL &&
	    !absent_count(x->out->watch, &a->by, x->key, x->id->rank, x->id->part[ID_OF], x->n))
		return err_nomem(e);
	if (state_settle(&a->stats.keep, &x->state, e) != 0)
		return (int)e->code;
	if (x->id->texts) {
		put_texts(x);
		return 0;
	}
	if (a->stats.wants_duration && x->context.duration == NULL && !a->interim)
		x->out->rateless++;
	if (x->context.duration != NULL && x->group->run == MIXED && !a->interim)
		x->out->pooled_rates++;
	if (a->stats.wants_clock && x->context.clocks && !a->interim)
		x->out->clocks++;
	if (a->stats.wants_total && is_nested(x->id) && !a->interim)
		x->out->shareless++;
	if (a->input == INPUT_RESULTS) {
		put_joined(x);
		return 0;
	}
	for (i = 0; i < a->stats.n; i++)
		put_stat(x, i, a->stats.wanted[i].name);
	return 0;
}

/* Checks that no total or extent was lost among partial results. */
static int
check_whole(const struct aggregate *a, const struct written *x, struct err *e)
{
	const struct group *g = x->group, *extent;

	if (a->input != INPUT_PARTS)
		return 0;
	if (aggregate_wants_totals(a) && (x->total.t == NULL || x->total.t->n < x->state.t->n))
		return err_data(e,
		    "the total of a measure is not in the partial results, or only "
		    "a part of it (lines with part.over=total)");
	if (!a->stats.wants_duration || a->by.windowed != GROUPING_NONE || g->run >= BROKEN ||
	    wide_cmp(g->start, g->end) > 0)
		return 0;
	extent = g->run < a->extents.cap ? &a->extents.group[g->run] : NULL;
	if (extent == NULL || wide_cmp(extent->start, g->start) > 0 ||
	    wide_cmp(extent->end, g->end) < 0)
		return err_data(e,
		    "the times of a run are not in the partial results, or only a "
		    "part of them (lines with part.over=run)");
	return 0;
}

/* Finds the keys in the text of a group, which has no others. */
static void
find_keys(struct slice text, struct slice *key, size_t n)
{
	if (n != 0)
		key[n - 1] = aggregate_split(text, key, n - 1);
}

/* Like results_put, but fails with ERR_DATA if partial results do not fit together. */
static int
put_whole(const struct aggregate *a, const struct results *r, struct results_out *out,
    const struct placed *p, struct err *e)
{
	struct slice key[GROUPING_KEYS_MAX];
	struct written x = { .a = a,
		.r = r,
		.out = out,
		.w = out->w,
		.id = &r->identity[p->measure],
		.key = key };
	struct wide duration;
	uint32_t total = r->total[x.id->whole];

	x.group = &p->cells->group[p->number];
	if (x.group->run == BROKEN)
		return 0;
	if (a->partial)
		return part_put(a, r, out->w, p, e);
	find_keys(p->keys, key, a->by.nkeys);
	x.repeats = a->stats.n > 1 || a->stats.wanted[0].stat == STAT_HIST;
	x.state = cells_state(p->cells, p->number);
	x.context.clocks = x.group->run == MIXED;
	x.n = p->cells->counted != NULL ? p->cells->counted[p->number] : x.state.t->n;
	x.context.duration = duration_of(a, x.id, x.group,
	    a->by.windowed != GROUPING_NONE ? key[a->by.windowed] : SLICE("."), &duration);
	if (total != MIXED && a->totals.group[total].run != BROKEN) {
		x.total = cells_state(&a->totals, total);
		x.context.total = is_nested(x.id) ? NULL : x.total.t;
	}
	out->n[x.id->whole] += x.state.t->n;
	return check_whole(a, &x, e) != 0 ? (int)e->code : put_group(&x, e);
}

int
results_put(const struct aggregate *a, const struct results *r, struct results_out *out,
    const struct placed *p, struct err *e)
{
	int rc = put_whole(a, r, out, p, e);

	if (rc != ERR_DATA)
		return rc;
	if (out->misfits++ == 0)
		out->misfit = *e;
	return 0;
}
