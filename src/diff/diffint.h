/* SPDX-License-Identifier: ISC */
/* diffint.h - what the files of src/diff share. */
#ifndef AFPIPE_DIFF_DIFFINT_H
#define AFPIPE_DIFF_DIFFINT_H

#include "lib/buf.h"
#include "lib/seconds.h"
#include "lib/tab.h"
#include "lib/units.h"
#include "lib/wide.h"
#include "src/diff/chance.h"
#include "src/diff/diff.h"

/* Groups are compared only if all of these are equal. */
enum family_part {
	PART_MEASURE,
	PART_TYPE,
	PART_UNIT,
	PART_OF,
	PART_WINDOWS, /* how windows lie */
	PART_STAT,
	PART_METHOD, /* how a percentile was found */
	FAMILY_PARTS
};

/* The runs of a side whose totals are far from the median of the side. */
struct outlier {
	size_t count;
	struct slice run; /* the farthest one */
	double times; /* its total as a multiple of the median */
};

/*
 * The largest value, so that sums are finite.  A double, as values are: where numbers in the source
 * are more precise, the value 1e300 could be larger than that.
 */
#define DIFF_VALUE_MAX ((double)1e300)

struct family {
	struct slice part[FAMILY_PARTS]; /* "." if there is none */
	bool seen[DIFF_SIDES];
	bool overlaps; /* some result overlaps with others, and its total is not known */
	bool adds; /* a group that a run does not have is 0 */
	bool named; /* a limit names some group, although only one side has the family */
	bool scattered; /* keys tell runs apart; see scatter.c */
	uint32_t runs[DIFF_SIDES];
	double total[DIFF_SIDES]; /* of a run, on average; only with min_share */
	double whole[DIFF_SIDES], events[DIFF_SIDES]; /* the same, not divided */
	/* Values in a run, of groups on both sides; see extremes.c. */
	double values[DIFF_SIDES], values_variance[DIFF_SIDES];
	/* The first family about the same values, and the next one (0: none); see rates.c. */
	size_t first_same, next_same;
	struct outlier outlier[DIFF_SIDES];
	/* How names of its groups are shown: */
	bool has_region; /* some group has one */
	bool odd_window; /* some window is not a time */
	int decimals; /* of windows, which are shown as seconds */
};

/* A side, measure and unit. */
struct member {
	uint32_t runs;
	bool compared; /* both sides have a family of it */
	bool adds; /* such a family adds */
	uint32_t empty; /* runs without any result */
	struct slice first_empty; /* the first of them in bytewise order */
};

/* A group: a family, a region and other keys. */
struct group {
	uint32_t family;
	uint64_t matched; /* limits whose conditions hold */
	uint32_t form[DIFF_SIDES]; /* the names of its keys: a number in schemas of the side */
	bool has_region;
	bool on[DIFF_SIDES]; /* the side has a result of it */
	bool alone; /* few runs of each side have it, because of a key; see scatter.c */
};

/* A result of a run. */
struct result {
	uint32_t group, run;
	enum diff_side side;
	bool missing; /* it has no value, or none that can be compared */
	double value, total;
	bool has_total;
	bool overlaps; /* with others, so there may be no total */
	bool has_n;
	uint64_t n;
};

/* The first and the last time of a run. */
struct extent {
	bool set;
	struct wide from, to;
};

struct lone {
	struct tab schemas; /* names of the keys */
	struct tab runs; /* "." for results that are not by run */
	struct extent *extent; /* by run */
	size_t extents_cap;
	struct units units;
	uint64_t results, events;
	bool has_region, pooled, overlaps;
	size_t declared; /* runs, without "." */
	uint64_t sources, each; /* of all runs; of each of them, at least, */
	struct slice each_run; /* and the first one that has so many, in bytewise order */
	size_t bare; /* runs of which there is only a run line */
	struct slice first_bare; /* the first of them in bytewise order */
};

/* What is worth a message about a group and a limit. */
enum verdict {
	BEYOND, /* the change is beyond the limit */
	UNSURE, /* its interval is not, although nearly all runs of AFTER are */
	LACKING, /* it is not, but would be without a few runs that lack the group, and are 0 */
	GONE, /* it is not, and AFTER does not have the group, although nearly all of BEFORE do */
	VERDICTS
};

/* How a group has changed.  All figures are rounded. */
struct effect {
	uint32_t group, block; /* block: a number of its family, in the order of the output */
	bool there[DIFF_SIDES]; /* the side has a value */
	bool known; /* both have */
	bool spread, relative_spread; /* so are the intervals */
	size_t n[DIFF_SIDES];
	size_t lacks[DIFF_SIDES]; /* of these, runs that do not have it, and are 0 */
	double mean[DIFF_SIDES], delta, change; /* AFTER - BEFORE, and its part of |BEFORE| */
	struct interval delta_in, change_in;
	double p;
	uint64_t judged, limits[VERDICTS]; /* a bit for each limit */
};

