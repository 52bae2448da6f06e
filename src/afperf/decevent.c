/* SPDX-License-Identifier: ISC */
/* decevent.c - the records of events: regions and intervals that start and stop, pauses. */
#include "src/afperf/decint.h"

static void
set_started(struct ids_entry *e, const struct dec_rec *r, struct dec_ref ref, uint32_t run,
    uint32_t label)
{
	e->start = r->time;
	e->run = run;
	e->detail = label;
	dec_set_defined(e, r, ref, IDS_OPEN);
}

static void
count_early(struct afperf_decode *d, const struct dec_rec *r, uint64_t time,
    const struct dec_run *run)
{
	if (time < run->start)
		dec_count(d, NOTE_EARLY, r->r.line);
}

static void
put_event(struct afperf_decode *d, struct slice kind, const struct dec_rec *r,
    const struct ids_entry *e, const struct ids_entry *interval)
{
	const struct dec_run *run = &d->run[e->run];
	bool section = r->at->interval != 0;

	dec_put_head(d, kind, r, run);
	dec_put_label(d, e->detail);
	evw_none(d->w);
	evw_none(d->w);
	dec_put_scope(d, section ? SLICE("section") : SLICE("region"), e, interval);
	dec_put_end(d, r, run, e->detail, r->at->n);
}

/* May a region with that id be started?  Ids are unique; we read this as unique in a run. */
static enum dec
check_new_region(struct afperf_decode *d, const struct dec_rec *r, const struct ids_entry *e,
    uint32_t run)
{
	char id[DEC_REF_MAX];

	if (e->state == IDS_AWAITED)
		return DEC_DONE;
	if (e->state == IDS_OPEN || e->run == run)
		return dec_broken(d, r, r->at->owner + (size_t)1, RULE_UNIQUE,
		    "region %s started twice (first in line %lu)", dec_ref_text(id, r->owner),
		    (unsigned long)e->line);
	dec_doubt(d, r, r->at->owner + (size_t)1, RULE_REGION_REUSED,
	    "region %s of another run (line %lu) is started again", dec_ref_text(id, r->owner),
	    (unsigned long)e->line);
	return DEC_DONE;
}

/* For a group, only its data about the aggregates is kept. */
enum dec
dec_region_start(struct afperf_decode *d, const struct dec_rec *r)
{
	struct ids *table = r->group ? &d->groups : &d->regions;
	struct ids_entry *run, *e;
	uint32_t label, list;
	enum dec rc = dec_find_run(d, r, r->run, &run);

	if (rc == DEC_DONE)
		rc = dec_extra(d, r, r->at->n, &d->run[run->detail]);
	if (rc != DEC_DONE)
		return rc;
	e = ids_get(table, 0, r->owner.id, r->owner.form == REF_BLANK);
	if (e == NULL)
		return dec_nomem(d);
	rc = check_new_region(d, r, e, run->detail);
	if (rc == DEC_DONE)
		rc = dec_label(d, r, &label);
	if (rc != DEC_DONE)
		return rc;
	list = e->state == IDS_AWAITED ? e->detail : IDS_NONE;
	set_started(e, r, r->owner, run->detail, label);
	if (!r->group) {
		d->recent_region = e;
		count_early(d, r, r->time, &d->run[run->detail]);
		put_event(d, SLICE("start"), r, e, NULL);
		if (dec_nest_start(d, &d->run[run->detail], e) != DEC_DONE)
			return DEC_FAILED;
	}
	return dec_release(d, &list);
}

static enum dec
check_stop(struct afperf_decode *d, const struct dec_rec *r, const struct ids_entry *e,
    const char *what, struct dec_ref ref)
{
	char id[DEC_REF_MAX];

	if (e->state == IDS_DONE)
		return dec_broken(d, r, 0, RULE_UNIQUE, "%s %s stopped twice (started in line %lu)",
		    what, dec_ref_text(id, ref), (unsigned long)e->line);
	if (r->time < e->start)
		return dec_broken(d, r, 2, RULE_TIMES, "%s %s stops before it starts (line %lu)",
		    what, dec_ref_text(id, ref), (unsigned long)e->line);
	return DEC_DONE;
}

