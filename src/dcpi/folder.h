/* SPDX-License-Identifier: ISC */
/* folder.h - the files of a directory, in bytewise order of their names. */
#ifndef AFPIPE_DCPI_FOLDER_H
#define AFPIPE_DCPI_FOLDER_H

#include <stddef.h>

#include "lib/err.h"

#define FOLDER_MAX ((size_t)1 << 20) /* files */

struct folder {
	char **path; /* regular files, and entries that cannot be examined: DIR/NAME */
	size_t count;
	char **odd_path; /* all others: directories, pipes, dangling links */
	size_t odd;
};

/* *f is { 0 } before.  Call dcpi_folder_free afterwards, whatever it returns. */
int dcpi_folder_list(struct folder *f, const char *dir, struct err *e)
    __attribute__((warn_unused_result));
void dcpi_folder_free(struct folder *f);

#endif
