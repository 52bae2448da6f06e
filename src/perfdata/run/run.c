/* SPDX-License-Identifier: ISC */
/* run.c - the lines that all others refer to, and the run id. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "lib/mem.h"
#include "src/perfdata/abi.h"
#include "src/perfdata/decoder.h"

#define RUN_DIGITS 18 /* 0x and 16 digits */
#define STAND_IN "0x????????????????"
#define NS_PER_SECOND 1000000000u

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
put_sample(struct buf *b, const struct sample *s)
{
	return put_u64(b, (s->have & S_TIME) != 0 ? s->time : 0) &&
	    put_u64(b, (s->have & S_TID) != 0 ? s->pid : 0) &&
	    put_u64(b, (s->have & S_TID) != 0 ? s->tid : 0) &&
	    put_u64(b, (s->have & S_IP) != 0 ? s->ip : 0) &&
	    put_u64(b, (s->have & S_CPU) != 0 ? s->cpu : 0);
}

/* The hash is the same in every mode of one recording: no ids, offsets or order of records. */
static bool
identity(const struct decoder *d, const struct sample *first, uint64_t *id)
{
	struct buf b = { 0 };
	bool ok = true;
	size_t i;

	for (i = 0; ok && i < d->attrs; i++)
		ok = put_attr(&b, &d->attr[i]);
	ok = ok && (first == NULL || put_sample(&b, first));
	if (ok)
		*id = XXH64(b.p, b.len, 0);
	buf_free(&b);
	return ok;
}

void
run_hold(struct decoder *d)
{
	struct slice id = d->opt->run != NULL ? slice_of(d->opt->run) : SLICE(STAND_IN);

	if (!esc_append(&d->run, id.p, id.len, ESC_COLUMN))
		evw_nomem(d->w);
	evw_hold(d->w);
}

void
run_drop(struct decoder *d)
{
	if (!evw_is_holding(d->w))
		return;
	evw_drop_held(d->w);
	evw_release(d->w);
}

static void
fact(struct evwrite *w, struct slice key, const struct buf *b)
{
	if (b->len != 0)
		evw_tag_raw(w, key, buf_slice(b));
}

/* The clock of the events' times (clockid_t); without one it is the kernel's own. */
static void
clock_name(const struct decoder *d)
{
	const char *name;
	char number[24];
	int n;

	if (d->attrs == 0 || (d->attr[0].flags & A_USE_CLOCKID) == 0)
		return;
	name = attr_clock_name(d->attr[0].clockid);
	if (name != NULL) {
		evw_tag_raw(d->w, SLICE("clock"), slice_of(name));
		return;
	}
	n = snprintf(number, sizeof number, "%" PRId32, d->attr[0].clockid);
	evw_tag_raw(d->w, SLICE("clock"), (struct slice){ number, (size_t)n });
}

/* Is the time of day known?  *offset is added to a time of the run to get it. */
static bool
time_of_day(const struct decoder *d, uint64_t *offset)
{
	bool is_it = d->attrs > 0 && (d->attr[0].flags & A_USE_CLOCKID) != 0 &&
	    d->attr[0].clockid == CLOCK_ID_REALTIME;

	*offset = is_it ? 0 : d->facts.wall_ns - d->facts.clock_ns;
	return is_it || (d->facts.has_clock && d->facts.wall_ns != 0); /* perf stat: 0 */
}

/* Seconds since the epoch, to the nanosecond, without trailing zeros. */
static void
wall_clock(const struct decoder *d, uint64_t wall)
{
	char text[40];
	int n = snprintf(text, sizeof text, "%" PRIu64 ".%09" PRIu64, wall / NS_PER_SECOND,
	    wall % NS_PER_SECOND);

	while (n > 0 && text[n - 1] == '0')
		n--;
	if (n > 0 && text[n - 1] == '.')
		n--;
	evw_tag_raw(d->w, SLICE("wall"), (struct slice){ text, (size_t)n });
}

