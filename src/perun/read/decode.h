/* SPDX-License-Identifier: ISC */
/* decode.h - decodes a Perun profile to the stream, for filters/perundec.c. */
#ifndef AFPIPE_PERUN_READ_DECODE_H
#define AFPIPE_PERUN_READ_DECODE_H

#include "lib/err.h"
#include "lib/evwrite.h"
#include "lib/report.h"

struct perun_options {
	const char *run; /* the run id; NULL: derived from the beginning of the text */
	struct reporter to; /* only for notes */
};

/*
 * Decodes NAME ("-": standard input).  Lines are written in the order of the text, as it is read.
 * If the text is damaged, decoding ends with an error that gives the line of the text.  Memory does
 * not grow with the text, except for a resource map (format=resources): up to 64 MiB of types and
 * the values of one type.
 */
int perun_decode(const char *name, const struct perun_options *opt, struct evwrite *w,
    struct err *e) __attribute__((warn_unused_result));

#endif
