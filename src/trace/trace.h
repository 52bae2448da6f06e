/* SPDX-License-Identifier: ISC */
/*
 * trace.h - samples with stacks and weights, for programs that show them by thread and event.
 *
 *	t = trace_new(TRACE_SPEEDSCOPE);
 *	for each line of kind run: trace_run(t, &ev, &e)
 *	for each event: trace_add(t, &measure, &ev, stack, &e)
 *	trace_remark(t, "what the numbers do not contain", &e) ...
 *	trace_write(t, &out, &e);
 *	trace_free(t);
 *
 * Memory grows by 16 bytes for each event, and with the number of distinct stacks.
 */
#ifndef AFPIPE_TRACE_TRACE_H
#define AFPIPE_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/out.h"
#include "lib/slice.h"

struct trace;

#define TRACE_MEASURES_MAX 64

/* Which program the samples are for. */
enum trace_target { TRACE_SPEEDSCOPE, TRACE_FIREFOX };

/* Returns NULL if memory runs out. */
struct trace *trace_new(enum trace_target target);
void trace_free(struct trace *t);

/* Reads a line of kind run, whose program may be a name.  Fails only if memory runs out. */
int trace_run(struct trace *t, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/* The measure that an event belongs to, spelled as in the stream. */
struct trace_measure {
	size_t number; /* below TRACE_MEASURES_MAX */
	struct slice name, unit;
};

/*
 * Adds an event.  If the stack is empty, the region is its only frame.  An event that the target
 * cannot show is counted for trace_note.  Returns ERR_DATA, with the line as its place, if the
 * value is not a number, and ERR_SYS if memory runs out.
 */
int trace_add(struct trace *t, const struct trace_measure *m, const struct ev *ev,
    struct slice stack, struct err *e) __attribute__((warn_unused_result));

/* Adds a text that the target shows, or at least keeps.  Fails only if memory runs out. */
int trace_remark(struct trace *t, const char *text, struct err *e)
    __attribute__((warn_unused_result));

/* Writes everything.  Fails only if memory runs out; o->error has other failures. */
int trace_write(struct trace *t, struct out *o, struct err *e) __attribute__((warn_unused_result));

/* Reports what was omitted, one text per call.  Start with *at = 0.  Returns false at the end. */
bool trace_note(const struct trace *t, size_t *at, char *text, size_t size);

#endif
