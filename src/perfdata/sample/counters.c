/* SPDX-License-Identifier: ISC */
/*
 * counters.c - the counters in a SAMPLE or READ record, with their events and their growth; the
 * lines of a READ record; and losses, which both counters and records report.
 */
#include <inttypes.h>

#include "src/perfdata/sample/parts.h"

/* ---- losses */

/* Finds how many records were lost, and why.  Losses of unknown size count as one. */
static bool
loss(const struct rec *r, bool big_endian, uint64_t *n, struct slice *why, uint64_t *id)
{
	struct cur c = rec_fields(r, big_endian);

	*id = 0;
	switch (r->type) {
	case REC_LOST:
		*id = cur_u64(&c);
		*n = cur_u64(&c);
		*why = SLICE("lost");
		break;
	case REC_LOST_SAMPLES:
		*n = cur_u64(&c);
		*why =
		    (r->misc & MISC_LOST_SAMPLES_BPF) != 0 ? SLICE("bpf") : SLICE("lost_samples");
		break;
	case REC_THROTTLE:
		(void)cur_u64(&c);
		*id = cur_u64(&c);
		*n = 1;
		*why = SLICE("throttle");
		break;
	case REC_AUX:
		(void)cur_take(&c, 16);
		*n = (cur_u64(&c) & (AUX_TRUNCATED | AUX_PARTIAL | AUX_COLLISION)) != 0;
		*why = SLICE("aux");
		break;
	default: return false;
	}
	return cur_ok(&c) && *n != 0;
}

bool
loss_is_all(const struct rec *r, bool big_endian)
{
	struct slice why;
	uint64_t n, id;

	return (r->type == REC_LOST || r->type == REC_LOST_SAMPLES) &&
	    loss(r, big_endian, &n, &why, &id);
}

/*
 * Computes the sum of losses.  If perf reads the counters' own losses (PERF_FORMAT_LOST), it writes
 * their sum as LOST_SAMPLES at the end, which includes the LOST records before that.  The losses
 * that counters report in samples and READ records count the same losses a third time.
 */
static void
sum_losses(struct samples *to)
{
	uint64_t most;

	if ((to->run->events->item[0].attr.read_format & R_LOST) == 0)
		most = num_plus(to->lost.records, to->lost.samples);
	else
		most = to->lost.records > to->lost.samples ? to->lost.records : to->lost.samples;
	if (most < to->lost.counters)
		most = to->lost.counters;
	to->run->w->count[MARK_LOST] = num_plus(to->lost.before, num_plus(most, to->lost.others));
}

/* Returns the sum to which the record's losses belong, or NULL if they were dropped on purpose. */
static uint64_t *
sum_of(struct samples *to, const struct rec *r)
{
	if (r->type == REC_LOST)
		return &to->lost.records;
	if (r->type != REC_LOST_SAMPLES)
		return &to->lost.others;
	return (r->misc & MISC_LOST_SAMPLES_BPF) == 0 ? &to->lost.samples : NULL;
}

/* Adds losses to a sum.  If some were in another sum before, adds a tag with their number. */
static void
count_loss(struct samples *to, uint64_t *sum, uint64_t n)
{
	struct evwrite *w = to->run->w;
	uint64_t before = w->count[MARK_LOST], grown;

	*sum = num_plus(*sum, n);
	sum_losses(to);
	grown = w->count[MARK_LOST] - before;
	if (grown != n)
		evw_tag_u64(w, SLICE("again"), n - grown);
}

void
loss_emit(struct samples *to, const struct rec *r)
{
	struct run *run = to->run;
	struct trailer t = events_trailer(run->events, r);
	struct slice measure = SLICE("."), why;
	const struct id_entry *entry;
	uint64_t n = 0, id, *sum = sum_of(to, r);

	if (!loss(r, run->events->big_endian, &n, &why, &id))
		return;
	entry = idmap_find(&run->events->ids, id != 0 ? id : t.id);
	if (entry != NULL)
		measure = buf_slice(&run->events->item[entry->event].name);
	run_put_head(run, SLICE("lost"), &t, measure, &n);
	evw_tag_raw(run->w, SLICE("why"), why);
	if (sum != NULL)
		count_loss(to, sum, n);
	if (run->opt->all && id != 0)
		evw_tag_hex(run->w, SLICE("id"), id);
	run_put_end(run);
}

