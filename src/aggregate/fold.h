/* SPDX-License-Identifier: ISC */
/*
 * fold.h - folds events, aggregates, or changes of aggregates into stacks: sorted, each stack once,
 * with its weight, or with those before and after the change.
 *
 *	f = fold_new();
 *	fold_set(f, FOLD_ROOT, "comm", &e) ...		settings
 *	for each line: fold_line(f, &ev, &e);
 *	fold_write(f, &out, &e);			for flamegraph.pl
 *	fold_free(f);
 *
 * or, instead of fold_write: fold_sort, then fold_next for each stack of each part.
 *
 * Memory grows with the number of distinct stacks.
 */
#ifndef AFPIPE_FOLD_H
#define AFPIPE_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/out.h"
#include "lib/slice.h"

struct fold;

#define FOLD_ROOTS_MAX 16

/* Returns NULL if memory runs out. */
struct fold *fold_new(void);
void fold_free(struct fold *f);

/*
 * Which measures are used, unless one is named.  FIRST: self if there is such a measure, or else
 * the one of the first measure line or, if it has no values, the first one that has, in its first
 * unit; never an inclusive one.  EACH: each that is not inclusive, in
 * each of its units, as a part of its own.  ALL: all, added up; differing units are noted.  UNITS:
 * all that are not inclusive; those with the same unit are added up, and each unit is a part of its
 * own.  The unit comes from the line's unit tag or its measure line.
 */
enum fold_measures { FOLD_FIRST, FOLD_EACH, FOLD_ALL, FOLD_UNITS };

#define FOLD_PARTS_MAX 64 /* lines of further measures are left out, and counted */

void fold_set_measures(struct fold *f, enum fold_measures which);

/*
 * The settings that users make, by options of these names: the ids of rows in a table of options.
 * MEASURE: the only measure to use, its first unit with FOLD_FIRST, each with FOLD_EACH.  ADD_ALL
 * (--add-measures): adds up the measures, which is FOLD_UNITS in place of FOLD_EACH, or else
 * FOLD_ALL.
 * KIND: the only kind of lines to use; the default is sample and span, or agg, or diff, whichever
 * comes first.  COUNT: the weight is the number of events, and not the sum of their values.  ROOT:
 * the columns and tags, separated by commas, that become the first frames of each stack if a line
 * has them; "." means none, and the default is "comm".
 */
enum fold_setting {
	FOLD_MEASURE = 1,
	FOLD_ADD_ALL,
	FOLD_KIND,
	FOLD_COUNT,
	FOLD_ROOT,
	FOLD_SETTINGS, /* the first id for other options */
};

/* Rows of these for the program's table of struct cli_option. */
#define FOLD_OPTIONS \
	{ "kind", "KIND", "use lines of this kind (default: sample and span, or agg, or diff)", \
		FOLD_KIND, CLI_ONCE }, \
	    { "count", NULL, "weigh by the number of events", FOLD_COUNT, CLI_ONCE }, \
	{ \
		"root", "KEY,...", "begin stacks with these keys (default: comm; . for none)", \
		    FOLD_ROOT, CLI_ONCE \
	}

/*
 * Makes a setting.  The argument is borrowed, and NULL if there is none.  Returns ERR_DATA for an
 * empty word or too many in ROOT, and ERR_SYS if memory runs out.
 */
int fold_set(struct fold *f, enum fold_setting which, const char *argument, struct err *e)
    __attribute__((warn_unused_result));

/*
 * For programs that split stacks into frames: spells a last frame as any other, not as
 * flamegraph.pl needs it, and keeps the objects of the innermost frames (dso tags) for fold_next.
 */
void fold_for_frames(struct fold *f);

/* Passes on the tags that stacks are made of, save the default root. */
void fold_reads(const struct fold *f, ev_key_sink *sink, void *ctx);

/* For fold_choose: the caller also tells lines apart by these keys, separated by commas. */
void fold_told_apart(struct fold *f, const char *list);

/* For fold_choose: of aggregates, uses counts besides sums. */
void fold_with_counts(struct fold *f);

/*
 * For programs that add up stacks themselves, instead of fold_line, with the same errors: stores
 * the number of the line's part (fold_part), or FOLD_PARTS_MAX if the line is not used, which is
 * counted.
 */
int fold_choose(struct fold *f, const struct ev *ev, size_t *part, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Returns the line's stack tag, or an empty slice if it has none, so that its region is its only
 * frame, which is counted.
 */
struct slice fold_stack(struct fold *f, const struct ev *ev);

/*
 * Reads the next line, of any kind.  Returns ERR_DATA, with the line as its place, for a value that
 * is not a number, ERR_DATA for the first of groups that overlap, and ERR_SYS if memory runs out.
 */
int fold_line(struct fold *f, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Writes all stacks in bytewise order.  Returns ERR_DATA if there are some and none has a weight,
 * and ERR_SYS if memory runs out.  o->error has other failures.
 */
int fold_write(struct fold *f, struct out *o, struct err *e) __attribute__((warn_unused_result));

/*
 * Sorts the stacks bytewise, once, after the last line.  Fails only if memory runs out.  The other
 * functions below need it.
 */
int fold_sort(struct fold *f, struct err *e) __attribute__((warn_unused_result));

/*
 * Returns the measure and the unit of part I, as in the stream; "." is the measure of several, and
 * no unit.  The unit is that of the values, also if events are counted.  A further line may change
 * the measure: that of sums of sums has another name if there are also sums.  Returns false if
 * there is no such part.
 */
bool fold_part(const struct fold *f, size_t i, struct slice *measure, struct slice *unit);

/*
 * Returns the part that fold_line would use alone: that of self, or of the first measure that the
 * source lists, or else the first part.
 */
size_t fold_foremost(const struct fold *f);

/*
 * Returns true if the last line given to fold_line was used, and then its part, and the number and
 * the text of its stack, which is valid as long as f.
 */
bool fold_used(const struct fold *f, size_t *part, size_t *number, struct slice *stack);

#define FOLD_WEIGHT_MAX 400

struct folded {
	struct slice stack; /* frames as in the stream, separated by ';' */
	struct slice weight; /* digits with an optional point; of a change, that before it */
	struct slice after; /* of a change, the weight after it; otherwise NULL */
	struct slice object; /* of the innermost frame; "." if none is known, NULL for several */
	size_t number;
	char room[FOLD_WEIGHT_MAX], room_after[FOLD_WEIGHT_MAX];
};

/*
 * Returns the next stack of part I; start with *at = 0.  The weights are in *s itself, all else is
 * valid as long as f.  Returns false at the end.  Stacks whose sum is negative or not a number are
 * counted for fold_note.
 */
bool fold_next(struct fold *f, size_t i, size_t *at, struct folded *s);

/*
 * Returns the number of lines without a stack, whose region is their only frame, if others have
 * one.  If none has, fold_note says so after fold_for_frames.
 */
uint64_t fold_stackless(const struct fold *f);

/* Keeps lines of kind incomplete, which the caller reports in other words, out of fold_note. */
void fold_told(struct fold *f);

/* Reports what was omitted, one text per call.  Start with *at = 0.  Returns false at the end. */
bool fold_note(const struct fold *f, size_t *at, char *text, size_t size);

/*
 * Returns ERR_DATA after the last line if none was of the kind, or of the measure, that was set, or
 * if all that could be folded was left out.  After fold_next, that includes stacks without a
 * weight.
 */
int fold_missing(const struct fold *f, struct err *e) __attribute__((warn_unused_result));

#endif
