/* SPDX-License-Identifier: ISC */
/* loss.c - the losses that a recording reports. */
#include "src/perfdata/abi.h"
#include "src/perfdata/record/record.h"

/* How many records were lost, and why.  Losses of unknown extent count as one. */
static bool
loss(const struct decoder *d, const struct rec *r, uint64_t *n, struct slice *why, uint64_t *id)
{
	struct cur c = rec_fields(r, d->big_endian);

	*id = 0;
	switch (r->type) {
	case REC_LOST:
		*id = cur_u64(&c);
		*n = cur_u64(&c);
		*why = SLICE("lost");
		break;
	case REC_LOST_SAMPLES:
		*n = cur_u64(&c);
		*why =
		    (r->misc & MISC_LOST_SAMPLES_BPF) != 0 ? SLICE("bpf") : SLICE("lost_samples");
		break;
	case REC_THROTTLE:
		(void)cur_u64(&c);
		*id = cur_u64(&c);
		*n = 1;
		*why = SLICE("throttle");
		break;
	case REC_AUX:
		(void)cur_take(&c, 16);
		*n = (cur_u64(&c) & (AUX_TRUNCATED | AUX_PARTIAL | AUX_COLLISION)) != 0;
		*why = SLICE("aux");
		break;
	default: return false;
	}
	return cur_ok(&c) && *n != 0;
}

bool
loss_is_told(const struct decoder *d, const struct rec *r)
{
	struct slice why;
	uint64_t n, id;

	return (r->type == REC_LOST || r->type == REC_LOST_SAMPLES) && loss(d, r, &n, &why, &id);
}

/* A sum that overflows stays at the largest value. */
static uint64_t
plus(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/*
 * If perf reads the counters' own losses (PERF_FORMAT_LOST) it writes their sum as
 * LOST_SAMPLES at the end, and LOST records before that are part of it.  The losses that
 * counters give in samples and READ records are a third view of the same.
 */
static void
sum_losses(struct decoder *d)
{
	uint64_t most;

	if ((d->attr[0].read_format & R_LOST) == 0)
		most = plus(d->lost.records, d->lost.samples);
	else
		most = d->lost.records > d->lost.samples ? d->lost.records : d->lost.samples;
	if (most < d->lost.counters)
		most = d->lost.counters;
	d->w->count[MARK_LOST] = plus(d->lost_before, plus(most, d->lost.others));
}

static void
count_loss(struct decoder *d, const struct rec *r, uint64_t n)
{
	if (r->type == REC_LOST)
		d->lost.records = plus(d->lost.records, n);
	else if (r->type != REC_LOST_SAMPLES)
		d->lost.others = plus(d->lost.others, n);
	else if ((r->misc & MISC_LOST_SAMPLES_BPF) == 0) /* those were dropped on purpose */
		d->lost.samples = plus(d->lost.samples, n);
	sum_losses(d);
}

void
emit_lost(struct decoder *d, const struct rec *r)
{
	struct trailer t = record_trailer(d, r);
	struct slice measure = SLICE("."), why;
	const struct id_entry *entry;
	uint64_t n = 0, id;

	if (!loss(d, r, &n, &why, &id))
		return;
	entry = idmap_find(&d->ids, id != 0 ? id : t.id);
	if (entry != NULL)
		measure = buf_slice(&d->attr[entry->attr].name);
	record_head(d, SLICE("lost"), &t, measure, &n);
	evw_tag_raw(d->w, SLICE("why"), why);
	if (d->opt->all && id != 0)
		evw_tag_hex(d->w, SLICE("id"), id);
	record_end(d);
	count_loss(d, r, n);
}

void
emit_lost_count(struct decoder *d, const struct trailer *t, uint32_t attr, uint64_t n)
{
	const struct buf *name = &d->attr[attr].name;

	record_head(d, SLICE("lost"), t, buf_slice(name), &n);
	evw_tag_raw(d->w, SLICE("why"), SLICE("read"));
	record_end(d);
	d->lost.counters = plus(d->lost.counters, n);
	sum_losses(d);
}
