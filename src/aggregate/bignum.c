/* SPDX-License-Identifier: ISC */
/* bignum.c - whole numbers times a power of 2. */
#include "src/aggregate/bignum.h"

#include <math.h>
#include <string.h>

#define LIMB_BITS GMP_NUMB_BITS
#define WORD_BITS 32
#define DIGITS_MAX 58 /* of an integer below 2^192 */

/* Bits of a quotient or root that settle its rounding: those of a double, and some more. */
#define RESULT_BITS 67

/* Removes limbs that are 0 at the top. */
static mp_size_t
normal(const mp_limb_t *limb, mp_size_t n)
{
	while (n > 0 && limb[n - 1] == 0)
		n--;
	return n;
}

void
bignum_set_words(struct bignum *a, const uint32_t *words, size_t n, int exp)
{
	size_t i;

	a->exp = exp;
	a->n = (mp_size_t)((n * WORD_BITS + LIMB_BITS - 1) / LIMB_BITS);
	memset(a->limb, 0, (size_t)a->n * sizeof a->limb[0]);
	for (i = 0; i < n; i++)
		a->limb[i * WORD_BITS / LIMB_BITS] |= (mp_limb_t)words[i]
		    << i * WORD_BITS % LIMB_BITS;
	a->n = normal(a->limb, a->n);
}

void
bignum_set(struct bignum *a, struct wide v)
{
	const uint32_t words[] = { (uint32_t)v.lo, (uint32_t)(v.lo >> WORD_BITS), (uint32_t)v.hi,
		(uint32_t)(v.hi >> WORD_BITS) };

	bignum_set_words(a, words, sizeof words / sizeof words[0], 0);
}

void
bignum_mul(struct bignum *out, const struct bignum *a, const struct bignum *b)
{
	out->exp = a->exp + b->exp;
	out->n = 0;
	if (a->n == 0 || b->n == 0)
		return;
	if (a->n >= b->n)
		(void)mpn_mul(out->limb, a->limb, a->n, b->limb, b->n);
	else
		(void)mpn_mul(out->limb, b->limb, b->n, a->limb, a->n);
	out->n = normal(out->limb, a->n + b->n);
}

/* dst = limb[0..n) * 2^bits; returns its length.  They may be the same array. */
static mp_size_t
shift_up(mp_limb_t *dst, const mp_limb_t *limb, mp_size_t n, unsigned bits)
{
	mp_size_t whole = (mp_size_t)(bits / LIMB_BITS);
	mp_limb_t carry = 0;

	if (n == 0)
		return 0;
	if (bits % LIMB_BITS != 0)
		carry = mpn_lshift(dst + whole, limb, n, bits % LIMB_BITS);
	else
		memmove(dst + whole, limb, (size_t)n * sizeof *limb);
	memset(dst, 0, (size_t)whole * sizeof *dst);
	n += whole;
	if (carry != 0)
		dst[n++] = carry;
	return n;
}

void
bignum_sub(struct bignum *a, const struct bignum *b)
{
	mp_limb_t aligned[BIGNUM_LIMBS];
	const mp_limb_t *other = b->limb;
	mp_size_t n = b->n;

	if (n == 0)
		return;
	if (a->exp > b->exp) {
		a->n = shift_up(a->limb, a->limb, a->n, (unsigned)(a->exp - b->exp));
		a->exp = b->exp;
	} else if (a->exp < b->exp) {
		n = shift_up(aligned, b->limb, n, (unsigned)(b->exp - a->exp));
		other = aligned;
	}
	(void)mpn_sub(a->limb, a->limb, a->n, other, n);
	a->n = normal(a->limb, a->n);
}

/* The integer's own limbs, without an exponent; returns their number. */
static mp_size_t
whole(mp_limb_t *dst, const struct bignum *a)
{
	return shift_up(dst, a->limb, a->n, (unsigned)a->exp);
}

