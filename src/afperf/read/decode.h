/* SPDX-License-Identifier: ISC */
/*
 * decode.h - decodes AFPerf v1 to the stream.
 *
 * Format: "AFPerf Intermediate File Format".  VIOLATIONS.md covers the points that the
 * specification leaves open.
 *
 * A record that refers to a later one waits, as text, until the later one comes.  All others are
 * printed as they are read.  Memory is used for runs, measurement types and labels, 46 bytes for
 * each region, section and interval id, and the waiting records.
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
	AFPERF_ERROR, /* the record breaks a rule of the specification and is left out */
	AFPERF_DOUBT, /* the record breaks a policy, but is read */
	/* the record breaks a rule of the specification, but is read because of --lenient */
	AFPERF_LENIENT,
};

struct afperf_report {
	enum afperf_weight weight;
	enum afperf_rule rule;
	struct err e; /* its line is the record's first line */
};

struct afperf_decode_options {
	/* the id of the file's run, instead of its own; another run is an error; NULL: none */
	const char *run;
	bool all; /* prints comments, unknown records, extra fields */
	bool lenient; /* accepts the rule violations found in the specification's own examples */
	bool check; /* prints no lines */
	bool wall; /* prints the time of day on each line */
	size_t record_max, wait_max; /* limits of the bytes of a record, and of waiting records */
	void (*report)(void *ctx, const struct afperf_report *r);
	void (*note)(void *ctx, const char *text);
	void *ctx;
};

/*
 * Decodes the file NAME ("-" for standard input).  Returns 0 if all of it was read, though errors
 * may have been reported.  Returns ERR_DATA, ERR_SYS or ERR_STOP if reading ended early.  Then *e
 * contains the reason, or an empty message if the reason has been reported.
 */
int afperf_decode(const char *name, const struct afperf_decode_options *opt, struct evwrite *w,
    struct err *e) __attribute__((warn_unused_result));

#endif
