/* SPDX-License-Identifier: ISC */
/*
 * event.c - the records of events: regions and intervals that start and stop, pauses.
 *
 * Regions of a run must be nested or disjoint.  Only their times matter, since blocks of records
 * may be in any order.  With --check all stopped regions are kept and checked at the end of the
 * file.  Otherwise regions that are open at the same time are checked record by record.  If a
 * region stops while a region that began later is open, its stop waits for the stop of the later
 * region, because only then is it known whether they cross.  So stops are printed from the inside
 * out.
 */
#include "lib/short.h"
#include "lib/vec.h"
#include "src/afperf/read/decint.h"

/* Returns the id as its definition spells it. */
static struct ids_ref
ref_of(const struct ids_entry *e)
{
	return (struct ids_ref){ e->id, e->blank ? IDS_BLANK : e->hex ? IDS_HEX : IDS_DEC };
}

/* Reports that two regions cross; the record is the stop of one of them.  Returns BROKEN. */
static enum dec_result
crosses(struct dec *d, const struct dec_rec *r, const struct ids_entry *outer,
    const struct ids_entry *inner)
{
	char a[DEC_REF_MAX], b[DEC_REF_MAX];

	dec_count(d, NOTE_CROSSING, r->r.line);
	return dec_broken(d, r, 0, RULE_NESTING, "region %s ends inside region %s",
	    dec_ref_text(a, ref_of(outer)), dec_ref_text(b, ref_of(inner)));
}

static enum dec_result
add_span(struct dec *d, const struct dec_rec *r, struct dec_run *run, const struct ids_entry *e)
{
	if (!vec_room(run->span, run->nspans, run->spans_cap))
		return dec_nomem(d);
	run->span[run->nspans++] = (struct dec_span){ e, e->start, r->time, r->r.line };
	return DEC_DONE;
}

/* Compares by start.  If regions have the same start, the longest one comes first. */
static int
compare(const struct dec_span *x, const struct dec_span *y)
{
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->stop != y->stop)
		return x->stop > y->stop ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/*
 * Sifts an item of the heap down to its place.  The top of the heap is the item that is last in
 * order.
 */
static void
sink(struct dec_span *s, size_t n, size_t at)
{
	struct dec_span self = s[at];
	size_t child;

	for (; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && compare(&s[child], &s[child + 1]) < 0)
			child++;
		if (compare(&self, &s[child]) >= 0)
			break;
		s[at] = s[child];
	}
	s[at] = self;
}

/* Sorts in place, since there may be many regions and qsort() may make a copy. */
static void
sort(struct dec_span *s, size_t n)
{
	size_t i;

	for (i = n / 2; i-- > 0;)
		sink(s, n, i);
	for (i = n; i-- > 1;) {
		struct dec_span first = s[0];

		s[0] = s[i];
		s[i] = first;
		sink(s, i, 0);
	}
}

/*
 * Checks all stopped regions, sorted.  Their array is reused for the stack of the regions around
 * the next one.  Each region on the stack ends no later than the region below it, so if the next
 * region crosses any, it crosses the topmost.
 */
void
dec_judge_spans(struct dec *d, struct dec_run *run)
{
	struct dec_span *s = run->span;
	size_t i, n = 0;

	sort(s, run->nspans);
	for (i = 0; i < run->nspans; i++) {
		for (; n > 0 && s[n - 1].stop < s[i].stop; n--) {
			struct dec_rec r = { .r = { .line = s[n - 1].line } };

			if (s[n - 1].stop > s[i].start)
				(void)crosses(d, &r, s[n - 1].region, s[i].region);
		}
		s[n++] = s[i];
	}
}

#define DEPTH_MAX ((size_t)4096)

/* Drops half of the open regions.  Dropped regions are not checked. */
static enum dec_result
forget_half(struct dec *d, struct dec_run *run)
{
	size_t half = run->nopen / 2, i;
	enum dec_result rc = DEC_DONE;

	for (i = 0; i < half && rc == DEC_DONE; i++) {
		dec_count(d, NOTE_DEEP, run->open[i].region->origin);
		rc = dec_release(d, &run->open[i].waiting);
	}
	memmove(run->open, run->open + half, (run->nopen - half) * sizeof *run->open);
	run->nopen -= half;
	return rc;
}

