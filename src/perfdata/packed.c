/* SPDX-License-Identifier: ISC */
/* packed.c - compressed records: the records inside of them, in their place. */
#include <inttypes.h>
#include <string.h>

#include "src/perfdata/abi.h"
#include "src/perfdata/decoder.h"

#define PACKED2_HEAD 16 /* of COMPRESSED2: the header and the size of the data */

/* All records that are whole by now.  Damage is said, and what is torn by it left out. */
static int
drain(struct decoder *d, struct feed *inner, record_sink *sink, struct err *e)
{
	struct rec r;
	int rc;

	while ((rc = feed_next(inner, &r, e)) > 0) {
		rc = sink(d, inner, &r, e);
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

/* COMPRESSED2 says in its data how long that is; its own size wraps around where it is long. */
static int
take_size(struct decoder *d, struct feed *f, const struct rec *r, uint64_t *size, struct err *e)
{
	unsigned char word[8];
	const unsigned char *p;
	size_t have = 0, got;
	struct cur c;

	for (; have < sizeof word; have += got) {
		if (feed_take(f, sizeof word - have, &p, &got, e) != 0)
			return e->code;
		if (got == 0)
			return err_byte(e, r->offset, "compressed record cut short");
		memcpy(word + have, p, got);
	}
	c = cur_over(word, sizeof word, f->big_endian);
	if (d->opt->all)
		emit_compressed2(d, r, c);
	*size = cur_u64(&c);
	return 0;
}

static int
packed2(struct decoder *d, struct feed *f, struct feed *inner, const struct rec *r,
    record_sink *sink, struct err *e)
{
	const unsigned char *p;
	uint64_t left = 0, offset = r->offset;
	size_t got, said = r->said_size, pad;

	if (take_size(d, f, r, &left, e) != 0)
		return e->code;
	pad = said >= PACKED2_HEAD && left <= said - PACKED2_HEAD
	    ? said - PACKED2_HEAD - (size_t)left
	    : 0;
	for (; left != 0; left -= got) {
		if (feed_take(f, left < REC_MAX ? (size_t)left : REC_MAX, &p, &got, e) != 0)
			return e->code;
		if (got == 0)
			return err_byte(e, offset,
			    "compressed record cut short: %" PRIu64 " bytes missing", left);
		unpack_give(inner->unpack, p, got, offset);
		if (drain(d, inner, sink, e) != 0)
			return e->code;
	}
	return feed_skip(f, pad, e) == 0 ? 0 : e->code;
}

int
packed_records(struct decoder *d, struct feed *f, const struct rec *r, record_sink *sink,
    struct err *e)
{
	struct feed *inner;

	if (f->unpack != NULL)
		return err_byte(e, r->offset, "compressed records inside of compressed records");
	inner = feed_inner(f);
	if (inner == NULL)
		return err_nomem(e);
	if (r->type == REC_COMPRESSED2)
		return packed2(d, f, inner, r, sink, e);
	unpack_give(inner->unpack, r->p + REC_HEADER, r->size - (size_t)REC_HEADER, r->offset);
	return drain(d, inner, sink, e);
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
