/* SPDX-License-Identifier: ISC */
/* figure.c - numbers for people. */
#include "src/table/figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/num.h"

struct step {
	double size;
	const char *name;
};

static const struct step times[] = {
	{ 3600e9, "h" },
	{ 60e9, "min" },
	{ 1e9, "s" },
	{ 1e6, "ms" },
	{ 1e3, "us" },
	{ 1, "ns" },
	{ 0, NULL },
};

static const struct step bytes[] = {
	{ 1152921504606846976.0, "EiB" },
	{ 1125899906842624.0, "PiB" },
	{ 1099511627776.0, "TiB" },
	{ 1073741824.0, "GiB" },
	{ 1048576.0, "MiB" },
	{ 1024.0, "KiB" },
	{ 1, "B" },
	{ 0, NULL },
};

static const struct step plain[] = {
	{ 1e18, "E" },
	{ 1e15, "P" },
	{ 1e12, "T" },
	{ 1e9, "G" },
	{ 1e6, "M" },
	{ 1e3, "k" },
	{ 1, "" },
	{ 1e-3, "m" },
	{ 1e-6, "u" },
	{ 1e-9, "n" },
	{ 1e-12, "p" },
	{ 0, NULL },
};

#define ONE 0.9995 /* the smallest number that is shown as 1.00 */
#define LARGE 1e6 /* in the largest unit, numbers from here on have an exponent */
#define PERCENT_USUAL 2 /* decimals of a percentage */
#define PERCENT_MOST 5 /* one that needs more has an exponent */
#define SMALL 1e-4 /* in the smallest unit, numbers below this have an exponent */

/*
 * Returns the steps of a unit, largest first.  *one is the value of the unit in the smallest step.
 */
static const struct step *
steps_of(struct slice unit, double *one)
{
	static const struct {
		struct slice unit;
		const struct step *steps;
		double one;
	} known[] = {
		{ { "ns", 2 }, times, 1 },
		{ { "us", 2 }, times, 1e3 },
		{ { "ms", 2 }, times, 1e6 },
		{ { "s", 1 }, times, 1e9 },
		{ { "B", 1 }, bytes, 1 },
		{ { "KiB", 3 }, bytes, 1024 },
		{ { "MiB", 3 }, bytes, 1048576 },
	};
	size_t i;

	for (i = 0; i < sizeof known / sizeof known[0]; i++)
		if (slice_eq(unit, known[i].unit)) {
			*one = known[i].one;
			return known[i].steps;
		}
	*one = 1;
	return plain;
}

size_t
figure_fixed(char *dst, double v, int decimals)
{
	if (!isfinite(v))
		return num_put_double(dst, v);
	return (size_t)snprintf(dst, FIGURE_MAX, "%.*f", decimals, v);
}

/* Returns the largest step that the number reaches, or the smallest step if it reaches none. */
static const struct step *
step_of(const struct step *steps, double size)
{
	const struct step *step = steps;

	if (size == 0 || (steps == plain && size >= ONE / 10 && size < ONE))
		while (step->size != 1)
			step++;
	else
		while (size < ONE * step->size && step[1].name != NULL)
			step++;
	return step;
}

/* Returns the number of decimals for three digits. */
static int
decimals_of(double v)
{
	int n = v < 9.995 ? 2 : v < 99.95;

	for (; v < ONE && n < 6; n++)
		v *= 10;
	return n;
}

/*
 * Writes v times 10^POWER with an exponent as in the stream, with neither a plus sign nor leading
 * zeros.
 */
static size_t
put_exponent(char *dst, double v, long power, const char *blank, const char *name)
{
	char text[FIGURE_MAX], *e;

	snprintf(text, sizeof text, "%.2e", v);
	e = strchr(text, 'e');
	return (size_t)snprintf(dst, FIGURE_MAX, "%.*se%ld%s%s", (int)(e - text), text,
	    strtol(e + 1, NULL, 10) + power, blank, name);
}

size_t
figure_human(char *dst, double v, struct slice unit)
{
	double one, size, scaled;
	const struct step *steps = steps_of(unit, &one), *step;
	const char *blank = steps == plain ? "" : " ";

	if (!isfinite(v))
		return num_put_double(dst, v);
	size = fabs(v) * one;
	step = step_of(steps, size);
	scaled = isfinite(size) ? size / step->size : fabs(v) / (step->size / one);
	if (steps == plain && v != 0 && (scaled >= 1000 * ONE || scaled < ONE / 10))
		return put_exponent(dst, v, 0, "", "");
	if (v != 0 && (scaled >= LARGE || scaled < SMALL))
		return put_exponent(dst, v < 0 ? -scaled : scaled, 0, blank, step->name);
	return (size_t)snprintf(dst, FIGURE_MAX, "%.*f%s%s",
	    step->size == 1 && scaled == floor(scaled) ? 0 : decimals_of(scaled),
	    signbit(v) ? -scaled : scaled, blank, step->name);
}

int
figure_decimals(double max)
{
	if (max >= 1000)
		return 1;
	if (max >= 10)
		return 2;
	return max >= 0.1 ? 3 : max >= 0.0001 ? 6 : 9;
}

static size_t
put_percent(char *dst, double v, int decimals)
{
	size_t n = 0;

	if (v >= 0) {
		dst[n++] = '+';
		v = fabs(v); /* -0 is none below 0 */
	}
	if (isfinite(v) && (fabs(v) >= FIGURE_EXACT / 100 || decimals > PERCENT_MOST))
		return n + put_exponent(dst + n, v, 2, "", "%");
	n += figure_fixed(dst + n, 100 * v, decimals);
	if (isfinite(v))
		dst[n++] = '%';
	return n;
}

size_t
figure_percent(char *dst, double v)
{
	return put_percent(dst, v, PERCENT_USUAL);
}

size_t
figure_percent_sided(char *dst, double v)
{
	int decimals = PERCENT_USUAL;
	double least = 0.005; /* what is rounded up to the last decimal */

	for (; v != 0 && 100 * fabs(v) < least && decimals <= PERCENT_MOST; decimals++)
		least /= 10;
	return put_percent(dst, v, decimals);
}
