/* SPDX-License-Identifier: ISC */
/*
 * records.h - cuts the bytes of an AFPerf file into records, and these into fields.
 *
 * Comments and blank records are recognized at the start of a record, before RFC 4180 applies.  A
 * record without a quote is cut here; libcsv handles all others.
 */
#ifndef AFPIPE_AFPERF_RECORDS_H
#define AFPIPE_AFPERF_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/csv.h"
#include "lib/err.h"
#include "lib/in.h"
#include "lib/slice.h"
#include "src/afperf/afperf.h"

struct records {
	struct in in;
	size_t max; /* bytes of a record */
	char *p; /* what has been read: [from, to) is not yet used; SLACK (records.c) after it */
	size_t from, to, cap;
	bool ended; /* the input has no more */
	uint64_t lines; /* used up so far */
	bool unterminated; /* the last one belongs to a record and has no line break */
	struct csv_reader *csv;
	struct buf text; /* of a record with quotes */
	struct csv_ends ends;
};

struct record {
	uint64_t line; /* its first, from 1 */
	struct slice text; /* fields, with a byte after each; a comment: with its # */
	const uint32_t *end; /* as struct csv_ends */
	uint32_t n;
	bool nul, high; /* it has a NUL, or bytes above 7f */
	bool cut; /* the input ends without a line break */
};

static inline struct slice
record_field(const struct record *r, size_t i)
{
	size_t from = i == 0 ? 0 : (size_t)r->end[i - 1] + 1;

	return (struct slice){ r->text.p + from, r->end[i] - from };
}

enum records_next {
	RECORDS_RECORD,
	RECORDS_COMMENT, /* without its record end */
	RECORDS_BROKEN, /* *rule and e->msg give the reason; the line of e is set; continue */
	RECORDS_LOST, /* as BROKEN, but the start of the next record is unknown */
	RECORDS_END,
	RECORDS_FAILED, /* ERR_SYS or ERR_STOP in *e */
};

/* Input is borrowed; false without memory. */
bool records_open(struct records *x, struct in in, size_t max) __attribute__((warn_unused_result));
void records_close(struct records *x);

/* The first bytes, up to n of them, that are not yet used.  0 or an error, as in_read. */
int records_peek(struct records *x, size_t n, struct slice *head, struct err *e)
    __attribute__((warn_unused_result));
/* Skips n bytes that have been peeked, which are one line. */
void records_skip(struct records *x, size_t n);

/* *r is valid until the next call. */
enum records_next records_next(struct records *x, struct record *r, enum afperf_rule *rule,
    struct err *e) __attribute__((warn_unused_result));

#endif
