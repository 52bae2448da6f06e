/* SPDX-License-Identifier: ISC */
/*
 * jobs.h - aggregates the lines of a stream in several threads, with the same results and errors.
 *
 *	j = jobs_open(a, r, n, left);		after aggregate_ready; NULL: one thread
 *	while ((n = jobs_next(j, ev, max, &e)) != 0)
 *		if (n < 0) report e; else process the lines ev as without threads
 *	if (jobs_close(j, &e) != 0) report e: the counts are wrong
 *	aggregate_write(a, ...)
 *
 * The caller gets the lines that it must see itself, in their order: all that are not values, such
 * as run and measure lines, and others when threads are not worth their cost.  Threads add the rest
 * to aggregations of their own.  They are joined at the end, or as soon as memory gets short; if
 * there is enough, their groups are only joined when they are written, in as many threads.
 */
#ifndef AFPIPE_AGGREGATE_JOBS_H
#define AFPIPE_AGGREGATE_JOBS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/crew.h"
#include "lib/err.h"
#include "lib/ev.h"
#include "lib/evread.h"
#include "lib/kinds.h"
#include "src/aggregate/aggregate.h"

#define JOBS_MAX CREW_MAX

struct jobs;

/*
 * Prepares N threads.  Returns NULL if one does as well: N is 1, there is too little memory, or the
 * results depend on the order of lines.  The caller then reads the lines itself.  Lines that are
 * neither aggregated nor passed on (AGGREGATE_DROP) are counted in left.
 */
struct jobs *jobs_open(struct aggregate *a, struct evread *r, size_t n, struct kinds_left *left);

/*
 * Stores up to MAX lines for the caller, valid until the next call.  Returns how many, 0 at the
 * end, or -1 for an error, as evread_next does, or one that aggregate_add would return.
 */
int jobs_next(struct jobs *j, struct ev *ev, size_t max, struct err *e)
    __attribute__((warn_unused_result));

/* Ends the threads and joins what they have.  Returns ERR_SYS if memory ran out.  j may be NULL. */
int jobs_close(struct jobs *j, struct err *e) __attribute__((warn_unused_result));

#endif
