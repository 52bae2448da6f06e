/* SPDX-License-Identifier: ISC */
/*
 * source.h - a window that moves once over the input, from its start to its end.
 *
 * Bytes [p + at, p + len) have been read but not yet used.  The next call to dcpi_source_want may
 * move them.
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
	bool ended; /* the input has nothing after len */
};

/*
 * Takes over an open input.  idle is as in struct in.  Call dcpi_source_close afterwards, whatever
 * this returns.
 */
int dcpi_source_open(struct source *s, struct in in, struct out *idle, struct err *e)
    __attribute__((warn_unused_result));
void dcpi_source_close(struct source *s);

/* Reads until n bytes have not been used, or until the end of the input, which sets ended. */
int dcpi_source_want(struct source *s, size_t n, struct err *e) __attribute__((warn_unused_result));

/*
 * Sets *line to the next line, which has at most max bytes, without its newline.  The line is not
 * consumed.  line->p is NULL if there is no newline in the next max bytes, or before the input
 * ends.
 */
int dcpi_source_line(struct source *s, size_t max, struct slice *line, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Reads on until a line after the first one begins with that text, or the end is reached, or max
 * bytes have not been used, which are not consumed.  Sets *found if it ends with such a line.
 */
int dcpi_source_find(struct source *s, struct slice text, size_t max, bool *found, struct err *e)
    __attribute__((warn_unused_result));

/* Reads to the end of the input.  *n is the number of bytes not yet used. */
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
