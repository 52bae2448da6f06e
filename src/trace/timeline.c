/* SPDX-License-Identifier: ISC */
/*
 * timeline.c - a stream as trace events.
 *
 * Samples become events of type B and E (begin and end), which nest in the order in which they are
 * written.  Spans become complete events (X), sorted by their starts, each outer one before those
 * inside it.  Spans that overlap without being nested are on different tracks.
 */
#include "src/trace/timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/esc.h"
#include "lib/evsort.h"
#include "lib/json/jtext.h"
#include "lib/json/jwrite.h"
#include "lib/keys.h"
#include "lib/kinds.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/number.h"
#include "lib/pace.h"
#include "lib/units.h"
#include "lib/vec.h"
#include "src/trace/counters.h"
#include "src/trace/needed.h"
#include "src/trace/threads.h"

#define SHOWN_MAX 60 /* bytes of a text in a message */
#define MSEC ((uint64_t)1000000)
#define DAY (86400 * 1000 * MSEC)
#define ENOUGH 8 /* distances after which the median says something */
#define FIRST_GAP (20 * MSEC) /* at most, as long as fewer are known */
#define EXACT_MAX ((uint64_t)1 << 52) /* in nanoseconds; a double has them as microseconds */
#define ID_MAX ((uint64_t)4194304) /* the greatest pid of Linux */
#define LANES_MAX 256 /* tracks for the spans of a thread */
#define ARGS_MAX 128 /* arguments of a slice */
#define SPANS_MEMORY ((size_t)32 * 1024 * 1024)

/* A track of spans: the ends of those that are open, outermost first. */
struct lane {
	uint64_t *end;
	size_t depth, cap;
	uint64_t tid;
};

/* What is shown of a thread. */
struct track {
	bool known; /* the numbers below are set */
	bool sampled;
	uint64_t tid;
	struct buf stack; /* the open frames, as a list of the stream */
	uint64_t time; /* of the last sample */
	uint64_t period; /* its value, if that is a time, or 0 */
	struct lane *lane;
	size_t lanes, lanes_cap;
};

struct place {
	bool known;
	uint64_t number; /* a pid, or the time that becomes 0 */
};

/* The span whose lines are being read: each gives it another argument. */
struct pending {
	struct buf key, name, args;
	struct buf seen; /* the names of args, each ends in LF */
	size_t nargs;
	size_t thread;
	uint64_t start, end;
	bool used;
};

enum count {
	COUNT_UNTIMED,
	COUNT_TIMES,
	COUNT_EARLY,
	COUNT_STACKLESS,
	COUNT_UNCOUNTED,
	COUNT_INTERVALS,
	COUNT_CROWDED,
	COUNT_MEASURES, /* lines above are of the measure that was set */
	COUNT_STARTS,
	COUNT_KINDS, /* in left */
	COUNT_LOST,
	COUNTS
};

struct timeline {
	struct jwrite j;
	struct threads threads;
	struct units units;
	struct needed needed;
	struct track *track; /* by thread */
	size_t tracks, tracks_cap;
	struct place *pid; /* by process */
	size_t pids, pids_cap;
	struct place *origin; /* by run */
	size_t origins_cap;
	struct tab ids; /* the numbers in use */
	uint64_t next_id;

	struct pace pace;
	uint64_t gap; /* the longest time that is none; 0: it depends on the samples */
	struct buf measure; /* empty: all */
	struct tab other_measures; /* of lines left out before the first of that measure */

	struct evsort *spans;
	struct pending span;
	struct counters counters;
	struct buf text; /* scratch */

	bool begun; /* an event has been written */
	uint64_t remarks, late;
	uint64_t count[COUNTS];
	struct kinds_left left;
};

struct timeline *
timeline_new(struct out *o)
{
	struct timeline *l = mem_zero(1, sizeof *l);

	if (l == NULL)
		return NULL;
	l->j.out = o;
	l->threads.split_idle = true;
	l->next_id = ID_MAX + 1;
	l->spans = evsort_new(SPANS_MEMORY);
	if (l->spans != NULL)
		return l;
	timeline_free(l);
	return NULL;
}

