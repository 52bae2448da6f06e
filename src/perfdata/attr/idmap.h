/* SPDX-License-Identifier: ISC */
/*
 * idmap.h - maps an event's id to its attr and counter.
 */
#ifndef AFPIPE_PERFDATA_IDMAP_H
#define AFPIPE_PERFDATA_IDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* There may be millions: one for each thread. */
struct id_entry {
	uint64_t id;
	uint64_t last; /* of the counter, for its growth */
	uint64_t lost; /* lost samples that the counter reported */
	uint32_t attr; /* index */
	unsigned nth : 30; /* place among its attr's ids, the same for all events of a group */
	unsigned seen : 1; /* last holds a value */
	unsigned used : 1;
};

/* { 0 } is a valid empty map. */
struct idmap {
	struct id_entry *slot;
	size_t count, mask;
	unsigned shift; /* 64 less the bits of mask: the high bits of the product are used */
	uint64_t seed;
};

#define IDMAP_MAX ((size_t)1 << 24)

void idmap_free(struct idmap *m);

/* Adds id, or finds it (a repeated id keeps its first attr).  False without memory or room. */
bool idmap_add(struct idmap *m, uint64_t id, uint32_t attr) __attribute__((warn_unused_result));

/* NULL if unknown.  Valid until the next add. */
struct id_entry *idmap_find(const struct idmap *m, uint64_t id);

#endif
