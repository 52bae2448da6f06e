/* SPDX-License-Identifier: ISC */
/*
 * evsort.h - lines of a stream in the order of run and time.
 *
 *	s = evsort_new(EVSORT_MEMORY);
 *	for each line: evsort_add(s, file, &ev, time, &e);
 *	while ((rc = evsort_next(s, &file, &ev, &e)) > 0) use ev
 *	evsort_free(s);
 *
 * Runs are ordered bytewise by their ids, and lines of the same time stay in the order in which
 * they came.  What does not fit into memory is sorted, written to an unlinked temporary file and
 * merged from there.
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
 * MEMORY is how many bytes of lines, and one line more, are kept in memory; they are fewer if the
 * ceiling of lib/mem.h is low.  NULL when there is no memory.
 */
struct evsort *evsort_new(size_t memory);
void evsort_free(struct evsort *s);

/* Copies the line; FILE, which it comes from, is borrowed until the end.  ERR_SYS. */
int evsort_add(struct evsort *s, const char *file, const struct ev *ev, struct wide time,
    struct err *e) __attribute__((warn_unused_result));

/*
 * The next line, after all have been added: 1, and *ev is valid until the next call; 0 at the
 * end; -1 with ERR_SYS, and nothing more follows.
 */
int evsort_next(struct evsort *s, const char **file, struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

#endif
