/* SPDX-License-Identifier: ISC */
/*
 * aggregate.h - aggregates events into one line for each (group, measure, statistic).
 *
 *	a = aggregate_new();
 *	aggregate_set_keys(a, "region,cpu", &e) ...		settings, at most once each
 *	aggregate_ready(a, &e);
 *	for each line: switch (aggregate_fate(a, &ev)) ... aggregate_add(a, &ev, &e),
 *	    aggregate_measure(a, &ev, &e);
 *	aggregate_write(a, &w, &e);
 *	aggregate_free(a);
 */
#ifndef AFPIPE_AGGREGATE_H
#define AFPIPE_AGGREGATE_H

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/evwrite.h"

struct aggregate;

#define AGGREGATE_KEYS_MAX 64

/* Returns NULL if memory runs out. */
struct aggregate *aggregate_new(void);
void aggregate_free(struct aggregate *a);

/*
 * These set lists separated by commas: keys (columns by name, or tags), statistics
 * (src/aggregate/stats.h; the default is "count,sum"; the text is kept, not copied) and kinds of
 * lines to aggregate (the default is "sample,span").  Returns ERR_DATA for an empty, repeated or
 * unknown word.
 */
int aggregate_set_keys(struct aggregate *a, const char *list, struct err *e)
    __attribute__((warn_unused_result));
int aggregate_set_stats(struct aggregate *a, const char *list, struct err *e)
    __attribute__((warn_unused_result));
int aggregate_set_kinds(struct aggregate *a, const char *list, struct err *e)
    __attribute__((warn_unused_result));

/* These set how percentiles, median and iqr are found, and the bins of hist (stats.h). */
int aggregate_set_percentile(struct aggregate *a, const char *how, struct err *e)
    __attribute__((warn_unused_result));
int aggregate_set_sketch(struct aggregate *a, const char *percent, struct err *e)
    __attribute__((warn_unused_result));
int aggregate_set_bins(struct aggregate *a, const char *text, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Sets the tag whose value is how often a line counts.  Returns ERR_DATA if the word is empty.
 */
int aggregate_set_weight(struct aggregate *a, const char *tag, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Call it after the settings, before the first line.  Returns ERR_DATA if they cannot be combined.
 */
int aggregate_ready(struct aggregate *a, struct err *e) __attribute__((warn_unused_result));

enum aggregate_fate {
	AGGREGATE_TAKE, /* pass it to aggregate_add */
	AGGREGATE_PASS, /* copy it to the output unchanged */
	AGGREGATE_DROP, /* a single event that is not aggregated */
	AGGREGATE_MEASURE, /* pass it to aggregate_measure, and copy it to the output unchanged */
};

enum aggregate_fate aggregate_fate(struct aggregate *a, const struct ev *ev);

/*
 * Adds a line.  Returns ERR_DATA, with the line as its place, if the time or the weight is invalid,
 * or if a value is not a number although a statistic needs one.  The line is then ignored.
 */
int aggregate_add(struct aggregate *a, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/* Stores a measure line, which gives the unit of later lines.  Fails only if memory runs out. */
int aggregate_measure(struct aggregate *a, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Writes all results, sorted.  Fails only if memory runs out.  evw_failed(w) reports other
 * failures.
 */
int aggregate_write(struct aggregate *a, struct evwrite *w, struct err *e)
    __attribute__((warn_unused_result));

#endif
