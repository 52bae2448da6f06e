/* SPDX-License-Identifier: ISC */
/* duration.c - turns start and stop lines into spans. */
#include "src/duration/duration.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "lib/kinds.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/short.h"
#include "lib/vec.h"
#include "src/duration/durint.h"

#define LABEL_SHOWN 60
#define INNER_MAX 1000 /* regions that are looked at for a message */
#define PAUSES_NOTED 4096 /* the first ones of a run, if they are kept only for a message */

/* Returns the place for the value of a known tag, or NULL for any other tag. */
static struct slice *
place(struct dur_line *l, struct slice key)
{
	switch (key.len) {
	case 2: return short_eq(key, SLICE("id")) ? &l->id : NULL;
	case 3:
		return short_eq(key, SLICE("mid")) ? &l->mid
		    : short_eq(key, SLICE("utc"))  ? &l->utc
						   : NULL;
	case 4:
		return short_eq(key, SLICE("unit")) ? &l->unit
		    : short_eq(key, SLICE("type"))  ? &l->type
						    : NULL;
	case 5:
		return short_eq(key, SLICE("scope")) ? &l->scope
		    : short_eq(key, SLICE("start"))  ? &l->start
						     : NULL;
	case 8: return short_eq(key, SLICE("interval")) ? &l->interval : NULL;
	}
	return NULL;
}

void
duration_reads(ev_key_sink *sink, void *ctx)
{
	sink(ctx, SLICE("scope"));
	sink(ctx, SLICE("id"));
	sink(ctx, SLICE("interval"));
}

/* Returns whether a tag with this key has another meaning in the output. */
static bool
is_ours(struct slice key)
{
	switch (key.len) {
	case 5: return short_eq(key, SLICE("depth")) || short_eq(key, SLICE("stack"));
	case 6: return short_eq(key, SLICE("parent")) || short_eq(key, SLICE("paused"));
	case 7: return short_eq(key, SLICE("elapsed")) || short_eq(key, SLICE("omitted"));
	case 9: return short_eq(key, SLICE("stack_cut"));
	}
	return false;
}

static int
name_it(struct dur_line *l, struct err *e)
{
	l->name = (struct open_name){ OPEN_REGION, l->run, l->id, l->interval };
	if (l->scope.len == 0)
		l->name.kind = l->interval.len != 0 ? OPEN_SECTION : OPEN_REGION;
	else if (short_eq(l->scope, SLICE("section")))
		l->name.kind = OPEN_SECTION;
	else if (short_eq(l->scope, SLICE("run")))
		l->name.kind = OPEN_RUN;
	else if (!short_eq(l->scope, SLICE("region")))
		return err_line(e, l->ev->number, "scope \"%.*s\" is not region, section or run",
		    slice_shown(l->scope, LABEL_SHOWN), l->scope.p);
	if (l->name.kind == OPEN_REGION)
		l->name.interval.len = 0;
	if (l->id.len == 0) {
		l->name.kind |= OPEN_NAMELESS;
		l->name.id = l->ev->col[EV_REGION];
	}
	return 0;
}

/* Reads the tags of a line.  Returns ERR_DATA for an unknown scope. */
static int
dur_words(struct duration *d, const struct ev *ev, struct dur_line *l, struct err *e)
{
	struct slice none = SLICE("");
	size_t i;

	l->ev = ev;
	l->scope = l->id = l->interval = l->start = l->mid = l->unit = l->type = l->utc = none;
	d->others.len = 0;
	for (i = 0; i < ev->ntags; i++) {
		const char *p = ev->base + ev->cut[i] + 1;
		size_t len = ev->cut[i + 1] - ev->cut[i] - 1;
		const char *eq = memchr(p, '=', len);
		struct slice key = { p, eq == NULL ? 0 : (size_t)(eq - p) };
		struct slice value = { p + key.len + 1, len - key.len - 1 };
		struct slice *to = eq == NULL ? NULL : place(l, key);

		if (to == NULL) {
			if (!is_ours(key) && !buf_put(&d->others, p - 1, len + 1))
				return err_nomem(e);
		} else if (!slice_is_nothing(value) || to == &l->unit) {
			*to = value;
		}
	}
	l->others = d->others.len == 0 ? none : buf_slice(&d->others);
	return name_it(l, e);
}

