/* SPDX-License-Identifier: ISC */
/*
 * live.h - the allocated blocks of memory, in the order of their allocation, found by address.
 * Adding and freeing one takes constant time, whatever their number.
 */
#ifndef AFPIPE_PERUN_LIVE_H
#define AFPIPE_PERUN_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/perun/heap/pynum.h"

struct live_block {
	struct pynum address, amount;
	struct pynum uid; /* the place of its uid, or the uid itself if that is an integer */
	char *again; /* owned: the uid's JSON, for a second lookup, and NUL; or NULL */
	uint32_t subtype;
	bool frees; /* not a block, but an entry that frees the one at the address */

	struct live_block *next, *before; /* in its list */

	/* Internal: all but later are used only in the first block at an address. */
	struct live_block *later; /* the next one at the same address */
	struct live_block *last; /* the last one there */
	struct live_block *chain; /* in the bucket */
	uint64_t hash;
};

struct live_list {
	struct live_block *first, *last;
};

struct live {
	struct live_list list; /* the blocks that are allocated */

	/* Internal. */
	struct live_block **bucket;
	size_t buckets, addresses; /* a power of two; number of addresses in them */
	uint64_t seed;
	struct live_block *spare;
	struct live_chunk *chunk;
};

/* { 0 } is a valid empty one.  The caller first drops the blocks in its own lists. */
void live_close(struct live *l);

/* A new block, all 0, in no list.  NULL without memory. */
struct live_block *live_new(struct live *l);

/* Frees a block that is in no list. */
void live_drop(struct live *l, struct live_block *b);

void live_append(struct live_list *list, struct live_block *b);

/* Takes the first block off a list; NULL at its end. */
struct live_block *live_shift(struct live_list *list);

/* Adds a block that is in no list.  False without memory: then it is still in none. */
bool live_allocate(struct live *l, struct live_block *b) __attribute__((warn_unused_result));

/* Frees the first block allocated at an address equal to this, if there is one. */
void live_release(struct live *l, const struct pynum *address);

#endif
