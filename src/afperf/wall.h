/* SPDX-License-Identifier: ISC */
/* wall.h - the time of day, in integers: years 0000 to 9999. */
#ifndef AFPIPE_AFPERF_WALL_H
#define AFPIPE_AFPERF_WALL_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/slice.h"

/* Seconds since 1970 and nanoseconds after them. */
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

/* Reads seconds in the stream's spelling.  False if not a number or not in those years. */
bool wall_read(struct slice s, struct wall *w);

/* Writes the time of day at that time, or "." if it is not known; returns its end. */
#define WALL_MAX 32
char *wall_put(char *dst, const struct wall_clock *c, uint64_t time);

#endif
