/* SPDX-License-Identifier: ISC */
/*
 * decnest.c - do the regions of a run nest, or lie apart?
 *
 * Judged by their times, as blocks of records may stand in any order.  A stop while a region that
 * was started later is open waits for that one's stop: only then it is known whether they cross.
 * So stops are printed from the inside out.
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

/* The one that was started last among those that began no later than START. */
static struct dec_open *
around(struct dec_run *run, uint64_t start)
{
	size_t i;

	for (i = run->nopen; i-- > 0;)
		if (run->open[i].start <= start)
			return &run->open[i];
	return NULL;
}

/* Takes it off, and lets the one around it know. */
static enum dec
close_region(struct afperf_decode *d, struct dec_run *run, size_t at, uint64_t stop)
{
	struct dec_open o = run->open[at], *outer;

	memmove(run->open + at, run->open + at + 1, (run->nopen - at - 1) * sizeof o);
	run->nopen--;
	outer = around(run, o.start);
	if (outer != NULL && (outer->inner == NULL || stop > outer->inner_stop)) {
		outer->inner = o.region;
		outer->inner_start = o.start;
		outer->inner_stop = stop;
	}
	return dec_release(d, &o.waiting);
}

enum dec
dec_nest_stop(struct afperf_decode *d, const struct dec_rec *r, struct dec_run *run,
    const struct ids_entry *e)
{
	char id[DEC_REF_MAX], inner[DEC_REF_MAX];
	const struct dec_open *o;
	size_t at = run->nopen, i;
	bool crosses;
	enum dec rc;

	while (at > 0 && run->open[at - 1].region != e)
		at--;
	if (at-- == 0)
		return DEC_DONE;
	for (i = run->nopen; i-- > (run->unsorted ? 0 : at) && !d->ending;) {
		o = &run->open[i];
		if (i != at && o->start >= e->start && o->start < r->time &&
		    (i > at || o->start > e->start))
			return dec_wait(d, r, r->at->owner + (size_t)1, &run->open[i].waiting,
			    "the stop of a region inside of it is");
	}
	o = &run->open[at];
	crosses = o->inner != NULL && o->inner_start > o->start && o->inner_start < r->time &&
	    o->inner_stop > r->time;
	if (crosses)
		(void)dec_broken(d, r, 0, RULE_NESTING, "region %s ends inside region %s",
		    dec_ref_text(id, r->owner),
		    dec_ref_text(inner,
			(struct dec_ref){ o->inner->id,
			    o->inner->blank     ? REF_BLANK
				: o->inner->hex ? REF_HEX
						: REF_DEC }));
	rc = close_region(d, run, at, r->time);
	return rc != DEC_DONE ? rc : crosses ? DEC_BROKEN : DEC_DONE;
}
