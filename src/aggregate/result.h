/* SPDX-License-Identifier: ISC */
/* result.h - what the files that write results share. */
#ifndef AFPIPE_AGGREGATE_RESULT_H
#define AFPIPE_AGGREGATE_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/aggregate/aggint.h"

/* An identity of a->measures at the end of the input. */
struct identified {
	struct slice part[IDENTITY]; /* with ID_RUN in the place of ID_KNOWN */
	uint32_t rank; /* in the order of results; equal ones are the same identity */
	bool shows_unit;
};

struct results {
	size_t identities;
	struct identified *identity; /* by number in a->measures */
	struct tab texts; /* of identities that differ */
	uint32_t *total; /* by rank: the number in a->totals, or MIXED */
	uint64_t *n; /* by rank: the lines of all groups so far */
};

/* A group to write. */
struct placed {
	struct slice keys; /* the texts, separated by TABs */
	uint32_t measure; /* number in a->measures */
	const struct cells *cells;
	size_t number; /* in cells */
};

/* Returns the texts of the keys of a group, and stores the number of its measure. */
struct slice results_keys(const struct aggregate *a, size_t number, uint32_t *measure);

/* Adds the tags agg.* of a line to a state.  Fails like state_take. */
int results_take_tags(const struct aggregate *a, const struct state *st, struct slice tags,
    struct err *e) __attribute__((warn_unused_result));

/*
 * Writes the lines of a group: its statistics, or its partial result.  Returns ERR_SYS if memory
 * runs out, and ERR_DATA if partial results do not fit together.
 */
int results_put(struct aggregate *a, const struct results *r, struct evwrite *w,
    const struct placed *p, struct err *e) __attribute__((warn_unused_result));

/*
 * Parts of lines: the columns up to the measure, the keys that are tags, and a tag that is left out
 * if it is "." or a key.
 */
void results_begin(const struct aggregate *a, struct evwrite *w, struct slice kind,
    const struct slice *key, struct slice measure, const struct group *g);
void results_put_time(struct evwrite *w, struct slice key, struct wide t); /* no key: a column */
void results_put_keys(const struct aggregate *a, struct evwrite *w, const struct slice *text);
void results_put_tag(const struct aggregate *a, struct evwrite *w, struct slice key,
    struct slice value);

/* Writes all groups, merged with those on disk (spill.c).  Fails like aggregate_write. */
int spill_write(struct aggregate *a, const struct results *r, struct evwrite *w, struct err *e)
    __attribute__((warn_unused_result));

/* The same for a partial result (part.c), and for the totals and extents, which come first. */
int part_put(struct aggregate *a, const struct results *r, struct evwrite *w,
    const struct placed *p, struct err *e) __attribute__((warn_unused_result));
int part_put_whole(struct aggregate *a, const struct results *r, struct evwrite *w, struct err *e)
    __attribute__((warn_unused_result));

#endif
