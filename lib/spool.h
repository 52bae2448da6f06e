/* SPDX-License-Identifier: ISC */
/*
 * spool.h - keeps data that must be read again later in an unlinked temporary file.  All the data
 * are written first.  Then they are read from the beginning, as often as needed.
 *
 * The data are either records, which are stored with their lengths:
 *
 *	rc = spool_open(&s, &e);
 *	while (...) { p = spool_room(&s, n); ...; rc = spool_put(&s, used, &e); }
 *	rc = spool_rewind(&s, &e);
 *	while (spool_next(&s, &record, &e) == 0 && record.p != NULL) ...
 *	spool_close(&s);
 *
 * or bytes: out_put(&s.out, ...), then spool_rewind and spool_read.
 */
#ifndef AFPIPE_SPOOL_H
#define AFPIPE_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/in.h"
#include "lib/out.h"
#include "lib/slice.h"

/* { 0 } is a closed spool. */
struct spool {
	struct out out; /* to the file */
	struct in file;
	char *buf; /* for records: bytes [at, len) have been read and not yet returned */
	size_t at, len, cap;
	uint64_t offset; /* in the file, of the byte after these */
};

/* Creates the file, unless it is open.  Fails with ERR_SYS and leaves the spool closed. */
int spool_open(struct spool *s, struct err *e) __attribute__((warn_unused_result));
void spool_close(struct spool *s);

static inline bool
spool_is_open(const struct spool *s)
{
	return s->out.p != NULL;
}

/* Returns room for a record of up to n bytes, below 4 GiB, or NULL if memory runs out. */
char *spool_room(struct spool *s, size_t n);

/*
 * Stores the record, the first n bytes of that room.  Fails with ERR_SYS if anything could not be
 * written.
 */
int spool_put(struct spool *s, size_t n, struct err *e) __attribute__((warn_unused_result));

/*
 * Call it when everything has been written.  Reading then begins at the first byte.  Fails with
 * ERR_SYS like spool_put.
 */
int spool_rewind(struct spool *s, struct err *e) __attribute__((warn_unused_result));

/*
 * Returns the next record in *record, valid until the next call.  Its p is NULL at the end.  Fails
 * with ERR_SYS.
 */
int spool_next(struct spool *s, struct slice *record, struct err *e)
    __attribute__((warn_unused_result));

/* Reads the next n bytes, and fewer (*got) only at the end.  Fails with ERR_SYS. */
int spool_read(struct spool *s, void *dst, size_t n, size_t *got, struct err *e)
    __attribute__((warn_unused_result));

#endif