void
timeline_free(struct timeline *l)
{
	size_t i, k;

	if (l == NULL)
		return;
	for (i = 0; i < l->tracks; i++) {
		for (k = 0; k < l->track[i].lanes; k++)
			mem_free(l->track[i].lane[k].end);
		mem_free(l->track[i].lane);
		buf_free(&l->track[i].stack);
	}
	mem_free(l->track);
	mem_free(l->pid);
	mem_free(l->origin);
	tab_free(&l->ids);
	counters_free(&l->counters);
	evsort_free(l->spans);
	buf_free(&l->measure);
	tab_free(&l->other_measures);
	kinds_left_free(&l->left);
	buf_free(&l->span.key);
	buf_free(&l->span.name);
	buf_free(&l->span.args);
	buf_free(&l->span.seen);
	buf_free(&l->text);
	jwrite_free(&l->j);
	units_free(&l->units);
	needed_free(&l->needed);
	threads_free(&l->threads);
	mem_free(l);
}

int
timeline_set_measure(struct timeline *l, const char *name, struct err *e)
{
	return esc_append(&l->measure, name, strlen(name), ESC_COLUMN) ? 0 : err_nomem(e);
}

void
timeline_set_gap(struct timeline *l, uint64_t nanoseconds)
{
	l->gap = nanoseconds;
}

/* ---- processes and threads */

/*
 * Stores the number that stands for a pid or tid: itself, or a larger one if it is none, or if
 * another run uses it.  0 is replaced, too, since it is special to Perfetto.  Returns false if
 * memory runs out.
 */
static bool
claim(struct timeline *l, char kind, struct slice id, uint64_t *number)
{
	char text[1 + NUM_MAX] = { kind };
	bool fresh = false;
	uint64_t v;
	size_t i = 0;

	if (num_get_u64(id, &v) && v != 0 && v <= ID_MAX)
		i = tab_add(&l->ids, (struct slice){ text, 1 + num_put_u64(text + 1, v) }, &fresh);
	*number = fresh ? v : l->next_id++;
	return i != TAB_NONE;
}

static uint64_t
pid_of(const struct timeline *l, size_t thread)
{
	return l->pid[l->threads.thread[thread].process].number;
}

/* Sets the numbers of a process.  Returns false if memory runs out. */
static bool
place_process(struct timeline *l, size_t process)
{
	const struct process *p = &l->threads.process[process];
	struct place *place;

	if (!vec_room_zero(l->pid, process, l->pids_cap) ||
	    !vec_room_zero(l->origin, p->run, l->origins_cap))
		return false;
	place = &l->pid[process];
	if (process >= l->pids)
		l->pids = process + 1;
	if (place->known)
		return true;
	place->known = true;
	return claim(l, 'p', threads_text(&l->threads, p->pid), &place->number);
}

/* Returns the track of a line, or NULL if memory runs out. */
static struct track *
track_of(struct timeline *l, const struct ev *ev, size_t *thread)
{
	struct track *t;

	*thread = threads_find(&l->threads, ev);
	if (*thread == THREADS_NONE || !vec_room_zero(l->track, *thread, l->tracks_cap))
		return NULL;
	t = &l->track[*thread];
	if (*thread >= l->tracks)
		l->tracks = *thread + 1;
	if (t->known)
		return t;
	t->known = true;
	if (!place_process(l, l->threads.thread[*thread].process))
		return NULL;
	return claim(l, 't', threads_text(&l->threads, l->threads.thread[*thread].tid), &t->tid)
	    ? t
	    : NULL;
}

/* ---- times and events */

/*
 * Makes *time relative to the origin of its run: 0, or the beginning of the day of the first time
 * if that is so large that a double would round it.  Returns false for a time before it.
 */
static bool
relate(struct timeline *l, size_t thread, uint64_t *time)
{
	size_t run = l->threads.process[l->threads.thread[thread].process].run;
	struct place *origin = &l->origin[run];

	if (!origin->known)
		*origin = (struct place){ true, *time < EXACT_MAX ? 0 : *time - *time % DAY };
	if (*time < origin->number) {
		l->count[COUNT_EARLY]++;
		return false;
	}
	*time -= origin->number;
	return true;
}

/* The same for an interval, whose end is not before its start. */
static bool
relate_both(struct timeline *l, size_t thread, uint64_t *start, uint64_t *end)
{
	uint64_t length = *end - *start;

	if (!relate(l, thread, start))
		return false;
	*end = *start + length;
	return true;
}

