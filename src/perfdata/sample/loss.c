/* SPDX-License-Identifier: ISC */
/* loss.c - the losses that a recording reports. */
#include "src/perfdata/sample/parts.h"

/* How many records were lost, and why.  Losses of unknown extent count as one. */
static bool
loss(const struct rec *r, bool big_endian, uint64_t *n, struct slice *why, uint64_t *id)
{
	struct cur c = rec_fields(r, big_endian);

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
loss_is_all(const struct rec *r, bool big_endian)
{
	struct slice why;
	uint64_t n, id;

	return (r->type == REC_LOST || r->type == REC_LOST_SAMPLES) &&
	    loss(r, big_endian, &n, &why, &id);
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
sum_losses(struct samples *to)
{
	uint64_t most;

	if ((to->run->events->item[0].attr.read_format & R_LOST) == 0)
		most = plus(to->lost.records, to->lost.samples);
	else
		most = to->lost.records > to->lost.samples ? to->lost.records : to->lost.samples;
	if (most < to->lost.counters)
		most = to->lost.counters;
	to->run->w->count[MARK_LOST] = plus(to->lost.before, plus(most, to->lost.others));
}

static void
count_loss(struct samples *to, const struct rec *r, uint64_t n)
{
	if (r->type == REC_LOST)
		to->lost.records = plus(to->lost.records, n);
	else if (r->type != REC_LOST_SAMPLES)
		to->lost.others = plus(to->lost.others, n);
	else if ((r->misc & MISC_LOST_SAMPLES_BPF) == 0) /* those were dropped on purpose */
		to->lost.samples = plus(to->lost.samples, n);
	sum_losses(to);
}

void
loss_emit(struct samples *to, const struct rec *r)
{
	struct run *run = to->run;
	struct trailer t = events_trailer(run->events, r);
	struct slice measure = SLICE("."), why;
	const struct id_entry *entry;
	uint64_t n = 0, id;

	if (!loss(r, run->events->big_endian, &n, &why, &id))
		return;
	entry = idmap_find(&run->events->ids, id != 0 ? id : t.id);
	if (entry != NULL)
		measure = buf_slice(&run->events->item[entry->event].name);
	run_put_head(run, SLICE("lost"), &t, measure, &n);
	evw_tag_raw(run->w, SLICE("why"), why);
	if (run->opt->all && id != 0)
		evw_tag_hex(run->w, SLICE("id"), id);
	run_put_end(run);
	count_loss(to, r, n);
}

void
loss_put_counted(struct samples *to, const struct trailer *t, uint32_t event, uint64_t n)
{
	struct run *run = to->run;

	run_put_head(run, SLICE("lost"), t, buf_slice(&run->events->item[event].name), &n);
	evw_tag_raw(run->w, SLICE("why"), SLICE("read"));
	run_put_end(run);
	to->lost.counters = plus(to->lost.counters, n);
	sum_losses(to);
}
