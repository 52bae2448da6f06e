/* SPDX-License-Identifier: ISC */
/* tracefields.c - writes the raw bytes of a tracepoint's sample as tags. */
#include "lib/cur.h"
#include "lib/num.h"
#include "src/perfdata/trace/traceformat.h"

/*
 * The kernel pads its structure to at most a multiple of 8, then the bytes so that, together with
 * the length before them, they are a multiple of 8, too: 7 and 4 bytes.
 */
#define PADDING_MAX 11

/* One sample while its fields are printed. */
struct walk {
	struct evwrite *w;
	const unsigned char *raw;
	size_t n;
	bool big_endian;
	size_t end; /* end of the bytes that were printed or are known to be there */
	size_t budget; /* bytes left for located fields, which do not share any */
};

static uint64_t
take(struct cur *c, unsigned width)
{
	switch (width) {
	case 1: return cur_u8(c);
	case 2: return cur_u16(c);
	case 4: return cur_u32(c);
	}
	return cur_u64(c);
}

/* Sign-extends a number of WIDTH bytes to 64 bits. */
static int64_t
extend(uint64_t v, unsigned width)
{
	switch (width) {
	case 1: return (int8_t)v;
	case 2: return (int16_t)v;
	case 4: return (int32_t)v;
	}
	return (int64_t)v;
}

static size_t
put_number(char *p, const struct trace_field *f, uint64_t v)
{
	if (f->kind == TRACE_POINTER || f->kind == TRACE_POINTERS)
		return num_put_hex(p, v);
	return f->is_signed ? num_put_i64(p, extend(v, f->width)) : num_put_u64(p, v);
}

/* Bytes that do not fill a whole element are padding. */
static void
put_list(struct evwrite *w, const struct trace_field *f, struct cur c)
{
	bool first = true;

	evw_tag_begin(w, f->key);
	while (cur_left(&c) >= f->width) {
		char *p = evw_room(w, NUM_MAX + 1);

		if (p == NULL)
			return;
		if (!first)
			*p++ = ';';
		first = false;
		evw_advance(w, p + put_number(p, f, take(&c, f->width)));
	}
	if (first)
		evw_bytes(w, ".", 1);
	evw_tag_end(w, f->key);
}

static void
put_field(struct evwrite *w, const struct trace_field *f, struct cur c)
{
	struct slice text;

	switch (f->kind) {
	case TRACE_INT:
		if (f->is_signed)
			evw_tag_i64(w, f->key, extend(take(&c, f->width), f->width));
		else
			evw_tag_u64(w, f->key, take(&c, f->width));
		break;
	case TRACE_POINTER: evw_tag_hex(w, f->key, take(&c, f->width)); break;
	case TRACE_TEXT:
		text.p = cur_rest_string(&c, &text.len);
		evw_tag_text(w, f->key, text);
		break;
	case TRACE_INTS:
	case TRACE_POINTERS: put_list(w, f, c); break;
	default:
		evw_tag_begin(w, f->key);
		evw_hex_bytes(w, c.p, cur_left(&c));
		evw_tag_end(w, f->key);
	}
}

/* Finds the field's bytes.  False if they are not all there. */
static bool
locate(struct walk *k, const struct trace_field *f, struct cur *c)
{
	size_t at = f->offset, size = f->size;

	if (at > k->n || size > k->n - at)
		return false;
	if (f->place == TRACE_TO_END) {
		size = k->n - at;
	} else if (f->place != TRACE_HERE) {
		struct cur loc = cur_over(k->raw + at, size, k->big_endian);
		uint32_t where = cur_u32(&loc);

		at = (where & 0xffff) + (f->place == TRACE_REL_LOC ? at + size : 0);
		size = where >> 16;
		if (size == 0)
			at = 0;
		if (at > k->n || size > k->n - at || size > k->budget)
			return false;
		k->budget -= size;
	}
	if (at + size > k->end)
		k->end = at + size;
	*c = cur_over(k->raw + at, size, k->big_endian);
	return true;
}

enum trace_rest
trace_format_put(struct evwrite *w, const struct trace_format *f, bool with_common,
    const unsigned char *raw, size_t n)
{
	struct walk k = { w, raw, n, f->big_endian, f->end, n };
	bool whole = true;
	size_t i;

	for (i = with_common ? 0 : f->common; i < f->count; i++) {
		struct cur c;

		if (locate(&k, &f->field[i], &c))
			put_field(w, &f->field[i], c);
		else
			whole = false;
	}
	if (!whole)
		return TRACE_SHORT;
	return n > k.end && n - k.end > PADDING_MAX ? TRACE_MORE : TRACE_ALL;
}
