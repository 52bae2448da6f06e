/* SPDX-License-Identifier: ISC */
/* in.h - reads bytes from a file, a pipe or standard input. */
#ifndef AFPIPE_IN_H
#define AFPIPE_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/out.h"
#include "lib/slice.h"

/* Returns the time since some moment in nanoseconds, on a clock that is never set. */
uint64_t in_now(void);

/*
 * Something to do each EVERY nanoseconds of wall time, between reads and while a read waits.  A
 * time that is missed because the program was busy is left out.
 */
struct in_timer {
	uint64_t every;
	void (*due)(void *ctx);
	void *ctx;
	uint64_t next; /* internal; 0 at first */
};

struct in {
	int fd;
	bool ours; /* in_close closes it */
	bool seekable; /* a regular file or a block device */
	bool pipe; /* another program may write to it */
	bool watched; /* in_open opened it, so in_watch's watcher is told of reads */
	uint64_t size; /* of a regular file or a block device, else 0 */
	uint64_t changed; /* when a regular file last changed: nanoseconds since the epoch; or 0 */
	struct out *idle; /* flushed before a read that would wait; in_open sets it to NULL */
	struct in_timer *timer; /* or NULL, as set by in_open */
	struct slice memory; /* what is left of an input in memory; p is NULL for any other */
};

/*
 * Opens NAME, or standard input for "-".  A directory is rejected here, because reading one would
 * only fail with an errno.  For a named pipe, only the first read waits for the writer.  Fails with
 * ERR_SYS, or with ERR_STOP if a signal asked to stop while it waited.
 */
int in_open(struct in *in, const char *name, struct err *e) __attribute__((warn_unused_result));

/* Does the same with a descriptor, which in_close does not close. */
int in_open_fd(struct in *in, int fd, struct err *e) __attribute__((warn_unused_result));

/* Makes bytes an input, for in_read and in_fill.  They are borrowed. */
void in_open_memory(struct in *in, struct slice bytes);

/*
 * Opens a file whose name comes from the input, not from the user: regular files only (lib/file.h).
 * Fails with ERR_DATA for anything else.
 */
int in_open_regular(struct in *in, const char *path, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Opens NAME for reading but never waits for the writer of a named pipe.  sig_wait_input does that
 * without losing a signal; a signal that came just before a blocking open would be lost.
 */
int in_descriptor(const char *name);

/*
 * Reads up to n bytes, as many as one read returns.  *got is 0 only at the end of the input.  Fails
 * with ERR_SYS, or with ERR_STOP when a signal asked to stop.
 */
int in_read(struct in *in, void *dst, size_t n, size_t *got, struct err *e)
    __attribute__((warn_unused_result));

/* Returns true if the next read will not wait. */
bool in_is_ready(const struct in *in);

/* Like in_read, but continues until it has n bytes or the input ends. */
int in_fill(struct in *in, void *dst, size_t n, size_t *got, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Reads n bytes at OFFSET of a seekable input without changing its position.  Fewer are read only
 * at the end.
 */
int in_read_at(struct in *in, uint64_t offset, void *dst, size_t n, size_t *got, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Reads the first n bytes, or fewer, of a regular file ("-": standard input at its beginning), and
 * leaves it as it was.  Returns how many bytes there are: 0 for anything else, and for a failure,
 * which reading it will show again.
 */
size_t in_peek(const char *name, void *dst, size_t n);

/*
 * Copies the rest of a pipe to an unlinked temporary file (in TMPDIR or /tmp) and reads from that
 * file instead, so that the input is seekable.  The HEADLEN bytes at HEAD, already read, come
 * first.
 */
int in_spool(struct in *in, const void *head, size_t headlen, struct err *e)
    __attribute__((warn_unused_result));

/* Returns the folder of temporary files: TMPDIR, or /tmp. */
const char *in_temp_folder(void);

/*
 * Stores that the system could not do what VERB says (make, write) with a temporary file, and in
 * which folder, since another one may do.  Returns ERR_SYS.
 */
int in_temp_failed(struct err *e, int errnum, const char *verb);

/* Makes a temporary file there that has no name, and puts its descriptor in *fd. */
int in_temp(int *fd, struct err *e) __attribute__((warn_unused_result));

void in_close(struct in *in);

/*
 * Sets who is told after each read from an input that in_open opened: one watcher for the whole
 * program, so this module has global state.
 */
typedef void in_watcher(void *ctx, const struct in *in);
void in_watch(in_watcher *watcher, void *ctx);

#endif
