/* SPDX-License-Identifier: ISC */
/* queue.c - sorts records by time, and manages the memory that they wait in. */
#include <string.h>

#include "lib/extsort.h"
#include "lib/hint.h"
#include "lib/mem.h"
#include "lib/vec.h"
#include "src/perfdata/input/input.h"

/* The prefetch distance.  A round exceeds the caches, and its records leave out of order. */
#define AHEAD 16
#define NEXT_LINE 40 /* a part of a record may be in the next line of the cache */

/* Precedes each record on disk: its time and its offset in the input, in the host's byte order. */
#define ON_DISK_HEAD ((size_t)16)

/*
 * Memory is checked once every FULL_CHECK records.  Most records have about 100 bytes, and none has
 * more than 64 KB.
 */
#define FULL_CHECK 64

/* ---- blocks */

void
blocks_free(struct blocks *b)
{
	uint32_t i;

	for (i = 0; i < b->count; i++)
		mem_free(b->item[i].data);
	mem_free(b->item);
	*b = (struct blocks){ 0 };
}

static int
add_block(struct blocks *b, struct err *e)
{
	unsigned char *data;

	if (!vec_room(b->item, b->count, b->cap))
		return err_nomem(e);
	data = mem_alloc(BLOCK_HEAD + BLOCK_BODY + NEXT_LINE);
	if (data == NULL)
		return err_nomem(e);
	b->item[b->count] = (struct block){ .data = data, .next_free = b->free };
	b->free = ++b->count;
	return 0;
}

int
blocks_get(struct blocks *b, uint32_t *n, struct err *e)
{
	struct block *k;

	if (b->free == 0 && add_block(b, e) != 0)
		return e->code;
	*n = b->free - 1;
	k = &b->item[*n];
	b->free = k->next_free;
	k->refs = 1;
	b->used++;
	return 0;
}

/* ---- the queue */

void
queue_init(struct queue *q, struct blocks *blocks, bool big_endian)
{
	*q = (struct queue){ .blocks = blocks, .big_endian = big_endian, .memory = QUEUE_MEMORY };
}

void
queue_free(struct queue *q)
{
	extsort_close(q->disk);
	mem_free(q->entry);
	mem_free(q->run);
	mem_free(q->due);
	mem_free(q->spare);
	mem_free(q->piece);
	*q = (struct queue){ 0 };
}

/* Returns how many of the sorted entries [from, to) of a have a time <= limit. */
static size_t
count_up_to(const struct queue_entry *a, size_t from, size_t to, uint64_t limit)
{
	size_t low = from, high = to;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (a[mid].time <= limit)
			low = mid + 1;
		else
			high = mid;
	}
	return low - from;
}

/*
 * Merges the pieces [from, mid) and [mid, to) of the due records in place.  The second one often
 * begins near the end of the first one, or is short, since it was read later.  Its first record is
 * older than all records from FROM on, so it is left over until they have moved.
 */
static void
merge(struct queue *q, size_t from, size_t mid, size_t to)
{
	struct queue_entry *a = q->due, *b = q->spare;
	size_t i = mid, j = to - mid, out = to;

	from += count_up_to(a, from, mid, a[mid].time);
	memcpy(b, a + mid, j * sizeof *b);
	while (i > from) {
		bool first = a[i - 1].time > b[j - 1].time; /* a branch would be mispredicted */

		a[--out] = *(first ? &a[i - 1] : &b[j - 1]);
		i -= first;
		j -= !first;
	}
	memcpy(a + i, b, j * sizeof *b);
}

/*
 * Merges until at most MOST pieces are left.  The due records consist of a few sorted pieces, one
 * or two per CPU and round.  If their number is odd, the first one waits, since it is a long one.
 */
static void
join_pieces(struct queue *q, size_t most)
{
	size_t i, kept;

	q->piece[q->pieces] = q->due_count;
	while (q->pieces > most) {
		kept = q->pieces % 2;
		for (i = kept; i < q->pieces; i += 2) {
			merge(q, q->piece[i], q->piece[i + 1], q->piece[i + 2]);
			q->piece[kept++] = q->piece[i];
		}
		q->pieces = kept;
		q->piece[q->pieces] = q->due_count;
	}
}

/* Makes room for the starts of the pieces: one per run, and one more for the end. */
static int
reserve_pieces(struct queue *q, struct err *e)
{
	if (q->piece_cap > q->runs)
		return 0;
	mem_free(q->piece);
	q->piece_cap = q->run_cap + 1;
	q->piece = mem_alloc(q->piece_cap * sizeof *q->piece);
	if (q->piece == NULL) {
		q->piece_cap = 0;
		return err_nomem(e);
	}
	return 0;
}