/* Reads both times.  Returns what is wrong with them, or COUNTS. */
static enum count
read_times(struct slice from, struct slice to, uint64_t *start, uint64_t *end)
{
	if (slice_is_nothing(from) || slice_is_nothing(to))
		return COUNT_UNTIMED;
	return num_get_u64(from, start) && num_get_u64(to, end) && *start <= *end ? COUNTS
										  : COUNT_TIMES;
}

static void
begin_event(struct timeline *l, const char *type, uint64_t pid, uint64_t tid)
{
	jwrite_raw(&l->j, l->begun ? ",\n{\"ph\":\"" : "{\"traceEvents\":[\n{\"ph\":\"");
	l->begun = true;
	jwrite_raw(&l->j, type);
	jwrite_raw(&l->j, "\",\"pid\":");
	jwrite_u64(&l->j, pid);
	jwrite_raw(&l->j, ",\"tid\":");
	jwrite_u64(&l->j, tid);
}

static void
put_time(struct timeline *l, const char *key, uint64_t nanoseconds)
{
	jwrite_raw(&l->j, key);
	jwrite_decimal(&l->j, nanoseconds, 3);
}

/* ---- samples */

/* Returns the longest time after the last sample of a track that is not a gap. */
static uint64_t
limit_of(const struct timeline *l, const struct track *t)
{
	uint64_t usual = t->period != 0 ? t->period : pace_median_low(&l->pace);

	if (l->gap != 0)
		return l->gap;
	if (usual == 0 || (t->period == 0 && l->pace.n < ENOUGH && usual > FIRST_GAP / 2))
		return FIRST_GAP;
	return pace_limit(usual);
}

/* Returns the end of what the last sample of a track shows if a gap follows. */
static uint64_t
reach(const struct timeline *l, const struct track *t)
{
	return num_plus(t->time, limit_of(l, t) / 2);
}

/* Writes an event with the name of a frame.  Ends have names, too, since speedscope needs them. */
static void
put_frame(struct timeline *l, const char *type, size_t thread, uint64_t time, struct slice frame)
{
	begin_event(l, type, pid_of(l, thread), l->track[thread].tid);
	put_time(l, ",\"ts\":", time);
	jwrite_raw(&l->j, ",\"name\":");
	jwrite_element(&l->j, slice_is_nothing(frame) ? SLICE("[unknown]") : frame);
	jwrite_raw(&l->j, "}");
}

/* Ends the frames of a list, the innermost one first. */
static void
close_frames(struct timeline *l, size_t thread, struct slice frames, uint64_t time)
{
	size_t from = frames.len;

	while (frames.p != NULL) {
		while (from > 0 && frames.p[from - 1] != ';')
			from--;
		put_frame(l, "E", thread, time,
		    (struct slice){ frames.p + from, frames.len - from });
		if (from == 0)
			break;
		frames.len = --from;
	}
}

static void
open_frames(struct timeline *l, size_t thread, struct slice frames, uint64_t time)
{
	struct slice frame;

	while (ev_next_element(&frames, &frame))
		put_frame(l, "B", thread, time, frame);
}

/* Continues the slices of a thread with a sample.  Returns false if memory runs out. */
static bool
join(struct timeline *l, struct track *t, size_t thread, struct slice stack, uint64_t time)
{
	struct slice old = buf_slice(&t->stack), new = stack;

	if (t->sampled && time - t->time > limit_of(l, t)) {
		close_frames(l, thread, old, reach(l, t));
	} else {
		(void)ev_drop_shared(&old, &new);
		close_frames(l, thread, old, time);
	}
	open_frames(l, thread, new, time);
	if (t->sampled && time > t->time)
		pace_add(&l->pace, time - t->time);
	t->stack.len = 0;
	t->sampled = true;
	t->time = time;
	return buf_put(&t->stack, stack.p, stack.len);
}

static int
take_sample(struct timeline *l, const struct ev *ev, struct err *e)
{
	struct slice stack;
	struct track *t;
	enum count bad;
	size_t thread;
	uint64_t time;

	if (!ev_tag(ev, SLICE("stack"), &stack) || slice_is_nothing(stack) || stack.len == 0) {
		if (slice_is_nothing(ev->col[EV_REGION])) {
			l->count[COUNT_STACKLESS]++;
			return 0;
		}
		l->text.len = 0;
		if (!esc_append_column(&l->text, ev->col[EV_REGION]))
			return err_nomem(e);
		stack = buf_slice(&l->text);
	}
	bad = read_times(ev->col[EV_TIME], ev->col[EV_TIME], &time, &time);
	if (bad != COUNTS) {
		l->count[bad]++;
		return 0;
	}
	t = track_of(l, ev, &thread);
	if (t == NULL)
		return err_nomem(e);
	if (!relate(l, thread, &time))
		return 0;
	if (t->sampled && time < t->time) {
		l->late++;
		return 0;
	}
	if (!join(l, t, thread, stack, time))
		return err_nomem(e);
	t->period = 0;
	if (slice_eq(units_of(&l->units, ev), SLICE("ns")))
		(void)num_get_u64(ev->col[EV_VALUE], &t->period);
	return 0;
}

