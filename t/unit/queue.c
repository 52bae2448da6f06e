/* SPDX-License-Identifier: ISC */
/*
 * queue.c - compares src/perfdata/input/queue.c with a stable sort, for t/perfdec.bats.
 *
 * usage: queue MEMORY RECORDS ROUNDS SEED [STOP]
 *
 * RECORDS records of random times and sizes go into a queue of MEMORY bytes in ROUNDS rounds.  Each
 * round ends with a flush up to a random time.  The records that leave must be those of a plain
 * list sorted by time and then by arrival.  Some are added by queue_add_alike, which must take the
 * right ones of those that come next.  In some rounds everything is sorted into one run first, to
 * find the median.  Prints how many records left, and how many bytes were spilled.  With STOP, the
 * receiver of the records fails at the one of that number, and the queue must give its error back.
 * If the system refuses something, that is said, and the status is 3.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "src/perfdata/input/input.h"

#define TIME_AT 16 /* the offset of the time in a record that is long enough for one */
#define LITTLE (4 * 1024 * 1024) /* for a queue without memory: buffers of less than a record */
#define TOGETHER 8 /* the most records that a block gets at once */

struct item {
	uint64_t time, number, offset;
};

struct model {
	struct item *waiting;
	size_t count, next;
	uint64_t left; /* records that have left the queue */
	uint64_t stop; /* the one that is refused, or 0 */
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

/* Ends the program unless rc is 0. */
static void
must_do(int rc, const struct err *e, const char *what)
{
	if (rc == ERR_SYS) {
		fprintf(stderr, "queue: %s: %s\n", what, e->msg);
		exit(3);
	}
	must(rc == 0, what);
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
static void
make_record(unsigned char *p, uint64_t number, uint64_t time)
{
	/* some are as long as a record can be */
	uint64_t words =
	    random_below(100) == 0 ? 8189 : random_below(random_below(50) == 0 ? 8189 : 40);
	uint32_t type = random_below(10) == 0 ? 10 : 9;
	uint16_t misc = 2, size = (uint16_t)(16 + 8 * words);

	memset(p, (int)(number & 0xff), size);
	memcpy(p, &type, 4);
	memcpy(p + 4, &misc, 2);
	memcpy(p + 6, &size, 2);
	memcpy(p + 8, &number, 8);
	if (size > TIME_AT)
		memcpy(p + TIME_AT, &time, 8);
}

static int
take(void *ctx, const struct rec *r)
{
	struct model *m = ctx;
	uint64_t number;
	size_t i;

	must((r->type == 9 || r->type == 10) && r->misc == 2 && r->size >= 16,
	    "a header is not as it was");
	memcpy(&number, r->p + 8, 8);
	must(m->next < m->count, "more records leave than should");
	must(number == m->waiting[m->next].number, "a record leaves out of its turn");
	must(r->offset == m->waiting[m->next].offset, "a record's place is not as it was");
	for (i = TIME_AT + 8; i < r->size; i++)
		must(r->p[i] == (number & 0xff), "a record's bytes are not as they were");
	m->next++;
	m->left++;
	return m->left == m->stop ? ERR_STOP : 0;
}

/* Sorts what is in memory, and checks that no more than half of it is older than the median. */
static void
sort(struct queue *q)
{
	size_t older = 0, newer = 0, i;
	uint64_t middle;
	struct err e;

	must_do(queue_middle(q, &middle, &e), &e, "middle");
	for (i = 0; i < q->count; i++) {
		older += q->entry[i].time < middle;
		newer += q->entry[i].time > middle;
	}
	must(q->runs == 1 && older <= q->count / 2 && newer < q->count - q->count / 2,
	    "the median is not in the middle");
}

static void
flush(struct queue *q, struct model *m, uint64_t limit)
{
	struct err e;
	size_t end;
	int rc;

	if (q->count != 0 && limit % 3 == 0)
		sort(q);
	qsort(m->waiting, m->count, sizeof *m->waiting, by_time);
	m->next = 0;
	rc = queue_flush(q, limit, take, m, &e);
	if (m->stop != 0 && m->left >= m->stop) {
		must(rc == ERR_STOP && m->left == m->stop,
		    "it goes on after the receiver has failed");
		printf("%" PRIu64 " records in order, then none\n", m->left);
		exit(0);
	}
	must_do(rc, &e, "flush");
	for (end = 0; end < m->count && m->waiting[end].time <= limit; end++)
		;
	must(m->next == end, "a record stays behind, or leaves too early");
	memmove(m->waiting, m->waiting + end, (m->count - end) * sizeof *m->waiting);
	m->count -= end;
}

/* Returns a feed over a new block, or one that continues that of f. */
static void
begin_feed(struct queue *q, struct feed *f)
{
	struct err e;

	if (f->have_block && f->len + TOGETHER * (size_t)REC_MAX <= BLOCK_HEAD + BLOCK_BODY)
		return;
	if (f->have_block)
		blocks_drop(q->blocks, f->block);
	*f = (struct feed){ .blocks = q->blocks, .have_block = true, .big_endian = cur_host_big() };
	must_do(blocks_get(q->blocks, &f->block, &e), &e, "no block");
	f->blocks->item[f->block].base = random_below(UINT64_MAX);
}

static struct rec
record_at(const struct feed *f, size_t at)
{
	struct rec r = { .p = f->blocks->item[f->block].data + at, .block = f->block };

	r.at = (uint32_t)at;
	rec_read_header(&r, cur_host_big());
	return r;
}

/* Returns true if queue_add_alike must take the record at AT. */
static bool
is_alike(const struct feed *f, size_t at, const struct alike *like)
{
	uint64_t time;
	struct rec r;

	if (f->len - at < REC_HEADER)
		return false;
	r = record_at(f, at);
	if (r.type != like->type || r.size <= TIME_AT || at + r.size > f->len)
		return false;
	memcpy(&time, r.p + TIME_AT, sizeof time);
	return time >= like->oldest && time != UINT64_MAX;
}

/* Adds the records from item on that are alike.  Returns the item after them. */
static struct item *
add_alike(struct queue *q, struct feed *f, struct item *item, uint64_t range)
{
	struct alike like = { 9, TIME_AT, 1 + random_below(random_below(2) == 0 ? 1 : range) };
	uint64_t newest = random_below(range), wanted = newest;
	size_t at = f->at, len = f->len;
	struct err e;

	f->len -= random_below(2) * random_below(f->len - f->at + 1); /* the last one is torn */
	must_do(queue_add_alike(q, f, &like, &newest, &e), &e, "add alike");
	for (; at < f->at; at += record_at(f, at).size, item++) {
		must(is_alike(f, at, &like), "a record is not like the others");
		wanted = item->time > wanted ? item->time : wanted;
	}
	must(at == f->at, "a record is taken in part");
	must(at == len || !is_alike(f, at, &like), "a record is left");
	must(newest == wanted, "another record is the newest one");
	f->len = len;
	return item;
}

/* Adds a few records, up to the number END. */
static void
add(struct queue *q, struct model *m, uint64_t *number, uint64_t end, uint64_t range)
{
	static struct feed f;
	struct item *item = m->waiting + m->count;
	struct block *block;
	struct rec r;
	struct err e;
	size_t i;

	begin_feed(q, &f);
	block = &f.blocks->item[f.block];
	for (i = 0; i < TOGETHER && *number < end; i++) {
		uint64_t time = random_below(40) == 0 ? UINT64_MAX : 1 + random_below(range);

		make_record(block->data + f.len, *number, time);
		if (time == UINT64_MAX)
			time = 1;
		m->waiting[m->count++] = (struct item){ time, (*number)++, block->base + f.len };
		f.len += record_at(&f, f.len).size;
	}
	while (f.at != f.len) {
		r = record_at(&f, f.at);
		must_do(queue_add(q, item++->time, &r, &e), &e, "add");
		f.at += r.size;
		item = add_alike(q, &f, item, range);
	}
}

int
main(int argc, char **argv)
{
	struct blocks blocks = { 0 };
	struct model m = { 0 };
	struct queue q;
	uint64_t records, rounds, i, number = 0;
	struct err e;

	must(argc == 5 || argc == 6, "usage: queue MEMORY RECORDS ROUNDS SEED [STOP]");
	queue_init(&q, &blocks, cur_host_big());
	q.memory = (size_t)strtoull(argv[1], NULL, 10);
	if (q.memory == 0)
		mem_set_ceiling(LITTLE);
	records = strtoull(argv[2], NULL, 10);
	rounds = strtoull(argv[3], NULL, 10);
	state = strtoull(argv[4], NULL, 10);
	m.stop = argc == 6 ? strtoull(argv[5], NULL, 10) : 0;
	m.waiting = malloc((size_t)records * sizeof *m.waiting);
	must_do(m.waiting == NULL ? err_nomem(&e) : 0, &e, "waiting");
	for (i = 0; i < rounds; i++) {
		uint64_t range = i % 2 == 0 ? 7 : 1000000; /* many equal times, or few */

		while (number < records * (i + 1) / rounds)
			add(&q, &m, &number, records * (i + 1) / rounds, range);
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
