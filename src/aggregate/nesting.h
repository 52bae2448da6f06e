/* SPDX-License-Identifier: ISC */
/*
 * nesting.h - whether a group adds up durations that contain each other.
 *
 * The inclusive time of a region contains that of each region inside it.  If no key tells regions
 * apart, their sum counts the same time several times.  It does so if a group has a line of a
 * region and one of a region further out, as their stacks show.
 */
#ifndef AFPIPE_AGGREGATE_NESTING_H
#define AFPIPE_AGGREGATE_NESTING_H

#include <stdbool.h>

#include "lib/buf.h"
#include "lib/ev.h"
#include "lib/slice.h"
#include "lib/tab.h"
#include "src/aggregate/grouping.h"

struct nesting {
	bool wanted; /* some statistic adds up, and no key tells regions apart */
	bool watching; /* there is such a measure, and no group has been found so far */
	bool found;
	struct tab seen; /* the stacks of the lines of each group, and of the regions around them */
	struct buf text; /* scratch */
};

void nesting_free(struct nesting *n);

/* Returns true if no key tells regions apart. */
bool nesting_is_possible(const struct grouping *by);

/*
 * Looks at a line that is added to the group of its keys.  Sets found, or stops watching if there
 * is too much to remember.  Returns false if memory runs out.
 */
bool nesting_see(struct nesting *n, const struct grouping *by, const struct ev *ev,
    const struct slice *tag) __attribute__((warn_unused_result));

/* Adds what another one has seen of the same groups.  Returns false if memory runs out. */
bool nesting_join(struct nesting *n, const struct nesting *from)
    __attribute__((warn_unused_result));

#endif
