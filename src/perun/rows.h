/* SPDX-License-Identifier: ISC */
/*
 * rows.h - builds the resources of one type in a resource map from the lists of that type.
 *
 * perun/profile/factory.py (Profile.all_resources): the I-th resource of a type is the I-th value
 * of each list.
 */
#ifndef AFPIPE_PERUN_ROWS_H
#define AFPIPE_PERUN_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/json/jdict.h"
#include "lib/json/jscan.h"

struct rows {
	/* The text and the tape of the type: set by the caller, and borrowed. */
	const char *text;
	const struct jscan_token *token;
	/* The names of the lists, and the lists: pushed by the caller. */
	struct jdict lists;

	/* The last resource, valid until the next call. */
	struct buf row;
	struct jscan_token *tape;

	/* Internal. */
	size_t tapes, tape_cap;
};

/* { 0 } is valid and empty. */
void rows_free(struct rows *r);

/* Returns the number of values in a list.  *longest is the length of the longest value. */
size_t rows_count(const struct jscan_token *token, uint32_t list, size_t *longest);

/* Begins with the first resource, after the lists have been pushed. */
void rows_begin(struct rows *r);

/*
 * Makes the next resource from the next value of each list, which must exist.  If there are no
 * lists, the resource is {}.  Returns false when memory runs out.
 */
bool rows_next(struct rows *r) __attribute__((warn_unused_result));

#endif
