/* SPDX-License-Identifier: ISC */
/*
 * idmap.h - an event's id to what belongs to it.
 */
#ifndef AFPIPE_PERFDATA_IDMAP_H
#define AFPIPE_PERFDATA_IDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whose counter: WHO_ANY, or 1 + a tid where each thread of an inherited event has its own. */
#define WHO_ANY 0

struct id_entry {
	uint64_t id, who;
	uint32_t attr; /* index */
	uint32_t nth; /* of its attr's ids: those of one group run side by side */
	bool seen; /* last holds a value */
	uint64_t last; /* of the counter, for its growth */
	uint64_t lost; /* samples of it that the counter says were lost */
	bool used;
};

/* { 0 } is a valid empty map. */
struct idmap {
	struct id_entry *slot;
	size_t count, mask;
};

#define IDMAP_MAX ((size_t)1 << 24)

void idmap_free(struct idmap *m);

/* Adds id, or finds it (a repeated id keeps its first attr).  False without memory or room. */
bool idmap_add(struct idmap *m, uint64_t id, uint64_t who, uint32_t attr)
    __attribute__((warn_unused_result));

/* NULL if unknown.  Valid until the next add. */
struct id_entry *idmap_find(const struct idmap *m, uint64_t id, uint64_t who);

#endif
