/* SPDX-License-Identifier: ISC */
/* pace.c - the median distance between samples. */
#include "lib/pace.h"

#include <stddef.h>

#define STEPS 8

/* Returns the range of a distance: the position of its highest bit, and the three bits below. */
static size_t
range_of(uint64_t v)
{
	size_t shift = 0;

	while (v >> shift >= 2 * STEPS)
		shift++;
	return shift * STEPS + (size_t)(v >> shift);
}

/* Returns the greatest distance of a range. */
static uint64_t
range_end(size_t range)
{
	size_t shift = range < 2 * STEPS ? 0 : range / STEPS - 1;

	return (((uint64_t)(range - shift * STEPS) + 1) << shift) - 1;
}

void
pace_add(struct pace *p, uint64_t distance)
{
	p->count[range_of(distance)]++;
	p->n++;
}

/* Returns the distance that so many others come before, if they are sorted. */
static uint64_t
distance_after(const struct pace *p, uint64_t before)
{
	uint64_t seen = 0;
	size_t i;

	if (p->n == 0)
		return 0;
	for (i = 0; i < PACE_RANGES - 1; i++) {
		seen += p->count[i];
		if (seen > before)
			break;
	}
	return range_end(i);
}

uint64_t
pace_median_low(const struct pace *p)
{
	return distance_after(p, p->n == 0 ? 0 : (p->n - 1) / 2);
}

uint64_t
pace_median_high(const struct pace *p)
{
	return distance_after(p, p->n / 2);
}

uint64_t
pace_limit(uint64_t usual)
{
	return usual > UINT64_MAX / 2 ? UINT64_MAX : 2 * usual;
}