/* Reads a time of the line.  WHAT is its name in the message. */
static int
dur_time(struct slice text, const char *what, struct wide *t, struct err *e)
{
	t->hi = 0;
	if (num_get_u64(text, &t->lo) || wide_get(text, t) == WIDE_OK)
		return 0;
	return err_data(e, "%s \"%.*s\" is not a time of up to 128 bits", what,
	    slice_shown(text, LABEL_SHOWN), text.p);
}

const char *
dur_scope(unsigned kind)
{
	static const char *const scopes[] = { "region", "section", "run", "section" };

	return scopes[kind & OPEN_SCOPE];
}

static const char *
describe(char text[DUR_SHOWN_MAX], const struct open_name *name, struct slice label)
{
	size_t len = 0;
	bool nameless = (name->kind & OPEN_NAMELESS) != 0;

	if (name->interval.len != 0)
		len = (size_t)snprintf(text, DUR_SHOWN_MAX, "interval %.*s of ",
		    slice_shown(name->interval, 24), name->interval.p);
	len += (size_t)snprintf(text + len, DUR_SHOWN_MAX - len, "%s%s%.*s", dur_scope(name->kind),
	    nameless ? "" : " ", nameless ? 0 : slice_shown(name->id, 24), name->id.p);
	if (!slice_is_nothing(label))
		snprintf(text + len, DUR_SHOWN_MAX - len, " \"%.*s\"",
		    slice_shown(label, LABEL_SHOWN), label.p);
	return text;
}

const char *
dur_describe(char text[DUR_SHOWN_MAX], const struct dur_line *line)
{
	return describe(text, &line->name, line->ev->col[EV_REGION]);
}

const char *
dur_describe_open(char text[DUR_SHOWN_MAX], const struct interval *v)
{
	struct open_name name = { v->kind, v->run, open_text(v, v->id), open_text(v, v->interval) };

	return describe(text, &name, open_text(v, v->label));
}

/* the number of measures that are distinguished; all further ones are taken to be in the group */
#define GROUP_MAX ((size_t)1024)

bool
dur_is_anonymous(const struct dur_line *line)
{
	return line->name.kind == (OPEN_REGION | OPEN_NAMELESS) &&
	    slice_is_nothing(line->ev->col[EV_REGION]);
}

/*
 * Returns whether the line names v, which has ended, in the same way as the stop of v did.  The id
 * and the interval are already known to be the same.
 */
static bool
dur_stopped_so(const struct interval *v, const struct dur_line *line)
{
	struct slice label = line->ev->col[EV_REGION];

	if (v->anonymous || dur_is_anonymous(line))
		return v->anonymous && dur_is_anonymous(line);
	return slice_is_nothing(label) || short_eq(label, open_text(v, v->stop_label));
}

/*
 * Returns whether the line names the interval as the first line of the group did.  The label of a
 * start is checked later.
 */
static bool
is_same(const struct dur_group *g, const struct dur_line *line)
{
	const struct interval *v = g->v;

	if (!v->open && v->anonymous)
		return dur_is_anonymous(line);
	return (v->open || dur_stopped_so(v, line)) &&
	    (v->kind & ~(unsigned)OPEN_ENDED) == line->name.kind &&
	    short_eq(open_text(v, v->id), line->name.id) &&
	    short_eq(open_text(v, v->interval), line->name.interval);
}

static uint64_t
hash_what(const struct duration *d)
{
	return XXH3_64bits_withSeed(d->what.p, d->what.len, d->open.seed);
}

/*
 * Returns whether the group has the measure.  The hash is seeded and has 64 bits, so nobody can
 * construct two measures with the same hash.
 */
static bool
has_what(const struct dur_group *g, uint64_t hash)
{
	size_t i;

	for (i = 0; i < g->n; i++)
		if (g->what[i] == hash)
			return true;
	return false;
}