static int
reserve_due(struct queue *q, struct err *e)
{
	if (q->due_cap >= q->count)
		return 0;
	mem_free(q->due);
	mem_free(q->spare);
	q->due_cap = q->cap;
	q->due = mem_zero(q->due_cap + AHEAD + 1, sizeof *q->due);
	q->spare = mem_alloc(q->due_cap * sizeof *q->spare);
	if (q->due == NULL || q->spare == NULL) {
		q->due_cap = 0;
		return err_nomem(e);
	}
	return 0;
}

/* Adds the n sorted entries at FROM. */
static void
add_due(struct queue *q, size_t from, size_t n)
{
	if (n == 0)
		return;
	if (q->due_count == 0 || q->entry[from].time < q->due[q->due_count - 1].time)
		q->piece[q->pieces++] = q->due_count;
	memcpy(q->due + q->due_count, q->entry + from, n * sizeof *q->due);
	q->due_count += n;
}

/*
 * Moves all entries with time <= limit to due, as at most MOST sorted pieces.  The others close up
 * and stay sorted runs.
 */
static int
take_due(struct queue *q, uint64_t limit, size_t most, struct err *e)
{
	size_t i, kept = 0, runs = 0;

	q->due_count = q->pieces = 0;
	if (reserve_pieces(q, e) != 0 || reserve_due(q, e) != 0)
		return e->code;
	for (i = 0; i < q->runs; i++) {
		size_t from = q->run[i], to = i + 1 < q->runs ? q->run[i + 1] : q->count;
		size_t n = count_up_to(q->entry, from, to, limit);

		add_due(q, from, n);
		if (n == to - from)
			continue;
		q->run[runs++] = kept;
		memmove(q->entry + kept, q->entry + from + n, (to - from - n) * sizeof *q->entry);
		kept += to - from - n;
	}
	q->count = kept;
	q->runs = runs;
	join_pieces(q, most);
	return 0;
}

static const unsigned char *
place_of(const struct queue *q, const struct queue_entry *entry)
{
	return q->blocks->item[entry->block].data + entry->at;
}

/* Fills *r in place, since a copy of what has just been stored in smaller parts is slow. */
static HINT_INLINE void
take_record(const struct queue *q, const struct queue_entry *entry, struct rec *r)
{
	const struct block *k = &q->blocks->item[entry->block];

	r->p = k->data + entry->at;
	rec_read_header(r, q->big_endian);
	r->stored_size = 0;
	r->block = entry->block;
	r->at = entry->at;
	r->offset = k->packed != 0 ? k->packed : k->base + entry->at;
}

static uint64_t
time_on_disk(const char *item)
{
	uint64_t time;

	memcpy(&time, item, sizeof time);
	return time;
}

static int
compare_on_disk(const char *a, const char *b)
{
	uint64_t x = time_on_disk(a), y = time_on_disk(b);

	return (x > y) - (x < y);
}

static bool
put_on_disk(struct queue *q, uint64_t time, const struct rec *r)
{
	char *p = extsort_room(q->disk, ON_DISK_HEAD + r->size);

	if (p == NULL)
		return false;
	memcpy(p, &time, 8);
	memcpy(p + 8, &r->offset, 8);
	memcpy(p + ON_DISK_HEAD, r->p, r->size);
	extsort_put(q->disk, ON_DISK_HEAD + r->size);
	return true;
}

/* Finds the oldest record on disk, where there were some.  Returns false if none is left. */
static bool
oldest_on_disk(const struct queue *q, uint64_t *time, struct rec *r)
{
	struct slice item;

	if (!extsort_peek(q->disk, &item))
		return false;
	*time = time_on_disk(item.p);
	*r = (struct rec){ .p = (const unsigned char *)item.p + ON_DISK_HEAD };
	memcpy(&r->offset, item.p + 8, sizeof r->offset);
	rec_read_header(r, q->big_endian);
	return true;
}

static int
spill_everything(struct queue *q, struct err *e)
{
	int rc = q->disk == NULL ? extsort_open(&q->disk, compare_on_disk, e) : 0;
	struct rec r;
	size_t i;

	if (rc == 0)
		rc = extsort_begin(q->disk, e);
	if (rc == 0)
		rc = take_due(q, UINT64_MAX, 1, e);
	if (rc != 0)
		return rc;
	for (i = 0; i < q->due_count; i++) {
		take_record(q, &q->due[i], &r);
		if (!put_on_disk(q, q->due[i].time, &r))
			break;
		q->spilled += r.size;
		blocks_drop(q->blocks, r.block);
	}
	return extsort_end(q->disk, e);
}

bool
queue_is_full(const struct queue *q)
{
	size_t held = q->blocks->used * (BLOCK_HEAD + BLOCK_BODY);

	return held + q->count * 2 * sizeof *q->entry > q->memory;
}

/* Sorts everything into one run, since a guessed median could be older than nearly all records. */
int
queue_middle(struct queue *q, uint64_t *time, struct err *e)
{
	if (take_due(q, UINT64_MAX, 1, e) != 0)
		return e->code;
	memcpy(q->entry, q->due, q->due_count * sizeof *q->entry);
	q->count = q->due_count;
	q->run[q->runs++] = 0;
	*time = q->entry[q->count / 2].time;
	return 0;
}

