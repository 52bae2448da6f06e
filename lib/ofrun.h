/* SPDX-License-Identifier: ISC */
/*
 * ofrun.h - keys of the form run.KEY: the tag KEY of the run line of a line's run.
 *
 * Input is read through here only if such keys are wanted (cli_require).  The lines of events and
 * of aggregates then end with these tags, so that programs need not know where they come from.
 *
 *	struct ofrun x = { .keys = &names };
 *	for each input: ofrun_begin(&x), then ofrun_read(&x, &in, p, n, &got, &e) until got is 0
 *	ofrun_free(&x);
 *
 * A line gets the tags of the last run line before it that is about its run, also in an earlier
 * input, unless it has a tag of that name.  All other lines stay as they are, also if they are
 * malformed.  Memory grows with the number of runs.
 */
#ifndef AFPIPE_OFRUN_H
#define AFPIPE_OFRUN_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/buf.h"
#include "lib/err.h"
#include "lib/in.h"
#include "lib/tab.h"

struct ofrun {
	const struct tab *keys; /* borrowed; each is one for ev_is_of_run */
	/* Internal, except head. */
	struct tab runs;
	struct buf *tags; /* by run: those that its lines get, each after a TAB */
	size_t cap;
	struct buf raw; /* what has been read, and is not a whole line yet */
	size_t searched; /* how much of it has no LF */
	struct buf made; /* lines to be returned */
	size_t given; /* bytes of them that have been */
	bool passing; /* the last bytes are of a line that is too long */
	struct buf head; /* what the first read of the input gave */
	bool eof;
	struct err failure; /* has a code once reading has failed */
};

void ofrun_free(struct ofrun *x);

/* Begins a new input. */
void ofrun_begin(struct ofrun *x);

/* As in_read.  Fails with ERR_SYS if memory runs out, too.  Each later call fails likewise. */
int ofrun_read(struct ofrun *x, struct in *in, void *dst, size_t n, size_t *got, struct err *e)
    __attribute__((warn_unused_result));

/* Returns true if the next read will not wait. */
bool ofrun_is_ready(const struct ofrun *x, const struct in *in);

#endif
