/* SPDX-License-Identifier: ISC */
/*
 * aggint.h - what the files of the aggregation share.  Others include aggregate.h.
 *
 * add.c reads lines and adds them to groups.  measures.c finds the identity of their measure.
 * part.c reads and writes partial results, and spill.c keeps groups on disk.  jobs.c divides the
 * lines among threads, and join.c adds up what each has.  At the end order.c puts the groups in
 * order, put.c writes their statistics, and result.c does all the rest.
 */
#ifndef AFPIPE_AGGREGATE_AGGINT_H
#define AFPIPE_AGGREGATE_AGGINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/hint.h"
#include "lib/namesakes.h"
#include "lib/tab.h"
#include "lib/units.h"
#include "src/aggregate/absent.h"
#include "src/aggregate/aggregate.h"
#include "src/aggregate/grouping.h"
#include "src/aggregate/nesting.h"
#include "src/aggregate/stats.h"

/*
 * A group is identified by the texts of its keys, separated by TABs.  The identities sort like the
 * keys, because TAB is lower than any byte of a text.  A TAB and the number of the measure
 * (GROUP_MEASURE bytes) follow, unless its measure is the first in the input.
 */
#define GROUP_MEASURE sizeof(uint32_t)

/*
 * The parts of a line that say what its values are.  ID_OF is read if lines may differ in it, and
 * ID_KNOWN, the unit that earlier measure lines gave, from partial results.
 *
 * In a->measures an identity consists of its measure, type and final unit, of ID_OF if it is read,
 * and of the run if by_run is set: texts that are stored like the keys of a group.
 */
enum identity { ID_MEASURE, ID_TYPE, ID_UNIT, ID_OF, ID_KNOWN, IDENTITY };
#define ID_RUN ID_KNOWN

/*
 * The unit of values whose measure line may be in another shard.  It is settled when all shards
 * have been read.
 */
#define UNIT_UNKNOWN "\1"

/* The last result for a line's identity and run. */
struct resolved {
	uint64_t epoch; /* the number of measure lines at that time, plus 1 */
	uint32_t raw, run, number;
	struct slice unit;
};

/* What the lines of an identity say. */
struct said {
	bool unit; /* a line itself gives the unit */
	unsigned char about; /* bits of enum about */
};

#define RESOLVED ((size_t)1024)
#define LIKELY ((size_t)64)
#define KINDS_SEEN ((size_t)64) /* of the kinds asked for: those known to be there or not */

struct group {
	struct wide start, end; /* start > end if no line has had a time */
	struct accumulator total;
	uint32_t run, mid; /* numbers in the tables of runs and mids, or MIXED */
};

#define MIXED UINT32_MAX
#define UNSEEN (MIXED - 1) /* no line yet */
#define BROKEN (MIXED - 2) /* a partial result of the group was damaged, so it has no result */

struct memo {
	struct tab tab; /* the numbers of texts */
	struct slice text; /* the last text, stored in the table */
	uint32_t number;
};

/* What the lines are, which is decided by the first one. */
enum input {
	INPUT_UNKNOWN, /* no line yet */
	INPUT_EVENTS, /* values */
	INPUT_RESULTS, /* agg lines, which are joined by the rules of their statistics */
	INPUT_PARTS, /* partial results */
};

/* The state of many groups, or of the totals of all measures. */
struct cells {
	size_t cap; /* cells that may be used */
	size_t room; /* cells that there is memory for */
	struct group *group; /* by number */
	struct spread *spread; /* by number; NULL unless needed */
	struct detail *detail; /* by number; NULL unless needed */
	uint64_t *counted; /* by number; with counts_lines: those that the results count */
	uint64_t *stamp; /* by number; for frames: the last line that was added */
};

/* The numbers of another aggregation's texts in this one. */
struct mapping {
	uint32_t *run, *mid, *measure;
};

/* The groups of a thread, which are joined with all others when they are written (order.c). */
struct share {
	struct aggregate *a;
	struct mapping map;
};

