/* SPDX-License-Identifier: ISC */
/* stats.c - statistics: their names, what must be kept for them, and their results. */
#include "src/aggregate/stats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/keys.h"
#include "lib/num.h"
#include "src/aggregate/bignum.h"

#define SHOWN_MAX 100 /* bytes of a word shown in a message */
#define NANOSECONDS 1000000000u /* in a second */

/* The data that a statistic needs: enum accumulator_need and enum state_need. */
#define DEVIATION_NEED (ACCUMULATOR_SUM | ACCUMULATOR_SQUARES)
#define ALL_VALUES STATE_VALUES /* not from a sketch */
#define ANY_VALUES (STATE_VALUES | STATE_SKETCH) /* a sketch will do */

/* The statistics with a name. */
static const struct {
	struct slice name;
	unsigned need;
} table[STATS] = {
	[STAT_COUNT] = { SLICE_INIT("count"), 0 },
	[STAT_SUM] = { SLICE_INIT("sum"), ACCUMULATOR_SUM },
	[STAT_MEAN] = { SLICE_INIT("mean"), ACCUMULATOR_SUM },
	[STAT_MIN] = { SLICE_INIT("min"), ACCUMULATOR_EXTREMES },
	[STAT_MAX] = { SLICE_INIT("max"), ACCUMULATOR_EXTREMES },
	[STAT_STDDEV] = { SLICE_INIT("stddev"), DEVIATION_NEED },
	[STAT_PSTDDEV] = { SLICE_INIT("pstddev"), DEVIATION_NEED },
	[STAT_VAR] = { SLICE_INIT("var"), DEVIATION_NEED },
	[STAT_MEDIAN] = { SLICE_INIT("median"), ANY_VALUES },
	[STAT_IQR] = { SLICE_INIT("iqr"), ANY_VALUES },
	[STAT_MAD] = { SLICE_INIT("mad"), ALL_VALUES },
	[STAT_FIRST] = { SLICE_INIT("first"), STATE_TIMES },
	[STAT_LAST] = { SLICE_INIT("last"), STATE_TIMES },
	[STAT_DISTINCT] = { SLICE_INIT("distinct"), ALL_VALUES },
	[STAT_MODE] = { SLICE_INIT("mode"), ALL_VALUES },
	[STAT_RATE] = { SLICE_INIT("rate"), ACCUMULATOR_SUM },
	[STAT_SHARE] = { SLICE_INIT("share"), ACCUMULATOR_SUM },
	[STAT_HIST] = { SLICE_INIT("hist"), STATE_HIST },
};

/* Settings. */

/*
 * Reads digits with a point, and stores the number in units of 10^-DECIMALS.  Returns false for
 * anything else, for more than DECIMALS digits after the point, or more than 3 before it.
 */
static bool
get_decimal(struct slice s, unsigned decimals, uint64_t *v)
{
	size_t i = 0, after = 0;

	*v = 0;
	for (; i < s.len && s.p[i] >= '0' && s.p[i] <= '9'; i++)
		*v = *v * 10 + (uint64_t)(s.p[i] - '0');
	if (i == 0 || i > 3)
		return false;
	if (i < s.len && s.p[i] == '.')
		for (i++; i < s.len && s.p[i] >= '0' && s.p[i] <= '9' && after < decimals;
		     i++, after++)
			*v = *v * 10 + (uint64_t)(s.p[i] - '0');
	if (i < s.len || s.p[i - 1] == '.')
		return false;
	for (; after < decimals; after++)
		*v *= 10;
	return true;
}

static bool
get_wanted(struct slice word, struct stats_wanted *w)
{
	uint64_t part;
	int i = 0;

	*w = (struct stats_wanted){ STAT_PERCENTILE, 0, word };
	while (i < STATS && !slice_eq(word, table[i].name))
		i++;
	if (i < STATS) {
		w->stat = (enum stat)i;
		return true;
	}
	if (word.len < 2 || word.p[0] != 'p' ||
	    !get_decimal((struct slice){ word.p + 1, word.len - 1 }, STATS_PERCENT_DIGITS, &part) ||
	    part > STATS_PERCENT_UNIT)
		return false;
	w->part = (uint32_t)part;
	return true;
}

