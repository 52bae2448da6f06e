/* SPDX-License-Identifier: ISC */
/* others.c - the lines of all records but samples. */
#include <errno.h>
#include <inttypes.h>

#include "src/perfdata/abi.h"
#include "src/perfdata/record/fields.h"
#include "src/perfdata/record/record.h"

void
record_head(struct decoder *d, struct slice kind, const struct trailer *t, struct slice measure,
    const uint64_t *value)
{
	struct evwrite *w = d->w;
	const struct thread *th = NULL;
	char room[THREAD_NAME_ROOM];

	evw_begin(w, kind);
	if (t->time != 0 && t->time != UINT64_MAX)
		evw_u64(w, t->time);
	else
		evw_none(w);
	evw_raw(w, buf_slice(&d->run));
	evw_none(w);
	evw_raw(w, measure);
	if (value != NULL)
		evw_u64(w, *value);
	else
		evw_none(w);
	if ((t->have & S_TID) != 0) {
		evw_tag_i64(w, SLICE("pid"), (int32_t)t->pid);
		evw_tag_i64(w, SLICE("tid"), (int32_t)t->tid);
		th = tasks_thread(&d->tasks, t->pid, t->tid);
		if (th == NULL)
			evw_nomem(w);
	} else {
		evw_bytes(w, "\tpid=.\ttid=.", 12);
	}
	evw_tag_raw(w, SLICE("comm"), th == NULL ? SLICE(".") : thread_name(th, room));
	if ((t->have & S_CPU) != 0 && t->cpu != UINT32_MAX)
		evw_tag_u64(w, SLICE("cpu"), t->cpu);
	else
		evw_tag_raw(w, SLICE("cpu"), SLICE("."));
}

void
record_end(struct decoder *d)
{
	if (d->late)
		evw_tag_u64(d->w, SLICE("late"), 1);
	evw_end(d->w);
}

struct trailer
record_trailer(struct decoder *d, const struct rec *r)
{
	struct trailer t = { 0 };
	const struct attr *a;

	if (d->attrs == 0 || r->type >= REC_USER)
		return t;
	a = attrs_of_other(d, r);
	if ((a->flags & A_SAMPLE_ID_ALL) != 0)
		(void)trailer_decode(&t, a, r, d->big_endian);
	return t;
}

struct cur
record_body(struct decoder *d, const struct rec *r)
{
	size_t size = r->size - (size_t)REC_HEADER, trailer = 0;

	if (d->attrs > 0 && r->type < REC_USER) {
		const struct attr *a = attrs_of_other(d, r);

		trailer = (a->flags & A_SAMPLE_ID_ALL) != 0 ? attr_trailer_size(a) : 0;
	}
	return cur_over(r->p + REC_HEADER, size - (trailer <= size ? trailer : 0), d->big_endian);
}

int
others_check(struct decoder *d, const struct rec *r, struct err *e)
{
	const struct form *f = form_of(r->type);
	struct cur c = record_body(d, r);

	if (f == NULL)
		unknown_count(d, r->type);
	if (f == NULL || (fields_fit(f->fields, c) && (f->fits == NULL || f->fits(c))))
		return 0;
	return err_byte(e, r->offset, "record of type %" PRIu32 " with %u bytes is too short",
	    r->type, r->size);
}

/* For a type without a name, all that can be printed: its bytes. */
static void
unknown(struct decoder *d, const struct rec *r, struct cur *c)
{
	size_t n = cur_left(c);

	evw_tag_u64(d->w, SLICE("type"), r->type);
	evw_tag_u64(d->w, SLICE("size"), r->size);
	evw_tag_hex(d->w, SLICE("misc"), r->misc);
	fields_put_bytes(d->w, SLICE("raw"), cur_take(c, n), n);
}

/* The event that it belongs to, if the trailer gives one. */
static void
trailer_ids(struct evwrite *w, const struct trailer *t)
{
	if ((t->have & (S_ID | S_IDENTIFIER)) != 0)
		evw_tag_hex(w, SLICE("event_id"), t->id);
	if ((t->have & S_STREAM_ID) != 0)
		evw_tag_hex(w, SLICE("event_stream"), t->stream_id);
}

void
record_line(struct decoder *d, const struct rec *r, struct cur c)
{
	const struct form *f = form_of(r->type);
	struct trailer t = record_trailer(d, r);
	uint64_t n;

	if (f != NULL && fields_who(f->fields, c, &t.pid, &t.tid))
		t.have |= S_TID;
	record_head(d, f == NULL ? SLICE("unknown") : slice_of(f->kind), &t, SLICE("."), NULL);
	if (f == NULL) {
		unknown(d, r, &c);
	} else {
		n = fields_put(d->w, f->fields, &c);
		if (f->rest != NULL)
			f->rest(d, r, &c, n);
	}
	trailer_ids(d->w, &t);
	record_end(d);
}

void
emit_other(struct decoder *d, const struct rec *r)
{
	if (!loss_is_told(d, r))
		record_line(d, r, record_body(d, r));
}
