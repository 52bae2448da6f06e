/* SPDX-License-Identifier: ISC */
/*
 * sorted.h - texts that come back in the order of a key; those of equal keys in the order in which
 * they came.  What does not fit into memory waits in temporary files.
 */
#ifndef AFPIPE_PERUN_SORTED_H
#define AFPIPE_PERUN_SORTED_H

#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/err.h"
#include "lib/evsort.h"
#include "lib/slice.h"
#include "lib/wide.h"

/* { .memory = BYTES } is an empty one that keeps that many in memory (evsort.h). */
struct sorted {
	size_t memory;

	/* Internal. */
	struct evsort *s;
	struct buf line;
};

void sorted_free(struct sorted *s);

/* Copies the text; the number comes back with it.  ERR_SYS. */
int sorted_add(struct sorted *s, struct wide key, uint64_t number, struct slice text, struct err *e)
    __attribute__((warn_unused_result));

/* The next text, valid until the next call; its p is NULL at the end.  ERR_SYS. */
int sorted_next(struct sorted *s, uint64_t *number, struct slice *text, struct err *e)
    __attribute__((warn_unused_result));

#endif
