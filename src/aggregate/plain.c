/* SPDX-License-Identifier: ISC */
/* plain.c - writes a number of the stream as digits with an optional point and nothing else. */
#include "src/aggregate/plain.h"

#include <stdlib.h>

#define DIGITS_MAX 64

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The digits without point, and where the point is. */
static size_t
take_digits(struct slice s, char *digits, long *point)
{
	char power[16];
	size_t i, n = 0;

	*point = -1;
	for (i = 0; i < s.len && s.p[i] != 'e'; i++) {
		if (s.p[i] == '.')
			*point = (long)n;
		else if (!is_digit(s.p[i]) || n == DIGITS_MAX)
			return 0;
		else
			digits[n++] = s.p[i];
	}
	if (*point < 0)
		*point = (long)n;
	if (i < s.len && s.len - i - 1 < sizeof power) {
		memcpy(power, s.p + i + 1, s.len - i - 1);
		power[s.len - i - 1] = '\0';
		*point += strtol(power, NULL, 10);
	}
	return n;
}

size_t
plain_put(char *dst, struct slice s)
{
	char digits[DIGITS_MAX], *d = dst;
	long point, i;
	size_t n;

	if (slice_eq(s, SLICE("-0")))
		s = SLICE("0");
	n = take_digits(s, digits, &point);
	if (n == 0 || point > 320 || point < -330)
		return 0;
	if (point <= 0)
		*d++ = '0';
	for (i = 0; i < point; i++)
		*d++ = i < (long)n ? digits[i] : '0';
	if (point >= (long)n)
		return (size_t)(d - dst);
	*d++ = '.';
	for (i = point; i < 0; i++)
		*d++ = '0';
	for (; i < (long)n; i++)
		*d++ = digits[i];
	return (size_t)(d - dst);
}
