/* SPDX-License-Identifier: ISC */
/* tableint.h - the tables in memory: filled by table.c, printed by show.c. */
#ifndef AFPIPE_TABLE_TABLEINT_H
#define AFPIPE_TABLE_TABLEINT_H

#include "lib/buf.h"
#include "lib/tab.h"
#include "lib/units.h"
#include "src/table/table.h"

/* Named columns of texts.  Columns may be added at any time. */
struct grid {
	struct tab names;
	uint32_t *cell; /* indexed by row * stride + column: number of the text + 1, or 0 */
	size_t rows, rows_cap, stride;
};

/* The table of one measure. */
struct block {
	struct slice measure, unit, of; /* "." for none */
	bool overlaps; /* events are in several groups, so that groups must not be added up */
	bool unsaid; /* it has no unit, but a later measure line may give one for some lines */
	/*
	 * The names of its rows: the keys that distinguish the group, LF, its type, LF, its times.
	 */
	struct tab rows;
	struct grid keys, stats;
	struct grid totals; /* of the stats that shares are computed of, if groups overlap */
};

struct table {
	struct tab text; /* the texts of all cells */
	struct tab blocks; /* MEASURE TAB UNIT TAB OF */
	struct block *block;
	size_t blocks_cap;
	struct units units; /* from the measure lines */
	struct buf key;
	struct table_counts counts;
};

/* Returns the text of a cell, or "." if there is none. */
static inline struct slice
grid_get(const struct table *t, const struct grid *g, size_t row, size_t column)
{
	uint32_t n = g->cell[row * g->stride + column];

	return n == 0 ? SLICE(".") : t->text.item[n - 1];
}

/*
 * Returns the column of a key, or TAB_NONE.  "time" is the start of a group, unless it is a key
 * itself.
 */
size_t table_key(const struct block *b, struct slice name);

/*
 * Returns the unit for the title of a table, which is empty if there is none.  It is valid as long
 * as the table.
 */
struct slice table_unit(struct table *t, const struct block *b);

#endif
