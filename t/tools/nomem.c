/* SPDX-License-Identifier: ISC */
/*
 * nomem.c - makes memory run out, for the tests: a library to be preloaded (glibc).
 *
 * LD_PRELOAD=nomem.so NOMEM=K COMMAND: the K-th allocation of the command fails.
 */
#include <errno.h>
#include <stdlib.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);

static int
fails(void)
{
	static long count;
	const char *k = getenv("NOMEM");

	if (k == NULL || ++count != atol(k))
		return 0;
	errno = ENOMEM;
	return 1;
}

void *
malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *
calloc(size_t n, size_t size)
{
	return fails() ? NULL : __libc_calloc(n, size);
}

void *
realloc(void *p, size_t size)
{
	return fails() ? NULL : __libc_realloc(p, size);
}
