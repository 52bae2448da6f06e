/* SPDX-License-Identifier: ISC */
/* pace.c - the median distance between samples. */
#include "src/trace/pace.h"

#include <stddef.h>

#define STEPS 8

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

uint64_t
pace_median(const struct pace *p)
{
	uint64_t seen = 0;
	size_t i;

	if (p->n == 0)
		return 0;
	for (i = 0; i < PACE_RANGES - 1; i++) {
		seen += p->count[i];
		if (seen * 2 >= p->n)
			break;
	}
	return range_end(i);
}
