/* SPDX-License-Identifier: ISC */
/* events.c - the events, and the event that a record belongs to. */
#include <string.h>

#include "lib/esc.h"
#include "lib/mem.h"
#include "lib/vec.h"
#include "src/perfdata/attr/attr.h"

/* The bits that determine the offsets of time and id. */
#define S_PLACES (S_IDENTIFIER | S_IP | S_TID | S_TIME | S_ADDR | S_ID | S_STREAM_ID | S_CPU)

static void
free_event(struct event *event)
{
	buf_free(&event->name);
	buf_free(&event->column);
	buf_free(&event->scaled_unit);
	buf_free(&event->cpus);
	cpumap_free(&event->own_cpus);
}

void
events_free(struct events *ev)
{
	size_t i;

	for (i = 0; i < ev->count; i++)
		free_event(&ev->item[i]);
	mem_free(ev->item);
	idmap_free(&ev->ids);
	idmap_free(&ev->kinds);
	tracedata_free(&ev->tracing);
}

/* ---- names */

static void
find_off_cpu(struct event *event, struct slice name)
{
	struct attr *a = &event->attr;

	event->off_cpu = event->bpf_output && slice_eq(name, SLICE(OFF_CPU_NAME)) &&
	    (a->sample_type & (S_PERIOD | S_RAW)) != 0;
	if (event->off_cpu)
		a->max_stack = OFF_CPU_STACK; /* the BPF program does not look at the event's own */
}

int
event_set_name(struct event *event, struct slice raw, struct err *e)
{
	event->name.len = event->column.len = event->recent.len = 0;
	find_off_cpu(event, raw);
	if (esc_append(&event->name, raw.p, raw.len, ESC_COLUMN) &&
	    buf_putc(&event->column, '\t') &&
	    buf_put(&event->column, event->name.p, event->name.len) &&
	    buf_putc(&event->column, '\t'))
		return 0;
	return err_nomem(e);
}

static int
name_by_fields(struct event *event, struct err *e)
{
	char name[ATTR_NAME_MAX];
	size_t n = attr_made_up_name(&event->attr, name);

	return event_set_name(event, (struct slice){ name, n }, e);
}

/* Names a tracepoint that the file has not named, using the tracing data read so far. */
static int
name_by_tracing(const struct tracedata *tracing, struct event *event, struct err *e)
{
	struct buf name = { 0 };
	int rc;

	if (event->attr.type != PTYPE_TRACEPOINT || !event_is_nameless(event))
		return 0;
	rc = tracedata_name(tracing, event->attr.config, &name, e);
	if (rc == 0 && name.len != 0)
		rc = event_set_name(event, buf_slice(&name), e);
	buf_free(&name);
	return rc;
}

/* ---- the list */

/* Returns the byte offset of S_TIME or S_ID in a SAMPLE, using the bits of the fields before it. */
static size_t
offset_of(uint64_t sample_type, uint64_t field)
{
	static const uint64_t before[] = { S_IDENTIFIER, S_IP, S_TID, S_TIME, S_ADDR, S_ID };
	size_t at = REC_HEADER, i;

	for (i = 0; before[i] != field; i++)
		if ((sample_type & before[i]) != 0)
			at += 8;
	return at;
}

/* Returns the offset of the id that identifies a sample's event, or 0 if there is none. */
static size_t
offset_of_id(uint64_t sample_type)
{
	if ((sample_type & S_IDENTIFIER) != 0)
		return REC_HEADER;
	return (sample_type & S_ID) != 0 ? offset_of(sample_type, S_ID) : 0;
}

static bool
is_laid_out_alike(const struct attr *a, const struct attr *b)
{
	return a->sample_type == b->sample_type &&
	    ((a->sample_type & S_READ) == 0 || a->read_format == b->read_format);
}

/* Updates the common layout, since the samples of a new event may have a different one. */
static void
take_layout(struct events *ev, const struct attr *a)
{
	const struct attr *first = &ev->item[0].attr;

	ev->one_layout = ev->count == 1 ||
	    (ev->one_layout && ((a->sample_type ^ first->sample_type) & S_PLACES) == 0);
	ev->defers |= (a->flags & A_DEFER_CALLCHAIN) != 0;
	ev->time_at = ev->one_layout && (a->sample_type & S_TIME) != 0
	    ? offset_of(a->sample_type, S_TIME)
	    : 0;
	ev->id_at = ev->count > 1 ? offset_of_id(first->sample_type) : 0;
	ev->mixed |= ev->id_at == 0 && !is_laid_out_alike(a, first);
}

/*
 * Marks software events and tracepoints that have been recorded more than once.  Where two of them
 * take a sample of the same occurrence, Linux 6.3 and later prepare it once, so that the second
 * sample has the id of the first (do_perf_sw_event and perf_prepare_sample in
 * kernel/events/core.c; some versions do so for tracepoints, too).
 */