static bool
put_what(struct dur_group *g, uint64_t hash)
{
	if (g->n == GROUP_MAX)
		return true;
	if (!vec_room(g->what, g->n, g->cap))
		return false;
	g->what[g->n++] = hash;
	return true;
}

/*
 * Sets d->what to the subject of the line's measurement, if it has one, and *v to the interval to
 * whose start or stop the line belongs, or to NULL.  Returns ERR_SYS if memory runs out.
 */
static int
dur_group_take(struct duration *d, const struct dur_line *line, struct interval **v)
{
	struct dur_group *g = &d->run[line->run].group;
	uint64_t hash;

	*v = NULL;
	if (!dur_has_measure(line))
		return 0;
	if (!dur_snap_what(d, line))
		return ERR_SYS;
	if (g->v == NULL || g->n == 0 || !is_same(g, line))
		return 0;
	hash = hash_what(d);
	if (has_what(g, hash))
		return 0;
	*v = g->v;
	return put_what(g, hash) ? 0 : ERR_SYS;
}

/*
 * Returns whether the measure of the line was among those of the last start or stop, if that was
 * the start or stop of v.
 */
static bool
dur_group_has(const struct duration *d, const struct dur_line *line, const struct interval *v)
{
	const struct dur_group *g = &d->run[line->run].group;

	return g->v == v && has_what(g, hash_what(d));
}

bool
dur_group_begin(struct duration *d, const struct dur_line *line, struct interval *v)
{
	struct dur_group *g = &d->run[line->run].group;

	g->v = v;
	g->n = 0;
	return !dur_has_measure(line) || put_what(g, hash_what(d));
}

static struct open_name
union_name(const struct dur_line *line)
{
	return (struct open_name){ (line->name.kind & ~(unsigned)OPEN_SCOPE) | OPEN_UNION,
		line->run, line->name.id, SLICE("") };
}

/* Opens the section, or leaves it the tags that this start has, too, if it is open already. */
static struct interval *
open_union(struct duration *d, const struct dur_line *line)
{
	struct dur_line of = *line;
	struct interval *u;

	of.name = union_name(line);
	u = open_find(&d->open, &of.name);
	if (u != NULL)
		return dur_keep_shared(u, line->others) ? u : NULL;
	u = dur_begin(d, &of);
	if (u == NULL)
		return NULL;
	u->open = false;
	return open_enter(&d->open, u) ? u : NULL;
}

static int
dur_section_start(struct duration *d, const struct dur_line *line, struct err *e)
{
	struct interval *v = open_find(&d->open, &line->name), *u = NULL;

	if (v != NULL)
		return dur_start_again(d, line, v, e);
	if ((line->name.kind & OPEN_SCOPE) == OPEN_SECTION) {
		u = open_union(d, line);
		if (u == NULL)
			return err_nomem(e);
		u->open_intervals++;
	}
	v = dur_begin(d, line);
	if (v == NULL || !open_enter(&d->open, v) || !dur_snap_start(d, line, v) ||
	    !dur_group_begin(d, line, v))
		return err_nomem(e);
	v->around = u;
	return 0;
}

static void
put(struct duration *d, const struct dur_line *line, const struct interval *v,
    enum dur_measure which)
{
	dur_span(d, line, v, which, wide_sub(line->time, v->start), dur_paused(d, line, v));
}

static int
dur_section_stop(struct duration *d, const struct dur_line *line, struct err *e)
{
	struct interval *v = open_find(&d->open, &line->name), *u;
	char text[DUR_SHOWN_MAX];

	if (v == NULL)
		return err_line(e, line->ev->number, "stop of %s, which is not open",
		    dur_describe(text, line));
	u = v->around;
	put(d, line, v, DUR_INCLUSIVE);
	if (dur_end(d, line, v, e) != 0)
		return e->code;
	if (u == NULL || --u->open_intervals != 0)
		return 0;
	put(d, line, u, DUR_UNION);
	open_leave(&d->open, u);
	open_give(&d->open, u);
	return 0;
}

