/* SPDX-License-Identifier: ISC */
/*
 * pace.h - how far apart samples of a thread usually are, and what distance is a gap.
 *
 * { 0 } is a valid empty struct.  Its size is fixed.
 */
#ifndef AFPIPE_PACE_H
#define AFPIPE_PACE_H

#include <stdint.h>

#define PACE_RANGES 512

struct pace {
	uint64_t count[PACE_RANGES]; /* by the size of the distance: 8 ranges for a power of 2 */
	uint64_t n;
};

/* Adds the distance, in nanoseconds, between two consecutive samples of a thread. */
void pace_add(struct pace *p, uint64_t distance);

/*
 * Return the median of all distances so far, at most an eighth too large, or 0 if there is none.
 * Of an even number, they use the smaller or the larger one of the two in the middle.
 */
uint64_t pace_median_low(const struct pace *p);
uint64_t pace_median_high(const struct pace *p);

/*
 * Returns the longest distance that is not a gap, given the usual one: twice that.  A thread that
 * runs all the time has none that is longer.
 */
uint64_t pace_limit(uint64_t usual);

#endif