/* Lines about intervals with a length, and windows of time. */
struct reaching {
	uint64_t intervals;
	uint64_t back; /* began before the window in which they end */
	uint64_t longer; /* are longer than a window */
	uint64_t samples; /* are of kind sample, as the intervals of perf stat */
};

struct aggregate {
	/* Settings. */
	const char *option[AGGREGATE_OPTIONS]; /* the argument, or NULL */
	unsigned adopted; /* bit N: option N is that of the first partial result */
	bool unready; /* because those of a damaged partial result were adopted */
	bool partial; /* write partial results */
	struct grouping by;
	struct stats stats;
	struct tab kinds, names; /* names owns the spelling of settings */
	struct slice of, weight_tag; /* tags given as options; p is NULL: none */
	/* ID_OF of events, if not the value alone: OF, value*WEIGHT, OF*WEIGHT; or p is NULL */
	struct slice quantity;
	/*
	 * How the windows of the results lie: the text of their tag, or p is NULL.  Of results that
	 * are aggregated it is a key, so that those of different windows are not mixed.
	 */
	struct slice windows;
	size_t windows_key; /* or GROUPING_NONE */
	size_t nzeros; /* keys of --zeros, as the user spelled them, but escaped */
	struct slice zeros_key[GROUPING_KEYS_MAX];
	/* What follows from the settings and the first line. */
	enum input input;
	bool takes_aggs, takes_measures, takes_losses, by_unit;
	bool by_bin; /* the bins of a histogram are apart */
	bool by_run; /* measures of different runs are kept apart */
	bool settles; /* units may become known later, with other partial results */
	bool total_by_run; /* the total of a result is that of its run, which is a key */
	bool pools; /* but not if their units are known */
	bool several; /* a line may be in several groups */
	bool roundabout; /* so it may, or more than its group is found out: see add_windows */
	bool sums; /* some statistic adds up values */
	bool joins_means; /* agg lines count as often as they have lines: their weight is n */
	bool counts_lines; /* n of results is the lines that those of the input count */
	bool adds; /* values of results are added up, which only some results allow */
	bool needs_whole, needs_care; /* see add_to_whole and prepare */
	size_t identity[IDENTITY]; /* places in a line, as in grouping.h */
	size_t nidentity;
	size_t mid, start, value, scope, event;
	size_t weight; /* or 0 */
	size_t lines, whole, inner, method; /* for results: of n, total, of and percentile */
	/* The kind of the last line. */
	uint64_t kinds_seen; /* bit N: some line was of kind N in `kinds`, up to KINDS_SEEN - 1 */
	struct slice last_kind;
	char last_kind_text[32];
	enum aggregate_fate last_fate;
	bool deducted; /* some span has the tag paused, as all from that source do */
	/* Measures. */
	struct buf unit_text; /* scratch */
	struct buf text; /* for the line's group or measure */
	struct tab raw; /* identities as in the lines */
	/*
	 * The parts of the last identity.  If a part is ".", its p is grouping_nothing; for a tag
	 * unit=. the part is empty.
	 */
	struct slice measure[IDENTITY];
	uint32_t last_raw, last_run;
	const struct resolved *last_resolved; /* the result for the last identity and run */
	struct tab measures; /* identities, see enum identity */
	struct said *said; /* by number in measures */
	size_t measures_cap;
	struct units units;
	uint64_t epoch;
	struct resolved resolved[RESOLVED];
	uint32_t likely[LIKELY]; /* see measures_likely */
	/* Groups. */
	struct tab groups;
	struct cells cells; /* by number in groups */
	struct cells totals; /* by number in measures; if results need a total */
	uint64_t duration; /* in which all lines are, in nanoseconds; 0: it is not known */
	struct cells extents; /* by number in runs: only the times; if results need a duration */
	struct extsort *spill; /* groups on disk, or NULL */
	struct zeros *zeros; /* what has been noted of these for --zeros, or NULL */
	uint64_t spill_at;
	uint32_t last; /* the group of the last line */
	bool overlaps; /* some result that was taken counts lines that another one counts, too */
	uint64_t taken; /* lines */
	uint64_t unlike; /* lines of partial results that do not fit and were left out */
	uint64_t skipped; /* lines without one of the tags given as options */
	bool runs_apart; /* results are grouped by their run, or by what its run line says of it */
	uint64_t pooled; /* if so, results of several runs, which have none */
	uint64_t again; /* losses that lines count again (the tag again) */
	struct keys on_skipped; /* what by.wanted wants, seen on those */
	/*
	 * Partial results without groups: lines without the tag of --weight or --of, or without
	 * the function of a key, were left out.
	 */
	bool all_skipped, all_outside;
	uint64_t rateless; /* groups without a duration, although a statistic needs it */
	uint64_t pooled_rates; /* groups of several runs that have a rate, that of a window */
	uint64_t clocks; /* groups of several runs, although a statistic compares times */
	size_t bins; /* the most bins of a group of several values */
	uint64_t shareless; /* groups of a nested measure, although a statistic is a share */
	uint64_t stamp; /* for cells.stamp: different for each line */
	bool finished; /* no group is looked up again */
	/* Interim results. */
	bool interim; /* one is being written */
	uint64_t interims; /* so far */
	uint64_t newest; /* the latest time of a line, if there are windows */
	uint64_t from, upto; /* it has windows that end after FROM, up to UPTO */
	uint64_t late; /* lines whose window had been written already */
	struct reaching reaching; /* if values are added up */
	struct absent watch; /* for a statistic that results of 0 would change */
	struct nesting nesting;
	struct namesakes namesakes;
	struct memo runs, mids;
	struct buf frame; /* an element of a stack */
	struct buf of_text; /* of a result: its statistic, and what that is of */
	int results; /* the file of aggregate_read */
	/* Those of threads (jobs.c), which need the units, too. */
	struct aggregate **follower;
	size_t followers;
	struct share *share; /* at the end */
	size_t shares;
};

