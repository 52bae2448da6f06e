/* SPDX-License-Identifier: ISC */
/* perfstat.c - perf stat record: a sample for each counter at the end of each interval. */
#include <stdio.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/vec.h"
#include "lib/wide.h"
#include "src/perfdata/sample/sample.h"

#define NO_THREAD UINT32_MAX

/*
 * The maximum number of readings that wait for their round.  Beyond this, lines are written without
 * a time.
 */
#define WAITING_MAX ((size_t)1 << 20)

#define CONFIG_SCALE 2

/* The largest processor number (the last one means any processor) and thread number. */
#define PLACE_MAX 0xffffffu

struct counted {
	uint64_t value, enabled, running;
};

/* One STAT record.  cpu may be CPU_ANY; thread is an index into the map. */
struct reading {
	uint64_t id;
	uint32_t event, cpu, thread;
	struct counted now;
};

/* The end of an interval. */
struct round {
	bool known;
	uint64_t type, time;
};

void
perfstat_free(struct perfstat *s)
{
	mem_free(s->target);
	cpumap_free(&s->cpus);
	mem_free(s->waiting);
	idmap_free(&s->index);
	mem_free(s->last);
}

static int
take_targets(struct perfstat *s, struct cur *c, struct err *e)
{
	uint64_t n = cur_u64(c), i;

	mem_free(s->target);
	s->targets = 0;
	s->target = n == 0 ? NULL : mem_zero((size_t)n, sizeof *s->target);
	if (n != 0 && s->target == NULL)
		return err_nomem(e);
	for (i = 0; i < n; i++) {
		struct target *t = &s->target[s->targets++];
		struct cur comm;
		struct slice name;

		t->tid = (uint32_t)cur_u64(c);
		comm = cur_sub(c, THREAD_COMM_SIZE);
		name.p = cur_rest_string(&comm, &name.len);
		if (name.len != 0)
			t->comm_len = esc_write(t->comm, name.p, name.len, ESC_COLUMN);
	}
	return 0;
}

static void
take_config(struct perfstat *s, struct cur *c)
{
	uint64_t n = cur_u64(c), i;

	for (i = 0; i < n; i++) {
		uint64_t tag = cur_u64(c), value = cur_u64(c);

		if (tag == CONFIG_SCALE)
			s->unscaled = value == 0;
	}
}

/* Returns the counter's last reading, all 0 if there is none yet, or NULL if memory runs out. */
static struct counted *
last_of(struct perfstat *s, const struct reading *r)
{
	uint64_t key = (uint64_t)r->event << 48 | (uint64_t)(r->cpu & PLACE_MAX) << 24 | r->thread;
	size_t before = s->index.count;

	if (!vec_room(s->last, s->lasts, s->last_cap))
		return NULL;
	if (!idmap_add(&s->index, key, (uint32_t)s->lasts))
		return NULL;
	if (s->index.count != before)
		s->last[s->lasts++] = (struct counted){ 0 };
	return &s->last[idmap_find(&s->index, key)->event];
}

/* ---- output */

/* Returns a * b / c, rounded down, or UINT64_MAX if it is larger. */
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
put_target(const struct perfstat *s, const struct reading *r)
{
	const struct target *t = r->thread < s->targets ? &s->target[r->thread] : NULL;

	if (t == NULL || t->tid == NO_THREAD) {
		evw_bytes(s->run->w, "\tpid=.\ttid=.\tcomm=.", 19);
		return;
	}
	evw_bytes(s->run->w, "\tpid=.", 6); /* the map has only threads */
	evw_tag_i64(s->run->w, SLICE("tid"), (int32_t)t->tid);
	if (t->comm_len != 0) {
		evw_tag_raw(s->run->w, SLICE("comm"), (struct slice){ t->comm, t->comm_len });
	} else {
		const struct thread *th = tasks_thread(&s->run->state->tasks, t->tid, t->tid);
		char room[THREAD_NAME_ROOM];

		if (th == NULL)
			evw_nomem(s->run->w);
		evw_tag_raw(s->run->w, SLICE("comm"),
		    th == NULL ? SLICE(".") : thread_name(th, room));
	}
}

