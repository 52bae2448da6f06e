/* SPDX-License-Identifier: ISC */
/* folder.h - the files of a directory, in bytewise order of their names. */
#ifndef AFPIPE_DCPI_FOLDER_H
#define AFPIPE_DCPI_FOLDER_H

#include <stddef.h>

#include "lib/err.h"

#define FOLDER_MAX ((size_t)1 << 20) /* files */

struct folder {
	char **path; /* regular files, and what cannot be looked at: DIR/NAME */
	size_t count;
	char **odd_path; /* all else: directories, pipes, links to nothing */
	size_t odd;
};

/* { 0 } before.  Whatever it returns, dcpi_folder_free may follow. */
int dcpi_folder_list(struct folder *f, const char *dir, struct err *e)
    __attribute__((warn_unused_result));
void dcpi_folder_free(struct folder *f);

#endif
