/* SPDX-License-Identifier: ISC */
/* chance.c - bootstrap intervals and the Mann-Whitney test. */
#include "src/diff/chance.h"

#include <math.h>
#include <stdlib.h>

#include "lib/mem.h"
#include "lib/vec.h"
#include "src/diff/student.h"

#define DRAWS 1999 /* resamples; one less than a number that percentages divide */
#define EXACT_MAX ((size_t)50) /* samples of so many values are not tested exactly, as in R */
#define TIES_MAX ((size_t)20) /* larger ones with equal values, neither */
#define NARROW 0.25 /* a resample with less of the standard error says nothing about its size */

/* A mean and its standard error. */
struct moment {
	double mean, error;
};

/* The parts of the standard error of an estimate that are due to each sample. */
struct errors {
	double before, after;
};

struct chance {
	size_t outside; /* number of draws that are farther away than the interval goes */
	uint64_t seed;
	struct moment before, after; /* of the samples, each scaled by 2^-scale */
	int before_scale, after_scale;
	bool in_logs; /* all values of both samples have the same sign and are not 0 */
	bool one_sided; /* none of them has another sign than another one; some may be 0 */
	double far; /* if in_logs: half of the interval of the logarithm, in standard errors */
	size_t before_n, after_n; /* sizes of the samples */
	struct errors errors; /* of the estimate that the pivots are about */
	size_t narrow; /* pivots of resamples with nearly equal values */
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
	return c;
}

