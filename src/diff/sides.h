/* SPDX-License-Identifier: ISC */
/*
 * sides.h - the lines of both sides on their way to the comparison: the limits that are about them,
 * and partial results, which are merged first.
 *
 *	s = sides_new(&settings);
 *	rc = sides_limit(s, "region=f mean>+5%", &e) ...		settings
 *	rc = sides_begin(s, &e);
 *	for each line of both sides: sides_line(s, side, &ev, &e), or sides_leave if it is not shown
 *	for each side: sides_merge(s, side, &r, &e); then sides_line for each line of r
 *	for each side: sides_counts(s, side, reader of the side);
 *	sides_compare(s, &e);
 *	while (sides_left(s, &at, text, sizeof text)) note it
 *	while (sides_rest(s, &e)) report it
 *	sides_free(s);
 */
#ifndef AFPIPE_DIFF_SIDES_H
#define AFPIPE_DIFF_SIDES_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/evread.h"
#include "src/diff/diff.h"

struct sides;

/* Returns NULL if memory runs out.  The settings are borrowed, and get the limits. */
struct sides *sides_new(struct diff_settings *x);
void sides_free(struct sides *s);

/*
 * Adds a limit: [CONDITION ]STAT>BOUND, as for diff_limit_read, with a condition of afsel about
 * groups.  The text is borrowed.  Returns ERR_DATA if it is wrong, and ERR_SYS if memory runs out.
 */
int sides_limit(struct sides *s, const char *text, struct err *e)
    __attribute__((warn_unused_result));

/* Call it after the settings.  Returns ERR_SYS if memory runs out. */
int sides_begin(struct sides *s, struct err *e) __attribute__((warn_unused_result));

/*
 * Takes a line of any kind.  Returns ERR_DATA for one that is left out, and ERR_SYS if memory runs
 * out.
 */
int sides_line(struct sides *s, enum diff_side side, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/*
 * After the last line of both sides: opens a reader of the results that the side's partial results
 * give, which the caller closes, or stores NULL if there were none.  Returns ERR_DATA if they do
 * not fit together, or if the side also has results, and ERR_SYS.
 */
int sides_merge(struct sides *s, enum diff_side side, struct evread **r, struct err *e)
    __attribute__((warn_unused_result));

/* Stores the next note about what was merged.  *at is 0 at first.  Returns false at the end. */
bool sides_note(const struct sides *s, enum diff_side side, size_t *at, char *text, size_t size);

/* Counts a line that has no part in the comparison and is not passed on. */
void sides_leave(struct sides *s, enum diff_side side, const struct ev *ev);

/* After that: takes what R, the reader of the side, counted, such as the sources of each run. */
void sides_counts(struct sides *s, enum diff_side side, const struct evread *r);

/*
 * Stores the next note about lines that were left, unless the marks of the stream say the same.
 * *at is 0 at first; size is at least 512.  Returns false at the end.
 */
bool sides_left(const struct sides *s, size_t *at, char *text, size_t size);

/*
 * After the last line of both sides: does the same as diff_compare, and also returns ERR_DATA if a
 * condition is about what tells results of one group apart.
 */
int sides_compare(struct sides *s, struct err *e) __attribute__((warn_unused_result));

/* The comparison. */
struct diff *sides_diff(const struct sides *s);

/*
 * After sides_compare: stores the next item to report, first about the conditions of limits, then
 * as diff_rest.  Returns false at the end.
 */
bool sides_rest(struct sides *s, struct err *e);

#endif
