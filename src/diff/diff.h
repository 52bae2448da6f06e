/* SPDX-License-Identifier: ISC */
/*
 * diff.h - compares the aggregates of two sides, BEFORE and AFTER, group by group.
 *
 *	diff_limit_read(&settings.limit[n], "mean>+5%", &e) ...		settings
 *	d = diff_new(&settings);
 *	for each line of both sides: diff_line(d, side, &ev, matched, &e);
 *	diff_compare(d, &e);
 *	diff_put(d, &w) or diff_print(d, &view, &o, &e);
 *	while (diff_rest(d, &at, &e)) report it
 *	diff_free(d);
 *
 * The order of the lines and of the runs changes nothing.  All results are kept in memory.
 */
#ifndef AFPIPE_DIFF_DIFF_H
#define AFPIPE_DIFF_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/evread.h"
#include "lib/evwrite.h"
#include "lib/out.h"
#include "lib/slice.h"

#define DIFF_LIMITS_MAX 64
#define DIFF_IGNORED_MAX 64
#define DIFF_RUNS_MIN 4 /* of each side, for intervals and p */
#define DIFF_WORK_MAX ((uint64_t)20000000) /* results that are compared, with those that are 0 */

enum diff_side { DIFF_BEFORE, DIFF_AFTER, DIFF_SIDES };

/* "BEFORE" and "AFTER", for messages. */
extern const char *const diff_side_name[DIFF_SIDES];

/* By what each result is divided. */
enum diff_per {
	DIFF_PER_NOTHING,
	DIFF_PER_TOTAL, /* the total of its run */
	DIFF_PER_TIME, /* the seconds from the first to the last event of its run */
	DIFF_PER_COUNT, /* the number of events of its run */
};

/* A limit such as region=f mean>+5%. */
struct diff_limit {
	struct slice text, stat; /* borrowed */
	struct slice condition; /* that of afsel before the limit, borrowed; may be empty */
	bool below; /* < instead of > */
	bool relative; /* bound is a part of BEFORE: 0.05 */
	double bound;
};

struct diff_settings {
	double confidence; /* of intervals, 0.5 to 0.999 */
	uint64_t seed;
	enum diff_per per;
	bool point; /* limits apply to the change itself, even if there is an interval */
	/*
	 * Limits apply to groups that are at least this part of the total of a side, from 0 to 1.
	 * All statistics must be counts or sums unless it is 0.
	 */
	double min_share;
	struct slice ignore; /* keys that no group has: their names, with commas between them */
	struct diff_limit limit[DIFF_LIMITS_MAX];
	size_t limits;
};

/*
 * Reads [CONDITION ]STAT>BOUND, or < instead of >.  The text is borrowed.  Returns ERR_DATA if it
 * is wrong.
 */
int diff_limit_read(struct diff_limit *l, struct slice text, struct err *e)
    __attribute__((warn_unused_result));

/*
 * The settings that users make by options of these names: the ids of rows in a table of options.
 * IGNORE: keys, separated by commas.  FAIL_ON: "interval" or "point".  MIN_SHARE and CONFIDENCE: a
 * percentage, the latter from 50 to 99.9.  NORMALISE: "total", "time" or "count".
 */
enum diff_setting {
	DIFF_IGNORE = 1,
	DIFF_FAIL_ON,
	DIFF_MIN_SHARE,
	DIFF_NORMALISE,
	DIFF_CONFIDENCE,
	DIFF_SETTINGS, /* the first id for other options */
};

/* Makes a setting.  The argument is borrowed.  Returns ERR_DATA if it is wrong. */
int diff_set(struct diff_settings *x, enum diff_setting which, const char *argument, struct err *e)
    __attribute__((warn_unused_result));

struct diff;

/* Returns NULL if memory runs out.  The settings are borrowed. */
struct diff *diff_new(const struct diff_settings *x);
void diff_free(struct diff *d);

/*
 * Takes a line that is not a partial result.  Bit i of MATCHED is set if the condition of limit i
 * holds for it.  Returns ERR_DATA for a line that is left out, and ERR_SYS if memory runs out.
 */
int diff_line(struct diff *d, enum diff_side side, const struct ev *ev, uint64_t matched,
    struct err *e) __attribute__((warn_unused_result));

/*
 * Returns the unit of a result, from the line itself or its measure line, or ".".  It is valid at
 * least as long as ev.
 */
struct slice diff_unit(struct diff *d, enum diff_side side, const struct ev *ev);

/*
 * After the last line: returns true for a column or tag that is no key of the groups, so that
 * results of one group may differ in it.  Others are keys, or no result has them.
 */
bool diff_divides_groups(const struct diff *d, struct slice key);

/*
 * After the last line: takes the numbers of sources that each run of the side came from.  MERGED:
 * all streams were, as partial results.
 */
void diff_count_sources(struct diff *d, enum diff_side side, const struct evread *r, bool merged);

/* Returns the number of results of the side so far. */
uint64_t diff_results(const struct diff *d, enum diff_side side);

/*
 * Compares the sides, after the last line.  Returns ERR_DATA if they cannot be compared, and
 * ERR_SYS if memory runs out.  There are no results then.
 */
int diff_compare(struct diff *d, struct err *e) __attribute__((warn_unused_result));

/* Returns true if a limit has been exceeded. */
bool diff_is_beyond(const struct diff *d);

/*
 * Writes the results as lines of kind diff, the largest change of each measure and statistic first.
 * Failures are kept in w.
 */
void diff_put(const struct diff *d, struct evwrite *w);

/* What tables are sorted by.  What a group does not have comes last. */
enum diff_column { DIFF_SIZE, DIFF_BY_BEFORE, DIFF_BY_AFTER, DIFF_CHANGE, DIFF_P, DIFF_GROUP };

struct diff_view {
	enum diff_column sort; /* DIFF_SIZE: the size of the difference, as in diff_put */
	bool up; /* the smallest first */
	size_t top; /* rows of a table; 0: all */
	size_t width; /* the region and other keys are cut to that; 0: never */
};

/* Returns the name of the Ith column that sorts, or NULL after the last one. */
const char *diff_view_column(size_t i);

/*
 * Sets the sorting from COLUMN, COLUMN:asc or COLUMN:desc.  The default is up for p and group.
 * Returns ERR_DATA for anything else.
 */
int diff_view_sort(struct diff_view *v, const char *text, struct err *e)
    __attribute__((warn_unused_result));

/* Prints tables.  Returns ERR_SYS if memory runs out.  Other failures are kept in o. */
int diff_print(const struct diff *d, const struct diff_view *v, struct out *o, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Stores the next item to report: notes, with the code ERR_NONE, doubts (a run that is unlike the
 * others of its side), and errors (a limit that has compared nothing, a key to ignore that no line
 * has).  *at is 0 at first.  Returns false at the end.
 * After diff_compare has failed there is nothing to report.
 */
bool diff_rest(const struct diff *d, size_t *at, struct err *e);

/* Returns whether diff_note reports runs that are on both sides with the same results. */
bool diff_shares_runs(const struct diff *d);

/*
 * Stores what it means that the sides have lost so many events: a note or, if one has lost more,
 * and so looks smaller than it is, a doubt.  Returns false if there was no loss.
 */
bool diff_lost(uint64_t before, uint64_t after, struct err *e);

#endif
