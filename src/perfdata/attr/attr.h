/* SPDX-License-Identifier: ISC */
/*
 * attr.h - perf_event_attr: what was counted and how its samples are laid out.
 */
#ifndef AFPIPE_PERFDATA_ATTR_H
#define AFPIPE_PERFDATA_ATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/cur.h"
#include "lib/err.h"
#include "lib/slice.h"
#include "src/perfdata/attr/cpumap.h"
#include "src/perfdata/trace/traceformat.h"

#define ATTR_SIZE_MIN 64 /* PERF_ATTR_SIZE_VER0 */
#define ATTR_SIZE_MAX 4096
#define ATTR_NAME_MAX 512

struct attr {
	uint32_t type;
	uint64_t config, config1, config2; /* config1 is also bp_addr, config2 bp_len */
	uint64_t period; /* or frequency, see flags */
	uint64_t sample_type, read_format;
	uint64_t flags; /* the bit-field, first bit lowest, in any byte order of the writer */
	uint32_t bp_type;
	uint64_t branch_sample_type;
	uint64_t regs_user, regs_intr; /* masks */
	uint32_t stack_user;
	int32_t clockid;
	uint32_t nregs_user, nregs_intr;
	size_t head_size; /* bytes of a sample's fields of fixed length, up to the period */

	uint64_t first_id; /* 0 if it has none */
	uint32_t ids; /* how many */
	bool named; /* by the file; false: the name is made up from the fields */
	bool announced; /* its measure line has been written */
	struct buf name; /* escaped, as a column */
	struct buf column; /* the same between two TABs */

	/* From separate records of perf stat: value * scale is in scaled_unit. */
	double scale; /* 0: not given */
	struct buf scaled_unit, cpus; /* escaped; empty: not given */
	struct cpumap own_cpus; /* the event is counted on these; empty: on all */

	const struct trace_format *format; /* of a tracepoint's samples, if known */
	bool format_sought; /* the tracing data have been searched for it */
	bool short_said; /* it was reported that samples are shorter than their fields */
};

/*
 * Decodes the attr at c.  Its size word gives its length (0 means 64); fields
 * beyond that length are 0, and fields after the known ones are skipped.
 * ERR_DATA if it is shorter than the first version or than its size.
 */
int attr_parse(struct attr *a, struct cur *c, struct err *e) __attribute__((warn_unused_result));

void attr_free(struct attr *a);

/* Sets the name, given as raw bytes; it is escaped here. */
int attr_set_name(struct attr *a, struct slice raw, struct err *e)
    __attribute__((warn_unused_result));

/* Writes the name that perf makes up from the fields (evsel__name); returns its length. */
size_t attr_made_up_name(const struct attr *a, char dst[ATTR_NAME_MAX]);

/* "ns" for clocks, else "count". */
struct slice attr_unit(const struct attr *a);

/* The name of a clock by its number on Linux (clockid_t); NULL if it has no name. */
const char *attr_clock_name(int32_t clockid);

/* Bytes of the sample_id trailer that other records have if sample_id_all is set. */
size_t attr_trailer_size(const struct attr *a);

#endif
