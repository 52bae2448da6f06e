/* SPDX-License-Identifier: ISC */
/* perfstatline.c - perf stat record: the line of one counter and interval. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/wide.h"
#include "src/perfdata/abi.h"
#include "src/perfdata/sample/perfstat.h"

/* a * b / c, rounded down; UINT64_MAX if it is larger. */
static uint64_t
mul_div(uint64_t a, uint64_t b, uint64_t c)
{
	struct wide left = wide_mul(a, b);
	uint64_t quotient = 0;
	int bit;

	if (left.hi >= c)
		return UINT64_MAX;
	for (bit = 63; bit >= 0; bit--) {
		uint64_t top = left.hi >> 63;

		left = wide_shl(left, 1);
		if (top != 0 || left.hi >= c) {
			left.hi -= c;
			quotient |= BIT64(bit);
		}
	}
	return quotient;
}

static void
put_target(struct decoder *d, const struct reading *r)
{
	const struct statrec *s = d->statrec;
	const struct target *t = r->thread < s->targets ? &s->target[r->thread] : NULL;

	if (t == NULL || t->tid == NO_THREAD) {
		evw_bytes(d->w, "\tpid=.\ttid=.\tcomm=.", 19);
		return;
	}
	evw_bytes(d->w, "\tpid=.", 6); /* the map has only threads */
	evw_tag_i64(d->w, SLICE("tid"), (int32_t)t->tid);
	if (t->comm_len != 0) {
		evw_tag_raw(d->w, SLICE("comm"), (struct slice){ t->comm, t->comm_len });
	} else {
		const struct thread *th = tasks_thread(&d->tasks, t->tid, t->tid);
		char room[THREAD_NAME_ROOM];

		if (th == NULL)
			evw_nomem(d->w);
		evw_tag_raw(d->w, SLICE("comm"), th == NULL ? SLICE(".") : thread_name(th, room));
	}
}

static void
put_round(struct decoder *d, const struct round *end)
{
	if (end->known && end->type == 0)
		evw_tag_raw(d->w, SLICE("round"), SLICE("interval"));
	else if (end->known && end->type == 1)
		evw_tag_raw(d->w, SLICE("round"), SLICE("final"));
	else if (end->known)
		evw_tag_u64(d->w, SLICE("round"), end->type);
	if (!end->known || d->statrec->round_end <= end->time)
		evw_tag_u64(d->w, SLICE("start"), d->statrec->round_end);
}

/* Before 5.17 perf wrote not the processor but its place in the list. */
static bool
is_place(const struct decoder *d, const struct cpumap *m, uint32_t cpu)
{
	const struct buf *version = &d->facts.version;
	unsigned major, minor;
	char text[24] = "";

	if (cpu >= m->count)
		return false;
	if (version->len != 0)
		memcpy(text, version->p,
		    version->len < sizeof text ? version->len : sizeof text - 1);
	if (sscanf(text, "%3u.%3u", &major, &minor) == 2)
		return major < 5 || (major == 5 && minor < 17);
	return !cpumap_has(m, cpu);
}

static void
put_cpu(struct decoder *d, const struct reading *r)
{
	const struct cpumap *m = &d->attr[r->attr].own_cpus;
	uint32_t cpu = r->cpu;

	if (m->count == 0)
		m = &d->statrec->cpus;
	if (is_place(d, m, cpu))
		cpu = cpumap_at(m, cpu);
	if (cpu == CPU_ANY)
		evw_tag_raw(d->w, SLICE("cpu"), SLICE("."));
	else
		evw_tag_u64(d->w, SLICE("cpu"), cpu);
}

/*
 * Not counted is not 0: the events are unknown for the time when the counter was enabled but
 * another had its place.  While it was not enabled, as when its thread sleeps, there were none.
 */
static bool
was_counted(const struct reading *r, const struct counted *grown)
{
	if (r->now.running == 0)
		return false;
	return grown->value != 0 || grown->running != 0 || grown->enabled == 0;
}

/* The kind is stat if no time has passed since the last round: there is no interval. */
void
stat_put_line(struct decoder *d, struct slice kind, const struct reading *r,
    const struct counted *grown, const struct round *end)
{
	struct evwrite *w = d->w;
	const struct attr *a = &d->attr[r->attr];
	bool scaled =
	    !d->statrec->unscaled && grown->running != 0 && grown->running < grown->enabled;

	evw_begin(w, kind);
	if (end->known)
		evw_u64(w, end->time);
	else
		evw_none(w);
	evw_raw(w, buf_slice(&d->run));
	evw_none(w);
	evw_raw(w, buf_slice(&a->name));
	if (!was_counted(r, grown))
		evw_none(w);
	else
		evw_u64(w,
		    scaled ? mul_div(grown->value, grown->enabled, grown->running) : grown->value);
	put_target(d, r);
	put_cpu(d, r);
	evw_tag_hex(w, SLICE("id"), r->id);
	evw_tag_u64(w, SLICE("count"), r->now.value);
	evw_tag_u64(w, SLICE("enabled"), r->now.enabled);
	evw_tag_u64(w, SLICE("running"), r->now.running);
	if (scaled)
		evw_tag_u64(w, SLICE("raw"), grown->value);
	if (r->thread >= d->statrec->targets)
		evw_tag_u64(w, SLICE("thread"), r->thread);
	put_round(d, end);
	evw_end(w);
}

void
stat_begin_run(struct decoder *d, const struct reading *r, const struct round *end)
{
	const struct statrec *s = d->statrec;
	struct trailer at = { .have = S_CPU, .time = end->time, .cpu = r->cpu };

	if (end->known && !d->first_seen) {
		d->first_seen = true;
		d->first_time = end->time;
	}
	at.tid = r->thread < s->targets ? s->target[r->thread].tid : 0;
	at.pid = at.tid;
	run_begin_counter(d, &at, r->now.value);
}
