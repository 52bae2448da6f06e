/* SPDX-License-Identifier: ISC */
/*
 * short.h - copies and compares texts that are mostly shorter than 32 bytes.
 *
 * For these a call to memcpy costs as much as the copy, and the branches of a loop of varying
 * length are mispredicted.  So overlapping words are used, the same few for a range of lengths.  No
 * byte outside the source and the destination is touched, except by short_copy_blocks.
 */
#ifndef AFPIPE_SHORT_H
#define AFPIPE_SHORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/hint.h"
#include "lib/slice.h"

static inline uint64_t
short_word(const char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof v);
	return v;
}

/* Copies n bytes, which must not overlap, and returns the end of the copy. */
static HINT_INLINE char *
short_copy(char *dst, const char *src, size_t n)
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

/*
 * Copies a text of which SHORT_BLOCKS(n) bytes may be read, to a place where as many may be
 * written, and returns the end of the copy of its n bytes.  Usual lengths have no branches.
 */
#define SHORT_USUAL ((size_t)48)
#define SHORT_BLOCKS(n) ((n) <= SHORT_USUAL ? SHORT_USUAL : ((n) + 15) / 16 * 16)

static HINT_INLINE char *
short_copy_blocks(char *dst, const char *src, size_t n)
{
	size_t i;

	memcpy(dst, src, SHORT_USUAL);
	for (i = SHORT_USUAL; i < n; i += 16)
		memcpy(dst + i, src + i, 16);
	return dst + n;
}

static inline bool
short_eq(struct slice a, struct slice b)
{
	size_t n = a.len;
	uint64_t differ;

	if (n != b.len)
		return false;
	if (a.p == b.p)
		return true;
	if (n >= 4 && n < 8)
		return memcmp(a.p, b.p, 4) == 0 && memcmp(a.p + n - 4, b.p + n - 4, 4) == 0;
	if (n < 4 || n > 32)
		return n == 0 || memcmp(a.p, b.p, n) == 0; /* without bytes, p may be NULL */
	differ = (short_word(a.p) ^ short_word(b.p)) |
	    (short_word(a.p + n - 8) ^ short_word(b.p + n - 8));
	if (n > 16)
		differ |= (short_word(a.p + 8) ^ short_word(b.p + 8)) |
		    (short_word(a.p + n - 16) ^ short_word(b.p + n - 16));
	return differ == 0;
}

#endif