bool
stats_is_zero(enum stat stat)
{
	return stat == STAT_COUNT || stat == STAT_SUM || stat == STAT_DISTINCT;
}

bool
stats_depends_on_zeros(enum stat stat)
{
	switch (stat) {
	case STAT_COUNT:
	case STAT_SUM:
	case STAT_MAX:
	case STAT_FIRST:
	case STAT_LAST:
	case STAT_RATE:
	case STAT_SHARE: return false;
	default: return true;
	}
}

const char *
stats_name(size_t i)
{
	return i < STATS ? table[i].name.p : NULL;
}

/* What other programs call a statistic. */
static const struct {
	struct slice word, name;
} synonyms[] = {
	{ SLICE_INIT("average"), SLICE_INIT("mean") },
	{ SLICE_INIT("avg"), SLICE_INIT("mean") },
	{ SLICE_INIT("n"), SLICE_INIT("count") },
	{ SLICE_INIT("p999"), SLICE_INIT("p99.9") },
	{ SLICE_INIT("p9999"), SLICE_INIT("p99.99") },
	{ SLICE_INIT("std"), SLICE_INIT("stddev") },
	{ SLICE_INIT("total"), SLICE_INIT("sum") },
	{ SLICE_INIT("unique"), SLICE_INIT("distinct") },
	{ SLICE_INIT("variance"), SLICE_INIT("var") },
};

static const char *
statistic(const void *ctx, size_t i)
{
	(void)ctx;
	return stats_name(i);
}

/* Stores "p" and the number if the word is a percentile without its p, or with another letter. */
static bool
is_percentile(struct slice word, char *name, size_t size)
{
	struct slice digits = word;
	struct stats_wanted w;

	if (digits.len != 0 && digits.p[0] == 'P') {
		digits.p++;
		digits.len--;
	}
	if (digits.len == 0 || digits.len + 2 > size)
		return false;
	(void)snprintf(name, size, "p%.*s", (int)digits.len, digits.p);
	return digits.p[0] >= '0' && digits.p[0] <= '9' && get_wanted(slice_of(name), &w);
}

/* Adds the names of all statistics to the message. */
static int
list_all(struct err *e)
{
	size_t i;

	for (i = 0; i < STATS; i++)
		(void)err_add(e, "%s%s", i == 0 ? " (there are: " : ", ", table[i].name.p);
	return err_add(e, "; and p0 to p100)");
}

/* Refuses a word that is no statistic, with the one that may be meant. */
static int
refuse(struct slice word, struct err *e)
{
	int shown = slice_shown(word, SHOWN_MAX);
	struct slice name = keys_nearest(word, statistic, NULL);
	char percentile[SHOWN_MAX];
	size_t i;

	for (i = 0; i < sizeof synonyms / sizeof synonyms[0]; i++)
		if (slice_eq(word, synonyms[i].word))
			name = synonyms[i].name;
	if (is_percentile(word, percentile, sizeof percentile))
		name = slice_of(percentile);
	if (name.len != 0)
		return err_data(e, "no such statistic: \"%.*s\"; did you mean %.*s?", shown, word.p,
		    (int)name.len, name.p);
	err_data(e, "no such statistic: \"%.*s\"", shown, word.p);
	return list_all(e);
}

int
stats_set_list(struct stats *x, const char *list, struct err *e)
{
	size_t i;

	x->n = 0;
	while (list != NULL) {
		struct slice word = { list, strcspn(list, ",") };
		int shown = slice_shown(word, SHOWN_MAX);
		struct stats_wanted w;

		if (!get_wanted(word, &w))
			return refuse(word, e);
		for (i = 0; i < x->n; i++)
			if (x->wanted[i].stat == w.stat && x->wanted[i].part == w.part)
				return err_data(e, "\"%.*s\" is given twice", shown, word.p);
		if (x->n == STATS_MAX)
			return err_data(e, "more than %d statistics", STATS_MAX);
		x->wanted[x->n++] = w;
		list = list[word.len] == ',' ? list + word.len + 1 : NULL;
	}
	return 0;
}

