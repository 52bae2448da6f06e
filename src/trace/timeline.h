/* SPDX-License-Identifier: ISC */
/*
 * timeline.h - a stream as trace events in JSON, which Perfetto and chrome://tracing read.
 *
 *	l = timeline_new(&out);
 *	for each line: timeline_line(l, &ev, &e)
 *	rc = timeline_settle(l, &e); rc = timeline_names(l, &e);
 *	for (at = 0; timeline_note(l, &at, text, sizeof text);) timeline_remark(l, text);
 *	timeline_end(l);
 *	while (timeline_late(l, &told, &e) != 0) report e
 *	timeline_free(l);
 *
 * Samples are written when the next sample of their thread arrives.  Spans are kept until the end,
 * on disk if there are many (lib/evsort.h).  Memory grows with the number of threads and counters,
 * of regions and intervals whose values were read, and with the depth of their stacks.
 *
 * Source of the format: "Trace Event Format", the document of the Chromium project.
 */
#ifndef AFPIPE_TRACE_TIMELINE_H
#define AFPIPE_TRACE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/out.h"

struct timeline;

/* Writes to o, which is borrowed.  Returns NULL if memory runs out. */
struct timeline *timeline_new(struct out *o);
void timeline_free(struct timeline *l);

/* Uses only samples and spans of this measure; once at most.  Fails only if memory runs out. */
int timeline_set_measure(struct timeline *l, const char *name, struct err *e)
    __attribute__((warn_unused_result));

/* Sets the longest time, in nanoseconds, between two samples that is not a gap. */
void timeline_set_gap(struct timeline *l, uint64_t nanoseconds);

/*
 * Takes a line of any kind.  Fails with ERR_SYS.
 */
int timeline_line(struct timeline *l, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/* Writes the spans, and the ends of what is open.  Fails with ERR_SYS. */
int timeline_settle(struct timeline *l, struct err *e) __attribute__((warn_unused_result));

/* Then writes the names of processes and threads.  Fails only if memory runs out. */
int timeline_names(struct timeline *l, struct err *e) __attribute__((warn_unused_result));

/* Then adds a text, of those that Perfetto lists under metadata. */
void timeline_remark(struct timeline *l, const char *text);

/* Then writes the end. */
void timeline_end(struct timeline *l);

/*
 * Returns ERR_DATA, once, if samples were left out because later ones of their thread came first.
 * *told is false at first.
 */
int timeline_late(const struct timeline *l, bool *told, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Returns ERR_DATA after the last line if no line had the measure that was set, or if nothing can
 * be drawn although there were lines with times or values.
 */
int timeline_missing(const struct timeline *l, struct err *e) __attribute__((warn_unused_result));

/* Keeps lines of kind incomplete, which the caller reports in other words, out of the notes. */
void timeline_told(struct timeline *l);

/* Reports what was omitted, one text per call.  Start with *at = 0.  Returns false at the end. */
bool timeline_note(const struct timeline *l, size_t *at, char *text, size_t size);

#endif
