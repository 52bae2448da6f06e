/* SPDX-License-Identifier: ISC */
/* bignum.c - integers times a power of 2, of the length that totals need. */
#include "src/aggregate/bignum.h"

#include <math.h>
#include <string.h>

#include "lib/num.h"

#define LIMB_BITS GMP_NUMB_BITS
#define WORD_BITS 32
#define INTEGER_BITS 256 /* of the integers that are written as such */

/*
 * A power of ten that fits into a limb.  Numbers are written and read in pieces below it, because
 * mpn_get_str and mpn_set_str allocate for long numbers, and end the program if they cannot.
 */
#if GMP_NUMB_BITS >= 64
#define PIECE_DIGITS 19
#define PIECE ((mp_limb_t)10000000000000000000U)
#else
#define PIECE_DIGITS 9
#define PIECE ((mp_limb_t)1000000000U)
#endif

/* The bits of a quotient or root that decide its rounding: those of a double, and some more. */
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
	a->negative = false;
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
bignum_set_number(struct bignum *a, const struct number *v)
{
	bignum_set(a, v->m);
	a->exp = v->exp;
	a->negative = v->negative && a->n != 0;
}

static void
copy(struct bignum *dst, const struct bignum *src)
{
	dst->exp = src->exp;
	dst->negative = src->negative;
	dst->n = src->n;
	memcpy(dst->limb, src->limb, (size_t)src->n * sizeof src->limb[0]);
}

void
bignum_mul(struct bignum *out, const struct bignum *a, const struct bignum *b)
{
	out->exp = a->exp + b->exp;
	out->negative = a->negative != b->negative;
	out->n = 0;
	if (a->n == 0 || b->n == 0) {
		out->negative = false;
		return;
	}
	if (a->n >= b->n)
		(void)mpn_mul(out->limb, a->limb, a->n, b->limb, b->n);
	else
		(void)mpn_mul(out->limb, b->limb, b->n, a->limb, a->n);
	out->n = normal(out->limb, a->n + b->n);
}

/* Sets dst to limb[0..n) * 2^bits and returns its length.  dst and limb may be the same array. */
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

/* Sets dst to limb[0..n) / 2^bits, rounded down, and returns its length. */
static mp_size_t
shift_down(mp_limb_t *dst, const mp_limb_t *limb, mp_size_t n, unsigned bits)
{
	mp_size_t whole = (mp_size_t)(bits / LIMB_BITS);

	if (n <= whole)
		return 0;
	if (bits % LIMB_BITS != 0)
		(void)mpn_rshift(dst, limb + whole, n - whole, bits % LIMB_BITS);
	else
		memmove(dst, limb + whole, (size_t)(n - whole) * sizeof *limb);
	return normal(dst, n - whole);
}

/* Adds b, with the sign given, to a. */
static void
add_signed(struct bignum *a, const struct bignum *b, bool negative)
{
	mp_limb_t aligned[BIGNUM_LIMBS];
	const mp_limb_t *other = b->limb;
	mp_size_t n = b->n;
	mp_limb_t carry = 0;

	if (n == 0)
		return;
	if (a->n == 0) {
		copy(a, b);
		a->negative = negative;
		return;
	}
	if (a->exp > b->exp) {
		a->n = shift_up(a->limb, a->limb, a->n, (unsigned)(a->exp - b->exp));
		a->exp = b->exp;
	} else if (a->exp < b->exp) {
		n = shift_up(aligned, b->limb, n, (unsigned)(b->exp - a->exp));
		other = aligned;
	}
	if (a->negative == negative && a->n >= n) {
		carry = mpn_add(a->limb, a->limb, a->n, other, n);
	} else if (a->negative == negative) {
		carry = mpn_add(a->limb, other, n, a->limb, a->n);
		a->n = n;
	} else if (a->n > n || (a->n == n && mpn_cmp(a->limb, other, n) >= 0)) {
		(void)mpn_sub(a->limb, a->limb, a->n, other, n);
	} else {
		(void)mpn_sub(a->limb, other, n, a->limb, a->n);
		a->n = n;
		a->negative = negative;
	}
	if (carry != 0)
		a->limb[a->n++] = carry;
	a->n = normal(a->limb, a->n);
	if (a->n == 0)
		a->negative = false;
}

