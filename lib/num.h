/* SPDX-License-Identifier: ISC */
/*
 * num.h - reads numbers strictly and writes them exactly; no locale, no allocation.
 *
 * The writers put digits at dst, which has room for NUM_MAX bytes, add no NUL and return the
 * length.  The readers accept the whole text or nothing.
 */
#ifndef AFPIPE_NUM_H
#define AFPIPE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/slice.h"

#define NUM_MAX 48
#define NUM_DIGITS_MAX 17 /* digits that a double may need */

size_t num_put_u64(char *dst, uint64_t v);
void num_put_8(char *dst, uint32_t v); /* exactly 8 digits, with leading zeros; v below 10^8 */
size_t num_put_i64(char *dst, int64_t v);
size_t num_put_hex(char *dst, uint64_t v); /* 0x, then digits without leading zeros */
size_t num_put_bytes(char *dst, const void *bytes, size_t n); /* two hex digits for each byte */

/*
 * Writes a double as in the stream: the shortest digits that read back as the same value.  Integral
 * values below 1e15 have no point.  Infinities and nans are inf, -inf and nan.  -0 keeps its sign.
 */
size_t num_put_double(char *dst, double v);

/*
 * Writes the fewest digits that read back as v, which is finite and above 0.  If several numbers
 * do, the one nearest to v is chosen.  v is 0.DIGITS * 10^*point.  digits has room for
 * NUM_DIGITS_MAX, and the last digit is not 0.  Returns the number of digits.
 */
size_t num_shortest(char *digits, double v, int *point);

/*
 * Writes the same text as num_put_double for the double that s spells, without computing it.  s is
 * -?digits[.digits] of usual size and length.  Returns 0 for anything else.
 */
size_t num_respell_double(char *dst, struct slice s);

/* Reads an unsigned decimal without sign, blanks or leading zeros (except "0" itself). */
bool num_get_u64(struct slice s, uint64_t *v);

/* As above, with an optional '-'. */
bool num_get_i64(struct slice s, int64_t *v);

/* Reads 0x and 1 to 16 hex digits. */
bool num_get_hex(struct slice s, uint64_t *v);

/* Returns true for -?[0-9]+ of any length.  (Integers in the stream may be wider than 64 bits.) */
bool num_is_integer(struct slice s);

/*
 * Reads a double as in the stream: decimal digits with optional point and exponent, inf, -inf or
 * nan.  Rejects hexadecimal, a '+' sign and blanks.
 */
bool num_get_double(struct slice s, double *v);

/*
 * Returns whether a number is out of the range of a double: v, which num_get_double has read from
 * it, is infinite although it is finite, or 0 although it is not 0.
 */
bool num_is_out_of_range(struct slice s, double v);

/* Adds two numbers.  A sum that overflows becomes UINT64_MAX. */
static inline uint64_t
num_plus(uint64_t x, uint64_t y)
{
	return y > UINT64_MAX - x ? UINT64_MAX : x + y;
}

#endif
