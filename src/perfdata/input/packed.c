/* SPDX-License-Identifier: ISC */
/* packed.c - compressed records: unpacks the records inside, in their place. */
#include <inttypes.h>

#include "lib/buf.h"
#include "lib/cur.h"
#include "src/perfdata/abi.h"
#include "src/perfdata/input/glued.h"
#include "src/perfdata/record/record.h"

/* Takes all records that are complete by now.  Damage is reported; torn records are left out. */
static int
drain(struct decoder *d, struct feed *inner, struct err *e)
{
	struct rec r;
	int rc;

	while ((rc = feed_next(inner, &r, e)) > 0) {
		rc = decoder_record(d, inner, &r, e);
		if (rc != 0)
			return rc;
	}
	if (rc == 0)
		return 0;
	if (e->code != ERR_DATA)
		return e->code;
	decoder_report(d, e);
	feed_drop(inner);
	return 0;
}

/* COMPRESSED2 gives the length in its data; its own size wraps around if that is long. */
static int
take_size(struct decoder *d, struct feed *f, const struct rec *r, uint64_t *size, struct err *e)
{
	const unsigned char *p;
	struct cur c;
	size_t got;

	if (feed_take(f, PACKED2_HEAD - REC_HEADER, &p, &got, e) != 0)
		return e->code;
	c = cur_over(p, got, f->big_endian);
	if (d->opt->all)
		record_line(d, r, c);
	*size = cur_u64(&c);
	return cur_ok(&c) ? 0 : err_byte(e, r->offset, "compressed record cut short");
}

/* One piece of the zstd stream, as it was compressed: a record's, or a glued record's. */
static int
give(struct decoder *d, struct feed *inner, const void *p, size_t n, uint64_t offset, struct err *e)
{
	unpack_give(inner->unpack, p, n, offset);
	return drain(d, inner, e);
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
give_all(struct decoder *d, struct feed *inner, const struct glued *g, size_t first,
    uint64_t offset, struct err *e)
{
	size_t at = 0, end = first, n;
	int rc;

	for (;;) {
		n = (end < g->len ? end : g->len) - at;
		rc = give(d, inner, g->p + at, n, offset + at, e);
		if (rc != 0 || end >= g->len)
			return rc;
		at = end + PACKED2_HEAD;
		if (at > g->len)
			return 0;
		end += glued_size(g, end);
	}
}

static int
glued(struct decoder *d, struct feed *f, struct feed *inner, uint64_t size, uint64_t offset,
    struct err *e)
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
			rc = give_all(d, inner, &g, first, offset, e);
		} else if (rc == ERR_DATA && all.len == size) {
			err_at_byte(e, offset);
			decoder_report(d, e);
			unpack_lose(inner->unpack);
			feed_drop(inner);
			rc = 0;
		}
		if ((rc == 0 || rc == ERR_DATA) && all.len < size)
			rc = cut_short(offset, size - all.len, e);
	}
	buf_free(&all);
	return rc;
}

static int
packed2(struct decoder *d, struct feed *f, struct feed *inner, const struct rec *r, struct err *e)
{
	const unsigned char *p;
	uint64_t size = 0, offset = r->offset;
	size_t got, said = r->said_size, whole;

	if (take_size(d, f, r, &size, e) != 0)
		return e->code;
	if (size > PACKED2_MAX)
		return glued(d, f, inner, size, offset, e);
	if (feed_take(f, (size_t)size, &p, &got, e) != 0 || give(d, inner, p, got, offset, e) != 0)
		return e->code;
	if (got < size)
		return cut_short(offset, size - got, e);
	/* the record is padded to 8 bytes, unless its size is wrong: then nothing follows */
	whole = (PACKED2_HEAD + got + 7) & ~(size_t)7;
	if (said < whole)
		return 0;
	return feed_skip(f, said - PACKED2_HEAD - got, e) == 0 ? 0 : e->code;
}

int
packed_records(struct decoder *d, struct feed *f, const struct rec *r, struct err *e)
{
	struct feed *inner;

	if (f->unpack != NULL)
		return err_byte(e, r->offset, "compressed records inside of compressed records");
	inner = feed_inner(f);
	if (inner == NULL)
		return err_nomem(e);
	if (r->type == REC_COMPRESSED2)
		return packed2(d, f, inner, r, e);
	unpack_give(inner->unpack, r->p + REC_HEADER, r->size - (size_t)REC_HEADER, r->offset);
	return drain(d, inner, e);
}

void
packed_end(struct decoder *d, const struct feed *f)
{
	struct err e;

	if (f->inner == NULL || !feed_is_torn(f->inner))
		return;
	err_byte(&e, unpack_offset(f->inner->unpack),
	    "the compressed records end inside of a record");
	decoder_report(d, &e);
}
