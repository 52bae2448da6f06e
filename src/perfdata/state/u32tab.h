/* SPDX-License-Identifier: ISC */
/*
 * u32tab.h - maps pids and tids to values.
 */
#ifndef AFPIPE_PERFDATA_U32TAB_H
#define AFPIPE_PERFDATA_U32TAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct u32tab_slot {
	uint32_t key;
	void *value; /* NULL if free */
};

/* { 0 } is a valid empty table. */
struct u32tab {
	struct u32tab_slot *slot; /* open addressing */
	size_t count, mask;
	unsigned shift; /* 64 less the bits of mask: the high bits of the product are used */
	uint64_t seed;
};

#define U32TAB_MAX ((size_t)1 << 26)

/* Frees the table, not its values. */
void u32tab_free(struct u32tab *t);

/* NULL if the key is not there. */
void *u32tab_find(const struct u32tab *t, uint32_t key);

/* Adds a new key; value is not NULL.  False when there is no memory or room. */
bool u32tab_put(struct u32tab *t, uint32_t key, void *value) __attribute__((warn_unused_result));

/* Removes the key, if it is there. */
void u32tab_drop(struct u32tab *t, uint32_t key);

/* Walks all values, in no order: start with *pos = 0; NULL at the end. */
void *u32tab_next(const struct u32tab *t, size_t *pos);

#endif
