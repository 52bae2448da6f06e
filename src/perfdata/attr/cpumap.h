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

#define CPU_ANY UINT32_MAX /* not a processor: any one that the thread runs on */

/* Consecutive processors: a few bytes of a record may give a range of all of them. */
struct cpu_range {
	uint32_t first, last;
	uint32_t before; /* processors in the ranges before it */
};

struct cpumap {
	struct cpu_range *range; /* in the order of the record */
	size_t ranges, cap;
	uint32_t count; /* processors; 0: nothing is known */
	bool sorted; /* the ranges are in rising order */
	struct cpu_range *upward; /* the same ranges in rising order, joined; NULL if sorted */
	size_t upwards;
};

void cpumap_free(struct cpumap *m);

/* Is all of it there?  True for an unknown form, too, which gives no processors. */
bool cpumap_fits(struct cur c);

/* Replaces *m with the set at c; *m is empty for an unknown form and after ERR_DATA. */
int cpumap_take(struct cpumap *m, struct cur *c, struct err *e) __attribute__((warn_unused_result));

bool cpumap_has(const struct cpumap *m, uint32_t cpu);

/* The processor at PLACE, which must be less than m->count. */
uint32_t cpumap_at(const struct cpumap *m, uint32_t place);

/* Appends it as perf prints it: "0-3,8" if PARTING is ','.  False without memory. */
bool cpumap_put(const struct cpumap *m, char parting, struct buf *b);

#endif
