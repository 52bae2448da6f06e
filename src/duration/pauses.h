/* SPDX-License-Identifier: ISC */
/*
 * pauses.h - the pauses of one run, and how long it was paused up to a time.
 *
 * Pauses may come in any order.  Overlapping pauses count once.  A pause takes 48 bytes of memory.
 */
#ifndef AFPIPE_PAUSES_H
#define AFPIPE_PAUSES_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/wide.h"

struct pause {
	struct wide start, end;
	struct wide before; /* the total length of the pauses before it */
};

struct pauses {
	struct pause *at;
	size_t n, cap;
	size_t next; /* the first pause that ends after the time of the last call */
	bool settled;
};

/* { 0 } is a valid empty set. */
void pauses_free(struct pauses *p);

/* Adds a pause.  start <= end.  Returns false when memory runs out. */
bool pauses_add(struct pauses *p, struct wide start, struct wide end)
    __attribute__((warn_unused_result));

/*
 * Returns how much of the time before t was paused.  Times must not go back from one call to the
 * next.
 */
struct wide pauses_until(struct pauses *p, struct wide t);

#endif
