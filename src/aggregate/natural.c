/* SPDX-License-Identifier: ISC */
/* natural.c - whole numbers times a power of 2. */
#include "src/aggregate/natural.h"

#include <math.h>
#include <string.h>

#define LIMB_BITS 32
#define CHUNK_DIGITS 9
#define CHUNK 1000000000u

void
natural_set(struct natural *a, struct wide v)
{
	a->exp = 0;
	a->n = 4;
	a->limb[0] = (uint32_t)v.lo;
	a->limb[1] = (uint32_t)(v.lo >> 32);
	a->limb[2] = (uint32_t)v.hi;
	a->limb[3] = (uint32_t)(v.hi >> 32);
	natural_trim(a);
}

void
natural_trim(struct natural *a)
{
	unsigned low = 0;

	while (a->n > 0 && a->limb[a->n - 1] == 0)
		a->n--;
	while (low < a->n && a->limb[low] == 0)
		low++;
	if (low == 0)
		return;
	memmove(a->limb, a->limb + low, (a->n - low) * sizeof a->limb[0]);
	a->n -= low;
	a->exp += (int)low;
}

/* The place of the highest bit, from 1, with the exponent.  a is not 0. */
static int
top_bit(const struct natural *a)
{
	return (a->exp + (int)a->n - 1) * LIMB_BITS +
	    (int)wide_bits((struct wide){ 0, a->limb[a->n - 1] });
}

void
natural_shift(struct natural *a, int bits)
{
	int limbs = bits >= 0 ? bits / LIMB_BITS : -((LIMB_BITS - 1 - bits) / LIMB_BITS);
	int left = bits - limbs * LIMB_BITS;
	uint64_t carry = 0;
	unsigned i;

	a->exp += limbs;
	if (left == 0 || a->n == 0)
		return;
	for (i = 0; i < a->n; i++) {
		carry |= (uint64_t)a->limb[i] << left;
		a->limb[i] = (uint32_t)carry;
		carry >>= LIMB_BITS;
	}
	if (carry != 0)
		a->limb[a->n++] = (uint32_t)carry;
}

/* The limb of weight 2^(32 * exp). */
static uint32_t
limb_at(const struct natural *a, int exp)
{
	return exp < a->exp || exp >= a->exp + (int)a->n ? 0 : a->limb[exp - a->exp];
}

static int
lower(int a, int b)
{
	return a < b ? a : b;
}

