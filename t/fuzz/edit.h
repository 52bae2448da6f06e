/* SPDX-License-Identifier: ISC */
/*
 * edit.h - for drivers that mutate: changes bytes, inserts and removes them, within a limit.
 */
#ifndef AFPIPE_FUZZ_EDIT_H
#define AFPIPE_FUZZ_EDIT_H

#include <string.h>

#include "t/fuzz/fuzz.h"

struct edit {
	uint8_t *p;
	size_t len, max;
	uint64_t *state; /* of random_next */
};

/* Returns a random number below N, which is not 0. */
static inline size_t
edit_below(struct edit *x, size_t n)
{
	return (size_t)(random_next(x->state) % n);
}

/*
 * Makes room for N bytes in place of the OLD ones at AT, with unknown contents.  Returns false if
 * the input would become too long, or stay as long as it is.
 */
static inline bool
edit_resize(struct edit *x, size_t at, size_t old, size_t n)
{
	if (n > old && n - old > x->max - x->len)
		return false;
	memmove(x->p + at + n, x->p + at + old, x->len - at - old);
	x->len = x->len - old + n;
	return n != old;
}

/* Exchanges the N bytes at AT and the M bytes after them.  Each fits into the room. */
static inline bool
edit_swap(struct edit *x, size_t at, size_t n, size_t m)
{
	uint8_t room[4096];

	if (n > sizeof room)
		return false;
	memcpy(room, x->p + at, n);
	memmove(x->p + at, x->p + at + n, m);
	memcpy(x->p + at + m, room, n);
	return true;
}

#endif
