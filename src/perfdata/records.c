/* SPDX-License-Identifier: ISC */
/*
 * records.c - handles every record as it is read.  Records of perf itself take effect at once, the
 * kernel's records in time order.
 */
#include <inttypes.h>

#include "lib/hint.h"
#include "src/perfdata/decoder.h"

/*
 * ---- the header features in the pipe format of ChromeOS's perf 3.x
 *
 * That version of perf sent each feature as a record of its own type, from 69 (HOSTNAME) on.  Later
 * versions use the same numbers for other records (69 ID_INDEX, 71 AUXTRACE, whose payload is not
 * part of its size).  Layout: kernel/perf_internals.h of quipper.
 */

#define OLD_FIRST 69
#define OLD_PMU_MAPPINGS 81

/* Texts are padded to a multiple of this (NAME_ALIGN). */
#define TEXT_ALIGN 64

/*
 * Returns true for HOSTNAME, OSRELEASE, VERSION, ARCH, CPUDESC and CPUID, which consist of a text
 * only.  TYPE is one of the features.
 */
static bool
is_text_type(uint32_t type)
{
	return type <= 72 || type == 74 || type == 75;
}

/*
 * Returns true for a length that matches the record's own and a text of that length.  No record of
 * the same type from a later perf can look like this, since the low half of its first word would
 * have to be the size of everything that follows.
 */
static bool
is_old_text(const struct decoder *d, const struct rec *r)
{
	struct cur c = rec_fields(r, d->events.big_endian);
	uint32_t len = cur_u32(&c);
	const unsigned char *text = cur_take(&c, len);

	return is_text_type(r->type) && text != NULL && len != 0 && len % TEXT_ALIGN == 0 &&
	    cur_left(&c) < 8 && text[len - 1] == 0 && text[0] >= ' ' && text[0] < 0x7f;
}

static bool
is_old_feature(struct decoder *d, const struct rec *r, unsigned *feature)
{
	if (!d->pipe.is || r->type < OLD_FIRST || r->type > OLD_PMU_MAPPINGS)
		return false;
	if (!d->pipe.old)
		d->pipe.old = is_old_text(d, r);
	*feature =
	    r->type == OLD_PMU_MAPPINGS ? FEAT_PMU_MAPPINGS : r->type - OLD_FIRST + FEAT_HOSTNAME;
	return d->pipe.old;
}

/*
 * Applies the events' names.  The names come before the events, so they are kept and applied again
 * after each new event.
 */
static int
apply_old_names(struct decoder *d, struct err *e)
{
	struct cur c = cur_over(d->pipe.old_names.p, d->pipe.old_names.len, d->events.big_endian),
		   peek = c;

	if (d->pipe.old_names.len == 0 || d->events.count > cur_u32(&peek))
		return 0;
	return feature_use(&d->header, FEAT_EVENT_DESC, c, e);
}

/* Handles a record as if it were a HEADER_FEATURE with the same contents. */
static int
old_feature(struct decoder *d, const struct rec *r, unsigned feature, struct err *e)
{
	struct cur c = rec_fields(r, d->events.big_endian);

	if (feature == FEAT_EVENT_DESC) {
		d->pipe.old_names.len = 0;
		if (!buf_put(&d->pipe.old_names, c.p, cur_left(&c)))
			return err_nomem(e);
	}
	return feature_read(&d->header, feature, c, e);
}

/*
 * ---- the records of Android's recorder
 *
 * A record longer than 64 KiB is split into SPLIT records, its header included, and a SPLIT_END
 * record marks its end (simpleperf/record_file_writer.cpp).  The misc field of its header is the
 * high half of its size.
 */

#define SPLIT_MAX ((size_t)64 * 1024 * 1024)

/* Adds the next piece.  Pieces of a record that is too long are dropped, with one message. */
static int
add_piece(struct decoder *d, const struct rec *r, struct err *e)
{
	size_t n = r->size - (size_t)REC_HEADER;

	if (d->split.dropped)
		return 0;
	if (n > SPLIT_MAX - d->split.piece.len) {
		d->split.dropped = true;
		d->split.piece.len = 0;
		return err_byte(e, r->offset, "a split record of more than %zu bytes", SPLIT_MAX);
	}
	return buf_put(&d->split.piece, r->p + REC_HEADER, n) ? 0 : err_nomem(e);
}

/*
 * Handles the end of a split record.  If the record is complete, its line replaces the line of the
 * last piece.
 */
static int
end_pieces(struct decoder *d, const struct rec *r, struct err *e)
{
	const void *pieces = d->split.piece.len == 0 ? (const void *)r->p : d->split.piece.p;
	struct cur c = cur_over(pieces, d->split.piece.len, d->events.big_endian);
	struct rec whole = { .type = cur_u32(&c), .offset = r->offset };
	uint32_t high = cur_u16(&c), low = cur_u16(&c);
	bool dropped = d->split.dropped,
	     good = cur_ok(&c) && whole.type > REC_SP && whole.type != REC_SP_SPLIT &&
	    whole.type != REC_SP_SPLIT_END && (high << 16 | low) == d->split.piece.len;
	int rc = 0;

	if (d->opt->all && good)
		record_put_line(&d->run, &whole, c);
	else if (d->opt->all)
		record_put(&d->run, r);
	good = good && record_fits(&d->unknown, whole.type, c);
	if (good && whole.type == REC_SP_TRACING_DATA)
		rc = events_take_sized_tracing(&d->events, &c, e);
	buf_free(&d->split.piece);
	d->split = (struct split){ .dropped = false };
	if (rc != 0 || dropped || good)
		return rc;
	return err_byte(e, r->offset, "the pieces of a split record do not form a record");
}

