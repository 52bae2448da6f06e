/* SPDX-License-Identifier: ISC */
/*
 * accumulator.h - the running totals of a group's values, and the statistics computed from them.
 *
 * Only the result is rounded, so the order of values does not matter.  Small integers, which nearly
 * all values are, are added up inline.  Everything else goes to struct big, which a group gets with
 * its first such value.
 */
#ifndef AFPIPE_ACCUMULATOR_H
#define AFPIPE_ACCUMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/wide.h"
#include "src/aggregate/number.h"

enum stat { STAT_COUNT, STAT_SUM, STAT_MEAN, STAT_MIN, STAT_MAX, STAT_STDDEV, STATS };

/* Return the statistic of that name (or STATS), its name, and the data that must be kept for it. */
enum stat stat_named(struct slice name);
struct slice stat_name(enum stat s);
unsigned stat_need(enum stat s); /* a sum of enum accumulator_need */

enum accumulator_need {
	ACCUMULATOR_SUM = 1,
	ACCUMULATOR_EXTREMES = 2,
	ACCUMULATOR_SQUARES = 4,
};

/*
 * A sum without rounding, for any numbers in any order: a fixed-point number over the whole range
 * of squares of doubles.  Only the part that the data need is kept, a few limbs for most data.
 */
struct superaccumulator {
	int64_t *limb; /* limb[i] counts 2^(32 * (first + i)) */
	int32_t first;
	uint32_t n, cap;
	uint32_t carried; /* number of additions since carries were last propagated */
};

/*
 * The totals of all values that number_small does not read: longer integers, doubles, infinities
 * and nans.  A group may have such values, small ones, or both.
 */
struct big {
	struct superaccumulator sum, squares; /* of the finite ones */
	struct number min, max; /* of all but nans; not set if n == nans */
	uint64_t n; /* number of these values; may be 0, if only a sum was moved here */
	uint64_t doubles; /* number of those that are not integers, including infinities and nans */
	uint64_t minus_zeros, infs, minus_infs, nans;
};

struct accumulator {
	uint64_t n; /* number of all values */
	int64_t sum; /* of small values, apart from the part moved to big */
	struct big *big; /* NULL: there is none; if n == big->n, there are no small values */
};

/* The extremes and squares of small values.  Kept only if need is more than ACCUMULATOR_SUM. */
struct spread {
	int64_t min, max;
	struct wide squares; /* below 2^127, without the part moved to big */
};

/* The spread of no values. */
#define SPREAD_EMPTY ((struct spread){ INT64_MAX, INT64_MIN, { 0, 0 } })

void accumulator_free(struct accumulator *t);

/* Adds any value.  Returns false if memory runs out. */
bool accumulator_add_number(struct accumulator *t, unsigned need, const struct number *v)
    __attribute__((warn_unused_result));

/* Moves the sum to big, to make room for more.  Returns false if memory runs out. */
bool accumulator_spill_sum(struct accumulator *t) __attribute__((warn_unused_result));

/* Adds a value from number_small to extremes and squares.  Returns false if memory runs out. */
bool accumulator_spread(struct accumulator *t, struct spread *s, unsigned need, int64_t v)
    __attribute__((warn_unused_result));

/* Adds a value from number_small.  s may be NULL if need is no more than ACCUMULATOR_SUM. */
static inline bool
accumulator_add(struct accumulator *t, struct spread *s, unsigned need, int64_t v)
{
	/* both are far from the limits: |v| < 10^18 */
	if ((t->sum > INT64_MAX / 2 || t->sum < INT64_MIN / 2) && !accumulator_spill_sum(t))
		return false;
	t->sum += v;
	t->n++;
	return (need & ~(unsigned)ACCUMULATOR_SUM) == 0 || accumulator_spread(t, s, need, v);
}

/*
 * Call it once after the last value, before accumulator_put.  If there is a big, it then has the
 * whole sum and all squares.  Extremes stay where they are.  Returns false if memory runs out.
 */
bool accumulator_settle(struct accumulator *t, struct spread *s)
    __attribute__((warn_unused_result));

#define ACCUMULATOR_PUT_MAX 80 /* bytes that accumulator_put needs */

/*
 * Writes the statistic as the stream spells numbers (number_put, num_put_double), or "." if there
 * is none.  Returns the length.  There must be a value.  s may be NULL if no statistic of the group
 * needs more than ACCUMULATOR_SUM.  It does not allocate, so it cannot fail.
 */
size_t accumulator_put(char *dst, enum stat which, const struct accumulator *t,
    const struct spread *s);

#endif