/* Writes a lost line: a counter of the event reports that N more of its samples were lost. */
static void
put_lost_count(struct samples *to, const struct trailer *t, uint32_t event, uint64_t n)
{
	struct run *run = to->run;

	run_put_head(run, SLICE("lost"), t, buf_slice(&run->events->item[event].name), &n);
	evw_tag_raw(run->w, SLICE("why"), SLICE("read"));
	count_loss(to, &to->lost.counters, n);
	run_put_end(run);
}

/* ---- counters */

/* Returns the bytes of one counter in a group. */
static size_t
size_of(uint64_t format)
{
	return (size_t)8 *
	    (1u + ((format & R_ID) != 0 ? 1u : 0u) + ((format & R_LOST) != 0 ? 1u : 0u));
}

/* A walk over the counters of a read_format part.  Call begin, then next until it returns false. */
struct walk {
	struct cur c;
	uint64_t format, left, enabled, running;
};

/* Returns false if the part is damaged and has fewer bytes than its counters need. */
static bool
begin(struct walk *w, struct cur part, uint64_t format)
{
	*w = (struct walk){ .c = part, .format = format, .left = 1 };
	if ((format & R_GROUP) != 0) {
		w->left = cur_u64(&w->c);
		w->enabled = (format & R_ENABLED) != 0 ? cur_u64(&w->c) : 0;
		w->running = (format & R_RUNNING) != 0 ? cur_u64(&w->c) : 0;
	}
	return cur_ok(&w->c) && w->left <= cur_left(&w->c) / size_of(format);
}

static bool
next(struct walk *w, struct counter *out)
{
	if (w->left == 0)
		return false;
	w->left--;
	*out =
	    (struct counter){ .format = w->format, .enabled = w->enabled, .running = w->running };
	out->value = cur_u64(&w->c);
	if ((w->format & R_GROUP) == 0) {
		out->enabled = (w->format & R_ENABLED) != 0 ? cur_u64(&w->c) : 0;
		out->running = (w->format & R_RUNNING) != 0 ? cur_u64(&w->c) : 0;
	}
	out->id = (w->format & R_ID) != 0 ? cur_u64(&w->c) : 0;
	out->lost = (w->format & R_LOST) != 0 ? cur_u64(&w->c) : 0;
	return cur_ok(&w->c);
}

/*
 * Finds the event of the i-th counter of n.  Without ids this is the record's own event or, in a
 * group that contains all events, the event with the same number.  *c then gets an id that
 * identifies the counter.
 */
static bool
find_event(const struct events *ev, const struct readings *r, uint64_t n, uint64_t i,
    struct counter *c, uint32_t *event)
{
	const struct id_entry *entry;

	if ((r->event->attr.read_format & R_ID) != 0) {
		entry = idmap_find(&ev->ids, c->id);
		*event = entry == NULL ? 0 : entry->event;
		return entry != NULL;
	}
	if (n == 1) {
		*event = (uint32_t)(r->event - ev->item);
		c->id = r->id != 0 ? r->id : UINT64_MAX - *event;
		return true;
	}
	entry = idmap_find(&ev->ids, r->id); /* the kernel's ids begin with 1 */
	*event = (uint32_t)i;
	c->id = UINT64_MAX - ((uint64_t)(entry == NULL ? 0 : entry->nth) << 16 | i);
	return n == ev->count;
}

/* Checks that all counters can be decoded. */
static int
check(const struct events *ev, const struct readings *r, struct err *e)
{
	struct walk walk;
	struct counter c;
	uint64_t n, i;
	uint32_t event;

	if (!begin(&walk, r->part, r->event->attr.read_format))
		return err_byte(e, r->offset, "more counters than the record has room for");
	n = walk.left;
	for (i = 0; i < n; i++) {
		if (!next(&walk, &c))
			return err_byte(e, r->offset, "more counters than the record has room for");
		if (find_event(ev, r, n, i, &c, &event))
			continue;
		if ((r->event->attr.read_format & R_ID) != 0)
			return err_byte(e, r->offset, "counter of unknown id 0x%" PRIx64, c.id);
		return err_byte(e, r->offset,
		    "%" PRIu64 " counters without ids: their events are not recorded", n);
	}
	return 0;
}

/*
 * Returns true if the thread has its own counter, as for inherited events.  The counter is dropped
 * with the thread.
 */
static bool
is_own(const struct events *ev, const struct readings *r, uint32_t event)
{
	return r->thread != NULL && (ev->item[event].attr.flags & A_INHERIT) != 0;
}

/*
 * Returns the entry of the counter, creating it if necessary.  Returns NULL if nothing has to be
 * kept or, with *e set, if memory runs out.
 */
