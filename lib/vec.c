/* SPDX-License-Identifier: ISC */
/* vec.c - arrays that grow. */
#include "lib/vec.h"

#include <stdint.h>
#include <string.h>

#include "lib/mem.h"

#define FIRST 8

bool
vec_grow(void *array, size_t n, size_t *cap, size_t size)
{
	size_t more = *cap == 0 ? FIRST : *cap * 2;
	void *old, *p;

	while (more <= n)
		more *= 2;
	if (more > SIZE_MAX / 2 / size)
		return false;
	memcpy(&old, array, sizeof old); /* a pointer to any type */
	p = mem_resize(old, more * size);
	if (p == NULL)
		return false;
	memcpy(array, &p, sizeof p);
	*cap = more;
	return true;
}

bool
vec_grow_zero(void *array, size_t n, size_t *cap, size_t size)
{
	size_t before = *cap;
	char *p;

	if (!vec_grow(array, n, cap, size))
		return false;
	memcpy(&p, array, sizeof p);
	memset(p + before * size, 0, (*cap - before) * size);
	return true;
}
