/* SPDX-License-Identifier: ISC */
/* run.c - the run id, and the lines that all others refer to. */
#include "src/perfdata/run/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "lib/esc.h"
#include "lib/mem.h"
#include "lib/vec.h"
#include "src/perfdata/abi.h"

#define RUN_DIGITS 18 /* 0x and 16 digits */
#define NAME_SHOWN 160 /* bytes of a name in a message */
#define STAND_IN "0x????????????????"
#define NS_PER_SECOND 1000000000u

/*
 * The maximum number of bytes in lines that wait for the run id, which is made from the first
 * sample.  Beyond this the id is made without a sample.
 */
#define HELD_MAX ((size_t)8 * 1024 * 1024)

static bool
put_u64(struct buf *b, uint64_t v)
{
	char bytes[8];
	int i;

	for (i = 0; i < 8; i++)
		bytes[i] = (char)(v >> 8 * i & 255);
	return buf_put(b, bytes, sizeof bytes);
}

static bool
put_attr(struct buf *b, const struct attr *a)
{
	const uint64_t fields[] = {
		a->type,
		a->config,
		a->config1,
		a->config2,
		a->period,
		a->sample_type,
		a->read_format,
		a->flags,
		a->bp_type,
		a->branch_sample_type,
		a->regs_user,
		a->regs_intr,
		a->stack_user,
		(uint64_t)a->clockid,
	};
	size_t i;
	bool ok = true;

	for (i = 0; ok && i < sizeof fields / sizeof fields[0]; i++)
		ok = put_u64(b, fields[i]);
	return ok;
}

static bool
put_sample(struct buf *b, const struct first_sample *s)
{
	return put_u64(b, s->time) && put_u64(b, s->pid) && put_u64(b, s->tid) &&
	    put_u64(b, s->ip) && put_u64(b, s->cpu);
}

/*
 * Computes a hash that is the same for every mode of one recording, so it does not depend on ids,
 * offsets or the order of records.
 */
static bool
identity(const struct run *r, const struct first_sample *first, uint64_t *id)
{
	struct buf b = { 0 };
	bool ok = true;
	size_t i;

	for (i = 0; ok && i < r->events->count; i++)
		ok = put_attr(&b, &r->events->item[i].attr);
	ok = ok && (first == NULL || put_sample(&b, first));
	if (ok)
		*id = XXH64(b.p, b.len, 0);
	buf_free(&b);
	return ok;
}

void
run_hold(struct run *r)
{
	struct slice id = r->opt->run != NULL ? slice_of(r->opt->run) : SLICE(STAND_IN);

	if (!esc_append(&r->id, id.p, id.len, ESC_COLUMN))
		evw_nomem(r->w);
	evw_hold(r->w);
	run_tag_host(r);
}

void
run_tag_host(struct run *r)
{
	struct buf *b = &r->tags;
	struct slice host = r->origin.host.len == 0 ? SLICE(".") : buf_slice(&r->origin.host);

	if (!r->opt->tag_host)
		return;
	b->len = 0;
	if (!buf_put(b, r->opt->tags.p, r->opt->tags.len) || !buf_put(b, "\thost=", 6) ||
	    !buf_put(b, host.p, host.len))
		evw_nomem(r->w);
	else
		r->w->only->added = buf_slice(b);
}

void
run_drop(struct run *r)
{
	if (!evw_is_holding(r->w))
		return;
	evw_drop_held(r->w);
	evw_release(r->w);
}

void
run_free(struct run *r)
{
	buf_free(&r->origin.host);
	buf_free(&r->origin.os);
	buf_free(&r->origin.version);
	buf_free(&r->origin.arch);
	buf_free(&r->origin.cmdline);
	buf_free(&r->id);
	buf_free(&r->column);
	tab_free(&r->names);
	mem_free(r->named);
	if (r->tags.p != NULL)
		r->w->only->added = r->opt->tags;
	buf_free(&r->tags);
}

static void
put_if_given(struct evwrite *w, struct slice key, const struct buf *b)
{
	if (b->len != 0)
		evw_tag_raw(w, key, buf_slice(b));
}

