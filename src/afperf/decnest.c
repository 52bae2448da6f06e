/* SPDX-License-Identifier: ISC */
/*
 * decnest.c - checks that the regions of a run are nested or disjoint.
 *
 * Times decide, since blocks of records may be in any order.  With --check all regions of a run
 * are checked at its end (decspan.c); otherwise those open at the same time, record by record.  A
 * stop while a region that began later is open waits for that region's stop: only then is it known
 * whether they cross.  So stops are printed from the inside out.
 */

#include "lib/vec.h"
#include "src/afperf/decint.h"

#define DEPTH_MAX ((size_t)4096)

/* Regions that have been dropped are not checked. */
static enum dec
forget_half(struct afperf_decode *d, struct dec_run *run)
{
	size_t half = run->nopen / 2, i;
	enum dec rc = DEC_DONE;

	for (i = 0; i < half && rc == DEC_DONE; i++) {
		dec_count(d, NOTE_DEEP, run->open[i].region->line);
		rc = dec_release(d, &run->open[i].waiting);
	}
	memmove(run->open, run->open + half, (run->nopen - half) * sizeof *run->open);
	run->nopen -= half;
	return rc;
}

enum dec
dec_nest_start(struct afperf_decode *d, struct dec_run *run, const struct ids_entry *e)
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

/* Did the inner region that it recorded stop outside it? */
static bool
is_crossed(const struct dec_open *o, uint64_t start, uint64_t stop)
{
	return o->inner != NULL && o->inner_start > start && o->inner_start < stop &&
	    o->inner_stop > stop;
}

/* The innermost that began before that time, unless it also stopped before it. */
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

/* Records it in the region around it. */
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
 * Records it in all regions that it crosses and whose stops wait.  If records are in the order of
 * time, these are all regions that it crosses and that stop before it.
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
		    o->stop >= stop || is_crossed(o, o->start, o->stop))
			continue;
		o->inner = self->region;
		o->inner_start = self->start;
		o->inner_stop = stop;
	}
}

/* The first that began then or later, or NULL; if they are sorted, only from there on. */
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
 * Releases the stops that wait for a region that has stopped, or moves them to the next one if all
 * would wait for that.
 */
static enum dec
hand_on(struct afperf_decode *d, struct dec_run *run, size_t at, struct dec_open *o)
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
 * Removes it.  The last region that stopped inside it may cross those around it, too, even if it
 * does not cross this one.
 */
static enum dec
close_region(struct afperf_decode *d, struct dec_run *run, size_t at, uint64_t stop)
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
 * The next open region inside it, or NULL.  A stop waits only for the next one, which waits for
 * its own next: so each is released once if regions nest.  Regions that began at the same time are
 * around it if they stop later, so it need not wait for them.
 */
static struct dec_open *
next_inside(struct dec_run *run, size_t at, uint64_t stop)
{
	uint64_t start = run->open[at].start;
	struct dec_open *next = start < stop ? earliest(run, at + 1, start + 1) : NULL;

	return next != NULL && next->start < stop ? next : NULL;
}

/* A region that it crosses, as recorded by one that began at the same time; or NULL. */
static const struct ids_entry *
crossed_by(const struct dec_run *run, size_t at, uint64_t stop)
{
	uint64_t start = run->open[at].start;
	const struct dec_open *o;
	size_t i;

	for (i = run->unsorted ? 0 : at; i < run->nopen; i++) {
		o = &run->open[i];
		if (o->start == start && is_crossed(o, start, stop))
			return o->inner;
		if (o->start != start && !run->unsorted)
			break;
	}
	return NULL;
}

/* The stop waits for another region. */
static enum dec
wait_for(struct afperf_decode *d, const struct dec_rec *r, struct dec_run *run,
    struct dec_open *inner, struct ids_entry *e)
{
	enum dec rc;

	if (r->time > run->waits_until)
		run->waits_until = r->time;
	if (inner->waiting == IDS_NONE || r->time < inner->waiting_stop)
		inner->waiting_stop = r->time;
	rc = dec_wait(d, r, r->at->owner + (size_t)1, &inner->waiting,
	    "the stop of a region inside of it is");
	if (rc == DEC_BROKEN)
		e->state = IDS_DONE;
	return rc;
}

/* Takes its stop, again if it has waited. */
static enum dec
see_stop(struct afperf_decode *d, const struct dec_rec *r, struct dec_run *run, struct dec_open *o)
{
	char id[DEC_REF_MAX];

	if (o->stop_line == r->r.line)
		return DEC_DONE;
	if (o->stop_line != 0)
		return dec_broken(d, r, 0, RULE_UNIQUE,
		    "region %s stopped twice (started in line %u)", dec_ref_text(id, r->owner),
		    (unsigned)o->region->line);
	o->stop_line = r->r.line;
	o->stop = r->time;
	tell_waiting(run, o, r->time);
	return DEC_DONE;
}

enum dec
dec_nest_crosses(struct afperf_decode *d, const struct dec_rec *r, const struct ids_entry *outer,
    const struct ids_entry *inner)
{
	char a[DEC_REF_MAX], b[DEC_REF_MAX];

	return dec_broken(d, r, 0, RULE_NESTING, "region %s ends inside region %s",
	    dec_ref_text(a, dec_ref_of(outer)), dec_ref_text(b, dec_ref_of(inner)));
}

enum dec
dec_nest_stop(struct afperf_decode *d, const struct dec_rec *r, struct dec_run *run,
    struct ids_entry *e)
{
	const struct ids_entry *crossed;
	struct dec_open *inner;
	size_t at = run->nopen;
	enum dec rc;

	if (d->opt.check) {
		e->state = IDS_DONE;
		return dec_span_add(d, r, run, e);
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
	inner = d->ending || crossed != NULL ? NULL : next_inside(run, at, r->time);
	if (inner != NULL)
		return wait_for(d, r, run, inner, e);
	e->state = IDS_DONE;
	if (crossed != NULL)
		(void)dec_nest_crosses(d, r, e, crossed);
	rc = close_region(d, run, at, r->time);
	return rc != DEC_DONE ? rc : crossed != NULL ? DEC_BROKEN : DEC_DONE;
}
