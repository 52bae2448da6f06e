/* SPDX-License-Identifier: ISC */
/* interval.c - the common part of regions and sections: the start and stop of their intervals. */
#include <inttypes.h>

#include "lib/short.h"
#include "src/duration/duration.h"
#include "src/duration/durint.h"

/* maximum bytes of the stacks of intervals that have just ended */
#define STACKS_KEPT_MAX ((size_t)16 * 1024 * 1024)

static bool
put_part(struct interval *v, struct slice s, struct part *part)
{
	*part = (struct part){ v->text.len, s.len };
	return buf_put(&v->text, s.p, s.len);
}

static bool
put_tag(struct interval *v, const char *key, struct slice value)
{
	return buf_putc(&v->text, '\t') && buf_puts(&v->text, key) && buf_putc(&v->text, '=') &&
	    buf_put(&v->text, value.p, value.len);
}

/* Makes the tags that are on all lines of an interval.  A region adds tags of its own. */
static bool
put_head(struct interval *v, const struct dur_line *line)
{
	unsigned scope = v->kind & OPEN_SCOPE;

	v->head.at = v->text.len;
	if (!put_tag(v, "scope", slice_of(dur_scope(v->kind))) ||
	    (line->id.len != 0 && !put_tag(v, "id", line->id)) ||
	    (scope != OPEN_UNION && line->interval.len != 0 &&
		!put_tag(v, "interval", line->interval)) ||
	    !put_tag(v, "start", line->ev->col[EV_TIME]))
		return false;
	v->head.len = v->text.len - v->head.at;
	return true;
}

/*
 * Returns how long the run was paused from the start of v until now, or 0 if pauses are not known
 * before the durations.
 */
static struct wide
known_pauses(struct duration *d, const struct dur_line *line, const struct interval *v)
{
	if ((d->flags & (DURATION_DEDUCT | DURATION_SORTED)) == 0)
		return (struct wide){ 0, 0 };
	return wide_sub(pauses_until(&d->run[line->run].pauses, line->time), v->paused);
}

struct wide
dur_paused(struct duration *d, const struct dur_line *line, const struct interval *v)
{
	return (d->flags & DURATION_DEDUCT) != 0 ? known_pauses(d, line, v) : (struct wide){ 0, 0 };
}

/*
 * Keeps NOW in *LATE unless that ends later, or NOW has no length.  Returns whether it shares some
 * time with OTHER.
 */
static bool
note_late(struct pause *late, struct pause now, const struct pause *other)
{
	if (wide_cmp(now.start, now.end) >= 0)
		return false;
	if (wide_cmp(now.end, late->end) >= 0)
		*late = now;
	return wide_cmp(now.start, other->end) < 0 && wide_cmp(other->start, now.end) < 0;
}

static void
note_span(struct duration *d, const struct dur_line *line, const struct interval *v)
{
	struct dur_run *run = &d->run[line->run];
	struct pause now = { .start = v->start, .end = line->time };
	struct wide known = known_pauses(d, line, v);

	d->pauses_within |=
	    (known.hi | known.lo) != 0 || note_late(&run->late_span, now, &run->late_pause);
}

void
dur_note_pause(struct duration *d, const struct dur_line *line, struct wide start)
{
	struct dur_run *run = &d->run[line->run];
	struct pause now = { .start = start, .end = line->time };

	d->pauses_within |= note_late(&run->late_pause, now, &run->late_span);
}

struct interval *
dur_begin(struct duration *d, const struct dur_line *line)
{
	struct interval *v = open_take(&d->open);

	if (v == NULL)
		return NULL;
	v->kind = line->name.kind;
	v->run = line->run;
	v->start = line->time;
	v->order = d->starts++;
	v->line = line->ev->number;
	v->file = line->file;
	v->paused = known_pauses(d, line, v);
	if (put_part(v, line->name.id, &v->id) && put_part(v, line->name.interval, &v->interval) &&
	    put_part(v, line->ev->col[EV_REGION], &v->label) &&
	    put_part(v, line->others, &v->tags) && put_head(v, line)) {
		v->open = true;
		return v;
	}
	open_give(&d->open, v);
	return NULL;
}

int
dur_start_again(struct duration *d, const struct dur_line *line, struct interval *v, struct err *e)
{
	char text[DUR_SHOWN_MAX];

	if (dur_snap_is_more(d, line, v))
		return dur_snap_start(d, line, v) ? 0 : err_nomem(e);
	return err_line(e, line->ev->number, "start of %s, which has been open since line %" PRIu64,
	    dur_describe(text, line), v->line);
}

static bool
waits_for_more(const struct dur_line *line, const struct interval *v)
{
	size_t i;

	for (i = 0; i < v->snaps; i++)
		if (!v->snap[i].done)
			return true;
	return dur_has_measure(line);
}

static void
give(struct duration *d, struct interval *v)
{
	d->stacks_kept -= v->stack.len;
	dur_snap_drop(d, v);
	open_leave(&d->open, v);
	open_give(&d->open, v);
}

/* Keeps the stack for values that come later. */
static bool
keep_stack(struct duration *d, struct interval *v)
{
	const struct dur_stack *s = &d->stack;

	if ((v->kind & OPEN_SCOPE) != OPEN_REGION)
		return true;
	if (d->stacks_kept + s->text.len > STACKS_KEPT_MAX) {
		v->stack_cut = v->depth + 1;
		return true;
	}
	v->stack_cut = s->cut;
	d->stacks_kept += s->text.len;
	return put_part(v, s->text, &v->stack);
}

/* Keeps the name in the stop line of v, since further lines of the stop use the same name. */
static bool
keep_stop_name(const struct dur_line *line, struct interval *v)
{
	struct slice label = line->ev->col[EV_REGION];

	v->anonymous = dur_is_anonymous(line);
	v->stop_label = v->label;
	if (slice_is_nothing(label) || short_eq(label, open_text(v, v->label)))
		return true;
	return put_part(v, label, &v->stop_label);
}

static bool
keep_ended(struct duration *d, const struct dur_line *line, struct interval *v)
{
	struct dur_run *run = &d->run[v->run];
	struct open_name name = { v->kind | OPEN_ENDED, v->run, open_text(v, v->id),
		open_text(v, v->interval) };
	struct interval *before = open_find(&d->open, &name);

	if (before != NULL) {
		/* it stays in the list of waiting intervals, without a name */
		dur_snap_drop(d, before);
		open_leave(&d->open, before);
	}
	if (!keep_stack(d, v) || !keep_stop_name(line, v))
		return false;
	v->kind = name.kind;
	v->next = run->waiting;
	run->waiting = v;
	return open_enter(&d->open, v);
}

int
dur_end(struct duration *d, const struct dur_line *line, struct interval *v, struct err *e)
{
	bool ok = dur_snap_samples(d, line, v);

	note_span(d, line, v);
	open_leave(&d->open, v);
	v->open = false;
	v->around = NULL;
	if (ok && dur_has_measure(line))
		ok = dur_snap_stop(d, line, v);
	if (ok && waits_for_more(line, v))
		ok = keep_ended(d, line, v) && dur_group_begin(d, line, v);
	else
		give(d, v);
	return ok ? 0 : err_nomem(e);
}

void
dur_forget_ended(struct duration *d, struct dur_run *run)
{
	while (run->waiting != NULL) {
		struct interval *v = run->waiting;

		run->waiting = v->next;
		give(d, v);
	}
}
