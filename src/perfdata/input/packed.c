/* SPDX-License-Identifier: ISC */
/* packed.c - compressed records: unpacks the records inside, in their place. */
#include <inttypes.h>

#include "lib/buf.h"
#include "src/perfdata/input/parts.h"

/* Who receives the records inside. */
struct target {
	struct input *input;
	struct feed *inner;
	packed_sink *sink;
	void *ctx;
};

/* Takes all records that are complete by now.  Damage is reported; torn records are left out. */
static int
drain(const struct target *to, struct err *e)
{
	struct rec r;
	int rc;

	while ((rc = feed_next(to->inner, &r, e)) > 0) {
		rc = to->sink(to->ctx, to->inner, &r, e);
		if (rc != 0)
			return rc;
	}
	if (rc == 0)
		return 0;
	if (e->code != ERR_DATA)
		return e->code;
	input_report(to->input, e);
	feed_drop(to->inner);
	return 0;
}

/* One piece of the zstd stream, as it was compressed: a record's, or a glued record's. */
static int
give(const struct target *to, const void *p, size_t n, uint64_t offset, struct err *e)
{
	unpack_give(to->inner->unpack, p, n, offset);
	return drain(to, e);
}

static int
cut_short(uint64_t offset, uint64_t missing, struct err *e)
{
	return err_byte(e, offset, "compressed record cut short: %" PRIu64 " bytes missing",
	    missing);
}

static int
collect(struct feed *f, size_t n, struct buf *all, struct err *e)
{
	const unsigned char *p;
	size_t got;

	for (; n > 0; n -= got) {
		if (feed_take(f, n < REC_MAX ? n : REC_MAX, &p, &got, e) != 0)
			return e->code;
		if (got == 0)
			break;
		if (!buf_put(all, p, got))
			return err_nomem(e);
	}
	return 0;
}

/* The glued records, one after another, up to the cut if there is one. */
static int
give_all(const struct target *to, const struct glued *g, size_t first, uint64_t offset,
    struct err *e)
{
	size_t at = 0, end = first, n;
	int rc;

	for (;;) {
		n = (end < g->len ? end : g->len) - at;
		rc = give(to, g->p + at, n, offset + at, e);
		if (rc != 0 || end >= g->len)
			return rc;
		at = end + PACKED2_HEAD;
		if (at > g->len)
			return 0;
		end += glued_size(g, end);
	}
}

static int
glued(const struct target *to, struct feed *f, uint64_t size, uint64_t offset, struct err *e)
{
	struct buf all = { 0 };
	struct glued g;
	size_t first;
	int rc;

	if (size > GLUED_MAX)
		return err_byte(e, offset,
		    "compressed record of %" PRIu64 " bytes: no buffer of perf is that large",
		    size);
	rc = collect(f, (size_t)size, &all, e);
	if (rc == 0) {
		g = (struct glued){ (const unsigned char *)all.p, all.len, (size_t)size,
			f->big_endian };
		rc = glued_find(&g, &first, e);
		if (rc == 0) {
			rc = give_all(to, &g, first, offset, e);
		} else if (rc == ERR_DATA && all.len == size) {
			err_at_byte(e, offset);
			input_report(to->input, e);
			unpack_lose(to->inner->unpack);
			feed_drop(to->inner);
			rc = 0;
		}
		if ((rc == 0 || rc == ERR_DATA) && all.len < size)
			rc = cut_short(offset, size - all.len, e);
	}
	buf_free(&all);
	return rc;
}

static int
packed2(const struct target *to, struct feed *f, const struct rec *r, struct cur body,
    struct err *e)
{
	const unsigned char *p;
	uint64_t size = cur_u64(&body), offset = r->offset;
	size_t got, stored = r->stored_size, whole;

	if (!cur_ok(&body))
		return err_byte(e, r->offset, "compressed record cut short");
	if (size > PACKED2_MAX)
		return glued(to, f, size, offset, e);
	if (feed_take(f, (size_t)size, &p, &got, e) != 0 || give(to, p, got, offset, e) != 0)
		return e->code;
	if (got < size)
		return cut_short(offset, size - got, e);
	/* the record is padded to 8 bytes, unless its size is wrong: then nothing follows */
	whole = (PACKED2_HEAD + got + 7) & ~(size_t)7;
	if (stored < whole)
		return 0;
	return feed_skip(f, stored - PACKED2_HEAD - got, e) == 0 ? 0 : e->code;
}

int
packed_begin(struct feed *f, const struct rec *r, struct cur *body, struct err *e)
{
	const unsigned char *p;
	size_t got;

	if (f->unpack != NULL)
		return err_byte(e, r->offset, "compressed records inside of compressed records");
	if (feed_inner(f) == NULL)
		return err_nomem(e);
	*body = cur_over(NULL, 0, f->big_endian);
	if (r->type != REC_COMPRESSED2)
		return 0;
	if (feed_take(f, PACKED2_HEAD - REC_HEADER, &p, &got, e) != 0)
		return e->code;
	*body = cur_over(p, got, f->big_endian);
	return 0;
}

int
packed_read(struct input *i, struct feed *f, const struct rec *r, struct cur body,
    packed_sink *sink, void *ctx, struct err *e)
{
	struct target to = { i, f->inner, sink, ctx };

	if (r->type == REC_COMPRESSED2)
		return packed2(&to, f, r, body, e);
	return give(&to, r->p + REC_HEADER, r->size - (size_t)REC_HEADER, r->offset, e);
}

void
packed_end(struct input *i, const struct feed *f)
{
	struct err e;

	if (f->inner == NULL || !feed_is_torn(f->inner))
		return;
	err_byte(&e, unpack_offset(f->inner->unpack),
	    "the compressed records end inside of a record");
	input_report(i, &e);
}
