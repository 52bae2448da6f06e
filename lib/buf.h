/* SPDX-License-Identifier: ISC */
/*
 * buf.h - a buffer of bytes that grows.
 *
 * Invariants: len <= cap, and p is NULL only while cap is 0.  The bytes are not NUL-terminated
 * unless the caller appends a NUL.  { 0 } is a valid empty buffer.  p moves when the buffer grows,
 * so keep offsets and not pointers.
 */
#ifndef AFPIPE_BUF_H
#define AFPIPE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "lib/slice.h"

struct buf {
	char *p;
	size_t len, cap;
};

/* Makes room for n more bytes.  Returns false and keeps the contents if memory runs out. */
bool buf_grow(struct buf *b, size_t n) __attribute__((warn_unused_result));

void buf_free(struct buf *b);

/* Returns the bytes, valid until the buffer grows or is freed. */
static inline struct slice
buf_slice(const struct buf *b)
{
	return (struct slice){ b->p, b->len };
}

static inline bool
buf_room(struct buf *b, size_t n)
{
	return b->cap - b->len >= n || buf_grow(b, n);
}

__attribute__((warn_unused_result)) static inline bool
buf_put(struct buf *b, const void *s, size_t n)
{
	if (!buf_room(b, n))
		return false;
	if (n != 0)
		memcpy(b->p + b->len, s, n);
	b->len += n;
	return true;
}

__attribute__((warn_unused_result)) static inline bool
buf_puts(struct buf *b, const char *s)
{
	return buf_put(b, s, strlen(s));
}

__attribute__((warn_unused_result)) static inline bool
buf_putc(struct buf *b, char c)
{
	return buf_put(b, &c, 1);
}

#endif