/* ---- counters */

static void
put_counter(struct timeline *l, size_t i, uint64_t time, struct slice value)
{
	begin_event(l, "C", l->pid[l->counters.item[i].process].number, 0);
	put_time(l, ",\"ts\":", time);
	jwrite_raw(&l->j, ",\"name\":");
	jwrite_element(&l->j, counters_name(&l->counters, i));
	jwrite_raw(&l->j, ",\"args\":{\"value\":");
	out_put(l->j.out, value.p, value.len);
	jwrite_raw(&l->j, "}}");
}

/*
 * Writes a value that lasts from START to END or, if they are equal, until the next one.  Returns
 * false if memory runs out.
 */
static bool
count_on(struct timeline *l, size_t i, uint64_t start, uint64_t end, struct slice value)
{
	struct counter *c = &l->counters.item[i];

	if (start < c->start) {
		l->late++;
		return true;
	}
	if (c->runs && !c->stays && c->end < start)
		put_counter(l, i, c->end, SLICE("0"));
	put_counter(l, i, start, value);
	c->start = start;
	c->end = end;
	c->runs = start != end;
	c->stays = false;
	c->value.len = 0;
	return !c->runs || buf_put(&c->value, value.p, value.len);
}

/*
 * The value from START on is not known, which no event can say, so the one before it lasts until
 * END or, if they are equal, as long as there is no other.
 */
static void
stay(struct counter *c, uint64_t start, uint64_t end)
{
	if (!c->runs || c->end != start)
		return;
	c->stays = start == end;
	c->end = end;
}

static void
end_counter(struct timeline *l, size_t i)
{
	const struct counter *c = &l->counters.item[i];

	if (c->runs)
		put_counter(l, i, c->end, c->stays ? buf_slice(&c->value) : SLICE("0"));
}

/*
 * Finds the track of an interval, and makes its times relative.  *i is COUNTERS_NONE if they are
 * too early.  Fails only if memory runs out.
 */
static int
find_counter(struct timeline *l, const struct ev *ev, uint64_t *start, uint64_t *end, size_t *i,
    struct err *e)
{
	uint64_t time = *start;
	size_t thread;

	*i = COUNTERS_NONE;
	if (track_of(l, ev, &thread) == NULL)
		return err_nomem(e);
	if (!relate_both(l, thread, start, end))
		return 0;
	*i = counters_find(&l->counters, ev, units_of(&l->units, ev),
	    l->threads.thread[thread].process, time);
	return *i == COUNTERS_NONE ? err_nomem(e) : 0;
}

/* An interval without a value or without an end, which is left out. */
static int
take_unknown(struct timeline *l, const struct ev *ev, struct err *e)
{
	uint64_t start, end;
	size_t i;

	if (l->counters.names.count == 0 || !num_get_u64(ev_get(ev, SLICE("start")), &start))
		return 0;
	if (!num_get_u64(ev->col[EV_TIME], &end))
		end = start;
	if (find_counter(l, ev, &start, &end, &i, e) != 0)
		return e->code;
	if (i != COUNTERS_NONE)
		stay(&l->counters.item[i], start, end);
	else
		l->count[COUNT_EARLY]--; /* it has been counted as one without a value or an end */
	return 0;
}

/* A value that was read at a time, or that a counter has grown by in an interval. */
static int
take_counter(struct timeline *l, const struct ev *ev, struct err *e)
{
	char room[NUMBER_PUT_MAX];
	struct slice value, v = ev->col[EV_VALUE], from = ev->col[EV_TIME];
	uint64_t start, end;
	enum count bad;
	size_t i;

	(void)ev_tag(ev, SLICE("start"), &from);
	bad = read_times(from, ev->col[EV_TIME], &start, &end);
	if (bad == COUNTS &&
	    (slice_is_nothing(v) || ev_value_is_text(ev) || !jwrite_number(v, room, &value)))
		bad = COUNT_UNCOUNTED;
	if (bad != COUNTS) {
		l->count[bad]++;
		return bad == COUNT_TIMES ? 0 : take_unknown(l, ev, e);
	}
	if (find_counter(l, ev, &start, &end, &i, e) != 0)
		return e->code;
	if (i != COUNTERS_NONE && !count_on(l, i, start, end, value))
		return err_nomem(e);
	return 0;
}

