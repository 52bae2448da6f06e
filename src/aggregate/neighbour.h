/* SPDX-License-Identifier: ISC */
/*
 * neighbour.h - the callers or the callees of a function anywhere in the stack.
 *
 * If the function is in a stack several times, the caller is that of the outermost call and the
 * callee that of the innermost call, so each line has one of each.  "[root]" means that nothing
 * called it, "[self]" that it called nothing, and "." that it is a region without a stack.
 *
 * The values of a nested measure (ev_is_nested_measure) contain those of the calls inside.  So only
 * the line of the outermost call itself has a caller, and only that of a function which this call
 * has made has a callee.
 */
#ifndef AFPIPE_AGGREGATE_NEIGHBOUR_H
#define AFPIPE_AGGREGATE_NEIGHBOUR_H

#include <stdbool.h>

#include "lib/buf.h"
#include "lib/err.h"
#include "lib/ev.h"
#include "lib/pattern.h"
#include "lib/slice.h"

enum neighbour_side { NEIGHBOUR_CALLER, NEIGHBOUR_CALLEE };

/* { 0 } can be freed. */
struct neighbour {
	enum neighbour_side side;
	struct buf column, element; /* the function, as in a column, with a NUL, and as in a list */
	struct pattern *pattern; /* or all functions that match; NULL: none */
	struct buf room; /* an element as in a column */
	struct buf like; /* see neighbour_see_like */
};

/*
 * Sets the function, as in a column, or all functions that match a regular expression.  Fail like
 * pattern_make.
 */
int neighbour_set(struct neighbour *n, enum neighbour_side side, struct slice function,
    struct err *e) __attribute__((warn_unused_result));
int neighbour_set_pattern(struct neighbour *n, enum neighbour_side side, struct slice regex,
    struct err *e) __attribute__((warn_unused_result));
void neighbour_free(struct neighbour *n);

/*
 * Finds the neighbour on a line with that stack, as a text of its own, which is borrowed from the
 * line or from n.  Returns 1, or 0 if the line has none, or -1 if memory runs out.
 */
int neighbour_find(struct neighbour *n, const struct ev *ev, struct slice stack,
    struct slice *found) __attribute__((warn_unused_result));

/*
 * For a function that no line has had: remembers the first one whose name contains that name, for a
 * message.
 */
void neighbour_see_like(struct neighbour *n, struct slice stack);

/* Describes, as ERR_DATA, that no line has the function. */
int neighbour_missing(const struct neighbour *n, struct err *e);

/* Returns the function, or a text that describes which ones, for a message. */
struct slice neighbour_shown(const struct neighbour *n, char *room, size_t size);

#endif