int
stats_set_percentile(struct stats *x, const char *how, struct err *e)
{
	x->nearest = strcmp(how, "nearest") == 0;
	if (!x->nearest && strcmp(how, "interpolate") != 0)
		return err_data(e, "expected nearest or interpolate, not \"%.*s\"", SHOWN_MAX, how);
	return 0;
}

/* Parts of 1 that an error is counted in, its limits, and digits of a percentage. */
#define ERROR_DECIMALS 6
#define ERROR_UNIT 100000000u
#define ERROR_MIN 10000u
#define ERROR_MAX 50000000u

int
stats_set_sketch(struct stats *x, const char *percent, struct err *e)
{
	struct slice s = slice_of(percent);
	uint64_t error;

	if (s.len < 2 || s.p[s.len - 1] != '%' ||
	    !get_decimal((struct slice){ s.p, s.len - 1 }, ERROR_DECIMALS, &error) ||
	    error < ERROR_MIN || error > ERROR_MAX)
		return err_data(e, "expected a percentage from 0.01%% to 50%%, not \"%.*s\"",
		    SHOWN_MAX, percent);
	x->sketch = true;
	/* the largest relative error is 1 / (2^(bits+1) + 1) */
	while ((((uint64_t)2 << x->keep.sketch_bits) + 1) * error < ERROR_UNIT)
		x->keep.sketch_bits++;
	return 0;
}

int
stats_set_bins(struct stats *x, const char *text, struct err *e)
{
	x->bins = true;
	return bins_set(&x->keep.bins, text, e);
}

void
stats_set_weighted(struct stats *x)
{
	x->keep.need |= STATE_WEIGHT;
}

static unsigned
need_of(const struct stats *x, const struct stats_wanted *w)
{
	unsigned need = w->stat == STAT_PERCENTILE ? ANY_VALUES : table[w->stat].need;

	if ((need & ANY_VALUES) != ANY_VALUES)
		return need;
	/* results of a sketch are kept between the exact extremes */
	return x->sketch ? STATE_SKETCH | ACCUMULATOR_EXTREMES : STATE_VALUES;
}

struct slice
stats_method(const struct stats *x, size_t i, char room[STATS_METHOD_MAX])
{
	const struct stats_wanted *w = &x->wanted[i];

	if (w->stat != STAT_PERCENTILE && w->stat != STAT_MEDIAN && w->stat != STAT_IQR)
		return SLICE("");
	if (!x->sketch)
		return x->nearest ? SLICE("nearest") : SLICE("");
	return (struct slice){ room,
		(size_t)snprintf(room, STATS_METHOD_MAX, "sketch:%" PRIu64,
		    (uint64_t)1 << x->keep.sketch_bits) };
}

int
stats_ready(struct stats *x, struct err *e)
{
	size_t i;

	for (i = 0; i < x->n; i++) {
		const struct stats_wanted *w = &x->wanted[i];
		unsigned need = need_of(x, w);

		if (x->sketch && (need & STATE_VALUES) != 0)
			return err_data(e,
			    "%.*s needs all values; it cannot be computed with --sketch",
			    (int)w->name.len, w->name.p);
		x->keep.need |= need;
		x->wants_numbers |= w->stat != STAT_COUNT;
		x->wants_clock |= w->stat == STAT_FIRST || w->stat == STAT_LAST;
		x->wants_duration |= w->stat == STAT_RATE;
		x->wants_total |= w->stat == STAT_SHARE;
	}
	if (x->sketch && (x->keep.need & STATE_SKETCH) == 0)
		return err_data(e, "--sketch needs a percentile, median or iqr in --stat");
	if (x->bins && (x->keep.need & STATE_HIST) == 0)
		return err_data(e, "--bins needs hist in --stat");
	return 0;
}

