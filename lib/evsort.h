/* SPDX-License-Identifier: ISC */
/*
 * evsort.h - sorts the lines of a stream by run and time.
 *
 *	s = evsort_new(EVSORT_MEMORY);
 *	for each line: evsort_add(s, file, &ev, time, &e);
 *	while ((rc = evsort_next(s, &file, &ev, &e)) > 0) use ev
 *	evsort_free(s);
 *
 * Runs are ordered bytewise by their ids, and lines of the same time keep their order.  Lines that
 * do not fit into memory are sorted, written to an unlinked temporary file and merged from there.
 */
#ifndef AFPIPE_EVSORT_H
#define AFPIPE_EVSORT_H

#include <stddef.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/wide.h"

#define EVSORT_MEMORY ((size_t)32 * 1024 * 1024)

struct evsort;

/*
 * Keeps at most MEMORY bytes of lines in memory, plus one line, and less if the ceiling of
 * lib/mem.h is low.  Returns NULL if memory runs out.
 */
struct evsort *evsort_new(size_t memory);
void evsort_free(struct evsort *s);

/* Copies the line.  FILE, its source, is borrowed until the end.  Fails only with ERR_SYS. */
int evsort_add(struct evsort *s, const char *file, const struct ev *ev, struct wide time,
    struct err *e) __attribute__((warn_unused_result));

/*
 * Call it after all lines have been added.  Returns 1 if *ev is the next line, valid until the next
 * call, and 0 at the end.  Returns -1 with ERR_SYS if reading fails, after which there are no more
 * lines.
 */
int evsort_next(struct evsort *s, const char **file, struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

#endif
