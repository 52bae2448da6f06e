/* SPDX-License-Identifier: ISC */
/* kinds.h - the kinds of lines that afstream(5) names, and what programs do with them. */
#ifndef AFPIPE_KINDS_H
#define AFPIPE_KINDS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/slice.h"

struct kind {
	const char *name;
	bool outlives; /* an aggregation passes it on; all others say something of single events */
	bool about; /* it says what other lines are about, and is no event */
};

/* NULL for a kind that is not named there: whoever transforms the stream passes it on. */
const struct kind *kind_named(struct slice name);

/* All of them, for tests; NULL after the last. */
const struct kind *kind_at(size_t i);

#endif
