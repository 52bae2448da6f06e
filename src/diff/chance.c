/* SPDX-License-Identifier: ISC */
/* chance.c - bootstrap intervals and the Mann-Whitney test. */
#include "src/diff/chance.h"

#include <math.h>
#include <stdlib.h>

#include "lib/mem.h"
#include "lib/vec.h"

#define DRAWS 1999 /* resamples; one less than a number that percentages divide */
#define EXACT_MAX ((size_t)50) /* larger samples are not tested exactly */

/* A mean and its standard error. */
struct moment {
	double mean, error;
};

struct chance {
	size_t outside; /* number of draws that are farther away than the interval goes */
	uint64_t seed;
	struct moment before, after; /* of the samples, each scaled by 2^-scale */
	int before_scale, after_scale;
	bool in_logs; /* all values of both samples have the same sign and are not 0 */
	bool one_sided; /* none of them has another sign than another one; some may be 0 */
	double far; /* if in_logs: half of the interval of the logarithm, in standard errors */
	struct moment drawn_before[DRAWS], drawn_after[DRAWS];
	double pivot[DRAWS];
	double *room; /* the samples and a resample */
	size_t room_cap;
	double *u[EXACT_MAX][EXACT_MAX]; /* the probability of each value of U, by sample sizes */
};

struct chance *
chance_new(double confidence, uint64_t seed)
{
	struct chance *c = mem_zero(1, sizeof *c);

	if (c == NULL)
		return NULL;
	c->seed = seed;
	c->outside = (size_t)((1 - confidence) * (DRAWS + 1) + 0.5);
	if (c->outside == 0)
		c->outside = 1;
	return c;
}

void
chance_free(struct chance *c)
{
	size_t i, j;

	if (c == NULL)
		return;
	for (i = 0; i < EXACT_MAX; i++)
		for (j = 0; j < EXACT_MAX; j++)
			mem_free(c->u[i][j]);
	mem_free(c->room);
	mem_free(c);
}

double
chance_mean(const struct sample *s)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < s->n; i++)
		sum += s->v[i];
	return s->n == 0 ? 0 : sum / (double)s->n;
}

static struct moment
moment_of(const double *v, size_t n)
{
	struct moment m = { 0, 0 };
	bool equal = true;
	size_t i;

	for (i = 0; i < n; i++) {
		m.mean += v[i];
		equal = equal && v[i] == v[0];
	}
	if (equal) /* then the rounding of a mean is no error */
		return (struct moment){ v[0], 0 };
	m.mean /= (double)n;
	for (i = 0; i < n; i++)
		m.error += (v[i] - m.mean) * (v[i] - m.mean);
	m.error = sqrt(m.error / ((double)(n - 1) * (double)n));
	return m;
}

/* SplitMix64, a generator by Steele, Lea and Flood. */
static uint64_t
next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* Draws as many values as there are, into ROOM. */
static struct moment
draw(const double *v, size_t n, double *room, uint64_t *state)
{
	size_t i;

	/* n is far below 2^32, so no value is noticeably more likely than another */
	for (i = 0; i < n; i++)
		room[i] = v[(next_random(state) >> 32) * n >> 32];
	return moment_of(room, n);
}

static int
exponent_of(const struct sample *s)
{
	double least = fabs(s->v[0]), most = fabs(s->v[s->n - 1]);
	int exponent;

	(void)frexp(least > most ? least : most, &exponent);
	return exponent;
}

static int
compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Returns the distance of a drawn estimate from the one of the samples, in standard errors. */
static double
pivot_of(double distance, double error)
{
	if (distance == 0)
		return 0;
	return error > 0 ? fabs(distance) / error : HUGE_VAL;
}

/* Returns how many standard errors an interval reaches to either side, from the pivots. */
static double
reach(struct chance *c)
{
	qsort(c->pivot, DRAWS, sizeof *c->pivot, compare_doubles);
	return c->pivot[DRAWS - c->outside];
}

static double
far_of(double error, double far)
{
	return error > 0 ? error * far : 0;
}

static double
hypotenuse(double a, double b)
{
	return sqrt(a * a + b * b);
}

/* The standard error of log |after / before|, to first order. */
static double
log_error(const struct moment *before, const struct moment *after)
{
	return hypotenuse(before->error / before->mean, after->error / after->mean);
}

