/* SPDX-License-Identifier: ISC */
/* textsort.c - sorts texts bytewise, also many millions of them. */
#include "lib/textsort.h"

#include <stdbool.h>
#include <string.h>

#include "lib/hint.h"

/*
 * A head has seven bytes of a text, the first one highest, and in the lowest byte how many of them
 * there are, or MORE if the text goes on.  So heads sort like texts, even if these have zero bytes.
 */
#define HEAD 7
#define MORE 8

#define FEW 24 /* rows that are sorted by insertion */
#define AHEAD ((size_t)16) /* rows whose texts are fetched ahead */

static inline struct slice
text_of(const struct textsort_texts *t, uint32_t number)
{
	struct slice s = t->text[number];

	if (t->length != NULL)
		s.len = t->length(t->ctx, s);
	return s;
}

/* Fetches what text_of will need for rows to come, in two steps. */
static HINT_INLINE void
fetch_ahead(const struct textsort_row *row, size_t n, size_t i, size_t depth,
    const struct textsort_texts *t)
{
	if (i + 2 * AHEAD < n)
		hint_soon(&t->text[row[i + 2 * AHEAD].number]);
	if (i + AHEAD < n)
		hint_soon(t->text[row[i + AHEAD].number].p + depth);
}

/* Returns the length of the beginning that all texts share.  They share DEPTH bytes already. */
static size_t
shared(const struct textsort_row *row, size_t n, size_t depth, const struct textsort_texts *t)
{
	struct slice first = text_of(t, row[0].number), s;
	size_t i, k, len = first.len;

	for (i = 1; i < n && len > depth; i++) {
		fetch_ahead(row, n, i, depth, t);
		s = text_of(t, row[i].number);
		if (s.len >= len && memcmp(s.p + depth, first.p + depth, len - depth) == 0)
			continue;
		for (k = depth; k < s.len && k < len && s.p[k] == first.p[k]; k++)
			;
		len = k;
	}
	return len;
}

static uint64_t
head_of(struct slice s, size_t depth)
{
	size_t left = s.len - depth, i;
	uint64_t head = 0;

	for (i = 0; i < HEAD; i++)
		head = head << 8 | (i < left ? (unsigned char)s.p[depth + i] : 0);
	return head << 8 | (left > HEAD ? MORE : left);
}

static void
set_heads(struct textsort_row *row, size_t n, size_t depth, const struct textsort_texts *t)
{
	size_t i;

	for (i = 0; i < n; i++) {
		fetch_ahead(row, n, i, depth, t);
		row[i].head = head_of(text_of(t, row[i].number), depth);
	}
}

static bool
is_before(const struct textsort_row *a, const struct textsort_row *b)
{
	if (a->head != b->head)
		return a->head < b->head;
	return a->rank != b->rank ? a->rank < b->rank : a->number < b->number;
}

static void
insert(struct textsort_row *row, size_t n)
{
	size_t i, k;

	for (i = 1; i < n; i++) {
		struct textsort_row x = row[i];

		for (k = i; k > 0 && is_before(&x, &row[k - 1]); k--)
			row[k] = row[k - 1];
		row[k] = x;
	}
}

/* Returns the part of the row's key whose highest bit is SHIFT + 7: its head, rank and number. */
static inline unsigned
digit_of(const struct textsort_row *x, int shift)
{
	if (shift >= 64)
		return (unsigned)(x->head >> (shift - 64)) & 255;
	return (unsigned)(((uint64_t)x->rank << 32 | x->number) >> shift) & 255;
}

/* Moves each row to the place of its digit.  Stores where the rows of each digit end. */
static void
distribute(struct textsort_row *row, size_t n, int shift, size_t end[256])
{
	size_t next[256], count[256] = { 0 }, i, at = 0;
	unsigned d, to;

	for (i = 0; i < n; i++)
		count[digit_of(&row[i], shift)]++;
	for (d = 0; d < 256; d++) {
		next[d] = at;
		at += count[d];
		end[d] = at;
	}
	for (d = 0; d < 256; d++)
		while (next[d] < end[d]) {
			struct textsort_row x = row[next[d]];

			/* follows the rows that are in the way of each other */
			while ((to = digit_of(&x, shift)) != d) {
				struct textsort_row other = row[next[to]];

				row[next[to]++] = x;
				x = other;
			}
			row[next[d]++] = x;
		}
}

/* Sorts by head, rank and number, beginning with the digit at SHIFT. */
static void
sort_heads(struct textsort_row *row, size_t n, int shift)
{
	size_t end[256], from = 0;
	unsigned d;

	if (n <= FEW) {
		insert(row, n);
		return;
	}
	if (shift < 64 && (row->head & 255) == MORE) /* their texts will be compared */
		return;
	distribute(row, n, shift, end);
	for (d = 0; d < 256 && shift > 0; from = end[d++])
		if (end[d] - from > 1)
			sort_heads(row + from, end[d] - from, shift - 8);
}

/* Returns how many rows from the first on have its head. */
static size_t
alike(const struct textsort_row *row, size_t n)
{
	size_t i = 1;

	while (i < n && row[i].head == row[0].head)
		i++;
	return i;
}

/*
 * Sorts rows whose texts share DEPTH bytes.  Rows with equal heads are then sorted by what follows:
 * the most in this loop and the others, half of them at most, by recursion.
 */
static void
sort_from(struct textsort_row *row, size_t n, size_t depth, const struct textsort_texts *t)
{
	while (n > 1) {
		struct textsort_row *most = row;
		size_t largest = 0, i, k;

		depth = shared(row, n, depth, t);
		set_heads(row, n, depth, t);
		sort_heads(row, n, 120);
		depth += HEAD;
		for (i = 0; i < n; i += k) {
			k = alike(row + i, n - i);
			if (k == 1 || (row[i].head & 255) != MORE)
				continue;
			if (k <= largest) {
				sort_from(row + i, k, depth, t);
				continue;
			}
			sort_from(most, largest, depth, t);
			most = row + i;
			largest = k;
		}
		row = most;
		n = largest;
	}
}

void
textsort(struct textsort_row *row, size_t n, const struct textsort_texts *t)
{
	sort_from(row, n, 0, t);
}
