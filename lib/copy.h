/* SPDX-License-Identifier: ISC */
/*
 * copy.h - memcpy for short names and tags.
 *
 * It never touches a byte outside source and destination.  It exists because calling memcpy
 * for about 10 bytes costs more than copying them.
 */
#ifndef AFPIPE_COPY_H
#define AFPIPE_COPY_H

#include <stddef.h>
#include <string.h>

#include "lib/hint.h"

/* Copies n bytes, which do not overlap, and returns where the copy ends. */
static HINT_INLINE char *
copy_short(char *dst, const char *src, size_t n)
{
	size_t i;

	if (n >= 16) {
		for (i = 0; i + 16 <= n; i += 16)
			memcpy(dst + i, src + i, 16);
		memcpy(dst + n - 16, src + n - 16, 16);
	} else if (n >= 8) {
		memcpy(dst, src, 8);
		memcpy(dst + n - 8, src + n - 8, 8);
	} else if (n >= 4) {
		memcpy(dst, src, 4);
		memcpy(dst + n - 4, src + n - 4, 4);
	} else {
		for (i = 0; i < n; i++)
			dst[i] = src[i];
	}
	return dst + n;
}

#endif
