/* SPDX-License-Identifier: ISC */
/* typerows.h - the resources of a type of a resource map, from one JSON text. */
#ifndef AFPIPE_PERUN_TYPEROWS_H
#define AFPIPE_PERUN_TYPEROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/json/jdict.h"
#include "src/perun/value.h"

struct typerows {
	size_t left; /* resources not yet returned; the shortest list limits them */
	bool equal; /* all lists have the same length */

	/* Internal. */
	struct jvalue v;
	struct jdict lists; /* value: the token of the next resource's */
	struct buf row;
};

/* { 0 } may be closed. */
void typerows_close(struct typerows *r);

/*
 * Reads {NAME: [VALUE...]...}; of lists with the same name the last counts.  Without any list
 * there is one resource, {}.  ERR_DATA: wrong form, or more than 16 MiB; ERR_SYS: no memory.
 */
int typerows_read(struct typerows *r, struct slice json, struct err *e)
    __attribute__((warn_unused_result));

/* The next resource, if left is not 0, valid until the next call.  NULL text: no memory. */
struct slice typerows_next(struct typerows *r);

#endif
