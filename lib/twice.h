/* SPDX-License-Identifier: ISC */
/*
 * twice.h - operands that are read twice: files are opened again, pipes are copied.
 *
 *	t = twice_new(n);
 *	each time: r = evread_open(names, n, 0); evread_set_opener(r, twice_open, t); ...
 *	twice_free(t);
 *
 * Data from a pipe are kept in an unlinked temporary file.
 */
#ifndef AFPIPE_TWICE_H
#define AFPIPE_TWICE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/in.h"
#include "lib/slice.h"

struct twice;

/* Prepares for n operands, or for standard input if n is 0.  Returns NULL if memory runs out. */
struct twice *twice_new(size_t n);
void twice_free(struct twice *t);

/*
 * An evread_opener, whose context is a struct twice.  Errors are those of in_open and in_spool.
 * After a failure that cannot be retried, the second opening fails, too.
 */
int twice_open(void *ctx, size_t i, const char *name, struct in *in, struct err *e)
    __attribute__((warn_unused_result));

/*
 * A digest of the data read, to notice changes between the two readings.  { 0 } is a digest of
 * nothing.
 */
struct twice_seen {
	uint64_t lines, hash;
};

void twice_see(struct twice_seen *s, struct slice line);

#endif
