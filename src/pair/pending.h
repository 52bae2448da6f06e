/* SPDX-License-Identifier: ISC */
/*
 * pending.h - the intervals that have begun and not yet ended, by run and key.
 *
 * Memory grows with the largest number of them that are open at the same time, and is reused.
 */
#ifndef AFPIPE_PAIR_PENDING_H
#define AFPIPE_PAIR_PENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/slice.h"
#include "lib/wide.h"

#define PENDING_KNOWN_MAX ((size_t)1 << 20) /* of keys that pending_known remembers */

struct begun {
	struct wide time;
	uint64_t losses; /* for the caller: losses of its run before it */
	uint64_t number, cpu; /* for the caller */
	bool numbered;
	uint32_t run;
	struct buf text; /* its key, then the caller's text */
	size_t key_len, region_len,
	    call_len; /* for the caller: the length of the region, after the key */
	/* internal */
	uint64_t hash;
	struct begun *next, *older;
};

struct pending {
	struct begun **slot; /* open addressing */
	size_t count, mask;
	struct begun *all, *free;
	uint64_t seed;
	uint64_t *known; /* hashes of keys; 0 if free */
	size_t nknown, known_mask;
};

/* { 0 } is a valid empty struct. */
void pending_free(struct pending *p);

/* Returns the open interval, or NULL. */
struct begun *pending_find(const struct pending *p, uint32_t run, struct slice key);

/*
 * Begins an interval, which must not be open.  Its text is the key.  Returns NULL if memory runs
 * out.
 */
struct begun *pending_add(struct pending *p, uint32_t run, struct slice key);

/* Ends an interval. */
void pending_drop(struct pending *p, struct begun *b);

/*
 * Returns true if an interval with that key has begun before.  If there have been more than
 * PENDING_KNOWN_MAX keys, it may also return true for a key that is new.
 */
bool pending_known(const struct pending *p, uint32_t run, struct slice key);

#endif
