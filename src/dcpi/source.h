/* SPDX-License-Identifier: ISC */
/*
 * source.h - a window that moves over the input, once, from its start to its end.
 *
 * Bytes [p + at, p + len) have been read and not yet taken.  The next call of dcpi_source_want
 * moves them.
 */
#ifndef AFPIPE_DCPI_SOURCE_H
#define AFPIPE_DCPI_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/in.h"
#include "lib/slice.h"

struct source {
	struct in in;
	unsigned char *p;
	size_t at, len, cap;
	uint64_t base; /* offset of p[0] in the input */
	bool ended; /* nothing comes after len */
};

/*
 * Takes over an open input; idle is as in struct in.  Call dcpi_source_close afterwards, whatever
 * it returns.
 */
int dcpi_source_open(struct source *s, struct in in, struct out *idle, struct err *e)
    __attribute__((warn_unused_result));
void dcpi_source_close(struct source *s);

/* Reads until n bytes from at on are there, or all that the input has (then ended is true). */
int dcpi_source_want(struct source *s, size_t n, struct err *e) __attribute__((warn_unused_result));

/*
 * The line at at, of at most max bytes, without its newline, which follows it; not yet taken.
 * line->p is NULL if the input ends, or max bytes have come, before a newline.
 */
int dcpi_source_line(struct source *s, size_t max, struct slice *line, struct err *e)
    __attribute__((warn_unused_result));

/* Reads to the end of the input; *n is the number of bytes from at on. */
int dcpi_source_drain(struct source *s, uint64_t *n, struct err *e)
    __attribute__((warn_unused_result));

static inline size_t
dcpi_source_left(const struct source *s)
{
	return s->len - s->at;
}

static inline uint64_t
dcpi_source_offset(const struct source *s)
{
	return s->base + s->at;
}

#endif
