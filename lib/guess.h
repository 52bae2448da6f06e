/* SPDX-License-Identifier: ISC */
/*
 * guess.h - recognizes a file by its first bytes, for the message of a program that cannot read it.
 */
#ifndef AFPIPE_LIB_GUESS_H
#define AFPIPE_LIB_GUESS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"

/* The first bytes that are enough for any guess. */
#define GUESS_BYTES ((size_t)512)

/* Forms of data, of which a program reads one. */
enum guess_form {
	GUESS_OTHER, /* none of the following */
	GUESS_STREAM,
	GUESS_PERF,
	GUESS_AFPERF,
	GUESS_DCPI,
	GUESS_PERUN,
	GUESS_JSON_LINES,
};

/*
 * If the n bytes at P begin a file of a known kind, describes it in *e for a program that reads
 * WANTED, with the command to put in front if there is one ("this is a recording of perf, not a
 * stream: put 'perfdec FILE |' in front"), without a place, and returns ERR_DATA.  Returns 0 if the
 * kind is not known, or is WANTED itself.
 */
int guess_refuse(const void *p, size_t n, enum guess_form wanted, struct err *e)
    __attribute__((warn_unused_result));

#endif
