/* SPDX-License-Identifier: ISC */
/*
 * duration.h - turns start and stop lines into spans.
 *
 *	d = duration_new(&w, flags);
 *	for each line: duration_foresee(d, &ev, &e);	only with DURATION_DEDUCT
 *	for each line: duration_line(d, file, &ev, &e);	writes the results, or the line itself
 *	while (duration_rest(d, &at, &rest)) report it
 *	duration_free(d);
 *
 * Memory grows with the number of runs, of regions and intervals open at the same time and, with
 * DURATION_DEDUCT, of pauses.
 */
#ifndef AFPIPE_DURATION_H
#define AFPIPE_DURATION_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/evwrite.h"
#include "lib/wide.h"

enum duration_flags {
	DURATION_DEDUCT = 1, /* paused time does not count */
	DURATION_KEEP = 2, /* start and stop lines are also written */
	DURATION_SORTED = 4, /* lines come by run and time; see duration_late */
};

struct duration;

#define DURATION_MAX_STACK 256

/* Passes on the tags that starts and stops are matched by. */
void duration_reads(ev_key_sink *sink, void *ctx);

/*
 * Returns a new object, or NULL when memory runs out.  w is borrowed, and its failures are kept in
 * it.
 */
struct duration *duration_new(struct evwrite *w, unsigned flags);
void duration_free(struct duration *d);

/*
 * Sets the maximum number of labels in the stack of a line, which is at least 1.  The default is
 * DURATION_MAX_STACK.  A longer stack keeps its outermost labels and its last one.  Without a
 * limit, the output for deeply nested regions would grow with the square of the input.
 */
void duration_set_max_stack(struct duration *d, size_t labels);

/*
 * With DURATION_DEDUCT or DURATION_SORTED, records the line if it is a pause.  Errors in the line
 * are left to duration_line.  Fails with ERR_SYS.
 */
int duration_foresee(struct duration *d, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Returns whether the line must be in time order with starts and stops.  If so, *time is its time.
 */
bool duration_is_timed(const struct ev *ev, struct wide *time);

/*
 * Processes a line.  FILE, its input, is borrowed until the end.  Returns ERR_DATA, with the line
 * as its place, if the line is omitted or, if regions cross, the region named in the message.
 * What a run with several run lines has of these, duration_rest reports as one error.  Fails with
 * ERR_SYS, too.
 */
int duration_line(struct duration *d, const char *file, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/*
 * With DURATION_SORTED, the stop of a region waits while regions that began later are open in it:
 * they may stop at the same time.  Call this before each timed line, and with NEXT NULL after the
 * last one, until it returns false.  If NEXT is of a later time or another run, it processes one of
 * the stops, the innermost region first, and sets *file and *rc, as from duration_line.
 */
bool duration_late(struct duration *d, const struct ev *next, const char **file, int *rc,
    struct err *e);

struct duration_rest {
	struct err e;
	const char *file; /* NULL if there is no file */
	bool note; /* not an error: only e's text is used */
};

/*
 * Returns the next item to report at the end.  The runs whose lines are those of several come
 * first, followed by the regions and intervals that were never stopped, in the order of their
 * starts, by omissions, and by advice: that the input has nothing to measure, or has pauses that
 * should be deducted.  Start with *at = 0.  Returns false when there is nothing more.
 */
bool duration_rest(struct duration *d, size_t *at, struct duration_rest *rest);

#endif