static double
reach_in_logs(struct chance *c)
{
	double estimate = c->after.mean / c->before.mean;
	size_t i;

	for (i = 0; i < DRAWS; i++) {
		const struct moment *before = &c->drawn_before[i], *after = &c->drawn_after[i];

		c->pivot[i] =
		    pivot_of(log(after->mean / before->mean / estimate), log_error(before, after));
	}
	return reach(c);
}

/* Scales the values so that the squares neither overflow nor vanish. */
static void
scale(double *scaled, const struct sample *s, int exponent)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		scaled[i] = ldexp(s->v[i], -exponent);
}

/* Returns the sign of all values, or 0. */
static int
sign_of(const struct sample *s)
{
	return s->v[0] > 0 ? 1 : s->v[s->n - 1] < 0 ? -1 : 0;
}

/* Returns whether no value of the two is above 0, or none is below. */
static bool
are_one_sided(const struct sample *a, const struct sample *b)
{
	return (a->v[0] >= 0 && b->v[0] >= 0) || (a->v[a->n - 1] <= 0 && b->v[b->n - 1] <= 0);
}

bool
chance_draw(struct chance *c, const struct sample *before, const struct sample *after)
{
	size_t n = before->n, m = after->n, i;
	uint64_t state = c->seed;
	double *first, *second, *room;

	/* both samples, and a resample of either */
	if (!vec_room(c->room, n + m + (n > m ? n : m), c->room_cap))
		return false;
	first = c->room;
	second = first + n;
	room = second + m;
	c->before_scale = exponent_of(before);
	c->after_scale = exponent_of(after);
	scale(first, before, c->before_scale);
	scale(second, after, c->after_scale);
	c->before = moment_of(first, n);
	c->after = moment_of(second, m);
	for (i = 0; i < DRAWS; i++) {
		c->drawn_before[i] = draw(first, n, room, &state);
		c->drawn_after[i] = draw(second, m, room, &state);
	}
	c->in_logs = sign_of(before) != 0 && sign_of(before) == sign_of(after);
	c->one_sided = are_one_sided(before, after);
	if (c->in_logs)
		c->far = reach_in_logs(c);
	return true;
}

/* Returns how far the mean may be from one end of its interval; the error is that of its log. */
static double
part_of(double mean, double error)
{
	double part = mean * expm1(error);

	return mean == 0 ? 0 : part;
}

/* The interval of a difference of means from those of both, which are symmetric in logarithms. */
static struct interval
recovered(const struct chance *c, double before, double after)
{
	double b = far_of(c->before.error / fabs(c->before.mean), c->far);
	double a = far_of(c->after.error / fabs(c->after.mean), c->far);
	double outer = hypotenuse(part_of(before, -b), part_of(after, a));
	double inner = hypotenuse(part_of(before, b), part_of(after, -a));
	double difference = after - before;

	if (after < 0)
		return (struct interval){ difference - outer, difference + inner };
	return (struct interval){ difference - inner, difference + outer };
}

struct interval
chance_difference(struct chance *c, double factor)
{
	int most = c->before_scale > c->after_scale ? c->before_scale : c->after_scale;
	double before_unit = ldexp(factor, c->before_scale - most);
	double after_unit = ldexp(1, c->after_scale - most);
	double before = c->before.mean * before_unit, after = c->after.mean * after_unit;
	struct interval in;

	if (c->in_logs) {
		in = recovered(c, before, after);
	} else {
		double estimate = after - before, far;
		size_t i;

		for (i = 0; i < DRAWS; i++)
			c->pivot[i] = pivot_of(c->drawn_after[i].mean * after_unit -
				c->drawn_before[i].mean * before_unit - estimate,
			    hypotenuse(c->drawn_after[i].error * after_unit,
				c->drawn_before[i].error * before_unit));
		far = far_of(hypotenuse(c->after.error * after_unit, c->before.error * before_unit),
		    reach(c));
		in = (struct interval){ estimate - far, estimate + far };
	}
	return (struct interval){ ldexp(in.lo, most), ldexp(in.hi, most) };
}

/* The standard error of after / before, to first order. */
static double
quotient_error(const struct moment *before, const struct moment *after)
{
	double q = after->mean / before->mean;

	return hypotenuse(after->error, q * before->error) / fabs(before->mean);
}

