/* SPDX-License-Identifier: ISC */
/* delta.c - the exact difference of two values. */
#include "src/duration/delta.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/num.h"

/* Digits that the smallest double needs after the point, and the largest before it. */
#define PLACES 1074
#define LARGEST 309
#define FIXED_MAX (2 + LARGEST + 1 + PLACES + 1) /* sign, point, NUL */

#define EXACT_DIGITS 15 /* every integer of this many digits is a double */

bool
delta_is_number(struct slice value)
{
	double d;

	if (num_is_integer(value))
		return true;
	return num_get_double(value, &d) && (!isinf(d) || value.p[value.len - 1] == 'f');
}

/* Digits of an integer without its sign and without leading zeros; 0 has none. */
struct digits {
	bool negative;
	struct slice s;
};

static struct digits
digits_of(struct slice value)
{
	struct digits d = { value.len > 0 && value.p[0] == '-', value };

	if (d.negative)
		d.s = (struct slice){ value.p + 1, value.len - 1 };
	while (d.s.len > 0 && d.s.p[0] == '0')
		d.s = (struct slice){ d.s.p + 1, d.s.len - 1 };
	return d;
}

/* The digit that counts 10^place. */
static int
digit(struct slice s, size_t place)
{
	return place < s.len ? s.p[s.len - 1 - place] - '0' : 0;
}

/* Writes |a| + |b|, or |a| - |b| if a is not smaller, to n places at dst, the highest first. */
static void
combine(char *dst, size_t n, struct slice a, struct slice b, int sign)
{
	int carry = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		int sum = digit(a, i) + sign * digit(b, i) + carry;

		carry = sum > 9 ? 1 : sum < 0 ? -1 : 0;
		dst[n - 1 - i] = (char)('0' + sum - 10 * carry);
	}
}

static int
cmp_magnitude(struct slice a, struct slice b)
{
	return a.len != b.len ? (a.len < b.len ? -1 : 1) : slice_cmp(a, b);
}

/* a - b for integers.  It is computed with one spare place; leading zeros are removed. */
static bool
put_integers(struct buf *out, struct slice left, struct slice right)
{
	struct digits a = digits_of(left), b = digits_of(right);
	size_t n = (a.s.len > b.s.len ? a.s.len : b.s.len) + 1, skip = 0;
	bool negative = a.negative, add = a.negative != b.negative;
	char *p;

	out->len = 0;
	if (!buf_room(out, n + 1))
		return false;
	p = out->p + 1;
	if (add || cmp_magnitude(a.s, b.s) >= 0) {
		combine(p, n, a.s, b.s, add ? 1 : -1);
	} else {
		combine(p, n, b.s, a.s, -1);
		negative = !negative;
	}
	while (skip + 1 < n && p[skip] == '0')
		skip++;
	if (p[skip] == '0')
		negative = false;
	out->p[0] = '-';
	memmove(out->p + negative, p + skip, n - skip);
	out->len = n - skip + negative;
	return true;
}

static bool
put_double(struct buf *out, double d)
{
	out->len = 0;
	if (!buf_room(out, NUM_MAX))
		return false;
	out->len = num_put_double(out->p, d);
	return true;
}

/* A number times 10^PLACES, as an integer. */
static bool
scale(struct buf *out, struct slice value)
{
	char text[FIXED_MAX], *point;
	double d;
	int n;

	out->len = 0;
	if (num_is_integer(value)) {
		memset(text, '0', PLACES);
		return buf_put(out, value.p, value.len) && buf_put(out, text, PLACES);
	}
	if (!num_get_double(value, &d))
		return true;
	n = snprintf(text, sizeof text, "%.*f", PLACES, d);
	point = memchr(text, '.', (size_t)n);
	return buf_put(out, text, (size_t)(point - text)) && buf_put(out, point + 1, PLACES);
}

/* A long integer and a double: both as integers, and the difference rounded once. */
static bool
put_mixed(struct buf *out, struct slice a, struct slice b)
{
	struct buf x = { 0 }, y = { 0 };
	char tail[sizeof "e-1074"];
	bool ok = scale(&x, a) && scale(&y, b) &&
	    put_integers(out, (struct slice){ x.p, x.len }, (struct slice){ y.p, y.len });

	buf_free(&x);
	buf_free(&y);
	if (!ok)
		return false;
	snprintf(tail, sizeof tail, "e-%d", PLACES);
	return buf_put(out, tail, sizeof tail) && put_double(out, strtod(out->p, NULL));
}

/* As a double; an integer too large for one becomes the largest, since it is finite. */
static double
as_double(struct slice value)
{
	double d;

	if (num_get_double(value, &d) && !(isinf(d) && num_is_integer(value)))
		return d;
	return value.p[0] == '-' ? -DBL_MAX : DBL_MAX;
}

static bool
is_long(struct slice value)
{
	return num_is_integer(value) && digits_of(value).s.len > EXACT_DIGITS;
}

bool
delta_put(struct buf *out, struct slice a, struct slice b)
{
	int64_t x, y;
	double left, right;

	if (num_get_i64(a, &x) && num_get_i64(b, &y) && x > INT64_MIN / 2 && x < INT64_MAX / 2 &&
	    y > INT64_MIN / 2 && y < INT64_MAX / 2) {
		out->len = 0;
		if (!buf_room(out, NUM_MAX))
			return false;
		out->len = num_put_i64(out->p, x - y);
		return true;
	}
	if (num_is_integer(a) && num_is_integer(b))
		return put_integers(out, a, b);
	left = as_double(a);
	right = as_double(b);
	if ((is_long(a) && isfinite(right)) || (is_long(b) && isfinite(left)) ||
	    (FLT_EVAL_METHOD != 0 && isfinite(left) && isfinite(right)))
		return put_mixed(out, a, b);
	return put_double(out, left - right);
}