/* ---- spans */

static enum count
read_span(const struct ev *ev, uint64_t *start, uint64_t *end)
{
	return read_times(ev_get(ev, SLICE("start")), ev->col[EV_TIME], start, end);
}

/* Spans are sorted by their starts, then longest first, then by depth. */
static int
take_span(struct timeline *l, const struct ev *ev, struct err *e)
{
	const uint64_t durations = UINT64_MAX >> 12;
	uint64_t start, end, depth, duration;
	enum count bad = read_span(ev, &start, &end);
	size_t thread;

	if (bad != COUNTS) {
		l->count[bad == COUNT_UNTIMED ? COUNT_INTERVALS : bad]++;
		return 0;
	}
	if (track_of(l, ev, &thread) == NULL)
		return err_nomem(e);
	if (!num_get_u64(ev_get(ev, SLICE("depth")), &depth) || depth > 4095)
		depth = 4095;
	duration = end - start < durations ? end - start : durations;
	return evsort_add(l->spans, NULL, ev,
	    (struct wide){ start, (durations - duration) << 12 | depth }, e);
}

static void
put_span(struct timeline *l, uint64_t tid)
{
	const struct pending *s = &l->span;

	begin_event(l, "X", pid_of(l, s->thread), tid);
	put_time(l, ",\"ts\":", s->start);
	put_time(l, ",\"dur\":", s->end - s->start);
	jwrite_raw(&l->j, ",\"name\":");
	jwrite_element(&l->j, buf_slice(&s->name));
	jwrite_raw(&l->j, ",\"args\":{");
	out_put(l->j.out, s->args.p, s->args.len);
	jwrite_raw(&l->j, "}}");
}

/* Returns true if the span is inside the open ones of the lane. */
static bool
fits(struct lane *lane, const struct pending *s)
{
	while (lane->depth > 0 && lane->end[lane->depth - 1] <= s->start)
		lane->depth--;
	return lane->depth == 0 || lane->end[lane->depth - 1] >= s->end;
}

/* Finds a lane, the first one being the thread itself if it has no samples. */
static struct lane *
lane_of(struct timeline *l, struct track *t)
{
	struct lane *lane;
	size_t i;

	for (i = 0; i < t->lanes; i++)
		if (fits(&t->lane[i], &l->span))
			return &t->lane[i];
	if (t->lanes == LANES_MAX || !vec_room_zero(t->lane, t->lanes, t->lanes_cap))
		return NULL;
	lane = &t->lane[t->lanes++];
	*lane = (struct lane){ .tid = i == 0 && !t->sampled ? t->tid : l->next_id++ };
	return lane;
}

/* Writes the span whose lines have been read.  Fails only if memory runs out. */
static int
end_span(struct timeline *l, struct err *e)
{
	struct pending *s = &l->span;
	struct track *t;
	struct lane *lane;

	if (!s->used)
		return 0;
	t = &l->track[s->thread];
	s->used = false;
	if (!relate_both(l, s->thread, &s->start, &s->end))
		return 0;
	lane = lane_of(l, t);
	if (lane == NULL) {
		l->count[COUNT_CROWDED]++;
		return t->lanes == LANES_MAX ? 0 : err_nomem(e);
	}
	if (!vec_room(lane->end, lane->depth, lane->cap))
		return err_nomem(e);
	lane->end[lane->depth++] = s->end;
	put_span(l, lane->tid);
	return 0;
}

static bool
put_part(struct buf *b, const char *before, struct slice s, const char *after)
{
	return slice_is_nothing(s) ||
	    (buf_puts(b, before) && buf_put(b, s.p, s.len) && buf_puts(b, after));
}

