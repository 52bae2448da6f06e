/* SPDX-License-Identifier: ISC */
/*
 * cpumap.h - a set of processors, as CPU_MAP and EVENT_UPDATE records hold one: a list
 * of numbers, a mask in words of 4 or 8 bytes, or one range.
 *
 * Layout: struct perf_record_cpu_map_data in tools/lib/perf/include/perf/event.h.
 */
#ifndef AFPIPE_PERFDATA_CPUMAP_H
#define AFPIPE_PERFDATA_CPUMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/cur.h"
#include "lib/err.h"

#define CPU_ANY UINT32_MAX /* not a processor: wherever the thread runs */

/* Processors that follow one another: a range of all costs a record of some bytes. */
struct cpu_range {
	uint32_t first, last;
	uint32_t before; /* processors in the ranges before it */
};

struct cpumap {
	struct cpu_range *range; /* in the order of the record */
	size_t ranges, cap;
	uint32_t count; /* processors; 0: nothing is known */
	bool sorted; /* every range is above the one before */
	struct cpu_range *upward; /* the same ranges in rising order, joined; NULL where sorted */
	size_t upwards;
};

void cpumap_free(struct cpumap *m);

/* Is all of it there?  Also of a form that is not known, which tells nothing. */
bool cpumap_fits(struct cur c);

/* Replaces *m by what c holds; an unknown form leaves it empty, and so does ERR_DATA. */
int cpumap_take(struct cpumap *m, struct cur *c, struct err *e) __attribute__((warn_unused_result));

bool cpumap_has(const struct cpumap *m, uint32_t cpu);

/* The processor in that place, which must be less than m->count. */
uint32_t cpumap_at(const struct cpumap *m, uint32_t place);

/* Appends it as perf prints it, "0-3,8" with ',' for PARTING; false without memory. */
bool cpumap_put(const struct cpumap *m, char parting, struct buf *b);

#endif
