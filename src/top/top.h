/* SPDX-License-Identifier: ISC */
/*
 * top.h - the live table: what keys do, and what is drawn when.
 *
 * sums.h has the numbers, screen.h the terminal.
 */
#ifndef AFPIPE_TOP_TOP_H
#define AFPIPE_TOP_TOP_H

#include <stdbool.h>
#include <stdint.h>

#include "src/table/table.h"
#include "src/top/sums.h"

struct top;

struct top_settings {
	const char *by; /* for the head line */
	uint64_t every; /* nanoseconds from one drawing to the next */
	uint64_t window; /* the size of windows in nanoseconds */
	bool windows; /* begin with the last window, not with the sum of all */
	struct table_view view; /* sort, order, human, measure; the rest is for the final table */
};

#define TOP_TICK ((uint64_t)50000000) /* nanoseconds from one top_tick to the next */

/*
 * Opens the terminal.  Returns NULL if there is none, or if memory runs out.  The sums are
 * borrowed; they are asked for what a live table needs, so call it after sums_ready.
 */
struct top *top_open(struct sums *sums, const struct top_settings *settings);

/*
 * Restores the terminal.  Returns the view for the final table, which is NULL if there is none: the
 * sorting and the numbers as they were shown last, and, unless the settings say how many, as many
 * rows as fit on the terminal.  Its strings are valid until top_close.  Only top_has_quit and
 * top_close may follow.
 */
struct table_view top_leave(struct top *t, const struct table *final);

/* Also frees everything.  Takes NULL, too. */
void top_close(struct top *t);

/*
 * Handles keys, and draws if it is time.  Call it every TOP_TICK or so, between lines.  The key q
 * asks to stop (sig_ask_stop).  Drawing takes at most a tenth of the time.
 */
void top_tick(void *top);

/*
 * After the last line: keeps the table open until the user quits, since callers and callees can
 * only be seen there.  Does nothing if there are no results, or nobody can press keys, or a signal
 * has come.  Returns whether it was kept open.
 */
bool top_stay(struct top *t);

/* Returns true if the user ended the program with q. */
bool top_has_quit(const struct top *t);

#endif