/* Writes the clock of the events' times (clockid_t), unless it is the kernel's own. */
static void
clock_name(const struct run *r)
{
	const char *name;
	char number[24];
	int n;

	if (r->events->count == 0 || (r->events->item[0].attr.flags & A_USE_CLOCKID) == 0)
		return;
	name = attr_clock_name(r->events->item[0].attr.clockid);
	if (name != NULL) {
		evw_tag_raw(r->w, SLICE("clock"), slice_of(name));
		return;
	}
	n = snprintf(number, sizeof number, "%" PRId32, r->events->item[0].attr.clockid);
	evw_tag_raw(r->w, SLICE("clock"), (struct slice){ number, (size_t)n });
}

/*
 * Returns true if the time of day is known.  Adding *offset to a time of the run gives the time of
 * day.
 */
static bool
time_of_day(const struct run *r, uint64_t *offset)
{
	bool is_it = r->events->count > 0 && (r->events->item[0].attr.flags & A_USE_CLOCKID) != 0 &&
	    r->events->item[0].attr.clockid == CLOCK_ID_REALTIME;

	*offset = is_it ? 0 : r->origin.wall_ns - r->origin.clock_ns;
	return is_it || (r->origin.has_clock && r->origin.wall_ns != 0); /* perf stat writes 0 */
}

/* Writes seconds since the epoch, to the nanosecond, without trailing zeros. */
static void
wall_clock(const struct run *r, uint64_t wall)
{
	char text[40];
	int n = snprintf(text, sizeof text, "%" PRIu64 ".%09" PRIu64, wall / NS_PER_SECOND,
	    wall % NS_PER_SECOND);

	while (text[n - 1] == '0') /* ends at the point */
		n--;
	if (text[n - 1] == '.')
		n--;
	evw_tag_raw(r->w, SLICE("wall"), (struct slice){ text, (size_t)n });
}

/* Decides how times are printed. */
static void
set_clock(struct run *r)
{
	uint64_t offset;

	if (!r->opt->wall)
		return;
	r->timeless = !time_of_day(r, &offset);
	r->shift = r->timeless ? 0 : offset;
}

void
run_put_time(struct run *r, uint64_t time)
{
	if (!r->known)
		set_clock(r); /* the line is held */
	if (r->timeless)
		evw_none(r->w);
	else
		evw_u64(r->w, time + r->shift);
}

static void
run_line(struct run *r)
{
	struct evwrite *w = r->w;
	uint64_t offset;

	evw_begin(w, SLICE("run"));
	if (r->first_seen)
		run_put_time(r, r->first_time);
	else
		evw_none(w);
	evw_raw(w, buf_slice(&r->id));
	evw_none(w);
	evw_none(w);
	evw_none(w);
	evw_tag_raw(w, SLICE("unit"), SLICE("ns"));
	if (r->first_seen && time_of_day(r, &offset))
		wall_clock(r, r->first_time + offset);
	if (!r->opt->wall)
		clock_name(r);
	else if (!r->timeless)
		evw_tag_raw(w, SLICE("clock"), SLICE("realtime"));
	evw_tag_raw(w, SLICE("app"), SLICE("perf"));
	put_if_given(w, SLICE("version"), &r->origin.version);
	put_if_given(w, SLICE("host"), &r->origin.host);
	put_if_given(w, SLICE("os"), &r->origin.os);
	put_if_given(w, SLICE("arch"), &r->origin.arch);
	put_if_given(w, SLICE("cmdline"), &r->origin.cmdline);
	evw_end(w);
}

/* Writes how perf stat prints the value: multiplied by the scale, in a unit of its own. */
static void
how_counted(struct evwrite *w, const struct event *event)
{
	char text[NUM_MAX];

	if (event->scale != 0)
		evw_tag_raw(w, SLICE("scale"),
		    (struct slice){ text, num_put_double(text, event->scale) });
	put_if_given(w, SLICE("scaled_unit"), &event->scaled_unit);
	put_if_given(w, SLICE("cpus"), &event->cpus);
}