void
bignum_add(struct bignum *a, const struct bignum *b)
{
	add_signed(a, b, b->negative);
}

void
bignum_sub(struct bignum *a, const struct bignum *b)
{
	add_signed(a, b, !b->negative);
}

int
bignum_cmp(const struct bignum *a, const struct bignum *b)
{
	struct bignum rest;

	copy(&rest, a);
	bignum_sub(&rest, b);
	return rest.n == 0 ? 0 : rest.negative ? -1 : 1;
}

static int
bits_of(const mp_limb_t *limb, mp_size_t n)
{
	return (int)mpn_sizeinbase(limb, n, 2);
}

int
bignum_bits(const struct bignum *a)
{
	return a->n == 0 ? 0 : bits_of(a->limb, a->n) + a->exp;
}

bool
bignum_is_integer(const struct bignum *a)
{
	return a->n == 0 || a->exp >= 0 || mpn_scan1(a->limb, 0) >= (mp_bitcnt_t)-a->exp;
}

/* Stores the limbs of an integer, without an exponent.  Returns their number. */
static mp_size_t
whole(mp_limb_t *dst, const struct bignum *a)
{
	if (a->exp < 0)
		return shift_down(dst, a->limb, a->n, (unsigned)-a->exp);
	return shift_up(dst, a->limb, a->n, (unsigned)a->exp);
}

bool
bignum_divide(struct bignum *a, const struct bignum *by)
{
	mp_limb_t limb[BIGNUM_LIMBS], divisor[BIGNUM_LIMBS], quotient[BIGNUM_LIMBS + 1],
	    rest[BIGNUM_LIMBS];
	mp_size_t n, m;

	if (!bignum_is_integer(a))
		return false;
	n = whole(limb, a);
	m = whole(divisor, by);
	if (n == 0)
		return true;
	if (n < m)
		return false;
	mpn_tdiv_qr(quotient, rest, 0, limb, n, divisor, m);
	if (normal(rest, m) != 0)
		return false;
	a->exp = 0;
	a->negative = a->negative != by->negative;
	a->n = normal(quotient, n - m + 1);
	memcpy(a->limb, quotient, (size_t)a->n * sizeof quotient[0]);
	return true;
}

/* Writes the decimal digits of limb[0..n), which is overwritten.  Returns their number. */
static size_t
put_digits(char *dst, mp_limb_t *limb, mp_size_t n)
{
	char digits[BIGNUM_EXACT_MAX];
	size_t at = sizeof digits, i;
	mp_limb_t piece;

	do {
		piece = n == 0 ? 0 : mpn_divrem_1(limb, 0, limb, n, PIECE);
		n = normal(limb, n);
		for (i = 0; i < PIECE_DIGITS; i++, piece /= 10)
			digits[--at] = (char)('0' + piece % 10);
	} while (n > 0);
	while (at + 1 < sizeof digits && digits[at] == '0')
		at++;
	memcpy(dst, digits + at, sizeof digits - at);
	return sizeof digits - at;
}

/* Multiplies an integer by SCALE, and adds a piece. */
static void
append_piece(struct bignum *a, mp_limb_t scale, mp_limb_t piece)
{
	mp_limb_t over = piece;

	if (a->n != 0) {
		over = mpn_mul_1(a->limb, a->limb, a->n, scale);
		over += mpn_add_1(a->limb, a->limb, a->n, piece);
	}
	if (over != 0)
		a->limb[a->n++] = over;
}

/* Reads decimal digits.  Returns false for anything else. */
static bool
take_digits(struct bignum *a, const char *p, size_t len)
{
	mp_limb_t piece = 0, scale = 1;
	size_t i;

	a->n = 0;
	for (i = 0; i < len; i++) {
		unsigned digit = (unsigned)(unsigned char)p[i] - '0';

		if (digit > 9)
			return false;
		piece = piece * 10 + digit;
		scale *= 10;
		if (i + 1 < len && (i + 1) % PIECE_DIGITS != 0)
			continue;
		append_piece(a, scale, piece);
		piece = 0;
		scale = 1;
	}
	return true;
}

