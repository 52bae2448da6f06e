/* SPDX-License-Identifier: ISC */
/* perfrec.c - records of perf itself, which take effect as soon as they are read. */
#include "src/perfdata/abi.h"
#include "src/perfdata/decoder.h"
#include "src/perfdata/header/facts.h"

static int
header_attr(struct decoder *d, const struct rec *r, struct err *e)
{
	struct cur c = rec_fields(r, d->big_endian);

	if (attrs_add(d, &c, e) != 0) {
		err_at_byte(e, r->offset);
		return e->code;
	}
	while (cur_left(&c) >= 8)
		if (attrs_add_id(d, d->attrs - 1, cur_u64(&c), e) != 0)
			return e->code;
	if (oldpipe_names(d, e) != 0)
		return e->code;
	run_measure(d, &d->attr[d->attrs - 1]);
	return 0;
}

static int
header_feature(struct decoder *d, const struct rec *r, struct err *e)
{
	struct cur c = rec_fields(r, d->big_endian);
	uint64_t feature = cur_u64(&c);

	if (!cur_ok(&c))
		return err_data(e, "record of %u bytes is too short", r->size);
	if (!feature_is_said(feature, &c))
		return 0; /* the mark after the last feature */
	if (feature < FEAT_MAX)
		return feature_read(d, (unsigned)feature, c, e);
	if (decoder_wants_header(d))
		facts_size(d, feature, cur_left(&c));
	return 0;
}

/* Is the record printed as facts of the header? */
static bool
is_fact(const struct decoder *d, const struct rec *r)
{
	struct cur c = rec_fields(r, d->big_endian);
	uint64_t feature;

	switch (r->type) {
	case REC_TRACING_DATA:
	case REC_BUILD_ID: return true;
	case REC_HEADER_FEATURE: feature = cur_u64(&c); return feature_is_said(feature, &c);
	}
	return false;
}

/* Trace data follow their record, whose size does not count them. */
static int
trace_payload(struct decoder *d, struct feed *f, const struct rec *r, struct err *e)
{
	struct cur c = rec_fields(r, f->big_endian);
	uint64_t n = cur_u64(&c);

	if (!cur_ok(&c))
		return err_byte(e, r->offset, "record of %u bytes is too short", r->size);
	if (feed_skip(f, n, e) != 0)
		return e->code;
	d->trace_bytes += n;
	return 0;
}

static int
tracing_data(struct decoder *d, struct feed *f, const struct rec *r, struct err *e)
{
	struct cur c = rec_fields(r, d->big_endian);
	uint32_t bytes = cur_u32(&c);

	if (cur_ok(&c) && decoder_wants_header(d))
		facts_size(d, FEAT_TRACING_DATA, bytes);
	return tracing_record(d, f, r, e);
}

/* Damage in a record that only adds information is reported, and decoding continues. */
static int
said(struct decoder *d, const struct rec *r, int rc, struct err *e)
{
	if (rc != ERR_DATA)
		return rc;
	err_at_byte(e, r->offset);
	decoder_report(d, e);
	return 0;
}

/* Records of perf stat: all their fields are checked before any is used. */
static int
counters(struct decoder *d, const struct rec *r, struct err *e)
{
	int rc = others_check(d, r, e);

	if (rc == 0 && !d->opt->header && !d->opt->stats)
		rc = statrec_take(d, r, e);
	if (rc == ERR_DATA && r->type == REC_STAT && d->opt->all)
		emit_other(d, r); /* it makes no sample */
	return rc;
}

/* Records of perf itself take effect as soon as they are read. */
static int
perf_record(struct decoder *d, struct feed *f, const struct rec *r, struct err *e)
{
	if (d->opt->all && r->type != REC_COMPRESSED2 && r->type != REC_STAT && !is_fact(d, r))
		emit_other(d, r);
	switch (r->type) {
	case REC_FINISHED_ROUND: return order_round(d, e);
	case REC_HEADER_ATTR: return header_attr(d, r, e);
	case REC_TRACING_DATA: return tracing_data(d, f, r, e);
	case REC_AUXTRACE: return trace_payload(d, f, r, e);
	case REC_COMPRESSED:
	case REC_COMPRESSED2: return packed_records(d, f, r, e);
	case REC_EVENT_UPDATE: return said(d, r, attrs_update(d, r, e), e);
	case REC_HEADER_FEATURE: return said(d, r, header_feature(d, r, e), e);
	case REC_BUILD_ID: return said(d, r, feature_build_id(d, r, e), e);
	case REC_THREAD_MAP:
	case REC_CPU_MAP:
	case REC_STAT_CONFIG:
	case REC_STAT:
	case REC_STAT_ROUND: return said(d, r, counters(d, r, e), e);
	default: return said(d, r, others_check(d, r, e), e);
	}
}

int
perfrec_take(struct decoder *d, struct feed *f, const struct rec *r, struct err *e)
{
	unsigned feature;
	int rc;

	if (oldpipe_is(d, r, &feature))
		rc = oldpipe_record(d, r, feature, e);
	else if (r->type > REC_SP)
		rc = simpleperf_record(d, r, e);
	else
		return perf_record(d, f, r, e);
	return said(d, r, rc, e);
}
