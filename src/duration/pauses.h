/* SPDX-License-Identifier: ISC */
/*
 * pauses.h - the pauses of one run: how long was it paused up to a time?
 *
 * Pauses come in any order; overlapping ones count once.  Memory: 48 bytes per pause.
 */
#ifndef AFPIPE_PAUSES_H
#define AFPIPE_PAUSES_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/wide.h"

struct pause {
	struct wide start, end;
	struct wide before; /* the length of all pauses before it */
};

struct pauses {
	struct pause *at;
	size_t n, cap;
	size_t next; /* the first one that ends after the time of the last call */
	bool settled;
};

/* { 0 } is a valid empty one. */
void pauses_free(struct pauses *p);

/* start <= end.  False when there is no memory. */
bool pauses_add(struct pauses *p, struct wide start, struct wide end)
    __attribute__((warn_unused_result));

/* How much of the time before t was paused.  Times never go back from one call to the next. */
struct wide pauses_until(struct pauses *p, struct wide t);

#endif