static int
simpleperf_record(struct decoder *d, const struct rec *r, struct err *e)
{
	if (r->type == REC_SP_SPLIT_END)
		return end_pieces(d, r, e);
	if (d->opt->all)
		record_put(&d->run, r);
	if (r->type == REC_SP_TRACING_DATA) {
		struct cur c = events_body(&d->events, r);

		return events_take_sized_tracing(&d->events, &c, e);
	}
	return r->type == REC_SP_SPLIT ? add_piece(d, r, e)
				       : record_check(&d->run, &d->unknown, r, e);
}

/* ---- tracing data */

/* Handles the n bytes of tracing data after a record. */
static int
tracing_payload(struct decoder *d, struct feed *f, const struct rec *r, uint64_t n, struct err *e)
{
	struct buf *blob = &d->events.tracing.blob;
	const unsigned char *p;
	size_t got;

	if (n > TRACE_DATA_MAX) {
		if (feed_skip(f, n, e) != 0)
			return e->code;
		return err_byte(e, r->offset, "tracing data of %" PRIu64 " bytes", n);
	}
	d->events.tracing.count = 0; /* their texts were in the bytes that are overwritten now */
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
	return events_read_tracing(&d->events, e);
}

static int
tracing_record(struct decoder *d, struct feed *f, const struct rec *r, struct err *e)
{
	struct cur c = rec_fields(r, d->events.big_endian);
	struct cur peek = c;
	uint64_t n = cur_u32(&peek);
	int rc;

	if (!cur_ok(&peek)) /* the start of the next record is unknown */
		return err_byte(e, r->offset, "record of %u bytes is too short", r->size);
	if (cur_left(&peek) > 4 && n <= cur_left(&peek))
		rc = events_take_sized_tracing(&d->events, &c, e);
	else
		rc = tracing_payload(d, f, r, (n + 7) & ~(uint64_t)7, e);
	if (rc == ERR_DATA) {
		err_at_byte(e, r->offset);
		input_report(&d->input, e);
		rc = 0;
	}
	return rc;
}

/* ---- records of perf itself */

static int
header_attr(struct decoder *d, const struct rec *r, struct err *e)
{
	struct cur c = rec_fields(r, d->events.big_endian);
	int rc;

	if (events_add(&d->events, &c, e) != 0) {
		err_at_byte(e, r->offset);
		return e->code;
	}
	while (cur_left(&c) >= 8)
		if (events_add_id(&d->events, d->events.count - 1, cur_u64(&c), e) != 0)
			return e->code;
	rc = apply_old_names(d, e);
	if (rc != 0 && rc != ERR_DATA) /* damage in the names was reported when they came */
		return rc;
	run_put_measure(&d->run, &d->events.item[d->events.count - 1]);
	return 0;
}

static int
header_feature(struct decoder *d, const struct rec *r, struct err *e)
{
	struct cur c = rec_fields(r, d->events.big_endian);
	uint64_t feature = cur_u64(&c);

	if (!cur_ok(&c))
		return err_data(e, "record of %u bytes is too short", r->size);
	if (!feature_is_given(feature, &c))
		return 0; /* the mark after the last feature */
	if (feature < FEAT_MAX)
		return feature_read(&d->header, (unsigned)feature, c, e);
	if (perf_wants_header(d->opt))
		feature_put_size(&d->run, feature, cur_left(&c));
	return 0;
}

/* Returns true if the record is printed as a feature of the header. */
static bool
is_feature(const struct decoder *d, const struct rec *r)
{
	struct cur c = rec_fields(r, d->events.big_endian);
	uint64_t feature;

	switch (r->type) {
	case REC_TRACING_DATA:
	case REC_BUILD_ID: return true;
	case REC_HEADER_FEATURE: feature = cur_u64(&c); return feature_is_given(feature, &c);
	}
	return false;
}

/* Handles trace data, which follow their record and are not included in its size. */
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
	struct cur c = rec_fields(r, d->events.big_endian);
	uint32_t bytes = cur_u32(&c);

	if (cur_ok(&c) && perf_wants_header(d->opt))
		feature_put_size(&d->run, FEAT_TRACING_DATA, bytes);
	return tracing_record(d, f, r, e);
}

/*
 * Updates an event.  A new name, or new data for perf stat, makes the printed measure line out of
 * date.
 */
static int
event_update(struct decoder *d, const struct rec *r, struct err *e)
{
	struct event *event;
	bool renamed;
	int rc = events_update(&d->events, r, &event, &renamed, e);

	if (rc == 0 && event != NULL && (renamed || d->run.counting))
		run_put_measure(&d->run, event);
	return rc;
}

