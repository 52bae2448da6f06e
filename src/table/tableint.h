/* SPDX-License-Identifier: ISC */
/* tableint.h - the tables in memory: filled by collect.c, printed by show.c. */
#ifndef AFPIPE_TABLE_TABLEINT_H
#define AFPIPE_TABLE_TABLEINT_H

#include "lib/buf.h"
#include "lib/forms.h"
#include "lib/kinds.h"
#include "lib/tab.h"
#include "lib/units.h"
#include "src/table/table.h"

#define TABLE_KEYS_ALWAYS ((size_t)3) /* columns of keys that every table has: run, region, start */
#define TABLE_NAMES_MAX 120 /* bytes of a list of names in a message */

/* Changes have two columns of intervals, of which a table may show one. */
enum table_interval { TABLE_OF_DIFFERENCE, TABLE_OF_CHANGE };

/* Named columns of texts.  Columns may be added at any time. */
struct grid {
	struct tab names;
	/* indexed by row * stride + column: 1 more than where the text is, or 0 */
	uint32_t *cell;
	size_t rows, rows_cap, stride;
	bool is_figures; /* its texts seldom repeat, and are in table.figures, not in table.text */
};

/* The table of one measure. */
struct block {
	struct slice measure, unit, of; /* "." for none */
	struct slice
	    windows; /* how they lie: sums of longer ones are larger; "." without windows */
	struct slice stat; /* of changes: the statistic; "." for aggregates */
	struct slice normalised; /* of changes: by what the results were divided, or "." */
	struct slice method; /* how percentiles were found, "." for interpolated; empty for none */
	bool overlaps; /* events are in several groups, so that groups must not be added up */
	bool by_change; /* some change has an interval as a percentage */
	bool by_difference; /* of some, that is not there or does not give the verdict */
	bool unsaid; /* it has no unit, but a later measure line may give one for some lines */
	/*
	 * The names of its rows: the keys that distinguish the group, LF, its type, LF, its times.
	 */
	struct tab rows;
	struct grid keys, stats;
	struct grid totals; /* of the stats that shares are computed of, if groups overlap */
};

struct table {
	struct tab text; /* the texts of keys */
	struct buf figures; /* the texts of stats and totals, each after its length as a uint32_t */
	struct tab blocks; /* MEASURE TAB UNIT TAB OF TAB WINDOWS TAB STAT TAB NORMALISED */
	struct block *block;
	size_t blocks_cap;
	struct units *units; /* from the measure lines; another table's, if that has them */
	struct units own_units;
	struct slice wide; /* the key whose values become columns; empty for none */
	struct tab runs; /* in the order of their run lines */
	size_t columns; /* that a table may have */
	struct buf key, head; /* scratch */
	struct table_counts counts;
	struct forms forms; /* of the aggregates */
	bool methods_differ; /* percentiles of a table were found in different ways */
	bool has_shares; /* some table that was printed has a column of shares */
	struct kinds_left left;
};

/* Returns the text of a cell, or "." if there is none.  It is valid until the next line. */
static inline struct slice
grid_text(const struct table *t, const struct grid *g, uint32_t cell)
{
	uint32_t len;

	if (cell == 0)
		return SLICE(".");
	if (!g->is_figures)
		return t->text.item[cell - 1];
	memcpy(&len, t->figures.p + cell - 1, sizeof len);
	return (struct slice){ t->figures.p + cell - 1 + sizeof len, len };
}

/* The same for the cell of that row and column, which are there. */
static inline struct slice
grid_get(const struct table *t, const struct grid *g, size_t row, size_t column)
{
	return grid_text(t, g, g->cell[row * g->stride + column]);
}

/*
 * Splits the name of a column of stats, which is VALUE, a TAB and STAT if the values of a key are
 * columns, since both may contain blanks.  Returns the statistic, and sets *value to the rest.
 * Takes time in proportion to the name.
 */
static inline struct slice
table_stat(const struct table *t, struct slice name, struct slice *value)
{
	size_t n = name.len;

	*value = SLICE("");
	if (t->wide.len == 0)
		return name;
	while (n > 0 && name.p[n - 1] != '\t')
		n--;
	*value = (struct slice){ name.p, n - 1 };
	return (struct slice){ name.p + n, name.len - n };
}

static inline bool
table_is_change(const struct block *b)
{
	return !slice_is_nothing(b->stat);
}

/* Returns the name of the column. */
static inline struct slice
table_interval_name(enum table_interval which)
{
	return which == TABLE_OF_CHANGE ? SLICE("interval") : SLICE("difference interval");
}

/* Returns the first column of that statistic, or TAB_NONE. */
size_t table_column(const struct table *t, const struct block *b, struct slice stat);

/*
 * Returns the column of a key, or TAB_NONE.  "time" is the start of a group, unless it is a key
 * itself.
 */
size_t table_key(const struct block *b, struct slice name);

/* Returns the number of rows without a run, whose groups have events of several runs. */
size_t table_pooled_rows(const struct block *b);

/* Compares two cells as in a column that is sorted ascending: numbers, then texts, then ".". */
int table_compare_cells(struct slice a, struct slice b);

/*
 * Returns the unit for the title of a table, which is empty if there is none.  It is valid as long
 * as the table.
 */
struct slice table_unit(struct table *t, const struct block *b);

/* Returns whether some tables have other windows than others, so that each has to name its own. */
bool table_windows_differ(const struct table *t);

/* Appends the keys of the first table.  Returns false if memory runs out. */
bool table_list_keys(const struct table *t, struct buf *list) __attribute__((warn_unused_result));

#endif
