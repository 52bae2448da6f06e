/* SPDX-License-Identifier: ISC */
/*
 * unpack.h - the zstd stream that runs through the compressed records of one file.
 *
 * perf record -z flushes its frames at each record and never ends them, so one
 * context is used from the first record to the last.
 */
#ifndef AFPIPE_PERFDATA_UNPACK_H
#define AFPIPE_PERFDATA_UNPACK_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

struct unpack;

/* NULL when there is no memory. */
struct unpack *unpack_open(void);
void unpack_close(struct unpack *u);

/*
 * Gives the next compressed bytes, which are at OFFSET of the file.  They are borrowed
 * until everything in them has been read.  After damage all bytes are skipped until some
 * begin a frame.
 */
void unpack_give(struct unpack *u, const void *p, size_t n, uint64_t offset);

/* Some bytes are missing: continues as after damage. */
void unpack_lose(struct unpack *u);

/* The offset of the last bytes given. */
uint64_t unpack_offset(const struct unpack *u);

/* Reads up to n bytes; *got is 0 when all bytes given are used up.  ERR_DATA on damage. */
int unpack_read(struct unpack *u, void *dst, size_t n, size_t *got, struct err *e)
    __attribute__((warn_unused_result));

#endif