static int
compressed(struct decoder *d, struct feed *f, const struct rec *r, struct err *e)
{
	struct cur body;

	if (packed_begin(f, r, &body, e) != 0)
		return e->code;
	if (d->opt->all && r->type == REC_COMPRESSED2)
		record_put_line(&d->run, r, body);
	return packed_read(&d->input, f, r, body, records_take, d, e);
}

/* Reports damage in a record that only adds information, and lets decoding continue. */
static int
reported(struct decoder *d, const struct rec *r, int rc, struct err *e)
{
	if (rc != ERR_DATA)
		return rc;
	err_at_byte(e, r->offset);
	input_report(&d->input, e);
	return 0;
}

/* Handles the relation of clocks, after its fields have been checked. */
static int
conversion(struct decoder *d, const struct rec *r, struct err *e)
{
	if (record_check(&d->run, &d->unknown, r, e) != 0)
		return (int)e->code;
	return state_take_clock(&d->state, r, d->events.big_endian, e);
}

static int
trace_error(struct decoder *d, const struct rec *r, struct err *e)
{
	d->trace_errors++;
	return record_check(&d->run, &d->unknown, r, e);
}

/* Handles a record of perf stat.  All its fields are checked before any of them is used. */
static int
counters(struct decoder *d, const struct rec *r, struct err *e)
{
	int rc = record_check(&d->run, &d->unknown, r, e);

	if (rc == 0 && !d->opt->header && !d->opt->stats)
		rc = perfstat_take(&d->stat, r, e);
	if (rc == ERR_DATA && r->type == REC_STAT && d->opt->all)
		record_put(&d->run, r); /* it does not become a sample */
	return rc;
}

/* Handles a record of perf itself, which takes effect as soon as it is read. */
static int
perf_record(struct decoder *d, struct feed *f, const struct rec *r, struct err *e)
{
	if (d->opt->all && r->type != REC_COMPRESSED2 && r->type != REC_STAT && !is_feature(d, r))
		record_put(&d->run, r);
	switch (r->type) {
	case REC_FINISHED_ROUND: return order_round(d, e);
	case REC_HEADER_ATTR: return header_attr(d, r, e);
	case REC_TRACING_DATA: return tracing_data(d, f, r, e);
	case REC_AUXTRACE: return trace_payload(d, f, r, e);
	case REC_COMPRESSED:
	case REC_COMPRESSED2: return compressed(d, f, r, e);
	case REC_EVENT_UPDATE: return reported(d, r, event_update(d, r, e), e);
	case REC_HEADER_FEATURE: return reported(d, r, header_feature(d, r, e), e);
	case REC_BUILD_ID: return reported(d, r, feature_read_build_id(&d->header, r, e), e);
	case REC_THREAD_MAP:
	case REC_CPU_MAP:
	case REC_STAT_CONFIG:
	case REC_STAT:
	case REC_STAT_ROUND: return reported(d, r, counters(d, r, e), e);
	case REC_TIME_CONV: return reported(d, r, conversion(d, r, e), e);
	case REC_AUXTRACE_ERROR: return reported(d, r, trace_error(d, r, e), e);
	default: return reported(d, r, record_check(&d->run, &d->unknown, r, e), e);
	}
}

static int
user_record(struct decoder *d, struct feed *f, const struct rec *r, struct err *e)
{
	unsigned feature;
	int rc;

	if (is_old_feature(d, r, &feature))
		rc = old_feature(d, r, feature, e);
	else if (r->type > REC_SP)
		rc = simpleperf_record(d, r, e);
	else
		return perf_record(d, f, r, e);
	return reported(d, r, rc, e);
}

static void
count_record(struct decoder *d, const struct rec *r)
{
	uint64_t time = r->type < REC_USER ? events_shown_time(&d->events, r) : 0;
	unsigned feature;

	stats_add(&d->stats, is_old_feature(d, r, &feature) ? REC_HEADER_FEATURE : r->type, time);
	if (time != 0 && (!d->run.first_seen || time < d->run.first_time)) {
		d->run.first_seen = true;
		d->run.first_time = time;
	}
}

static HINT_APART int
user_record_or_less(struct decoder *d, struct feed *f, const struct rec *r, struct err *e)
{
	int rc = user_record(d, f, r, e);

	run_hold_less(&d->run);
	return rc;
}

int
records_take(void *ctx, struct feed *f, const struct rec *r, struct err *e)
{
	struct decoder *d = ctx;
	int rc;

	e->code = ERR_NONE;
	if (d->opt->stats)
		count_record(d, r);
	rc = r->type < REC_USER ? order_take(d, r, e) : user_record_or_less(d, f, r, e);
	if (rc == 0 && r->type == REC_SAMPLE)
		rc = order_take_samples(d, f, e);
	if (rc != 0 && e->code == ERR_NONE)
		order_failure(d, e);
	return rc;
}

void
records_free(struct decoder *d)
{
	buf_free(&d->pipe.old_names);
	buf_free(&d->split.piece);
}
