/* SPDX-License-Identifier: ISC */
/*
 * record.h - records other than samples: are they whole, and the lines of --all and --stats.
 *
 * Layouts: include/uapi/linux/perf_event.h, tools/lib/perf/include/perf/event.h and,
 * from 32769 on, simpleperf/record.h of the Android Open Source Project.
 */
#ifndef AFPIPE_PERFDATA_RECORD_H
#define AFPIPE_PERFDATA_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/cur.h"
#include "lib/err.h"
#include "src/perfdata/abi.h"
#include "src/perfdata/input/input.h"
#include "src/perfdata/run/run.h"

/* ---- line.c: one record, and those of types without a name */

/* Counts of records by unknown type; types beyond the last are counted together. */
#define UNKNOWN_TYPES 16
struct unknown {
	uint64_t records;
	size_t types;
	struct {
		uint32_t type;
		uint64_t records;
	} of[UNKNOWN_TYPES];
};

/* ERR_DATA if a record lacks fields of its type.  Records of unknown types are counted, and 0. */
int record_check(struct run *run, struct unknown *u, const struct rec *r, struct err *e)
    __attribute__((warn_unused_result));

/* The same for a body of a record of TYPE. */
bool record_fits(struct unknown *u, uint32_t type, struct cur body);

/* Writes its line, unless it is a lost record whose line of kind lost has all of it. */
void record_put(struct run *run, const struct rec *r);

/* Writes the whole line, from a body that need not be r's own. */
void record_put_line(struct run *run, const struct rec *r, struct cur body);

/* Prints a note about the records that were not printed since their type is not known. */
void unknown_note(const struct unknown *u, const struct run *run);

/* ---- stats.c: the number of records of each type */

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
	/* in the order in which they came; then the pool */
	struct stats_entry other[STATS_OTHERS + 1];
	size_t others;
};

/* time is 0 for a record without one. */
void stats_add(struct stats *s, uint32_t type, uint64_t time);

/* Writes their lines.  They are sorted here. */
void stats_put(struct stats *s, const struct run *run);

#endif
