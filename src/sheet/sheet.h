/* SPDX-License-Identifier: ISC */
/*
 * sheet.h - lines of a stream as the rows of a CSV table (RFC 4180).
 *
 *	s = sheet_open(&out); sheet_name(s, "region,value", &e) or not
 *	for each line sheet_line(s, &ev, &e);
 *	sheet_end(s, &e);
 *
 * Columns are those of afstream(5), then the tags in the order of their first coming.  Since
 * their names come first, rows wait in a temporary file, unless the columns were named.
 *
 * Of a key that stands on a line several times each is a column of its own, all of that name.
 */
#ifndef AFPIPE_SHEET_SHEET_H
#define AFPIPE_SHEET_SHEET_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/out.h"
#include "lib/slice.h"

#define SHEET_COLUMNS_MAX 16384 /* those of a spreadsheet; rows times columns are what is written */
#define SHEET_NAMES_MAX ((size_t)4 * 1024 * 1024) /* bytes of all their names */

struct sheet;

/* NULL without memory.  o is borrowed. */
struct sheet *sheet_open(struct out *o);
void sheet_close(struct sheet *s);

/* Text keeps the escapes of the stream. */
void sheet_keep_escapes(struct sheet *s);

/*
 * Before the first line: the columns are these, as a record of CSV has them, and each row is
 * written as it comes.  ERR_DATA: it is no record, or has too many names; ERR_SYS.
 */
int sheet_name(struct sheet *s, const char *record, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Takes a line as a row.  ERR_DATA: there are too many columns, and no table can be made;
 * ERR_SYS: memory or the temporary file failed.
 */
int sheet_line(struct sheet *s, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/* Behind the last line: writes what waits.  ERR_SYS; failures of o stay there. */
int sheet_end(struct sheet *s, struct err *e) __attribute__((warn_unused_result));

/*
 * The next column, from *i on, that was named and that no row has something in: its name,
 * escaped.  False where there is none.  Start with *i = 0.
 */
bool sheet_unseen(const struct sheet *s, size_t *i, struct slice *name);

#endif
