/* SPDX-License-Identifier: ISC */
/*
 * csvtable.h - writes the lines of a stream as the rows of a CSV table (RFC 4180).
 *
 *	s = csvtable_open(&out, &style); optionally csvtable_name(s, "region,value", &e)
 *	for each line csvtable_line(s, &ev, &e);
 *	csvtable_end(s, &e);
 *
 * The columns of afstream(5) come first, then the tags in the order of their first appearance.
 * Since the first row has the names, rows wait in a temporary file unless the columns were named.
 *
 * If a key appears several times on a line, each occurrence has a column of its own with that name.
 */
#ifndef AFPIPE_CSV_CSVTABLE_H
#define AFPIPE_CSV_CSVTABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/csv.h"
#include "lib/err.h"
#include "lib/ev.h"
#include "lib/out.h"
#include "lib/slice.h"

#define CSVTABLE_NAMES_MAX ((size_t)4 * 1024 * 1024) /* bytes of all names of columns */

struct csvtable;

/* Opens a table of at most CSV_COLUMNS_MAX columns.  o is borrowed.  NULL: memory ran out. */
struct csvtable *csvtable_open(struct out *o, const struct csv_style *style);
void csvtable_close(struct csvtable *s);

/*
 * Sets the columns from a CSV record, before the first line.  A "?" after a name allows that no
 * line has it.  Each row is then written as it comes.  Returns ERR_DATA if it is not a record or
 * has too many names.  Fails with ERR_SYS, too.
 */
int csvtable_name(struct csvtable *s, const char *record, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Adds a line as a row.  Returns ERR_DATA if there are too many columns, so that no table can be
 * made.  Returns ERR_SYS if memory runs out or the temporary file fails.
 */
int csvtable_line(struct csvtable *s, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Writes the waiting rows, after the last line.  Fails with ERR_SYS.  Failures of o are kept in o.
 */
int csvtable_end(struct csvtable *s, struct err *e) __attribute__((warn_unused_result));

/* Pass on the names of the columns so far, and those that some line must have. */
void csvtable_reads(const struct csvtable *s, ev_key_sink *sink, void *ctx);
void csvtable_needs(const struct csvtable *s, ev_key_sink *sink, void *ctx);

#endif