static int
begin_run(struct queue *q, struct err *e)
{
	if (!vec_room(q->run, q->runs, q->run_cap))
		return err_nomem(e);
	q->run[q->runs++] = q->count;
	return 0;
}

/* Adds the record at AT in the block, which the caller holds for it. */
static HINT_INLINE int
add(struct queue *q, uint64_t time, uint32_t block, size_t at, struct err *e)
{
	if (q->count % FULL_CHECK == 0 && q->count != 0 && queue_is_full(q) &&
	    spill_everything(q, e) != 0)
		return e->code;
	if (!vec_room(q->entry, q->count, q->cap))
		return err_nomem(e);
	if ((q->count == 0 || time < q->entry[q->count - 1].time) && begin_run(q, e) != 0)
		return e->code;
	q->entry[q->count++] =
	    (struct queue_entry){ .time = time, .block = block, .at = (uint32_t)at };
	return 0;
}

int
queue_add(struct queue *q, uint64_t time, const struct rec *r, struct err *e)
{
	if (add(q, time, r->block, r->at, e) != 0)
		return e->code;
	blocks_hold(q->blocks, r->block);
	return 0;
}

int
queue_add_alike(struct queue *q, struct feed *f, const struct alike *like, uint64_t *newest,
    struct err *e)
{
	struct block *k = &q->blocks->item[f->block];
	const bool swap = q->big_endian != cur_host_big();
	uint64_t time;
	struct rec r;

	while (f->len - f->at >= like->time_at + 8) {
		r.p = k->data + f->at;
		rec_read_header(&r, q->big_endian);
		if (r.type != like->type || r.size < like->time_at + 8 || r.size > f->len - f->at)
			break;
		time = cur_word64(r.p + like->time_at, swap);
		if (time < like->oldest || time == UINT64_MAX)
			break;
		if (add(q, time, f->block, f->at, e) != 0)
			return e->code;
		k->refs++;
		f->at += r.size;
		if (time > *newest)
			*newest = time;
	}
	return 0;
}

/*
 * Passes on records on disk that are older than the next one in memory.  Of records with equal
 * times, those on disk came first.
 */
static int
flush_spill(struct queue *q, uint64_t limit, queue_sink *sink, void *ctx, struct err *e)
{
	struct rec r;
	uint64_t time;
	int rc = 0;

	while (rc == 0 && oldest_on_disk(q, &time, &r) && time <= limit) {
		q->last = time;
		rc = sink(ctx, &r);
		if (rc == 0)
			rc = extsort_pop(q->disk, e);
	}
	return rc;
}

/*
 * The due records on their way out: one or two pieces, which are merged.  After the last entry
 * there is one with the highest time, and more that may be read but mean nothing.
 */
struct leaving {
	const struct queue_entry *first, *second, *mid;
};

static struct leaving
begin_leaving(struct queue *q)
{
	const struct queue_entry *mid;

	if (q->due_count == 0)
		return (struct leaving){ NULL, NULL, NULL };
	mid = q->due + (q->pieces > 1 ? q->piece[1] : q->due_count);
	q->due[q->due_count].time = UINT64_MAX;
	return (struct leaving){ q->due, mid, mid };
}

/* Returns the next entry.  A branch on the times would be mispredicted. */
static HINT_INLINE const struct queue_entry *
next_entry(struct leaving *l)
{
	bool second = (l->first == l->mid) | (l->second->time < l->first->time);
	const struct queue_entry *entry = second ? l->second : l->first;

	l->second += second;
	l->first += !second;
	return entry;
}

static HINT_INLINE void
fetch_early(const struct queue *q, const struct queue_entry *entry)
{
	const unsigned char *p = place_of(q, entry);

	hint_soon(p);
	hint_soon(p + NEXT_LINE);
}

int
queue_flush(struct queue *q, uint64_t limit, queue_sink *sink, void *ctx, struct err *e)
{
	int rc = take_due(q, limit, 2, e);
	struct leaving leaving;
	struct rec r;
	size_t n;

	if (rc != 0)
		return rc;
	leaving = begin_leaving(q);
	for (n = q->due_count; rc == 0 && n > 0; n--) {
		const struct queue_entry *entry = next_entry(&leaving);

		take_record(q, entry, &r);
		fetch_early(q, entry + AHEAD);
		if (q->disk != NULL)
			rc = flush_spill(q, entry->time, sink, ctx, e);
		q->last = entry->time;
		if (rc == 0)
			rc = sink(ctx, &r);
		blocks_drop(q->blocks, r.block);
	}
	return rc == 0 && q->disk != NULL ? flush_spill(q, limit, sink, ctx, e) : rc;
}
