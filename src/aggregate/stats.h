/* SPDX-License-Identifier: ISC */
/*
 * stats.h - statistics: their names, what must be kept for them, and their results.
 *
 *	struct stats x = { 0 };
 *	stats_set_list(&x, "count,p99.9", &e) ...	settings
 *	stats_ready(&x, &e);
 *	for each value of a group: state_add(&x.keep, &st, v) ...
 *	state_settle(&x.keep, &st, &e);
 *	for i below x.n: stats_put_value(text, &x, i, &st, &context)
 */
#ifndef AFPIPE_STATS_H
#define AFPIPE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/slice.h"
#include "lib/wide.h"
#include "src/aggregate/state.h"

enum stat {
	STAT_COUNT,
	STAT_SUM,
	STAT_MEAN,
	STAT_MIN,
	STAT_MAX,
	STAT_STDDEV,
	STAT_PSTDDEV,
	STAT_VAR,
	STAT_MEDIAN,
	STAT_IQR,
	STAT_MAD,
	STAT_FIRST,
	STAT_LAST,
	STAT_DISTINCT,
	STAT_MODE,
	STAT_RATE,
	STAT_SHARE,
	STAT_HIST,
	STATS, /* those with a name; the next one has many names */
	STAT_PERCENTILE = STATS,
};

#define STATS_MAX 64 /* statistics asked for */
#define STATS_PERCENT_DIGITS 7 /* after the point of a percentile */
#define STATS_PERCENT_UNIT 1000000000u /* a percentile is counted in parts of this */

/* A statistic asked for. */
struct stats_wanted {
	enum stat stat;
	uint32_t part; /* of a percentile: 500000000 for p50 */
	struct slice name; /* borrowed from the list */
};

/* All 0 before the settings. */
struct stats {
	struct keep keep;
	size_t n;
	struct stats_wanted wanted[STATS_MAX];
	bool nearest, sketch, bins; /* --percentile nearest, --sketch, --bins were given */
	bool wants_numbers; /* some statistic is not count */
	bool wants_duration, wants_total; /* some statistic is rate, or share */
	bool wants_clock; /* some statistic is first or last */
};

/*
 * Set the statistics, separated by commas: the names in the table and p0 to p100, with up to
 * STATS_PERCENT_DIGITS digits after a point.  The text is kept, not copied.  Returns ERR_DATA for
 * an unknown or repeated name, or too many.
 */
int stats_set_list(struct stats *x, const char *list, struct err *e)
    __attribute__((warn_unused_result));

/* Returns true if the statistic of no lines is 0, and not unknown. */
bool stats_is_zero(enum stat stat);

/* Returns true if more values of 0 would change a statistic, save the extremes of their times. */
bool stats_depends_on_zeros(enum stat stat);

/* Returns the name of the Ith statistic that has one, or NULL after the last one. */
const char *stats_name(size_t i);

/* Sets how percentiles are found: "nearest" or "interpolate", the default. */
int stats_set_percentile(struct stats *x, const char *how, struct err *e)
    __attribute__((warn_unused_result));

/* Sets the largest relative error of a sketch: "1%", from 0.01% to 50%. */
int stats_set_sketch(struct stats *x, const char *percent, struct err *e)
    __attribute__((warn_unused_result));

/* Sets the bins of hist (bins_set). */
int stats_set_bins(struct stats *x, const char *text, struct err *e)
    __attribute__((warn_unused_result));

/* Tells that values have weights. */
void stats_set_weighted(struct stats *x);

/*
 * Call it after the settings.  Returns ERR_DATA if they cannot be combined; the message then begins
 * with what is wrong, as "mad needs all values; ...".
 */
int stats_ready(struct stats *x, struct err *e) __attribute__((warn_unused_result));

/* What results need from outside of the group.  NULL is none, and the result is then ".". */
struct stats_context {
	const struct wide *duration; /* nanoseconds, for rate */
	const struct accumulator *total; /* settled, for share */
	bool clocks; /* the times are of several clocks, so there is no first or last */
};

/*
 * Returns how statistic i is found if it is a percentile, median or iqr and is found in another way
 * than the usual one: "nearest" or "sketch:N", with N buckets for each doubling.  Else it is empty.
 */
#define STATS_METHOD_MAX 16
struct slice stats_method(const struct stats *x, size_t i, char room[STATS_METHOD_MAX]);

#define STATS_PUT_MAX 96 /* bytes that stats_put_value needs */

/*
 * Writes statistic i of a settled state as the stream spells numbers, or "." if there is none.
 * Returns the length.  Not for STAT_HIST, whose lines come from state_next_bin.  It does not
 * allocate, so it cannot fail.
 */
size_t stats_put_value(char *dst, const struct stats *x, size_t i, const struct state *st,
    const struct stats_context *c);

#endif