/* Writes what the lines of one span have in common to l->text. */
static bool
spell_key(struct timeline *l, const struct ev *ev, size_t thread)
{
	static const struct slice tags[] = { SLICE_INIT("start"), SLICE_INIT("stack"),
		SLICE_INIT("id"), SLICE_INIT("interval"), SLICE_INIT("scope"),
		SLICE_INIT("depth") };
	size_t i;

	l->text.len = 0;
	if (!buf_put(&l->text, &thread, sizeof thread) ||
	    !put_part(&l->text, "\t", ev->col[EV_TIME], "") ||
	    !put_part(&l->text, "\t", ev->col[EV_REGION], ""))
		return false;
	for (i = 0; i < sizeof tags / sizeof tags[0]; i++) {
		struct slice value = ev_get(ev, tags[i]);

		if (!buf_putc(&l->text, '\t') || !buf_put(&l->text, value.p, value.len))
			return false;
	}
	return true;
}

static void
start_slice(struct timeline *l, const struct ev *ev)
{
	struct pending *s = &l->span;

	s->used = read_span(ev, &s->start, &s->end) == COUNTS;
	s->args.len = s->seen.len = s->nargs = 0;
}

static bool
start_span(struct timeline *l, const struct ev *ev, size_t thread)
{
	struct pending *s = &l->span;
	struct slice name = ev->col[EV_REGION];

	(void)ev_tag(ev, SLICE("syscall"), &name);
	if (slice_is_nothing(name))
		name = ev->col[EV_MEASURE];
	start_slice(l, ev);
	s->thread = thread;
	s->key.len = s->name.len = 0;
	return buf_put(&s->key, l->text.p, l->text.len) && buf_put(&s->name, name.p, name.len);
}

/* Writes the name of an argument to l->text, with an LF. */
static bool
name_argument(struct timeline *l, const struct ev *ev)
{
	l->text.len = 0;
	return esc_append_element(&l->text, ev->col[EV_MEASURE]) &&
	    put_part(&l->text, " [", units_of(&l->units, ev), "]") && buf_putc(&l->text, '\n');
}

/* Returns true if the slice cannot have another argument of the name in l->text. */
static bool
is_full(const struct timeline *l)
{
	struct slice rest = buf_slice(&l->span.seen), name;

	for (; rest.len != 0; rest.p += name.len, rest.len -= name.len) {
		const char *end = memchr(rest.p, '\n', rest.len);

		name = (struct slice){ rest.p, (size_t)(end - rest.p) + 1 };
		if (slice_eq(name, buf_slice(&l->text)))
			return true;
	}
	return l->span.nargs == ARGS_MAX;
}

/* Adds a measure, whose name is in l->text, and its value to the arguments. */
static bool
add_argument(struct timeline *l, const struct ev *ev)
{
	struct slice name = { l->text.p, l->text.len - 1 }, value, v = ev->col[EV_VALUE];
	struct buf *args = &l->span.args;
	char room[NUMBER_PUT_MAX];

	l->span.nargs++;
	if (!buf_put(&l->span.seen, l->text.p, l->text.len) ||
	    (args->len != 0 && !buf_putc(args, ',')) || !jtext_quote(args, name) ||
	    !buf_putc(args, ':'))
		return false;
	if (jwrite_number(v, room, &value))
		return buf_put(args, value.p, value.len);
	return jtext_quote(args, v);
}

static int
write_spans(struct timeline *l, struct err *e)
{
	const char *file;
	size_t thread;
	struct ev ev;
	int rc;

	while ((rc = evsort_next(l->spans, &file, &ev, e)) > 0) {
		if (l->j.out->error != 0)
			return 0;
		if (track_of(l, &ev, &thread) == NULL || !spell_key(l, &ev, thread))
			return err_nomem(e);
		if (!l->span.used || !slice_eq(buf_slice(&l->text), buf_slice(&l->span.key))) {
			if (end_span(l, e) != 0)
				return e->code;
			if (!start_span(l, &ev, thread))
				return err_nomem(e);
		}
		if (!name_argument(l, &ev))
			return err_nomem(e);
		/* a measure that comes again is of another span, with the same times */
		if (is_full(l)) {
			if (end_span(l, e) != 0)
				return e->code;
			start_slice(l, &ev);
		}
		if (!add_argument(l, &ev))
			return err_nomem(e);
	}
	return rc < 0 ? e->code : end_span(l, e);
}

/* ---- lines */

static bool
is_kind(const struct ev *ev, const char *kind)
{
	return slice_eq(ev->col[EV_KIND], slice_of(kind));
}

/*
 * Values that were read belong to a region or an interval, but are not samples of a stack.  Those
 * of perf stat have no region, and a start even if --tags leaves out that of the round.
 */
