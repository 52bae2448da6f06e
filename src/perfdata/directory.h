/* SPDX-License-Identifier: ISC */
/*
 * directory.h - the files of a recording that is a directory.
 *
 * perf record --threads writes DIR/data, a recording with all but most of the records, and
 * DIR/data.0, data.1, ..., one for each thread that recorded: records without a header
 * (tools/perf/util/data.c; HEADER_DIR_FORMAT in perf.data-file-format.txt).  Here all of them
 * are one row of bytes, each file's counted on behind those of the one before, so that a
 * place is one number until it is reported.
 */
#ifndef AFPIPE_PERFDATA_DIRECTORY_H
#define AFPIPE_PERFDATA_DIRECTORY_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

#define DIR_FILES_MAX 65536

struct dir_file {
	uint32_t number; /* N of data.N */
	uint64_t base; /* where its bytes are counted from, once it has been begun */
};

struct directory {
	const char *path; /* borrowed; NULL: the recording is none */
	struct dir_file *file; /* by number */
	size_t count;
	size_t begun;
	size_t odd; /* files named data.* that have no number */
};

/* Finds the data.N of d->path.  ERR_SYS, or ERR_DATA where there are too many. */
int directory_list(struct directory *d, struct err *e) __attribute__((warn_unused_result));
void directory_free(struct directory *d);

/*
 * PATH (of SIZE bytes) becomes that of the file which holds the byte that e is about, and e's
 * place one in that file (of a failure: none).  NULL where e is about no byte, or d is no
 * directory.
 */
const char *directory_place(const struct directory *d, struct err *e, char *path, size_t size);

/* PATH (of SIZE bytes) becomes that of the I-th file.  ERR_SYS where it does not fit. */
int directory_path(const struct directory *d, size_t i, char *path, size_t size, struct err *e)
    __attribute__((warn_unused_result));

#endif
