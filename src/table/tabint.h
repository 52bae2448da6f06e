/* SPDX-License-Identifier: ISC */
/* tabint.h - internals of a table, shared by table.c, which fills it, and print.c. */
#ifndef AFPIPE_TABLE_TABINT_H
#define AFPIPE_TABLE_TABINT_H

#include "lib/buf.h"
#include "lib/tab.h"
#include "lib/units.h"
#include "src/table/table.h"

/* Named columns of texts; a column may be added late. */
struct grid {
	struct tab names;
	uint32_t *cell; /* number of the text + 1, or 0: row * stride + column */
	size_t rows, rows_cap, stride;
};

/* The table of one measure. */
struct block {
	struct slice measure, unit; /* "." for none */
	bool unsaid; /* none, and a later measure line may give it for some lines */
	/* Its rows: the keys that distinguish the groups, LF, their type, LF, their times. */
	struct tab rows;
	struct grid keys, stats;
};

struct table {
	struct tab text; /* all texts of cells */
	struct tab blocks; /* MEASURE TAB UNIT */
	struct block *block;
	size_t blocks_cap;
	struct units units; /* from the measure lines */
	struct buf key;
	struct table_counts counts;
};

/* The text of a cell; "." if there is none. */
static inline struct slice
grid_get(const struct table *t, const struct grid *g, size_t row, size_t column)
{
	uint32_t n = g->cell[row * g->stride + column];

	return n == 0 ? SLICE(".") : t->text.item[n - 1];
}

/*
 * Write numbers for people, digits and unit, to dst, which has room for FIGURE_MAX; each
 * returns the length.
 */
#define FIGURE_MAX 400

/* With that many decimals, at most 9. */
size_t figure_fixed(char *dst, double v, int decimals);

/* Three digits and a suitable prefix or unit; unit is the measure's, empty for a plain count. */
size_t figure_human(char *dst, double v, struct slice unit);

/* The number of decimals for a column whose largest magnitude is max. */
int figure_decimals(double max);

/* table.c: the key of a block, to t->key.  False without memory. */
bool block_key(struct table *t, struct slice measure, struct slice unit)
    __attribute__((warn_unused_result));

#endif