/* Ranks. */

/*
 * Returns n * part / STATS_PERCENT_UNIT, rounded down, with the rest of the division.  The result
 * is at most n.
 */
static struct wide
portion(struct wide n, uint32_t part, uint32_t *rest)
{
	uint32_t left;
	struct wide q = wide_divide(n, STATS_PERCENT_UNIT, &left), low = wide_mul(q.lo, part);
	uint64_t more = (uint64_t)left * part;

	low.hi += wide_mul(q.hi, part).lo;
	*rest = (uint32_t)(more % STATS_PERCENT_UNIT);
	(void)wide_add(low, (struct wide){ 0, more / STATS_PERCENT_UNIT }, &low);
	return low;
}

/* Returns the rank, from 0, of the smallest of n values with at least that part at or below it. */
static struct wide
nearest_rank(struct wide n, uint32_t part)
{
	const struct wide one = { 0, 1 };
	uint32_t rest;
	struct wide rank = portion(n, part, &rest);

	return rest != 0 || (rank.hi | rank.lo) == 0 ? rank : wide_sub(rank, one);
}

/* A place between two neighbours: low + rest / STATS_PERCENT_UNIT * (high - low). */
struct between {
	struct number low, high;
	uint32_t rest;
};

/* Finds the values at RANK and after it, if there is one, among settled values. */
static void
find_values(const struct values *v, struct wide rank, struct between *b)
{
	struct values_at at = { 0, 0 };
	struct values_run run;
	const struct wide one = { 0, 1 };

	run.value = number_of(0);
	run.count = (struct wide){ 0, 0 };
	while (values_next(v, &at, &run) && wide_cmp(rank, run.count) >= 0)
		rank = wide_sub(rank, run.count);
	b->low = b->high = run.value;
	if (wide_cmp(wide_sub(run.count, one), rank) == 0 && values_next(v, &at, &run))
		b->high = run.value;
}

static struct between
find_part(const struct stats *x, const struct state *st, uint32_t part)
{
	const struct wide one = { 0, 1 };
	struct wide n = state_count(&x->keep, st);
	struct between b = { .rest = 0 };

	if (x->nearest) {
		find_values(&st->d->values, nearest_rank(n, part), &b);
		return b;
	}
	find_values(&st->d->values, portion(wide_sub(n, one), part, &b.rest), &b);
	if (b.rest == 0 || values_cmp(&b.low, &b.high) == 0) {
		b.high = b.low;
		b.rest = 0;
	}
	return b;
}

/* Exact results: a number of units, or an infinity or nan. */

struct exact {
	enum number_kind kind;
	bool negative; /* of an infinity */
	struct bignum v; /* of a finite number, in units that its user knows */
};

static void
set_exact(struct exact *x, const struct number *n)
{
	x->kind = n->kind;
	x->negative = n->negative;
	if (n->kind <= NUMBER_DOUBLE)
		bignum_set_number(&x->v, n);
}

static void
scale(struct exact *x, uint64_t by)
{
	struct bignum factor, v;

	if (x->kind > NUMBER_DOUBLE)
		return;
	bignum_set(&factor, (struct wide){ 0, by });
	bignum_mul(&v, &x->v, &factor);
	x->v = v;
}

/* Adds b to a, by the rules of IEEE 754 for infinities and nans. */
static void
add(struct exact *a, const struct exact *b)
{
	if (a->kind == NUMBER_NAN || b->kind == NUMBER_NAN ||
	    (a->kind == NUMBER_INFINITE && b->kind == NUMBER_INFINITE &&
		a->negative != b->negative)) {
		a->kind = NUMBER_NAN;
	} else if (b->kind == NUMBER_INFINITE) {
		a->kind = b->kind;
		a->negative = b->negative;
	} else if (a->kind != NUMBER_INFINITE) {
		bignum_add(&a->v, &b->v);
	}
}