static bool
is_counter(const struct ev *ev)
{
	struct slice s;

	return ev_tag(ev, SLICE("round"), &s) || ev_tag(ev, SLICE("scope"), &s) ||
	    (slice_is_nothing(ev->col[EV_REGION]) && ev_tag(ev, SLICE("start"), &s));
}

static int
take_other(struct timeline *l, const struct ev *ev, struct err *e)
{
	uint64_t n;

	if (is_kind(ev, "run") && (!threads_run(&l->threads, ev) || !needed_run(&l->needed, ev)))
		return err_nomem(e);
	if (is_kind(ev, "measure") && !units_declare(&l->units, ev))
		return err_nomem(e);
	if ((is_kind(ev, "start") && !counters_start(&l->counters, ev)) ||
	    (is_kind(ev, "stop") && !counters_stop(&l->counters, ev)))
		return err_nomem(e);
	if (is_kind(ev, "start") || is_kind(ev, "stop"))
		l->count[COUNT_STARTS]++;
	else if (is_kind(ev, "lost"))
		l->count[COUNT_LOST] += kinds_loss(ev, &n);
	else
		kinds_leave(&l->left, ev->col[EV_KIND], 1);
	return 0;
}

static bool
is_used(const struct timeline *l)
{
	return l->tracks != 0;
}

/* Returns the tags that tell what a line is about, as a set of NEED_... */
static unsigned
needs(const struct ev *ev, bool sample, bool counter)
{
	struct slice scope;

	if (sample && !counter)
		return NEED_STACK | NEED_PID | NEED_TID;
	if (!ev_tag(ev, SLICE("scope"), &scope))
		return counter ? NEED_TID | NEED_CPU : NEED_PID | NEED_TID;
	return counter && !slice_eq(scope, SLICE("run")) ? NEED_ID | NEED_INTERVAL : 0;
}

int
timeline_line(struct timeline *l, const struct ev *ev, struct err *e)
{
	bool sample = is_kind(ev, "sample"), counter;
	int rc;

	if (!sample && !is_kind(ev, "span"))
		return take_other(l, ev, e);
	if (l->measure.len != 0 && !slice_eq(ev->col[EV_MEASURE], buf_slice(&l->measure))) {
		l->count[COUNT_MEASURES]++;
		if (!is_used(l))
			keys_note_measure(&l->other_measures, ev->col[EV_MEASURE]);
		return 0;
	}
	counter = sample && is_counter(ev);
	if (counter)
		rc = take_counter(l, ev, e);
	else
		rc = sample ? take_sample(l, ev, e) : take_span(l, ev, e);
	if (rc != 0 || l->needed.any == 0)
		return rc;
	return needed_check(&l->needed, ev, needs(ev, sample, counter), e);
}

/* ---- the end */

int
timeline_settle(struct timeline *l, struct err *e)
{
	size_t i;

	for (i = 0; i < l->tracks; i++) {
		struct track *t = &l->track[i];

		if (t->sampled)
			close_frames(l, i, buf_slice(&t->stack), reach(l, t));
	}
	for (i = 0; i < l->counters.names.count; i++)
		end_counter(l, i);
	return write_spans(l, e);
}

static void
put_name(struct timeline *l, const char *what, const char *key, uint64_t pid, uint64_t tid,
    struct slice name)
{
	begin_event(l, "M", pid, tid);
	jwrite_raw(&l->j, ",\"name\":\"");
	jwrite_raw(&l->j, what);
	jwrite_raw(&l->j, "\",\"args\":{\"");
	jwrite_raw(&l->j, key);
	jwrite_raw(&l->j, "\":");
	jwrite_text(&l->j, name);
	jwrite_raw(&l->j, "}}");
}

static bool
put_processes(struct timeline *l)
{
	const struct threads *t = &l->threads;
	size_t i;

	for (i = 0; i < l->pids; i++) {
		if (!threads_name_process(t, i, &l->text))
			return false;
		put_name(l, "process_name", "name", l->pid[i].number, 0, buf_slice(&l->text));
		if (t->runs.count > 1)
			put_name(l, "process_labels", "labels", l->pid[i].number, 0,
			    t->runs.item[t->process[i].run]);
	}
	return true;
}

