/* SPDX-License-Identifier: ISC */
/* queue.c - records in the order of time. */
#include "src/perfdata/queue.h"

#include <stdlib.h>
#include <string.h>

#include "lib/cur.h"
#include "lib/hint.h"
#include "src/perfdata/spill.h"

/* A round is larger than the caches, and its records leave in another order than they came. */
#define AHEAD 12

void
queue_init(struct queue *q, struct blocks *blocks, bool big_endian)
{
	*q = (struct queue){ .blocks = blocks,
		.big_endian = big_endian,
		.memory = QUEUE_MEMORY,
		.sorted = true };
}

void
queue_free(struct queue *q)
{
	spill_close(q->spill);
	free(q->entry);
	free(q->spare);
	*q = (struct queue){ 0 };
}

/* Merges [from, mid) and [mid, to) of a into b. */
static void
merge(const struct queue_entry *a, size_t from, size_t mid, size_t to, struct queue_entry *b)
{
	size_t i = from, j = mid, out = from;

	while (i < mid && j < to)
		b[out++] = a[j].time < a[i].time ? a[j++] : a[i++];
	if (i < mid)
		memcpy(b + out, a + i, (mid - i) * sizeof *b);
	else if (j < to)
		memcpy(b + out, a + j, (to - j) * sizeof *b);
}

static size_t
run_end(const struct queue_entry *a, size_t from, size_t n)
{
	size_t i = from + 1;

	while (i < n && a[i].time >= a[i - 1].time)
		i++;
	return i < n ? i : n;
}

/* Natural merge sort: what comes in is a few sorted pieces, one or two per CPU and round. */
static void
sort(struct queue *q)
{
	while (!q->sorted) {
		size_t from = 0, pieces = 0;
		struct queue_entry *was = q->entry;

		while (from < q->count) {
			size_t mid = run_end(q->entry, from, q->count);
			size_t to = mid < q->count ? run_end(q->entry, mid, q->count) : mid;

			merge(q->entry, from, mid, to, q->spare);
			from = to;
			pieces++;
		}
		q->entry = q->spare;
		q->spare = was;
		q->sorted = pieces <= 1;
	}
}

static const unsigned char *
place_of(const struct queue *q, const struct queue_entry *entry)
{
	return q->blocks->item[entry->block].data + entry->at;
}

static struct rec
record_of(const struct queue *q, const struct queue_entry *entry)
{
	const struct block *k = &q->blocks->item[entry->block];
	struct rec r = { .p = place_of(q, entry), .block = entry->block, .at = entry->at };
	struct cur c = cur_over(r.p, REC_HEADER, q->big_endian);

	r.type = cur_u32(&c);
	r.misc = cur_u16(&c);
	r.size = cur_u16(&c);
	r.offset = k->base + entry->at;
	return r;
}

static int
spill_everything(struct queue *q, struct err *e)
{
	size_t i;

	if (q->spill == NULL)
		q->spill = spill_open(q->big_endian, e);
	if (q->spill == NULL || spill_begin(q->spill, e) != 0)
		return e->code;
	sort(q);
	for (i = 0; i < q->count; i++) {
		struct rec r = record_of(q, &q->entry[i]);

		if (spill_add(q->spill, q->entry[i].time, &r, e) != 0)
			return e->code;
		q->spilled += r.size;
		blocks_drop(q->blocks, r.block);
	}
	q->count = 0;
	return spill_end(q->spill, e);
}

static int
grow(struct queue *q, struct err *e)
{
	size_t cap = q->cap == 0 ? 4096 : q->cap * 2;
	struct queue_entry *p = realloc(q->entry, cap * sizeof *p);

	if (p == NULL)
		return err_nomem(e);
	q->entry = p;
	p = realloc(q->spare, cap * sizeof *p);
	if (p == NULL)
		return err_nomem(e);
	q->spare = p;
	q->cap = cap;
	return 0;
}

static bool
is_full(const struct queue *q)
{
	size_t held = q->blocks->used * (BLOCK_HEAD + BLOCK_BODY);

	return held + q->count * 2 * sizeof *q->entry > q->memory;
}

int
queue_add(struct queue *q, uint64_t time, const struct rec *r, struct err *e)
{
	if (is_full(q) && q->count != 0 && spill_everything(q, e) != 0)
		return e->code;
	if (q->count == q->cap && grow(q, e) != 0)
		return e->code;
	if (q->count != 0 && time < q->entry[q->count - 1].time)
		q->sorted = false;
	if (q->count == 0)
		q->sorted = true;
	q->entry[q->count++] = (struct queue_entry){ .time = time, .block = r->block, .at = r->at };
	blocks_hold(q->blocks, r->block);
	return 0;
}

/* Gives what is on disk and older than the next in memory (equal times: the disk's came first). */
static int
flush_spill(struct queue *q, uint64_t limit, queue_sink *sink, void *ctx, struct err *e)
{
	struct rec r;
	uint64_t time;
	int rc = 0;

	while (rc == 0 && q->spill != NULL && spill_peek(q->spill, &time, &r) && time <= limit) {
		rc = sink(ctx, &r);
		if (rc == 0)
			rc = spill_pop(q->spill, e);
	}
	return rc;
}

int
queue_flush(struct queue *q, uint64_t limit, queue_sink *sink, void *ctx, struct err *e)
{
	size_t i;
	int rc = 0;

	sort(q);
	for (i = 0; rc == 0 && i < q->count && q->entry[i].time <= limit; i++) {
		struct rec r = record_of(q, &q->entry[i]);

		if (q->count - i > AHEAD)
			hint_soon(place_of(q, &q->entry[i + AHEAD]));

		if (q->spill != NULL)
			rc = flush_spill(q, q->entry[i].time, sink, ctx, e);
		if (rc == 0)
			rc = sink(ctx, &r);
		blocks_drop(q->blocks, r.block);
	}
	if (rc == 0)
		rc = flush_spill(q, limit, sink, ctx, e);
	q->count -= i;
	if (i != 0)
		memmove(q->entry, q->entry + i, q->count * sizeof *q->entry);
	return rc;
}
