/* SPDX-License-Identifier: ISC */
/*
 * simpleperf.c - the records of Android's recorder.
 *
 * A record longer than 64 KiB is cut into SPLIT records, its header included, and
 * SPLIT_END marks its end (simpleperf/record_file_writer.cpp).  The misc of its header
 * is the high half of its size.
 */
#include <inttypes.h>

#include "src/perfdata/abi.h"
#include "src/perfdata/record/fields.h"
#include "src/perfdata/record/record.h"

#define SPLIT_MAX ((size_t)64 * 1024 * 1024)

/* Adds the next piece.  Pieces of a record that is too long are dropped, with one message. */
static int
add_piece(struct decoder *d, const struct rec *r, struct err *e)
{
	size_t n = r->size - (size_t)REC_HEADER;

	if (d->split_dropped)
		return 0;
	if (n > SPLIT_MAX - d->split.len) {
		d->split_dropped = true;
		d->split.len = 0;
		return err_byte(e, r->offset, "a split record of more than %zu bytes", SPLIT_MAX);
	}
	return buf_put(&d->split, r->p + REC_HEADER, n) ? 0 : err_nomem(e);
}

/* All pieces are there: the line of the whole record replaces that of the last piece. */
static int
end_pieces(struct decoder *d, const struct rec *r, struct err *e)
{
	const void *pieces = d->split.len == 0 ? (const void *)r->p : d->split.p;
	struct cur c = cur_over(pieces, d->split.len, d->big_endian);
	struct rec whole = { .type = cur_u32(&c), .offset = r->offset };
	uint32_t high = cur_u16(&c), low = cur_u16(&c);
	const struct form *f = form_of(whole.type);
	bool dropped = d->split_dropped,
	     good = cur_ok(&c) && whole.type > REC_SP && whole.type != REC_SP_SPLIT &&
	    whole.type != REC_SP_SPLIT_END && (high << 16 | low) == d->split.len;
	int rc = 0;

	if (d->opt->all && good)
		record_line(d, &whole, c);
	else if (d->opt->all)
		emit_other(d, r);
	if (good && f == NULL)
		unknown_count(d, whole.type);
	good = good && (f == NULL || fields_fit(f->fields, c));
	if (good && whole.type == REC_SP_TRACING_DATA)
		rc = tracing_inside(d, &c, e);
	buf_free(&d->split);
	d->split = (struct buf){ 0 };
	d->split_dropped = false;
	if (rc != 0 || dropped || good)
		return rc;
	return err_byte(e, r->offset, "the pieces of a split record do not make one");
}

int
simpleperf_record(struct decoder *d, const struct rec *r, struct err *e)
{
	if (r->type == REC_SP_SPLIT_END)
		return end_pieces(d, r, e);
	if (d->opt->all)
		emit_other(d, r);
	if (r->type == REC_SP_TRACING_DATA) {
		struct cur c = record_body(d, r);

		return tracing_inside(d, &c, e);
	}
	return r->type == REC_SP_SPLIT ? add_piece(d, r, e) : others_check(d, r, e);
}

void
simpleperf_bytes(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n)
{
	(void)r, (void)n;
	evw_tag_u64(d->w, SLICE("bytes"), cur_left(c));
}

/* Older ones have no lowest address: the name begins in its place. */
void
simpleperf_dso(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n)
{
	bool older = cur_left(c) < 8 || c->p[0] == '/' || c->p[0] == '[';

	(void)r, (void)n;
	if (!older)
		fields_put(d->w, "min_vaddr:x", c);
	fields_put(d->w, "name:s", c);
}

/* What newer versions have after the known fields. */
void
simpleperf_rest(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n)
{
	(void)r, (void)n;
	if (cur_left(c) > 0)
		fields_put_bytes(d->w, SLICE("more"), c->p, cur_left(c));
}

void
simpleperf_ids(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n)
{
	struct cur items = fields_items(c, n, 16);
	bool first = true;

	(void)r;
	evw_tag_begin(d->w, SLICE("ids"));
	for (; cur_left(&items) >= 16; first = false) {
		uint64_t attr = cur_u64(&items), id = cur_u64(&items);

		fields_item(d->w, first, "%" PRIu64 ":0x%" PRIx64, attr, id);
	}
	fields_list_end(d->w, SLICE("ids"), first);
}

/* A count, that many addresses, then as many stack pointers. */
void
simpleperf_chain(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n)
{
	struct cur ips = fields_items(c, n, 8), sps = fields_items(c, n, 8);

	(void)r;
	fields_put_words(d->w, SLICE("ips"), &ips);
	fields_put_words(d->w, SLICE("sps"), &sps);
}

/* A 4-byte length, then that many bytes: the kernel's symbols, or tracing data. */
void
simpleperf_text(struct decoder *d, const struct rec *r, struct cur *c, uint64_t n)
{
	uint32_t said = cur_u32(c);
	size_t len = said < cur_left(c) ? said : cur_left(c);
	const unsigned char *p = cur_take(c, len);

	(void)n;
	if (p == NULL)
		return;
	evw_tag_u64(d->w, SLICE("bytes"), said);
	if (r->type == REC_SP_KERNEL_SYMBOL)
		evw_tag_text(d->w, SLICE("text"), (struct slice){ (const char *)p, len });
	else
		fields_put_bytes(d->w, SLICE("data"), p, len);
}
