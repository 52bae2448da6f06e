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
	struct table_view view; /* sort, order, human and measure; top and width have no effect */
};

#define TOP_TICK ((uint64_t)50000000) /* nanoseconds from one top_tick to the next */

/*
 * Opens the terminal.  Returns NULL if there is none, or if memory runs out.  The sums are
 * borrowed; they are asked for what a live table needs, so call it after sums_ready.
 */
struct top *top_open(struct sums *sums, const struct top_settings *settings);

/* Restores the terminal.  Only top_has_quit, top_view and top_close may follow. */
void top_leave(struct top *t);

/* Also frees everything, and the strings of top_view.  Takes NULL, too. */
void top_close(struct top *t);

/*
 * Handles keys, and draws if it is time.  Call it every TOP_TICK or so, between lines.  The key q
 * asks to stop (sig_ask_stop).  Drawing takes at most a tenth of the time.
 */
void top_tick(void *top);

/*
 * Tells that the input has ended.  From now on the table only changes because of keys, which
 * top_tick still handles, and q only makes top_has_quit true.
 */
void top_end(struct top *t);

/* Returns true if the user can press keys: the program is in the foreground. */
bool top_has_keys(const struct top *t);

/* Returns true if the user ended the program with q. */
bool top_has_quit(const struct top *t);

/* Returns the view for the final table: the sorting and the numbers as they were shown last. */
struct table_view top_view(const struct top *t);

/* Returns the number of lines of the terminal. */
size_t top_height(const struct top *t);

#endif
