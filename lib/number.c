/* SPDX-License-Identifier: ISC */
/* number.c - one exact value of the stream. */
#include "lib/number.h"

#include <math.h>

#include "lib/num.h"

#define SHOWN_MAX 60 /* bytes of a value in a message */

struct number
number_of_double(double d)
{
	struct number v = { .kind = NUMBER_DOUBLE, .negative = signbit(d) != 0 };
	int exp;

	if (isnan(d)) {
		v.kind = NUMBER_NAN;
	} else if (isinf(d)) {
		v.kind = NUMBER_INFINITE;
	} else if (d != 0) {
		v.m.lo = (uint64_t)ldexp(frexp(fabs(d), &exp), 53);
		v.exp = exp - 53;
	}
	return v;
}

static double
to_double(const struct number *v)
{
	double d = ldexp((double)v->m.lo, v->exp);

	return v->negative ? -d : d;
}

struct number
number_of(int64_t i)
{
	struct number v = { .kind = NUMBER_INTEGER, .negative = i < 0 };

	v.m.lo = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
	return v;
}

static int
refuse(struct slice s, const char *why, struct err *e)
{
	int n = slice_shown(s, SHOWN_MAX);

	return err_data(e, "value \"%.*s%s\" %s", n, s.p, (size_t)n < s.len ? "..." : "", why);
}

int
number_get(struct slice s, struct number *v, struct err *e)
{
	bool negative = s.len > 0 && s.p[0] == '-';
	struct slice digits = { s.p + negative, s.len - negative };
	struct number r = { .kind = NUMBER_INTEGER, .negative = negative };
	double d;

	switch (wide_get(digits, &r.m)) {
	case WIDE_OK:
		if (negative && (r.m.hi | r.m.lo) == 0)
			r.kind = NUMBER_DOUBLE;
		*v = r;
		return 0;
	case WIDE_TOO_LARGE: return refuse(s, "has more than 128 bits", e);
	case WIDE_NO_DIGITS: break;
	}
	if (!num_get_double(s, &d))
		return refuse(s, "is not a number", e);
	if (num_is_out_of_range(s, d))
		return refuse(s, d == 0 ? "is too small for a double" : "is too large for a double",
		    e);
	*v = number_of_double(d);
	return 0;
}

static bool
is_zero(const struct number *v)
{
	return v->kind <= NUMBER_DOUBLE && (v->m.hi | v->m.lo) == 0;
}

/* Compares the absolute values of two numbers, neither of which is 0. */
static int
cmp_magnitude(const struct number *a, const struct number *b)
{
	unsigned abits = wide_bits(a->m), bbits = wide_bits(b->m);
	int atop = (int)abits + a->exp, btop = (int)bbits + b->exp;

	if (a->kind == NUMBER_INFINITE || b->kind == NUMBER_INFINITE)
		return (a->kind == NUMBER_INFINITE) - (b->kind == NUMBER_INFINITE);
	if (atop != btop)
		return atop < btop ? -1 : 1;
	return wide_cmp(wide_shl(a->m, 128 - abits), wide_shl(b->m, 128 - bbits));
}

int
number_cmp(const struct number *a, const struct number *b)
{
	int c;

	if (a->negative != b->negative)
		return a->negative ? -1 : 1;
	if (is_zero(a) || is_zero(b))
		c = is_zero(b) - is_zero(a);
	else
		c = cmp_magnitude(a, b);
	return a->negative ? -c : c;
}

size_t
number_put(char *dst, const struct number *v)
{
	switch (v->kind) {
	case NUMBER_INTEGER:
		if (v->negative)
			*dst++ = '-';
		return v->negative + wide_put(dst, v->m);
	case NUMBER_DOUBLE: return num_put_double(dst, to_double(v));
	case NUMBER_INFINITE: return num_put_double(dst, v->negative ? -HUGE_VAL : HUGE_VAL);
	case NUMBER_NAN: break;
	}
	memcpy(dst, "nan", 3);
	return 3;
}
