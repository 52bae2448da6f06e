/* SPDX-License-Identifier: ISC */
/*
 * later.h - records that wait in an unlinked temporary file until all of them are known.
 *
 *	while (...) { p = later_room(&l, n); ...; later_put(&l, used, &e); }
 *	later_rewind(&l, &e);
 *	while (later_next(&l, &record, &e) == 0 && record.p != NULL) ...
 */
#ifndef AFPIPE_LATER_H
#define AFPIPE_LATER_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/in.h"
#include "lib/out.h"
#include "lib/slice.h"

struct later {
	struct out out;
	struct in file;
	char *buf; /* what has been read: bytes [at, len) have not been returned yet */
	size_t at, len, cap;
	uint64_t offset; /* in the file, of what comes after them */
};

/* ERR_SYS if no temporary file can be made. */
int later_open(struct later *l, struct err *e) __attribute__((warn_unused_result));
void later_close(struct later *l);

/* Returns room for a record of up to n bytes, below 4 GiB; NULL when there is no memory. */
char *later_room(struct later *l, size_t n);

/* Stores the record: the first n bytes of that room.  ERR_SYS. */
int later_put(struct later *l, size_t n, struct err *e) __attribute__((warn_unused_result));

/* After the last record: begins to read them.  ERR_SYS. */
int later_rewind(struct later *l, struct err *e) __attribute__((warn_unused_result));

/* The next record, valid until the next call; its p is NULL at the end.  ERR_SYS. */
int later_next(struct later *l, struct slice *record, struct err *e)
    __attribute__((warn_unused_result));

#endif
