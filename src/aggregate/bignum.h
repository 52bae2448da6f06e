/* SPDX-License-Identifier: ISC */
/*
 * bignum.h - integers times a power of 2, long enough for all that is computed from the totals of a
 * group: n times a sum of squares of doubles, for instance.
 *
 * They are used for the results of a group, not for each line.  GMP does the arithmetic, with its
 * functions on arrays of limbs (mpn), of which those that are used neither allocate for numbers of
 * this size nor end the program.
 */
#ifndef AFPIPE_BIGNUM_H
#define AFPIPE_BIGNUM_H

#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/slice.h"
#include "lib/wide.h"
#include "lib/number.h"

/*
 * The totals of up to 2^128 values: a sum reaches from bit -1074 to bit 1152, a sum of squares from
 * bit -2148 to bit 2176.  A total that was read from text may be 2^64 times as large.  The longest
 * number is such a sum, squared, and the bits added when two numbers are aligned.
 */
#define BIGNUM_BITS 5120
#define BIGNUM_LIMBS (BIGNUM_BITS / GMP_NUMB_BITS)

/* limb[0..n), lowest first, times 2^exp, negated if negative.  limb[n - 1] != 0; n is 0 for 0. */
struct bignum {
	int exp;
	bool negative; /* false for 0 */
	mp_size_t n;
	mp_limb_t limb[BIGNUM_LIMBS];
};

/* words[0..n) are in base 2^32, lowest first, at most BIGNUM_BITS in all. */
void bignum_set_words(struct bignum *a, const uint32_t *words, size_t n, int exp);
void bignum_set(struct bignum *a, struct wide v);
void bignum_set_number(struct bignum *a, const struct number *v); /* v is finite */

/* out is neither a nor b. */
void bignum_mul(struct bignum *out, const struct bignum *a, const struct bignum *b);
void bignum_add(struct bignum *a, const struct bignum *b);
void bignum_sub(struct bignum *a, const struct bignum *b);

int bignum_cmp(const struct bignum *a, const struct bignum *b);

bool bignum_is_integer(const struct bignum *a);
/* Returns the number of bits of an integer. */
int bignum_bits(const struct bignum *a);

/*
 * Divides an integer by another, which is not 0.  Returns false and leaves a unchanged if a is not
 * an integer or if there is a remainder.
 */
bool bignum_divide(struct bignum *a, const struct bignum *by);

/*
 * Sets *floor to the largest integer that is not above a / b.  Returns false if this exceeds LIMIT
 * either way.  b is above 0.
 */
bool bignum_floor(const struct bignum *a, const struct bignum *b, int64_t limit, int64_t *floor);

/* Return the double nearest to a / b (ties to even), or inf if it is too large.  b is not 0. */
double bignum_ratio(const struct bignum *a, const struct bignum *b);
/* The same for its square root.  a is not below 0, b is above 0. */
double bignum_root_of_ratio(const struct bignum *a, const struct bignum *b);

/*
 * Writes the digits of an integer below 2^256, with a sign, to dst, which has room for
 * BIGNUM_PUT_MAX.  Returns the length.
 */
#define BIGNUM_PUT_MAX 79
size_t bignum_put(char *dst, const struct bignum *a);

/*
 * Exact text: an integer, or INTEGERpEXP for INTEGER * 2^EXP with an odd INTEGER, if the number is
 * not an integer below 2^256.  dst has room for BIGNUM_EXACT_MAX.
 */
#define BIGNUM_EXACT_MAX (BIGNUM_BITS / 3 + 16)
size_t bignum_put_exact(char *dst, const struct bignum *a);

/*
 * Reads what bignum_put_exact writes.  s is not empty.  Returns false for anything else, for bits
 * below LOWEST or not below HIGHEST.  -BIGNUM_BITS / 2 < lowest <= 0, 256 <= highest < BIGNUM_BITS
 * / 2.
 */
bool bignum_get_exact(struct slice s, int lowest, int highest, struct bignum *a);

#endif
