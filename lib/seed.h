/* SPDX-License-Identifier: ISC */
/*
 * seed.h - what input cannot know of our hash tables.
 */
#ifndef AFPIPE_SEED_H
#define AFPIPE_SEED_H

#include <stdint.h>

/*
 * Another in each run of the program and each call, odd.  For texts it seeds the hash, for numbers
 * seed_hash: no keys collide in every run.  What is printed must not depend on it.
 */
uint64_t seed_make(void);

/*
 * The hash of a number; its high bits are the place in a table.  One product alone would do for
 * most seeds, but of numbers that follow each other, as those of threads do, one seed in a hundred
 * makes a few long runs.
 */
static inline uint64_t
seed_hash(uint64_t key, uint64_t seed)
{
	uint64_t h = key * seed;

	return (h ^ h >> 32) * seed;
}

#endif
