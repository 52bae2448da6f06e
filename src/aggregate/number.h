/* SPDX-License-Identifier: ISC */
/* number.h - one value of the stream, exactly: an integer of up to 128 bits or a double. */
#ifndef AFPIPE_NUMBER_H
#define AFPIPE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/slice.h"
#include "lib/wide.h"

enum number_kind {
	NUMBER_INTEGER,
	NUMBER_DOUBLE,		/* finite, and -0 in any spelling */
	NUMBER_INFINITE,
	NUMBER_NAN,
};

/* Its value is m * 2^exp, negated where negative; m and exp mean nothing unless it is finite. */
struct number {
	enum number_kind kind;
	bool negative;
	int exp;
	struct wide m;
};

#define NUMBER_PUT_MAX 64	/* bytes that number_put needs */

/* The text of a value, whole or not at all.  ERR_DATA: no number, or an integer of more than 128 bits. */
int number_get(struct slice s, struct number *v, struct err *e) __attribute__((warn_unused_result));

struct number number_of(int64_t v);

/*
 * The order of what the numbers are worth; -0 stands before 0.  Not for a nan.
 * An integer and a double may be worth the same.
 */
int number_cmp(const struct number *a, const struct number *b);

/* Its spelling in the stream; returns how many bytes it took. */
size_t number_put(char *dst, const struct number *v);

#define NUMBER_SMALL_DIGITS 18

/*
 * Eight digits at p in one go, added to those before: the loads are put together
 * so that compilers see one, on either byte order.  False where one is no digit.
 */
static inline bool
number_eight(const char *p, uint64_t *v)
{
	const unsigned char *s = (const unsigned char *)p;
	uint64_t w = (uint64_t)s[0] | (uint64_t)s[1] << 8 | (uint64_t)s[2] << 16 | (uint64_t)s[3] << 24 |
	    (uint64_t)s[4] << 32 | (uint64_t)s[5] << 40 | (uint64_t)s[6] << 48 | (uint64_t)s[7] << 56;

	if (((w & 0xf0f0f0f0f0f0f0f0u) | ((w + 0x0606060606060606u) & 0xf0f0f0f0f0f0f0f0u) >> 4) !=
	    0x3333333333333333u)
		return false;
	w = (w & 0x0f0f0f0f0f0f0f0fu) * 2561 >> 8;
	w = (w & 0x00ff00ff00ff00ffu) * 6553601 >> 16;
	*v = *v * 100000000 + ((w & 0x0000ffff0000ffffu) * 42949672960001u >> 32);
	return true;
}

/* Of [0-9]{1,18}: most times and values.  False for all else. */
static inline bool
number_small_unsigned(struct slice s, uint64_t *v)
{
	const char *p = s.p, *end = s.p + s.len;
	uint64_t r = 0;

	if (s.len - 1 >= NUMBER_SMALL_DIGITS)
		return false;
	for (; end - p >= 8; p += 8)
		if (!number_eight(p, &r))
			return false;
	for (; p < end; p++) {
		unsigned digit = (unsigned)(unsigned char)*p - '0';

		if (digit > 9)
			return false;
		r = r * 10 + digit;
	}
	*v = r;
	return true;
}

/* Of -?[0-9]{1,18}, save a negative zero.  False for all else. */
static inline bool
number_small(struct slice s, int64_t *v)
{
	bool negative = s.len > 0 && s.p[0] == '-';
	uint64_t u;

	if (!number_small_unsigned((struct slice){ s.p + negative, s.len - negative }, &u) || (negative && u == 0))
		return false;
	*v = negative ? -(int64_t)u : (int64_t)u;
	return true;
}

#endif
