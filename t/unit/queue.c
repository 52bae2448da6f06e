/* SPDX-License-Identifier: ISC */
/*
 * queue.c - compares src/perfdata/input/queue.c with a stable sort, for t/perfdec.bats.
 *
 * usage: queue MEMORY RECORDS ROUNDS SEED
 *
 * RECORDS records of random times and sizes go into a queue of MEMORY bytes in ROUNDS rounds.  Each
 * round ends with a flush up to a random time.  The records that leave must be those of a plain
 * list sorted by time and then by arrival.  Prints how many records left, and how many bytes were
 * spilled.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/perfdata/input/input.h"

struct item {
	uint64_t time, number;
};

struct model {
	struct item *waiting;
	size_t count, next;
	uint64_t left; /* records that have left the queue */
};

static uint64_t state;

static uint64_t
random_below(uint64_t n)
{
	state += UINT64_C(0x9e3779b97f4a7c15);
	uint64_t z = (state ^ state >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (z ^ z >> 31) % n;
}

static void
must(int ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "queue: %s\n", what);
		exit(1);
	}
}

static int
by_time(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* Makes a record of a header, its number, and one byte of that repeated. */
static size_t
make_record(unsigned char *p, uint64_t number)
{
	uint32_t type = 9;
	uint16_t misc = 2,
		 size = (uint16_t)(16 + 8 * random_below(random_below(50) == 0 ? 8189 : 40));

	memcpy(p, &type, 4);
	memcpy(p + 4, &misc, 2);
	memcpy(p + 6, &size, 2);
	memcpy(p + 8, &number, 8);
	memset(p + 16, (int)(number & 0xff), size - 16u);
	return size;
}

static int
take(void *ctx, const struct rec *r)
{
	struct model *m = ctx;
	uint64_t number;
	size_t i;

	must(r->type == 9 && r->misc == 2 && r->size >= 16, "a header is not as it was");
	memcpy(&number, r->p + 8, 8);
	must(m->next < m->count, "more records leave than should");
	must(number == m->waiting[m->next].number, "a record leaves out of its turn");
	for (i = 16; i < r->size; i++)
		must(r->p[i] == (number & 0xff), "a record's bytes are not as they were");
	m->next++;
	m->left++;
	return 0;
}

static void
flush(struct queue *q, struct model *m, uint64_t limit)
{
	struct err e;
	size_t end;

	qsort(m->waiting, m->count, sizeof *m->waiting, by_time);
	m->next = 0;
	must(queue_flush(q, limit, take, m, &e) == 0, "flush");
	for (end = 0; end < m->count && m->waiting[end].time <= limit; end++)
		;
	must(m->next == end, "a record stays behind, or leaves too early");
	memmove(m->waiting, m->waiting + end, (m->count - end) * sizeof *m->waiting);
	m->count -= end;
}

/* Fills blocks like a feed: one at a time, which is held until the next. */
static void
add(struct queue *q, struct model *m, uint64_t number, uint64_t range)
{
	static uint32_t block = UINT32_MAX;
	static size_t at;
	struct rec r = { .type = 9, .misc = 2 };
	struct err e;
	uint64_t time = 1 + random_below(range);

	if (block == UINT32_MAX || at + REC_MAX > BLOCK_HEAD + BLOCK_BODY) {
		if (block != UINT32_MAX)
			blocks_drop(q->blocks, block);
		must(blocks_get(q->blocks, &block, &e) == 0, "no block");
		at = 0;
	}
	r.p = q->blocks->item[block].data + at;
	r.size = (uint16_t)make_record(q->blocks->item[block].data + at, number);
	r.block = block;
	r.at = (uint32_t)at;
	at += r.size;
	must(queue_add(q, time, &r, &e) == 0, "add");
	m->waiting[m->count++] = (struct item){ time, number };
}

int
main(int argc, char **argv)
{
	struct blocks blocks = { 0 };
	struct model m = { 0 };
	struct queue q;
	uint64_t records, rounds, i, number = 0;

	must(argc == 5, "usage: queue MEMORY RECORDS ROUNDS SEED");
	queue_init(&q, &blocks, false);
	q.memory = (size_t)strtoull(argv[1], NULL, 10);
	records = strtoull(argv[2], NULL, 10);
	rounds = strtoull(argv[3], NULL, 10);
	state = strtoull(argv[4], NULL, 10);
	m.waiting = malloc((size_t)records * sizeof *m.waiting);
	must(m.waiting != NULL, "no memory");
	for (i = 0; i < rounds; i++) {
		uint64_t range = i % 2 == 0 ? 7 : 1000000; /* many equal times, or few */

		while (number < records * (i + 1) / rounds)
			add(&q, &m, number++, range);
		flush(&q, &m, random_below(5) == 0 ? 0 : random_below(2000000));
	}
	flush(&q, &m, UINT64_MAX);
	must(m.left == records && m.count == 0, "records are missing");
	printf("%" PRIu64 " records in order, %s\n", m.left,
	    q.spilled == 0 ? "none spilled" : "some spilled");
	queue_free(&q);
	blocks_free(&blocks);
	free(m.waiting);
	return 0;
}
