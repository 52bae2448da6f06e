/* SPDX-License-Identifier: ISC */
/*
 * out.h - buffered output to a file descriptor.
 *
 * The first write error is kept and all later output is dropped.  Check out_error() now and then
 * and at the end.  A line is built in place between out_room() and out_commit().
 */
#ifndef AFPIPE_OUT_H
#define AFPIPE_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Takes what would be written: the committed bytes.  Returns 0, or an errno, which is kept. */
typedef int out_sink(void *ctx, const char *p, size_t n);

struct out {
	int fd;
	out_sink *sink; /* instead of the descriptor, or NULL */
	void *ctx; /* for the sink */
	int error; /* errno of the first failure, or 0 */
	bool hold; /* nothing is written: the buffer grows instead */
	bool widened; /* the pipe has been enlarged, or cannot be */
	char *p; /* the buffer */
	size_t len, cap;
};

/* Returns false if memory runs out. */
bool out_open(struct out *o, int fd) __attribute__((warn_unused_result));

/* Does the same for a sink. */
bool out_open_sink(struct out *o, out_sink *sink, void *ctx) __attribute__((warn_unused_result));

/* Frees the buffer; does not write and does not close the descriptor. */
void out_free(struct out *o);

/* Writes the buffer.  Returns false if output has failed, now or earlier. */
bool out_flush(struct out *o);

/*
 * Makes room for n contiguous bytes after the KEEP bytes that already follow the committed ones, by
 * writing out or growing the buffer as needed.  Returns where the n bytes go, or NULL if memory
 * runs out.
 */
char *out_more(struct out *o, size_t keep, size_t n);

static inline char *
out_room(struct out *o, size_t n)
{
	return o->cap - o->len >= n ? o->p + o->len : out_more(o, 0, n);
}

static inline void
out_commit(struct out *o, size_t n)
{
	o->len += n;
}

/* Drops all later output, as if a write had failed. */
static inline void
out_fail(struct out *o, int errnum)
{
	if (o->error == 0)
		o->error = errnum;
}

/* Appends bytes.  A failure is kept in o->error. */
void out_put(struct out *o, const void *s, size_t n);

/* Does the same without a copy, unless they fit into the buffer. */
void out_put_large(struct out *o, const void *s, size_t n);

static inline void
out_puts(struct out *o, const char *s)
{
	out_put(o, s, strlen(s));
}

#endif
