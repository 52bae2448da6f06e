/* SPDX-License-Identifier: ISC */
/*
 * csv.h - writes fields and reads records of comma-separated values, quoted as in RFC 4180; the
 * style of a table of them.
 *
 * A thin wrapper around libcsv: no other file includes its header.
 */
#ifndef AFPIPE_CSV_H
#define AFPIPE_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/out.h"

#define CSV_COLUMNS_MAX 16384 /* as in spreadsheets; the output grows with rows times columns */

struct csv_style {
	char delimiter; /* between fields */
	bool bom; /* a byte order mark comes first */
	bool escaped; /* texts keep the escapes of the stream */
};

/* Sets the delimiter from a text: one of , ; : | and a TAB, or "tab" or "\\t". */
bool csv_style_delimiter(struct csv_style *s, const char *text) __attribute__((warn_unused_result));

/* Appends the field, quoted only if necessary.  A failure is kept in o->error. */
void csv_field_put(struct out *o, const char *s, size_t n);

/*
 * Writes a field to dst, which has room for CSV_FIELD_MAX(n), and returns its end.  It is quoted if
 * it has the delimiter, a quote, a control byte or a blank at either end.
 */
#define CSV_FIELD_MAX(n) (2 * (n) + 2)
char *csv_put(char *dst, const char *s, size_t n, char delimiter);

/* Writes the field in quotes to dst, which has room for 2 * n + 2 bytes.  Returns the length. */
size_t csv_quote(char *dst, const char *s, size_t n);

/*
 * The ends of the fields of a record.  Field i is text[end[i - 1] + 1, end[i]); the first one
 * begins at 0.
 */
struct csv_ends {
	uint32_t *end;
	size_t n, cap;
};

/* Makes room for one more end.  Returns false if memory runs out. */
bool csv_ends_grow(struct csv_ends *e) __attribute__((warn_unused_result));

static inline bool
csv_ends_add(struct csv_ends *e, size_t at)
{
	if (e->n == e->cap && !csv_ends_grow(e))
		return false;
	e->end[e->n++] = (uint32_t)at;
	return true;
}

void csv_ends_free(struct csv_ends *e);

/* The result of reading one line of a record. */
enum csv_state {
	CSV_READ_MORE, /* the line ends inside quotes: the record continues on the next one */
	CSV_READ_RECORD, /* the record is complete */
	CSV_READ_BAD_QUOTE, /* a quote in an unquoted field, or text after a closing quote */
	CSV_READ_BAD_CR, /* a CR outside quotes without an LF after it */
	CSV_READ_OPEN, /* the input ended inside quotes */
	CSV_READ_NOMEM,
};

struct csv_reader;

/*
 * Opens a reader, which appends fields to *text, each with one byte after it, and their ends to
 * *ends.  The caller owns both.  Returns NULL if memory runs out.
 */
struct csv_reader *csv_reader_open(struct buf *text, struct csv_ends *ends);
void csv_reader_close(struct csv_reader *r);

/*
 * Reads the next n bytes, which extend exactly through the next LF or to the end of the input (then
 * call csv_reader_last).  Blanks are data.  The caller empties text and ends before each record.
 * After any result but CSV_READ_MORE the next line begins a record.
 */
enum csv_state csv_reader_line(struct csv_reader *r, const char *s, size_t n);

/* Call it when the input has ended after a line without LF, or inside quotes. */
enum csv_state csv_reader_last(struct csv_reader *r);

#endif
