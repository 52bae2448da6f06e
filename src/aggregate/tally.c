/* SPDX-License-Identifier: ISC */
/* tally.c - the running totals of a group's values, and the statistics computed from them. */
#include "src/aggregate/tally.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/num.h"

#define DOUBLE_EXACT ((uint64_t)1 << 53) /* every integer up to here is a double */

void
tally_free(struct tally *t)
{
	if (t->big == NULL)
		return;
	exact_free(&t->big->sum);
	exact_free(&t->big->squares);
	mem_free(t->big);
	t->big = NULL;
}

unsigned
tally_need(enum stat s)
{
	switch (s) {
	case STAT_SUM:
	case STAT_MEAN: return TALLY_SUM;
	case STAT_MIN:
	case STAT_MAX: return TALLY_EXTREMES;
	case STAT_STDDEV: return TALLY_SUM | TALLY_SQUARES;
	case STAT_COUNT:
	case STATS: break;
	}
	return 0;
}

static bool
need_big(struct tally *t)
{
	if (t->big == NULL)
		t->big = mem_zero(1, sizeof *t->big);
	return t->big != NULL;
}

bool
tally_spill_sum(struct tally *t)
{
	struct number v = number_of(t->sum);

	if (!need_big(t) || !exact_add(&t->big->sum, v.negative, v.m, 0))
		return false;
	t->sum = 0;
	return true;
}

static bool
spill_squares(struct tally *t, struct spread *s)
{
	if (!need_big(t) || !exact_add(&t->big->squares, false, s->squares, 0))
		return false;
	s->squares = (struct wide){ 0, 0 };
	return true;
}

bool
tally_spread(struct tally *t, struct spread *s, unsigned need, int64_t v)
{
	if (v < s->min)
		s->min = v;
	if (v > s->max)
		s->max = v;
	if ((need & TALLY_SQUARES) != 0) {
		uint64_t m = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;

		(void)wide_add(s->squares, wide_mul(m, m), &s->squares);
		if (s->squares.hi > UINT64_MAX / 2)
			return spill_squares(t, s);
	}
	return true;
}

/* Of two equal values the integer is kept, so that the order of input does not matter. */
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
tally_add_number(struct tally *t, unsigned need, const struct number *v)
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
	if ((need & TALLY_SUM) != 0 && !exact_add(&b->sum, v->negative, v->m, v->exp))
		return false;
	return (need & TALLY_SQUARES) == 0 || exact_add_square(&b->squares, v->m, v->exp);
}

bool
tally_settle(struct tally *t, struct spread *s)
{
	if (t->big == NULL)
		return true;
	return tally_spill_sum(t) && (s == NULL || spill_squares(t, s));
}

/* The sum if it is not finite, as IEEE 754 adds infinities and nans; else 0 bytes. */
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

/* The settled sum over divisor. */
static size_t
put_quotient(char *dst, const struct tally *t, uint64_t divisor)
{
	const struct big *b = t->big;
	struct natural sum, by;
	bool negative;
	size_t n = put_unbounded(dst, b);

	if (n != 0)
		return n;
	if (b->minus_zeros == t->n)
		return num_put_double(dst, -0.0);
	exact_get(&b->sum, &sum, &negative);
	if (b->doubles == 0 && natural_divide(&sum, divisor)) {
		if (negative)
			*dst++ = '-';
		return negative + natural_put(dst, &sum);
	}
	natural_set(&by, (struct wide){ 0, divisor });
	return put_signed(dst, negative, natural_ratio(&sum, &by));
}

static size_t
put_mean(char *dst, const struct tally *t)
{
	struct number sum = number_of(t->sum);
	struct natural a, b;

	if (t->big != NULL)
		return put_quotient(dst, t, t->n);
	if (sum.m.lo % t->n == 0) {
		sum.m.lo /= t->n;
		return number_put(dst, &sum);
	}
	/* one division of exact numbers rounds once, where doubles are no wider than double */
	if (FLT_EVAL_METHOD == 0 && sum.m.lo <= DOUBLE_EXACT && t->n <= DOUBLE_EXACT)
		return put_signed(dst, sum.negative, (double)sum.m.lo / (double)t->n);
	natural_set(&a, sum.m);
	natural_set(&b, (struct wide){ 0, t->n });
	return put_signed(dst, sum.negative, natural_ratio(&a, &b));
}

/* sqrt((n * sum of squares - sum^2) / (n * (n - 1))) */
static size_t
put_stddev(char *dst, const struct tally *t, const struct spread *s)
{
	struct natural sum, squares, n, numerator, square, divisor;
	bool negative;

	if (t->n < 2) {
		*dst = '.';
		return 1;
	}
	if (t->big != NULL) {
		if (t->big->nans != 0 || t->big->infs != 0 || t->big->minus_infs != 0)
			return num_put_double(dst, (double)NAN);
		exact_get(&t->big->sum, &sum, &negative);
		exact_get(&t->big->squares, &squares, &negative);
	} else {
		natural_set(&sum, number_of(t->sum).m);
		natural_set(&squares, s->squares);
	}
	natural_set(&n, (struct wide){ 0, t->n });
	natural_mul(&numerator, &squares, &n);
	natural_mul(&square, &sum, &sum);
	natural_sub(&numerator, &square);
	natural_set(&divisor, wide_mul(t->n, t->n - 1));
	return num_put_double(dst, natural_root_of_ratio(&numerator, &divisor));
}

static size_t
put_extreme(char *dst, const struct tally *t, int64_t of_small, const struct number *of_big,
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
tally_put(char *dst, enum stat which, const struct tally *t, const struct spread *s)
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
