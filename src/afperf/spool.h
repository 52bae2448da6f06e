/* SPDX-License-Identifier: ISC */
/*
 * spool.h - records that wait in an unlinked temporary file until the ids of
 * their runs and measurement types are known.
 *
 * Where an id belongs a token stands; a NUL begins it, which no record holds.
 */
#ifndef AFPIPE_AFPERF_SPOOL_H
#define AFPIPE_AFPERF_SPOOL_H

#include <stdint.h>

#include "lib/err.h"
#include "lib/in.h"
#include "lib/out.h"
#include "lib/slice.h"

enum spool_token { SPOOL_RUN = 'r', SPOOL_MEASURE = 'm' };

struct spool {
	struct out out; /* records are written here */
	struct in file;
};

int spool_open(struct spool *s, struct err *e) __attribute__((warn_unused_result));
void spool_close(struct spool *s);

void spool_put_token(struct spool *s, enum spool_token token, size_t index);

/*
 * Copies all to o, asking id (with ctx) what each token stands for.  ERR_SYS where
 * the file cannot be written or read; failures of o stay there.
 */
int spool_copy(struct spool *s, struct out *o,
    struct slice (*id)(void *ctx, enum spool_token token, size_t index), void *ctx, struct err *e)
    __attribute__((warn_unused_result));

#endif