enum dec
dec_region_stop(struct afperf_decode *d, const struct dec_rec *r)
{
	struct ids_entry *e;
	enum dec rc;

	if (r->group)
		return DEC_DONE;
	e = d->recent_region;
	rc = DEC_DONE;
	if (e == NULL || e->id != r->owner.id || e->blank != (r->owner.form == REF_BLANK))
		rc = dec_find(d, r, &d->regions, 0, r->owner, &e);
	if (rc == DEC_DONE)
		rc = dec_extra(d, r, r->at->n, &d->run[e->run]);
	if (rc == DEC_DONE)
		rc = check_stop(d, r, e, "region", r->owner);
	if (rc == DEC_BROKEN && e->state == IDS_OPEN && r->time >= e->start)
		e->state = IDS_DONE;
	if (rc == DEC_DONE)
		rc = dec_nest_stop(d, r, &d->run[e->run], e);
	if (rc == DEC_DONE)
		put_event(d, SLICE("stop"), r, e, NULL);
	return rc;
}

enum dec
dec_section_start(struct afperf_decode *d, const struct dec_rec *r)
{
	char id[DEC_REF_MAX], section[DEC_REF_MAX];
	struct ids_entry *s, *e;
	uint32_t list;
	enum dec rc = dec_find(d, r, &d->sections, 0, r->owner, &s);

	if (rc == DEC_DONE)
		rc = dec_extra(d, r, r->at->n, &d->run[s->run]);
	if (rc != DEC_DONE)
		return rc;
	e = ids_get(&d->intervals, ids_number(&d->sections, s), r->interval.id,
	    r->interval.form == REF_BLANK);
	if (e == NULL)
		return dec_nomem(d);
	if (e->state != IDS_AWAITED)
		return dec_broken(d, r, r->at->interval + (size_t)1, RULE_UNIQUE,
		    "interval %s of section %s started twice (first in line %lu)",
		    dec_ref_text(id, r->interval), dec_ref_text(section, r->owner),
		    (unsigned long)e->line);
	list = e->detail;
	set_started(e, r, r->interval, s->run, s->detail);
	count_early(d, r, r->time, &d->run[s->run]);
	put_event(d, SLICE("start"), r, s, e);
	return dec_release(d, &list);
}

enum dec
dec_section_stop(struct afperf_decode *d, const struct dec_rec *r)
{
	struct ids_entry *s, *e;
	enum dec rc = dec_find(d, r, &d->sections, 0, r->owner, &s);

	if (rc == DEC_DONE)
		rc = dec_extra(d, r, r->at->n, &d->run[s->run]);
	if (rc == DEC_DONE)
		rc = dec_find(d, r, &d->intervals, ids_number(&d->sections, s), r->interval, &e);
	if (rc == DEC_DONE)
		rc = check_stop(d, r, e, "interval", r->interval);
	if (rc != DEC_DONE)
		return rc;
	e->state = IDS_DONE;
	put_event(d, SLICE("stop"), r, s, e);
	return DEC_DONE;
}

enum dec
dec_pause(struct afperf_decode *d, const struct dec_rec *r)
{
	const struct dec_run *run;
	struct ids_entry *e;
	char start[WIDE_DIGITS];
	unsigned i;
	enum dec rc = dec_find_run(d, r, r->run, &e);

	if (rc == DEC_DONE)
		rc = dec_extra(d, r, r->at->n, &d->run[e->detail]);
	if (rc != DEC_DONE)
		return rc;
	run = &d->run[e->detail];
	count_early(d, r, r->start, run);
	dec_put_head(d, SLICE("pause"), r, run);
	for (i = 0; i < 3; i++)
		evw_none(d->w);
	evw_tag_raw(d->w, SLICE("start"),
	    (struct slice){ start, dec_put_time(start, r->start, run->scale) });
	dec_put_end(d, r, run, IDS_NONE, r->at->n);
	return DEC_DONE;
}
