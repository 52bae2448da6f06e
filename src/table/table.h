/* SPDX-License-Identifier: ISC */
/*
 * table.h - aggregates as tables for people: one table a measure, one row a group,
 * one column a statistic.
 *
 * All groups are held until they are printed.
 */
#ifndef AFPIPE_TABLE_TABLE_H
#define AFPIPE_TABLE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/out.h"
#include "lib/slice.h"

#define TABLE_COLUMNS_MAX 256 /* of one table; a line that brings more is left out */

struct table;

/* NULL when there is no memory. */
struct table *table_open(void);
void table_close(struct table *t);

/*
 * Takes agg and measure lines, counts the others.  ERR_DATA: the line is left out.
 * ERR_SYS: no memory.
 */
int table_line(struct table *t, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/* Lines so far. */
struct table_counts {
	uint64_t aggregates;
	uint64_t events; /* sample and span lines, which afagg takes */
	uint64_t lost; /* lost lines: the source lost events */
	uint64_t repeated; /* agg lines that say again what one before them said */
	uint64_t others; /* of kinds that a table has no place for */
};

const struct table_counts *table_counts(const struct table *t);

/* Does any group have this statistic? */
bool table_has(const struct table *t, struct slice stat);

/*
 * Measures of whose groups some are in units that only measure lines after them say, and that
 * differ, so that they are in one table: one a call, false at the end.  Start with *at = 0.
 */
bool table_late(struct table *t, size_t *at, struct slice *measure);

struct table_view {
	struct slice
	    sort; /* the statistic to sort by, largest first; empty: sum, or the first there is */
	size_t top; /* rows of a table, 0 for all */
	bool human; /* numbers with a unit that fits, three digits */
	bool wide; /* keys in full, however long */
};

/* Appends all tables.  ERR_SYS without memory; failures of o stay there. */
int table_print(struct table *t, const struct table_view *view, struct out *o, struct err *e)
    __attribute__((warn_unused_result));

#endif
