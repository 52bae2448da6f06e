/* SPDX-License-Identifier: ISC */
/*
 * tab.h - maps strings to small numbers: 0, 1, 2 ... in the order in which they are added.
 *
 * The table owns copies of the strings.  They stay where they are until tab_free.
 */
#ifndef AFPIPE_TAB_H
#define AFPIPE_TAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/slice.h"

struct tab_slot {
	uint32_t number; /* of the item, plus 1; 0 if the slot is free */
	uint32_t hash;
};

struct tab {
	struct slice *item; /* by number */
	struct tab_slot *slot; /* open addressing */
	size_t count, cap, mask;
	uint64_t seed;
	struct tab_chunk *chunk;
	size_t stored; /* bytes in chunks */
};

#define TAB_NONE ((size_t)-1)

/* { 0 } is a valid empty table. */
void tab_free(struct tab *t);

/*
 * Returns the number of s, and adds s if it is new.  fresh may be NULL; otherwise *fresh is true if
 * s was added.  Returns TAB_NONE if memory runs out, which it does not for a text that is there.
 */
size_t tab_add(struct tab *t, struct slice s, bool *fresh);

/*
 * Prepare look-ups in a large table, where each step waits for memory: call tab_soon for many texts
 * and then tab_sooner for all of them, with what tab_soon returned, before the first is looked up.
 * They are hints and change nothing.  The table has at least one text.  tab_sooner returns the
 * number that the text probably has, or TAB_NONE if it is not in the table.
 */
uint32_t tab_soon(const struct tab *t, struct slice s);
size_t tab_sooner(const struct tab *t, uint32_t hash);

/* Returns the number of s, or TAB_NONE. */
size_t tab_find(const struct tab *t, struct slice s);

/*
 * Gives up look-ups, and returns the memory that they took, TAB_SPACE bytes for each text or more.
 * The caller frees it by mem_array_free.  From now on texts can only be read, by number.
 */
#define TAB_SPACE (2 * sizeof(struct tab_slot))
void *tab_give_up(struct tab *t);

#endif
