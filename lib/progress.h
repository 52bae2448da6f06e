/* SPDX-License-Identifier: ISC */
/*
 * progress.h - shows on a terminal how far a file has been read: "perfdec: 45% of 1.2 GiB, ...".
 *
 * The line appears when reading one file takes more than two seconds, and disappears without a
 * trace.  It is never shown where it could disturb: not if standard error is no terminal, standard
 * output is one, the program runs in the background, or another program (less, an editor) has taken
 * over the terminal.
 */
#ifndef AFPIPE_PROGRESS_H
#define AFPIPE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/in.h"

struct progress {
	const char *name; /* the program's; NULL as long as nothing is shown */
	uint64_t at; /* the place in the file at the last call, in bytes */
	uint64_t begun, next; /* when the file was begun and when to look again, in nanoseconds */
	bool shown; /* the line is on the terminal */
};

/* From now on, p shows the reading of each file that the user named.  p must stay where it is. */
void progress_open(struct progress *p, const char *name);

/* Removes the line, if it is shown.  Call it before anything else is printed, and at the end. */
void progress_clear(struct progress *p);

#endif
