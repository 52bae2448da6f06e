/* SPDX-License-Identifier: ISC */
/*
 * time.c - the samples and spans of each thread, in time order.
 *
 * A thread keeps up to twice as many moments as are wanted.  When there are more, adjacent ones are
 * joined: first samples with equal stacks, then samples of the same short time.  These are shown as
 * the frames that all of their stacks share, so no frame is shown at a time when it did not run.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/num.h"
#include "lib/vec.h"
#include "src/flame/flameint.h"

void
flame_by_time(struct flame *f, size_t slices)
{
	f->time.slices = slices;
}

void
flame_free_time(struct flame *f)
{
	struct timing *t = &f->time;
	size_t i;

	for (i = 0; i < t->threads; i++)
		mem_free(t->thread[i].moment);
	mem_free(t->thread);
	mem_free(t->base);
	tab_free(&t->keys);
	tab_free(&t->runs);
	buf_free(&t->key);
}

uint64_t
flame_gap(const struct flame *f)
{
	return pace_limit(pace_median_high(&f->time.pace));
}

static int
by_time(const void *x, const void *y)
{
	const struct moment *a = x, *b = y;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->to != b->to)
		return a->to > b->to ? -1 : 1; /* the outer one first */
	if (a->frames != b->frames)
		return a->frames < b->frames ? -1 : 1;
	return a->what < b->what ? -1 : a->what > b->what;
}

static int
by_length(const void *x, const void *y)
{
	const struct moment *a = x, *b = y;

	if (a->to - a->from != b->to - b->from)
		return a->to - a->from > b->to - b->from ? -1 : 1;
	return by_time(a, b);
}

static void
sort(struct thread *t, int (*compare)(const void *, const void *))
{
	qsort(t->moment, t->moments, sizeof *t->moment, compare);
}

/* Returns the number of frames that the stacks share. */
static uint32_t
shared(const struct moment *a, const struct moment *b)
{
	struct slice rest_a = a->stack, rest_b = b->stack;
	uint32_t frames = (uint32_t)ev_drop_shared(&rest_a, &rest_b);

	frames = frames < a->frames ? frames : a->frames;
	return frames < b->frames ? frames : b->frames;
}

static bool
is_equal(const struct moment *a, const struct moment *b)
{
	return a->what == b->what && a->frames == MOMENT_WHOLE && b->frames == MOMENT_WHOLE;
}

static void
join(struct moment *a, const struct moment *b)
{
	if (!is_equal(a, b))
		a->frames = shared(a, b);
	a->to = b->to > a->to ? b->to : a->to;
	a->n += b->n;
}

/* Joins neighbours with equal stacks that are no more than GAP apart. */
static void
join_equal(struct thread *t, uint64_t gap)
{
	size_t i, n = 0;

	for (i = 0; i < t->moments; i++)
		if (n != 0 && is_equal(&t->moment[n - 1], &t->moment[i]) &&
		    (t->moment[i].from <= t->moment[n - 1].to ||
			t->moment[i].from - t->moment[n - 1].to <= gap))
			join(&t->moment[n - 1], &t->moment[i]);
		else
			t->moment[n++] = t->moment[i];
	t->moments = n;
}

/* Joins all that begin in the same part of the time, of MAX parts. */
static void
join_near(struct thread *t, size_t max)
{
	uint64_t first, part;
	size_t i, n = 0;

	if (t->moments <= max)
		return;
	first = t->moment[0].from;
	part = (t->moment[t->moments - 1].from - first) / max + 1;
	for (i = 0; i < t->moments; i++)
		if (n != 0 &&
		    (t->moment[n - 1].from - first) / part == (t->moment[i].from - first) / part)
			join(&t->moment[n - 1], &t->moment[i]);
		else
			t->moment[n++] = t->moment[i];
	t->moments = n;
}

static void
drop_short(struct thread *t, size_t max)
{
	uint64_t longest;

	if (t->moments <= max)
		return;
	sort(t, by_length);
	longest = t->moment[max].to - t->moment[max].from;
	t->longest = longest > t->longest ? longest : t->longest;
	t->dropped += t->moments - max;
	t->moments = max;
}

static void
shrink(const struct flame *f, struct thread *t)
{
	if (t->panel == NO_PANEL) {
		drop_short(t, f->time.slices);
		t->unsorted = true;
		return;
	}
	if (t->unsorted)
		sort(t, by_time);
	t->unsorted = false;
	join_equal(t, flame_gap(f));
	join_near(t, f->time.slices);
}

void
flame_settle(struct flame *f)
{
	size_t i;

	for (i = 0; i < f->time.threads; i++) {
		struct thread *t = &f->time.thread[i];

		shrink(f, t);
		if (t->unsorted)
			sort(t, by_time);
	}
}

static bool
put_key(struct buf *b, struct slice s)
{
	return buf_put(b, s.p, s.len) && buf_putc(b, '\t');
}

