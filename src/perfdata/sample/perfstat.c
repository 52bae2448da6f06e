/* SPDX-License-Identifier: ISC */
/*
 * perfstat.c - perf stat record: a sample for each counter at the end of each interval.
 *
 * A STAT record has a counter's running total; the STAT_ROUND after those of one
 * interval gives the time of its end.
 */
#include <errno.h>

#include "lib/mem.h"
#include "lib/vec.h"
#include "src/perfdata/abi.h"
#include "src/perfdata/sample/perfstat.h"

/* Readings that wait for their round: beyond this, lines are written without a time. */
#define WAITING_MAX ((size_t)1 << 20)

#define CONFIG_SCALE 2

/* The largest number of processors (the last means any) and of threads. */
#define PLACE_MAX 0xffffffu

void
statrec_free(struct statrec *s)
{
	if (s == NULL)
		return;
	mem_free(s->target);
	cpumap_free(&s->cpus);
	mem_free(s->waiting);
	idmap_free(&s->places);
	mem_free(s->last);
	mem_free(s);
}

static int
take_targets(struct statrec *s, struct cur *c, struct err *e)
{
	uint64_t n = cur_u64(c), i;

	if (n > cur_left(c) / (8 + THREAD_COMM_SIZE))
		return err_data(e, "thread map with more threads than it has room for");
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

static int
take_config(struct statrec *s, struct cur *c, struct err *e)
{
	uint64_t n = cur_u64(c), i;

	if (n > cur_left(c) / 16)
		return err_data(e, "stat_config with more terms than it has room for");
	for (i = 0; i < n; i++) {
		uint64_t tag = cur_u64(c), value = cur_u64(c);

		if (tag == CONFIG_SCALE)
			s->unscaled = value == 0;
	}
	return 0;
}

/* The counter's last reading, all 0 if there is none yet; NULL without memory. */
static struct counted *
last_of(struct statrec *s, const struct reading *r)
{
	uint64_t place = (uint64_t)r->attr << 48 | (uint64_t)(r->cpu & PLACE_MAX) << 24 | r->thread;
	size_t before = s->places.count;

	if (!vec_room(s->last, s->lasts, s->last_cap))
		return NULL;
	if (!idmap_add(&s->places, place, (uint32_t)s->lasts))
		return NULL;
	if (s->places.count != before)
		s->last[s->lasts++] = (struct counted){ 0 };
	return &s->last[idmap_find(&s->places, place)->attr];
}

/* A counter smaller than before has restarted. */
static uint64_t
growth(uint64_t now, uint64_t last)
{
	return now >= last ? now - last : now;
}

static int
put_reading(struct decoder *d, const struct reading *r, const struct round *end, struct err *e)
{
	struct counted *last = last_of(d->statrec, r), grown;

	if (last == NULL)
		return err_nomem(e);
	grown.value = growth(r->now.value, last->value);
	grown.enabled = growth(r->now.enabled, last->enabled);
	grown.running = growth(r->now.running, last->running);
	if (!end->known && d->statrec->round_end != 0 && grown.value == 0 && grown.enabled == 0) {
		if (d->opt->all)
			stat_put_line(d, SLICE("stat"), r, &grown, end);
		return 0;
	}
	*last = r->now;
	stat_begin_run(d, r, end);
	stat_put_line(d, SLICE("sample"), r, &grown, end);
	return 0;
}

/* Prints all readings that wait, in the order in which they came. */
static int
put_waiting(struct decoder *d, const struct round *end, struct err *e)
{
	struct statrec *s = d->statrec;
	size_t i, n = s->count;

	s->count = 0;
	for (i = 0; i < n && !evw_failed(d->w); i++)
		if (put_reading(d, &s->waiting[i], end, e) != 0)
			return e->code;
	return 0;
}

static int
take_stat(struct decoder *d, struct cur *c, struct err *e)
{
	static const struct round none;
	struct statrec *s = d->statrec;
	struct reading r = { .id = cur_u64(c) };
	const struct id_entry *entry = idmap_find(&d->ids, r.id);

	r.cpu = cur_u32(c);
	r.thread = cur_u32(c);
	r.now.value = cur_u64(c);
	r.now.enabled = cur_u64(c);
	r.now.running = cur_u64(c);
	if (!cur_ok(c))
		return 0; /* the caller says so */
	if (d->attrs == 0)
		return err_data(e, "a record before any event: the stream has lost its beginning");
	if (entry == NULL && r.id != 0 && d->attrs > 1)
		return err_data(e, "counter of unknown id 0x%llx", (unsigned long long)r.id);
	if ((r.cpu >= PLACE_MAX && r.cpu != CPU_ANY) || r.thread > PLACE_MAX)
		return err_data(e, "counter of processor %u and thread %u, more than there can be",
		    (unsigned)r.cpu, (unsigned)r.thread);
	r.attr = entry == NULL ? 0 : entry->attr;
	if (s->count == WAITING_MAX && put_waiting(d, &none, e) != 0)
		return e->code;
	if (!vec_room(s->waiting, s->count, s->cap))
		return err_nomem(e);
	s->waiting[s->count++] = r;
	d->counting = true;
	return 0;
}

static int
take_round(struct decoder *d, struct cur *c, struct err *e)
{
	struct round end = { .known = true, .type = cur_u64(c) };

	end.time = cur_u64(c);
	if (!cur_ok(c))
		return 0; /* the caller says so */
	if (put_waiting(d, &end, e) != 0)
		return e->code;
	d->statrec->round_end = end.time;
	if (!d->in.seekable && d->run_known)
		(void)evw_flush(d->w);
	return 0;
}

int
statrec_take(struct decoder *d, const struct rec *r, struct err *e)
{
	struct cur c = rec_fields(r, d->big_endian);
	int rc = 0;

	if (d->opt->header)
		return 0;
	if (d->statrec == NULL && (d->statrec = mem_zero(1, sizeof *d->statrec)) == NULL)
		return err_nomem(e);
	switch (r->type) {
	case REC_THREAD_MAP: rc = take_targets(d->statrec, &c, e); break;
	case REC_CPU_MAP: rc = cpumap_take(&d->statrec->cpus, &c, e); break;
	case REC_STAT_CONFIG: rc = take_config(d->statrec, &c, e); break;
	case REC_STAT: rc = take_stat(d, &c, e); break;
	case REC_STAT_ROUND: rc = take_round(d, &c, e); break;
	}
	if (rc == 0 && !cur_ok(&c))
		rc = err_byte(e, r->offset, "record of type %u with %u bytes is too short",
		    (unsigned)r->type, r->size);
	return rc;
}

void
statrec_end(struct decoder *d)
{
	static const struct round none;
	struct err e;

	if (d->statrec != NULL && put_waiting(d, &none, &e) != 0)
		evw_nomem(d->w);
}