static void
negate(struct exact *x)
{
	x->negative = !x->negative;
	if (x->kind <= NUMBER_DOUBLE)
		x->v.negative = !x->v.negative && x->v.n != 0;
}

static int
cmp_exact(const struct exact *a, const struct exact *b)
{
	if (a->kind == NUMBER_INFINITE || b->kind == NUMBER_INFINITE)
		return (a->kind == NUMBER_INFINITE) - (b->kind == NUMBER_INFINITE);
	return bignum_cmp(&a->v, &b->v);
}

/* Computes the number at a place, in units of 1 / STATS_PERCENT_UNIT. */
static void
interpolate(const struct between *b, struct exact *x)
{
	struct exact high;

	set_exact(x, &b->low);
	scale(x, STATS_PERCENT_UNIT - b->rest);
	if (b->rest == 0)
		return;
	set_exact(&high, &b->high);
	scale(&high, b->rest);
	add(x, &high);
}

/* Writes x / by: an integer if all values of the group are integers and the result is one. */
static size_t
put_exact(char *dst, struct exact *x, uint64_t by, const struct accumulator *t)
{
	struct bignum divisor;

	if (x->kind == NUMBER_NAN)
		return num_put_double(dst, (double)NAN);
	if (x->kind == NUMBER_INFINITE)
		return num_put_double(dst, x->negative ? -HUGE_VAL : HUGE_VAL);
	bignum_set(&divisor, (struct wide){ 0, by });
	if (accumulator_odd(t, ODD_DOUBLE) == 0 && bignum_divide(&x->v, &divisor))
		return bignum_put(dst, &x->v);
	return num_put_double(dst, bignum_ratio(&x->v, &divisor));
}

#define PART(percent) ((uint32_t)(percent) * (STATS_PERCENT_UNIT / 100))

/* The values on one side of the median, from the inside out. */
struct side {
	struct values_at at;
	struct values_run run;
	struct exact distance; /* of the run, in halves */
	bool (*step)(const struct values *v, struct values_at *at, struct values_run *run);
	bool has;
};

/* Steps to the next value of the side.  median is in halves. */
static void
step_out(struct side *s, const struct values *v, const struct exact *median)
{
	s->has = s->step(v, &s->at, &s->run);
	if (!s->has)
		return;
	set_exact(&s->distance, &s->run.value);
	scale(&s->distance, 2);
	negate(&s->distance);
	add(&s->distance, median);
	s->distance.negative = false;
	if (s->distance.kind <= NUMBER_DOUBLE)
		s->distance.v.negative = false;
}

/* Sets both sides to the values next to the median. */
static void
find_sides(const struct values *v, const struct exact *median, struct side *below,
    struct side *above)
{
	below->step = values_back;
	above->step = values_next;
	below->at = above->at = (struct values_at){ 0, 0 };
	for (;;) {
		struct values_at before = above->at;
		struct exact twice;

		if (!values_next(v, &above->at, &above->run))
			break;
		set_exact(&twice, &above->run.value);
		scale(&twice, 2);
		if (twice.kind == NUMBER_INFINITE ? !twice.negative
						  : bignum_cmp(&twice.v, &median->v) >= 0) {
			above->at = before;
			break;
		}
	}
	below->at = above->at;
	step_out(below, v, median);
	step_out(above, v, median);
}

/*
 * Writes the median of the distances from the median.  The two lists of distances, below and above
 * the median, are sorted, so that they need only be merged up to the middle.
 */
