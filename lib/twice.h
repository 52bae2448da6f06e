/* SPDX-License-Identifier: ISC */
/*
 * twice.h - operands that are read two times: files are opened again, pipes are copied.
 *
 *	t = twice_new(n);
 *	for each time: r = evread_open(names, n, 0); evread_set_opener(r, twice_open, t); ...
 *	twice_free(t);
 *
 * What comes from a pipe is kept in an unlinked temporary file.
 */
#ifndef AFPIPE_TWICE_H
#define AFPIPE_TWICE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/in.h"
#include "lib/slice.h"

struct twice;

/* For n operands, and for standard input where n = 0.  NULL when there is no memory. */
struct twice *twice_new(size_t n);
void twice_free(struct twice *t);

/*
 * An evread_opener; its context is a struct twice.  As in_open, and ERR_SYS or ERR_STOP as
 * in_spool: what failed in a way that cannot be tried again fails the second time, too.
 */
int twice_open(void *ctx, size_t i, const char *name, struct in *in, struct err *e)
    __attribute__((warn_unused_result));

/* What has been read, in short, to notice what changes in between.  { 0 } is nothing. */
struct twice_seen {
	uint64_t lines, hash;
};

void twice_see(struct twice_seen *s, struct slice line);

#endif
