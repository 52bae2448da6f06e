/* SPDX-License-Identifier: ISC */
/*
 * pace.h - how far apart samples of a thread usually are: the median of all distances so far.
 *
 * { 0 } is a valid empty struct.  Its size is fixed.
 */
#ifndef AFPIPE_TRACE_PACE_H
#define AFPIPE_TRACE_PACE_H

#include <stdint.h>

#define PACE_RANGES 512
#define PACE_ENOUGH 8 /* distances after which the median says something */

struct pace {
	uint64_t count[PACE_RANGES]; /* by the size of the distance: 8 ranges for a power of 2 */
	uint64_t n;
};

/* Adds the distance, in nanoseconds, between two neighbouring samples of a thread. */
void pace_add(struct pace *p, uint64_t distance);

/* Returns the median, at most an eighth too large, or 0 if there is none. */
uint64_t pace_median(const struct pace *p);

#endif