static struct id_entry *
last_reading(struct events *ev, const struct readings *r, uint32_t event, uint64_t id,
    struct err *e)
{
	bool own = is_own(ev, r, event);
	struct idmap *map = &ev->ids;

	e->code = ERR_NONE;
	if (own)
		map = r->final ? r->thread->counters : thread_counters(r->thread);
	if (!(r->final && own) && (map == NULL || !idmap_add(map, id, event)))
		err_nomem(e);
	return map == NULL ? NULL : idmap_find(map, id);
}

/* Handles the growth of one counter.  Its lost line comes first. */
static int
take(struct samples *to, const struct readings *r, uint32_t event, const struct counter *c,
    uint64_t *grown, struct err *e)
{
	struct events *ev = to->run->events;
	struct id_entry *entry = last_reading(ev, r, event, c->id, e);
	uint64_t lost = c->lost;

	*grown = c->value;
	if (e->code != ERR_NONE)
		return e->code;
	/* a counter smaller than before has restarted */
	if (entry != NULL && entry->seen && c->value >= entry->last)
		*grown -= entry->last;
	if (entry != NULL && entry->seen && c->lost >= entry->lost)
		lost -= entry->lost;
	if (entry != NULL) {
		entry->seen = r->final && is_own(ev, r, event) ? 0 : 1;
		entry->last = c->value;
		entry->lost = c->lost;
	}
	if (lost != 0)
		put_lost_count(to, &r->at, event, lost);
	return 0;
}

int
counters_take(struct samples *to, const struct readings *r, counters_sink *sink, void *ctx,
    struct err *e)
{
	struct walk walk;
	struct counter c;
	uint64_t n, i, grown = 0;
	uint32_t event = 0;

	if (check(to->run->events, r, e) != 0)
		return e->code;
	(void)begin(&walk, r->part, r->event->attr.read_format);
	n = walk.left;
	for (i = 0; next(&walk, &c); i++) {
		(void)find_event(to->run->events, r, n, i, &c, &event);
		if (take(to, r, event, &c, &grown, e) != 0)
			return e->code;
		sink(ctx, event, &c, grown);
	}
	return 0;
}

void
counters_put_tags(struct evwrite *w, const struct counter *c)
{
	evw_tag_u64(w, SLICE("count"), c->value);
	if ((c->format & R_ENABLED) != 0)
		evw_tag_u64(w, SLICE("enabled"), c->enabled);
	if ((c->format & R_RUNNING) != 0)
		evw_tag_u64(w, SLICE("running"), c->running);
}

/* ---- READ: a thread's counters when it ended */

/*
 * Returns true if the samples of the event give the count (as periods).  A READ then repeats it, so
 * it gets a kind of its own.  If nothing else gives the count, or if the counter itself was read
 * with the samples before, its growth is written as a sample, too.
 */
static bool
is_counted_by_periods(const struct attr *a)
{
	return a->period != 0 && (a->sample_type & S_READ) == 0;
}

struct reader {
	struct run *run;
	const struct readings *r;
};

static void
put_reading(void *ctx, uint32_t number, const struct counter *c, uint64_t grown)
{
	const struct reader *to = ctx;
	const struct trailer *at = &to->r->at;
	struct run *run = to->run;
	const struct event *event = &run->events->item[number];
	bool counted = (c->format & R_RUNNING) == 0 || c->running != 0;
	bool repeats = is_counted_by_periods(&event->attr);

	if (!repeats)
		run_begin_counter(run, at, c->value);
	run_put_head(run, repeats ? SLICE("read") : SLICE("sample"), at, buf_slice(&event->name),
	    counted ? &grown : NULL);
	if ((c->format & R_ID) != 0)
		evw_tag_hex(run->w, SLICE("id"), c->id);
	run_put_number(run, event);
	counters_put_tags(run->w, c);
	run_put_end(run);
}

int
read_emit(struct samples *to, const struct rec *r, struct err *e)
{
	struct run *run = to->run;
	struct readings in = { .event = events_of_other(run->events, r),
		.part = events_body(run->events, r),
		.at = events_trailer(run->events, r),
		.offset = r->offset };
	struct reader reader = { run, &in };

	in.id = in.at.id;
	in.at.pid = cur_u32(&in.part);
	in.at.tid = cur_u32(&in.part);
	in.at.have |= S_TID;
	in.thread = tasks_thread(&run->state->tasks, in.at.pid, in.at.tid);
	if (in.thread == NULL)
		return err_nomem(e);
	in.final = in.thread->exited;
	return counters_take(to, &in, put_reading, &reader, e);
}
