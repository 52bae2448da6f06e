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
 * fork and one mapping copy a whole space.
 */
#define MAPS_COPIED_MAX ((size_t)1 << 22)

/* All spaces together. { 0 } to begin with. */
struct maps_account {
	size_t copied;
	bool said; /* that no more are copied */
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
	size_t count, cap;
	size_t last; /* found last: samples stay in one place for a while */
	struct map *map; /* by start */
};

/* An empty space with one reference; NULL when there is no memory.  account outlives it. */
struct maps *maps_new(struct maps_account *account);
struct maps *maps_share(struct maps *m);
void maps_drop(struct maps *m);

/*
 * Puts [start, end) into *m, which is replaced by a copy where it is shared.  An empty
 * range changes nothing.  dso NULL only takes the range out.  Where copies hold too much
 * already *m becomes a space with this range alone; the first time that is ERR_DATA.
 */
int maps_put(struct maps **m, const struct map *map, struct err *e)
    __attribute__((warn_unused_result));

/* The range that holds ADDR, or NULL; valid until the space changes. */
const struct map *maps_find(struct maps *m, uint64_t addr);

#endif