int
natural_cmp(const struct natural *a, const struct natural *b)
{
	int atop = a->exp + (int)a->n, btop = b->exp + (int)b->n;
	int i;

	if (a->n == 0 || b->n == 0)
		return (a->n != 0) - (b->n != 0);
	if (atop != btop)
		return atop < btop ? -1 : 1;
	for (i = atop - 1; i >= lower(a->exp, b->exp); i--) {
		uint32_t x = limb_at(a, i), y = limb_at(b, i);

		if (x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

void
natural_mul(struct natural *out, const struct natural *a, const struct natural *b)
{
	unsigned i, j;

	out->exp = a->exp + b->exp;
	out->n = a->n + b->n;
	memset(out->limb, 0, out->n * sizeof out->limb[0]);
	for (i = 0; i < a->n; i++) {
		uint64_t carry = 0;

		for (j = 0; j < b->n; j++) {
			carry += (uint64_t)a->limb[i] * b->limb[j] + out->limb[i + j];
			out->limb[i + j] = (uint32_t)carry;
			carry >>= LIMB_BITS;
		}
		out->limb[i + b->n] = (uint32_t)carry;
	}
	natural_trim(out);
}

/* Puts limbs that are 0 below, so that a begins at exp. */
static void
extend_down(struct natural *a, int exp)
{
	size_t more = (size_t)(a->exp - exp);

	memmove(a->limb + more, a->limb, a->n * sizeof a->limb[0]);
	memset(a->limb, 0, more * sizeof a->limb[0]);
	a->n += (unsigned)more;
	a->exp = exp;
}

void
natural_sub(struct natural *a, const struct natural *b)
{
	uint32_t borrow = 0;
	unsigned i;

	if (b->n == 0)
		return;
	if (b->exp < a->exp)
		extend_down(a, b->exp);
	for (i = (unsigned)(b->exp - a->exp); i < a->n; i++) {
		uint64_t take = (uint64_t)limb_at(b, a->exp + (int)i) + borrow;

		borrow = a->limb[i] < take;
		a->limb[i] = (uint32_t)(a->limb[i] - take);
	}
	natural_trim(a);
}

bool
natural_divide(struct natural *a, uint64_t divisor)
{
	struct natural q = *a;
	uint64_t rest = 0;
	unsigned i, bit;

	if (a->n == 0)
		return true;
	extend_down(&q, 0);
	for (i = q.n; i > 0; i--) {
		uint32_t limb = q.limb[i - 1], digit = 0;

		for (bit = LIMB_BITS; bit > 0; bit--) {
			uint64_t over = rest >> 63;

			rest = rest << 1 | (limb >> (bit - 1) & 1);
			digit <<= 1;
			if (over != 0 || rest >= divisor) {
				rest -= divisor;
				digit |= 1;
			}
		}
		q.limb[i - 1] = digit;
	}
	natural_trim(&q);
	if (rest == 0)
		*a = q;
	return rest == 0;
}

/* a /= CHUNK; the rest is returned.  a->exp is 0. */
static uint32_t
take_chunk(struct natural *a)
{
	uint64_t rest = 0;
	unsigned i;

	for (i = a->n; i > 0; i--) {
		rest = rest << LIMB_BITS | a->limb[i - 1];
		a->limb[i - 1] = (uint32_t)(rest / CHUNK);
		rest %= CHUNK;
	}
	while (a->n > 0 && a->limb[a->n - 1] == 0)
		a->n--;
	return (uint32_t)rest;
}

size_t
natural_put(char *dst, const struct natural *a)
{
	char tmp[72];
	size_t at = sizeof tmp;
	struct natural left = *a;
	int i;

	if (a->n == 0) {
		*dst = '0';
		return 1;
	}
	extend_down(&left, 0);
	while (left.n > 0) {
		uint32_t chunk = take_chunk(&left);

		for (i = 0; i < CHUNK_DIGITS; i++, chunk /= 10)
			tmp[--at] = (char)('0' + chunk % 10);
	}
	while (tmp[at] == '0')
		at++;
	memcpy(dst, tmp + at, sizeof tmp - at);
	return sizeof tmp - at;
}

/* q * 2^exp, 2^63 <= q, and a little more if sticky: the nearest double, ties to even. */
static double
round_once(uint64_t q, int exp, bool sticky)
{
	int drop = 64 - 53;
	uint64_t kept, rest, half;

	if (exp + 63 < -1022)
		drop += -1022 - (exp + 63); /* subnormal: the lowest bit is 2^-1074 */
	if (drop > 64)
		return 0;
	kept = drop == 64 ? 0 : q >> drop;
	rest = drop == 64 ? q : q & (((uint64_t)1 << drop) - 1);
	half = (uint64_t)1 << (drop - 1);
	if (rest > half || (rest == half && (sticky || (kept & 1) != 0)))
		kept++;
	return ldexp((double)kept, exp + drop);
}

/*
 * The 64 leading bits of a / b, times 2^*exp; *sticky if nonzero bits follow.
 * Neither is 0.  Long division, a bit at a time.
 */
static uint64_t
leading_bits(const struct natural *a, const struct natural *b, int *exp, bool *sticky)
{
	struct natural rest = *a;
	uint64_t q = 0;
	int i, shift = top_bit(b) - top_bit(a);

	natural_shift(&rest, shift);
	if (natural_cmp(&rest, b) < 0) {
		natural_shift(&rest, 1);
		shift++;
	}
	for (i = 0; i < 64; i++) {
		q <<= 1;
		if (natural_cmp(&rest, b) >= 0) {
			natural_sub(&rest, b);
			q |= 1;
		}
		natural_shift(&rest, 1);
	}
	*exp = -shift - 63;
	*sticky = rest.n != 0;
	return q;
}

double
natural_ratio(const struct natural *a, const struct natural *b)
{
	bool sticky;
	int exp;
	uint64_t q;

	if (a->n == 0)
		return 0;
	q = leading_bits(a, b, &exp, &sticky);
	return round_once(q, exp, sticky);
}

/* How a / b compares to (half / 2)^2 * 2^(2 * exp). */
static int
cmp_square(const struct natural *a, const struct natural *b, uint64_t half, int exp)
{
	struct natural square, product;

	natural_set(&square, wide_mul(half, half));
	natural_shift(&square, 2 * exp - 2);
	natural_mul(&product, &square, b);
	return natural_cmp(a, &product);
}

double
natural_root_of_ratio(const struct natural *a, const struct natural *b)
{
	bool sticky;
	int exp, c;
	uint64_t q, root;

	if (a->n == 0)
		return 0;
	q = leading_bits(a, b, &exp, &sticky);
	exp += 62;
	/* the ratio is f * 2^exp with f from 2 to 4; its exponent must be even to be halved */
	root = (uint64_t)(sqrt(ldexp((double)q, exp % 2 == 0 ? -62 : -63)) * 0x1p52);
	exp = exp % 2 == 0 ? exp / 2 : (exp + 1) / 2;
	exp -= 52;
	/* a guess good to an ulp or two; now move it between the halfway points on either side */
	while ((c = cmp_square(a, b, 2 * root + 1, exp)) > 0 || (c == 0 && (root & 1) != 0))
		root++;
	while ((c = cmp_square(a, b, 2 * root - 1, exp)) < 0 || (c == 0 && (root & 1) != 0))
		root--;
	return ldexp((double)root, exp);
}
