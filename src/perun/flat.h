/* SPDX-License-Identifier: ISC */
/*
 * flat.h - flattens a resource as Perun does (profile/query.py: all_items_of).
 *
 * A scalar is an item under its name.  For a dictionary, the items NAME:SUB come first, followed by
 * an item NAME with all their values, ordered by the rank of the names and joined by ":".  A list
 * is one item, its elements joined by ",".  Values are spelled as by Python's str().  With
 * named_lists a list of dictionaries that have only name and value is treated as a dictionary of
 * these pairs.
 */
#ifndef AFPIPE_PERUN_FLAT_H
#define AFPIPE_PERUN_FLAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/json/jdict.h"
#include "lib/json/jscan.h"

struct flat_item {
	struct slice path, value; /* raw bytes; surrogates as three bytes each */
	bool top; /* a member of the resource itself */
	uint8_t kind; /* enum jscan_kind of the original value */
	bool clean; /* no byte of path and value needs an escape, and path has no '=' */
};

struct flat {
	struct flat_item *item; /* the result, valid until the next call */
	size_t n, cap;
	bool named_lists; /* as in newer versions of Perun; set by the caller */
	bool empty_name; /* Perun fails because a name that it ranks is empty, */
	bool odd_name; /* or because a name in a named list is not a string */
	bool too_long; /* the result exceeds its limit, so some items are missing */

	/* Internal. */
	const char *text;
	const struct jscan_token *token;
	struct buf arena; /* does not grow while slices of it exist */
	size_t budget;
	struct buf join;
	struct jdict members;
	size_t *order; /* scratch of the sort */
	size_t order_cap;
	bool no_memory;
};

void flat_free(struct flat *f);

/* Starts over for an object whose text has TEXT_LEN bytes.  Returns false when memory runs out. */
bool flat_begin(struct flat *f, size_t text_len) __attribute__((warn_unused_result));

/* Adds the items of the object at token[0].  Returns false when memory runs out. */
bool flat_add(struct flat *f, const char *text, const struct jscan_token *token)
    __attribute__((warn_unused_result));

/*
 * Returns whether Perun would have to rank an empty name.  Perun ranks the names within a
 * dictionary and fails if one is empty.
 */
bool flat_has_empty_name(const struct jscan_token *token, uint32_t index, bool ranked);

#endif
