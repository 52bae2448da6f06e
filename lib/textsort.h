/* SPDX-License-Identifier: ISC */
/*
 * textsort.h - sorts texts bytewise, also many millions of them.
 *
 * A comparison of two texts waits for memory twice, and texts often begin alike.  So each row has
 * the few bytes in which its text first differs from others, and rows are sorted by these alone.
 * Texts are read again only where these bytes are equal.
 */
#ifndef AFPIPE_TEXTSORT_H
#define AFPIPE_TEXTSORT_H

#include <stddef.h>
#include <stdint.h>

#include "lib/slice.h"

/* The caller sets number and rank. */
struct textsort_row {
	uint64_t head; /* internal */
	uint32_t number; /* of its text */
	uint32_t rank; /* rows with equal texts are sorted by this, and then by number */
};

/* The texts by number.  If length is not NULL, it returns how many bytes of a text count. */
struct textsort_texts {
	const struct slice *text;
	size_t (*length)(const void *ctx, struct slice text);
	const void *ctx;
};

/* Sorts the rows in place.  It does not allocate, so it cannot fail. */
void textsort(struct textsort_row *row, size_t n, const struct textsort_texts *t);

#endif
