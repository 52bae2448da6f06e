/* SPDX-License-Identifier: ISC */
/*
 * namesakes.h - whether values of several events with the same name are in the same groups.
 *
 * A recording may have an event several times, as perf stat does for each group that it is in.
 * Their lines have the same measure, and are told apart by the tag event alone.  Nobody wants the
 * sum of all, which is that of one event several times.
 */
#ifndef AFPIPE_AGGREGATE_NAMESAKES_H
#define AFPIPE_AGGREGATE_NAMESAKES_H

#include <stdbool.h>

#include "lib/buf.h"
#include "lib/ev.h"
#include "lib/slice.h"
#include "lib/tab.h"
#include "src/aggregate/grouping.h"

struct namesakes {
	bool wanted; /* no key tells events apart, and none has been found so far */
	bool found; /* a measure of a run with several events */
	struct tab seen; /* measures of runs, each followed by that with its event */
	struct slice last; /* the one of these that was seen last */
	struct buf text; /* scratch */
};

void namesakes_begin(struct namesakes *n, const struct grouping *by);
void namesakes_free(struct namesakes *n);

/* Looks at a line with that tag.  Returns false if memory runs out. */
bool namesakes_see(struct namesakes *n, const struct ev *ev, struct slice event)
    __attribute__((warn_unused_result));

/* Adds what another one has seen.  Returns false if memory runs out. */
bool namesakes_join(struct namesakes *n, const struct namesakes *from)
    __attribute__((warn_unused_result));

#endif
