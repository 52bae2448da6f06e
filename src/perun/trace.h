/* SPDX-License-Identifier: ISC */
/* trace.h - the stack of a Perun resource in the stream's spelling. */
#ifndef AFPIPE_PERUN_TRACE_H
#define AFPIPE_PERUN_TRACE_H

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/json/jvalue.h"

struct trace {
	/* Internal. */
	struct jvalue v;
	uint32_t *frame; /* tokens */
	size_t cap;
	struct buf json, name, stack;
};

/* False without memory.  { 0 } may be closed. */
bool trace_open(struct trace *t) __attribute__((warn_unused_result));
void trace_close(struct trace *t);

/*
 * *stack: the trace in the line's tag json as a list, root first, valid until the next call; its p
 * is NULL if there is none.  A frame is its function; with the newer collectors (func) the list is
 * root first already, and the uid is the innermost frame.  ERR_DATA: json is not JSON.
 */
int trace_stack(struct trace *t, const struct ev *ev, struct slice *stack, struct err *e)
    __attribute__((warn_unused_result));

#endif