/* Returns the unit of an event: perf stat counts some, such as duration_time, in nanoseconds. */
static struct slice
unit_of(const struct run *r, const struct event *event)
{
	bool whole = event->scale == 0 || event->scale == 1;

	if (event->off_cpu)
		return SLICE("ns");
	if (r->counting && whole && slice_eq(buf_slice(&event->scaled_unit), SLICE("ns")))
		return SLICE("ns");
	return attr_unit(&event->attr);
}

/* Numbers the event if an earlier one has the same name, and that one, too. */
static void
tell_apart(struct run *r, struct event *event)
{
	struct event *item = r->events->item, *first;
	uint32_t number = (uint32_t)(event - item);
	bool fresh;
	size_t n;

	if (event->attr.type == PTYPE_SOFTWARE && event->attr.config == SW_DUMMY)
		return; /* it has no values */
	n = vec_room(r->named, r->names.count, r->named_cap)
	    ? tab_add(&r->names, buf_slice(&event->name), &fresh)
	    : TAB_NONE;
	if (n == TAB_NONE) {
		evw_nomem(r->w);
		return;
	}
	if (fresh)
		r->named[n] = number;
	if (r->named[n] == number)
		return;
	first = &item[r->named[n]];
	first->number = r->named[n] + 1;
	event->number = number + 1;
	first->namesake = event->namesake = r->named[n];
	first->units_differ |= !slice_eq(unit_of(r, first), unit_of(r, event));
}

void
run_note_same_names(const struct run *r)
{
	const struct event *item = r->events->item, *first = NULL;
	struct slice name;
	size_t i, same = 0;
	char text[480];

	for (i = 0; i < r->events->count; i++) {
		if (item[i].number == 0)
			continue;
		first = first == NULL ? &item[i] : first;
		same += slice_eq(buf_slice(&item[i].name), buf_slice(&first->name));
	}
	if (first == NULL)
		return;
	name = buf_slice(&first->name);
	(void)snprintf(text, sizeof text,
	    "the recording has %zu events named %.*s, whose values afagg would add up: keep them "
	    "apart (afagg --by region,event), or choose one (afsel --where 'event=%" PRIu32
	    " || event=.')",
	    same, slice_shown(name, NAME_SHOWN), name.p, first->number);
	input_note(r->input, text);
}

void
run_put_number(struct run *r, const struct event *event)
{
	if (event->number == 0)
		return;
	evw_tag_u64(r->w, SLICE("event"), event->number);
	if (r->events->item[event->namesake].units_differ)
		evw_tag_raw(r->w, SLICE("unit"), unit_of(r, event));
}

void
run_put_measure(struct run *r, struct event *event)
{
	struct evwrite *w = r->w;

	if (!r->known)
		return;
	event->announced = true;
	tell_apart(r, event);
	evw_begin(w, SLICE("measure"));
	evw_none(w);
	evw_raw(w, buf_slice(&r->id));
	evw_none(w);
	evw_raw(w, buf_slice(&event->name));
	evw_none(w);
	if (event->first_id != 0)
		evw_tag_hex(w, SLICE("id"), event->first_id);
	if (event->number != 0)
		evw_tag_u64(w, SLICE("event"), event->number);
	evw_tag_raw(w, SLICE("type"), SLICE("int64"));
	evw_tag_raw(w, SLICE("unit"), unit_of(r, event));
	if (r->counting)
		how_counted(w, event);
	evw_end(w);
}

/* Replaces the placeholder in the third column of lines with the run id. */
static void
patch(struct evw_held held, const struct buf *id)
{
	char *p = held.p, *end = p + held.len;

	while (p < end) {
		char *lf = memchr(p, '\n', (size_t)(end - p));
		char *tab = memchr(p, '\t', (size_t)(end - p));

		tab = tab == NULL ? NULL : memchr(tab + 1, '\t', (size_t)(end - tab - 1));
		if (tab != NULL && (size_t)(end - tab) > RUN_DIGITS &&
		    memcmp(tab + 1, STAND_IN, RUN_DIGITS) == 0)
			memcpy(tab + 1, id->p, RUN_DIGITS);
		if (lf == NULL)
			break;
		p = lf + 1;
	}
}

