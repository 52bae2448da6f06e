/* SPDX-License-Identifier: ISC */
/*
 * tracedata.h - the tracing data of a recording: the formats of its tracepoints.
 *
 * Layout: read_trace_header and what follows it in tools/perf/util/trace-event-read.c.
 */
#ifndef AFPIPE_PERFDATA_TRACEDATA_H
#define AFPIPE_PERFDATA_TRACEDATA_H

#include "src/perfdata/trace/traceformat.h"

#define TRACE_DATA_MAX ((size_t)64 * 1024 * 1024)
#define TRACE_EVENTS_MAX ((size_t)1024 * 1024)

/* A recording has them once; each further time all its events are looked up again. */
#define TRACE_TIMES_MAX 64

/* The place of an event's format in the tracing data. */
struct trace_event {
	uint64_t id; /* attr.config of its events */
	uint32_t system, system_len, name, name_len, text, text_len;
	struct trace_format *format; /* NULL: not requested yet, or bad */
	bool bad; /* it was requested and could not be made */
};

struct tracedata {
	struct buf blob;
	unsigned times; /* how often there were any */
	struct trace_event *event; /* by id */
	size_t count, cap;
	struct trace_machine machine;
	struct trace_format *formats; /* all that were made, from earlier tracing data, too */
};

/* { 0 } is a valid empty one. */
void tracedata_free(struct tracedata *t);

/*
 * Finds the events in t->blob, which the caller has filled.  Earlier events are forgotten,
 * but formats that were returned stay valid.  ERR_DATA without a place on damage: the events
 * before it are then known.
 */
int tracedata_index(struct tracedata *t, struct err *e) __attribute__((warn_unused_result));

/* Appends SYSTEM:NAME of an event to dst; nothing if it is unknown.  0 or ERR_SYS. */
int tracedata_name(const struct tracedata *t, uint64_t id, struct buf *dst, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Sets *f to the format of an event, which lives as long as t; NULL if there is none.
 * ERR_DATA, once for each event, if its text is not a format.
 */
int tracedata_format(struct tracedata *t, uint64_t id, const struct trace_format **f, struct err *e)
    __attribute__((warn_unused_result));

#endif