static enum dec_result
nest_start(struct dec *d, struct dec_run *run, const struct ids_entry *e)
{
	if (d->opt.check)
		return DEC_DONE;
	if (run->nopen == DEPTH_MAX && forget_half(d, run) != DEC_DONE)
		return DEC_FAILED;
	if (!vec_room(run->open, run->nopen, run->open_cap))
		return dec_nomem(d);
	if (run->nopen == 0) {
		run->unsorted = false;
		run->waits_until = 0;
	} else if (e->start < run->open[run->nopen - 1].start) {
		run->unsorted = true;
	}
	run->open[run->nopen++] =
	    (struct dec_open){ .region = e, .start = e->start, .waiting = IDS_NONE };
	return DEC_DONE;
}

/* Returns whether the inner region recorded in o, which began later, stopped outside it. */
static bool
is_crossed(const struct dec_open *o, uint64_t stop)
{
	return o->inner != NULL && o->inner_start < stop && o->inner_stop > stop;
}

/* Returns the innermost region that began before START and has not stopped before it. */
static struct dec_open *
around(struct dec_run *run, uint64_t start)
{
	struct dec_open *o, *best = NULL;
	size_t i;

	for (i = run->nopen; i-- > 0 && (best == NULL || run->unsorted);) {
		o = &run->open[i];
		if (o->start < start && !(o->stop_line != 0 && o->stop <= start) &&
		    (best == NULL || o->start > best->start))
			best = o;
	}
	return best;
}

/* Records the region in the region around it. */
static void
tell(struct dec_run *run, const struct ids_entry *region, uint64_t start, uint64_t stop)
{
	struct dec_open *outer = around(run, start);

	if (outer == NULL || (outer->inner != NULL && stop <= outer->inner_stop))
		return;
	outer->inner = region;
	outer->inner_start = start;
	outer->inner_stop = stop;
}

/*
 * Records the region in all regions that it crosses and whose stops wait.  If the records are in
 * time order, these are all regions that it crosses and that stop before it.
 */
static void
tell_waiting(struct dec_run *run, const struct dec_open *self, uint64_t stop)
{
	struct dec_open *o;

	if (self->start >= run->waits_until)
		return;
	for (o = run->open; o < run->open + run->nopen; o++) {
		if (o->start >= self->start && !run->unsorted)
			return;
		if (o->stop_line == 0 || o->start >= self->start || o->stop <= self->start ||
		    o->stop >= stop || is_crossed(o, o->stop))
			continue;
		o->inner = self->region;
		o->inner_start = self->start;
		o->inner_stop = stop;
	}
}

/*
 * Returns the first region that began at FROM or later, or NULL.  If the regions are sorted, they
 * are searched only from index AT.
 */
static struct dec_open *
earliest(struct dec_run *run, size_t at, uint64_t from)
{
	struct dec_open *o, *best = NULL;
	size_t i;

	for (i = run->unsorted ? 0 : at; i < run->nopen; i++) {
		o = &run->open[i];
		if (o->start < from)
			continue;
		if (!run->unsorted)
			return o;
		if (best == NULL || o->start < best->start)
			best = o;
	}
	return best;
}

/*
 * Releases the stops that wait for a region that has stopped, or moves them to the next region if
 * all of them would wait for that one.
 */
static enum dec_result
hand_on(struct dec *d, struct dec_run *run, size_t at, struct dec_open *o)
{
	struct dec_open *next;

	if (o->waiting == IDS_NONE)
		return DEC_DONE;
	next = earliest(run, at, o->start);
	if (next == NULL || next->waiting != IDS_NONE || next->start >= o->waiting_stop)
		return dec_release(d, &o->waiting);
	next->waiting = o->waiting;
	next->waiting_stop = o->waiting_stop;
	return DEC_DONE;
}

/*
 * Removes the region.  The last region that stopped inside it may cross the regions around it, too,
 * even if it does not cross this one.
 */
static enum dec_result
close_region(struct dec *d, struct dec_run *run, size_t at, uint64_t stop)
{
	struct dec_open o = run->open[at];

	memmove(run->open + at, run->open + at + 1, (run->nopen - at - 1) * sizeof o);
	run->nopen--;
	tell(run, o.region, o.start, stop);
	if (o.inner != NULL)
		tell(run, o.inner, o.inner_start, o.inner_stop);
	return hand_on(d, run, at, &o);
}

/*
 * Returns the next open region inside this one, or NULL.  A stop waits only for the next region,
 * whose stop waits for the one after that, so each stop is released once if regions nest.  Regions
 * that began at the same time are around this one if they stop later, so it need not wait for them.
 */
