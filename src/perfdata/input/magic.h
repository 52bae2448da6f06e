/* SPDX-License-Identifier: ISC */
/*
 * magic.h - recognizes the first bytes of a recording, and of other files.
 *
 * Layout: tools/perf/Documentation/perf.data-file-format.txt; version 1 as in
 * check_magic_endian() of tools/perf/util/header.c.
 */
#ifndef AFPIPE_PERFDATA_MAGIC_H
#define AFPIPE_PERFDATA_MAGIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

#define MAGIC_SIZE 16 /* magic and header size: all that pipe mode has */
#define FILE_HEADER_SIZE 104
#define OLD_HEADER_SIZE 72 /* of early version 1: no features */

/* Are these the first eight bytes of a recording of version 2, in either byte order? */
bool magic_is(const unsigned char p[8]);

/*
 * Finds the byte order and the header's size: MAGIC_SIZE for pipe mode, else one of file
 * mode.  ERR_DATA, with what the file is instead, if that is known.
 */
int magic_read(const unsigned char head[MAGIC_SIZE], bool *big_endian, uint64_t *size,
    struct err *e) __attribute__((warn_unused_result));

/* The n bytes at p do not begin a recording: reports what they are.  Always ERR_DATA. */
int magic_refuse(const unsigned char *p, size_t n, struct err *e);

#endif
