/* SPDX-License-Identifier: ISC */
/* pynum.c - computes with the numbers of JSON as Python does. */
#include "src/perun/heap/pynum.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "lib/mem.h"
#include "lib/num.h"
#include "src/perun/pytext.h"

#define FLOAT_DIGITS 400 /* space for the digits of the largest float, with a sign and a NUL */
#define TWO_TO_63 9223372036854775808.0

void
pynum_free(struct pynum *n)
{
	if (n->kind == PYNUM_BIG)
		mem_free(n->as.big);
	*n = PYNUM(0);
}

static bool
is_integer(const struct pynum *n)
{
	return n->kind != PYNUM_FLOAT;
}

/* Makes a number from canonical digits. */
static bool
from_text(struct pynum *n, struct slice s)
{
	int64_t small;
	char *big;

	if (num_get_i64(s, &small)) {
		*n = PYNUM(small);
		return true;
	}
	big = mem_alloc(s.len + 1);
	if (big == NULL)
		return false;
	memcpy(big, s.p, s.len);
	big[s.len] = '\0';
	*n = (struct pynum){ .kind = PYNUM_BIG, .as.big = big };
	return true;
}

int
pynum_read(struct pynum *n, const char *text, const struct jscan_token *k, struct err *e)
{
	struct slice s = { text + k->off, k->len };

	switch (k->kind) {
	case JSCAN_INTEGER:
		if (s.len == 2 && memcmp(s.p, "-0", 2) == 0)
			s = SLICE("0");
		return from_text(n, s) ? 0 : err_nomem(e);
	case JSCAN_FLOAT:
		*n = (struct pynum){ .kind = PYNUM_FLOAT, .as.f = pytext_double(s) };
		return 0;
	case JSCAN_WORD:
		if (s.p[0] == 't' || s.p[0] == 'f')
			*n = (struct pynum){ .kind = PYNUM_BOOL, .as.i = s.p[0] == 't' };
		else if (s.p[0] == 'N')
			*n = (struct pynum){ .kind = PYNUM_FLOAT, .as.f = (double)NAN };
		else if (s.p[0] != 'n')
			*n = (struct pynum){ .kind = PYNUM_FLOAT,
				.as.f = s.len == 8 ? (double)INFINITY : -(double)INFINITY };
		else
			break;
		return 0;
	}
	return err_data(e, "this is not a number");
}

bool
pynum_copy(struct pynum *to, const struct pynum *from)
{
	if (from->kind == PYNUM_BIG)
		return from_text(to, slice_of(from->as.big));
	*to = *from;
	return true;
}

/* Returns the text of an integer, which is in ROOM unless the integer has a text of its own. */
static struct slice
digits_of(const struct pynum *n, char *room)
{
	if (n->kind == PYNUM_BIG)
		return slice_of(n->as.big);
	return (struct slice){ room, num_put_i64(room, n->as.i) };
}

static bool
take_sign(struct slice *s)
{
	bool minus = s->p[0] == '-';

	s->p += minus;
	s->len -= minus;
	return minus;
}

/* Compares digits without a sign by value. */
static int
compare_digits(struct slice a, struct slice b)
{
	if (a.len != b.len)
		return a.len < b.len ? -1 : 1;
	return memcmp(a.p, b.p, a.len);
}

/*
 * Writes the digits of a + b or a - b, where a is not less than b, to dst, which has room for one
 * digit more than a.  Returns the number of digits.
 */
static size_t
combine_digits(char *dst, struct slice a, struct slice b, bool minus)
{
	size_t i, zeros = 0;
	int carry = 0, d;

	for (i = 0; i < a.len; i++) {
		d = i < b.len ? b.p[b.len - 1 - i] - '0' : 0;
		d = a.p[a.len - 1 - i] - '0' + (minus ? -d : d) + carry;
		carry = d < 0 ? -1 : d > 9;
		dst[a.len - i] = (char)('0' + d - 10 * carry);
	}
	dst[0] = (char)('0' + carry);
	while (zeros < a.len && dst[zeros] == '0')
		zeros++;
	memmove(dst, dst + zeros, a.len + 1 - zeros);
	return a.len + 1 - zeros;
}

static int
add_integers(struct pynum *sum, struct slice a, struct slice b, bool negate_b, struct err *e)
{
	bool minus_a = take_sign(&a), minus_b = take_sign(&b) != negate_b, minus, ok;
	bool swap = compare_digits(a, b) < 0;
	struct slice large = swap ? b : a, small = swap ? a : b;
	char *text = mem_alloc(large.len + 3);
	size_t n;

	if (text == NULL)
		return err_nomem(e);
	minus = swap ? minus_b : minus_a;
	text[0] = '-';
	n = combine_digits(text + 1, large, small, minus_a != minus_b);
	if (n == 1 && text[1] == '0')
		minus = false;
	ok = from_text(sum, (struct slice){ text + !minus, n + minus });
	mem_free(text);
	return ok ? 0 : err_nomem(e);
}

static int
to_float(double *f, const struct pynum *n, struct err *e)
{
	if (n->kind == PYNUM_FLOAT)
		*f = n->as.f;
	else if (n->kind == PYNUM_BIG)
		*f = strtod(n->as.big, NULL);
	else
		*f = (double)n->as.i;
	return n->kind == PYNUM_BIG && isinf(*f)
	    ? err_data(e, "an integer is too large to be added to a float")
	    : 0;
}

