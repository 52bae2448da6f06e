/* SPDX-License-Identifier: ISC */
/* accumulator.c - the running totals of a group's values, and the statistics computed from them. */
#include "src/aggregate/accumulator.h"

#include <float.h>
#include <gmp.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/num.h"
#include "lib/wide.h"

/*
 * Integers times a power of 2, long enough for sums of squares of doubles.
 *
 * They are used for the results of a group, not for each line.  GMP does the arithmetic, with its
 * functions on arrays of limbs (mpn), which neither allocate for numbers of this size nor end the
 * program.
 */

/*
 * The length of the longest possible number: 2^64 times the sum of 2^64 squares of doubles, which
 * reaches from bit -2148 to bit 2176, plus the bits added when two numbers are aligned.
 */
#define BIGNUM_BITS 4608
#define BIGNUM_LIMBS (BIGNUM_BITS / GMP_NUMB_BITS)

/* limb[0..n), lowest first, times 2^exp.  limb[n - 1] != 0; n is 0 for 0. */
struct bignum {
	int exp;
	mp_size_t n;
	mp_limb_t limb[BIGNUM_LIMBS];
};

#define LIMB_BITS GMP_NUMB_BITS
#define WORD_BITS 32
#define DIGITS_MAX 58 /* of an integer below 2^192 */

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

/*
 * Sets a to words[0..n) in base 2^32, lowest first, times 2^exp.  The words have at most
 * BIGNUM_BITS in all.
 */
static void
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

static void
bignum_set(struct bignum *a, struct wide v)
{
	const uint32_t words[] = { (uint32_t)v.lo, (uint32_t)(v.lo >> WORD_BITS), (uint32_t)v.hi,
		(uint32_t)(v.hi >> WORD_BITS) };

	bignum_set_words(a, words, sizeof words / sizeof words[0], 0);
}

/* Sets *out to a * b.  out must be neither a nor b. */
static void
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

/* Subtracts b from a.  b must not be larger. */
static void
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

/* Stores the integer's own limbs, without an exponent.  Returns their number. */
static mp_size_t
whole(mp_limb_t *dst, const struct bignum *a)
{
	return shift_up(dst, a->limb, a->n, (unsigned)a->exp);
}

/*
 * Divides a by divisor.  Returns false and leaves a unchanged if there is a remainder.  a->exp must
 * not be below 0.
 */
static bool
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

/*
 * Writes the decimal digits of an integer below 2^192 to dst, which has room for 58.  Returns their
 * number.
 */
static size_t
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

