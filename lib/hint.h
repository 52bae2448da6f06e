/* SPDX-License-Identifier: ISC */
/* hint.h - hints to the processor; nothing where the compiler has none. */
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

#endif
