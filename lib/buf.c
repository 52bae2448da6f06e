/* SPDX-License-Identifier: ISC */
/* buf.c - a buffer of bytes that grows. */
#include "lib/buf.h"

#include <stdint.h>

#include "lib/mem.h"

bool
buf_grow(struct buf *b, size_t n)
{
	size_t cap = b->cap < 256 ? 256 : b->cap;
	char *p;

	if (n > SIZE_MAX / 2 - b->len)
		return false;
	while (cap - b->len < n)
		cap *= 2;
	p = mem_resize(b->p, cap);
	if (p == NULL)
		return false;
	b->p = p;
	b->cap = cap;
	return true;
}

void
buf_free(struct buf *b)
{
	mem_free(b->p);
	*b = (struct buf){ 0 };
}