#define GROUP_EMPTY \
	((struct group){ .start = { UINT64_MAX, UINT64_MAX }, .run = UNSEEN, .mid = UNSEEN })

static inline struct state
cells_state(const struct cells *c, size_t i)
{
	return (struct state){ &c->group[i].total, c->spread == NULL ? NULL : &c->spread[i],
		c->detail == NULL ? NULL : &c->detail[i] };
}

/* Fetches the state of a cell, which will be added to soon. */
static HINT_INLINE void
cells_soon(const struct cells *c, size_t i)
{
	hint_soon(&c->group[i]);
	if (c->spread != NULL)
		hint_soon(&c->spread[i]);
	if (c->detail != NULL)
		hint_soon(&c->detail[i]);
}

/* Adds to the lines that results count, if they are counted.  There are at most UINT64_MAX. */
static inline void
cells_count(const struct cells *c, size_t i, uint64_t lines)
{
	if (c->counted != NULL)
		c->counted[i] = num_plus(c->counted[i], lines);
}

/* Returns true if results need the totals of measures. */
static inline bool
aggregate_wants_totals(const struct aggregate *a)
{
	return a->several || a->stats.wants_total;
}

/* Decides how lines are treated, before the first one.  Fails only if memory runs out. */
int aggregate_begin(struct aggregate *a, enum input input, struct err *e)
    __attribute__((warn_unused_result));

/* Makes sure that the cell exists.  Returns false if memory runs out. */
bool aggregate_room(const struct aggregate *a, struct cells *c, size_t number)
    __attribute__((warn_unused_result));

/* Returns the number of the line's group, or MIXED if memory runs out. */
uint32_t aggregate_group(struct aggregate *a, const struct ev *ev, struct slice *tag,
    uint32_t measure);

/*
 * Return the number of a text, or of the line's identity in a->measures, or MIXED if memory runs
 * out.
 */
uint32_t aggregate_number(struct memo *m, struct slice s);
uint32_t aggregate_measure_number(struct aggregate *a, const struct ev *ev, const struct slice *tag,
    uint32_t run);