static void
put_round(const struct perfstat *s, const struct round *end)
{
	if (end->known && end->type == 0)
		evw_tag_raw(s->run->w, SLICE("round"), SLICE("interval"));
	else if (end->known && end->type == 1)
		evw_tag_raw(s->run->w, SLICE("round"), SLICE("final"));
	else if (end->known)
		evw_tag_u64(s->run->w, SLICE("round"), end->type);
	if (!end->known || s->round_end <= end->time)
		evw_tag_u64(s->run->w, SLICE("start"), s->round_end);
}

/* Returns true if cpu is an index in the list, which perf before 5.17 wrote instead of a number. */
static bool
is_index(const struct perfstat *s, const struct cpumap *m, uint32_t cpu)
{
	const struct buf *version = &s->run->origin.version;
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
put_cpu(const struct perfstat *s, const struct reading *r)
{
	const struct cpumap *m = &s->run->events->item[r->event].own_cpus;
	uint32_t cpu = r->cpu;

	if (m->count == 0)
		m = &s->cpus;
	if (is_index(s, m, cpu))
		cpu = cpumap_at(m, cpu);
	if (cpu == CPU_ANY)
		evw_tag_raw(s->run->w, SLICE("cpu"), SLICE("."));
	else
		evw_tag_u64(s->run->w, SLICE("cpu"), cpu);
}

/*
 * Returns true if the events were counted.  If not, the number of events is unknown rather than 0,
 * because the counter was enabled but another one ran instead.  While a counter is not enabled, as
 * when its thread sleeps, there are no events.
 */
static bool
was_counted(const struct reading *r, const struct counted *grown)
{
	if (r->now.running == 0)
		return false;
	return grown->value != 0 || grown->running != 0 || grown->enabled == 0;
}

/*
 * Writes the line of a reading.  The kind is stat if no time has passed since the last round, so
 * that there is no interval.
 */
static void
put_interval(const struct perfstat *s, struct slice kind, const struct reading *r,
    const struct counted *grown, const struct round *end)
{
	struct evwrite *w = s->run->w;
	const struct event *event = &s->run->events->item[r->event];
	bool scaled = !s->unscaled && grown->running != 0 && grown->running < grown->enabled;

	evw_begin(w, kind);
	if (end->known)
		run_put_time(s->run, end->time);
	else
		evw_none(w);
	evw_raw(w, buf_slice(&s->run->id));
	evw_none(w);
	evw_raw(w, buf_slice(&event->name));
	if (!was_counted(r, grown))
		evw_none(w);
	else
		evw_u64(w,
		    scaled ? mul_div(grown->value, grown->enabled, grown->running) : grown->value);
	put_target(s, r);
	put_cpu(s, r);
	evw_tag_hex(w, SLICE("id"), r->id);
	run_put_number(s->run, event);
	evw_tag_u64(w, SLICE("count"), r->now.value);
	evw_tag_u64(w, SLICE("enabled"), r->now.enabled);
	evw_tag_u64(w, SLICE("running"), r->now.running);
	if (scaled)
		evw_tag_u64(w, SLICE("raw"), grown->value);
	if (r->thread >= s->targets)
		evw_tag_u64(w, SLICE("thread"), r->thread);
	put_round(s, end);
	evw_end(w);
}

static void
begin_run(struct perfstat *s, const struct reading *r, const struct round *end)
{
	struct trailer at = { .have = S_CPU, .time = end->time, .cpu = r->cpu };

	if (end->known && !s->run->first_seen) {
		s->run->first_seen = true;
		s->run->first_time = end->time;
	}
	at.tid = r->thread < s->targets ? s->target[r->thread].tid : 0;
	at.pid = at.tid;
	run_begin_counter(s->run, &at, r->now.value);
}

/* Returns the growth.  A counter smaller than before has restarted. */
static uint64_t
growth(uint64_t now, uint64_t last)
{
	return now >= last ? now - last : now;
}

static int
put_reading(struct perfstat *s, const struct reading *r, const struct round *end, struct err *e)
{
	struct counted *last = last_of(s, r), grown;

	if (last == NULL)
		return err_nomem(e);
	grown.value = growth(r->now.value, last->value);
	grown.enabled = growth(r->now.enabled, last->enabled);
	grown.running = growth(r->now.running, last->running);
	if (!end->known && s->round_end != 0 && grown.value == 0 && grown.enabled == 0) {
		if (s->run->opt->all)
			put_interval(s, SLICE("stat"), r, &grown, end);
		return 0;
	}
	*last = r->now;
	begin_run(s, r, end);
	put_interval(s, SLICE("sample"), r, &grown, end);
	return 0;
}

/* Prints all waiting readings in the order in which they came. */
static int
put_waiting(struct perfstat *s, const struct round *end, struct err *e)
{
	size_t i, n = s->count;

	s->count = 0;
	for (i = 0; i < n && !evw_failed(s->run->w); i++)
		if (put_reading(s, &s->waiting[i], end, e) != 0)
			return e->code;
	return 0;
}

static int
take_stat(struct perfstat *s, struct cur *c, struct err *e)
{
	static const struct round none;
	struct reading r = { .id = cur_u64(c) };
	const struct id_entry *entry = idmap_find(&s->run->events->ids, r.id);

	r.cpu = cur_u32(c);
	r.thread = cur_u32(c);
	r.now.value = cur_u64(c);
	r.now.enabled = cur_u64(c);
	r.now.running = cur_u64(c);
	if (s->run->events->count == 0)
		return err_data(e, "a record before any event: the stream has lost its beginning");
	if (entry == NULL && r.id != 0 && s->run->events->count > 1)
		return err_data(e, "counter of unknown id 0x%llx", (unsigned long long)r.id);
	if ((r.cpu >= PLACE_MAX && r.cpu != CPU_ANY) || r.thread > PLACE_MAX)
		return err_data(e,
		    "counter of processor %u and thread %u: these numbers are too large",
		    (unsigned)r.cpu, (unsigned)r.thread);
	r.event = entry == NULL ? 0 : entry->event;
	if (s->count == WAITING_MAX && put_waiting(s, &none, e) != 0)
		return e->code;
	if (!vec_room(s->waiting, s->count, s->cap))
		return err_nomem(e);
	s->waiting[s->count++] = r;
	s->run->events->item[r.event].counted = true;
	s->run->counting = true;
	return 0;
}

static int
take_round(struct perfstat *s, struct cur *c, struct err *e)
{
	struct round end = { .known = true, .type = cur_u64(c) };

	end.time = cur_u64(c);
	if (put_waiting(s, &end, e) != 0)
		return e->code;
	s->round_end = end.time;
	if (!s->run->input->in.seekable && s->run->known)
		(void)evw_flush(s->run->w);
	return 0;
}

int
perfstat_take(struct perfstat *s, const struct rec *r, struct err *e)
{
	struct cur c = rec_fields(r, s->run->events->big_endian);

	switch (r->type) {
	case REC_THREAD_MAP: return take_targets(s, &c, e);
	case REC_CPU_MAP: return cpumap_take(&s->cpus, &c, e);
	case REC_STAT: return take_stat(s, &c, e);
	case REC_STAT_ROUND: return take_round(s, &c, e);
	default: take_config(s, &c); return 0; /* STAT_CONFIG */
	}
}

/*
 * Notes the events that perf stat did not count at all ("<not supported>" in its own output), since
 * no line of the stream says so.
 */
static void
note_uncounted(const struct perfstat *s)
{
	const struct events *v = s->run->events;
	const struct event *first = NULL;
	size_t i, n = 0;
	char text[200], more[40] = "";

	for (i = 0; i < v->count; i++) {
		if (v->item[i].counted)
			continue;
		first = first == NULL ? &v->item[i] : first;
		n++;
	}
	if (n == 0 || n == v->count)
		return;
	if (n > 1)
		(void)snprintf(more, sizeof more, " and %zu more", n - 1);
	(void)snprintf(text, sizeof text,
	    "the recording has no counts of %.*s%s (not supported there?)",
	    slice_shown(buf_slice(&first->name), 80), first->name.p, more);
	input_note(s->run->input, text);
}

void
perfstat_end(struct perfstat *s)
{
	static const struct round none;
	struct err e;

	if (put_waiting(s, &none, &e) != 0)
		evw_nomem(s->run->w);
	note_uncounted(s);
}