#define NO_RUN UINT32_MAX

struct duration *
duration_new(struct evwrite *w, unsigned flags)
{
	struct duration *d = mem_zero(1, sizeof *d);

	if (d != NULL) {
		d->w = w;
		d->flags = flags;
		d->max_stack = DURATION_MAX_STACK;
	}
	return d;
}

void
duration_set_max_stack(struct duration *d, size_t labels)
{
	d->max_stack = labels;
}

void
duration_free(struct duration *d)
{
	size_t i;

	if (d == NULL)
		return;
	for (i = 0; i < d->runs.count && i < d->runs_cap; i++) {
		buf_free(&d->run[i].stack);
		mem_free(d->run[i].stacked);
		pauses_free(&d->run[i].pauses);
		mem_free(d->run[i].group.what);
	}
	mem_free(d->run);
	tab_free(&d->runs);
	open_free(&d->open);
	evsort_free(d->late);
	buf_free(&d->others);
	buf_free(&d->tags);
	buf_free(&d->cut);
	buf_free(&d->what);
	buf_free(&d->lone_names);
	buf_free(&d->value);
	buf_free(&d->measure);
	buf_free(&d->key);
	tab_free(&d->deltas);
	units_free(&d->units);
	mem_free(d->unfinished);
	mem_free(d);
}

/* Returns the number of the run, or NO_RUN when memory runs out. */
static uint32_t
run_of(struct duration *d, struct slice name)
{
	size_t n;
	bool fresh;

	if (d->runs.count != 0 && short_eq(name, d->last_run))
		return d->last;
	n = tab_add(&d->runs, name, &fresh);
	if (n == TAB_NONE)
		return NO_RUN;
	if (!vec_room(d->run, n, d->runs_cap))
		return NO_RUN;
	if (fresh)
		d->run[n] = (struct dur_run){ .top = NULL };
	d->last_run = d->runs.item[n];
	d->last = (uint32_t)n;
	return d->last;
}

static int
at_line(const struct dur_line *line, struct err *e)
{
	return err_at_line(e, line->ev->number);
}

static int
read_line(struct duration *d, const struct ev *ev, struct dur_line *line, struct err *e)
{
	int rc;

	d->lines++;
	line->run = run_of(d, ev->col[EV_RUN]);
	if (line->run == NO_RUN)
		return err_nomem(e);
	rc = dur_words(d, ev, line, e);
	if (rc == 0)
		rc = dur_time(ev->col[EV_TIME], "time", &line->time, e);
	return rc == ERR_DATA ? at_line(line, e) : rc;
}

static int
read_pause(struct duration *d, const struct ev *ev, struct dur_line *line, struct wide *start,
    struct err *e)
{
	int rc = read_line(d, ev, line, e);

	if (rc != 0)
		return rc;
	if (line->start.len == 0)
		return err_line(e, ev->number, "pause without start=");
	if (dur_time(line->start, "start", start, e) != 0)
		return at_line(line, e);
	if (wide_cmp(*start, line->time) > 0)
		return err_line(e, ev->number, "pause that ends before it starts");
	return 0;
}

int
duration_foresee(struct duration *d, const struct ev *ev, struct err *e)
{
	struct pauses *pauses;
	struct dur_line line;
	struct wide start;
	int rc;

	if ((d->flags & (DURATION_DEDUCT | DURATION_SORTED)) == 0 ||
	    !short_eq(ev->col[EV_KIND], SLICE("pause")))
		return 0;
	rc = read_pause(d, ev, &line, &start, e);
	if (rc != 0)
		return rc == ERR_SYS ? rc : 0;
	pauses = &d->run[line.run].pauses;
	if ((d->flags & DURATION_DEDUCT) == 0 && pauses->n == PAUSES_NOTED)
		return 0;
	return pauses_add(pauses, start, line.time) ? 0 : err_nomem(e);
}

/*
 * Writes a pause unchanged.  A damaged pause deducts nothing, and its error is reported here if
 * that matters.
 */
