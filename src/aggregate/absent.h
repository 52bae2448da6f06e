/* SPDX-License-Identifier: ISC */
/*
 * absent.h - whether a mean of results, such as that of sums over threads, lacks some of them.
 *
 * A function that only one of four threads ran has one sum, whose mean is not that of four.  Nobody
 * sees that in the result, so a note says it.  It must not be said where the numbers of results
 * differ for another reason:
 *
 * - In each commit each function has as many results as the commit has runs.  So groups are only
 *   compared if they differ in no keys but those that name a place in the code.  If there is no
 *   such key, any may be meant, so they are compared if they differ in one key, each in turn.
 * - The results of a group are of different functions, addresses, calls ...
 * - The results of a group are of something that belongs to it only, such as the threads of a
 *   program, so that others cannot have it.
 */
#ifndef AFPIPE_AGGREGATE_ABSENT_H
#define AFPIPE_AGGREGATE_ABSENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/ev.h"
#include "lib/tab.h"
#include "src/aggregate/grouping.h"

/* How many results the groups have that are compared with each other. */
struct absent_part {
	uint64_t groups, full; /* all, and those with the most results */
	uint64_t least, most; /* results of a group */
};

/* The groups of all measures, divided into parts by all keys but some. */
struct absent_view {
	bool varies[GROUPING_KEYS_MAX]; /* by key: groups that differ in it are compared */
	struct tab parts; /* the other keys, and the measure */
	struct absent_part *part;
	size_t cap;
};

struct absent {
	bool on; /* results are judged */
	bool places; /* a key names a place in the code: there is one view */
	bool inside; /* results are of places or calls inside those of their group */
	bool many; /* there was too much to keep, so nothing is known */
	size_t views;
	struct absent_view *view;
	/* Unless places is set: what results are of besides their group, and its first group. */
	struct tab others;
	uint64_t *group; /* hash of its keys */
	bool *shared; /* there was another group */
	size_t group_cap, shared_cap;
	size_t shares; /* how many are shared */
	struct buf text;
};

void absent_free(struct absent *x);

/* Decides how groups are compared.  Call it when the keys have their places. */
bool absent_begin(struct absent *x, const struct grouping *g) __attribute__((warn_unused_result));

/* Notes a result, whose statistic is OF.  Returns false if memory runs out. */
bool absent_see(struct absent *x, const struct grouping *g, const struct ev *ev,
    const struct slice *tag, struct slice of) __attribute__((warn_unused_result));

/* Adds what another one with the same keys has noted, unless it is in order (absent_is_ordered). */
void absent_join(struct absent *x, const struct absent *from);

/* Returns whether results must be noted by one thread. */
bool absent_is_ordered(const struct absent *x);

/*
 * Counts a group, with RESULTS results of the statistic OF.  RANK is that of its measure.  Returns
 * false if memory runs out.
 */
bool absent_count(struct absent *x, const struct grouping *g, const struct slice *key,
    uint32_t rank, struct slice of, uint64_t results) __attribute__((warn_unused_result));

/* Writes the note.  Returns false if there is nothing to note. */
bool absent_note(const struct absent *x, char *text, size_t size);

#endif
