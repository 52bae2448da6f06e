/* SPDX-License-Identifier: ISC */
/* tabint.h - the inside of a table, shared by table.c, which fills it, and print.c. */
#ifndef AFPIPE_TABLE_TABINT_H
#define AFPIPE_TABLE_TABINT_H

#include "lib/buf.h"
#include "lib/tab.h"
#include "lib/units.h"
#include "src/table/table.h"

/* Named columns of texts; a column may come late. */
struct grid {
	struct tab names;
	uint32_t *cell; /* number of the text + 1, or 0: row * stride + column */
	size_t rows, rows_cap, stride;
};

/* The table of one measure. */
struct block {
	struct slice measure, unit; /* "." for none */
	bool unsaid; /* none, and of some lines a later measure line may say it */
	/* Its rows: what tells the groups apart, LF, their type, LF, their times. */
	struct tab rows;
	struct grid keys, stats;
};

struct table {
	struct tab text; /* all texts of cells */
	struct tab blocks; /* MEASURE TAB UNIT */
	struct block *block;
	size_t blocks_cap;
	struct units units; /* what the measure lines say */
	struct buf key;
	struct table_counts counts;
};

/* The text of a cell; "." where there is none. */
static inline struct slice
grid_get(const struct table *t, const struct grid *g, size_t row, size_t column)
{
	uint32_t n = g->cell[row * g->stride + column];

	return n == 0 ? SLICE(".") : t->text.item[n - 1];
}

/*
 * Numbers for people, digits and unit, in dst, which has room for FIGURE_MAX; each
 * returns its length.
 */
#define FIGURE_MAX 400

/* With that many decimals, at most 9. */
size_t figure_fixed(char *dst, double v, int decimals);

/* Three digits and a prefix or unit that fits: unit is the measure's, empty for a plain count. */
size_t figure_human(char *dst, double v, struct slice unit);

/* Decimals that a column needs whose largest magnitude is max. */
int figure_decimals(double max);

#endif
