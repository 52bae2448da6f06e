/* SPDX-License-Identifier: ISC */
/* snap.c - values at the start and at the stop, and their differences. */

#include "lib/num.h"
#include "lib/short.h"
#include "lib/vec.h"
#include "src/duration/delta.h"
#include "src/duration/durint.h"

#define SNAPS_MAX 1024 /* values of one interval; each is compared with all */

bool
dur_snap_what(struct duration *d, const struct dur_line *line)
{
	struct slice measure = line->ev->col[EV_MEASURE];
	struct buf *b = &d->what;

	b->len = 0;
	return buf_put(b, measure.p, measure.len) && buf_putc(b, '\t') &&
	    buf_put(b, line->mid.p, line->mid.len) && buf_putc(b, '\t') &&
	    buf_put(b, line->unit.p, line->unit.len) && buf_putc(b, '\t') &&
	    buf_put(b, line->type.p, line->type.len);
}

/* Datatypes whose values are not quantities, whatever they look like. */
static bool
is_quantity(struct slice type)
{
	return !slice_eq(type, SLICE("text")) && !slice_eq(type, SLICE("string")) &&
	    !slice_eq(type, SLICE("enum")) && !slice_eq(type, SLICE("bool"));
}

static bool
is_number(const struct dur_line *line)
{
	return is_quantity(line->type) && delta_is_number(line->ev->col[EV_VALUE]);
}

/* The value for d->what, or NULL. */
static struct snap *
find(const struct duration *d, struct interval *v)
{
	struct slice what = buf_slice(&d->what);
	size_t i;

	for (i = 0; i < v->snaps; i++)
		if (short_eq(open_text(v, v->snap[i].what), what))
			return &v->snap[i];
	return NULL;
}

/* Adds the first value for d->what. */
static bool
add(struct duration *d, const struct dur_line *line, struct interval *v)
{
	struct slice value = line->ev->col[EV_VALUE];
	struct buf last;

	if (v->snaps == SNAPS_MAX) {
		dur_exceed(d, DUR_MANY_VALUES);
		return true;
	}
	if (!vec_room_zero(v->snap, v->snaps, v->snaps_cap))
		return false;
	last = v->snap[v->snaps].last;
	last.len = 0;
	v->snap[v->snaps] = (struct snap){ .what = { v->text.len, d->what.len },
		.value = { v->text.len + d->what.len, value.len },
		.last = last };
	v->snaps++;
	return buf_put(&v->text, d->what.p, d->what.len) && buf_put(&v->text, value.p, value.len);
}

bool
dur_snap_start(struct duration *d, const struct dur_line *line, struct interval *v)
{
	if (!dur_has_measure(line))
		return true;
	if (!is_number(line)) {
		d->texts += !slice_is_nothing(line->ev->col[EV_VALUE]);
		return true;
	}
	return add(d, line, v);
}

bool
dur_snap_is_more(const struct duration *d, const struct dur_line *line, struct interval *v)
{
	struct slice label = line->ev->col[EV_REGION];

	if (!dur_has_measure(line) || wide_cmp(line->time, v->start) != 0)
		return false;
	if (!slice_is_nothing(label) && !short_eq(label, open_text(v, v->label)))
		return false;
	return find(d, v) == NULL;
}

bool
dur_snap_waits(const struct duration *d, const struct dur_line *line, struct interval *v)
{
	const struct snap *s = is_number(line) ? find(d, v) : NULL;

	return s != NULL && !s->done;
}

bool
dur_snap_is_done(const struct duration *d, struct interval *v)
{
	const struct snap *s = find(d, v);

	return s != NULL && s->done;
}

static bool
finish(struct duration *d, const struct dur_line *line, struct interval *v, struct snap *s,
    struct slice value)
{
	s->done = true;
	if (!delta_put(&d->value, value, open_text(v, s->value)))
		return false;
	return dur_span_delta(d, line, v, open_text(v, s->what), buf_slice(&d->value));
}

bool
dur_snap_stop(struct duration *d, const struct dur_line *line, struct interval *v)
{
	struct snap *s;

	if (!is_number(line)) {
		d->texts += !slice_is_nothing(line->ev->col[EV_VALUE]);
		return true;
	}
	s = find(d, v);
	if (s == NULL || s->done) {
		d->lone++;
		return true;
	}
	return finish(d, line, v, s, line->ev->col[EV_VALUE]);
}

bool
dur_snap_samples(struct duration *d, const struct dur_line *line, struct interval *v)
{
	size_t i;

	for (i = 0; i < v->snaps; i++) {
		struct snap *s = &v->snap[i];

		if (s->last.len == 0 || wide_cmp(s->last_at, line->time) != 0)
			continue;
		if (!finish(d, line, v, s, buf_slice(&s->last)))
			return false;
	}
	return true;
}

/* For an open interval: the first value at the start counts, and the last at the stop. */
static bool
see(struct duration *d, const struct dur_line *line, struct interval *v)
{
	struct slice value = line->ev->col[EV_VALUE];
	struct snap *s = find(d, v);

	if (s == NULL)
		return wide_cmp(line->time, v->start) != 0 || add(d, line, v);
	s->last.len = 0;
	s->last_at = line->time;
	return buf_put(&s->last, value.p, value.len);
}

bool
dur_snap_sample(struct duration *d, const struct dur_line *line)
{
	struct open_name name = line->name;
	struct interval *v;
	struct snap *s;

	if (line->id.len == 0 || line->scope.len == 0 || !is_number(line))
		return true;
	if (!dur_snap_what(d, line))
		return false;
	name.kind |= OPEN_ENDED;
	v = open_find(&d->open, &name);
	if (v != NULL && wide_cmp(line->time, d->run[line->run].now) == 0) {
		s = find(d, v);
		if (s != NULL && !s->done && !finish(d, line, v, s, line->ev->col[EV_VALUE]))
			return false;
	}
	/* the next one with the name may have started at the same time: it gets the value, too */
	v = open_find(&d->open, &line->name);
	return v == NULL || see(d, line, v);
}

void
dur_snap_drop(struct duration *d, struct interval *v)
{
	size_t i;

	for (i = 0; i < v->snaps; i++)
		d->lone += !v->snap[i].done;
	v->snaps = 0;
}