static int
take_pause(struct duration *d, const struct ev *ev, struct err *e)
{
	struct dur_line line;
	struct wide start;
	int rc;

	evw_line(d->w, ev->text);
	rc = read_pause(d, ev, &line, &start, e);
	if ((d->flags & DURATION_DEDUCT) != 0 || rc == ERR_SYS)
		return rc;
	if (rc == 0)
		dur_note_pause(d, &line, start);
	return 0;
}

/* Moves on to the time of a start or a stop.  Time must not go back. */
static int
go_on(struct duration *d, const struct dur_line *line, struct err *e)
{
	struct dur_run *run = &d->run[line->run];
	int c = wide_cmp(line->time, run->now);

	if (c < 0)
		return err_line(e, line->ev->number,
		    "goes back in time: it is left out; use --sort, or sort -s -t "
		    "\"$(printf '\\t')\" -k 3,3 -k 2,2n before");
	if (c > 0) {
		run->group.v = NULL;
		run->fresh = NULL;
		run->nfresh = 0;
		dur_forget_ended(d, run);
		run->now = line->time;
	}
	return 0;
}

static bool
is_region(const struct dur_line *line)
{
	return (line->name.kind & OPEN_SCOPE) == OPEN_REGION;
}

static int
take_start(struct duration *d, const struct dur_line *line, struct err *e)
{
	struct interval *v;
	int rc = go_on(d, line, e);

	if (rc != 0)
		return rc;
	if (dur_group_take(d, line, &v) != 0)
		return err_nomem(e);
	if (v != NULL && v->open && dur_snap_is_more(d, line, v))
		return dur_snap_start(d, line, v) ? 0 : err_nomem(e);
	d->run[line->run].group.v = NULL;
	return is_region(line) ? dur_region_start(d, line, e) : dur_section_start(d, line, e);
}

/*
 * Returns the interval that has just ended, if its stop used the same name as the line.  If the
 * line has no name, this is the last interval that ended.
 */
static struct interval *
find_ended(const struct duration *d, const struct dur_line *line)
{
	struct open_name name = line->name;
	struct interval *v;

	name.kind |= OPEN_ENDED;
	v = dur_is_anonymous(line) ? d->run[line->run].group.v : open_find(&d->open, &name);
	return v != NULL && !v->open && dur_stopped_so(v, line) ? v : NULL;
}

/* Returns the open region or interval that the line names, or NULL. */
static struct interval *
find_open(const struct duration *d, const struct dur_line *line)
{
	return dur_is_anonymous(line) ? d->run[line->run].top : open_find(&d->open, &line->name);
}

/*
 * Returns the interval that ended at this time, if the line has one more value of its stop, or
 * NULL.
 */
static struct interval *
ended(struct duration *d, const struct dur_line *line)
{
	struct interval *v;

	if (!dur_has_measure(line))
		return NULL;
	v = find_ended(d, line);
	if (v == NULL || dur_snap_waits(d, line, v))
		return v;
	/* if its measure has already come, the line is another stop */
	return find_open(d, line) != NULL || dur_snap_is_done(d, v) || dur_group_has(d, line, v)
	    ? NULL
	    : v;
}

/*
 * Returns the first region inside the interval that began after it, and whose stop has not come, or
 * NULL.  The number of regions is limited, as this is only for a message.
 */
static const struct interval *
find_unstopped(const struct interval *v)
{
	const struct interval *inner = v->inner;
	size_t i;

	for (i = 0; i < INNER_MAX && inner != NULL; i++, inner = inner->inner)
		if (!inner->refused && wide_cmp(inner->start, v->start) != 0)
			return inner;
	return NULL;
}

/*
 * Handles a stop that goes back in time.  A decoder of AFPerf writes the stop of a region when it
 * knows those of the regions inside it, so one that never stops may be the cause, although the file
 * is in order.  Returns ERR_DATA.
 */
