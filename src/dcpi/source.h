/* SPDX-License-Identifier: ISC */
/*
 * source.h - a window that moves over the input, once, from its start to its end.
 *
 * Bytes [p + at, p + len) are there and not yet taken.  They move with the next call of
 * dcpi_source_want.
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
	bool ended; /* nothing comes behind len */
};

/*
 * Over an open input, which is the window's from now on; idle as in struct in.  Whatever it
 * returns, dcpi_source_close may follow.
 */
int dcpi_source_open(struct source *s, struct in in, struct out *idle, struct err *e)
    __attribute__((warn_unused_result));
void dcpi_source_close(struct source *s);

/* n bytes from at on are there after it, or all that the input has (then ended is true). */
int dcpi_source_want(struct source *s, size_t n, struct err *e) __attribute__((warn_unused_result));

/*
 * The line at at, of at most max bytes, without its newline, which stands behind it; not yet
 * taken.  line->p is NULL where the input ends, or max bytes have come, before a newline.
 */
int dcpi_source_line(struct source *s, size_t max, struct slice *line, struct err *e)
    __attribute__((warn_unused_result));

/* Reads to the end of the input; *n is how many bytes there were from at on. */
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
