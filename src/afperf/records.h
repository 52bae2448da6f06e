/* SPDX-License-Identifier: ISC */
/*
 * records.h - splits the bytes of an AFPerf file into records, and records into fields.
 *
 * Comments and blank records are recognized at the start of a record, before RFC 4180 applies.
 * Records without quotes are split here; libcsv handles all others.
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
	size_t max; /* the largest number of bytes in a record */
	/* bytes read; [from, to) are not yet used, and SLACK bytes (records.c) follow them */
	char *p;
	size_t from, to, cap;
	bool ended; /* the end of the input has been reached */
	uint64_t lines; /* consumed so far */
	bool unterminated; /* the last line belongs to a record and has no line break */
	struct csv_reader *csv;
	struct buf text; /* the fields of a record with quotes */
	struct csv_ends ends;
};

struct record {
	uint64_t line; /* its first line, from 1 */
	struct slice text; /* the fields, each followed by one byte; a comment includes its # */
	const uint32_t *end; /* as in struct csv_ends */
	uint32_t n;
	bool nul, high; /* it contains a NUL, or bytes above 7f */
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
	/* *rule and e->msg give the reason, and e's place is the line; reading can continue */
	RECORDS_BROKEN,
	RECORDS_LOST, /* like BROKEN, but the start of the next record is unknown */
	RECORDS_END,
	RECORDS_FAILED, /* ERR_SYS or ERR_STOP in *e */
};

/* Begins reading.  The input is borrowed.  Returns false when memory runs out. */
bool records_open(struct records *x, struct in in, size_t max) __attribute__((warn_unused_result));
void records_close(struct records *x);

/* Sets *head to the next unused bytes, up to n of them.  Returns 0 or an error, like in_read. */
int records_peek(struct records *x, size_t n, struct slice *head, struct err *e)
    __attribute__((warn_unused_result));
/* Skips n bytes returned by records_peek, which must be one line. */
void records_skip(struct records *x, size_t n);

/* Reads the next record.  *r is valid until the next call. */
enum records_next records_next(struct records *x, struct record *r, enum afperf_rule *rule,
    struct err *e) __attribute__((warn_unused_result));

#endif
