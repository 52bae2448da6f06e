/* SPDX-License-Identifier: ISC */
/*
 * runs.h - the runs of one input of a decoder, to report those that it has twice.
 *
 * A reader notices a run of two streams.  Only the decoder can tell that one input, such as several
 * recordings joined by cat(1), has a run twice.
 */
#ifndef AFPIPE_RUNS_H
#define AFPIPE_RUNS_H

#include <stdbool.h>

#include "lib/evwrite.h"
#include "lib/report.h"
#include "lib/slice.h"
#include "lib/tab.h"

/* { 0 } is a valid empty struct. */
struct runs {
	struct tab id, twice; /* all runs, and those that have been reported */
};

void runs_free(struct runs *r);

/*
 * Adds a run that begins.  Reports a run that was there before as a doubt, once, with FILE as in
 * report_error, and counts it for the end mark of w.  Returns false if memory runs out.
 */
bool runs_add(struct runs *r, struct slice id, struct evwrite *w, const struct reporter *to,
    const char *file);

#endif
