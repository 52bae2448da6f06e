/* SPDX-License-Identifier: ISC */
/* wall.h - the time of day in integers, for the years 0000 to 9999. */
#ifndef AFPIPE_AFPERF_WALL_H
#define AFPIPE_AFPERF_WALL_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/slice.h"

/* Seconds since 1970, and nanoseconds. */
struct wall {
	int64_t sec;
	uint32_t nsec;
	bool known;
};

/* A run's clock in units of SCALE nanoseconds. */
struct wall_clock {
	struct wall at_start;
	uint64_t start, scale;
};

/*
 * Reads seconds in the stream's spelling.  Returns false if the text is not a number, or the time
 * is not in those years.
 */
bool wall_read(struct slice s, struct wall *w);

/*
 * Writes the time of day at the given time, or "." if it is not known.  Returns the end of the
 * text.
 */
#define WALL_MAX 32
char *wall_put(char *dst, const struct wall_clock *c, uint64_t time);

#endif