static bool
find_repeated(struct events *ev, struct event *event)
{
	uint32_t number = (uint32_t)(event - ev->item);
	bool tracepoint = event->attr.type == PTYPE_TRACEPOINT;
	uint64_t kind = event->attr.config << 1 | tracepoint;
	struct id_entry *first;

	if (!tracepoint && event->attr.type != PTYPE_SOFTWARE)
		return true;
	if (!idmap_add(&ev->kinds, kind, number))
		return false;
	first = idmap_find(&ev->kinds, kind);
	event->repeated = first->event != number;
	ev->item[first->event].repeated |= event->repeated;
	return true;
}

int
events_add(struct events *ev, struct cur *c, struct err *e)
{
	struct event *event;

	if (ev->count >= EVENTS_MAX)
		return err_data(e, "more than %d events", EVENTS_MAX);
	if (!vec_room(ev->item, ev->count, ev->cap))
		return err_nomem(e);
	event = &ev->item[ev->count];
	*event = (struct event){ .ids = 0 };
	if (attr_parse(&event->attr, c, e) != 0)
		return e->code;
	ev->count++;
	event->bpf_output =
	    event->attr.type == PTYPE_SOFTWARE && event->attr.config == SW_BPF_OUTPUT;
	event->usual = event->bpf_output ? 0 : event->attr.sample_type;
	take_layout(ev, &event->attr);
	if (!find_repeated(ev, event))
		return err_nomem(e);
	if (name_by_fields(event, e) != 0)
		return e->code;
	return name_by_tracing(&ev->tracing, event, e);
}

int
events_add_id(struct events *ev, size_t number, uint64_t id, struct err *e)
{
	struct event *event = &ev->item[number];
	struct id_entry *entry;

	if (event->first_id == 0)
		event->first_id = id;
	if (!idmap_add(&ev->ids, id, (uint32_t)number))
		return err_nomem(e);
	entry = idmap_find(&ev->ids, id);
	if (entry->event == number)
		entry->nth = event->ids++ & (IDMAP_MAX * 2 - 1);
	return 0;
}

/* ---- updates: struct perf_record_event_update in tools/lib/perf/include/perf/event.h */

static int
take_unit(struct event *event, struct cur *c, struct err *e)
{
	struct slice unit;

	unit.p = cur_rest_string(c, &unit.len);
	event->scaled_unit.len = 0;
	if (unit.len == 0) /* as none is given */
		return 0;
	return esc_append(&event->scaled_unit, unit.p, unit.len, ESC_COLUMN) ? 0 : err_nomem(e);
}

static void
take_scale(struct event *event, struct cur *c)
{
	uint64_t bits = cur_u64(c);

	memcpy(&event->scale, &bits, sizeof event->scale);
}

static int
take_name(struct event *event, struct cur *c, struct err *e)
{
	struct slice name;

	name.p = cur_rest_string(c, &name.len);
	if (name.len == 0)
		return 0; /* no measure would have an empty name */
	event->named = true;
	return event_set_name(event, name, e);
}

static int
take_cpus(struct event *event, struct cur *c, struct err *e)
{
	event->cpus.len = 0;
	if (cpumap_take(&event->own_cpus, c, e) != 0)
		return e->code;
	return cpumap_put(&event->own_cpus, ',', &event->cpus) ? 0 : err_nomem(e);
}

int
events_update(struct events *ev, const struct rec *r, struct event **changed, bool *renamed,
    struct err *e)
{
	struct cur c = rec_fields(r, ev->big_endian);
	uint64_t type = cur_u64(&c), id = cur_u64(&c);
	const struct id_entry *entry = idmap_find(&ev->ids, id);
	int rc = 0;

	*changed = NULL;
	*renamed = type == UPDATE_NAME;
	if (entry == NULL || type > UPDATE_CPUS)
		return 0;
	*changed = &ev->item[entry->event];
	switch (type) {
	case UPDATE_UNIT: rc = take_unit(*changed, &c, e); break;
	case UPDATE_SCALE: take_scale(*changed, &c); break;
	case UPDATE_NAME: rc = take_name(*changed, &c, e); break;
	default: rc = take_cpus(*changed, &c, e); break;
	}
	if (rc == 0 && !cur_ok(&c))
		rc = err_byte(e, r->offset, "event update of %u bytes is too short", r->size);
	return rc;
}

/* ---- tracepoints */

/* Uses new tracing data, which may contain names and formats that were not found before. */
int
events_read_tracing(struct events *ev, struct err *e)
{
	struct err other;
	size_t i;
	int rc;

	if (ev->tracing.times == TRACE_TIMES_MAX)
		return err_data(e, "more than %d sets of tracing data", TRACE_TIMES_MAX);
	ev->tracing.times++;
	rc = tracedata_index(&ev->tracing, e);
	if (rc != 0 && rc != ERR_DATA)
		return rc;
	for (i = 0; i < ev->count; i++) {
		if (ev->item[i].format == NULL)
			ev->item[i].format_sought = false;
		if (name_by_tracing(&ev->tracing, &ev->item[i], &other) != 0) {
			*e = other;
			return e->code;
		}
	}
	return rc;
}