static int
refuse_stop(struct duration *d, const struct dur_line *line, struct err *e)
{
	struct interval *v = find_open(d, line);
	const struct interval *inner;
	char text[DUR_SHOWN_MAX];

	if (v == NULL)
		return e->code;
	v->refused = true;
	inner = find_unstopped(v);
	if (inner == NULL || wide_cmp(inner->start, line->time) >= 0)
		return e->code;
	return err_line(e, line->ev->number,
	    "goes back in time: it is left out, perhaps because %.80s of line %" PRIu64
	    " in it is never stopped; use --sort, or sort -s -t \"$(printf '\\t')\" -k 3,3 -k 2,2n "
	    "before",
	    dur_describe_open(text, inner), inner->line);
}

static int
take_stop(struct duration *d, const struct dur_line *line, struct err *e)
{
	struct interval *v;
	int rc = go_on(d, line, e);

	if (rc != 0)
		return refuse_stop(d, line, e);
	if (dur_group_take(d, line, &v) != 0)
		return err_nomem(e);
	if (v != NULL && !v->open)
		return dur_snap_stop(d, line, v) ? 0 : err_nomem(e);
	v = ended(d, line);
	if (v != NULL)
		return dur_group_begin(d, line, v) && dur_snap_stop(d, line, v) ? 0 : err_nomem(e);
	d->run[line->run].group.v = NULL;
	return is_region(line) ? dur_region_stop(d, line, e) : dur_section_stop(d, line, e);
}

/* Processes a sample.  A damaged sample is not an error here, but is written unchanged. */
static int
take_sample(struct duration *d, const struct ev *ev, struct err *e)
{
	struct dur_line line;
	int rc;

	evw_line(d->w, ev->text);
	d->events = true;
	if (d->open.count == 0)
		return 0;
	rc = read_line(d, ev, &line, e);
	if (rc == ERR_DATA)
		return 0;
	if (rc == 0 && !dur_snap_sample(d, &line))
		return err_nomem(e);
	return rc;
}

static int
take_mark(struct duration *d, const char *file, const struct ev *ev,
    int (*take)(struct duration *, const struct dur_line *, struct err *), struct err *e)
{
	struct dur_line line = { .file = file };
	int rc = read_line(d, ev, &line, e);

	d->marks = true;
	/* a stop that has waited was written when it came */
	if ((d->flags & DURATION_KEEP) != 0 && !d->late_due)
		evw_line(d->w, ev->text);
	if (rc != 0)
		return rc;
	rc = take(d, &line, e);
	if (rc != ERR_DATA || d->run[line.run].described < 2)
		return rc;
	d->run[line.run].misfits++;
	return 0;
}

/* Counts the run lines of a run. */
static int
take_run(struct duration *d, const struct ev *ev, struct err *e)
{
	uint32_t run = run_of(d, ev->col[EV_RUN]);

	evw_line_about(d->w, ev, SLICE("")); /* stacks are its own */
	if (run == NO_RUN)
		return err_nomem(e);
	d->run[run].described++;
	return 0;
}

bool
duration_is_timed(const struct ev *ev, struct wide *time)
{
	struct slice kind = ev->col[EV_KIND];

	return (short_eq(kind, SLICE("start")) || short_eq(kind, SLICE("stop")) ||
		   short_eq(kind, SLICE("sample"))) &&
	    dur_time(ev->col[EV_TIME], "time", time, NULL) == 0;
}

int
duration_line(struct duration *d, const char *file, const struct ev *ev, struct err *e)
{
	struct slice kind = ev->col[EV_KIND];

	if (short_eq(kind, SLICE("start")))
		return take_mark(d, file, ev, take_start, e);
	if (short_eq(kind, SLICE("stop")))
		return take_mark(d, file, ev, take_stop, e);
	if (short_eq(kind, SLICE("sample")))
		return take_sample(d, ev, e);
	if (short_eq(kind, SLICE("pause")))
		return take_pause(d, ev, e);
	if (short_eq(kind, SLICE("run")))
		return take_run(d, ev, e);
	if (short_eq(kind, SLICE("measure")) && !units_declare(&d->units, ev))
		return err_nomem(e);
	if (short_eq(kind, SLICE("span")))
		d->spans = true;
	else
		d->events |= kind_is_event(kind);
	evw_line_about(d->w, ev, SLICE(""));
	return 0;
}

