/* SPDX-License-Identifier: ISC */
/*
 * group.c - a group of aggregates as one block of records.
 *
 * A processed aggregate has a blank record id and belongs to the record above it
 * (the page's "Common Record Fields", record id).  It has no label of its own, so
 * each group is a region without an id: its start carries the label and the tags,
 * its aggregates follow, then its stop.  The region lasts no time, because regions
 * must be disjoint or nested, and groups overlap; the aggregates have the group's
 * real span.
 */
#include "src/afperf/encint.h"
#include "src/afperf/text.h"

bool
enc_is_word(struct slice key)
{
	return slice_eq(key, SLICE("stat")) || slice_eq(key, SLICE("mid")) ||
	    slice_eq(key, SLICE("type")) || slice_eq(key, SLICE("unit"));
}

bool
enc_block_key(struct afperf_encode *x, const struct ev *ev)
{
	struct slice run = ev->col[EV_RUN], region = ev->col[EV_REGION], rest = ev->tags, at = rest;
	struct ev_tag tag;

	x->key.len = 0;
	/* run and region are adjacent in the line */
	if (!buf_put(&x->key, ev->col[EV_TIME].p, (size_t)(run.p - ev->col[EV_TIME].p)) ||
	    !buf_put(&x->key, run.p, (size_t)(region.p + region.len - run.p)))
		return false;
	for (; ev_next_tag(&rest, &tag); at = rest)
		if (!enc_is_word(tag.key) && !slice_eq(tag.key, SLICE("extra")) &&
		    (!buf_putc(&x->key, '\t') ||
			!buf_put(&x->key, at.p, (size_t)(tag.value.p + tag.value.len - at.p))))
			return false;
	return true;
}

void
enc_block_close(struct afperf_encode *x)
{
	if (x->block == ENC_INTERVAL) {
		enc_interval_stop(x);
	} else if (x->block == ENC_GROUP) {
		enc_begin(x, AFPERF_REGION_STOP);
		enc_raw(x, afperf_time_text(&x->block_time));
		enc_blank(x);
		enc_end(x);
	}
	x->block = ENC_NONE;
}

void
enc_block_room(struct afperf_encode *x, size_t bytes)
{
	if (x->block != ENC_GROUP)
		return;
	/* the bytes are an estimate */
	if (x->block_records >= AFPERF_GROUP_RECORDS - 2 ||
	    x->block_bytes >= AFPERF_GROUP_BYTES / 2)
		enc_block_close(x);
	x->block_records++;
	x->block_bytes += bytes;
}

bool
enc_block_goes_on(struct afperf_encode *x, enum enc_block block)
{
	struct buf swap = x->key;

	if (x->block == block && x->key.len == x->block_key.len &&
	    memcmp(x->key.p, x->block_key.p, x->key.len) == 0)
		return true;
	enc_block_close(x);
	x->block = block;
	x->key = x->block_key;
	x->block_key = swap;
	return false;
}

/* All tags without a field: the other keys of the group, and the number of its lines. */
static bool
group_tags(const struct ev *ev, struct buf *tags)
{
	struct slice rest = ev->tags;
	struct ev_tag tag;

	while (ev_next_tag(&rest, &tag)) {
		struct slice key = tag.key;

		if (enc_is_word(key) || slice_eq(key, SLICE("start")) ||
		    slice_eq(key, SLICE("utc")) || slice_eq(key, SLICE("extra")) ||
		    (slice_eq(key, SLICE("scope")) && slice_eq(tag.value, SLICE("group"))))
			continue;
		if (key.len > 4 && memcmp(key.p, "tag.", 4) == 0)
			key = (struct slice){ key.p + 4, key.len - 4 };
		if (!afperf_tag(tags, key, tag.value))
			return false;
	}
	return true;
}

static bool
group_start(struct afperf_encode *x, const struct ev *ev, const struct enc_use *u)
{
	struct buf tags = { 0 };
	bool ok = group_tags(ev, &tags);

	if (ok) {
		enc_begin(x, AFPERF_REGION_START);
		enc_raw(x, u->start);
		enc_run_id(x, u->run);
		enc_blank(x);
		enc_text(x, ev->col[EV_REGION]);
		enc_tags(x, &tags);
		enc_end(x);
	}
	buf_free(&tags);
	return ok;
}

int
enc_agg(struct afperf_encode *x, const struct ev *ev, const struct enc_use *u, struct err *e)
{
	if (!enc_block_key(x, ev))
		return err_nomem(e);
	enc_block_room(x, 128 + u->value.len + u->word.stat.len + u->word.extra.len);
	if (!enc_block_goes_on(x, ENC_GROUP)) {
		if (!enc_run_is_told(x, u->run)) {
			x->block = ENC_NONE;
			return enc_no_place(ev, e);
		}
		afperf_time_set(&x->block_time, u->start);
		x->native.block = ENC_REGION;
		x->native.blank_block = true;
		x->native.group = true;
		x->native.bare = false;
		x->native.thing = (struct enc_ref){ .there = true, .blank = true };
		x->native.block_run = u->run;
		x->block_records = 2;
		x->block_bytes = 256 + ev->col[EV_REGION].len + ev->tags.len + u->value.len;
		if (!group_start(x, ev, u)) {
			x->block = ENC_NONE;
			return err_nomem(e);
		}
	}
	enc_begin(x, AFPERF_REGION_AGGREGATE);
	enc_raw(x, u->end);
	enc_raw(x, u->start);
	enc_blank(x);
	enc_text(x, u->word.stat);
	enc_pair(x, u);
	if (!enc_fields(x, u->word.extra))
		return err_nomem(e);
	enc_end(x);
	return 0;
}
