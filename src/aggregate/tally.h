/* SPDX-License-Identifier: ISC */
/*
 * tally.h - the running totals of a group's values, and the statistics computed from them.
 *
 * Only the result is rounded, so the order of values does not matter.  Small integers,
 * which are nearly all values, are added up inline; everything else goes to struct big,
 * which a group gets with its first such value.
 */
#ifndef AFPIPE_TALLY_H
#define AFPIPE_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/wide.h"
#include "src/aggregate/exact.h"
#include "src/aggregate/number.h"

enum stat { STAT_COUNT, STAT_SUM, STAT_MEAN, STAT_MIN, STAT_MAX, STAT_STDDEV, STATS };

enum tally_need {
	TALLY_SUM = 1,
	TALLY_EXTREMES = 2,
	TALLY_SQUARES = 4,
};

struct big {
	struct exact sum, squares;
	struct number min, max;
	uint64_t n; /* values added here: all that number_small does not read */
	uint64_t doubles, minus_zeros, infs, minus_infs, nans;
};

struct tally {
	uint64_t n; /* all values */
	int64_t sum; /* of small values, apart from the part moved to big */
	struct big *big;
};

/* Extremes and squares of small values, kept only if needed. */
struct spread {
	int64_t min, max;
	struct wide squares; /* below 2^127, apart from the part moved to big */
};

#define SPREAD_EMPTY ((struct spread){ INT64_MAX, INT64_MIN, { 0, 0 } })

void tally_free(struct tally *t);

/* What has to be kept for the statistic s, as a sum of enum tally_need. */
unsigned tally_need(enum stat s);

/* Adds any value.  False when there is no memory. */
bool tally_add_number(struct tally *t, unsigned need, const struct number *v)
    __attribute__((warn_unused_result));

/* Moves the sum to big, to make room for more. */
bool tally_spill_sum(struct tally *t) __attribute__((warn_unused_result));

/* Adds a value from number_small to extremes and squares. */
bool tally_spread(struct tally *t, struct spread *s, unsigned need, int64_t v)
    __attribute__((warn_unused_result));

/* Adds a value from number_small; s may be NULL if need is no more than TALLY_SUM. */
static inline bool
tally_add(struct tally *t, struct spread *s, unsigned need, int64_t v)
{
	/* both are far from the limits: |v| < 10^18 */
	if ((t->sum > INT64_MAX / 2 || t->sum < INT64_MIN / 2) && !tally_spill_sum(t))
		return false;
	t->sum += v;
	t->n++;
	return (need & ~(unsigned)TALLY_SUM) == 0 || tally_spread(t, s, need, v);
}

/* Call once after the last value, before tally_put. */
bool tally_settle(struct tally *t, struct spread *s) __attribute__((warn_unused_result));

#define TALLY_PUT_MAX 80 /* bytes that tally_put needs */

/* Writes the statistic in the stream's spelling; returns the length. */
size_t tally_put(char *dst, enum stat which, const struct tally *t, const struct spread *s);

#endif
