/* SPDX-License-Identifier: ISC */
/* aggint.h - what the parts of aggregate.h share: the settings and the groups. */
#ifndef AFPIPE_AGGINT_H
#define AFPIPE_AGGINT_H

#include "lib/buf.h"
#include "lib/tab.h"
#include "src/aggregate/aggregate.h"
#include "src/aggregate/tally.h"

/*
 * A group's identity is a row of fields: the keys, then what the measure is.  It is
 * kept as their texts with TABs between, which sort as the fields do: TAB is lower
 * than any byte of a text.
 */
enum identity { ID_MEASURE, ID_TYPE, ID_UNIT, ID_OF, IDENTITY };

#define FIELDS_MAX (AGGREGATE_KEYS_MAX + IDENTITY)
#define TAGS_MAX (FIELDS_MAX + 2)

/*
 * Where a field comes from, and what else is read of a line: places 0 to EV_COLUMNS - 1
 * are columns, those after them the tags that are looked for.
 */
struct places {
	size_t ntags;
	struct slice tag[TAGS_MAX];	/* keys, escaped */
	bool first[256];		/* bytes that one of them begins with */
	size_t nfields;
	size_t field[FIELDS_MAX];
	size_t mid, start;
};

struct group {
	struct wide start, end;	/* start > end: no line had a time */
	struct tally tally;
	uint32_t run, mid;	/* numbers in the tables of runs and mids, or MIXED */
};

#define MIXED UINT32_MAX

struct memo {
	struct tab tab;		/* of texts */
	struct slice text;	/* the last one, as the table has it */
	uint32_t number;
};

struct aggregate {
	size_t nkeys;
	struct slice key[AGGREGATE_KEYS_MAX];	/* escaped; in texts */
	size_t nstats;
	enum stat stat[STATS];
	struct tab kinds;
	struct tab texts;		/* owns the spelling of keys */
	unsigned need;			/* of enum tally_need */
	bool wants_numbers, takes_aggs;
	struct places at;
	struct slice last_kind;
	char last_kind_text[32];
	enum aggregate_fate last_fate;
	struct buf identity;		/* of the line at hand */
	struct tab groups;		/* identities */
	struct group *group;		/* by number */
	struct spread *spread;		/* by number; NULL unless needed */
	size_t cap;
	uint32_t last;			/* the group of the last line */
	struct memo runs, mids;
};

#endif
