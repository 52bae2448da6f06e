/* SPDX-License-Identifier: ISC */
/*
 * csvlines.h - the lines of a stream as a CSV table: which of them become rows, and what the user
 * should know about the others.
 *
 *	l = csvlines_new();
 *	rc = csvlines_want_kinds(l, "sample,span", &e); csvlines_begin(l, &out, &style, NULL, &e);
 *	for each line: csvlines_line(l, &ev, &e);
 *	csvlines_end(l, &e);
 *	for (at = 0; csvlines_missing(l, &at, &e) != 0;) report e
 *	for (at = 0; csvlines_note(l, &at, text, sizeof text);) print text
 *	csvlines_free(l);
 *
 * csvtable.h describes the table.
 */
#ifndef AFPIPE_CSV_CSVLINES_H
#define AFPIPE_CSV_CSVLINES_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/csv.h"
#include "lib/err.h"
#include "lib/ev.h"
#include "lib/out.h"

struct csvlines;

/* Returns NULL if memory runs out. */
struct csvlines *csvlines_new(void);
void csvlines_free(struct csvlines *l);

/*
 * Makes lines of these kinds rows, separated by commas, or "all"; can be repeated.  The default is
 * all but those that describe others (lib/kinds.h).  The text is borrowed.  Fails like
 * keys_add_kinds.
 */
int csvlines_want_kinds(struct csvlines *l, const char *list, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Begins the table, before the first line.  o is borrowed.  COLUMNS is a CSV record of names, as
 * for csvtable_name, or NULL for all that lines have.  Fails like csvtable_name.
 */
int csvlines_begin(struct csvlines *l, struct out *o, const struct csv_style *style,
    const char *columns, struct err *e) __attribute__((warn_unused_result));

/* Returns true if lines of single events are among those chosen. */
bool csvlines_have_events(const struct csvlines *l);

/* Passes on the names of the columns that were set. */
void csvlines_reads(const struct csvlines *l, ev_key_sink *sink, void *ctx);

/* Takes a line of any kind.  Fails like csvtable_line; there is no table then. */
int csvlines_line(struct csvlines *l, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Writes the rows that wait, after the last line.  Returns ERR_DATA, with all of them written, if a
 * kind that was asked for is probably misspelled, and ERR_SYS if the table fails.
 */
int csvlines_end(struct csvlines *l, struct err *e) __attribute__((warn_unused_result));

/* Describes the next column that no row has: returns ERR_DATA, or 0 at the end. */
int csvlines_missing(const struct csvlines *l, size_t *at, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Stores the next note about lines that were left out, or rows that are not what they seem.  There
 * is none unless csvlines_end has written the table.  Returns false at the end.
 */
bool csvlines_note(const struct csvlines *l, size_t *at, char *text, size_t size);

#endif
