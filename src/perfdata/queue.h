/* SPDX-License-Identifier: ISC */
/*
 * queue.h - records in the order of time.
 *
 * perf.data is in order only per CPU buffer.  Records wait here until a finished
 * round says that nothing older can come.  What waits beyond QUEUE_MEMORY goes, in
 * sorted runs, to an unlinked temporary file and is merged from there, so order is
 * exact and memory flat whatever the length of a round.  Records of one time leave
 * in the order in which they came.
 */
#ifndef AFPIPE_PERFDATA_QUEUE_H
#define AFPIPE_PERFDATA_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "src/perfdata/block.h"

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
	    *entry; /* sorted runs, one after another, in the order of their coming */
	size_t count, cap;
	size_t *run; /* where each begins */
	size_t runs, run_cap;
	struct queue_entry *due, *spare; /* what a flush is about, and room to sort it */
	size_t due_count, due_cap;
	size_t *piece; /* where each sorted piece of due begins */
	size_t pieces, piece_cap;
	struct spill *spill; /* what is on disk; NULL for nothing */
	uint64_t spilled; /* bytes, ever */
	uint64_t last; /* time of the record that left last */
};

/* What takes the records that leave; a value other than 0 stops the flush and is returned. */
typedef int queue_sink(void *ctx, const struct rec *r);

void queue_init(struct queue *q, struct blocks *blocks, bool big_endian);
void queue_free(struct queue *q);

/* Takes r in (its block is held for it).  Spills when memory is used up. */
int queue_add(struct queue *q, uint64_t time, const struct rec *r, struct err *e)
    __attribute__((warn_unused_result));

/* Would the next record be one too many for memory? */
bool queue_is_full(const struct queue *q);

/* A time that half of what waits in memory is not newer than.  There must be something. */
int queue_middle(struct queue *q, uint64_t *time, struct err *e)
    __attribute__((warn_unused_result));

/* Gives all records of time <= limit to sink, in order. */
int queue_flush(struct queue *q, uint64_t limit, queue_sink *sink, void *ctx, struct err *e)
    __attribute__((warn_unused_result));

#endif
