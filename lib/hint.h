/* SPDX-License-Identifier: ISC */
/* hint.h - hints to processor and compiler; nothing where the compiler has none. */
#ifndef AFPIPE_HINT_H
#define AFPIPE_HINT_H

/* The memory at p will be read soon. */
static inline void
hint_soon(const void *p)
{
#if defined __GNUC__
	__builtin_prefetch(p);
#else
	(void)p;
#endif
}

/*
 * Before a definition: inside of each of its callers, which are few, since it is on the way of
 * every record; or kept out of them, since it is not, so that they stay short.
 */
#if defined __GNUC__
#define HINT_INLINE inline __attribute__((always_inline))
#define HINT_APART __attribute__((noinline))
#else
#define HINT_INLINE inline
#define HINT_APART
#endif

#endif
