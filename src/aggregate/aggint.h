/* SPDX-License-Identifier: ISC */
/* aggint.h - shared by the parts of aggregate.h: the settings and the groups. */
#ifndef AFPIPE_AGGINT_H
#define AFPIPE_AGGINT_H

#include "lib/buf.h"
#include "lib/tab.h"
#include "lib/units.h"
#include "src/aggregate/aggregate.h"
#include "src/aggregate/tally.h"

/*
 * A group is identified by the texts of its keys with TABs between, which sort as the
 * keys do, because TAB is lower than any byte of a text.  Unless its measure is the
 * first that came, a TAB and the measure's number, GROUP_MEASURE bytes, follow.
 */
#define GROUP_MEASURE sizeof(uint32_t)

/* The identity of what is measured: texts kept in the same way.  ID_OF only with agg lines. */
enum identity { ID_MEASURE, ID_TYPE, ID_UNIT, ID_OF, IDENTITY };

#define TAGS_MAX (AGGREGATE_KEYS_MAX + IDENTITY + 2)

/*
 * The sources of keys and identities, and what else is read from a line: places 0 to
 * EV_COLUMNS - 1 are columns, later ones the tags to look for.
 */
struct places {
	size_t ntags;
	struct slice tag[TAGS_MAX]; /* keys, escaped */
	unsigned char first[256]; /* 1 + the first tag that begins with this byte, or 0 */
	unsigned char next[TAGS_MAX]; /* 1 + the next one that begins with the same byte, or 0 */
	size_t key[AGGREGATE_KEYS_MAX];
	size_t identity[IDENTITY];
	size_t nidentity;
	size_t mid, start;
};

/* The last result for a line's identity and run. */
struct resolved {
	uint64_t epoch; /* number of measure lines until then, plus 1 */
	uint32_t raw, run, number;
	struct slice unit;
};

#define RESOLVED ((size_t)1024)

struct group {
	struct wide start, end; /* start > end: no line has had a time */
	struct tally tally;
	uint32_t run, mid; /* numbers in the tables of runs and mids, or MIXED */
};

#define MIXED UINT32_MAX

struct memo {
	struct tab tab; /* of texts */
	struct slice text; /* the last one, stored in the table */
	uint32_t number;
};

extern const char aggregate_nothing[]; /* "." */

/* Splits n texts with TABs between; returns what follows the TAB after them, if any. */
struct slice aggregate_split(struct slice text, struct slice *part, size_t n);

struct aggregate {
	size_t nkeys;
	struct slice key[AGGREGATE_KEYS_MAX]; /* escaped; in texts */
	size_t nstats;
	enum stat stat[STATS];
	struct tab kinds;
	struct tab texts; /* owns the spelling of keys */
	unsigned need; /* of enum tally_need */
	bool wants_numbers, takes_aggs, takes_measures, by_unit;
	struct places at;
	struct slice last_kind;
	char last_kind_text[32];
	enum aggregate_fate last_fate;
	struct buf text; /* of the line's group or measure */
	struct tab raw; /* identities as in the lines: the unit may come from a measure line, */
	struct slice measure[IDENTITY]; /* the parts of the last one; for "." p is
					   aggregate_nothing; a tag unit=. has no bytes */
	uint32_t last_raw, last_run;
	const struct resolved *last_resolved; /* of these two */
	struct tab measures; /* and with the unit that the value is in */
	bool *says_unit; /* by number in measures: some line gives the unit itself */
	size_t measures_cap;
	struct units units;
	uint64_t epoch;
	struct resolved resolved[RESOLVED];
	struct tab groups;
	struct group *group; /* by number */
	struct spread *spread; /* by number; NULL unless needed */
	size_t cap;
	uint32_t last; /* the group of the last line */
	struct memo runs, mids;
};

#endif
