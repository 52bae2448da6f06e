/* SPDX-License-Identifier: ISC */
/*
 * decode.h - decodes AFPerf v1 to the stream.
 *
 * Format: "AFPerf Intermediate File Format"; VIOLATIONS.md covers what that page leaves open.
 *
 * A record that refers to a later one waits, as text, until that comes; all others are printed as
 * they are read.  Memory: runs, measurement types and labels, 46 bytes for each region, section
 * and interval id, and the records that wait.
 */
#ifndef AFPIPE_AFPERF_READ_DECODE_H
#define AFPIPE_AFPERF_READ_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/evwrite.h"
#include "src/afperf/afperf.h"

#define AFPERF_WAIT_MAX ((size_t)1 << 20)

enum afperf_weight {
	AFPERF_ERROR, /* it breaks a rule of the page: the record is left out */
	AFPERF_DOUBT, /* it breaks a policy: the record is read */
	AFPERF_LENIENT, /* it breaks a rule of the page, but is read because of --lenient */
};

struct afperf_report {
	enum afperf_weight weight;
	enum afperf_rule rule;
	struct err e; /* its place is the record's first line */
};

struct afperf_decode_options {
	bool all; /* comments, unknown records, extra fields */
	bool lenient; /* accepts what the page's own examples do against its rules */
	bool check; /* prints no lines */
	bool wall; /* prints the time of day on each line */
	size_t record_max, wait_max; /* bytes of a record, records that wait */
	void (*report)(void *ctx, const struct afperf_report *r);
	void (*note)(void *ctx, const char *text);
	void *ctx;
};

/*
 * Decodes the file NAME ("-": standard input).  0: all was read, though errors may have been
 * reported.  ERR_DATA, ERR_SYS, ERR_STOP: reading ended early; *e has the reason, unless its
 * message is empty because it has been reported.
 */
int afperf_decode(const char *name, const struct afperf_decode_options *opt, struct evwrite *w,
    struct err *e) __attribute__((warn_unused_result));

#endif
