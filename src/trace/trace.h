/* SPDX-License-Identifier: ISC */
/*
 * trace.h - samples with stacks and weights, for programs that show them by thread and event.
 *
 *	t = trace_new(TRACE_SPEEDSCOPE);
 *	rc = trace_set(t, FOLD_KIND, "sample", &e) ...		settings
 *	for each line: trace_line(t, &ev, &e)
 *	for (at = 0; trace_note(t, &at, text, sizeof text);) trace_remark(t, text, &e)
 *	trace_write(t, &out, &e);
 *	trace_free(t);
 *
 * src/aggregate/fold.h chooses the lines that are used.  Memory grows by 16 bytes for each of them,
 * and with the number of distinct stacks.
 */
#ifndef AFPIPE_TRACE_TRACE_H
#define AFPIPE_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/out.h"
#include "src/aggregate/fold.h"

struct trace;

/* Which program the samples are for. */
enum trace_target { TRACE_SPEEDSCOPE, TRACE_FIREFOX };

/* Returns NULL if memory runs out. */
struct trace *trace_new(enum trace_target target);
void trace_free(struct trace *t);

/* Sets which lines are used: FOLD_KIND or FOLD_MEASURE.  Fails like fold_set. */
int trace_set(struct trace *t, enum fold_setting which, const char *argument, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Reads the next line, of any kind.  If an event has no stack, its region is its only frame.  An
 * event that the target cannot show is counted for trace_note.  Fails like fold_choose, and with
 * ERR_DATA, with the line as its place, if number_get refuses the value.
 */
int trace_line(struct trace *t, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/* Keeps lines of kind incomplete, which the caller reports in other words, out of the notes. */
void trace_told(struct trace *t);

/*
 * Returns ERR_DATA after the last line if none was of the kind, or of the measure, that was set, or
 * if nothing can be drawn although there were lines with values.
 */
int trace_missing(const struct trace *t, struct err *e) __attribute__((warn_unused_result));

/* Adds a text that the target shows, or at least keeps.  Fails only if memory runs out. */
int trace_remark(struct trace *t, const char *text, struct err *e)
    __attribute__((warn_unused_result));

/* Writes everything.  Fails only if memory runs out; o->error has other failures. */
int trace_write(struct trace *t, struct out *o, struct err *e) __attribute__((warn_unused_result));

/* Reports what was omitted, one text per call.  Start with *at = 0.  Returns false at the end. */
bool trace_note(const struct trace *t, size_t *at, char *text, size_t size);

#endif
