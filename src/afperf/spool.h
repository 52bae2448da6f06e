/* SPDX-License-Identifier: ISC */
/*
 * spool.h - records that wait in an unlinked temporary file until their runs and
 * measurement types are known.
 *
 * What is not yet known is stored as a token; it begins with a NUL, which no record has.
 */
#ifndef AFPIPE_AFPERF_SPOOL_H
#define AFPIPE_AFPERF_SPOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/in.h"
#include "lib/out.h"
#include "lib/slice.h"

/* The ids of a run and of a type; their records without the end. */
enum spool_token { SPOOL_RUN = 'r', SPOOL_MEASURE = 'm', SPOOL_RUN_INFO = 'R', SPOOL_TYPE = 'M' };

struct spool {
	struct out out; /* records are written here */
	struct in file;
};

int spool_open(struct spool *s, struct err *e) __attribute__((warn_unused_result));
void spool_close(struct spool *s);

void spool_put_token(struct spool *s, enum spool_token token, size_t index);

/* Writes the text of a token to the same output.  False without memory. */
typedef bool spool_putter(void *ctx, enum spool_token token, size_t index);

/*
 * Copies all to o, and calls put (with ctx) for each token.  ERR_SYS if the file
 * cannot be written or read, or there is no memory; failures of o are kept in o.
 */
int spool_copy(struct spool *s, struct out *o, spool_putter *put, void *ctx, struct err *e)
    __attribute__((warn_unused_result));

#endif
