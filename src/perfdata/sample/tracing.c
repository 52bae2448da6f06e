/* SPDX-License-Identifier: ISC */
/* tracing.c - tracepoints: their names, and the fields of their samples. */
#include <errno.h>
#include <inttypes.h>

#include "src/perfdata/sample/line.h"

int
tracing_name(struct decoder *d, struct attr *a, struct err *e)
{
	struct buf name = { 0 };
	int rc;

	if (a->type != PTYPE_TRACEPOINT || a->named || a->announced)
		return 0;
	rc = tracedata_name(&d->tracing, a->config, &name, e);
	if (rc == 0 && name.len != 0)
		rc = attr_set_name(a, buf_slice(&name), e);
	buf_free(&name);
	return rc;
}

/* New tracing data have come: they may have names and formats that were not found before. */
static int
begin(struct decoder *d, struct err *e)
{
	struct err other;
	size_t i;
	int rc;

	if (d->tracing.times == TRACE_TIMES_MAX)
		return err_data(e, "tracing data more than %d times", TRACE_TIMES_MAX);
	d->tracing.times++;
	rc = tracedata_index(&d->tracing, e);
	if (rc != 0 && rc != ERR_DATA)
		return rc;
	for (i = 0; i < d->attrs; i++) {
		if (d->attr[i].format == NULL)
			d->attr[i].format_sought = false;
		if (tracing_name(d, &d->attr[i], &other) != 0) {
			*e = other;
			return e->code;
		}
	}
	return rc;
}

int
tracing_feature(struct decoder *d, struct cur *c, struct err *e)
{
	size_t n = cur_left(c);

	if (n > TRACE_DATA_MAX)
		return err_data(e, "tracing data of %zu bytes", n);
	d->tracing.blob.len = d->tracing.count = 0;
	if (!buf_put(&d->tracing.blob, cur_take(c, n), n))
		return err_nomem(e);
	return begin(d, e);
}

int
tracing_inside(struct decoder *d, struct cur *c, struct err *e)
{
	uint32_t n = cur_u32(c);
	struct cur data = cur_sub(c, n);

	return cur_ok(&data) ? tracing_feature(d, &data, e)
			     : err_data(e, "tracing data beyond the end of their record");
}

/* Takes the n bytes after a record. */
static int
payload(struct decoder *d, struct feed *f, const struct rec *r, uint64_t n, struct err *e)
{
	struct buf *blob = &d->tracing.blob;
	const unsigned char *p;
	size_t got;

	if (n > TRACE_DATA_MAX) {
		if (feed_skip(f, n, e) != 0)
			return e->code;
		return err_byte(e, r->offset, "tracing data of %" PRIu64 " bytes", n);
	}
	d->tracing.count = 0; /* they were in the bytes overwritten now */
	for (blob->len = 0; blob->len < n;) {
		size_t left = (size_t)n - blob->len;

		if (feed_take(f, left < REC_MAX ? left : REC_MAX, &p, &got, e) != 0)
			return e->code;
		if (got == 0)
			return err_byte(e, r->offset + r->size,
			    "payload cut short: %" PRIu64 " bytes missing", n - blob->len);
		if (!buf_put(blob, p, got))
			return err_nomem(e);
	}
	return begin(d, e);
}

int
tracing_record(struct decoder *d, struct feed *f, const struct rec *r, struct err *e)
{
	struct cur c = rec_fields(r, d->big_endian);
	struct cur peek = c;
	uint64_t n = cur_u32(&peek);
	int rc;

	if (!cur_ok(&peek)) /* the place of the next record is unknown */
		return err_byte(e, r->offset, "record of %u bytes is too short", r->size);
	if (cur_left(&peek) > 4 && n <= cur_left(&peek))
		rc = tracing_inside(d, &c, e);
	else
		rc = payload(d, f, r, (n + 7) & ~(uint64_t)7, e);
	if (rc == ERR_DATA) {
		err_at_byte(e, r->offset);
		decoder_report(d, e);
		rc = 0;
	}
	return rc;
}

static void
seek(struct decoder *d, struct attr *a, const struct line *l)
{
	struct err e;
	int rc = tracedata_format(&d->tracing, a->config, &a->format, &e);

	a->format_sought = true;
	if (rc == ERR_DATA) {
		err_at_byte(&e, l->rec->offset);
		decoder_report(d, &e);
	} else if (rc != 0) {
		evw_nomem(d->w);
	}
}

bool
tracing_emit(struct decoder *d, const struct line *l)
{
	const struct sample *s = l->s;
	struct attr *a = l->attr;
	enum trace_rest rest;
	struct err e;

	if (!a->format_sought)
		seek(d, a, l);
	if (a->format == NULL)
		return false;
	rest = trace_format_put(d->w, a->format, d->opt->all, s->raw, s->raw_size);
	if (rest == TRACE_SHORT && !a->short_said) {
		a->short_said = true;
		err_byte(&e, l->rec->offset,
		    "sample with %" PRIu32 " raw bytes: its event's format has fields beyond them",
		    s->raw_size);
		decoder_report(d, &e);
	}
	return rest == TRACE_ALL;
}
