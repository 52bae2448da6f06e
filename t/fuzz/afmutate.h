/* SPDX-License-Identifier: ISC */
/*
 * afmutate.h - changes AFPerf files so that they remain records of fields: whole fields are
 * changed, and whole records repeated, removed and exchanged.
 */
#ifndef AFPIPE_FUZZ_AFMUTATE_H
#define AFPIPE_FUZZ_AFMUTATE_H

#include <inttypes.h>
#include <stdio.h>

#include "lib/num.h"
#include "t/fuzz/edit.h"

#define AF_RECORDS_MAX 256 /* records, and fields of one, that a change may be about */

/* Parts of an input, from at[i] to at[i + 1] with a separator at the end. */
struct parts {
	size_t at[AF_RECORDS_MAX + 1];
	size_t n;
};

/* Cuts bytes [from, to) after each separator that is not in quotes. */
static void
af_cut(struct parts *p, const struct edit *x, size_t from, size_t to, char separator)
{
	bool quoted = false;
	size_t i;

	p->n = 0;
	p->at[0] = from;
	for (i = from; i < to && p->n < AF_RECORDS_MAX; i++) {
		quoted ^= x->p[i] == '"';
		if ((!quoted && x->p[i] == (uint8_t)separator) || i + 1 == to)
			p->at[++p->n] = i + 1;
	}
}

static size_t
af_size(const struct parts *p, size_t i)
{
	return p->at[i + 1] - p->at[i];
}

/* Cuts a random record into fields.  Returns its number. */
static size_t
af_fields(struct parts *fields, const struct parts *records, struct edit *x)
{
	size_t i = edit_below(x, records->n), end = records->at[i + 1];

	end -= end > records->at[i] && x->p[end - 1] == '\n';
	af_cut(fields, x, records->at[i], end, ',');
	return i;
}

/* Returns the text of field I without its comma. */
static struct slice
af_field(const struct parts *fields, size_t i, const struct edit *x)
{
	size_t n = af_size(fields, i);

	n -= n != 0 && x->p[fields->at[i] + n - 1] == ',';
	return (struct slice){ (const char *)x->p + fields->at[i], n };
}

/* Replaces a field by a text of at most 256 bytes. */
static bool
af_set(struct edit *x, const struct parts *fields, size_t i, struct slice text)
{
	struct slice old = af_field(fields, i, x);
	char room[256];

	if (text.len > sizeof room)
		return false;
	memcpy(room, text.p, text.len);
	if (text.len > old.len && text.len - old.len > x->max - x->len)
		return false;
	(void)edit_resize(x, fields->at[i], old.len, text.len);
	memcpy(x->p + fields->at[i], room, text.len);
	return true;
}

/* Changes the number in a field, if there is one, or else replaces it. */
static bool
af_number(struct edit *x, const struct parts *records)
{
	static const char *const odd[] = { "", "0", "1", "-1", "18446744073709551615",
		"9223372036854775808", "0x0", "0xffffffffffffffff", "1.5", "1e308", "nan", "-inf",
		"18446744073709551616", "4294967296" };
	struct parts fields;
	char text[32];
	uint64_t v;
	size_t i;

	(void)af_fields(&fields, records, x);
	if (fields.n == 0)
		return false;
	i = edit_below(x, fields.n);
	if (edit_below(x, 2) == 0 || !num_get_u64(af_field(&fields, i, x), &v))
		return af_set(x, &fields, i,
		    slice_of(odd[edit_below(x, sizeof odd / sizeof odd[0])]));
	snprintf(text, sizeof text, "%" PRIu64, v + edit_below(x, 9) - 4);
	return af_set(x, &fields, i, slice_of(text));
}

/* Replaces a field by that of another record, mostly by that at the same place. */
static bool
af_copy(struct edit *x, const struct parts *records)
{
	struct parts fields, others;
	size_t i, k;

	(void)af_fields(&fields, records, x);
	(void)af_fields(&others, records, x);
	if (fields.n == 0 || others.n == 0)
		return false;
	i = edit_below(x, fields.n);
	k = i < others.n && edit_below(x, 4) != 0 ? i : edit_below(x, others.n);
	return af_set(x, &fields, i, af_field(&others, k, x));
}

static bool
af_repeat(struct edit *x, const struct parts *records)
{
	size_t i = edit_below(x, records->n), at = records->at[edit_below(x, records->n + 1)];
	size_t n = af_size(records, i);
	uint8_t room[4096];

	if (n > sizeof room)
		return false;
	memcpy(room, x->p + records->at[i], n);
	if (!edit_resize(x, at, 0, n))
		return false;
	memcpy(x->p + at, room, n);
	return true;
}

static bool
af_drop(struct edit *x, const struct parts *records)
{
	size_t i = edit_below(x, records->n);

	return records->n > 1 && edit_resize(x, records->at[i], af_size(records, i), 0);
}

static bool
af_swap(struct edit *x, const struct parts *records)
{
	size_t i;

	if (records->n < 2)
		return false;
	i = edit_below(x, records->n - 1);
	return edit_swap(x, records->at[i], af_size(records, i), af_size(records, i + 1));
}

/* Removes a field with its comma, or repeats it. */
static bool
af_shift(struct edit *x, const struct parts *records)
{
	struct parts fields;
	size_t i;

	(void)af_fields(&fields, records, x);
	if (fields.n < 2)
		return false;
	i = edit_below(x, fields.n - 1);
	if (edit_below(x, 2) == 0)
		return edit_resize(x, fields.at[i], af_size(&fields, i), 0);
	if (!edit_resize(x, fields.at[i], 0, af_size(&fields, i)))
		return false;
	memcpy(x->p + fields.at[i], x->p + fields.at[i + 1], af_size(&fields, i));
	return true;
}

/* A function for fuzz_driver.mutate. */
static size_t
af_mutate(uint8_t *data, size_t size, size_t max, uint64_t *state)
{
	static bool (*const changes[])(struct edit *, const struct parts *) = { af_number,
		af_number, af_copy, af_copy, af_repeat, af_drop, af_swap, af_shift };
	struct edit x = { data, size, max, state };
	struct parts records;
	size_t tries;

	for (tries = 0; tries < 8; tries++) {
		af_cut(&records, &x, 0, x.len, '\n');
		if (records.n == 0)
			return 0;
		if (changes[edit_below(&x, sizeof changes / sizeof changes[0])](&x, &records))
			return x.len;
	}
	return 0;
}

#endif
