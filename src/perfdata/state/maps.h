/* SPDX-License-Identifier: ISC */
/*
 * maps.h - which object lies where in an address space.
 *
 * Ranges never overlap: a new one replaces what it covers of older ones.  A process and its
 * children share all that none of them has changed: a space is a tree, and a change copies
 * only the nodes on its path.  So a change takes time and memory in proportion to the
 * logarithm of the number of ranges, and sharing takes none.
 */
#ifndef AFPIPE_PERFDATA_MAPS_H
#define AFPIPE_PERFDATA_MAPS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "src/perfdata/state/dso.h"

struct map {
	uint64_t start, end; /* [start, end) */
	uint64_t shift; /* address + shift is the place in the object (modulo 2^64) */
	struct dso *dso;
};

/*
 * A treap: by start from left to right, no node heavier than its parent.  Weights are
 * random, so that no order of mappings makes it deep.
 */
struct map_node {
	struct map map;
	struct map_node *left, *right;
	uint32_t refs; /* from nodes above it and from spaces */
	uint32_t weight;
};

/* { 0 } is a valid empty space. */
struct maps {
	struct map_node *root;
	const struct map_node *last; /* the last one found: samples stay in one place for a while */
};

/* All spaces take their nodes from it.  { .dice = seed_make() } is a valid empty one. */
struct map_pool {
	uint64_t dice; /* the state of the random numbers */
	struct map_node *free; /* a list, linked by left */
	struct map_chunk *chunk;
};

/* Frees it together with all spaces that use its nodes. */
void map_pool_free(struct map_pool *pool);

/* A space with the same ranges. */
struct maps maps_share(const struct maps *m);
void maps_free(struct maps *m, struct map_pool *pool);

/*
 * Puts [start, end) into m.  An empty range changes nothing.  If dso is NULL the range is only
 * removed.  Without memory some older ranges of m may be missing.
 */
int maps_put(struct maps *m, const struct map *map, struct map_pool *pool, struct err *e)
    __attribute__((warn_unused_result));

/* The range that holds ADDR, or NULL; valid until the space changes. */
const struct map *maps_find(struct maps *m, uint64_t addr);

#endif
