/* SPDX-License-Identifier: ISC */
/*
 * seed.h - random seeds for hash tables, so that no input can be made to collide in them.
 */
#ifndef AFPIPE_SEED_H
#define AFPIPE_SEED_H

#include <stdint.h>

/*
 * Returns an odd number that differs in each run of the program and each call.  It seeds the hash
 * of texts, and seed_hash for numbers, so that no keys collide in every run.  Output must not
 * depend on it.
 */
uint64_t seed_make(void);

/*
 * Returns the hash of a number.  Its high bits are the index in a table.  A single product would do
 * for most seeds, but with consecutive numbers, such as thread ids, one seed in a hundred makes a
 * few long runs.
 */
static inline uint64_t
seed_hash(uint64_t key, uint64_t seed)
{
	uint64_t h = key * seed;

	return (h ^ h >> 32) * seed;
}

#endif
