/* SPDX-License-Identifier: ISC */
/*
 * file.h - opens files whose names come from the input: regular files only.
 *
 * A name from the input may lead anywhere.  Opening a pipe waits for its writer, and merely
 * opening a device may have effects: a watchdog starts, a tape is rewound.  So the type of the
 * file is checked first, and only a regular file is opened.
 */
#ifndef AFPIPE_FILE_H
#define AFPIPE_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "lib/err.h"

#define FILE_PATH_MAX 4096 /* with the NUL */

struct file_name {
	/*
	 * The folder that serves as / for this name, or NULL.  Neither ".." nor a symbolic link,
	 * on the way or at the end, leads out of it.
	 */
	const char *root;
	const char *path; /* with a root: below it, with or without a leading slash */
	bool no_link; /* the file itself must not be a symbolic link */
};

/*
 * Opens it for reading and fills *st.  ERR_DATA "not a regular file", else ERR_SYS.
 * Needs two descriptors for a moment, or one if no more can be had.
 */
int file_open(const struct file_name *name, int *fd, struct stat *st, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Does e mean that the file does not exist, or not for us (no permission, a loop of links)?  Then
 * the file is simply not available, and nothing has failed.  Any other ERR_SYS is a failure of
 * the system: the file may exist.
 */
bool file_is_away(const struct err *e);

#endif
