/* SPDX-License-Identifier: ISC */
/*
 * block.h - the memory that records are read into and wait in.
 *
 * A block is filled from the input in one piece and lives while it is being read or
 * while a record in it waits for its turn.  Records are identified by block and place,
 * so a waiting one costs 16 bytes and no copy.
 */
#ifndef AFPIPE_PERFDATA_BLOCK_H
#define AFPIPE_PERFDATA_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cur.h"
#include "lib/err.h"
#include "src/perfdata/abi.h"

/* At the front of each block: room for the start of a record that the block before had in part. */
#define BLOCK_HEAD ((size_t)REC_MAX + 1)
#define BLOCK_BODY ((size_t)512 * 1024)

struct block {
	unsigned char *data; /* BLOCK_HEAD + BLOCK_BODY bytes */
	uint64_t base; /* offset in the input of data[0] (may wrap below 0 by the head) */
	uint64_t packed; /* if not 0, its records were compressed, at that offset */
	uint32_t refs;
	uint32_t next_free;
};

struct blocks {
	struct block *item;
	uint32_t count, free; /* free: 1 + the first free block, 0 for none */
	size_t cap;
	uint32_t used;
};

/* A record as it was read.  p is valid while its block is held. */
struct rec {
	const unsigned char *p; /* its header */
	uint32_t type;
	uint16_t misc, size; /* for COMPRESSED2 the header alone, see said_size */
	uint16_t said_size; /* the size stored in the record */
	uint32_t block, at; /* its block and its place there */
	uint64_t offset; /* of its header in the input */
};

/* A cursor over all that follows the record's header, the trailer included. */
static inline struct cur
rec_fields(const struct rec *r, bool big_endian)
{
	return cur_over(r->p + REC_HEADER, r->size - (size_t)REC_HEADER, big_endian);
}

/* { 0 } is a valid empty pool. */
void blocks_free(struct blocks *b);

/* Gets a block with one reference and puts its number in *n. */
int blocks_get(struct blocks *b, uint32_t *n, struct err *e) __attribute__((warn_unused_result));

static inline void
blocks_hold(struct blocks *b, uint32_t n)
{
	b->item[n].refs++;
}

static inline void
blocks_drop(struct blocks *b, uint32_t n)
{
	struct block *k = &b->item[n];

	if (--k->refs == 0) {
		k->next_free = b->free;
		b->free = n + 1;
		b->used--;
	}
}

#endif