static size_t
put_mad(char *dst, const struct stats *x, const struct state *st)
{
	const struct values *v = &st->d->values;
	const struct wide one = { 0, 1 };
	struct wide n = state_count(&x->keep, st), passed = { 0, 0 };
	uint32_t odd;
	struct wide low = portion(wide_sub(n, one), PART(50), &odd), high = low;
	struct between middle;
	struct exact median, sum;
	struct side below, above;

	if (odd != 0)
		(void)wide_add(low, one, &high);
	find_values(v, low, &middle);
	set_exact(&median, &middle.low);
	set_exact(&sum, odd != 0 ? &middle.high : &middle.low);
	add(&median, &sum);
	if (median.kind > NUMBER_DOUBLE)
		return num_put_double(dst, (double)NAN);
	find_sides(v, &median, &below, &above);
	for (sum.kind = NUMBER_NAN;;) {
		struct side *s =
		    !above.has || (below.has && cmp_exact(&below.distance, &above.distance) <= 0)
		    ? &below
		    : &above;

		if (!s->has)
			break;
		(void)wide_add(passed, s->run.count, &passed);
		if (sum.kind == NUMBER_NAN && wide_cmp(passed, low) > 0)
			sum = s->distance;
		if (wide_cmp(passed, high) > 0) {
			add(&sum, &s->distance);
			break;
		}
		step_out(s, v, &median);
	}
	return put_exact(dst, &sum, 4, st->t);
}

static size_t
put_mode(char *dst, const struct values *v)
{
	struct values_at at = { 0, 0 };
	struct values_run run, best = { .count = { 0, 0 } };

	while (values_next(v, &at, &run))
		if (wide_cmp(run.count, best.count) > 0)
			best = run;
	return number_put(dst, &best.value);
}

static size_t
put_distinct(char *dst, const struct values *v)
{
	struct values_at at = { 0, 0 };
	struct values_run run;
	uint64_t n = 0;

	while (values_next(v, &at, &run))
		n++;
	return num_put_u64(dst, n);
}

/* Results of a sketch. */

static double
sketch_part(const struct stats *x, const struct state *st, uint32_t part)
{
	unsigned bits = x->keep.sketch_bits;
	struct wide rank = nearest_rank(state_count(&x->keep, st), part);
	struct pair b = { 0, 0 };
	int64_t at = -SKETCH_INF;

	while (sketch_next(&st->d->sketch, bits, &at, &b) && rank.lo >= b.count)
		rank.lo -= b.count;
	return sketch_value(bits, b.value, accumulator_odd(st->t, ODD_DOUBLE) == 0);
}

/* Returns a percentile of a sketch, but never beyond the extremes, which are exact. */
static struct number
sketch_percentile(const struct stats *x, const struct state *st, uint32_t part)
{
	struct number n = number_of_double(sketch_part(x, st, part)), min, max;

	if (accumulator_min(st->t, st->s, &min) && number_cmp(&n, &min) < 0)
		n = min;
	if (accumulator_max(st->t, st->s, &max) && number_cmp(&n, &max) > 0)
		n = max;
	return n;
}

/* Writes one statistic. */

static size_t
put_none(char *dst)
{
	*dst = '.';
	return 1;
}

static size_t
put_extreme(char *dst, const struct state *st, enum stat stat)
{
	struct number v;

	if (stat == STAT_MIN)
		(void)accumulator_min(st->t, st->s, &v);
	else
		(void)accumulator_max(st->t, st->s, &v);
	return number_put(dst, &v);
}

static size_t
put_deviation(char *dst, const struct state *st, enum stat stat, struct wide n)
{
	unsigned which = stat == STAT_PSTDDEV ? DEVIATION_ROOT
	    : stat == STAT_VAR                ? DEVIATION_SAMPLE
					      : DEVIATION_ROOT | DEVIATION_SAMPLE;

	if ((which & DEVIATION_SAMPLE) != 0 && n.hi == 0 && n.lo < 2)
		return put_none(dst);
	return accumulator_put_deviation(dst, st->t, st->s, n, which);
}

static size_t
put_rate(char *dst, const struct accumulator *t, const struct wide *duration)
{
	if (duration == NULL || (duration->hi | duration->lo) == 0)
		return put_none(dst);
	return accumulator_put_quotient(dst, t, NANOSECONDS, *duration);
}

static size_t
put_share(char *dst, const struct accumulator *t, const struct accumulator *total)
{
	struct bignum part, whole;

	if (total == NULL || !accumulator_is_finite(total) || !accumulator_is_finite(t))
		return put_none(dst);
	accumulator_sum(total, &whole);
	if (whole.n == 0)
		return put_none(dst);
	accumulator_sum(t, &part);
	return num_put_double(dst, bignum_ratio(&part, &whole));
}