size_t
bignum_put(char *dst, const struct bignum *a)
{
	mp_limb_t limb[BIGNUM_LIMBS + 1];
	mp_size_t n = whole(limb, a);

	if (a->negative)
		*dst++ = '-';
	return a->negative + put_digits(dst, limb, n);
}

/*
 * Returns the double nearest to q * 2^exp, or to a little more if sticky.  q is at least 2^63, and
 * ties go to even.
 */
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
 * Returns the double nearest to limb[0..n) * 2^exp, or to a little more if sticky.  The number must
 * have at least 64 bits.
 */
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

/* A quotient: limb[0..n) * 2^exp, or a little more if sticky. */
struct quotient {
	int exp;
	bool sticky;
	mp_size_t n;
	mp_limb_t limb[BIGNUM_LIMBS + 1];
};

/* Computes at least BITS bits of a / b, neither of which is 0, with an even exponent. */
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
	double v;

	if (a->n == 0)
		return 0;
	divide(&q, a, b, RESULT_BITS);
	v = nearest(q.limb, q.n, q.exp, q.sticky);
	return a->negative != b->negative ? -v : v;
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

bool
bignum_floor(const struct bignum *a, const struct bignum *b, int64_t limit, int64_t *floor)
{
	mp_limb_t over[BIGNUM_LIMBS], under[BIGNUM_LIMBS], quotient[BIGNUM_LIMBS + 1],
	    rest[BIGNUM_LIMBS];
	int shift = a->exp - b->exp;
	mp_size_t n, m, i;
	uint64_t k = 0;

	*floor = 0;
	if (a->n == 0)
		return true;
	if (bits_of(a->limb, a->n) + a->exp > bits_of(b->limb, b->n) + b->exp + 64)
		return false;
	n = shift_up(over, a->limb, a->n, shift > 0 ? (unsigned)shift : 0);
	m = shift_up(under, b->limb, b->n, shift < 0 ? (unsigned)-shift : 0);
	quotient[0] = 0;
	if (n >= m) {
		mpn_tdiv_qr(quotient, rest, 0, over, n, under, m);
		n = normal(quotient, n - m + 1);
		m = normal(rest, m);
	} else {
		m = n;
		n = 0;
	}
	if (n > 64 / LIMB_BITS)
		return false;
	for (i = 0; i < n; i++)
		k |= (uint64_t)quotient[i] << i * LIMB_BITS;
	if (k >= (uint64_t)limit)
		return false;
	*floor = a->negative ? -(int64_t)k - (m != 0) : (int64_t)k;
	return true;
}

size_t
bignum_put_exact(char *dst, const struct bignum *a)
{
	mp_limb_t limb[BIGNUM_LIMBS + 1];
	mp_size_t n;
	int exp = 0;
	size_t len = 0;

	if (bignum_is_integer(a) && bignum_bits(a) <= INTEGER_BITS)
		return bignum_put(dst, a);
	exp = (int)mpn_scan1(a->limb, 0);
	n = shift_down(limb, a->limb, a->n, (unsigned)exp);
	exp += a->exp;
	if (a->negative)
		dst[len++] = '-';
	len += put_digits(dst + len, limb, n);
	dst[len++] = 'p';
	return len + num_put_i64(dst + len, exp);
}

bool
bignum_get_exact(struct slice s, int lowest, int highest, struct bignum *a)
{
	const char *p = memchr(s.p, 'p', s.len);
	size_t len = p == NULL ? s.len : (size_t)(p - s.p), from = *s.p == '-';
	char again[BIGNUM_EXACT_MAX];
	int64_t exp = 0;

	if (len <= from || len - from > (size_t)(highest - lowest) / 3 + 1)
		return false;
	if (p != NULL &&
	    (!num_get_i64((struct slice){ p + 1, s.len - len - 1 }, &exp) || exp < lowest ||
		exp >= highest))
		return false;
	if (!take_digits(a, s.p + from, len - from))
		return false;
	a->exp = (int)exp;
	a->negative = from != 0 && a->n != 0;
	if (a->n != 0 && bits_of(a->limb, a->n) + a->exp > highest)
		return false;
	/* only the spelling of bignum_put_exact, so that equal numbers have equal texts */
	return slice_eq(s, (struct slice){ again, bignum_put_exact(again, a) });
}