/* The interval of after / before, both as scaled, from the quotients of the resamples. */
static struct interval
drawn_quotient(struct chance *c)
{
	double estimate = c->after.mean / c->before.mean, far;
	size_t i;

	for (i = 0; i < DRAWS; i++)
		c->pivot[i] = pivot_of(c->drawn_after[i].mean / c->drawn_before[i].mean - estimate,
		    quotient_error(&c->drawn_before[i], &c->drawn_after[i]));
	far = far_of(quotient_error(&c->before, &c->after), reach(c));
	return (struct interval){ estimate - far, estimate + far };
}

/* The same, by the way that suits the samples. */
static struct interval
quotient(struct chance *c)
{
	double estimate = c->after.mean / c->before.mean, far;
	struct interval in;

	if (c->in_logs) {
		far = far_of(log_error(&c->before, &c->after), c->far);
		return (struct interval){ estimate * exp(-far), estimate * exp(far) };
	}
	in = drawn_quotient(c);
	if (c->one_sided && in.lo < 0) /* nothing is less than nothing */
		in.lo = 0;
	return in;
}

struct interval
chance_change(struct chance *c)
{
	struct interval in = quotient(c);
	int scale = c->after_scale - c->before_scale;

	in = (struct interval){ ldexp(in.lo, scale), ldexp(in.hi, scale) };
	if (c->before.mean < 0)
		return (struct interval){ 1 - in.hi, 1 - in.lo };
	return (struct interval){ in.lo - 1, in.hi - 1 };
}

/*
 * Fills in u[n][m] from u[n - 1][m] and u[n][m - 1]: the largest of all values is in the first
 * sample, and then above all m of the second, or it is not.
 */
static bool
fill(struct chance *c, size_t n, size_t m)
{
	double *p = mem_zero(n * m + 1, sizeof *p);
	size_t i;

	if (p == NULL)
		return false;
	c->u[n][m] = p;
	if (n == 0 || m == 0) {
		p[0] = 1;
		return true;
	}
	for (i = 0; i <= n * (m - 1); i++)
		p[i] = (double)m / (double)(n + m) * c->u[n][m - 1][i];
	for (i = 0; i <= (n - 1) * m; i++)
		p[i + m] += (double)n / (double)(n + m) * c->u[n - 1][m][i];
	return true;
}

/* Stores the probability that U is as far from the middle as this, or farther. */
static bool
exact(struct chance *c, size_t n, size_t m, size_t u, double *p)
{
	size_t i, j;

	for (i = 0; i <= n; i++)
		for (j = 0; j <= m; j++)
			if (c->u[i][j] == NULL && !fill(c, i, j))
				return false;
	if (u > n * m - u)
		u = n * m - u;
	*p = 0;
	for (i = 0; i <= u; i++)
		*p += c->u[n][m][i];
	*p = *p < 0.5 ? 2 * *p : 1;
	return true;
}

/* TIES is the sum of t^3 - t over all sets of t equal values. */
static double
approximate(double n, double m, double u, double ties)
{
	double far = fabs(u - n * m / 2) - 0.5, all = n + m;
	double variance = n * m / 12 * (all + 1 - ties / (all * (all - 1)));

	/* without a variance all values are equal, and U is in the middle */
	return far <= 0 ? 1 : erfc(far / sqrt(variance) / sqrt(2));
}

bool
chance_ranks(struct chance *c, const struct sample *before, const struct sample *after, double *p)
{
	size_t n = before->n, m = after->n, i = 0, j = 0;
	double u = 0, ties = 0;

	/* U counts the pairs in which after is larger; equal ones are a half */
	while (i < n || j < m) {
		size_t first = i, second = j;
		double v =
		    j == m || (i < n && before->v[i] < after->v[j]) ? before->v[i] : after->v[j];
		double t;

		while (i < n && before->v[i] == v)
			i++;
		while (j < m && after->v[j] == v)
			j++;
		t = (double)(i - first + j - second);
		ties += t * (t * t - 1);
		u += (double)(j - second) * ((double)first + (double)(i - first) / 2);
	}
	if (ties == 0 && n < EXACT_MAX && m < EXACT_MAX)
		return exact(c, n, m, (size_t)u, p);
	*p = approximate((double)n, (double)m, u, ties);
	return true;
}
