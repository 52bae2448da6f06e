/* SPDX-License-Identifier: ISC */
/*
 * rejected.h - the runs of which an expression holds for no event.
 *
 * What describes such a run must not be passed on: a program that reads it would take the run for
 * one that was measured and has nothing.
 */
#ifndef AFPIPE_SELECT_REJECTED_H
#define AFPIPE_SELECT_REJECTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/ev.h"
#include "lib/marks.h"
#include "lib/tab.h"
#include "src/select/expr.h"

/* { 0 } is a valid empty struct. */
struct rejected {
	struct tab runs;
	uint8_t *is; /* by run: it is rejected, as far as its last run line shows */
	size_t cap;
	uint64_t count[MARK_COUNTS]; /* of rejected_count */
};

void rejected_free(struct rejected *r);

/*
 * Returns 1 if the line is about a run and the expression holds for no event of it, otherwise 0, or
 * -1 if memory runs out.  All run lines must be passed, since events have their tags.
 */
int rejected_has(struct rejected *r, struct expr *x, const struct ev *ev);

/* Returns true if there is such a run. */
bool rejected_any(const struct rejected *r);

/* Counts the events that a line of a rejected run reports as lost or incomplete. */
void rejected_count(struct rejected *r, const struct ev *ev);

#endif
