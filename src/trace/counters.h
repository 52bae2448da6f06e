/* SPDX-License-Identifier: ISC */
/*
 * counters.h - the tracks of counters, and which of them shows the value of a line.
 *
 * A track shows one thing at a time: a counter of perf stat, or a region or interval whose values
 * were read.  A region or interval that begins after the stop of another one with the same name
 * continues its track, so there are only as many as are open at a time.
 */
#ifndef AFPIPE_TRACE_COUNTERS_H
#define AFPIPE_TRACE_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/ev.h"
#include "lib/slice.h"
#include "lib/tab.h"

#define COUNTERS_NONE SIZE_MAX

/* A track. */
struct counter {
	/* of the caller: the last value, which ends at `end` if it `runs` */
	uint64_t start, end;
	bool runs;
	bool stays; /* then it lasts until the next one */
	struct buf value; /* if it `runs` */

	bool free; /* its owner has stopped */
	size_t process;
	uint64_t alike; /* numbers that other names got since they would have been the same */
	size_t group, owner; /* owner: what it shows, or COUNTERS_NONE */
	size_t next; /* in the list of its owner, or of the free tracks of its group */
	uint64_t last; /* the latest value, on the clock of the run */
};

struct counters {
	struct counter *item;
	size_t cap;
	struct tab names; /* of the tracks, by their numbers: size_t process, then the text */
	struct tab group_keys;
	struct counter_group *group; /* tracks of things with the same name */
	size_t groups_cap;
	struct tab thing_keys;
	struct counter_thing *thing; /* regions, intervals */
	size_t things_cap;
	struct tab use_keys; /* size_t group, size_t thing */
	size_t *use; /* the track of each */
	size_t uses_cap;
	struct buf text; /* scratch */
};

/* { 0 } is a valid empty struct. */
void counters_free(struct counters *c);

/* Returns the track for the value of a line, or COUNTERS_NONE if memory runs out. */
size_t counters_find(struct counters *c, const struct ev *ev, struct slice unit, size_t process,
    uint64_t time);

/* Take a line of kind start or stop.  Return false if memory runs out. */
bool counters_start(struct counters *c, const struct ev *ev) __attribute__((warn_unused_result));
bool counters_stop(struct counters *c, const struct ev *ev) __attribute__((warn_unused_result));

/* Returns the name of a track, as the stream spells it. */
static inline struct slice
counters_name(const struct counters *c, size_t i)
{
	struct slice name = c->names.item[i];

	return (struct slice){ name.p + sizeof(size_t), name.len - sizeof(size_t) };
}

#endif
