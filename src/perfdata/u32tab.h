/* SPDX-License-Identifier: ISC */
/*
 * u32tab.h - pids and tids to what belongs to them.
 */
#ifndef AFPIPE_PERFDATA_U32TAB_H
#define AFPIPE_PERFDATA_U32TAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct u32tab_slot {
	uint32_t key;
	void *value; /* NULL where free */
};

/* { 0 } is a valid empty table. */
struct u32tab {
	struct u32tab_slot *slot; /* open addressing */
	size_t count, mask;
	unsigned shift; /* 64 less the bits of mask: the high ones of the product count */
	uint64_t seed;
};

#define U32TAB_MAX ((size_t)1 << 26)

/* Frees the table, not what is in it. */
void u32tab_free(struct u32tab *t);

/* NULL where there is nothing under the key. */
void *u32tab_find(const struct u32tab *t, uint32_t key);

/* value is not NULL, the key is new.  False when there is no memory or room. */
bool u32tab_put(struct u32tab *t, uint32_t key, void *value) __attribute__((warn_unused_result));

/* Takes the key out; nothing happens where it is not there. */
void u32tab_drop(struct u32tab *t, uint32_t key);

/* All values, in no order: *pos begins as 0; NULL at the end. */
void *u32tab_next(const struct u32tab *t, size_t *pos);

#endif
