/* SPDX-License-Identifier: ISC */
/*
 * exact.h - a sum without rounding, for any numbers in any order.
 *
 * It is a fixed-point number over the whole range of squares of doubles.  Only the
 * part that the data need is kept: a few limbs for most data.
 */
#ifndef AFPIPE_EXACT_H
#define AFPIPE_EXACT_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/wide.h"
#include "src/aggregate/natural.h"

struct exact {
	int64_t *limb; /* limb[i] counts 2^(32 * (first + i)) */
	int32_t first;
	uint32_t n, cap;
	uint32_t carried; /* what was added since carries were last propagated */
};

/* { 0 } is 0. */
void exact_free(struct exact *x);

/* Adds m * 2^exp, or subtracts it if negative.  False when there is no memory. */
bool exact_add(struct exact *x, bool negative, struct wide m, int exp)
    __attribute__((warn_unused_result));

/* Adds (m * 2^exp)^2. */
bool exact_add_square(struct exact *x, struct wide m, int exp) __attribute__((warn_unused_result));

/* The absolute value of the sum; *negative is its sign. */
void exact_get(const struct exact *x, struct natural *sum, bool *negative);

#endif
