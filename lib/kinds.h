/* SPDX-License-Identifier: ISC */
/* kinds.h - the kinds of lines in afstream(5), and how programs treat them. */
#ifndef AFPIPE_KINDS_H
#define AFPIPE_KINDS_H

#include <stdbool.h>

#include "lib/slice.h"

struct kind {
	const char *name;
	bool outlives; /* an aggregation passes it on; all other kinds describe single events */
	bool about; /* it describes what other lines refer to; csvenc gives it no row */
};

/*
 * All of them; the last one has no name.  A kind that is missing here is passed on as unknown, so
 * that afagg would repeat single events after it has counted them.
 */
extern const struct kind kinds[];

/* NULL for a kind not listed in afstream(5), which programs pass on unchanged. */
const struct kind *kind_named(struct slice name);

#endif
