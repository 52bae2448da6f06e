/* SPDX-License-Identifier: ISC */
/*
 * maps.h - which object lies where in an address space.
 *
 * Ranges never overlap: a new one takes its place out of older ones.  Address spaces
 * are shared between a process and its children until one of them changes.
 */
#ifndef AFPIPE_PERFDATA_MAPS_H
#define AFPIPE_PERFDATA_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "src/perfdata/dso.h"

#define MAPS_MAX ((size_t)1 << 22)

/*
 * Ranges that copies may hold in all.  What records put in is paid for by their bytes, but a
 * fork and one mapping copy a whole space.  Beyond that a changed space lies over the one that
 * it shared, so many deep.
 */
#define MAPS_COPIED_MAX ((size_t)1 << 22)
#define MAPS_DEPTH_MAX 16

/* All spaces together. */
struct maps_account {
	size_t room; /* for copies; MAPS_COPIED_MAX to begin with */
	bool said; /* that a space was too deep */
};

struct map {
	uint64_t start, end; /* [start, end) */
	uint64_t shift; /* added to an address gives the place in the object (modulo 2^64) */
	struct dso *dso;
};

struct maps {
	uint32_t refs;
	struct maps_account *account;
	size_t copied; /* ranges that it began with */
	struct maps *below; /* what holds where this one has nothing; mostly NULL */
	unsigned depth; /* of what is below */
	size_t count, cap;
	size_t last; /* found last: samples stay in one place for a while */
	struct map *map; /* by start */
	struct map *room; /* for cap of them; map lies in it, with some free in front of it */
};

/* An empty space with one reference; NULL when there is no memory.  account outlives it. */
struct maps *maps_new(struct maps_account *account);
struct maps *maps_share(struct maps *m);
void maps_drop(struct maps *m);

/*
 * Puts [start, end) into *m, which is replaced by a copy where it is shared.  An empty
 * range changes nothing.  dso NULL only takes the range out.  Where too many spaces lie over one
 * another already *m becomes one with this range alone; the first time that is ERR_DATA.
 */
int maps_put(struct maps **m, const struct map *map, struct err *e)
    __attribute__((warn_unused_result));

/* The range that holds ADDR, or NULL; valid until the space changes. */
const struct map *maps_find(struct maps *m, uint64_t addr);

#endif
