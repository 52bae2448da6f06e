/* SPDX-License-Identifier: ISC */
/* number.h - one exact value of the stream: an integer of up to 128 bits or a double. */
#ifndef AFPIPE_NUMBER_H
#define AFPIPE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/hint.h"
#include "lib/slice.h"
#include "lib/wide.h"

enum number_kind {
	NUMBER_INTEGER,
	NUMBER_DOUBLE, /* finite; also -0 in any spelling */
	NUMBER_INFINITE,
	NUMBER_NAN,
};

/*
 * The value is m * 2^exp, negated if negative is set.  m and exp are valid only if it is finite.
 * negative is also valid for an infinity.  For a double, m is below 2^53; for 0, it is 0.
 */
struct number {
	enum number_kind kind;
	bool negative;
	int exp;
	struct wide m;
};

#define NUMBER_PUT_MAX 64 /* bytes that number_put needs */

/* Reads the whole text of a value.  Returns ERR_DATA if it is not a number or exceeds 128 bits. */
int number_get(struct slice s, struct number *v, struct err *e) __attribute__((warn_unused_result));

struct number number_of(int64_t v);
struct number number_of_double(double v);

/*
 * Compares the values of two numbers, including infinities but not nans.  -0 is less than 0.  An
 * integer and a double may be equal.
 */
int number_cmp(const struct number *a, const struct number *b);

/* Writes the number as the stream spells it.  Returns the length. */
size_t number_put(char *dst, const struct number *v);

#define NUMBER_SMALL_DIGITS 18
#define NUMBER_SMALL_MAX ((uint64_t)999999999999999999)

/* Stores the value of an integer that number_small would read.  Returns false for all others. */
static inline bool
number_is_small(const struct number *v, int64_t *small)
{
	if (v->kind != NUMBER_INTEGER || v->m.hi != 0 || v->m.lo > NUMBER_SMALL_MAX)
		return false;
	*small = v->negative ? -(int64_t)v->m.lo : (int64_t)v->m.lo;
	return true;
}

/*
 * Load bytes in a way that compilers turn into one load in either byte order.  The first byte is
 * the lowest.
 */
static inline uint64_t
number_load4(const char *p)
{
	const unsigned char *s = (const unsigned char *)p;

	return (uint64_t)s[0] | (uint64_t)s[1] << 8 | (uint64_t)s[2] << 16 | (uint64_t)s[3] << 24;
}

static inline uint64_t
number_load8(const char *p)
{
	const unsigned char *s = (const unsigned char *)p;

	return (uint64_t)s[0] | (uint64_t)s[1] << 8 | (uint64_t)s[2] << 16 | (uint64_t)s[3] << 24 |
	    (uint64_t)s[4] << 32 | (uint64_t)s[5] << 40 | (uint64_t)s[6] << 48 |
	    (uint64_t)s[7] << 56;
}

/* Computes the value of eight digits at once.  Returns false if one is not a digit. */
static HINT_INLINE bool
number_eight(uint64_t w, uint64_t *v)
{
	if (((w & 0xf0f0f0f0f0f0f0f0u) | ((w + 0x0606060606060606u) & 0xf0f0f0f0f0f0f0f0u) >> 4) !=
	    0x3333333333333333u)
		return false;
	w = (w & 0x0f0f0f0f0f0f0f0fu) * 2561 >> 8;
	w = (w & 0x00ff00ff00ff00ffu) * 6553601 >> 16;
	*v = (w & 0x0000ffff0000ffffu) * 42949672960001u >> 32;
	return true;
}

/* Returns w with '0' as its first n bytes, n < 8. */
static inline uint64_t
number_zeros(uint64_t w, size_t n)
{
	uint64_t keep = ~(uint64_t)0 << 8 * n;

	return (w & keep) | (0x3030303030303030u & ~keep);
}

/* Reads [0-9]{1,18}, which covers most times and values.  Returns false for anything else. */
static HINT_INLINE bool
number_small_unsigned(struct slice s, uint64_t *v)
{
	static const uint32_t power[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000 };
	size_t n = s.len, i;
	uint64_t r = 0, more;

	if (n - 1 >= NUMBER_SMALL_DIGITS)
		return false;
	if (n < 4) {
		for (i = 0; i < n; i++) {
			unsigned digit = (unsigned)(unsigned char)s.p[i] - '0';

			if (digit > 9)
				return false;
			r = r * 10 + digit;
		}
		*v = r;
		return true;
	}
	if (n < 8) {
		/* the first n - 4 digits after zeros, then the last four */
		uint64_t w = number_load4(s.p) << 8 * (8 - n);

		return number_eight(number_zeros((w & UINT32_MAX) | number_load4(s.p + n - 4) << 32,
					8 - n),
		    v);
	}
	if (!number_eight(number_load8(s.p), &r))
		return false;
	if (n >= 16) {
		if (!number_eight(number_load8(s.p + 8), &more))
			return false;
		r = r * 100000000 + more;
	}
	n %= 8;
	if (n != 0) {
		/* the last eight digits, with those already counted replaced by zeros */
		if (!number_eight(number_zeros(number_load8(s.p + s.len - 8), 8 - n), &more))
			return false;
		r = r * power[n] + more;
	}
	*v = r;
	return true;
}

/* Reads -?[0-9]{1,18} except a negative zero.  Returns false for anything else. */
static HINT_INLINE bool
number_small(struct slice s, int64_t *v)
{
	bool negative = s.len > 0 && s.p[0] == '-';
	uint64_t u;

	if (!number_small_unsigned((struct slice){ s.p + negative, s.len - negative }, &u) ||
	    (negative && u == 0))
		return false;
	*v = negative ? -(int64_t)u : (int64_t)u;
	return true;
}

#endif
