/* SPDX-License-Identifier: ISC */
/* chance.c - bootstrap intervals and the Mann-Whitney test. */
#include "src/diff/chance.h"

#include <math.h>
#include <stdlib.h>

#include "lib/mem.h"
#include "lib/vec.h"

#define DRAWS 1999 /* resamples; one less than a number that percentages divide */
#define EXACT_MAX ((size_t)50) /* larger samples are not tested exactly */

/* A mean and the square of its standard error. */
struct moment {
	double mean, error;
};

struct chance {
	size_t edge; /* number of draws at each end that are outside of the interval, plus 1 */
	uint64_t seed;
	struct moment before, after; /* of the samples, all scaled by 2^-scale */
	int scale;
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
	/* the half is for rounding: (1 - 0.95) * 1000 may be just below 50 */
	c->edge = (size_t)((1 - confidence) / 2 * (DRAWS + 1) + 0.5 / (DRAWS + 1));
	if (c->edge == 0)
		c->edge = 1;
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
	m.error /= (double)(n - 1) * (double)n;
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

bool
chance_draw(struct chance *c, const struct sample *before, const struct sample *after)
{
	size_t n = before->n, m = after->n, i;
	uint64_t state = c->seed;
	int other = exponent_of(after);
	double *scaled, *room;

	/* both samples, and a resample of either */
	if (!vec_room(c->room, n + m + (n > m ? n : m), c->room_cap))
		return false;
	scaled = c->room;
	room = scaled + n + m;
	/* so that squares neither overflow nor vanish */
	c->scale = exponent_of(before);
	if (other > c->scale)
		c->scale = other;
	for (i = 0; i < n + m; i++)
		scaled[i] = ldexp(i < n ? before->v[i] : after->v[i - n], -c->scale);
	c->before = moment_of(scaled, n);
	c->after = moment_of(scaled + n, m);
	for (i = 0; i < DRAWS; i++) {
		c->drawn_before[i] = draw(scaled, n, room, &state);
		c->drawn_after[i] = draw(scaled + n, m, room, &state);
	}
	return true;
}

static int
compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The distance of a drawn estimate from the one of the samples, in standard errors. */
static double
pivot_of(double drawn, double estimate, double error)
{
	if (drawn == estimate)
		return 0;
	if (error > 0)
		return (drawn - estimate) / sqrt(error);
	return drawn < estimate ? -HUGE_VAL : HUGE_VAL;
}

/* Makes the interval from the pivots. */
static struct interval
interval_of(struct chance *c, double estimate, double error)
{
	struct interval in = { estimate, estimate };
	double s = sqrt(error);

	if (!(error > 0))
		return in;
	qsort(c->pivot, DRAWS, sizeof *c->pivot, compare_doubles);
	in.lo = estimate - c->pivot[DRAWS - c->edge] * s;
	in.hi = estimate - c->pivot[c->edge - 1] * s;
	return in;
}

struct interval
chance_difference(struct chance *c, double factor)
{
	double estimate = c->after.mean - factor * c->before.mean;
	struct interval in;
	size_t i;

	for (i = 0; i < DRAWS; i++)
		c->pivot[i] = pivot_of(c->drawn_after[i].mean - factor * c->drawn_before[i].mean,
		    estimate, c->drawn_after[i].error + factor * factor * c->drawn_before[i].error);
	in = interval_of(c, estimate, c->after.error + factor * factor * c->before.error);
	return (struct interval){ ldexp(in.lo, c->scale), ldexp(in.hi, c->scale) };
}

/* The square of the standard error of a quotient of means, to first order. */
static double
quotient_error(const struct moment *a, const struct moment *b)
{
	double q = a->mean / b->mean;

	return (a->error + q * q * b->error) / (b->mean * b->mean);
}

struct interval
chance_change(struct chance *c)
{
	double estimate = c->after.mean / c->before.mean;
	struct interval in;
	size_t i;

	for (i = 0; i < DRAWS; i++)
		c->pivot[i] = pivot_of(c->drawn_after[i].mean / c->drawn_before[i].mean, estimate,
		    quotient_error(&c->drawn_after[i], &c->drawn_before[i]));
	in = interval_of(c, estimate, quotient_error(&c->after, &c->before));
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

	return far <= 0 || variance <= 0 ? 1 : erfc(far / sqrt(variance) / sqrt(2));
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