static struct dec_open *
next_inside(struct dec_run *run, size_t at, uint64_t stop)
{
	uint64_t start = run->open[at].start;
	struct dec_open *next = start < stop ? earliest(run, at + 1, start + 1) : NULL;

	return next != NULL && next->start < stop ? next : NULL;
}

/*
 * Returns a region that this one crosses, if one is recorded in a region that began at the same
 * time, or NULL.
 */
static const struct ids_entry *
crossed_by(const struct dec_run *run, size_t at, uint64_t stop)
{
	uint64_t start = run->open[at].start;
	const struct dec_open *o;
	size_t i;

	for (i = run->unsorted ? 0 : at; i < run->nopen; i++) {
		o = &run->open[i];
		if (o->start == start && is_crossed(o, stop))
			return o->inner;
		if (o->start != start && !run->unsorted)
			break;
	}
	return NULL;
}

/* Makes the stop wait for another region. */
static enum dec_result
wait_for(struct dec *d, const struct dec_rec *r, struct dec_run *run, struct dec_open *inner,
    struct ids_entry *e)
{
	enum dec_result rc;

	if (r->time > run->waits_until)
		run->waits_until = r->time;
	if (inner->waiting == IDS_NONE || r->time < inner->waiting_stop)
		inner->waiting_stop = r->time;
	rc = dec_wait(d, r, dec_at(r, FIELD_OWNER) + 1, &inner->waiting,
	    "the stop of a region inside it is");
	if (rc == DEC_BROKEN)
		e->state = IDS_DONE;
	return rc;
}

/* Processes the stop of the region, or processes it again if it has waited. */
static enum dec_result
see_stop(struct dec *d, const struct dec_rec *r, struct dec_run *run, struct dec_open *o)
{
	char id[DEC_REF_MAX];

	if (o->stop_line == r->r.line)
		return DEC_DONE;
	if (o->stop_line != 0)
		return dec_broken(d, r, 0, RULE_UNIQUE,
		    "region %s stopped twice (started in line %u)", dec_ref_text(id, r->owner),
		    (unsigned)o->region->origin);
	o->stop_line = r->r.line;
	o->stop = r->time;
	tell_waiting(run, o, r->time);
	return DEC_DONE;
}

static enum dec_result
nest_stop(struct dec *d, const struct dec_rec *r, struct dec_run *run, struct ids_entry *e)
{
	const struct ids_entry *crossed;
	struct dec_open *inner;
	size_t at = run->nopen;
	enum dec_result rc;

	if (d->opt.check) {
		e->state = IDS_DONE;
		return add_span(d, r, run, e);
	}
	while (at > 0 && run->open[at - 1].region != e)
		at--;
	if (at-- == 0) {
		e->state = IDS_DONE;
		return DEC_DONE;
	}
	rc = see_stop(d, r, run, &run->open[at]);
	if (rc != DEC_DONE)
		return rc;
	crossed = crossed_by(run, at, r->time);
	inner = crossed != NULL ? NULL : next_inside(run, at, r->time);
	if (inner != NULL && !d->hold.ending)
		return wait_for(d, r, run, inner, e);
	if (inner != NULL && r->time < run->latest)
		dec_count(d, NOTE_LATE_STOP, r->r.line);
	e->state = IDS_DONE;
	if (crossed != NULL)
		(void)crosses(d, r, e, crossed);
	rc = close_region(d, run, at, r->time);
	return rc != DEC_DONE ? rc : crossed != NULL ? DEC_BROKEN : DEC_DONE;
}

static void
set_started(struct ids_entry *e, const struct dec_rec *r, struct ids_ref ref, uint32_t run,
    uint32_t label)
{
	e->start = r->time;
	e->run = run;
	e->detail = label;
	dec_set_defined(e, r, ref, IDS_OPEN);
}

static void
count_early(struct dec *d, const struct dec_rec *r, uint64_t time, const struct dec_run *run)
{
	if (time < run->clock.start)
		dec_count(d, NOTE_EARLY, r->r.line);
}

