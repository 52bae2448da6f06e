/* SPDX-License-Identifier: ISC */
/*
 * decnest.c - do the regions of a run nest, or lie apart?
 *
 * Judged by their times, as blocks of records may stand in any order: with --check all of a run at
 * its end (decspan.c), else those that are open at the same time, record by record.  A stop while a
 * region that was started later is open waits for that one's stop: only then it is known whether
 * they cross.  So stops are printed from the inside out.
 */
#include <stdlib.h>

#include "src/afperf/decint.h"

#define DEPTH_MAX ((size_t)4096)

/* Regions that are forgotten are not judged. */
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
	if (run->nopen == run->open_cap) {
		size_t cap = run->open_cap == 0 ? 8 : run->open_cap * 2;
		struct dec_open *p = realloc(run->open, cap * sizeof *p);

		if (p == NULL)
			return dec_nomem(d);
		run->open = p;
		run->open_cap = cap;
	}
	if (run->nopen == 0)
		run->unsorted = false;
	else if (e->start < run->open[run->nopen - 1].start)
		run->unsorted = true;
	run->open[run->nopen++] =
	    (struct dec_open){ .region = e, .start = e->start, .waiting = IDS_NONE };
	return DEC_DONE;
}

/* The innermost that began before that, as far as it has not stopped before that too. */
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

/* Lets the one around it know. */
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
 * Takes it off.  What stopped last inside of it may cross those around it too, even where it does
 * not cross this one, which began with it.
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
	return dec_release(d, &o.waiting);
}

/*
 * The next one inside of it that is open, or NULL.  Stops wait for the next only, which waits for
 * its own: so each is let go once where regions nest.
 */
static struct dec_open *
next_inside(struct dec_run *run, size_t at, uint64_t stop)
{
	const struct dec_open *self = &run->open[at];
	struct dec_open *o, *best = NULL;
	size_t i;

	for (i = run->unsorted ? 0 : at + 1; i < run->nopen; i++) {
		o = &run->open[i];
		if (i == at || o->start >= stop || o->start < self->start ||
		    (i < at && o->start == self->start))
			continue;
		if (!run->unsorted)
			return o;
		if (best == NULL || o->start < best->start)
			best = o;
	}
	return best;
}

/* The stop waits for another.  A second one of the same region would be refused in the end. */
static enum dec
wait_for(struct afperf_decode *d, const struct dec_rec *r, struct dec_open *o,
    struct dec_open *inner, struct ids_entry *e)
{
	char id[DEC_REF_MAX];
	enum dec rc;

	if (o->stop_line != 0 && o->stop_line != r->r.line)
		return dec_broken(d, r, 0, RULE_UNIQUE,
		    "region %s stopped twice (started in line %lu)", dec_ref_text(id, r->owner),
		    (unsigned long)e->line);
	o->stop_line = r->r.line;
	o->stop = r->time;
	rc = dec_wait(d, r, r->at->owner + (size_t)1, &inner->waiting,
	    "the stop of a region inside of it is");
	if (rc == DEC_BROKEN)
		e->state = IDS_DONE;
	return rc;
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
	struct dec_open *o, *inner;
	size_t at = run->nopen;
	bool crosses;
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
	o = &run->open[at];
	inner = d->ending ? NULL : next_inside(run, at, r->time);
	if (inner != NULL)
		return wait_for(d, r, o, inner, e);
	e->state = IDS_DONE;
	crosses = o->inner != NULL && o->inner_start > o->start && o->inner_start < r->time &&
	    o->inner_stop > r->time;
	if (crosses)
		(void)dec_nest_crosses(d, r, e, o->inner);
	rc = close_region(d, run, at, r->time);
	return rc != DEC_DONE ? rc : crosses ? DEC_BROKEN : DEC_DONE;
}
