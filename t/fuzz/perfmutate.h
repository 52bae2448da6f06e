/* SPDX-License-Identifier: ISC */
/*
 * perfmutate.h - changes recordings of perf so that they remain recordings: the sizes of records,
 * and what the header says about places in the file, stay right.
 */
#ifndef AFPIPE_FUZZ_PERFMUTATE_H
#define AFPIPE_FUZZ_PERFMUTATE_H

#include "t/fuzz/edit.h"

#define PERF_RECORDS_MAX 512 /* records that a change may be about */
#define PERF_HEADER 104
#define PERF_FEATURES 72 /* where the bits of the features are, in the header */

/* The places in a recording. */
struct recording {
	struct edit *x;
	bool big, pipe;
	size_t from, to; /* its records */
	size_t at[PERF_RECORDS_MAX + 1]; /* where they begin, and the end of the last one */
	size_t n;
};

static uint64_t
perf_get(const struct recording *r, size_t at, size_t bytes)
{
	uint64_t v = 0;
	size_t i;

	for (i = 0; i < bytes; i++)
		v = v << 8 | r->x->p[at + (r->big ? i : bytes - 1 - i)];
	return v;
}

static void
perf_set(const struct recording *r, size_t at, size_t bytes, uint64_t v)
{
	size_t i;

	for (i = 0; i < bytes; i++, v >>= 8)
		r->x->p[at + (r->big ? bytes - 1 - i : i)] = (uint8_t)v;
}

static bool
perf_find(struct recording *r, struct edit *x)
{
	uint64_t from, size;

	*r = (struct recording){ .x = x };
	if (x->len < 24 || (memcmp(x->p, "PERFILE2", 8) != 0 && memcmp(x->p, "2ELIFREP", 8) != 0))
		return false;
	r->big = x->p[0] == '2';
	r->pipe = perf_get(r, 8, 8) == 16;
	r->from = 16;
	r->to = x->len;
	if (!r->pipe && x->len < PERF_HEADER)
		return false;
	if (!r->pipe) {
		from = perf_get(r, 40, 8);
		size = perf_get(r, 48, 8);
		if (from < PERF_HEADER || from > x->len || size > x->len - from)
			return false;
		r->from = (size_t)from;
		r->to = (size_t)(from + size);
	}
	r->at[0] = r->from;
	while (r->n < PERF_RECORDS_MAX && r->to - r->at[r->n] >= 8) {
		size = perf_get(r, r->at[r->n] + 6, 2);
		if (size < 8 || size > r->to - r->at[r->n])
			break;
		r->at[r->n + 1] = r->at[r->n] + (size_t)size;
		r->n++;
	}
	return r->n != 0;
}

static size_t
perf_size(const struct recording *r, size_t i)
{
	return r->at[i + 1] - r->at[i];
}

/* Adds BY to the offset there, if it is one of a place after AT. */
static void
perf_move(const struct recording *r, size_t offset, size_t at, uint64_t by)
{
	uint64_t v = perf_get(r, offset, 8);

	if (v >= at && v <= INT64_MAX)
		perf_set(r, offset, 8, v + by);
}

/* Corrects the header after N bytes at AT have taken the place of OLD bytes. */
static void
perf_moved(const struct recording *r, size_t at, size_t old, size_t n)
{
	uint64_t by = (uint64_t)n - old, size, attrs, attr;
	size_t i, k, end = r->to + n - old;

	if (r->pipe)
		return;
	attr = perf_get(r, 16, 8);
	attrs = perf_get(r, 24, 8);
	size = perf_get(r, 32, 8);
	perf_set(r, 48, 8, end - r->from);
	for (i = 0; i < 256; i++)
		if ((r->x->p[PERF_FEATURES + i / 8] >> i % 8 & 1) != 0 && end + 16 <= r->x->len) {
			perf_move(r, end, at, by);
			end += 16;
		}
	if (attr < 16 || attr > 4096 || attrs > at || size > at - attrs)
		return;
	for (k = (size_t)attrs; k + attr <= attrs + size; k += (size_t)attr)
		perf_move(r, k + (size_t)attr - 16, at, by);
}

/* Stores another number in a field of BYTES bytes: an odd one, one close by, or that of OTHER. */
static void
perf_change(const struct recording *r, size_t at, size_t bytes, size_t other)
{
	uint64_t v = perf_get(r, at, bytes);
	struct edit *x = r->x;

	switch (edit_below(x, 8)) {
	case 0: v = 0; break;
	case 1: v = UINT64_MAX; break;
	case 2: v += 1 + edit_below(x, 16); break;
	case 3: v -= 1 + edit_below(x, 16); break;
	case 4: v ^= UINT64_C(1) << edit_below(x, 8 * bytes); break;
	case 5: v = edit_below(x, 64); break;
	case 6: v = UINT64_C(1) << edit_below(x, 8 * bytes); break;
	default: v = perf_get(r, other, bytes);
	}
	perf_set(r, at, bytes, v);
}

