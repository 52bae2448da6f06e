/* SPDX-License-Identifier: ISC */
/*
 * part.h - reads lines of perundec as parts of a document: a JSON pointer and the JSON text there.
 */
#ifndef AFPIPE_PERUN_PART_H
#define AFPIPE_PERUN_PART_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/err.h"
#include "lib/ev.h"
#include "lib/slice.h"

enum part_kind {
	PART_NONE, /* not a part of a document: a run, a foreign line */
	PART_MORE, /* the rest of the value is to come */
	PART_VALUE, /* a value, or only the bracket of a container that opens */
};

struct part {
	struct slice pointer, json; /* of PART_VALUE, until the next line; json is not empty */
	uint64_t foreign; /* lines so far without a place in a document, except runs */

	/* Internal. */
	struct buf at, text, gathered;
};

/* { 0 } is a valid empty one. */
void part_free(struct part *p);

/* Reads a line.  ERR_DATA: perundec would not write it; ERR_SYS: no memory. */
int part_line(struct part *p, const struct ev *ev, enum part_kind *kind, struct err *e)
    __attribute__((warn_unused_result));

/* Takes PREFIX off *s, if s begins with it. */
bool part_skip(struct slice *s, const char *prefix);

/* Takes an index off *s: the digits up to the next slash or the end. */
bool part_skip_index(struct slice *s, uint64_t *n);

/* Does Python's for loop accept it?  It must be a list, or empty. */
bool part_is_list(struct slice json);

#endif
