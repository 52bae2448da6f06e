/* SPDX-License-Identifier: ISC */
/*
 * needed.h - tags that lines need although the decoder left them out (--tags).
 *
 * Which tags are needed depends on the lines: samples need stacks, and counters do not.  So this is
 * found out when they come, and not from the run line alone, as lib/evread.h does.
 */
#ifndef AFPIPE_TRACE_NEEDED_H
#define AFPIPE_TRACE_NEEDED_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/tab.h"

/* In the order in which they are reported. */
#define NEED_STACK 1u
#define NEED_PID 2u
#define NEED_TID 4u
#define NEED_CPU 8u
#define NEED_ID 16u
#define NEED_INTERVAL 32u

struct needed {
	struct tab runs; /* those that lack tags */
	unsigned *lacks; /* of each: a set of NEED_... */
	size_t cap;
	unsigned any; /* that of all runs, or 0 once one has been reported */
};

/* { 0 } is a valid empty struct. */
void needed_free(struct needed *n);

/* Takes a line of kind run.  Returns false if memory runs out. */
bool needed_run(struct needed *n, const struct ev *ev) __attribute__((warn_unused_result));

/*
 * Returns ERR_DATA, once, if the line needs one of these tags and its run lacks it.  There is no
 * need to call it if `any` is 0.
 */
int needed_check(struct needed *n, const struct ev *ev, unsigned tags, struct err *e)
    __attribute__((warn_unused_result));

#endif
