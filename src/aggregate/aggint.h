/* SPDX-License-Identifier: ISC */
/* aggint.h - what the parts of aggregate.h share: the settings and the groups. */
#ifndef AFPIPE_AGGINT_H
#define AFPIPE_AGGINT_H

#include "lib/buf.h"
#include "lib/tab.h"
#include "lib/units.h"
#include "src/aggregate/aggregate.h"
#include "src/aggregate/tally.h"

/*
 * A group is known by the texts of its keys with TABs between, which sort as the keys
 * do, for TAB is lower than any byte of a text.  Where what is measured is not the
 * first that came, a TAB and its number, GROUP_MEASURE bytes, follow.
 */
#define GROUP_MEASURE sizeof(uint32_t)

/* What is measured: texts that are kept in the same way.  ID_OF only where agg lines are taken. */
enum identity { ID_MEASURE, ID_TYPE, ID_UNIT, ID_OF, IDENTITY };

#define TAGS_MAX (AGGREGATE_KEYS_MAX + IDENTITY + 2)

/*
 * Where keys and identities come from, and what else is read of a line: places 0 to EV_COLUMNS - 1
 * are columns, those after them the tags that are looked for.
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

/* What was found last for a line's identity and run. */
struct resolved {
	uint64_t epoch; /* how many measure lines there had been, plus 1 */
	uint32_t raw, run, number;
	struct slice unit;
};

#define RESOLVED ((size_t)1024)

struct group {
	struct wide start, end; /* start > end: no line had a time */
	struct tally tally;
	uint32_t run, mid; /* numbers in the tables of runs and mids, or MIXED */
};

#define MIXED UINT32_MAX

struct memo {
	struct tab tab; /* of texts */
	struct slice text; /* the last one, as the table has it */
	uint32_t number;
};

extern const char aggregate_nothing[]; /* "." */

/* Takes n texts with TABs between apart; returns what follows the TAB behind them, if any. */
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
	struct tab raw; /* identities as lines have them: the unit may be that of a measure line, */
	struct slice measure[IDENTITY]; /* the parts of the last one; for "." p is
					   aggregate_nothing; a tag unit=. has no bytes */
	uint32_t last_raw, last_run;
	const struct resolved *last_resolved; /* of these two */
	struct tab measures; /* and with the unit that the value is in */
	bool *says_unit; /* of each of these: a line says the unit itself */
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