bool
bignum_divide(struct bignum *a, uint64_t divisor)
{
	struct bignum by;
	mp_limb_t limb[BIGNUM_LIMBS], quotient[BIGNUM_LIMBS + 1], rest[BIGNUM_LIMBS];
	mp_size_t n = whole(limb, a);

	bignum_set(&by, (struct wide){ 0, divisor });
	if (n == 0)
		return true;
	if (n < by.n)
		return false;
	mpn_tdiv_qr(quotient, rest, 0, limb, n, by.limb, by.n);
	if (normal(rest, by.n) != 0)
		return false;
	a->exp = 0;
	a->n = normal(quotient, n - by.n + 1);
	memcpy(a->limb, quotient, (size_t)a->n * sizeof quotient[0]);
	return true;
}

size_t
bignum_put(char *dst, const struct bignum *a)
{
	mp_limb_t limb[BIGNUM_LIMBS + 1];
	unsigned char digits[DIGITS_MAX + LIMB_BITS];
	mp_size_t n = whole(limb, a);
	size_t len, i, zeros = 0;

	if (n == 0) {
		*dst = '0';
		return 1;
	}
	len = mpn_get_str(digits, 10, limb, n);
	while (digits[zeros] == 0)
		zeros++;
	for (i = zeros; i < len; i++)
		dst[i - zeros] = (char)('0' + digits[i]);
	return len - zeros;
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

static int
bits_of(const mp_limb_t *limb, mp_size_t n)
{
	return (int)mpn_sizeinbase(limb, n, 2);
}

/* limb[0..n) * 2^exp, of at least 64 bits, and a little more if sticky: the nearest double. */
static double
nearest(const mp_limb_t *limb, mp_size_t n, int exp, bool sticky)
{
	int drop = bits_of(limb, n) - 64;
	mp_size_t from = drop / LIMB_BITS, i;
	mp_limb_t top[64 / LIMB_BITS + 2] = { 0 };
	uint64_t q = 0;

	sticky = sticky || mpn_scan1(limb, 0) < (mp_bitcnt_t)drop;
	if (drop % LIMB_BITS != 0)
		(void)mpn_rshift(top, limb + from, n - from, (unsigned)(drop % LIMB_BITS));
	else
		memcpy(top, limb + from, (size_t)(n - from) * sizeof top[0]);
	for (i = 0; i < 64 / LIMB_BITS; i++)
		q |= (uint64_t)top[i] << i * LIMB_BITS;
	return round_once(q, exp + drop, sticky);
}

/* A quotient: limb[0..n) * 2^exp, and a little more if sticky. */
struct quotient {
	int exp;
	bool sticky;
	mp_size_t n;
	mp_limb_t limb[BIGNUM_LIMBS + 1];
};

/* At least BITS bits of a / b, of which none is 0, with an even exponent. */
static void
divide(struct quotient *q, const struct bignum *a, const struct bignum *b, int bits)
{
	mp_limb_t over[BIGNUM_LIMBS], rest[BIGNUM_LIMBS];
	int shift = bits + bits_of(b->limb, b->n) - bits_of(a->limb, a->n);
	mp_size_t n;

	shift = shift < 0 ? 0 : shift;
	shift += (a->exp - b->exp - shift) & 1;
	n = shift_up(over, a->limb, a->n, (unsigned)shift);
	mpn_tdiv_qr(q->limb, rest, 0, over, n, b->limb, b->n);
	q->n = normal(q->limb, n - b->n + 1);
	q->exp = a->exp - b->exp - shift;
	q->sticky = normal(rest, b->n) != 0;
}

double
bignum_ratio(const struct bignum *a, const struct bignum *b)
{
	struct quotient q;

	if (a->n == 0)
		return 0;
	divide(&q, a, b, RESULT_BITS);
	return nearest(q.limb, q.n, q.exp, q.sticky);
}

double
bignum_root_of_ratio(const struct bignum *a, const struct bignum *b)
{
	struct quotient q;
	mp_limb_t root[BIGNUM_LIMBS + 1], rest[BIGNUM_LIMBS + 1];
	mp_size_t left;

	if (a->n == 0)
		return 0;
	divide(&q, a, b, 2 * RESULT_BITS);
	left = mpn_sqrtrem(root, rest, q.limb, q.n);
	return nearest(root, normal(root, (q.n + 1) / 2), q.exp / 2, q.sticky || left != 0);
}
