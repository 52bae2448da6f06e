/* SPDX-License-Identifier: ISC */
/*
 * refuse.h - refuses memory once, when it is asked for the Nth time, to all of the test.  The
 * linker directs here what asks for it: --wrap is needed for each function of this file.
 */
#ifndef AFPIPE_UNIT_REFUSE_H
#define AFPIPE_UNIT_REFUSE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/buf.h"
#include "lib/mem.h"
#include "lib/tab.h"
#include "lib/vec.h"

static unsigned long refused_at, asked; /* 0: nothing is refused */

static bool
refuse(void)
{
	return ++asked == refused_at;
}

#define REFUSABLE(type, name, refusal, parameters, arguments) \
	type __real_##name parameters; \
	type __wrap_##name parameters; \
	type __wrap_##name parameters \
	{ \
		return refuse() ? (refusal) : __real_##name arguments; \
	}

REFUSABLE(void *, mem_alloc, NULL, (size_t size), (size))
REFUSABLE(void *, mem_zero, NULL, (size_t n, size_t size), (n, size))
REFUSABLE(void *, mem_resize, NULL, (void *p, size_t size), (p, size))
REFUSABLE(void *, mem_array, NULL, (void *p, size_t kept, size_t size), (p, kept, size))
REFUSABLE(void *, mem_array_zeros, NULL, (void *p, size_t kept, size_t size), (p, kept, size))
REFUSABLE(bool, vec_grow, false, (void *array, size_t n, size_t *cap, size_t size),
    (array, n, cap, size))
REFUSABLE(bool, vec_grow_zero, false, (void *array, size_t n, size_t *cap, size_t size),
    (array, n, cap, size))

bool __real_buf_grow(struct buf *b, size_t n);
bool __wrap_buf_grow(struct buf *b, size_t n);
size_t __real_tab_add(struct tab *t, struct slice s, bool *fresh);
size_t __wrap_tab_add(struct tab *t, struct slice s, bool *fresh);

/* Buffers are only as large as they must be, so that each addition can be refused. */
bool
__wrap_buf_grow(struct buf *b, size_t n)
{
	if (refuse() || !__real_buf_grow(b, n))
		return false;
	b->cap = b->len + n;
	return true;
}

/* A text that is there needs no memory. */
size_t
__wrap_tab_add(struct tab *t, struct slice s, bool *fresh)
{
	size_t number = tab_find(t, s);

	return number == TAB_NONE && refuse() ? TAB_NONE : __real_tab_add(t, s, fresh);
}

#endif
