/* SPDX-License-Identifier: ISC */
/*
 * tab.h - maps strings to small numbers: 0, 1, 2 ... in the order in which they are added.
 *
 * The table owns copies of the strings; they stay where they are until tab_free.
 */
#ifndef AFPIPE_TAB_H
#define AFPIPE_TAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/slice.h"

struct tab_slot {
	uint32_t number; /* of the item, plus 1; 0 if free */
	uint32_t hash;
};

struct tab {
	struct slice *item; /* by number */
	struct tab_slot *slot; /* open addressing */
	size_t count, cap, mask;
	uint64_t seed;
	struct tab_chunk *chunk;
};

#define TAB_NONE ((size_t)-1)

/* { 0 } is a valid empty table. */
void tab_free(struct tab *t);

/*
 * The number of s, which is added if it is new (then *fresh, unless fresh is NULL, is true).
 * TAB_NONE when there is no memory.
 */
size_t tab_add(struct tab *t, struct slice s, bool *fresh);

/* The number of s, or TAB_NONE. */
size_t tab_find(const struct tab *t, struct slice s);

#endif
