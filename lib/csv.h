/* SPDX-License-Identifier: ISC */
/*
 * csv.h - writes fields and reads records of comma-separated values, quoted as in RFC 4180.
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

/* Appends the field, quoted only if necessary; a failure is kept in o->error. */
void csv_field_put(struct out *o, const char *s, size_t n);

/* Writes the quoted field to dst, which has room for 2 * n + 2 bytes; returns its length. */
size_t csv_quote(char *dst, const char *s, size_t n);

/* Where the fields of a record end: field i is text[end[i - 1] + 1, end[i]), the first from 0. */
struct csv_ends {
	uint32_t *end;
	size_t n, cap;
};

/* Makes room for one more.  False when there is no memory. */
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
	CSV_READ_MORE, /* it ends inside quotes: the record continues on the next line */
	CSV_READ_RECORD, /* the record is complete */
	CSV_READ_BAD_QUOTE, /* a quote in an unquoted field, or text after a closing quote */
	CSV_READ_BAD_CR, /* a CR outside quotes without an LF after it */
	CSV_READ_OPEN, /* the input ended inside quotes */
	CSV_READ_NOMEM,
};

struct csv_reader;

/*
 * Fields go to *text, each with one byte after it, and their ends to *ends; the caller owns both.
 * NULL when there is no memory.
 */
struct csv_reader *csv_reader_open(struct buf *text, struct csv_ends *ends);
void csv_reader_close(struct csv_reader *r);

/*
 * Takes the next n bytes, which extend exactly through the next LF, or to the end of the input
 * (then call csv_reader_last).  Blanks are data.  The caller empties text and ends before each
 * record.  After any result but MORE the next line begins a record.
 */
enum csv_state csv_reader_line(struct csv_reader *r, const char *s, size_t n);

/* Call when the input ended after a line without LF, or inside quotes. */
enum csv_state csv_reader_last(struct csv_reader *r);

#endif
