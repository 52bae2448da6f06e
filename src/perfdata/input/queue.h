/* SPDX-License-Identifier: ISC */
/*
 * queue.h - sorts records by time.
 *
 * perf.data is sorted only within each CPU's buffer.  Records wait here until a
 * finished round guarantees that nothing older can come.  What waits beyond
 * QUEUE_MEMORY is written in sorted runs to an unlinked temporary file and merged
 * from there, so the order is exact and memory bounded whatever the length of a
 * round.  Records with equal times leave in the order in which they came.
 */
#ifndef AFPIPE_PERFDATA_QUEUE_H
#define AFPIPE_PERFDATA_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "src/perfdata/input/block.h"

struct extsort;

#define QUEUE_MEMORY ((size_t)32 * 1024 * 1024)

struct queue_entry {
	uint64_t time;
	uint32_t block, at;
};

struct queue {
	struct blocks *blocks;
	bool big_endian;
	size_t memory; /* QUEUE_MEMORY, or less in tests */
	struct queue_entry
	    *entry; /* sorted runs, one after another, in the order in which they came */
	size_t count, cap;
	size_t *run; /* where each begins */
	size_t runs, run_cap;
	struct queue_entry *due, *spare; /* the records of a flush, and room to sort them */
	size_t due_count, due_cap;
	size_t *piece; /* where each sorted piece of due begins */
	size_t pieces, piece_cap;
	struct extsort *disk; /* what is there; NULL for nothing */
	uint64_t spilled; /* bytes, ever */
	uint64_t last; /* time of the last record that left */
};

/* Receives the records that leave; a value other than 0 stops the flush and is returned. */
typedef int queue_sink(void *ctx, const struct rec *r);

void queue_init(struct queue *q, struct blocks *blocks, bool big_endian);
void queue_free(struct queue *q);

/* Adds r and holds its block.  Spills when memory is used up. */
int queue_add(struct queue *q, uint64_t time, const struct rec *r, struct err *e)
    __attribute__((warn_unused_result));

/* Would the next record exceed the memory? */
bool queue_is_full(const struct queue *q);

/* The median time of the records in memory; there must be some. */
int queue_middle(struct queue *q, uint64_t *time, struct err *e)
    __attribute__((warn_unused_result));

/* Gives all records of time <= limit to sink, in order. */
int queue_flush(struct queue *q, uint64_t limit, queue_sink *sink, void *ctx, struct err *e)
    __attribute__((warn_unused_result));

#endif