static void
put_event(struct dec *d, struct slice kind, const struct dec_rec *r, const struct ids_entry *e,
    const struct ids_entry *interval)
{
	struct dec_run *run = &d->def.run[e->run];
	struct slice scope = dec_at(r, FIELD_INTERVAL) != 0 ? SLICE("\t.\t.\tscope=section\tid=")
							    : SLICE("\t.\t.\tscope=region\tid=");
	struct slice tags, label = dec_label_text(d, e->detail, &tags);
	struct evwrite *w = d->w;
	char *p;

	evw_begin(w, kind);
	p = evw_room(w, 64 + WIDE_DIGITS + run->name.len + label.len + 2 * NUM_MAX);
	if (p == NULL)
		return;
	*p++ = '\t';
	p += dec_put_time(p, r, FIELD_TIME, r->time, run);
	*p++ = '\t';
	p = short_copy(p, run->name.p, run->name.len);
	*p++ = '\t';
	p = short_copy(p, label.p, label.len);
	p = short_copy(p, scope.p, scope.len);
	p += dec_put_id(p, e);
	if (interval != NULL) {
		p = short_copy(p, "\tinterval=", 10);
		p += dec_put_id(p, interval);
	}
	evw_advance(w, p);
	if (interval == NULL && r->time > run->latest)
		run->latest = r->time;
	dec_put_end(d, r, run, e->detail, r->layout->n);
}

/*
 * Checks whether a region with the id may be started.  Ids are unique, which we read as unique in a
 * run.
 */
static enum dec_result
check_new_region(struct dec *d, const struct dec_rec *r, const struct ids_entry *e, uint32_t run)
{
	char id[DEC_REF_MAX];

	if (e->state == IDS_AWAITED)
		return DEC_DONE;
	if (e->state == IDS_OPEN || e->run == run)
		return dec_broken(d, r, dec_at(r, FIELD_OWNER) + 1, RULE_UNIQUE,
		    "region %s started twice (first in line %lu): each RegionStart needs an id of "
		    "its own, or none",
		    dec_ref_text(id, r->owner), (unsigned long)e->origin);
	dec_doubt(d, r, dec_at(r, FIELD_OWNER) + 1, RULE_REGION_REUSED,
	    "region %s of another run (line %lu) is started again", dec_ref_text(id, r->owner),
	    (unsigned long)e->origin);
	return DEC_DONE;
}

/* Starts a region.  For a group, only the data that its aggregates need are kept. */
static enum dec_result
region_start(struct dec *d, const struct dec_rec *r)
{
	struct ids *table = r->group ? &d->def.groups : &d->def.regions;
	struct ids_entry *run, *e;
	uint32_t label, list;
	enum dec_result rc = dec_find_run(d, r, r->run, &run);

	if (rc == DEC_DONE)
		rc = dec_extra(d, r, r->layout->n, &d->def.run[run->detail]);
	if (rc != DEC_DONE)
		return rc;
	e = ids_get(table, 0, r->owner.id, r->owner.spelling == IDS_BLANK);
	if (e == NULL)
		return dec_nomem(d);
	rc = check_new_region(d, r, e, run->detail);
	if (rc == DEC_DONE)
		rc = dec_label(d, r, &label);
	if (rc != DEC_DONE)
		return rc;
	list = e->state == IDS_AWAITED ? e->detail : IDS_NONE;
	set_started(e, r, r->owner, run->detail, label);
	if (r->group) {
		e->start = d->labels.timeless ? IDS_TIMELESS : 0;
		dec_note_extra(d, r, r->layout->n, &d->def.run[run->detail]);
	} else {
		d->recent.region = e;
		count_early(d, r, r->time, &d->def.run[run->detail]);
		put_event(d, SLICE("start"), r, e, NULL);
		if (nest_start(d, &d->def.run[run->detail], e) != DEC_DONE)
			return DEC_FAILED;
	}
	return dec_release(d, &list);
}

static enum dec_result
check_stop(struct dec *d, const struct dec_rec *r, const struct ids_entry *e, const char *what,
    struct ids_ref ref)
{
	char id[DEC_REF_MAX];

	if (e->state == IDS_DONE)
		return dec_broken(d, r, 0, RULE_UNIQUE, "%s %s stopped twice (started in line %lu)",
		    what, dec_ref_text(id, ref), (unsigned long)e->origin);
	if (r->time < e->start)
		return dec_broken(d, r, 2, RULE_TIMES, "%s %s stops before it starts (line %lu)",
		    what, dec_ref_text(id, ref), (unsigned long)e->origin);
	return DEC_DONE;
}

/* Checks the stop of a group, which has no line. */
static enum dec_result
group_stop(struct dec *d, const struct dec_rec *r)
{
	struct ids_entry *e;
	enum dec_result rc = dec_find(d, r, &d->def.groups, 0, r->owner, &e);

	if (rc == DEC_DONE)
		rc = dec_extra(d, r, r->layout->n, &d->def.run[e->run]);
	if (rc == DEC_DONE)
		dec_note_extra(d, r, r->layout->n, &d->def.run[e->run]);
	return rc;
}

