/* SPDX-License-Identifier: ISC */
/*
 * tracedata.h - the tracing data of a recording: the formats of its tracepoints.
 *
 * Layout: read_trace_header and what follows it in tools/perf/util/trace-event-read.c.
 */
#ifndef AFPIPE_PERFDATA_TRACEDATA_H
#define AFPIPE_PERFDATA_TRACEDATA_H

#include "src/perfdata/traceformat.h"

#define TRACE_DATA_MAX ((size_t)64 * 1024 * 1024)
#define TRACE_EVENTS_MAX ((size_t)1024 * 1024)

/* A recording has them once; each time all its events look for themselves. */
#define TRACE_TIMES_MAX 64

/* Where an event's format stands in the tracing data. */
struct trace_event {
	uint64_t id; /* attr.config of its events */
	uint32_t system, system_len, name, name_len, text, text_len;
	struct trace_format *format; /* NULL: not asked for yet, or bad */
	bool bad; /* has been asked for, and is not to be had */
};

struct tracedata {
	struct buf blob;
	unsigned times; /* that there were any */
	struct trace_event *event; /* by id */
	size_t count, cap;
	struct trace_machine machine;
	struct trace_format *formats; /* all that were made, also of earlier tracing data */
};

/* { 0 } is valid, and holds nothing. */
void tracedata_free(struct tracedata *t);

/*
 * Finds the events in t->blob, which the caller has filled; what was known before is
 * forgotten, but formats that were given out stay.  ERR_DATA without a place on damage: what
 * stands before it is known then.
 */
int tracedata_index(struct tracedata *t, struct err *e) __attribute__((warn_unused_result));

/* SYSTEM:NAME of an event, appended to dst.  0, or ERR_SYS; nothing where it is unknown. */
int tracedata_name(const struct tracedata *t, uint64_t id, struct buf *dst, struct err *e)
    __attribute__((warn_unused_result));

/*
 * The format of an event, which lives as long as t, in *f; NULL where there is none.
 * ERR_DATA, once for each event, where its text is no format.
 */
int tracedata_format(struct tracedata *t, uint64_t id, const struct trace_format **f, struct err *e)
    __attribute__((warn_unused_result));

#endif