void
run_begin_counter(struct run *r, const struct trailer *t, uint64_t count)
{
	struct first_sample s = { .time = t->time, .ip = count, .pid = t->pid, .tid = t->tid };

	s.cpu = (t->have & S_CPU) != 0 ? t->cpu : 0;
	r->counted = true;
	run_begin(r, &s);
}

void
run_begin_without_sample(struct run *r)
{
	const struct first_sample first = { .time = r->first_time };

	run_begin(r, r->first_seen ? &first : NULL);
}

void
run_hold_less(struct run *r)
{
	if (!evw_is_holding(r->w) || evw_held(r->w).len <= HELD_MAX)
		return;
	run_begin_without_sample(r);
	if (r->opt->run == NULL && !r->opt->header)
		input_note(r->input,
		    "more than 8 MiB of lines come before the first sample, so the run id is not "
		    "made from that, and may be that of another recording (--run ID sets it)");
}

/* Reports a recording that was joined to itself.  The ids of headers alone say less. */
static void
see_again(struct run *r)
{
	if (!r->opt->header &&
	    !runs_add(&r->input->runs, buf_slice(&r->id), r->w, r->input->to, NULL))
		evw_nomem(r->w);
}

void
run_begin(struct run *r, const struct first_sample *first)
{
	char text[RUN_DIGITS + 1];
	uint64_t id = 0;
	size_t i;

	if (r->known)
		return;
	r->known = true;
	if (r->id.len == 0 || (r->opt->run == NULL && !identity(r, first, &id))) {
		evw_nomem(r->w);
		return;
	}
	if (r->opt->run == NULL) {
		snprintf(text, sizeof text, "0x%016" PRIx64, id);
		memcpy(r->id.p, text, RUN_DIGITS);
	}
	patch(evw_held(r->w), &r->id);
	r->column.len = 0;
	if (!buf_putc(&r->column, '\t') || !buf_put(&r->column, r->id.p, r->id.len) ||
	    !buf_putc(&r->column, '\t')) {
		evw_nomem(r->w);
		run_drop(r);
		return;
	}
	see_again(r);
	evw_insert(r->w);
	set_clock(r);
	run_line(r);
	for (i = 0; i < r->events->count; i++)
		tell_apart(r, &r->events->item[i]);
	for (i = 0; i < r->events->count; i++)
		run_put_measure(r, &r->events->item[i]);
	evw_release(r->w);
}

void
run_put_head(struct run *r, struct slice kind, const struct trailer *t, struct slice measure,
    const uint64_t *value)
{
	struct evwrite *w = r->w;
	struct slice comm = SLICE(".");
	char room[THREAD_NAME_ROOM];

	evw_begin(w, kind);
	if (t->time != 0 && t->time != UINT64_MAX)
		run_put_time(r, t->time);
	else
		evw_none(w);
	evw_raw(w, buf_slice(&r->id));
	evw_none(w);
	evw_raw(w, measure);
	if (value != NULL)
		evw_u64(w, *value);
	else
		evw_none(w);
	if ((t->have & S_TID) != 0) {
		evw_tag_i64(w, SLICE("pid"), (int32_t)t->pid);
		evw_tag_i64(w, SLICE("tid"), (int32_t)t->tid);
		comm = tasks_name(&r->state->tasks, t->tid, room);
	} else {
		evw_bytes(w, "\tpid=.\ttid=.", 12);
	}
	evw_tag_raw(w, SLICE("comm"), comm);
	if ((t->have & S_CPU) != 0 && t->cpu != UINT32_MAX)
		evw_tag_u64(w, SLICE("cpu"), t->cpu);
	else
		evw_tag_raw(w, SLICE("cpu"), SLICE("."));
}

void
run_put_end(struct run *r)
{
	if (r->late)
		evw_tag_u64(r->w, SLICE("late"), 1);
	evw_end(r->w);
}
