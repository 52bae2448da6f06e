/* SPDX-License-Identifier: ISC */
/* hint.h - hints to the processor and the compiler, empty if the compiler does not support them. */
#ifndef AFPIPE_HINT_H
#define AFPIPE_HINT_H

/*
 * Put these before a definition.  INLINE: the function is on the path of every record and has few
 * callers, so it is inlined into each.  APART: the function is off that path and is kept out of its
 * callers, so that they stay short.
 */
#if defined __GNUC__
#define HINT_INLINE inline __attribute__((always_inline))
#define HINT_APART __attribute__((noinline))
#else
#define HINT_INLINE inline
#define HINT_APART
#endif

/*
 * Tells the processor that the memory at p will be read soon.  A function that does nothing else
 * must be HINT_INLINE, too: to gcc it seems to have no effect, and calls of it are removed.
 */
static HINT_INLINE void
hint_soon(const void *p)
{
#if defined __GNUC__
	__builtin_prefetch(p);
#else
	(void)p;
#endif
}

#endif