static size_t
put_moment(char *dst, const struct moment *m)
{
	return m->set ? number_put(dst, &m->value) : put_none(dst);
}

/* Writes a statistic of a group without values. */
static size_t
put_of_none(char *dst, enum stat stat)
{
	if (stat != STAT_COUNT && stat != STAT_SUM && stat != STAT_DISTINCT)
		return put_none(dst);
	*dst = '0';
	return 1;
}

/* Stores a percentile, in units of 1 / STATS_PERCENT_UNIT. */
static void
get_part(const struct stats *x, const struct state *st, uint32_t part, struct exact *v)
{
	struct between b = { .rest = 0 };

	if (x->sketch)
		b.low = sketch_percentile(x, st, part);
	else
		b = find_part(x, st, part);
	interpolate(&b, v);
}

static size_t
put_part(char *dst, const struct stats *x, const struct state *st, uint32_t part)
{
	struct number n;
	struct between b;
	struct exact v;

	if (x->sketch) {
		n = sketch_percentile(x, st, part);
		return number_put(dst, &n);
	}
	b = find_part(x, st, part);
	if (b.rest == 0)
		return number_put(dst, &b.low);
	interpolate(&b, &v);
	return put_exact(dst, &v, STATS_PERCENT_UNIT, st->t);
}

static size_t
put_iqr(char *dst, const struct stats *x, const struct state *st)
{
	struct exact v, less;

	get_part(x, st, PART(75), &v);
	get_part(x, st, PART(25), &less);
	negate(&less);
	add(&v, &less);
	return put_exact(dst, &v, STATS_PERCENT_UNIT, st->t);
}

/* Writes a statistic that is nan if any value is. */
static size_t
put_unless_nan(char *dst, const struct stats *x, const struct stats_wanted *w,
    const struct state *st)
{
	if (accumulator_odd(st->t, ODD_NAN) != 0)
		return num_put_double(dst, (double)NAN);
	switch (w->stat) {
	case STAT_MIN:
	case STAT_MAX: return put_extreme(dst, st, w->stat);
	case STAT_MEDIAN: return put_part(dst, x, st, PART(50));
	case STAT_IQR: return put_iqr(dst, x, st);
	case STAT_MAD: return put_mad(dst, x, st);
	default: return put_part(dst, x, st, w->part);
	}
}

size_t
stats_put_value(char *dst, const struct stats *x, size_t i, const struct state *st,
    const struct stats_context *c)
{
	const struct stats_wanted *w = &x->wanted[i];
	struct wide n = state_count(&x->keep, st);

	if ((n.hi | n.lo) == 0)
		return put_of_none(dst, w->stat);
	switch (w->stat) {
	case STAT_COUNT: return wide_put(dst, n);
	case STAT_SUM: return accumulator_put_sum(dst, st->t);
	case STAT_MEAN: return accumulator_put_mean(dst, st->t, n);
	case STAT_STDDEV:
	case STAT_PSTDDEV:
	case STAT_VAR: return put_deviation(dst, st, w->stat, n);
	case STAT_FIRST: return c->clocks ? put_none(dst) : put_moment(dst, &st->d->first);
	case STAT_LAST: return c->clocks ? put_none(dst) : put_moment(dst, &st->d->last);
	case STAT_DISTINCT: return put_distinct(dst, &st->d->values);
	case STAT_MODE: return put_mode(dst, &st->d->values);
	case STAT_RATE: return put_rate(dst, st->t, c->duration);
	case STAT_SHARE: return put_share(dst, st->t, c->total);
	case STAT_HIST: return 0;
	case STAT_MIN:
	case STAT_MAX:
	case STAT_MEDIAN:
	case STAT_IQR:
	case STAT_MAD:
	case STAT_PERCENTILE: break;
	}
	return put_unless_nan(dst, x, w, st);
}
