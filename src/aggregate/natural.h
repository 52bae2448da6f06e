/* SPDX-License-Identifier: ISC */
/*
 * natural.h - whole numbers times a power of 2, long enough for sums of squares of doubles.
 *
 * Used for the results of a group, not for each line: simple rather than fast.
 */
#ifndef AFPIPE_NATURAL_H
#define AFPIPE_NATURAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/wide.h"

/*
 * The longest possible number: 2^64 times the sum of 2^64 squares of doubles, which is
 * from bit -2148 to bit 2176, plus the limbs that shifting and aligning add.
 */
#define NATURAL_LIMBS 144

/* limb[0..n) in base 2^32, lowest first, times 2^(32 * exp).  limb[n - 1] != 0; n is 0 for 0. */
struct natural {
	int exp;
	unsigned n;
	uint32_t limb[NATURAL_LIMBS];
};

void natural_set(struct natural *a, struct wide v);

/* Drops limbs that are 0, at the top and at the bottom. */
void natural_trim(struct natural *a);

/* a * 2^bits, bits of either sign. */
void natural_shift(struct natural *a, int bits);

int natural_cmp(const struct natural *a, const struct natural *b);

/* out = a * b; out must be neither of them. */
void natural_mul(struct natural *out, const struct natural *a, const struct natural *b);

/* a -= b; b must not be larger. */
void natural_sub(struct natural *a, const struct natural *b);

/* a /= divisor; false if there is a remainder.  a is an integer below 2^192. */
bool natural_divide(struct natural *a, uint64_t divisor);

/* Decimal digits of an integer below 2^192 at dst, which has room for 58; returns how many. */
size_t natural_put(char *dst, const struct natural *a);

/* The double nearest to a / b (ties to even); inf if it is too large. */
double natural_ratio(const struct natural *a, const struct natural *b);

/* The double nearest to the square root of a / b; within 1 ulp if it is subnormal. */
double natural_root_of_ratio(const struct natural *a, const struct natural *b);

#endif