int
events_take_tracing(struct events *ev, struct cur *c, struct err *e)
{
	size_t n = cur_left(c);

	if (n > TRACE_DATA_MAX)
		return err_data(e, "tracing data of %zu bytes", n);
	ev->tracing.blob.len = ev->tracing.count = 0;
	if (!buf_put(&ev->tracing.blob, cur_take(c, n), n))
		return err_nomem(e);
	return events_read_tracing(ev, e);
}

int
events_take_sized_tracing(struct events *ev, struct cur *c, struct err *e)
{
	uint32_t n = cur_u32(c);
	struct cur data = cur_sub(c, n);

	return cur_ok(&data) ? events_take_tracing(ev, &data, e)
			     : err_data(e, "tracing data beyond the end of their record");
}

/* ---- records */

/* Decodes the trailer from the end of r.  Returns false if r is too short to have one. */
static bool
trailer_decode(struct trailer *t, const struct attr *a, const struct rec *r, bool big_endian)
{
	size_t size = a->trailer_size;
	struct cur c;

	*t = (struct trailer){ .have = a->sample_type };
	if (r->size < REC_HEADER + size) {
		t->have = 0;
		return false;
	}
	c = cur_over(r->p + r->size - size, size, big_endian);
	if (t->have & S_TID) {
		t->pid = cur_u32(&c);
		t->tid = cur_u32(&c);
	}
	if (t->have & S_TIME)
		t->time = cur_u64(&c);
	if (t->have & S_ID)
		t->id = cur_u64(&c);
	if (t->have & S_STREAM_ID)
		t->stream_id = cur_u64(&c);
	if (t->have & S_CPU) {
		t->cpu = cur_u32(&c);
		(void)cur_u32(&c);
	}
	if (t->have & S_IDENTIFIER)
		t->id = cur_u64(&c);
	return true;
}

/* Returns the event.  In records that perf itself generates, id 0 means the first event. */
struct event *
events_by_id(struct events *ev, uint64_t id)
{
	struct id_entry *entry;

	if (id == 0)
		return &ev->item[0];
	entry = idmap_find(&ev->ids, id);
	if (entry == NULL)
		return NULL;
	ev->recent[id % RECENT_IDS] = (struct recent_id){ id, entry->event };
	return &ev->item[entry->event];
}

struct event *
events_of_other(struct events *ev, const struct rec *r)
{
	struct event *first = ev->item, *event = NULL;
	uint64_t have = first->attr.sample_type;
	struct trailer t;

	if (ev->count == 1 || (first->attr.flags & A_SAMPLE_ID_ALL) == 0)
		return first;
	if ((have & S_IDENTIFIER) != 0)
		event = r->size >= REC_HEADER + 8
		    ? events_by_id(ev, events_u64_at(ev, r, r->size - (size_t)8))
		    : NULL;
	else if ((have & S_ID) != 0 && trailer_decode(&t, &first->attr, r, ev->big_endian))
		event = events_by_id(ev, t.id);
	return event == NULL ? first : event;
}

uint64_t
events_other_time(struct events *ev, const struct rec *r)
{
	const struct event *event = ev->item;
	struct trailer t;
	uint64_t id = 0;

	if (ev->count == 0)
		return 0;
	if (r->type == REC_SAMPLE) {
		event = events_of_sample(ev, r, &id);
		if (event == NULL || (event->attr.sample_type & S_TIME) == 0)
			return 0;
		return events_timestamp(
		    events_u64_at(ev, r, offset_of(event->attr.sample_type, S_TIME)));
	}
	if (!ev->one_layout)
		event = events_of_other(ev, r);
	if ((event->attr.flags & A_SAMPLE_ID_ALL) == 0 ||
	    !trailer_decode(&t, &event->attr, r, ev->big_endian))
		return 0;
	return events_timestamp(t.time);
}

uint64_t
events_shown_time(struct events *ev, const struct rec *r)
{
	uint64_t time = events_time(ev, r), id;
	const struct event *event;

	if (time < OFF_CPU_TIME || r->type != REC_SAMPLE)
		return time;
	event = events_of_sample(ev, r, &id);
	return event != NULL && event->bpf_output ? 0 : time;
}

struct trailer
events_trailer(struct events *ev, const struct rec *r)
{
	struct trailer t = { 0 };
	const struct attr *a;

	if (ev->count == 0 || r->type >= REC_USER)
		return t;
	a = &events_of_other(ev, r)->attr;
	if ((a->flags & A_SAMPLE_ID_ALL) != 0)
		(void)trailer_decode(&t, a, r, ev->big_endian);
	return t;
}

struct cur
events_body(struct events *ev, const struct rec *r)
{
	size_t size = r->size - (size_t)REC_HEADER, trailer = 0;

	if (ev->count > 0 && r->type < REC_USER) {
		const struct attr *a = &events_of_other(ev, r)->attr;

		trailer = (a->flags & A_SAMPLE_ID_ALL) != 0 ? a->trailer_size : 0;
	}
	return cur_over(r->p + REC_HEADER, size - (trailer <= size ? trailer : 0), ev->big_endian);
}
