/* SPDX-License-Identifier: ISC */
/*
 * sorted.h - sorts texts by a key.  Texts with equal keys keep their order.  Texts that do not fit
 * into memory wait in temporary files.
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

/* { .memory = BYTES } is empty and keeps up to that many bytes in memory (evsort.h). */
struct sorted {
	size_t memory;

	/* Internal. */
	struct evsort *s;
	struct buf line;
};

void sorted_free(struct sorted *s);

/* Adds a copy of the text.  The number is returned with it.  Fails with ERR_SYS. */
int sorted_add(struct sorted *s, struct wide key, uint64_t number, struct slice text, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Returns the next text, which is valid until the next call.  Its p is NULL at the end.  Fails with
 * ERR_SYS.
 */
int sorted_next(struct sorted *s, uint64_t *number, struct slice *text, struct err *e)
    __attribute__((warn_unused_result));

#endif
