/* SPDX-License-Identifier: ISC */
/*
 * flat.h - flattens a resource as Perun does (profile/query.py: all_items_of).
 *
 * A scalar is an item under its name.  A dictionary's items come first, named NAME:SUB, then NAME
 * with all of their values, ordered by the names' rank and joined by ":".  A list is one item,
 * elements joined by ",".  Values are those of Python's str().  With named_lists a list of
 * dictionaries that have only name and value is treated as the dictionary of these pairs.
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
	bool clean; /* no byte of path and value is escaped; path has no '=' either */
};

struct flat {
	struct flat_item *item; /* the result, valid until the next call */
	size_t n, cap;
	bool named_lists; /* as in newer versions of Perun; set by the caller */
	bool empty_name; /* Perun fails: a name to be ranked is empty, */
	bool odd_name; /* or a name in such a list is not a string */
	bool too_long; /* larger than a resource of its size may be: some items are missing */

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

/* Starts over for an object whose text has TEXT_LEN bytes.  False without memory. */
bool flat_begin(struct flat *f, size_t text_len) __attribute__((warn_unused_result));

/* Adds the items of the object at token[0].  False without memory. */
bool flat_add(struct flat *f, const char *text, const struct jscan_token *token)
    __attribute__((warn_unused_result));

/* Perun ranks names within a dictionary, and fails on one that is empty. */
bool flat_has_empty_name(const struct jscan_token *token, uint32_t index, bool ranked);

#endif