static int
bits_of(const mp_limb_t *limb, mp_size_t n)
{
	return (int)mpn_sizeinbase(limb, n, 2);
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

/*
 * Returns the double nearest to a / b (ties to even), or inf if it is too large.  b must not be 0.
 */
static double
bignum_ratio(const struct bignum *a, const struct bignum *b)
{
	struct quotient q;

	if (a->n == 0)
		return 0;
	divide(&q, a, b, RESULT_BITS);
	return nearest(q.limb, q.n, q.exp, q.sticky);
}

/* Returns the double nearest to the square root of a / b (ties to even).  b must not be 0. */
static double
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

#define DOUBLE_EXACT ((uint64_t)1 << 53) /* every integer up to this one is a double */
#define CARRY_AFTER ((uint32_t)1 << 30) /* each addition changes a limb by less than 2^32 */

static void
sum_free(struct superaccumulator *x)
{
	mem_free(x->limb);
	*x = (struct superaccumulator){ 0 };
}

/* Makes sure that the limbs from first to last exist. */
static bool
cover(struct superaccumulator *x, int32_t first, int32_t last)
{
	int32_t low = x->n == 0 || first < x->first ? first : x->first;
	int32_t high =
	    x->n == 0 || last >= x->first + (int32_t)x->n ? last : x->first + (int32_t)x->n - 1;
	uint32_t n = (uint32_t)(high - low) + 1, below = x->n == 0 ? 0 : (uint32_t)(x->first - low);

	if (n == x->n)
		return true;
	if (n > x->cap) {
		int64_t *limb = mem_resize(x->limb, n * sizeof *limb);

		if (limb == NULL)
			return false;
		x->limb = limb;
		x->cap = n;
	}
	memmove(x->limb + below, x->limb, x->n * sizeof *x->limb);
	memset(x->limb, 0, below * sizeof *x->limb);
	memset(x->limb + below + x->n, 0, (n - below - x->n) * sizeof *x->limb);
	x->first = low;
	x->n = n;
	return true;
}

/* Keeps the limb's own 32 bits and returns the higher ones, signed, for the next limb. */
static int64_t
carry_out(int64_t *limb)
{
	int64_t own = *limb & (int64_t)UINT32_MAX;
	int64_t above = (*limb - own) / ((int64_t)1 << WORD_BITS);

	*limb = own;
	return above;
}

static bool
resolve(struct superaccumulator *x)
{
	uint32_t i;

	/* the top limb keeps its carry unless a new limb above receives it */
	if (!cover(x, x->first, x->first + (int32_t)x->n))
		return false;
	for (i = 0; i + 1 < x->n; i++)
		x->limb[i + 1] += carry_out(&x->limb[i]);
	x->carried = 0;
	return true;
}

static bool
add_half(struct superaccumulator *x, bool negative, uint64_t m, int exp)
{
	int32_t first = exp >= 0 ? exp / WORD_BITS : -((WORD_BITS - 1 - exp) / WORD_BITS);
	int left = exp - first * WORD_BITS;
	struct wide v = wide_shl((struct wide){ 0, m }, (unsigned)left);
	int64_t *limb;

	if (m == 0)
		return true;
	if (x->carried == CARRY_AFTER && !resolve(x))
		return false;
	if (!cover(x, first, first + (v.hi != 0 ? 2 : v.lo >> WORD_BITS != 0 ? 1 : 0)))
		return false;
	limb = x->limb + (first - x->first);
	x->carried++;
	limb[0] += negative ? -(int64_t)(v.lo & UINT32_MAX) : (int64_t)(v.lo & UINT32_MAX);
	if (v.hi != 0 || v.lo >> WORD_BITS != 0)
		limb[1] += negative ? -(int64_t)(v.lo >> WORD_BITS) : (int64_t)(v.lo >> WORD_BITS);
	if (v.hi != 0)
		limb[2] += negative ? -(int64_t)v.hi : (int64_t)v.hi;
	return true;
}

static bool
sum_add(struct superaccumulator *x, bool negative, struct wide m, int exp)
{
	return add_half(x, negative, m.lo, exp) && add_half(x, negative, m.hi, exp + 64);
}

static bool
sum_add_square(struct superaccumulator *x, struct wide m, int exp)
{
	return sum_add(x, false, wide_mul(m.lo, m.lo), 2 * exp) &&
	    sum_add(x, false, wide_mul(m.lo, m.hi), 2 * exp + 65) &&
	    sum_add(x, false, wide_mul(m.hi, m.hi), 2 * exp + 128);
}

/* Resolves the carries of x's limbs times SIGN into words.  Returns the carry left at the top. */
static int64_t
carry_into(uint32_t *words, const struct superaccumulator *x, int64_t sign)
{
	int64_t carry = 0;
	uint32_t i;

	for (i = 0; i < x->n; i++) {
		int64_t limb = x->limb[i] * sign + carry;

		carry = carry_out(&limb);
		words[i] = (uint32_t)limb;
	}
	return carry;
}

/* Computes the absolute value of the sum.  *negative is its sign. */
static void
sum_get(const struct superaccumulator *x, struct bignum *sum, bool *negative)
{
	uint32_t words[BIGNUM_BITS / WORD_BITS];
	int64_t carry = carry_into(words, x, 1);

	*negative = carry < 0;
	if (carry < 0)
		carry = carry_into(words, x, -1);
	words[x->n] = (uint32_t)carry;
	words[x->n + 1] = (uint32_t)(carry >> WORD_BITS);
	bignum_set_words(sum, words, x->n + 2, x->first * WORD_BITS);
}

void
accumulator_free(struct accumulator *t)
{
	if (t->big == NULL)
		return;
	sum_free(&t->big->sum);
	sum_free(&t->big->squares);
	mem_free(t->big);
	t->big = NULL;
}

/* Each statistic: its name, and the data kept for it, as a sum of enum accumulator_need. */
static const struct {
	struct slice name;
	unsigned need;
} stats[STATS] = {
	[STAT_COUNT] = { SLICE_INIT("count"), 0 },
	[STAT_SUM] = { SLICE_INIT("sum"), ACCUMULATOR_SUM },
	[STAT_MEAN] = { SLICE_INIT("mean"), ACCUMULATOR_SUM },
	[STAT_MIN] = { SLICE_INIT("min"), ACCUMULATOR_EXTREMES },
	[STAT_MAX] = { SLICE_INIT("max"), ACCUMULATOR_EXTREMES },
	[STAT_STDDEV] = { SLICE_INIT("stddev"), ACCUMULATOR_SUM | ACCUMULATOR_SQUARES },
};

enum stat
stat_named(struct slice name)
{
	enum stat s = STAT_COUNT;

	while (s < STATS && !slice_eq(name, stats[s].name))
		s++;
	return s;
}

struct slice
stat_name(enum stat s)
{
	return stats[s].name;
}

unsigned
stat_need(enum stat s)
{
	return stats[s].need;
}

static bool
need_big(struct accumulator *t)
{
	if (t->big == NULL)
		t->big = mem_zero(1, sizeof *t->big);
	return t->big != NULL;
}

bool
accumulator_spill_sum(struct accumulator *t)
{
	struct number v = number_of(t->sum);

	if (!need_big(t) || !sum_add(&t->big->sum, v.negative, v.m, 0))
		return false;
	t->sum = 0;
	return true;
}

static bool
spill_squares(struct accumulator *t, struct spread *s)
{
	if (!need_big(t) || !sum_add(&t->big->squares, false, s->squares, 0))
		return false;
	s->squares = (struct wide){ 0, 0 };
	return true;
}

bool
accumulator_spread(struct accumulator *t, struct spread *s, unsigned need, int64_t v)
{
	if (v < s->min)
		s->min = v;
	if (v > s->max)
		s->max = v;
	if ((need & ACCUMULATOR_SQUARES) != 0) {
		uint64_t m = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;

		(void)wide_add(s->squares, wide_mul(m, m), &s->squares);
		if (s->squares.hi > UINT64_MAX / 2)
			return spill_squares(t, s);
	}
	return true;
}

/*
 * Keeps the better of two numbers.  If they are equal, the integer is kept, so that the order of
 * the input does not matter.
 */
static void
keep_best(struct number *best, const struct number *v, int wanted)
{
	int c = number_cmp(v, best);

	if (c == wanted || (c == 0 && v->kind == NUMBER_INTEGER))
		*best = *v;
}

static void
classify(struct big *b, const struct number *v)
{
	b->n++;
	b->nans += v->kind == NUMBER_NAN;
	b->infs += v->kind == NUMBER_INFINITE && !v->negative;
	b->minus_infs += v->kind == NUMBER_INFINITE && v->negative;
	b->doubles += v->kind != NUMBER_INTEGER;
	b->minus_zeros += v->kind == NUMBER_DOUBLE && v->negative && v->m.lo == 0;
}

bool
accumulator_add_number(struct accumulator *t, unsigned need, const struct number *v)
{
	struct big *b;

	if (!need_big(t))
		return false;
	b = t->big;
	t->n++;
	classify(b, v);
	if (v->kind == NUMBER_NAN)
		return true;
	if (b->n - b->nans == 1) {
		b->min = b->max = *v;
	} else {
		keep_best(&b->min, v, -1);
		keep_best(&b->max, v, 1);
	}
	if (v->kind == NUMBER_INFINITE)
		return true;
	if ((need & ACCUMULATOR_SUM) != 0 && !sum_add(&b->sum, v->negative, v->m, v->exp))
		return false;
	return (need & ACCUMULATOR_SQUARES) == 0 || sum_add_square(&b->squares, v->m, v->exp);
}

bool
accumulator_settle(struct accumulator *t, struct spread *s)
{
	if (t->big == NULL)
		return true;
	return accumulator_spill_sum(t) && (s == NULL || spill_squares(t, s));
}

/*
 * Writes the sum if it is not finite, following the rules of IEEE 754 for infinities and nans.
 * Otherwise writes nothing.
 */
static size_t
put_unbounded(char *dst, const struct big *b)
{
	if (b->nans != 0 || (b->infs != 0 && b->minus_infs != 0))
		return num_put_double(dst, (double)NAN);
	if (b->infs != 0 || b->minus_infs != 0)
		return num_put_double(dst, b->infs != 0 ? HUGE_VAL : -HUGE_VAL);
	return 0;
}

static size_t
put_signed(char *dst, bool negative, double v)
{
	return num_put_double(dst, negative ? -v : v);
}

/* Writes the settled sum divided by divisor. */
static size_t
put_quotient(char *dst, const struct accumulator *t, uint64_t divisor)
{
	const struct big *b = t->big;
	struct bignum sum, by;
	bool negative;
	size_t n = put_unbounded(dst, b);

	if (n != 0)
		return n;
	if (b->minus_zeros == t->n)
		return num_put_double(dst, -0.0);
	sum_get(&b->sum, &sum, &negative);
	if (b->doubles == 0 && bignum_divide(&sum, divisor)) {
		if (negative)
			*dst++ = '-';
		return negative + bignum_put(dst, &sum);
	}
	bignum_set(&by, (struct wide){ 0, divisor });
	return put_signed(dst, negative, bignum_ratio(&sum, &by));
}

static size_t
put_mean(char *dst, const struct accumulator *t)
{
	struct number sum = number_of(t->sum);
	struct bignum a, b;

	if (t->big != NULL)
		return put_quotient(dst, t, t->n);
	if (sum.m.lo % t->n == 0) {
		sum.m.lo /= t->n;
		return number_put(dst, &sum);
	}
	/*
	 * one division of exact numbers rounds once, if doubles are not evaluated with more
	 * precision
	 */
	if (FLT_EVAL_METHOD == 0 && sum.m.lo <= DOUBLE_EXACT && t->n <= DOUBLE_EXACT)
		return put_signed(dst, sum.negative, (double)sum.m.lo / (double)t->n);
	bignum_set(&a, sum.m);
	bignum_set(&b, (struct wide){ 0, t->n });
	return put_signed(dst, sum.negative, bignum_ratio(&a, &b));
}

/* Writes sqrt((n * sum of squares - sum^2) / (n * (n - 1))). */
static size_t
put_stddev(char *dst, const struct accumulator *t, const struct spread *s)
{
	struct bignum sum, squares, n, numerator, square, divisor;
	bool negative;

	if (t->n < 2) {
		*dst = '.';
		return 1;
	}
	if (t->big != NULL) {
		if (t->big->nans != 0 || t->big->infs != 0 || t->big->minus_infs != 0)
			return num_put_double(dst, (double)NAN);
		sum_get(&t->big->sum, &sum, &negative);
		sum_get(&t->big->squares, &squares, &negative);
	} else {
		bignum_set(&sum, number_of(t->sum).m);
		bignum_set(&squares, s->squares);
	}
	bignum_set(&n, (struct wide){ 0, t->n });
	bignum_mul(&numerator, &squares, &n);
	bignum_mul(&square, &sum, &sum);
	bignum_sub(&numerator, &square);
	bignum_set(&divisor, wide_mul(t->n, t->n - 1));
	return num_put_double(dst, bignum_root_of_ratio(&numerator, &divisor));
}

static size_t
put_extreme(char *dst, const struct accumulator *t, int64_t of_small, const struct number *of_big,
    int wanted)
{
	struct number best = number_of(of_small);

	if (t->big != NULL && t->big->nans != 0)
		return num_put_double(dst, (double)NAN);
	if (of_big != NULL && t->big->n == t->n)
		best = *of_big;
	else if (of_big != NULL && t->big->n != 0)
		keep_best(&best, of_big, wanted);
	return number_put(dst, &best);
}

size_t
accumulator_put(char *dst, enum stat which, const struct accumulator *t, const struct spread *s)
{
	switch (which) {
	case STAT_COUNT: return num_put_u64(dst, t->n);
	case STAT_SUM: return t->big == NULL ? num_put_i64(dst, t->sum) : put_quotient(dst, t, 1);
	case STAT_MEAN: return put_mean(dst, t);
	case STAT_MIN: return put_extreme(dst, t, s->min, t->big == NULL ? NULL : &t->big->min, -1);
	case STAT_MAX: return put_extreme(dst, t, s->max, t->big == NULL ? NULL : &t->big->max, 1);
	case STAT_STDDEV: return put_stddev(dst, t, s);
	case STATS: break;
	}
	return 0;
}