bool
dur_may_wait(const struct duration *d)
{
	return (d->flags & DURATION_SORTED) != 0 && !d->late_due;
}

int
dur_wait(struct duration *d, const struct dur_line *line, struct interval *v, struct err *e)
{
	struct wide place = { 0, UINT64_MAX - v->order }; /* regions inside it started later */

	v->late = true;
	if (d->late == NULL) {
		d->late = evsort_new(EVSORT_MEMORY);
		d->late_run = line->run;
		d->late_time = line->time;
	}
	return d->late == NULL ? err_nomem(e) : evsort_add(d->late, line->file, line->ev, place, e);
}

/* Returns whether the line is of the run and the time of the stops that wait. */
static bool
is_simultaneous(const struct duration *d, const struct ev *ev)
{
	struct wide time;

	return duration_is_timed(ev, &time) && wide_cmp(time, d->late_time) == 0 &&
	    slice_eq(ev->col[EV_RUN], d->runs.item[d->late_run]);
}

bool
duration_late(struct duration *d, const struct ev *next, const char **file, int *rc, struct err *e)
{
	struct ev ev;

	if (d->late == NULL || (next != NULL && is_simultaneous(d, next)))
		return false;
	d->late_due = true;
	*rc = evsort_next(d->late, file, &ev, e);
	if (*rc > 0) {
		*rc = take_mark(d, *file, &ev, take_stop, e);
		return true;
	}
	evsort_free(d->late);
	d->late = NULL;
	d->late_due = false;
	if (*rc == 0)
		return false;
	*file = NULL;
	*rc = ERR_SYS;
	return true;
}

#define NOTES 1 /* number of notes about omissions, which come after the limits */

static int
cmp_order(const void *a, const void *b)
{
	const struct interval *x = *(struct interval *const *)a, *y = *(struct interval *const *)b;

	return (x->order > y->order) - (x->order < y->order);
}

/*
 * Collects all open intervals, in the order of their starts.  Returns false when memory runs out.
 */
static bool
collect(struct duration *d)
{
	struct interval *v;
	size_t n = 0, i;

	for (i = 0; i < d->runs.count && i < d->runs_cap; i++)
		dur_forget_ended(d, &d->run[i]);
	for (v = d->open.all; v != NULL; v = v->older)
		n += v->open;
	d->unfinished = mem_alloc((n + 1) * sizeof(struct interval *));
	if (d->unfinished == NULL)
		return false;
	for (v = d->open.all; v != NULL; v = v->older)
		if (v->open)
			d->unfinished[d->nunfinished++] = v;
	qsort(d->unfinished, n, sizeof(struct interval *), cmp_order);
	return true;
}

/*
 * Describes an omission and its reason: an error if a limit was exceeded, otherwise a note.
 * Returns false if nothing was left out.
 */
static bool
left_out(const struct duration *d, size_t which, struct duration_rest *rest)
{
	static const char *const what[DUR_LIMITS + NOTES] = {
		"values of more than 1024 measures of one interval",
		"parents of more than 4 KiB",
		"labels and tags of deltas, longer than 64 KiB",
		"values of start and stop lines that are not numbers",
	};
	const uint64_t count[DUR_LIMITS + NOTES] = { d->exceeded[DUR_MANY_VALUES],
		d->exceeded[DUR_LONG_PARENT], d->exceeded[DUR_LONG_DELTA], d->texts };

	if (count[which] == 0)
		return false;
	rest->note = which >= DUR_LIMITS;
	err_data(&rest->e, "left out %s: %" PRIu64, what[which], count[which]);
	return true;
}

/*
 * Describes the values of starts and stops that have no delta, with the measures, whose names or
 * units may not agree by mistake.  Returns false if there are none.
 */
