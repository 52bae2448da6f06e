/* SPDX-License-Identifier: ISC */
/*
 * perfstat.h - perf stat record: the state between its records, and their lines.
 *
 * Layout: struct perf_record_stat and its neighbours in tools/lib/perf/include/perf/event.h.
 */
#ifndef AFPIPE_PERFDATA_PERFSTAT_H
#define AFPIPE_PERFDATA_PERFSTAT_H

#include "lib/esc.h"
#include "src/perfdata/abi.h"
#include "src/perfdata/decoder.h"

#define NO_THREAD UINT32_MAX

/* An entry of THREAD_MAP. */
struct target {
	uint32_t tid; /* NO_THREAD: any */
	char comm[THREAD_COMM_SIZE * ESC_MAX_GROWTH]; /* escaped */
	size_t comm_len;
};

struct counted {
	uint64_t value, enabled, running;
};

/* One STAT record; cpu may be CPU_ANY, thread is an index into the map. */
struct reading {
	uint64_t id;
	uint32_t attr, cpu, thread;
	struct counted now;
};

struct statrec {
	struct target *target;
	size_t targets;
	struct cpumap cpus;
	bool unscaled; /* as perf stat --no-scale */
	struct reading *waiting;
	size_t count, cap;
	struct idmap places; /* event and cpu, thread: index in last */
	struct counted *last;
	size_t lasts, last_cap;
	uint64_t round_end; /* of the previous round; 0: the beginning */
};

/* The end of an interval. */
struct round {
	bool known;
	uint64_t type, time;
};

/* perfstatline.c: writes a line: the counter's growth, and the time (unknown without a round). */
void stat_put_line(struct decoder *d, struct slice kind, const struct reading *r,
    const struct counted *grown, const struct round *end);

/* The run id is made from the first sample that is written; this may be it. */
void stat_begin_run(struct decoder *d, const struct reading *r, const struct round *end);

#endif
