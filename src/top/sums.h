/* SPDX-License-Identifier: ISC */
/*
 * sums.h - what the live table shows: sums of the whole stream and of its last window, and the
 * callers and callees of a function.
 *
 *	s = sums_new();
 *	sums_set(s, AGGREGATE_BY, "region", &e) ...; sums_ready(s, &e); sums_want_live(s, &e);
 *	for each line: sums_line(s, &ev, &e);
 *	    now and then: sums_table(s, &what, &table, &e); ... table_close(table);
 *	sums_final(s, &table, &e);
 *	sums_free(s);
 */
#ifndef AFPIPE_TOP_SUMS_H
#define AFPIPE_TOP_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/kinds.h"
#include "lib/seconds.h"
#include "src/aggregate/aggregate.h"
#include "src/table/table.h"

struct sums;

/* Returns NULL if memory runs out. */
struct sums *sums_new(void);
void sums_free(struct sums *s);

#define SUMS_BY "region" /* what lines are grouped by, unless it is set */

/* Sets AGGREGATE_BY, AGGREGATE_STAT or AGGREGATE_KIND.  Fails like aggregate_set. */
int sums_set(struct sums *s, enum aggregate_option option, const char *argument, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Also collects what only a live table needs: stacks.  Call it after sums_ready, before the first
 * line.  Fails with ERR_SYS.
 */
int sums_want_live(struct sums *s, struct err *e) __attribute__((warn_unused_result));

/*
 * Also collects windows of so many nanoseconds, which begin at multiples of that on the clock of
 * the events.  The window in which this is called is not complete, so it is never shown.  May
 * be called after lines.
 */
void sums_want_windows(struct sums *s, uint64_t size);

/* Call it after the settings.  Fails like aggregate_ready. */
int sums_ready(struct sums *s, struct err *e) __attribute__((warn_unused_result));

/* Takes a line of any kind.  Fails like aggregate_add, or with the first partial result. */
int sums_line(struct sums *s, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

struct sums_counts {
	uint64_t taken; /* lines that have been added up */
	uint64_t lost; /* events that were lost, as far as the source gives their number */
	uint64_t losses; /* lines of kind lost */
	uint64_t late; /* lines whose window was over */
	uint64_t untimed; /* lines that are in no window, since they have no time */
	uint64_t stackless; /* lines that the callers and callees lack */
};

struct sums_counts sums_counts(const struct sums *s);

/* Lines of kinds that are not added up. */
struct kinds_left *sums_left(struct sums *s);

enum sums_part { SUMS_ALL, SUMS_WINDOW, SUMS_CALLERS, SUMS_CALLEES };

/*
 * Makes a table, which the caller closes before S is freed.  SUMS_WINDOW is the last window that is
 * complete, and FROM is when it began.  The table of callers or callees of FUNCTION has the key
 * caller or callee, and its groups do not overlap: if a function is in a stack several times, the
 * caller is that of the outermost one, and the callee that of the innermost one.
 *
 * Returns ERR_DOUBT, and e says why, if there is no table at present.
 */
struct sums_view {
	enum sums_part part;
	struct slice function; /* as in a column */
	bool ended; /* no lines follow */
	uint64_t from; /* set */
};

int sums_table(struct sums *s, struct sums_view *view, struct table **table, struct err *e)
    __attribute__((warn_unused_result));

/* Writes the times of a window of SIZE nanoseconds as "2.0s to 3.0s".  Returns NAME. */
#define SUMS_NAME_MAX ((size_t)2 * SECONDS_MAX + 8)
const char *sums_name_window(uint64_t from, uint64_t size, char name[SUMS_NAME_MAX]);

/* Makes the table of all lines, which S owns.  No lines may follow.  Fails like aggregate_write. */
int sums_final(struct sums *s, struct table **table, struct err *e)
    __attribute__((warn_unused_result));

/* The aggregation of all lines, for its notes. */
const struct aggregate *sums_all(const struct sums *s);

#endif
