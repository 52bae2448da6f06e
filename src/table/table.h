/* SPDX-License-Identifier: ISC */
/*
 * table.h - prints aggregates as tables for people: one table per measure, one row per
 * group, one column per statistic.
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

#define TABLE_COLUMNS_MAX 256 /* of one table; a line that would add more is left out */

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

/* Numbers of lines so far. */
struct table_counts {
	uint64_t aggregates;
	uint64_t events; /* sample and span lines, which afagg takes */
	uint64_t lost; /* lost lines: the source lost events */
	uint64_t repeated; /* agg lines that repeat an earlier one */
	uint64_t others; /* of kinds without a place in a table */
};

const struct table_counts *table_counts(const struct table *t);

/* Does any group have this statistic? */
bool table_has(const struct table *t, struct slice stat);

/*
 * Returns measures of which some groups share a table though their units, which only later measure
 * lines gave, differ: one per call, false at the end.  Start with *at = 0.
 */
bool table_late(struct table *t, size_t *at, struct slice *measure);

struct table_view {
	struct slice
	    sort; /* the statistic to sort by, largest first; empty: sum, or the first one */
	size_t top; /* rows of a table, 0 for all */
	bool human; /* numbers with three digits and a suitable unit */
	bool wide; /* keys in full, however long */
};

/* Writes all tables.  ERR_SYS without memory; failures of o are kept in o. */
int table_print(struct table *t, const struct table_view *view, struct out *o, struct err *e)
    __attribute__((warn_unused_result));

#endif