/* Reads the times of a line; start > end if it has none.  Returns ERR_DATA for an invalid one. */
int aggregate_times(const struct ev *ev, struct slice start, struct wide *from, struct wide *to,
    struct err *e) __attribute__((warn_unused_result));

/* Returns true if lines were left out because their stacks do not have the function of a key. */
bool aggregate_is_outside(const struct aggregate *a);

/*
 * Updates the times, the run and the mid of a group, before lines are added.  COUNTS is set if some
 * have a weight other than 0: only their run and mid matter then.
 */
void aggregate_see(struct group *g, uint32_t run, uint32_t mid, struct wide start, struct wide end,
    bool counts);

/* Free all groups, but not the totals; and the first n cells, with the arrays. */
void aggregate_free_groups(struct aggregate *a);
void aggregate_free_cells(struct cells *c, size_t n);

/*
 * Groups on disk (spill.c).  If more memory than a->spill_at, the threshold, is in use,
 * spill_is_due returns true if the groups take it; spill_groups then moves all groups to disk.
 * Fails with ERR_SYS or ERR_STOP.
 */
uint64_t spill_threshold(void);
bool spill_is_due(const struct aggregate *a);
int spill_groups(struct aggregate *a, struct err *e) __attribute__((warn_unused_result));
void spill_close(struct aggregate *a);

/*
 * Adds all that another aggregation with the same settings has taken, which may only be freed then.
 * Groups are moved to disk if they take too much memory.  Fails with ERR_SYS or ERR_STOP.
 */
int join_all(struct aggregate *a, struct aggregate *from, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Adds all but the groups, which are written with those of a, to which another aggregation belongs
 * from now on.  a->share has room for it.  No more lines may be added.  Fails with ERR_SYS.
 */
int join_apart(struct aggregate *a, struct aggregate *from, struct err *e)
    __attribute__((warn_unused_result));
void join_free_shares(struct aggregate *a);

/* Gives the groups of a share the numbers that their runs and mids have in the aggregation. */
void join_renumber(struct aggregate *a, const struct mapping *m);

/* Adds a cell, whose numbers are the same, to another.  Returns ERR_SYS if memory runs out. */
int join_cell(const struct aggregate *a, const struct cells *to, size_t number,
    const struct cells *from, size_t i, struct err *e) __attribute__((warn_unused_result));

/*
 * Joins the texts at n places, separated by TABs, in a->text, which then has room for MORE bytes.
 * Returns false if memory runs out.
 */
bool aggregate_join(struct aggregate *a, const struct ev *ev, const struct slice *tag,
    const size_t *at, size_t n, size_t more) __attribute__((warn_unused_result));

/* Splits a text at its first n TABs.  Returns the rest. */
struct slice aggregate_split(struct slice text, struct slice *part, size_t n);

/*
 * Return the number of the line's identity in a->measures, or MIXED if memory runs out:
 * measures_find for a line whose identity differs from the last one, measures_resolve for the same
 * identity in another run.
 */
uint32_t measures_find(struct aggregate *a, const struct ev *ev, const struct slice *tag,
    uint32_t run);
uint32_t measures_resolve(struct aggregate *a, const struct ev *ev, uint32_t run);

/*
 * Returns the number of an identity, as in a->measures, of another aggregation with the same
 * settings, or MIXED if memory runs out.
 */
uint32_t measures_add(struct aggregate *a, struct slice identity, struct said said);

/*
 * Returns true if values of that type are texts, which are only counted.  OF is the statistic of an
 * aggregate, or ".": a count of texts is a number.
 */
bool measures_is_text(struct slice type, struct slice of);

/* Returns true if the parts of an identity are those of texts. */
bool measures_are_texts(const struct aggregate *a, const struct slice part[IDENTITY]);

/* Splits an identity of a->measures.  Parts that it does not have are ".". */
void measures_split(const struct aggregate *a, size_t number, struct slice part[IDENTITY]);

/* Returns the number that a line with that measure probably has, from the lines before. */
uint32_t measures_likely(const struct aggregate *a, struct slice measure);

#endif
