/* SPDX-License-Identifier: ISC */
/*
 * bignum.h - whole numbers times a power of 2, long enough for sums of squares of doubles.
 *
 * Used for the results of a group, not for each line.  The arithmetic is GMP's, by its functions
 * on arrays of limbs (mpn), which neither allocate for numbers of this size nor end the program.
 */
#ifndef AFPIPE_BIGNUM_H
#define AFPIPE_BIGNUM_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/wide.h"

/*
 * The longest possible number: 2^64 times the sum of 2^64 squares of doubles, which is from bit
 * -2148 to bit 2176, and what aligning two numbers adds.
 */
#define BIGNUM_BITS 4608
#define BIGNUM_LIMBS (BIGNUM_BITS / GMP_NUMB_BITS)

/* limb[0..n), lowest first, times 2^exp.  limb[n - 1] != 0; n is 0 for 0. */
struct bignum {
	int exp;
	mp_size_t n;
	mp_limb_t limb[BIGNUM_LIMBS];
};

/* words[0..n) in base 2^32, lowest first, times 2^exp; at most BIGNUM_BITS in all. */
void bignum_set_words(struct bignum *a, const uint32_t *words, size_t n, int exp);

void bignum_set(struct bignum *a, struct wide v);

/* out = a * b; out must be neither of them. */
void bignum_mul(struct bignum *out, const struct bignum *a, const struct bignum *b);

/* a -= b; b must not be larger. */
void bignum_sub(struct bignum *a, const struct bignum *b);

/* a /= divisor; false if there is a remainder, and then a is unchanged.  a->exp is not below 0. */
bool bignum_divide(struct bignum *a, uint64_t divisor);

/* Decimal digits of an integer below 2^192 at dst, which has room for 58; returns how many. */
size_t bignum_put(char *dst, const struct bignum *a);

/* The double nearest to a / b (ties to even); inf if it is too large.  b is not 0. */
double bignum_ratio(const struct bignum *a, const struct bignum *b);

/* The double nearest to the square root of a / b (ties to even).  b is not 0. */
double bignum_root_of_ratio(const struct bignum *a, const struct bignum *b);

#endif
