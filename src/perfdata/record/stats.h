/* SPDX-License-Identifier: ISC */
/*
 * stats.h - counts the records of each type, with their first and last times.
 */
#ifndef AFPIPE_PERFDATA_STATS_H
#define AFPIPE_PERFDATA_STATS_H

#include <stddef.h>
#include <stdint.h>

/* Types from here on are neither the kernel's nor perf's own. */
#define STATS_TYPES 128
/* How many other types are counted one by one; the rest is pooled. */
#define STATS_OTHERS 256

struct stats_entry {
	uint32_t type;
	uint64_t count;
	uint64_t first, last; /* times; 0 if no record had one */
};

/* { 0 } is a valid empty one. */
struct stats {
	struct stats_entry type[STATS_TYPES]; /* by type */
	struct stats_entry
	    other[STATS_OTHERS + 1]; /* in the order in which they came; then the pool */
	size_t others;
};

/* time is 0 for a record without one. */
void stats_add(struct stats *s, uint32_t type, uint64_t time);

#endif
