/* SPDX-License-Identifier: ISC */
/* figure.c - numbers for people. */
#include <math.h>
#include <stdio.h>

#include "lib/num.h"
#include "src/table/tabint.h"

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
};

static const struct step bytes[] = {
	{ 1125899906842624.0, "PiB" },
	{ 1099511627776.0, "TiB" },
	{ 1073741824.0, "GiB" },
	{ 1048576.0, "MiB" },
	{ 1024.0, "KiB" },
	{ 1, "B" },
};

static const struct step plain[] = {
	{ 1e15, "P" },
	{ 1e12, "T" },
	{ 1e9, "G" },
	{ 1e6, "M" },
	{ 1e3, "k" },
	{ 1, "" },
};

#define STEPS (sizeof plain / sizeof plain[0])

/* The steps of a unit, and what one of the unit is in the smallest of them. */
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

size_t
figure_human(char *dst, double v, struct slice unit)
{
	double one, size, scaled;
	const struct step *step = steps_of(unit, &one);
	int decimals;
	size_t i;

	if (!isfinite(v))
		return num_put_double(dst, v);
	size = fabs(v) * one;
	for (i = 0; i + 1 < STEPS && size < step[i].size; i++)
		;
	scaled = v * one / step[i].size;
	decimals = fabs(scaled) < 10 ? 2 : fabs(scaled) < 100;
	if (i + 1 == STEPS && scaled == floor(scaled))
		decimals = 0;
	return (size_t)snprintf(dst, FIGURE_MAX, "%.*f%s%s", decimals, scaled,
	    step == plain ? "" : " ", step[i].name);
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