static bool
lone_values(const struct duration *d, struct duration_rest *rest)
{
	struct slice names = buf_slice(&d->lone_names);

	if (d->lone == 0)
		return false;
	rest->note = true;
	err_data(&rest->e,
	    "no delta of values that only the start or only the stop has: %" PRIu64 "%s%.*s%s",
	    d->lone, names.len == 0 ? "" : " of ", slice_shown(names, UNITS_NAMES_MAX),
	    names.len == 0 ? "" : names.p,
	    (d->flags & DURATION_KEEP) != 0 ? "" : " (--keep keeps these lines)");
	return true;
}

/* Describes intervals that are likely to mix two threads.  Returns false if there are none. */
static bool
strangers(const struct duration *d, struct duration_rest *rest)
{
	rest->note = true;
	if (d->strangers != 0)
		err_data(&rest->e,
		    "%" PRIu64
		    " interval%s began in one thread (tid) and ended in another: starts and stops "
		    "are not told apart by thread, but by run, id and label (afpair --on tid does "
		    "so)",
		    d->strangers, d->strangers == 1 ? "" : "s");
	else if (d->guests != 0)
		err_data(&rest->e,
		    "%" PRIu64
		    " region%s inside one of another thread (tid), so self times, parents and "
		    "stacks mix threads: regions nest by run (give each thread a run of its own)",
		    d->guests, d->guests == 1 ? " is" : "s are");
	else
		return false;
	return true;
}

static bool
cut_stacks(const struct duration *d, struct err *e)
{
	uint64_t n = d->w->count[MARK_CUT_STACKS];

	if (n == 0)
		return false;
	err_data(e, "cut stacks of more than %zu regions or 64 KiB (see --max-stack): %" PRIu64,
	    d->max_stack, n);
	return true;
}

/* Describes what does not fit because run I is several.  Returns false if there is nothing. */
static bool
misfits(const struct duration *d, size_t i, struct err *e)
{
	struct slice id = d->runs.item[i];

	if (d->run[i].misfits == 0)
		return false;
	err_data(e, KINDS_MIXED, slice_shown(id, LABEL_SHOWN), id.p, d->run[i].misfits);
	return true;
}

/* Stores what the user should know about the input as a whole.  Returns false for nothing. */
static bool
advise(const struct duration *d, struct duration_rest *rest)
{
	rest->note = true;
	if (!d->marks && !d->spans && d->events)
		err_data(&rest->e,
		    "no start and stop lines, so there are no durations, and all lines were passed "
		    "on unchanged (afdec prints such lines; afpair makes spans from pairs of other "
		    "events)");
	else if (d->pauses_within && (d->flags & DURATION_DEDUCT) == 0)
		err_data(&rest->e,
		    "there were pauses during some of the durations, which contain them: "
		    "--deduct-pauses deducts them");
	else
		return false;
	return true;
}

bool
duration_rest(struct duration *d, size_t *at, struct duration_rest *rest)
{
	char text[DUR_SHOWN_MAX];
	size_t next;

	rest->note = false;
	rest->file = NULL;
	if (d->unfinished == NULL && !collect(d)) {
		err_nomem(&rest->e);
		return (*at)++ == 0;
	}
	while ((next = (*at)++) < d->runs.count + d->nunfinished + 4 + DUR_LIMITS + NOTES) {
		if (next < d->runs.count) {
			if (misfits(d, next, &rest->e))
				return true;
			continue;
		}
		next -= d->runs.count;
		if (next < d->nunfinished) {
			const struct interval *v = d->unfinished[next];

			rest->file = v->file;
			err_line(&rest->e, v->line, "start of %s, %s", dur_describe_open(text, v),
			    v->refused ? "whose stop was left out" : "which is never stopped");
			return true;
		}
		next -= d->nunfinished;
		if (next == 0                            ? cut_stacks(d, &rest->e)
			: next <= DUR_LIMITS + NOTES     ? left_out(d, next - 1, rest)
			: next == DUR_LIMITS + NOTES + 1 ? lone_values(d, rest)
			: next == DUR_LIMITS + NOTES + 2 ? strangers(d, rest)
							 : advise(d, rest))
			return true;
	}
	return false;
}
