/* SPDX-License-Identifier: ISC */
/* accumulator.c - the running totals of a group's values, and the results computed from them. */
#include "src/aggregate/accumulator.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/num.h"

#define WORD_BITS 32
#define DOUBLE_EXACT ((uint64_t)1 << 53) /* every integer up to this one is a double */
#define RANGE_MORE 192 /* bits that a sum may be longer than a total read from text */
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
sum_add_times(struct superaccumulator *x, const struct number *v, uint64_t weight)
{
	return sum_add(x, v->negative, wide_mul(v->m.lo, weight), v->exp) &&
	    sum_add(x, v->negative, wide_mul(v->m.hi, weight), v->exp + 64);
}

static bool
sum_add_square(struct superaccumulator *x, const struct number *v, uint64_t weight)
{
	const struct number part[] = {
		{ .m = wide_mul(v->m.lo, v->m.lo), .exp = 2 * v->exp },
		{ .m = wide_mul(v->m.lo, v->m.hi), .exp = 2 * v->exp + 65 },
		{ .m = wide_mul(v->m.hi, v->m.hi), .exp = 2 * v->exp + 128 },
	};

	return sum_add_times(x, &part[0], weight) && sum_add_times(x, &part[1], weight) &&
	    sum_add_times(x, &part[2], weight);
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

static void
sum_get(const struct superaccumulator *x, struct bignum *sum)
{
	uint32_t words[BIGNUM_BITS / WORD_BITS];
	int64_t carry = carry_into(words, x, 1);
	bool negative = carry < 0;

	if (negative)
		carry = carry_into(words, x, -1);
	words[x->n] = (uint32_t)carry;
	words[x->n + 1] = (uint32_t)(carry >> WORD_BITS);
	bignum_set_words(sum, words, x->n + 2, x->first * WORD_BITS);
	sum->negative = negative;
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

static bool
need_big(struct accumulator *t)
{
	if (t->big != NULL)
		return true;
	t->big = mem_zero(1, sizeof *t->big);
	if (t->big == NULL)
		return false;
	t->big->min.kind = t->big->max.kind = NUMBER_NAN;
	return true;
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
	int c;

	if (v->kind == NUMBER_NAN)
		return;
	c = best->kind == NUMBER_NAN ? wanted : number_cmp(v, best);
	if (c == wanted || (c == 0 && v->kind == NUMBER_INTEGER))
		*best = *v;
}

static void
classify(struct big *b, const struct number *v)
{
	b->odd[ODD_NAN] += v->kind == NUMBER_NAN;
	b->odd[ODD_INF] += v->kind == NUMBER_INFINITE && !v->negative;
	b->odd[ODD_MINUS_INF] += v->kind == NUMBER_INFINITE && v->negative;
	b->odd[ODD_DOUBLE] += v->kind != NUMBER_INTEGER;
	b->odd[ODD_MINUS_ZERO] += v->kind == NUMBER_DOUBLE && v->negative && v->m.lo == 0;
}

/* Adds an integer to the totals that fit into spread and t, if it does.  Else returns false. */
static bool
add_light(struct accumulator *t, struct spread *s, unsigned need, const struct number *v,
    uint64_t weight)
{
	struct wide sum = wide_mul(v->m.lo, weight), squares;
	int64_t small;

	if (!number_is_small(v, &small) || sum.hi != 0 || sum.lo > NUMBER_SMALL_MAX ||
	    t->sum > INT64_MAX / 2 || t->sum < INT64_MIN / 2)
		return false;
	if ((need & ACCUMULATOR_SQUARES) != 0) {
		/* both factors are below 2^60, and all squares so far below 2^127 */
		(void)wide_add(s->squares, wide_mul(v->m.lo, sum.lo), &squares);
		if (squares.hi > UINT64_MAX / 2)
			return false;
		s->squares = squares;
	}
	t->sum += v->negative ? -(int64_t)sum.lo : (int64_t)sum.lo;
	if ((need & ~(unsigned)ACCUMULATOR_SUM) != 0) {
		s->min = small < s->min ? small : s->min;
		s->max = small > s->max ? small : s->max;
	}
	return true;
}

static bool
add_heavy(struct big *b, unsigned need, const struct number *v, uint64_t weight)
{
	classify(b, v);
	keep_best(&b->min, v, -1);
	keep_best(&b->max, v, 1);
	if (v->kind > NUMBER_DOUBLE)
		return true;
	return ((need & ACCUMULATOR_SUM) == 0 || sum_add_times(&b->sum, v, weight)) &&
	    ((need & ACCUMULATOR_SQUARES) == 0 || sum_add_square(&b->squares, v, weight));
}

bool
accumulator_add_number(struct accumulator *t, struct spread *s, unsigned need,
    const struct number *v, uint64_t weight)
{
	if (add_light(t, s, need, v, weight)) {
		t->n++;
		return true;
	}
	if (!need_big(t) || !add_heavy(t->big, need, v, weight))
		return false;
	t->n++;
	return true;
}

bool
accumulator_settle(struct accumulator *t, struct spread *s)
{
	if (t->big == NULL)
		return true;
	return accumulator_spill_sum(t) && (s == NULL || spill_squares(t, s));
}

bool
accumulator_is_finite(const struct accumulator *t)
{
	return accumulator_odd(t, ODD_NAN) == 0 && accumulator_odd(t, ODD_INF) == 0 &&
	    accumulator_odd(t, ODD_MINUS_INF) == 0;
}

void
accumulator_sum(const struct accumulator *t, struct bignum *sum)
{
	struct number small = number_of(t->sum);

	if (t->big != NULL)
		sum_get(&t->big->sum, sum);
	else
		bignum_set_number(sum, &small);
}

void
accumulator_squares(const struct accumulator *t, const struct spread *s, struct bignum *sum)
{
	if (t->big != NULL)
		sum_get(&t->big->squares, sum);
	else
		bignum_set(sum, s->squares);
}

bool
accumulator_min(const struct accumulator *t, const struct spread *s, struct number *v)
{
	v->kind = NUMBER_NAN;
	if (s->min != INT64_MAX)
		*v = number_of(s->min);
	if (t->big != NULL)
		keep_best(v, &t->big->min, -1);
	return v->kind != NUMBER_NAN;
}

bool
accumulator_max(const struct accumulator *t, const struct spread *s, struct number *v)
{
	v->kind = NUMBER_NAN;
	if (s->max != INT64_MIN)
		*v = number_of(s->max);
	if (t->big != NULL)
		keep_best(v, &t->big->max, 1);
	return v->kind != NUMBER_NAN;
}

/*
 * Writes the sum if it is not finite, following the rules of IEEE 754 for infinities and nans.
 * Otherwise writes nothing.
 */
static size_t
put_unbounded(char *dst, const struct accumulator *t)
{
	bool inf = accumulator_odd(t, ODD_INF) != 0;
	bool minus_inf = accumulator_odd(t, ODD_MINUS_INF) != 0;

	if (accumulator_odd(t, ODD_NAN) != 0 || (inf && minus_inf))
		return num_put_double(dst, (double)NAN);
	if (inf || minus_inf)
		return num_put_double(dst, inf ? HUGE_VAL : -HUGE_VAL);
	return 0;
}

size_t
accumulator_put_quotient(char *dst, const struct accumulator *t, uint64_t times, struct wide by)
{
	struct bignum sum, factor, product, divisor;
	size_t n = put_unbounded(dst, t);

	if (n != 0)
		return n;
	if (t->n != 0 && accumulator_odd(t, ODD_MINUS_ZERO) == t->n)
		return num_put_double(dst, -0.0);
	accumulator_sum(t, &sum);
	bignum_set(&factor, (struct wide){ 0, times });
	bignum_set(&divisor, by);
	bignum_mul(&product, &sum, &factor);
	if (accumulator_odd(t, ODD_DOUBLE) == 0 && bignum_divide(&product, &divisor))
		return bignum_put(dst, &product);
	return num_put_double(dst, bignum_ratio(&product, &divisor));
}

size_t
accumulator_put_sum(char *dst, const struct accumulator *t)
{
	if (t->big == NULL)
		return num_put_i64(dst, t->sum);
	return accumulator_put_quotient(dst, t, 1, (struct wide){ 0, 1 });
}

size_t
accumulator_put_mean(char *dst, const struct accumulator *t, struct wide n)
{
	struct number sum = number_of(t->sum);

	if (t->big != NULL || n.hi != 0)
		return accumulator_put_quotient(dst, t, 1, n);
	if (sum.m.lo % n.lo == 0) {
		sum.m.lo /= n.lo;
		return number_put(dst, &sum);
	}
	/*
	 * one division of exact numbers rounds once, if doubles are not evaluated with more
	 * precision
	 */
	if (FLT_EVAL_METHOD == 0 && sum.m.lo <= DOUBLE_EXACT && n.lo <= DOUBLE_EXACT) {
		double mean = (double)sum.m.lo / (double)n.lo;

		return num_put_double(dst, sum.negative ? -mean : mean);
	}
	return accumulator_put_quotient(dst, t, 1, n);
}

size_t
accumulator_put_deviation(char *dst, const struct accumulator *t, const struct spread *s,
    struct wide n, unsigned which)
{
	struct bignum sum, squares, count, numerator, square, divisor;

	if (!accumulator_is_finite(t))
		return num_put_double(dst, (double)NAN);
	accumulator_sum(t, &sum);
	accumulator_squares(t, s, &squares);
	bignum_set(&count, n);
	bignum_mul(&numerator, &squares, &count);
	bignum_mul(&square, &sum, &sum);
	bignum_sub(&numerator, &square);
	bignum_set(&square,
	    (which & DEVIATION_SAMPLE) != 0 ? wide_sub(n, (struct wide){ 0, 1 }) : n);
	bignum_mul(&divisor, &count, &square);
	if ((which & DEVIATION_ROOT) != 0)
		return num_put_double(dst, bignum_root_of_ratio(&numerator, &divisor));
	return num_put_double(dst, bignum_ratio(&numerator, &divisor));
}

/* Adds an exact number.  Returns false if memory runs out or beyond HIGHEST; then *range is set. */
static bool
sum_take(struct superaccumulator *x, const struct bignum *v, int highest, bool *range)
{
	mp_size_t i;
	int step;

	for (i = 0; i < v->n; i++)
		for (step = 0; step < GMP_NUMB_BITS; step += WORD_BITS)
			if (!add_half(x, v->negative, v->limb[i] >> step & UINT32_MAX,
				v->exp + (int)i * GMP_NUMB_BITS + step))
				return false;
	*range = x->n != 0 && (x->first + (int32_t)x->n) * WORD_BITS > highest + RANGE_MORE;
	return !*range;
}

bool
accumulator_take_sum(struct accumulator *t, const struct bignum *sum, bool *range)
{
	*range = false;
	return need_big(t) && sum_take(&t->big->sum, sum, ACCUMULATOR_SUM_HIGHEST, range);
}

bool
accumulator_take_squares(struct accumulator *t, const struct bignum *squares, bool *range)
{
	*range = false;
	return need_big(t) &&
	    sum_take(&t->big->squares, squares, ACCUMULATOR_SQUARES_HIGHEST, range);
}

bool
accumulator_take_odd(struct accumulator *t, const uint64_t *odd, bool *range)
{
	int i;

	*range = false;
	if (!need_big(t))
		return false;
	for (i = 0; i < ODDS; i++) {
		*range |= odd[i] > UINT64_MAX - t->big->odd[i];
		t->big->odd[i] += odd[i];
	}
	return !*range;
}

bool
accumulator_take_min(struct accumulator *t, struct spread *s, const struct number *v)
{
	int64_t small;

	if (number_is_small(v, &small)) {
		s->min = small < s->min ? small : s->min;
		return true;
	}
	if (!need_big(t))
		return false;
	keep_best(&t->big->min, v, -1);
	return true;
}

bool
accumulator_take_max(struct accumulator *t, struct spread *s, const struct number *v)
{
	int64_t small;

	if (number_is_small(v, &small)) {
		s->max = small > s->max ? small : s->max;
		return true;
	}
	if (!need_big(t))
		return false;
	keep_best(&t->big->max, v, 1);
	return true;
}

/* Adds totals that fit into t and s.  Returns false if they do not, or if memory runs out. */
static bool
join_light(struct accumulator *t, struct spread *s, const struct accumulator *from,
    const struct spread *from_s)
{
	if (from->big != NULL || from->sum > INT64_MAX / 4 || from->sum < INT64_MIN / 4 ||
	    t->sum > INT64_MAX / 2 || t->sum < INT64_MIN / 2)
		return false;
	if (s != NULL && (s->squares.hi > UINT64_MAX / 4 || from_s->squares.hi > UINT64_MAX / 4))
		return false;
	t->sum += from->sum;
	if (s != NULL)
		(void)wide_add(s->squares, from_s->squares, &s->squares);
	return true;
}

static bool
join_heavy(struct accumulator *t, unsigned need, struct accumulator *from, struct spread *from_s)
{
	struct bignum v;
	bool range;

	if (!need_big(from) || !accumulator_settle(from, from_s))
		return false;
	accumulator_sum(from, &v);
	if ((need & ACCUMULATOR_SUM) != 0 && !accumulator_take_sum(t, &v, &range))
		return false;
	if ((need & ACCUMULATOR_SQUARES) != 0) {
		accumulator_squares(from, from_s, &v);
		if (!accumulator_take_squares(t, &v, &range))
			return false;
	}
	if (!accumulator_take_odd(t, from->big->odd, &range))
		return false;
	keep_best(&t->big->min, &from->big->min, -1);
	keep_best(&t->big->max, &from->big->max, 1);
	return true;
}

bool
accumulator_join(struct accumulator *t, struct spread *s, unsigned need, struct accumulator *from,
    struct spread *from_s)
{
	if (!join_light(t, s, from, from_s) && !join_heavy(t, need, from, from_s))
		return false;
	t->n += from->n;
	if (s != NULL) {
		s->min = from_s->min < s->min ? from_s->min : s->min;
		s->max = from_s->max > s->max ? from_s->max : s->max;
	}
	return true;
}
