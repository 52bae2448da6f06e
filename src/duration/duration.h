/* SPDX-License-Identifier: ISC */
/*
 * duration.h - start and stop lines in, spans out.
 *
 *	d = duration_new(&w, flags);
 *	for each line: duration_foresee(d, &ev, &e);	only with DURATION_DEDUCT
 *	for each line: duration_line(d, file, &ev, &e);	writes what comes of it, or the line itself
 *	while (duration_rest(d, &at, &rest)) report it
 *	duration_free(d);
 *
 * Memory grows with the number of runs, of regions and intervals that are open at one time, and
 * with DURATION_DEDUCT of pauses.
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
	DURATION_KEEP = 2, /* start and stop lines are written, too */
};

struct duration;

#define DURATION_MAX_STACK 256

/* w is borrowed; its failures stay in it.  NULL when there is no memory. */
struct duration *duration_new(struct evwrite *w, unsigned flags);
void duration_free(struct duration *d);

/*
 * How many labels the stack of a line may have, 1 or more, DURATION_MAX_STACK unless set.  Of a
 * longer one the outermost are kept, and the last: without a limit the output of deeply nested
 * regions would grow with the square of the input.
 */
void duration_set_max_stack(struct duration *d, size_t labels);

/*
 * With DURATION_DEDUCT: takes the line, if it is a pause.  What is wrong with it is reported by
 * duration_line; ERR_SYS.
 */
int duration_foresee(struct duration *d, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/* Has the line a place among starts and stops?  Then *time is its time. */
bool duration_is_timed(const struct ev *ev, struct wide *time);

/*
 * FILE, which the line is from, is borrowed until the end.  ERR_DATA, with the line's place: the
 * line is left out, or, where regions cross, the regions that are named.  ERR_SYS.
 */
int duration_line(struct duration *d, const char *file, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

struct duration_rest {
	struct err e;
	const char *file; /* NULL: of no file */
	bool note; /* only e's text matters, which is no error */
};

/*
 * At the end: the next thing to report.  First what was started and never stopped, in the order of
 * the starts, then what was left out.  Start with *at = 0; false when there is no more.
 */
bool duration_rest(struct duration *d, size_t *at, struct duration_rest *rest);

#endif
