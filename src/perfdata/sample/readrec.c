/* SPDX-License-Identifier: ISC */
/*
 * readrec.c - the lines of a READ record: a thread's counters when it ended.
 *
 * If the samples of the event give the count (as periods), a READ repeats it, so it
 * gets a kind of its own.  If nothing else gives it, or the counter itself was read
 * with the samples before, its growth is a sample like theirs.
 */
#include "src/perfdata/abi.h"
#include "src/perfdata/record/record.h"

static bool
is_told_by_periods(const struct attr *a)
{
	return a->period != 0 && (a->sample_type & S_READ) == 0;
}

struct reader {
	struct decoder *d;
	const struct readings *r;
};

static void
put_reading(void *ctx, uint32_t attr, const struct counter *c, uint64_t grown)
{
	const struct reader *to = ctx;
	const struct readings *r = to->r;
	struct decoder *d = to->d;
	const struct attr *a = &d->attr[attr];
	bool counted = (c->format & R_RUNNING) == 0 || c->running != 0;
	bool told = is_told_by_periods(a);

	if (!told)
		run_begin_counter(d, &r->at, c->value);
	record_head(d, told ? SLICE("read") : SLICE("sample"), &r->at, buf_slice(&a->name),
	    counted ? &grown : NULL);
	if ((c->format & R_ID) != 0)
		evw_tag_hex(d->w, SLICE("id"), c->id);
	evw_tag_u64(d->w, SLICE("count"), c->value);
	if ((c->format & R_ENABLED) != 0)
		evw_tag_u64(d->w, SLICE("enabled"), c->enabled);
	if ((c->format & R_RUNNING) != 0)
		evw_tag_u64(d->w, SLICE("running"), c->running);
	record_end(d);
}

int
emit_read(struct decoder *d, const struct rec *r, struct err *e)
{
	const struct attr *a = attrs_of_other(d, r);
	struct readings part = { .a = a, .offset = r->offset };
	struct reader to = { d, &part };
	size_t trailer = 0;

	if ((a->flags & A_SAMPLE_ID_ALL) != 0 && trailer_decode(&part.at, a, r, d->big_endian))
		trailer = attr_trailer_size(a);
	if (r->size < REC_HEADER + 8 + trailer)
		return err_byte(e, r->offset, "record of %u bytes is too short", r->size);
	part.part = cur_over(r->p + REC_HEADER, r->size - REC_HEADER - trailer, d->big_endian);
	part.id = part.at.id;
	part.at.pid = cur_u32(&part.part);
	part.at.tid = cur_u32(&part.part);
	part.at.have |= S_TID;
	part.thread = tasks_thread(&d->tasks, part.at.pid, part.at.tid);
	if (part.thread == NULL)
		return err_nomem(e);
	part.final = part.thread->exited;
	return counts_take(d, &part, put_reading, &to, e);
}