static enum dec_result
region_stop(struct dec *d, const struct dec_rec *r)
{
	struct ids_entry *e = d->recent.region;
	enum dec_result rc = DEC_DONE;

	if (r->group)
		return group_stop(d, r);
	if (e == NULL || e->id != r->owner.id || e->blank != (r->owner.spelling == IDS_BLANK))
		rc = dec_find(d, r, &d->def.regions, 0, r->owner, &e);
	if (rc == DEC_DONE)
		rc = dec_extra(d, r, r->layout->n, &d->def.run[e->run]);
	if (rc == DEC_DONE)
		rc = check_stop(d, r, e, "region", r->owner);
	if (rc == DEC_BROKEN && e->state == IDS_OPEN && r->time >= e->start)
		e->state = IDS_DONE;
	if (rc == DEC_DONE)
		rc = nest_stop(d, r, &d->def.run[e->run], e);
	if (rc == DEC_DONE)
		put_event(d, SLICE("stop"), r, e, NULL);
	return rc;
}

static enum dec_result
section_start(struct dec *d, const struct dec_rec *r)
{
	char id[DEC_REF_MAX], section[DEC_REF_MAX];
	struct ids_entry *s, *e;
	uint32_t list;
	enum dec_result rc = dec_find(d, r, &d->def.sections, 0, r->owner, &s);

	if (rc == DEC_DONE)
		rc = dec_extra(d, r, r->layout->n, &d->def.run[s->run]);
	if (rc != DEC_DONE)
		return rc;
	e = ids_get(&d->def.intervals, ids_number(&d->def.sections, s), r->interval.id,
	    r->interval.spelling == IDS_BLANK);
	if (e == NULL)
		return dec_nomem(d);
	if (e->state != IDS_AWAITED)
		return dec_broken(d, r, dec_at(r, FIELD_INTERVAL) + 1, RULE_UNIQUE,
		    "interval %s of section %s started twice (first in line %lu): each "
		    "SectionStart needs an interval id of its own, or none",
		    dec_ref_text(id, r->interval), dec_ref_text(section, r->owner),
		    (unsigned long)e->origin);
	list = e->detail;
	set_started(e, r, r->interval, s->run, s->detail);
	count_early(d, r, r->time, &d->def.run[s->run]);
	put_event(d, SLICE("start"), r, s, e);
	return dec_release(d, &list);
}

static enum dec_result
section_stop(struct dec *d, const struct dec_rec *r)
{
	struct ids_entry *s, *e;
	enum dec_result rc = dec_find(d, r, &d->def.sections, 0, r->owner, &s);

	if (rc == DEC_DONE)
		rc = dec_extra(d, r, r->layout->n, &d->def.run[s->run]);
	if (rc == DEC_DONE)
		rc = dec_find(d, r, &d->def.intervals, ids_number(&d->def.sections, s), r->interval,
		    &e);
	if (rc == DEC_DONE)
		rc = check_stop(d, r, e, "interval", r->interval);
	if (rc != DEC_DONE)
		return rc;
	e->state = IDS_DONE;
	put_event(d, SLICE("stop"), r, s, e);
	return DEC_DONE;
}

static enum dec_result
pause_resume(struct dec *d, const struct dec_rec *r)
{
	const struct dec_run *run;
	struct ids_entry *e;
	char start[WIDE_DIGITS];
	unsigned i;
	enum dec_result rc = dec_find_run(d, r, r->run, &e);

	if (rc == DEC_DONE)
		rc = dec_extra(d, r, r->layout->n, &d->def.run[e->detail]);
	if (rc != DEC_DONE)
		return rc;
	run = &d->def.run[e->detail];
	count_early(d, r, r->start, run);
	dec_put_head(d, SLICE("pause"), r, run);
	for (i = 0; i < 3; i++)
		evw_none(d->w);
	evw_tag_raw(d->w, SLICE("start"),
	    (struct slice){ start, dec_put_time(start, r, FIELD_START, r->start, run) });
	dec_put_end(d, r, run, IDS_NONE, r->layout->n);
	return DEC_DONE;
}

enum dec_result
dec_event(struct dec *d, const struct dec_rec *r)
{
	switch (r->layout->record) {
	case AFPERF_REGION_START: return region_start(d, r);
	case AFPERF_REGION_STOP: return region_stop(d, r);
	case AFPERF_SECTION_START: return section_start(d, r);
	case AFPERF_SECTION_STOP: return section_stop(d, r);
	default: return pause_resume(d, r);
	}
}
