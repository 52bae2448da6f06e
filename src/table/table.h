/* SPDX-License-Identifier: ISC */
/*
 * table.h - prints aggregates as tables for people: one table per measure, one row per
 * group, one column per statistic; or all of them as one CSV table.  Changes of aggregates (lines
 * of kind diff) have one table per measure and statistic.
 *
 * All groups are kept in memory until they are printed.
 */
#ifndef AFPIPE_TABLE_TABLE_H
#define AFPIPE_TABLE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/csv.h"
#include "lib/err.h"
#include "lib/ev.h"
#include "lib/out.h"
#include "lib/slice.h"

#define TABLE_COLUMNS_MAX ((size_t)256) /* columns of one table, for table_print */

struct table;

/* Returns NULL when memory runs out. */
struct table *table_open(void);

/*
 * Opens a table for other results of the same stream, as if table_set_wide had been called as for
 * OTHER.  It uses the measure lines that OTHER is given, and must be closed before it.
 */
struct table *table_open_beside(const struct table *other);
void table_close(struct table *t);

/*
 * Reads the key whose values become columns, which is borrowed; it is empty for stat, since
 * statistics are columns without a key.  Returns ERR_DATA for a word that cannot be one.
 */
int table_read_wide(const char *text, struct slice *key, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Makes the values of a key columns, so that groups that differ in nothing else are one row.  To be
 * called before the first line; the key is borrowed.
 */
void table_set_wide(struct table *t, struct slice key);

/*
 * Allows so many columns, before the first line, for table_put_csv.  A line that would add more is
 * left out.
 */
void table_set_columns(struct table *t, size_t columns);

/*
 * Adds agg, diff and measure lines and counts all others.  Returns ERR_DATA if the line is omitted,
 * or is the first change although the values of a key are columns.  Returns ERR_SYS if memory runs
 * out.
 */
int table_line(struct table *t, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/* Numbers of lines so far. */
struct table_counts {
	uint64_t aggregates; /* agg and diff lines */
	uint64_t changes; /* diff lines */
	uint64_t open; /* diff lines without an interval although there is a change */
	uint64_t events; /* sample and span lines, which afagg aggregates */
	uint64_t starts; /* start and stop lines, of which afdur makes spans */
	uint64_t lost; /* lost lines, which mean that the source lost events */
	uint64_t wide; /* agg lines that have the key of table_set_wide */
	uint64_t repeated; /* agg or diff lines that repeat an earlier one */
};

const struct table_counts *table_counts(const struct table *t);

/*
 * After the last line: the caller reports in other words what lines of this kind say, so that
 * table_report does not list them.
 */
void table_told(struct table *t, struct slice kind);

/* Returns whether an event can be in several groups of a table. */
bool table_overlaps(const struct table *t);

/* Returns whether any group has this key or statistic. */
bool table_has(const struct table *t, struct slice name);

/*
 * Reports the next thing that the tables do not show, after the last line: as an error, or with the
 * code ERR_NONE as a note.  Returns false at the end.  Start with *at = 0.
 */
bool table_report(struct table *t, size_t *at, struct err *e);

enum table_order {
	TABLE_USUAL, /* keys ascending, statistics descending */
	TABLE_ASCENDING,
	TABLE_DESCENDING
};

/*
 * Joins the rows that differ only in their run, after the last line, if the values of a key are
 * columns and all cells of each value are of one run, in all tables: the run of a cell is then
 * known without it.  So it is if the run is no key, since some groups have events of several runs.
 * Rows with results in the same column stay apart.  Returns ERR_SYS if memory runs out.
 */
int table_join_runs(struct table *t, struct err *e) __attribute__((warn_unused_result));

struct table_view {
	/*
	 * The key or statistic to sort by.  If empty, this is sum or the first statistic; changes
	 * are sorted by their size.
	 */
	struct slice sort;
	enum table_order order;
	/*
	 * Shares are those of all groups with the same value of this key.  If empty, those of the
	 * table.  Tables without the key, or with groups that overlap, and changes have none.
	 */
	struct slice percent_of;
	size_t top; /* rows of a table, 0 for all */
	/*
	 * If not empty, top is the number of rows with the same value of this key.  A table without
	 * it has all its rows.
	 */
	struct slice top_of;
	struct slice measure; /* only tables of this measure; if empty, all */
	bool human; /* numbers with three digits and a suitable unit */
	size_t width; /* keys longer than this are cut in the middle, unless two
	                 would look alike; 0: never, or at least 5 */
};

/*
 * Sets the sorting from NAME, NAME:asc or NAME:desc, which is borrowed.  Returns ERR_DATA for an
 * empty name.
 */
int table_view_sort(struct table_view *view, const char *text, struct err *e)
    __attribute__((warn_unused_result));

/* Sets top from N or N:KEY, which is borrowed.  Returns ERR_DATA for anything else. */
int table_view_top(struct table_view *view, const char *text, struct err *e)
    __attribute__((warn_unused_result));

/* Returns ERR_DATA if no group has the key or statistic by which the view sorts. */
int table_check_sort(const struct table *t, const struct table_view *view, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Stores the next reason, an error, why a part of the view is without effect: no group has one of
 * its keys, or there cannot be shares.  None if there is no table.  Start with *at = 0.  Returns
 * false at the end.
 */
bool table_view_fails(const struct table *t, const struct table_view *view, size_t *at,
    struct err *e);

/* Returns ERR_DATA if there is no table of the view's measure. */
int table_check_measure(const struct table *t, const struct table_view *view, struct err *e)
    __attribute__((warn_unused_result));

/* Returns the number of rows of each table, at least 1, so that all fit into so many lines. */
size_t table_fit(const struct table *t, size_t lines);

/* Writes all tables.  Returns ERR_SYS if memory runs out.  Failures of o are kept in o. */
int table_print(struct table *t, const struct table_view *view, struct out *o, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Returns whether tables were printed without the shares that the view asks for, and stores why, as
 * an error, or with the code ERR_NONE as a note, unless table_view_fails has a reason.
 */
bool table_lacks_shares(const struct table *t, const struct table_view *view, struct err *e);

/*
 * Like table_read_wide, for table_put_csv: refuses keys that only tell results of one group apart,
 * or have columns of their own.
 */
int table_read_wide_sheet(const char *text, struct slice *key, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Writes all tables as one CSV table: the names of the columns, then a row for each group, in the
 * order of the input.  All lines are of kind agg.  The columns are measure, unit, of (if any line
 * has it), the keys and the statistics.  Returns ERR_DATA if two columns would have the same name,
 * with nothing written, and ERR_SYS if memory runs out.
 */
int table_put_csv(struct table *t, const struct csv_style *style, struct out *o, struct err *e)
    __attribute__((warn_unused_result));
/*
 * A table for a screen, cell by cell.  It is valid until the table gets another line or is closed,
 * and uses the memory of VIEW, whose top, percent_of and measure have no effect.
 */
struct table_pane;

/* Returns the number of tables, and the name of a table, which is different for each. */
size_t table_count(const struct table *t);
struct slice table_name(const struct table *t, size_t i);

/*
 * Opens table I.  Only rows that have the text MATCH in a key are in it, but shares are those of
 * all rows.  Fails with ERR_SYS if memory runs out.
 */
int table_pane_open(struct table_pane **pane, struct table *t, size_t i,
    const struct table_view *view, struct slice match, struct err *e)
    __attribute__((warn_unused_result));
void table_pane_close(struct table_pane *p);

/* The number of rows, and of all groups; the number of columns. */
size_t table_pane_rows(const struct table_pane *p);
size_t table_pane_groups(const struct table_pane *p);
size_t table_pane_columns(const struct table_pane *p);

/* The width of a screen, and what tells how many of its columns a text takes. */
struct table_room {
	size_t width;
	size_t (*columns)(const void *screen, struct slice text);
	const void *screen;
};

/*
 * Gives columns the widths that rows FROM to FROM + N need, if the room allows; keys are cut first.
 */
void table_pane_fit(struct table_pane *p, size_t from, size_t n, const struct table_room *room);

struct table_cell {
	struct slice text; /* escaped, and cut; valid until the next call */
	struct slice name; /* of the column, to sort by */
	size_t at, width; /* of its column */
	bool right; /* aligned to the right */
	bool sorted; /* the column by which rows are sorted */
	bool ascending; /* they are, by whatever column */
	bool
	    share; /* the column is a percentage of the one before it, and has no name to sort by */
};

/* Return a cell of a row, and the name of a column. */
struct table_cell table_pane_cell(struct table_pane *p, size_t row, size_t column);
struct table_cell table_pane_heading(struct table_pane *p, size_t column);

/* Returns "MEASURE [UNIT], of STAT", valid until the next call of a function with this pane. */
struct slice table_pane_title(struct table_pane *p);

/* Returns the text of a key of a row, uncut.  p is NULL if the table has no such key. */
struct slice table_pane_key(const struct table_pane *p, size_t row, struct slice name);

/* Returns the name of a row, which is the same whenever its group has the same keys. */
struct slice table_pane_name(const struct table_pane *p, size_t row);

#endif