static void
run_line(struct decoder *d)
{
	struct evwrite *w = d->w;
	uint64_t offset;

	evw_begin(w, SLICE("run"));
	if (d->first_seen)
		evw_u64(w, d->first_time);
	else
		evw_none(w);
	evw_raw(w, buf_slice(&d->run));
	evw_none(w);
	evw_none(w);
	evw_none(w);
	evw_tag_raw(w, SLICE("unit"), SLICE("ns"));
	if (d->first_seen && time_of_day(d, &offset))
		wall_clock(d, d->first_time + offset);
	clock_name(d);
	evw_tag_raw(w, SLICE("app"), SLICE("perf"));
	fact(w, SLICE("version"), &d->facts.version);
	fact(w, SLICE("host"), &d->facts.host);
	fact(w, SLICE("os"), &d->facts.os);
	fact(w, SLICE("arch"), &d->facts.arch);
	fact(w, SLICE("cmdline"), &d->facts.cmdline);
	evw_end(w);
}

/* perf stat prints the value times the scale, in a unit of its own. */
static void
how_counted(struct evwrite *w, const struct attr *a)
{
	char text[NUM_MAX];

	if (a->scale != 0)
		evw_tag_raw(w, SLICE("scale"),
		    (struct slice){ text, num_put_double(text, a->scale) });
	fact(w, SLICE("scaled_unit"), &a->scaled_unit);
	fact(w, SLICE("cpus"), &a->cpus);
}

void
run_measure(struct decoder *d, struct attr *a)
{
	struct evwrite *w = d->w;

	if (!d->run_known || a->announced)
		return;
	a->announced = true;
	evw_begin(w, SLICE("measure"));
	evw_none(w);
	evw_raw(w, buf_slice(&d->run));
	evw_none(w);
	evw_raw(w, buf_slice(&a->name));
	evw_none(w);
	if (a->first_id != 0)
		evw_tag_hex(w, SLICE("id"), a->first_id);
	evw_tag_raw(w, SLICE("type"), SLICE("int64"));
	evw_tag_raw(w, SLICE("unit"), attr_unit(a));
	if (d->counting)
		how_counted(w, a);
	evw_end(w);
}

/* Replaces the placeholder in the third column of lines with the run id. */
static void
patch(struct evw_held held, const struct buf *run)
{
	char *p = held.p, *end = p + held.len;

	while (p < end) {
		char *lf = memchr(p, '\n', (size_t)(end - p));
		char *tab = memchr(p, '\t', (size_t)(end - p));

		tab = tab == NULL ? NULL : memchr(tab + 1, '\t', (size_t)(end - tab - 1));
		if (tab != NULL && (size_t)(end - tab) > RUN_DIGITS &&
		    memcmp(tab + 1, STAND_IN, RUN_DIGITS) == 0)
			memcpy(tab + 1, run->p, RUN_DIGITS);
		if (lf == NULL)
			break;
		p = lf + 1;
	}
}

void
run_begin_counter(struct decoder *d, const struct trailer *t, uint64_t count)
{
	struct sample s = { .have = S_TIME | S_TID | S_IP | S_CPU, .ip = count };

	if (d->run_known)
		return;
	s.time = t->time;
	s.pid = t->pid;
	s.tid = t->tid;
	s.cpu = (t->have & S_CPU) != 0 ? t->cpu : 0;
	run_begin(d, &s);
}

void
run_hold_less(struct decoder *d)
{
	if (evw_is_holding(d->w) && evw_held(d->w).len > HELD_MAX)
		run_begin(d, NULL);
}

void
run_begin(struct decoder *d, const struct sample *first)
{
	char text[RUN_DIGITS + 1];
	uint64_t id = 0;
	size_t i;

	if (d->run_known)
		return;
	d->run_known = true;
	if (d->run.len == 0 || (d->opt->run == NULL && !identity(d, first, &id))) {
		evw_nomem(d->w);
		return;
	}
	d->dsos.release = buf_slice(&d->facts.os);
	if (d->opt->run == NULL) {
		snprintf(text, sizeof text, "0x%016" PRIx64, id);
		memcpy(d->run.p, text, RUN_DIGITS);
	}
	patch(evw_held(d->w), &d->run);
	d->run_column.len = 0;
	if (!buf_putc(&d->run_column, '\t') || !buf_put(&d->run_column, d->run.p, d->run.len) ||
	    !buf_putc(&d->run_column, '\t')) {
		evw_nomem(d->w);
		run_drop(d);
		return;
	}
	evw_insert(d->w);
	run_line(d);
	for (i = 0; i < d->attrs; i++)
		run_measure(d, &d->attr[i]);
	evw_release(d->w);
}