/* Returns a name's number, or UINT32_MAX if memory runs out. */
static uint32_t
name_of(struct flame *f, struct slice s)
{
	size_t i = tab_add(&f->names, s, NULL);

	return i == TAB_NONE ? UINT32_MAX : (uint32_t)i;
}

/* Begins a thread.  Returns false if memory runs out. */
static bool
begin(struct flame *f, size_t panel, const struct ev *ev, uint64_t time)
{
	struct timing *t = &f->time;
	struct thread *new = &t->thread[t->threads];
	bool fresh;

	*new = (struct thread){ .panel = panel, .comm = UINT32_MAX };
	if (!vec_room(t->base, t->runs.count, t->base_cap))
		return false;
	new->run = tab_add(&t->runs, ev->col[EV_RUN], &fresh);
	if (new->run == TAB_NONE)
		return false;
	if (fresh)
		t->base[new->run] = time;
	new->pid = name_of(f, ev_get(ev, SLICE("pid")));
	new->tid = name_of(f, ev_get(ev, SLICE("tid")));
	t->threads++;
	return new->pid != UINT32_MAX &&new->tid != UINT32_MAX;
}

/* Finds the thread of a line.  Returns NULL if memory runs out. */
static struct thread *
thread_of(struct flame *f, size_t panel, const struct ev *ev, uint64_t time)
{
	struct timing *t = &f->time;
	char digits[NUM_MAX];
	bool fresh;
	size_t i;

	t->key.len = 0;
	if (!put_key(&t->key, (struct slice){ digits, num_put_u64(digits, panel) }) ||
	    !put_key(&t->key, ev->col[EV_RUN]) || !put_key(&t->key, ev_get(ev, SLICE("pid"))) ||
	    !put_key(&t->key, ev_get(ev, SLICE("tid"))) ||
	    !vec_room(t->thread, t->threads, t->threads_cap))
		return NULL;
	if (t->threads != 0 && slice_eq(buf_slice(&t->key), t->keys.item[t->current]))
		return &t->thread[t->current];
	i = tab_add(&t->keys, buf_slice(&t->key), &fresh);
	if (i == TAB_NONE || (fresh && !begin(f, panel, ev, time)))
		return NULL;
	t->current = i;
	return &t->thread[i];
}

static bool
add(struct flame *f, struct thread *t, const struct ev *ev, const struct moment *m)
{
	struct slice comm = ev_get(ev, SLICE("comm"));
	uint64_t *base = &f->time.base[t->run];

	if (t->moments / 2 >= f->time.slices)
		shrink(f, t);
	if (!vec_room(t->moment, t->moments, t->cap))
		return false;
	t->moment[t->moments++] = *m;
	t->n++;
	t->unsorted = t->unsorted || m->from < t->last;
	t->last = m->from > t->last ? m->from : t->last;
	*base = m->from < *base ? m->from : *base;
	if (slice_is_nothing(comm) ||
	    (t->comm != UINT32_MAX && slice_eq(f->names.item[t->comm], comm)))
		return true;
	t->comm = name_of(f, comm);
	return t->comm != UINT32_MAX;
}

int
flame_moment(struct flame *f, size_t panel, size_t number, struct slice stack, const struct ev *ev,
    struct err *e)
{
	struct moment m = { .stack = stack,
		.what = (uint32_t)number,
		.frames = MOMENT_WHOLE,
		.n = 1 };
	struct thread *t;

	if (!slice_eq(ev->col[EV_KIND], SLICE("sample")) ||
	    !num_get_u64(ev->col[EV_TIME], &m.from)) {
		f->time.untimed++;
		return 0;
	}
	m.to = m.from;
	t = thread_of(f, panel, ev, m.from);
	if (t == NULL)
		return err_nomem(e);
	if (t->n != 0 && m.from > t->last)
		pace_add(&f->time.pace, m.from - t->last);
	return add(f, t, ev, &m) ? 0 : err_nomem(e);
}

/* Measures of afdur that say something else about the time of another span. */
static bool
is_second(struct slice measure)
{
	return slice_eq(measure, SLICE("self")) ||
	    (ev_is_nested_measure(measure) && !slice_eq(measure, SLICE("inclusive")));
}

int
flame_span(struct flame *f, const struct ev *ev, struct err *e)
{
	struct moment m = { .frames = MOMENT_WHOLE, .n = 1 };
	uint64_t depth;
	struct thread *t;

	if (is_second(ev->col[EV_MEASURE]))
		return 0;
	if (!num_get_u64(ev->col[EV_TIME], &m.to) ||
	    !num_get_u64(ev_get(ev, SLICE("start")), &m.from) || m.from > m.to) {
		f->time.untimed++;
		return 0;
	}
	if (num_get_u64(ev_get(ev, SLICE("depth")), &depth) && depth < MOMENT_WHOLE)
		m.frames = (uint32_t)depth;
	m.what = name_of(f, ev->col[EV_REGION]);
	t = thread_of(f, NO_PANEL, ev, m.from);
	return m.what != UINT32_MAX && t != NULL && add(f, t, ev, &m) ? 0 : err_nomem(e);
}
