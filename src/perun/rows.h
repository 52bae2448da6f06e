/* SPDX-License-Identifier: ISC */
/*
 * rows.h - the resources of a type of a map of resources, from its lists.
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
	/* Set by the caller, and borrowed: the type's text and tape. */
	const char *text;
	const struct jscan_token *token;
	/* Pushed by the caller: the names of its lists, and the lists. */
	struct jdict lists;

	/* The last resource, valid until the next call. */
	struct buf row;
	struct jscan_token *tape;

	/* Internal. */
	size_t tapes, tape_cap;
};

/* { 0 } is a valid empty one. */
void rows_free(struct rows *r);

/* The number of values in a list, and the length of the longest one. */
size_t rows_count(const struct jscan_token *token, uint32_t list, size_t *longest);

/* After the lists have been pushed. */
void rows_begin(struct rows *r);

/*
 * Makes the next resource, from the next value of each list, which must be there.  Without any list
 * it is {}.  False without memory.
 */
bool rows_next(struct rows *r) __attribute__((warn_unused_result));

#endif
