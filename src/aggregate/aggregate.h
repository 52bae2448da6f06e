/* SPDX-License-Identifier: ISC */
/*
 * aggregate.h - aggregates events into one line for each (group, measure, statistic).
 *
 *	a = aggregate_new();
 *	aggregate_set(a, AGGREGATE_BY, "region,cpu", &e) ...	settings, at most once each
 *	aggregate_ready(a, &e);
 *	for each line: switch (aggregate_fate(a, &ev)) ... aggregate_add(a, &ev, &e),
 *	    aggregate_measure(a, &ev, &e);
 *	for (at = 0; aggregate_missing(a, &at, &e) != 0;) report e
 *	if there was none: aggregate_finish(a), aggregate_write(a, &w, &e);
 *	for (at = 0; aggregate_note(a, &at, text, sizeof text);) print text
 *	aggregate_free(a);
 */
#ifndef AFPIPE_AGGREGATE_H
#define AFPIPE_AGGREGATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/evread.h"
#include "lib/evwrite.h"

struct aggregate;

/* Returns NULL if memory runs out. */
struct aggregate *aggregate_new(void);
void aggregate_free(struct aggregate *a);

/* The settings.  Lists are separated by commas. */
enum aggregate_option {
	AGGREGATE_BY, /* keys; see grouping.h */
	AGGREGATE_STAT, /* statistics; see stats.h; the default is "count,sum" */
	AGGREGATE_KIND, /* kinds of lines to aggregate; the default is "sample,span" */
	AGGREGATE_WINDOW, /* the size of time windows */
	AGGREGATE_FROM, /* where they begin */
	AGGREGATE_OF, /* the tag to aggregate instead of the value */
	AGGREGATE_WEIGHT, /* the tag that says how often a line counts */
	AGGREGATE_PERCENTILE,
	AGGREGATE_SKETCH,
	AGGREGATE_BINS,
	AGGREGATE_ZEROS, /* keys whose texts are all to have results, of 0 if there are no lines */
	AGGREGATE_OPTIONS
};

/*
 * Sets an option.  The argument is borrowed until the aggregation is freed.  Returns ERR_DATA for
 * an invalid one.
 */
int aggregate_set(struct aggregate *a, enum aggregate_option option, const char *argument,
    struct err *e) __attribute__((warn_unused_result));

/*
 * Returns the Ith word that the list of an option can contain, or NULL after the last one, for the
 * completion of shells: keys that any stream may have, and statistics with a name.
 */
const char *aggregate_word(enum aggregate_option option, size_t i);

/* Asks for partial results, which aggregate_add takes. */
void aggregate_set_partial(struct aggregate *a);

/* Tells how many nanoseconds the time has of which the lines are: rates are those of all of it. */
void aggregate_set_duration(struct aggregate *a, uint64_t ns);

/*
 * Call it after the settings, before the first line.  Returns ERR_DATA if they cannot be combined,
 * and ERR_SYS if memory runs out.
 */
int aggregate_ready(struct aggregate *a, struct err *e) __attribute__((warn_unused_result));

/* Passes on the tags that are read, save those of optional keys of the line itself. */
void aggregate_reads(const struct aggregate *a, ev_key_sink *sink, void *ctx);

enum aggregate_fate {
	AGGREGATE_TAKE, /* pass it to aggregate_add */
	AGGREGATE_PART, /* a partial result: pass it to aggregate_part */
	AGGREGATE_PASS, /* copy it to the output unchanged */
	AGGREGATE_DROP, /* a single event that is not aggregated */
	AGGREGATE_MEASURE, /* pass it to aggregate_measure, and copy it to the output unchanged */
};

enum aggregate_fate aggregate_fate(struct aggregate *a, const struct ev *ev);

/*
 * Notes which tags a line has, and when its run began, if it is a run line.  For a line with
 * AGGREGATE_PASS.  Returns ERR_SYS if memory runs out.
 */
int aggregate_see_run(struct aggregate *a, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Add a line.  They return ERR_DATA, with the line as its place, if the line cannot be used: its
 * time is invalid, its value is not a number although a statistic needs one, it is a result that
 * cannot be joined, or it was made with other settings.  The line is then ignored.  Further partial
 * results that do not fit are ignored without an error, and counted in a note.
 */
int aggregate_add(struct aggregate *a, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));
int aggregate_part(struct aggregate *a, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/* Returns true if partial results are merged. */
bool aggregate_merges(const struct aggregate *a);

/*
 * Tells which lines come next, at most AGGREGATE_AHEAD, so that the memory of their groups is there
 * when they are added.  A hint: it changes nothing.
 */
#define AGGREGATE_AHEAD 32
void aggregate_expect(struct aggregate *a, const struct ev *ev, size_t n);

/*
 * Adds lines up to the first one that is not for aggregate_add or that it refuses.  Returns how
 * many it has added; *rc is then what aggregate_add has returned for the next one, or 0.
 */
size_t aggregate_add_some(struct aggregate *a, const struct ev *ev, size_t n, int *rc,
    struct err *e);

/* Stores a measure line, which gives the unit of later lines.  Fails only if memory runs out. */
int aggregate_measure(struct aggregate *a, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Tells that no line follows, and that aggregate_write will be called once: it then needs less
 * memory.
 */
void aggregate_finish(struct aggregate *a);

/*
 * Writes all results, sorted.  Fails with ERR_SYS, or with ERR_DATA if partial results do not fit
 * together.  evw_failed(w) reports other failures.
 */
int aggregate_write(struct aggregate *a, struct evwrite *w, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Does the same to a temporary file, and opens a reader of it in *r, without marks, for programs
 * that compute with the results.  The caller closes it before it frees the aggregation.
 */
int aggregate_read(struct aggregate *a, struct evread **r, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Returns ERR_DOUBT if aggregate_write cannot be called before the last line, and e says why: some
 * key has not been on any line, the lines are partial results, or groups are on disk.  Otherwise it
 * may be called, and later lines may be added: nothing changes for them and for later results.
 */
int aggregate_check_interim(const struct aggregate *a, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Writes an interim result (lib/evwrite.h): the lines that aggregate_write would write now or, with
 * windows, those of windows that were completed since the last call: a line at or after their end
 * has been read.  Nothing changes for later lines and results.  Returns ERR_DOUBT, with nothing
 * written, if aggregate_check_interim does.  Fails with ERR_SYS.
 */
int aggregate_write_interim(struct aggregate *a, struct evwrite *w, struct err *e)
    __attribute__((warn_unused_result));

/* Returns the number of lines that have been aggregated. */
uint64_t aggregate_taken(const struct aggregate *a);

/* Returns true if the durations are without the pauses, so that nobody misses these. */
bool aggregate_deducted(const struct aggregate *a);

/*
 * Describes the next key that no line has had, although at least one line was taken and the key is
 * not optional.  There are no results then.  *at is 0 at first.  Returns ERR_DATA, or 0 at the end.
 */
int aggregate_missing(const struct aggregate *a, size_t *at, struct err *e)
    __attribute__((warn_unused_result));

/* Stores the next note for the user.  *at is 0 at first.  Returns false at the end. */
bool aggregate_note(const struct aggregate *a, size_t *at, char *text, size_t size);

#endif
