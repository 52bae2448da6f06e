/* SPDX-License-Identifier: ISC */
/*
 * namesakes.h - whether values of several events with the same name are in the same groups.
 *
 * A recording may have an event several times, as perf stat does for each group that it is in.
 * Their lines have the same measure, and are told apart by the tag event alone.  Nobody wants the
 * sum of all, which is that of one event several times.
 */
#ifndef AFPIPE_NAMESAKES_H
#define AFPIPE_NAMESAKES_H

#include <stdbool.h>

#include "lib/buf.h"
#include "lib/ev.h"
#include "lib/slice.h"
#include "lib/tab.h"

struct namesakes {
	bool wanted; /* the caller sets it if no key tells events apart; until found is set */
	bool found; /* a measure of a run with several events */
	struct tab seen; /* measures of runs, each followed by that with its event */
	struct slice last; /* the one of these that was seen last */
	struct buf text; /* scratch */
};

/* Returns true for a key that tells events apart. */
bool namesakes_are_told_by(struct slice key);

void namesakes_free(struct namesakes *n);

/* Looks at a line with that tag.  Returns false if memory runs out. */
bool namesakes_see(struct namesakes *n, const struct ev *ev, struct slice event)
    __attribute__((warn_unused_result));

/*
 * Looks at a line that may have such a tag, for programs whose output does not tell events apart:
 * found is set if several have been seen.  Returns false if memory runs out.
 */
bool namesakes_look(struct namesakes *n, const struct ev *ev) __attribute__((warn_unused_result));

/*
 * Until found is set: finds the next measure of a run with a numbered event, and stores the three,
 * for namesakes_see of another shard.  *at is 0 at first.  Returns false at the end.
 */
bool namesakes_next(const struct namesakes *n, size_t *at, struct slice *run, struct slice *measure,
    struct slice *event);

/* Adds what another one has seen.  Returns false if memory runs out. */
bool namesakes_join(struct namesakes *n, const struct namesakes *from)
    __attribute__((warn_unused_result));

#endif