static size_t
perf_width(struct edit *x)
{
	static const size_t widths[] = { 8, 8, 4, 4, 2, 1 };

	return widths[edit_below(x, sizeof widths / sizeof widths[0])];
}

/* Changes a field of a record, perhaps to that of another record at the same place. */
static bool
perf_field(struct recording *r)
{
	struct edit *x = r->x;
	size_t i = edit_below(x, r->n), k = edit_below(x, r->n), bytes = perf_width(x), at;

	if (perf_size(r, i) < 8 + bytes)
		return false;
	at = 8 + edit_below(x, (perf_size(r, i) - 8) / bytes) * bytes;
	if (at + bytes > perf_size(r, k))
		k = i;
	perf_change(r, r->at[i] + at, bytes, r->at[k] + at);
	return true;
}

static bool
perf_type(struct recording *r)
{
	struct edit *x = r->x;
	size_t i = edit_below(x, r->n), k = edit_below(x, 50);

	if (edit_below(x, 4) == 0)
		perf_set(r, r->at[i] + 4, 2,
		    perf_get(r, r->at[i] + 4, 2) ^ UINT64_C(1) << edit_below(x, 16));
	else
		perf_set(r, r->at[i], 4, k < 24 ? k : 40 + k); /* the kernel's, or perf's own */
	return true;
}

static bool
perf_repeat(struct recording *r)
{
	struct edit *x = r->x;
	size_t i = edit_below(x, r->n), at = r->at[edit_below(x, r->n + 1)], n = perf_size(r, i);
	uint8_t room[4096];

	if (n > sizeof room)
		return false;
	memcpy(room, x->p + r->at[i], n);
	if (!edit_resize(x, at, 0, n))
		return false;
	memcpy(x->p + at, room, n);
	perf_moved(r, at, 0, n);
	return true;
}

static bool
perf_drop(struct recording *r)
{
	size_t i = edit_below(r->x, r->n), n = perf_size(r, i);

	if (r->n < 2 || !edit_resize(r->x, r->at[i], n, 0))
		return false;
	perf_moved(r, r->at[i], n, 0);
	return true;
}

static bool
perf_swap(struct recording *r)
{
	size_t i;

	if (r->n < 2)
		return false;
	i = edit_below(r->x, r->n - 1);
	return edit_swap(r->x, r->at[i], perf_size(r, i), perf_size(r, i + 1));
}

/* Inserts or removes words of a record. */
static bool
perf_stretch(struct recording *r)
{
	struct edit *x = r->x;
	size_t i = edit_below(x, r->n), size = perf_size(r, i), words = 1 + edit_below(x, 4);
	size_t at = 8 + edit_below(x, size / 8) * 8, n = words * 8, old = 0, k;

	if (at > size)
		return false;
	if (edit_below(x, 2) == 0) {
		old = n <= size - at ? n : size - at;
		n = 0;
	}
	if (size - old + n > UINT16_MAX || !edit_resize(x, r->at[i] + at, old, n))
		return false;
	for (k = 0; k < n; k++)
		x->p[r->at[i] + at + k] = (uint8_t)(k % 8 == 0 ? edit_below(x, 4) : 0);
	perf_set(r, r->at[i] + 6, 2, size - old + n);
	perf_moved(r, r->at[i] + at, old, n);
	return true;
}

/* Changes a field of the part of a file before its records, or after them. */
static bool
perf_header(struct recording *r)
{
	struct edit *x = r->x;
	size_t bytes = perf_width(x), from = 16, to = r->from, at;

	if (r->pipe)
		return false;
	if (edit_below(x, 2) == 0) {
		from = r->to;
		to = x->len;
	}
	if (from > to || to - from < bytes)
		return false;
	at = from + edit_below(x, (to - from) / bytes) * bytes;
	perf_change(r, at, bytes, from + edit_below(x, (to - from) / bytes) * bytes);
	return true;
}

/* A function for fuzz_driver.mutate. */
static size_t
perf_mutate(uint8_t *data, size_t size, size_t max, uint64_t *state)
{
	static bool (*const changes[])(struct recording *) = { perf_field, perf_field, perf_field,
		perf_type, perf_repeat, perf_drop, perf_swap, perf_stretch, perf_header };
	struct edit x = { data, size, max, state };
	struct recording r;
	size_t tries;

	for (tries = 0; tries < 8; tries++)
		if (!perf_find(&r, &x))
			return 0;
		else if (changes[edit_below(&x, sizeof changes / sizeof changes[0])](&r))
			return x.len;
	return 0;
}

#endif
