/* SPDX-License-Identifier: ISC */
/*
 * csvtable.h - writes the lines of a stream as the rows of a CSV table (RFC 4180).
 *
 *	s = csvtable_open(&out); optionally csvtable_name(s, "region,value", &e)
 *	for each line csvtable_line(s, &ev, &e);
 *	csvtable_end(s, &e);
 *
 * Columns are those of afstream(5), then the tags in the order in which they first come.  Since
 * the names are in the first row, rows wait in a temporary file, unless the columns were named.
 *
 * If a key appears several times on a line, each has its own column, all with that name.
 */
#ifndef AFPIPE_CSV_CSVTABLE_H
#define AFPIPE_CSV_CSVTABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/out.h"
#include "lib/slice.h"

#define CSVTABLE_COLUMNS_MAX \
	16384 /* as in a spreadsheet; the output grows with rows times columns */
#define CSVTABLE_NAMES_MAX ((size_t)4 * 1024 * 1024) /* bytes of all their names */

struct csvtable;

/* NULL without memory.  o is borrowed. */
struct csvtable *csvtable_open(struct out *o);
void csvtable_close(struct csvtable *s);

/* Keeps the escapes of the stream in texts. */
void csvtable_keep_escapes(struct csvtable *s);

/*
 * Call before the first line: sets the columns, given as a CSV record; each row is then written
 * as it comes.  ERR_DATA: not a record, or too many names; ERR_SYS.
 */
int csvtable_name(struct csvtable *s, const char *record, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Takes a line as a row.  ERR_DATA: there are too many columns, and no table can be made;
 * ERR_SYS: memory or the temporary file failed.
 */
int csvtable_line(struct csvtable *s, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/* After the last line: writes what waits.  ERR_SYS; failures of o are kept in o. */
int csvtable_end(struct csvtable *s, struct err *e) __attribute__((warn_unused_result));

/*
 * The escaped name of the next column, from *i on, that was named but is empty in all rows.  False
 * if there is none.  Start with *i = 0.
 */
bool csvtable_unseen(const struct csvtable *s, size_t *i, struct slice *name);

#endif
