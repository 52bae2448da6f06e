/* SPDX-License-Identifier: ISC */
/*
 * idmap.h - an event's id to what belongs to it.
 */
#ifndef AFPIPE_PERFDATA_IDMAP_H
#define AFPIPE_PERFDATA_IDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* There may be millions, of every thread. */
struct id_entry {
	uint64_t id;
	uint64_t last; /* of the counter, for its growth */
	uint64_t lost; /* samples of it that the counter says were lost */
	uint32_t attr; /* index */
	unsigned nth : 30; /* of its attr's ids: those of one group run side by side */
	unsigned seen : 1; /* last holds a value */
	unsigned used : 1;
};

/* { 0 } is a valid empty map. */
struct idmap {
	struct id_entry *slot;
	size_t count, mask;
	unsigned shift; /* 64 less the bits of mask: the high ones of the product count */
	uint64_t seed;
};

#define IDMAP_MAX ((size_t)1 << 24)

void idmap_free(struct idmap *m);

/* Adds id, or finds it (a repeated id keeps its first attr).  False without memory or room. */
bool idmap_add(struct idmap *m, uint64_t id, uint32_t attr) __attribute__((warn_unused_result));

/* NULL if unknown.  Valid until the next add. */
struct id_entry *idmap_find(const struct idmap *m, uint64_t id);

#endif