static bool
put_threads(struct timeline *l)
{
	char digits[NUM_MAX];
	size_t i, k, n;

	for (i = 0; i < l->tracks; i++) {
		const struct track *t = &l->track[i];

		if (!t->sampled && t->lanes == 0)
			continue;
		if (!threads_name(&l->threads, i, &l->text))
			return false;
		put_name(l, "thread_name", "name", pid_of(l, i), t->tid, buf_slice(&l->text));
		if (!buf_puts(&l->text, ": spans"))
			return false;
		for (k = 0, n = l->text.len; k < t->lanes; k++) {
			if (t->lane[k].tid == t->tid)
				continue;
			l->text.len = n;
			if (k > 0 &&
			    (!buf_putc(&l->text, ' ') ||
				!buf_put(&l->text, digits, num_put_u64(digits, k + 1))))
				return false;
			put_name(l, "thread_name", "name", pid_of(l, i), t->lane[k].tid,
			    buf_slice(&l->text));
		}
	}
	return true;
}

static void
end_events(struct timeline *l)
{
	if (!l->begun)
		jwrite_raw(&l->j, "{\"traceEvents\":[");
	jwrite_raw(&l->j,
	    "\n],\n\"displayTimeUnit\":\"ns\",\n\"otherData\":{\n"
	    "\"producer\":\"afpipe traceenc\"");
}

void
timeline_remark(struct timeline *l, const char *text)
{
	jwrite_raw(&l->j, ",\n\"note ");
	jwrite_u64(&l->j, ++l->remarks);
	jwrite_raw(&l->j, "\":");
	jwrite_text(&l->j, slice_of(text));
}

int
timeline_names(struct timeline *l, struct err *e)
{
	if (!put_processes(l) || !put_threads(l))
		return err_nomem(e);
	end_events(l);
	timeline_remark(l,
	    "Widths are times, not weights: a slice of a sampled thread lasts from the first of "
	    "its samples that has the frame to the next one that does not.");
	return 0;
}

void
timeline_end(struct timeline *l)
{
	jwrite_raw(&l->j, "\n}}\n");
}

int
timeline_late(const struct timeline *l, bool *told, struct err *e)
{
	if (*told || l->late == 0)
		return 0;
	*told = true;
	return err_data(e,
	    "left out samples that come after later ones of their thread: %" PRIu64
	    " (sort the stream by time)",
	    l->late);
}

int
timeline_missing(const struct timeline *l, struct err *e)
{
	uint64_t out = 0;
	size_t i;

	if (is_used(l))
		return 0;
	for (i = COUNT_UNTIMED; i < COUNT_MEASURES; i++)
		out += l->count[i];
	if (out == 0 && l->measure.len != 0)
		return keys_no_measure(buf_slice(&l->measure), &l->other_measures, e);
	if (out + l->count[COUNT_STARTS] != 0)
		return err_data(e, KINDS_NOTHING);
	return kinds_left_results(&l->left, "--for speedscope shows them", e);
}

void
timeline_told(struct timeline *l)
{
	kinds_left_told(&l->left, SLICE("incomplete"));
}

bool
timeline_note(const struct timeline *l, size_t *at, char *text, size_t size)
{
	static const char *const words[COUNTS] = {
		[COUNT_UNTIMED] = "left out lines without a time: %" PRIu64,
		[COUNT_TIMES] =
		    "left out lines whose times are not numbers below 2^64, or end before they "
		    "start: %" PRIu64,
		[COUNT_EARLY] =
		    "left out lines from days before the first time of their run: %" PRIu64,
		[COUNT_STACKLESS] = "left out samples without a stack or region: %" PRIu64,
		[COUNT_UNCOUNTED] = "left out counters without a usable number: %" PRIu64,
		[COUNT_INTERVALS] = "left out spans without an interval: %" PRIu64,
		[COUNT_CROWDED] = "left out spans that overlap too many others: %" PRIu64,
		[COUNT_MEASURES] = "left out lines of other measures (see --measure): %" PRIu64,
		[COUNT_STARTS] =
		    "left out start and stop lines: %" PRIu64 "; afdur turns them into spans",
		[COUNT_LOST] = "lines about events that the source lost: %" PRIu64,
	};
	bool applies = false;

	for (; !applies && *at < COUNTS; ++*at) {
		if (*at == COUNT_KINDS) {
			applies = kinds_left_note(&l->left, "other kinds", text, size);
		} else if (l->count[*at] != 0) {
			snprintf(text, size, words[*at], l->count[*at]);
			applies = true;
		}
	}
	return applies;
}
