/* SPDX-License-Identifier: ISC */
/*
 * maps.h - which object lies where in an address space.
 *
 * Ranges never overlap: a new one takes its place out of older ones.  A process and its
 * children share all that none of them has changed: a space is a tree, and a change copies
 * what is on its own way down.  So a change takes time and memory in proportion to the
 * logarithm of the ranges, and sharing takes none.
 */
#ifndef AFPIPE_PERFDATA_MAPS_H
#define AFPIPE_PERFDATA_MAPS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "src/perfdata/dso.h"

struct map {
	uint64_t start, end; /* [start, end) */
	uint64_t shift; /* added to an address gives the place in the object (modulo 2^64) */
	struct dso *dso;
};

/*
 * A treap: by start from left to right, no node heavier than the one above it.  Weights are
 * random, so that no order of mappings makes it deep.
 */
struct map_node {
	struct map map;
	struct map_node *left, *right;
	uint32_t refs; /* of nodes above it and of spaces */
	uint32_t weight;
};

/* { 0 } is a valid empty space. */
struct maps {
	struct map_node *root;
	const struct map_node *last; /* found last: samples stay in one place for a while */
};

/* What all spaces take their nodes from.  { .dice = seed_make() } is a valid empty one. */
struct map_pool {
	uint64_t dice; /* the state of the random numbers */
	struct map_node *free; /* a list, by their left */
	struct map_chunk *chunk;
};

/* With all spaces that have nodes of it. */
void map_pool_free(struct map_pool *pool);

/* A space with the same ranges. */
struct maps maps_share(const struct maps *m);
void maps_free(struct maps *m, struct map_pool *pool);

/*
 * Puts [start, end) into m.  An empty range changes nothing.  dso NULL only takes the range
 * out.  Without memory some of what was in m may be missing.
 */
int maps_put(struct maps *m, const struct map *map, struct map_pool *pool, struct err *e)
    __attribute__((warn_unused_result));

/* The range that holds ADDR, or NULL; valid until the space changes. */
const struct map *maps_find(struct maps *m, uint64_t addr);

#endif
