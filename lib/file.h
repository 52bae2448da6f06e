/* SPDX-License-Identifier: ISC */
/*
 * file.h - opens files whose names come from input: regular files only.
 *
 * A name that input gives may lead anywhere.  To open a pipe is to wait for its writer, and to
 * open a device alone may do something: a watchdog starts, a tape is rewound.  So what a name
 * stands for is looked at first, and only a regular file is opened.
 */
#ifndef AFPIPE_FILE_H
#define AFPIPE_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "lib/err.h"

#define FILE_PATH_MAX 4096 /* with the NUL */

struct file_name {
	/*
	 * The folder that is / for this name, or NULL: neither "..", nor a symbolic link on the
	 * way, nor one at the end leads out of it.
	 */
	const char *root;
	const char *path; /* with a root: below it, with or without a slash in front */
	bool no_link; /* the file itself may not be a symbolic link */
};

/*
 * Opens it for reading; *st is what it is.  ERR_DATA "not a regular file", else ERR_SYS.
 * Needs two descriptors for a moment, or one where there are no more.
 */
int file_open(const struct file_name *name, int *fd, struct stat *st, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Does e say that there is no such file, or none for us (no permission, links in a circle)?  Then
 * the file is not at hand, and nothing has failed.  All else of ERR_SYS is a failure of the
 * system: the file may be there.
 */
bool file_is_away(const struct err *e);
bool file_errno_is_away(int errnum);

#endif