static int
add(struct pynum *sum, const struct pynum *a, const struct pynum *b, bool negate_b, struct err *e)
{
	char room_a[NUM_MAX], room_b[NUM_MAX];
	double x, y;
	int rc;

	if (is_integer(a) && is_integer(b))
		return add_integers(sum, digits_of(a, room_a), digits_of(b, room_b), negate_b, e);
	if ((rc = to_float(&x, a, e)) != 0 || (rc = to_float(&y, b, e)) != 0)
		return rc;
	*sum = (struct pynum){ .kind = PYNUM_FLOAT, .as.f = negate_b ? x - y : x + y };
	return 0;
}

int
pynum_add(struct pynum *sum, const struct pynum *a, const struct pynum *b, struct err *e)
{
	if (a->kind <= PYNUM_BOOL && b->kind <= PYNUM_BOOL &&
	    (b->as.i >= 0 ? a->as.i <= INT64_MAX - b->as.i : a->as.i >= INT64_MIN - b->as.i)) {
		*sum = PYNUM(a->as.i + b->as.i);
		return 0;
	}
	return add(sum, a, b, false, e);
}

int
pynum_sub(struct pynum *rest, const struct pynum *a, const struct pynum *b, struct err *e)
{
	if (a->kind <= PYNUM_BOOL && b->kind <= PYNUM_BOOL &&
	    (b->as.i >= 0 ? a->as.i >= INT64_MIN + b->as.i : a->as.i <= INT64_MAX + b->as.i)) {
		*rest = PYNUM(a->as.i - b->as.i);
		return 0;
	}
	return add(rest, a, b, true, e);
}

/* Returns -1, 0 or 1. */
static int
compare_integers(struct slice a, struct slice b)
{
	bool minus_a = take_sign(&a), minus_b = take_sign(&b);
	int c;

	if (minus_a != minus_b)
		return minus_a ? -1 : 1;
	c = compare_digits(a, b);
	c = (c > 0) - (c < 0);
	return minus_a ? -c : c;
}

/*
 * Returns -1, 0 or 1 if the integer is less than, equal to or greater than a float that is not NaN.
 */
static int
compare_mixed(const struct pynum *n, double f)
{
	char room[NUM_MAX], text[FLOAT_DIGITS];
	double below = floor(f);
	int c;

	if (isinf(f))
		return f > 0 ? -1 : 1;
	snprintf(text, sizeof text, "%.0f", below == 0 ? 0.0 : below);
	c = compare_integers(digits_of(n, room), slice_of(text));
	return c == 0 && below != f ? -1 : c;
}

bool
pynum_less(const struct pynum *a, const struct pynum *b)
{
	char room_a[NUM_MAX], room_b[NUM_MAX];

	if (a->kind <= PYNUM_BOOL && b->kind <= PYNUM_BOOL)
		return a->as.i < b->as.i;
	if (is_integer(a) && is_integer(b))
		return compare_integers(digits_of(a, room_a), digits_of(b, room_b)) < 0;
	if (!is_integer(a) && !is_integer(b))
		return a->as.f < b->as.f;
	if (isnan(is_integer(a) ? b->as.f : a->as.f))
		return false;
	return is_integer(a) ? compare_mixed(a, b->as.f) < 0 : compare_mixed(b, a->as.f) > 0;
}

bool
pynum_equal(const struct pynum *a, const struct pynum *b)
{
	if (a->kind <= PYNUM_BOOL && b->kind <= PYNUM_BOOL)
		return a->as.i == b->as.i;
	if (a->kind == PYNUM_FLOAT && isnan(a->as.f))
		return false;
	if (b->kind == PYNUM_FLOAT && isnan(b->as.f))
		return false;
	return !pynum_less(a, b) && !pynum_less(b, a);
}

/* Hashes a float like the integer that it is equal to, if there is one. */
static uint64_t
hash_float(double f, uint64_t seed)
{
	char text[FLOAT_DIGITS];
	int64_t i;

	if (!isfinite(f) || f != floor(f))
		return XXH3_64bits_withSeed(&f, sizeof f, seed);
	if (f >= -TWO_TO_63 && f < TWO_TO_63) {
		i = (int64_t)f;
		return XXH3_64bits_withSeed(&i, sizeof i, seed);
	}
	return XXH3_64bits_withSeed(text, (size_t)snprintf(text, sizeof text, "%.0f", f), seed);
}

uint64_t
pynum_hash(const struct pynum *n, uint64_t seed)
{
	switch (n->kind) {
	case PYNUM_FLOAT: return hash_float(n->as.f, seed);
	case PYNUM_BIG: return XXH3_64bits_withSeed(n->as.big, strlen(n->as.big), seed);
	default: return XXH3_64bits_withSeed(&n->as.i, sizeof n->as.i, seed);
	}
}

bool
pynum_dumps(struct buf *out, const struct pynum *n)
{
	char digits[NUM_MAX];

	switch (n->kind) {
	case PYNUM_INT: return buf_put(out, digits, num_put_i64(digits, n->as.i));
	case PYNUM_BOOL: return buf_put(out, n->as.i ? "true" : "false", n->as.i ? 4 : 5);
	case PYNUM_BIG: return buf_puts(out, n->as.big);
	default: return pytext_dumps_double(out, n->as.f);
	}
}
