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
	uint32_t whole; /* equal ones have the same total */
	bool shows_unit;
	bool overlaps; /* see nesting_overlaps */
	bool untimed; /* some line has no time */
	bool texts; /* the values are texts, which are only counted */
};

struct results {
	size_t identities;
	struct identified *identity; /* by number in a->measures */
	struct tab texts; /* of identities that differ */
	struct tab wholes; /* of those, with the run if totals are those of runs */
	uint32_t *total; /* by whole: the number in a->totals, or MIXED */
	/*
	 * Statistics of the totals, if lines have the tag total: texts after their lengths, each in
	 * a byte, and the places of those of each whole in turn, or 0.
	 */
	struct buf total_text;
	size_t *total_at;
};

struct zeros;

/* Where results are written, by one thread. */
struct results_out {
	struct evwrite *w;
	struct zeros *zeros; /* those that are written between the groups (zeros.h), or NULL */
	struct absent *watch; /* where groups of results are counted, or NULL */
	struct buf shared; /* the parts of lines that the results of a group share */
	uint64_t *n; /* by whole: the lines of all groups so far */
	uint64_t clocks; /* groups of several runs, although a statistic compares times */
	uint64_t rateless; /* groups without a duration, although a statistic needs it */
	uint64_t pooled_rates; /* groups of several runs that have a rate, that of a window */
	uint64_t shareless; /* groups of a nested measure, although a statistic is a share */
	size_t bins; /* the most bins of a group of several values; such groups are in no piece */
	/* groups whose partial results do not fit together, so they are left out; in no piece */
	uint64_t misfits;
	struct err misfit; /* why, for the first of these */
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

/* Returns false if the tags agg.* of a line are those of lines of weight 0 alone. */
bool results_count(struct slice tags);

/* Adds the tags agg.* of a line to a state.  Fails like state_take. */
int results_take_tags(const struct aggregate *a, const struct state *st, struct slice tags,
    struct err *e) __attribute__((warn_unused_result));

/*
 * Writes the lines of a group: its statistics, or its partial result.  Fails only if memory runs
 * out; groups whose partial results do not fit together are counted.
 */
int results_put(const struct aggregate *a, const struct results *r, struct results_out *out,
    const struct placed *p, struct err *e) __attribute__((warn_unused_result));

/* Writes the statistics of the totals into the results.  Returns false if memory runs out. */
bool results_put_totals(const struct aggregate *a, struct results *r);

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

/* Joins a cell with another that is the same after all.  Fails like results_put. */
int results_join(const struct aggregate *a, const struct cells *into, size_t to,
    const struct cells *from, size_t number, struct err *e) __attribute__((warn_unused_result));

/*
 * Write all groups, with the zeros between them: those in memory (order.c), also of threads, or
 * merged with those on disk (spill.c).  Fail like aggregate_write.
 */
int results_write(struct aggregate *a, const struct results *r, struct results_out *out,
    struct err *e) __attribute__((warn_unused_result));
int spill_write(struct aggregate *a, const struct results *r, struct results_out *out,
    struct err *e) __attribute__((warn_unused_result));

/* The same for a partial result (part.c), and for the totals and extents, which come first. */
int part_put(const struct aggregate *a, const struct results *r, struct evwrite *w,
    const struct placed *p, struct err *e) __attribute__((warn_unused_result));
int part_put_whole(struct aggregate *a, const struct results *r, struct evwrite *w, struct err *e)
    __attribute__((warn_unused_result));

#endif