struct diff {
	const struct diff_settings *x;
	struct lone side[DIFF_SIDES];
	struct tab families, groups, members, measured;
	struct family *family;
	struct group *group;
	struct result *result;
	size_t results, family_cap, group_cap, result_cap, members_cap;
	struct member *member;
	bool *has_result; /* by number in measured: the run has a result, not only a measure line */
	size_t has_cap;
	struct effect *effect;
	size_t effects;
	uint32_t *rank; /* of groups, by their texts */
	struct slice *item; /* the texts of groups, sorted */
	struct buf text, name; /* scratch */
	struct ev_tag *tag; /* the keys of a line, sorted */
	size_t tag_cap;
	struct chance *chance;
	uint64_t ignored; /* bit N is set if a line has key N of x->ignore */
	struct err regions; /* the doubt that some runs have none although others do, or ERR_NONE */
	struct buf apart; /* how the sides differ if they have no group in common; else empty */
	uint64_t odd; /* values that are not finite */
	uint64_t without[DIFF_SIDES]; /* groups that only this side has, and that are not 0 on the
				       * other */
	uint64_t valueless; /* groups that have no value on either side */
	uint64_t few; /* groups with too few runs for an interval */
	/*
	 * By limit, groups that it names: all, those that are judged, those of them that have
	 * results on both sides, or are in one run because a key is, those with each verdict; and
	 * those of measures that only one side has.
	 */
	uint64_t matched[DIFF_LIMITS_MAX], judged[DIFF_LIMITS_MAX], paired[DIFF_LIMITS_MAX],
	    scattered_of[DIFF_LIMITS_MAX], found[VERDICTS][DIFF_LIMITS_MAX], lone[DIFF_LIMITS_MAX];
	double by_chance[DIFF_LIMITS_MAX]; /* groups that may be beyond a limit by chance */
	size_t fewest[DIFF_SIDES]; /* the fewest runs of any group without an interval */
	uint64_t work; /* values so far */
	size_t room_cap[DIFF_SIDES]; /* of the samples */
	/* Keys that differ from run to run, and the part of a family in groups of one run. */
	struct buf scattered;
	struct buf fixed; /* keys of which each run has one value, and not all the same */
	double alone;
	uint32_t alone_family;
	size_t shared; /* runs that both sides have, with the same results */
	double *moved; /* BEFORE, moved to a limit */
	size_t moved_cap;
	double *kept[DIFF_SIDES]; /* a sample without the runs that lack the group */
	size_t kept_cap[DIFF_SIDES];
};

/* Returns the seconds from the first to the last event of a run, or 0. */
double diff_seconds(const struct extent *x);

/*
 * Finds out how the groups differ, if none is on both sides: sets d->apart.  Returns false if
 * memory runs out.
 */
bool diff_look_apart(struct diff *d) __attribute__((warn_unused_result));

/*
 * Returns ERR_DATA if the runs of a side were aggregated with different keys or statistics, and
 * ERR_SYS if memory runs out.  If only regions make them differ, sets d->regions.  The results are
 * sorted.
 */
int diff_check_alike(struct diff *d, struct err *e) __attribute__((warn_unused_result));

/* Returns ERR_DATA if histograms of a measure differ in their bins, and ERR_SYS without memory. */
int diff_check_bins(const struct diff *d, struct err *e) __attribute__((warn_unused_result));

/* Counts the runs of each member that have no result. */
void diff_count_empty(struct diff *d);

/*
 * Finds the runs that are unlike the others of their side, or on both, for diff_next_run_note.
 * Returns false if memory runs out.
 */
bool diff_look_at_runs(struct diff *d) __attribute__((warn_unused_result));

/* Returns the first run of the side, in bytewise order, that lacks the group and is 0. */
struct slice diff_first_lacking(const struct diff *d, const struct effect *x, enum diff_side s);

/* Returns true if that run has a result of the group.  The results are sorted. */
bool diff_run_has(const struct diff *d, uint32_t group, enum diff_side s, size_t run);

/* Stores the doubt AT, below diff_run_notes, about such runs.  Returns false if there is none. */
size_t diff_run_notes(const struct diff *d);
bool diff_next_run_note(const struct diff *d, size_t at, struct err *e);

/*
 * Finds out whether keys differ from run to run, for diff_key_note.  Returns false if memory runs
 * out.
 */
bool diff_look_at_keys(struct diff *d);

/* Stores the doubt about such keys.  Returns false if there are none. */
bool diff_key_note(const struct diff *d, struct err *e);

/*
 * Counts the events of each side and adds them up, for diff_next_rate_note.  Returns false when
 * memory runs out.
 */
bool diff_count_events(struct diff *d);

/*
 * Stores a note if the number of events of family AT differs between the sides, what they add up to
 * does not, and something is compared that depends on the number.  Returns false otherwise.
 */
bool diff_next_rate_note(const struct diff *d, size_t at, struct err *e);

/* Counts the values of each family, for diff_next_extreme_note. */
void diff_count_values(struct diff *d);

/*
 * Stores the doubt that the extremes of family AT, and of those about the same values, are those of
 * different numbers of values.  Returns false if there is none.
 */
bool diff_next_extreme_note(const struct diff *d, size_t at, struct err *e);

/* Returns the region and the other keys of a group, separated by TABs. */
struct slice diff_group_name(const struct diff *d, size_t group);

/* Returns the same without the region. */
struct slice diff_group_keys(const struct diff *d, size_t group);

/* Takes the next field from a text of fields with TABs between them. */
struct slice diff_field(struct slice *rest);

/*
 * Takes the next part from the name of a group of the family, as it is shown to people: without a
 * region that no group has, and with windows in seconds, which are written to ROOM.
 */
#define DIFF_PART_MAX (SECONDS_MAX + 8)
struct slice diff_next_part(const struct family *f, struct slice *name, char room[DIFF_PART_MAX]);

/* Finds out how the names of all groups are shown. */
void diff_look_at_names(struct diff *d);

/* Finds a divisor by its name: total, time or count.  Returns false for another one. */
bool diff_per_named(const char *name, enum diff_per *per) __attribute__((warn_unused_result));

#endif
