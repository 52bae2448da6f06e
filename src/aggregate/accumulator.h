/* SPDX-License-Identifier: ISC */
/*
 * accumulator.h - the running totals of a group's values, and the results computed from them.
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
#include "src/aggregate/bignum.h"
#include "lib/number.h"

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

/* How many lines had each sort of value that results depend on. */
enum odd {
	ODD_DOUBLE, /* all that are not integers, including those that follow */
	ODD_MINUS_ZERO,
	ODD_INF,
	ODD_MINUS_INF,
	ODD_NAN,
	ODDS
};

/*
 * The totals of all values that number_small does not read: longer integers, doubles, infinities
 * and nans.  A group may have such values, small ones, or both.
 */
struct big {
	struct superaccumulator sum, squares; /* of the finite ones */
	struct number min, max; /* of all but nans; NUMBER_NAN if there is none */
	uint64_t odd[ODDS];
};

struct accumulator {
	uint64_t n; /* number of lines, whatever their weights */
	int64_t sum; /* of small values, apart from the part moved to big */
	struct big *big; /* NULL: there is none */
};

/* The extremes and squares of small values.  Kept only if need is more than ACCUMULATOR_SUM. */
struct spread {
	int64_t min, max; /* INT64_MAX and INT64_MIN if there is no small value */
	struct wide squares; /* below 2^127, without the part moved to big */
};

/* The spread of no values. */
#define SPREAD_EMPTY ((struct spread){ INT64_MAX, INT64_MIN, { 0, 0 } })

void accumulator_free(struct accumulator *t);

/*
 * Adds any value WEIGHT times, above 0.  s may be NULL if need is no more than ACCUMULATOR_SUM.
 * Returns false if memory runs out.
 */
bool accumulator_add_number(struct accumulator *t, struct spread *s, unsigned need,
    const struct number *v, uint64_t weight) __attribute__((warn_unused_result));

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
 * Adds all values of another accumulator, which is of no use then.  s and from_s are as above.
 * Returns false if memory runs out.
 */
bool accumulator_join(struct accumulator *t, struct spread *s, unsigned need,
    struct accumulator *from, struct spread *from_s) __attribute__((warn_unused_result));

/*
 * Call it after the last value, before the functions below.  If there is a big, it then has the
 * whole sum and all squares.  Extremes stay where they are.  More may be added later, followed by
 * another call.  Returns false if memory runs out.
 */
bool accumulator_settle(struct accumulator *t, struct spread *s)
    __attribute__((warn_unused_result));

/* Returns how many lines had such a value. */
static inline uint64_t
accumulator_odd(const struct accumulator *t, enum odd which)
{
	return t->big == NULL ? 0 : t->big->odd[which];
}

/* Returns true if no value was an infinity or a nan. */
bool accumulator_is_finite(const struct accumulator *t);

/* The sum of the finite values. */
void accumulator_sum(const struct accumulator *t, struct bignum *sum);
/* The sum of their squares, if ACCUMULATOR_SQUARES was needed. */
void accumulator_squares(const struct accumulator *t, const struct spread *s, struct bignum *sum);

/*
 * Store the least or the greatest value, nans apart, if ACCUMULATOR_EXTREMES was needed.  Return
 * false if there is none.
 */
bool accumulator_min(const struct accumulator *t, const struct spread *s, struct number *v);
bool accumulator_max(const struct accumulator *t, const struct spread *s, struct number *v);

/*
 * These put results as the stream spells numbers (number_put, num_put_double), and return the
 * length.  dst has room for ACCUMULATOR_PUT_MAX.  n is the number of values: of lines, or the sum
 * of the weights.  They do not allocate, so they cannot fail.
 */
#define ACCUMULATOR_PUT_MAX BIGNUM_PUT_MAX

/* Writes sum * times / by: an integer if all values are integers and the result is one. */
size_t accumulator_put_quotient(char *dst, const struct accumulator *t, uint64_t times,
    struct wide by);
size_t accumulator_put_sum(char *dst, const struct accumulator *t);
size_t accumulator_put_mean(char *dst, const struct accumulator *t, struct wide n);

/* Writes the variance or its root: (n * sum of squares - sum^2) / (n * (n - 1)), or / n^2. */
enum deviation {
	DEVIATION_SAMPLE = 1,
	DEVIATION_ROOT = 2,
};
size_t accumulator_put_deviation(char *dst, const struct accumulator *t, const struct spread *s,
    struct wide n, unsigned which); /* a sum of enum deviation */

/*
 * These add parts of a total that was read from text.  The numbers have no more bits than a total
 * of 2^128 doubles.  Return false if memory runs out, or if a sum exceeds the range of bignum.h;
 * *range is then true.
 */
bool accumulator_take_sum(struct accumulator *t, const struct bignum *sum, bool *range)
    __attribute__((warn_unused_result));
bool accumulator_take_squares(struct accumulator *t, const struct bignum *squares, bool *range)
    __attribute__((warn_unused_result));
bool accumulator_take_odd(struct accumulator *t, const uint64_t *odd, bool *range)
    __attribute__((warn_unused_result));
/* These take an extreme, which is no nan.  Return false if memory runs out. */
bool accumulator_take_min(struct accumulator *t, struct spread *s, const struct number *v)
    __attribute__((warn_unused_result));
bool accumulator_take_max(struct accumulator *t, struct spread *s, const struct number *v)
    __attribute__((warn_unused_result));

#define ACCUMULATOR_SUM_LOWEST (-1074) /* bits of a sum, and one above the highest */
#define ACCUMULATOR_SUM_HIGHEST 1152
#define ACCUMULATOR_SQUARES_LOWEST (-2148)
#define ACCUMULATOR_SQUARES_HIGHEST 2176

#endif
