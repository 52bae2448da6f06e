/* SPDX-License-Identifier: ISC */
/*
 * lines.h - the lines of a symbol list, bounded in length and in number of bytes.
 */
#ifndef AFPIPE_SYMBOL_LINES_H
#define AFPIPE_SYMBOL_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

struct lines;

/* Reads from fd, which the caller still owns; NULL without memory. */
struct lines *lines_open(int fd);
void lines_close(struct lines *l);

/*
 * The next line, without its newline and NUL-terminated (it may contain NULs of its own), valid
 * until the next call.  A line above 64 KiB is left out, and so is a last one without a newline: it
 * may have been cut.  *line is NULL at the end.  ERR_SYS if reading fails, ERR_DATA if the list is
 * longer than 1 GiB, ERR_STOP if a signal asked to stop.
 */
int lines_next(struct lines *l, const char **line, size_t *len, struct err *e)
    __attribute__((warn_unused_result));

/* At the end: was there a last line without a newline? */
bool lines_are_cut(const struct lines *l);

/*
 * Reads at most 16 hex digits at p; returns what follows, or NULL if there are none or too many.
 */
const char *lines_hex(const char *p, const char *end, uint64_t *value);

#endif
