/* SPDX-License-Identifier: ISC */
/*
 * in.h - bytes from a file, a pipe or standard input.
 */
#ifndef AFPIPE_IN_H
#define AFPIPE_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/out.h"

struct in {
	int fd;
	bool ours; /* close it */
	bool seekable; /* a regular file or a block device */
	uint64_t size; /* of a regular file, else 0 */
	struct out *idle; /* flushed before a read that would wait; NULL after in_open */
};

/*
 * Opens NAME, or standard input for "-".  A directory is refused here, because
 * reading one would only give an errno.  The first read, not in_open, waits for the
 * writer of a named pipe.  ERR_SYS if it cannot be opened, ERR_STOP if a signal asked
 * to stop meanwhile.
 */
int in_open(struct in *in, const char *name, struct err *e) __attribute__((warn_unused_result));

/*
 * Opens a file whose name comes from the input, not from the user: regular files only
 * (lib/file.h).  ERR_DATA if it is something else.
 */
int in_open_regular(struct in *in, const char *path, struct err *e)
    __attribute__((warn_unused_result));

/*
 * As open for reading, but never waits for the writer of a named pipe: sig_wait_input does that
 * without losing a signal.  A signal that came just before open would be lost.
 */
int in_descriptor(const char *name);

/*
 * Reads up to n bytes, as many as one read gives.  *got is 0 only at the end of the
 * input.  Returns 0, ERR_SYS, or ERR_STOP when a signal asked to stop.
 */
int in_read(struct in *in, void *dst, size_t n, size_t *got, struct err *e)
    __attribute__((warn_unused_result));

/* As in_read, but continues until n bytes are there or the input ends. */
int in_fill(struct in *in, void *dst, size_t n, size_t *got, struct err *e)
    __attribute__((warn_unused_result));

/* Reads n bytes at OFFSET of a seekable input, without moving; fewer only at its end. */
int in_read_at(struct in *in, uint64_t offset, void *dst, size_t n, size_t *got, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Copies all that is left of a pipe to an unlinked temporary file (in TMPDIR or
 * /tmp) and reads from that instead, so that it is seekable.  The HEADLEN bytes at
 * HEAD, already read, come first.
 */
int in_spool(struct in *in, const void *head, size_t headlen, struct err *e)
    __attribute__((warn_unused_result));

/* Makes an unlinked temporary file and puts its descriptor in *fd. */
int in_temp(int *fd, struct err *e) __attribute__((warn_unused_result));

void in_close(struct in *in);

#endif
