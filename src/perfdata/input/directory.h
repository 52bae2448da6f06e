/* SPDX-License-Identifier: ISC */
/*
 * directory.h - the files of a recording that is a directory.
 *
 * perf record --threads writes DIR/data, a recording with all but most of the records, and
 * DIR/data.0, data.1, ..., one for each thread that recorded: records without a header
 * (tools/perf/util/data.c; HEADER_DIR_FORMAT in perf.data-file-format.txt).  Here the files
 * form one row of bytes, each after the one before, so that a place is a single number until
 * it is reported.
 */
#ifndef AFPIPE_PERFDATA_DIRECTORY_H
#define AFPIPE_PERFDATA_DIRECTORY_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

#define DIR_FILES_MAX 65536

struct dir_file {
	uint32_t number; /* N of data.N */
	uint64_t base; /* offset of its first byte in the row, once it has been begun */
};

struct directory {
	const char *path; /* borrowed; NULL: the recording is not a directory */
	struct dir_file *file; /* by number */
	size_t count;
	size_t begun;
	size_t odd; /* files named data.* without a number */
};

/* Finds the data.N of d->path.  ERR_SYS, or ERR_DATA if there are too many. */
int directory_list(struct directory *d, struct err *e) __attribute__((warn_unused_result));
void directory_free(struct directory *d);

/*
 * Writes the path of the file that contains the byte of e to PATH (of SIZE bytes), and makes e's
 * place relative to that file (none for a failure).  NULL if e is not about a byte, or d is not
 * a directory.
 */
const char *directory_place(const struct directory *d, struct err *e, char *path, size_t size);

/* Writes the path of the I-th file to PATH (of SIZE bytes).  ERR_SYS if it does not fit. */
int directory_path(const struct directory *d, size_t i, char *path, size_t size, struct err *e)
    __attribute__((warn_unused_result));

#endif
