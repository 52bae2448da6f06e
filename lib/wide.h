/* SPDX-License-Identifier: ISC */
/*
 * wide.h - unsigned integers of 128 bits, for compilers without them.
 *
 * The stream's times fit (a 64-bit count of seconds in nanoseconds), and so do all integers that
 * it makes sense to add up.
 */
#ifndef AFPIPE_WIDE_H
#define AFPIPE_WIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/slice.h"

struct wide {
	uint64_t hi, lo;
};

#define WIDE_DIGITS 39 /* decimal digits of the largest one */

enum wide_text {
	WIDE_OK = 0,
	WIDE_NO_DIGITS = -1, /* not [0-9]+ */
	WIDE_TOO_LARGE = -2, /* 2^128 or more */
};

/* Reads [0-9]+, with leading zeros allowed.  *v is set only if it returns WIDE_OK. */
enum wide_text wide_get(struct slice s, struct wide *v) __attribute__((warn_unused_result));

#define WIDE_FRACTION_DIGITS 9

/*
 * Removes [0-9]+ and an optional point with 1 to 9 digits after it from the start of *s.  *fraction
 * is in units of 10^-9.  Returns false if there are none, or too many.
 */
bool wide_take_decimal(struct slice *s, struct wide *whole, uint64_t *fraction)
    __attribute__((warn_unused_result));

/*
 * Writes decimal digits to dst, which has room for WIDE_DIGITS, without a NUL.  Returns their
 * number.
 */
size_t wide_put(char *dst, struct wide v);

/*
 * Reads a duration as users write it: a decimal number with the unit ns, us, ms, s, m, min or h, or
 * a number of nanoseconds.  Returns false if it is none, or not whole in nanoseconds.
 */
bool wide_get_duration(struct slice s, struct wide *ns) __attribute__((warn_unused_result));

/*
 * For the message about a text that is not a number: if it is a duration with a unit, writes how to
 * write it as a number, in parentheses after a blank, and otherwise the empty text.
 */
#define WIDE_ADVICE_MAX 128
void wide_advise(struct slice s, char text[WIDE_ADVICE_MAX]);

/* Returns the whole product. */
struct wide wide_mul(uint64_t a, uint64_t b);

/* Returns n / by, rounded down, with the rest of the division.  by is not 0. */
struct wide wide_divide(struct wide n, uint32_t by, uint32_t *rest);

/* Returns the position of the highest bit that is set, from 1, or 0 for 0. */
unsigned wide_bits(struct wide v);

/* Returns v * 2^n, n < 128.  Bits beyond the top are lost. */
struct wide wide_shl(struct wide v, unsigned n);

static inline int
wide_cmp(struct wide a, struct wide b)
{
	if (a.hi != b.hi)
		return a.hi < b.hi ? -1 : 1;
	return (a.lo > b.lo) - (a.lo < b.lo);
}

/* Sets *sum to a + b.  Returns false if that is 2^128 or more, and *sum has then wrapped. */
static inline bool
wide_add(struct wide a, struct wide b, struct wide *sum)
{
	uint64_t lo = a.lo + b.lo, carry = lo < a.lo, hi = a.hi + b.hi;
	bool over = hi < a.hi || hi > UINT64_MAX - carry;

	*sum = (struct wide){ hi + carry, lo };
	return !over;
}

/* Returns a - b, which wraps if b is larger. */
static inline struct wide
wide_sub(struct wide a, struct wide b)
{
	return (struct wide){ a.hi - b.hi - (a.lo < b.lo), a.lo - b.lo };
}

/*
 * Sums of numbers with a sign are kept in two's complement: -v is 2^128 - v.  The result of
 * wide_add, whether it has wrapped, then says nothing.
 */
static inline bool
wide_is_negative(struct wide v)
{
	return v.hi >> 63 != 0;
}

static inline struct wide
wide_negated(struct wide v)
{
	return wide_sub((struct wide){ 0, 0 }, v);
}

static inline struct wide
wide_magnitude(struct wide v)
{
	return wide_is_negative(v) ? wide_negated(v) : v;
}

#endif