void
chance_free(struct chance *c)
{
	size_t i, j;

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

static double
hypotenuse(double a, double b)
{
	return sqrt(a * a + b * b);
}

static double
error_of(struct errors x)
{
	return hypotenuse(x.before, x.after);
}

/* Begins the pivots of an estimate. */
static void
begin_pivots(struct chance *c, struct errors errors)
{
	c->errors = errors;
	c->narrow = 0;
}

/* Sets the distance of a drawn estimate from the one of the samples, in standard errors. */
static void
set_pivot(struct chance *c, size_t i, double distance, struct errors drawn)
{
	double error = error_of(drawn);

	c->pivot[i] = 0;
	if (distance == 0)
		return;
	c->narrow += error < NARROW * error_of(c->errors);
	c->pivot[i] = error > 0 ? fabs(distance) / error : HUGE_VAL;
}

/* The degrees of freedom of an estimate with two errors, by Welch and Satterthwaite. */
static double
freedom_of(const struct chance *c)
{
	double b = c->errors.before * c->errors.before, a = c->errors.after * c->errors.after;

	return (b + a) * (b + a) /
	    (b * b / (double)(c->before_n - 1) + a * a / (double)(c->after_n - 1));
}

/*
 * Returns how many standard errors an interval reaches to either side, from the pivots.  If nearly
 * all values of a sample are equal, many resamples lack the others.  Their pivots, which may be
 * infinite, show only that, so they do not decide: Student's distribution does.
 */
static double
reach(struct chance *c)
{
	if (c->narrow >= c->outside)
		return student_reach(freedom_of(c), (double)c->outside / (DRAWS + 1));
	qsort(c->pivot, DRAWS, sizeof *c->pivot, compare_doubles);
	return c->pivot[DRAWS - c->outside];
}

static double
far_of(double error, double far)
{
	return error > 0 ? error * far : 0;
}

/* The standard error of log |after / before|, to first order. */
static struct errors
log_errors(const struct moment *before, const struct moment *after)
{
	return (
	    struct errors){ before->error / fabs(before->mean), after->error / fabs(after->mean) };
}

static double
reach_in_logs(struct chance *c)
{
	double estimate = c->after.mean / c->before.mean;
	size_t i;

	begin_pivots(c, log_errors(&c->before, &c->after));
	for (i = 0; i < DRAWS; i++) {
		const struct moment *before = &c->drawn_before[i], *after = &c->drawn_after[i];

		set_pivot(c, i, log(after->mean / before->mean / estimate),
		    log_errors(before, after));
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
	c->before_n = n;
	c->after_n = m;
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

/* The interval of after - before, both scaled by these factors, from the resamples. */
static struct interval
drawn_difference(struct chance *c, double before_unit, double after_unit)
{
	double estimate = c->after.mean * after_unit - c->before.mean * before_unit, far;
	double weight = fabs(before_unit);
	size_t i;

	begin_pivots(c, (struct errors){ c->before.error * weight, c->after.error * after_unit });
	for (i = 0; i < DRAWS; i++) {
		const struct moment *before = &c->drawn_before[i], *after = &c->drawn_after[i];

		set_pivot(c, i, after->mean * after_unit - before->mean * before_unit - estimate,
		    (struct errors){ before->error * weight, after->error * after_unit });
	}
	far = far_of(error_of(c->errors), reach(c));
	return (struct interval){ estimate - far, estimate + far };
}

struct interval
chance_difference(struct chance *c, double factor)
{
	int most = c->before_scale > c->after_scale ? c->before_scale : c->after_scale;
	double before_unit = ldexp(factor, c->before_scale - most);
	double after_unit = ldexp(1, c->after_scale - most);
	struct interval in;

	in = c->in_logs ? recovered(c, c->before.mean * before_unit, c->after.mean * after_unit)
			: drawn_difference(c, before_unit, after_unit);
	return (struct interval){ ldexp(in.lo, most), ldexp(in.hi, most) };
}

/* The standard error of after / before, to first order. */
static struct errors
quotient_errors(const struct moment *before, const struct moment *after)
{
	double q = after->mean / before->mean;

	return (struct errors){ fabs(q * before->error / before->mean),
		fabs(after->error / before->mean) };
}

/* The interval of after / before, both as scaled, from the quotients of the resamples. */
static struct interval
drawn_quotient(struct chance *c)
{
	double estimate = c->after.mean / c->before.mean, far;
	size_t i;

	begin_pivots(c, quotient_errors(&c->before, &c->after));
	for (i = 0; i < DRAWS; i++) {
		const struct moment *before = &c->drawn_before[i], *after = &c->drawn_after[i];

		set_pivot(c, i, after->mean / before->mean - estimate,
		    quotient_errors(before, after));
	}
	far = far_of(error_of(c->errors), reach(c));
	return (struct interval){ estimate - far, estimate + far };
}

/* The same, by the way that suits the samples. */
static struct interval
quotient(struct chance *c)
{
	double estimate = c->after.mean / c->before.mean, far;
	struct interval in;

	if (c->in_logs) {
		far = far_of(error_of(log_errors(&c->before, &c->after)), c->far);
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

/* Moves past the next value of both samples, and past all that are equal to it. */
static void
pass_value(const struct sample *before, const struct sample *after, size_t *i, size_t *j)
{
	double v = *j == after->n || (*i < before->n && before->v[*i] < after->v[*j])
	    ? before->v[*i]
	    : after->v[*j];

	while (*i < before->n && before->v[*i] == v)
		++*i;
	while (*j < after->n && after->v[*j] == v)
		++*j;
}

/*
 * Adds a value with this rank to the ways to choose up to M values, by their number and the sum of
 * their ranks: ways[number * size + sum].
 */
static void
add_rank(double *ways, size_t m, size_t size, size_t rank)
{
	size_t k, sum;

	for (k = m; k > 0; k--)
		for (sum = rank; sum < size; sum++)
			ways[k * size + sum] += ways[(k - 1) * size + sum - rank];
}

/*
 * Stores the probability that the ranks of AFTER add up to a sum as far from the middle as they do,
 * or farther, if all ways to divide the values are as likely.  Equal values have the mean of their
 * ranks.  Twice the ranks are whole numbers.
 */
static bool
exact_with_ties(const struct sample *before, const struct sample *after, double *p)
{
	size_t m = after->n, all = before->n + m, size = all * (all + 1) + 1, i = 0, j = 0, k;
	double *ways = mem_zero((m + 1) * size, sizeof *ways);
	double sum = 0, middle = (double)m * (double)(all + 1), total = 0, far = 0;

	if (ways == NULL)
		return false;
	ways[0] = 1;
	while (i + j < all) {
		size_t first = i + j, second = j, rank;

		pass_value(before, after, &i, &j);
		rank = first + i + j + 1;
		for (k = first; k < i + j; k++)
			add_rank(ways, m, size, rank);
		sum += (double)rank * (double)(j - second);
	}
	for (k = 0; k < size; k++) {
		double n = ways[m * size + k];

		total += n;
		far += fabs((double)k - middle) >= fabs(sum - middle) ? n : 0;
	}
	*p = far / total;
	mem_free(ways);
	return true;
}

bool
chance_ranks(struct chance *c, const struct sample *before, const struct sample *after,
    struct ranks *r)
{
	size_t n = before->n, m = after->n, i = 0, j = 0;
	double u = 0, ties = 0;

	/* U counts the pairs in which after is larger; equal ones are a half */
	while (i < n || j < m) {
		size_t first = i, second = j;
		double t;

		pass_value(before, after, &i, &j);
		t = (double)(i - first + j - second);
		ties += t * (t * t - 1);
		u += (double)(j - second) * ((double)first + (double)(i - first) / 2);
	}
	r->above = u / ((double)n * (double)m);
	if (ties == 0 && n < EXACT_MAX && m < EXACT_MAX)
		return exact(c, n, m, (size_t)u, &r->p);
	if (n <= TIES_MAX && m <= TIES_MAX)
		return exact_with_ties(before, after, &r->p);
	r->p = approximate((double)n, (double)m, u, ties);
	return true;
}
