/* SPDX-License-Identifier: ISC */
/*
 * record.h - records other than samples: checks them, and writes the lines of --all and --stats.
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

/* ---- line.c: one record, and records of unknown types */

/*
 * Counts of records by unknown type.  When the table is full, further types are counted together.
 */
#define UNKNOWN_TYPES 16
struct unknown {
	uint64_t records;
	size_t types;
	struct {
		uint32_t type;
		uint64_t records;
	} of[UNKNOWN_TYPES];
};

/*
 * Returns ERR_DATA if a record lacks fields of its type.  For records of unknown types it counts
 * them and returns 0.
 */
int record_check(struct run *run, struct unknown *u, const struct rec *r, struct err *e)
    __attribute__((warn_unused_result));

/* Does the same check for the body of a record of TYPE. */
bool record_fits(struct unknown *u, uint32_t type, struct cur body);

/* Writes the record's line, unless its lost line already contains all of the record. */
void record_put(struct run *run, const struct rec *r);

/* Writes the whole line, from a body that need not be r's own. */
void record_put_line(struct run *run, const struct rec *r, struct cur body);

/* Prints a note about the records that were not printed because their type is not known. */
void unknown_note(const struct unknown *u, const struct run *run);

/* ---- stats.c: the number of records of each type */

/* Types from here on belong neither to the kernel nor to perf. */
#define STATS_TYPES 128
/* The number of other types that are counted separately.  The rest are counted together. */
#define STATS_OTHERS 256

struct stats_entry {
	uint32_t type;
	uint64_t count;
	uint64_t first, last; /* times; 0 if no record had one */
};

/* { 0 } is a valid empty struct. */
struct stats {
	struct stats_entry type[STATS_TYPES]; /* by type */
	/* in order of appearance; the last one is for the rest */
	struct stats_entry other[STATS_OTHERS + 1];
	size_t others;
};

/* Counts a record.  time is 0 if it has none. */
void stats_add(struct stats *s, uint32_t type, uint64_t time);

/* Sorts the types and writes their lines. */
void stats_put(struct stats *s, const struct run *run);

#endif
