/* SPDX-License-Identifier: ISC */
/*
 * csv.h - comma-separated records, quoted as RFC 4180 has it: a field written, a record read.
 *
 * A thin face on libcsv: nobody else includes its header.
 */
#ifndef AFPIPE_CSV_H
#define AFPIPE_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/out.h"

/* Appends the field, quoted only where it has to be; a failure is kept in o->error. */
void csv_field_put(struct out *o, const char *s, size_t n);

/* Writes the field within quotes to dst, which has room for 2 * n + 2 bytes; returns how many. */
size_t csv_quote(char *dst, const char *s, size_t n);

/* Where the fields of a record end: field i is text[end[i - 1] + 1, end[i]), the first from 0. */
struct csv_ends {
	uint32_t *end;
	size_t n, cap;
};

/* One more.  False when there is no memory. */
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

/* What a line of a record has brought. */
enum csv_state {
	CSV_READ_MORE, /* it ends inside of quotes: the record goes on with the next line */
	CSV_READ_RECORD, /* the record is whole */
	CSV_READ_BAD_QUOTE, /* a quote in a plain field, or text behind a closing one */
	CSV_READ_BAD_CR, /* a CR outside of quotes that no LF follows */
	CSV_READ_OPEN, /* the input has ended inside of quotes */
	CSV_READ_NOMEM,
};

struct csv_reader;

/*
 * Fields go to *text, each with a byte behind it, and *ends; both are the caller's.  NULL when
 * there is no memory.
 */
struct csv_reader *csv_reader_open(struct buf *text, struct csv_ends *ends);
void csv_reader_close(struct csv_reader *r);

/*
 * Takes the next n bytes, which reach exactly up to and with the next LF, or to the end of the
 * input (then ask csv_reader_last).  Blanks are data.  Empty text and ends before each record.
 * After anything but MORE the next line begins a record.
 */
enum csv_state csv_reader_line(struct csv_reader *r, const char *s, size_t n);

/* The input has ended after a line without LF, or inside of quotes. */
enum csv_state csv_reader_last(struct csv_reader *r);

#endif
