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
#include "src/perfdata/cpumap.h"
#include "src/perfdata/traceformat.h"

#define ATTR_SIZE_MIN 64 /* PERF_ATTR_SIZE_VER0 */
#define ATTR_SIZE_MAX 4096
#define ATTR_NAME_MAX 512

struct attr {
	uint32_t type;
	uint64_t config, config1, config2; /* config1 is also bp_addr, config2 bp_len */
	uint64_t period; /* or frequency, see flags */
	uint64_t sample_type, read_format;
	uint64_t flags; /* the bit-field, first bit lowest, whatever the writer's byte order */
	uint32_t bp_type;
	uint64_t branch_sample_type;
	uint64_t regs_user, regs_intr; /* masks */
	uint32_t stack_user;
	int32_t clockid;
	uint32_t nregs_user, nregs_intr;
	size_t head_size; /* bytes of a sample's fields of fixed length, up to the period */

	uint64_t first_id; /* 0 where it has none */
	uint32_t ids; /* how many */
	bool named; /* by the file, not only made up from the fields */
	bool announced; /* its measure line is written */
	struct buf name; /* escaped, as a column */
	struct buf column; /* the same between two TABs */

	/* What perf stat says in records of their own: value * scale is in scaled_unit. */
	double scale; /* 0: not said */
	struct buf scaled_unit, cpus; /* escaped; empty: not said */
	struct cpumap own_cpus; /* that it is counted on; empty: on all */

	const struct trace_format *format; /* of a tracepoint's samples, where it is known */
	bool format_sought; /* it has been looked for in the tracing data */
	bool short_said; /* that samples end before their fields do */
};

/*
 * Decodes the attr that c stands on.  Its size word says how long it is (0 means
 * 64); fields that it is too short for are 0, and what is beyond the known ones is
 * passed over.  ERR_DATA when it is shorter than the first version or than its size.
 */
int attr_parse(struct attr *a, struct cur *c, struct err *e) __attribute__((warn_unused_result));

void attr_free(struct attr *a);

/* Keeps the name; raw bytes, escaped here. */
int attr_set_name(struct attr *a, struct slice raw, struct err *e)
    __attribute__((warn_unused_result));

/* The name that perf makes up from the fields (evsel__name): its length in dst. */
size_t attr_made_up_name(const struct attr *a, char dst[ATTR_NAME_MAX]);

/* "ns" for clocks, else "count". */
struct slice attr_unit(const struct attr *a);

/* The name of a clock by its number on Linux (clockid_t); NULL where it has none. */
const char *attr_clock_name(int32_t clockid);

/* Bytes of the sample_id trailer that other records carry when sample_id_all is set. */
size_t attr_trailer_size(const struct attr *a);

#endif
