/* SPDX-License-Identifier: ISC */
/*
 * file.h - opens files whose names come from the input: regular files only.
 *
 * A name from the input may refer to anything.  Opening a pipe waits for its writer, and merely
 * opening a device may have effects: a watchdog starts, a tape is rewound.  So the type of the file
 * is checked first, and only a regular file is opened.
 */
#ifndef AFPIPE_FILE_H
#define AFPIPE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

#include "lib/err.h"

#define FILE_PATH_MAX 4096 /* with the NUL */

struct file_name {
	/*
	 * The directory that serves as / for this name, or NULL.  Neither ".." nor a symbolic link,
	 * anywhere in the path, leads out of it.
	 */
	const char *root;
	const char *path; /* relative to root if there is one, with or without a leading slash */
	bool no_link; /* the file itself must not be a symbolic link */
};

/*
 * Opens the file for reading and fills *st.  Fails with ERR_DATA "not a regular file", or with
 * ERR_SYS.  Needs two descriptors briefly, or one if no more are available.
 */
int file_open(const struct file_name *name, int *fd, struct stat *st, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Returns true if e means that the file does not exist or cannot be reached (no permission, a loop
 * of links).  Then the file is simply not available, and nothing has failed.  Any other ERR_SYS is
 * a failure of the system: the file may exist.
 */
bool file_is_away(const struct err *e);

/* Returns a time that stat gave, in nanoseconds since the epoch; 0 for times before that. */
static inline uint64_t
file_time(const struct timespec *t)
{
	return t->tv_sec < 0 ? 0 : (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_nsec;
}

#endif
