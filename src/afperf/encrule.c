/* SPDX-License-Identifier: ISC */
/*
 * encrule.c - checks lines that came from AFPerf against earlier ones: an id is defined once and
 * before it is used, and a region or interval stops once, not before it starts.
 *
 * Nesting of regions is not checked here: that needs all open regions.
 */
#include "src/afperf/encint.h"
#include "src/afperf/text.h"

#define OF_A_THING 1 /* in the runs' ids: it belongs to a region or section, as aggregates show */

/* The entry of a region or a section, made if new.  Most lines have the same as the last. */
static struct ids_entry *
thing_of(struct enc_native *n, enum enc_scope scope, const struct enc_ref *ref)
{
	struct ids_entry *e = n->recent_region;

	if (scope != ENC_REGION)
		return ids_get(&n->sections, 0, ref->id, ref->blank);
	if (e == NULL || e->id != ref->id || e->blank != ref->blank)
		e = n->recent_region = ids_get(&n->regions, 0, ref->id, ref->blank);
	return e;
}

struct ids_entry *
enc_known(struct enc_native *n, enum enc_scope scope, size_t run, const struct enc_ref *ref)
{
	struct ids_entry *e = ref->there ? thing_of(n, scope, ref) : NULL;

	return e != NULL && e->state != IDS_AWAITED && e->run == run ? e : NULL;
}

static struct ids_entry *
interval_of(struct enc_native *n, const struct ids_entry *section, const struct enc_ref *interval)
{
	return ids_get(&n->intervals, ids_number(&n->sections, section), interval->id,
	    interval->blank);
}

bool
enc_known_interval(struct enc_native *n, const struct ids_entry *section,
    const struct enc_ref *interval)
{
	const struct ids_entry *e = interval->there ? interval_of(n, section, interval) : NULL;

	return e != NULL && e->state != IDS_AWAITED;
}

static int
refuse(const struct ev *ev, struct err *e, const char *what, const struct enc_ref *ref,
    const char *why)
{
	return err_line(e, ev->number, "%s %.*s %s", what, (int)ref->text.len, ref->text.p, why);
}

/* Ids are unique in a run: an id of another run may be reused once that region has stopped. */
static const char *
against_new(const struct enc_event *v, const struct ids_entry *entry)
{
	if (entry->state == IDS_AWAITED)
		return NULL;
	if (!v->start)
		return "is defined twice";
	return v->scope == ENC_REGION && entry->state == IDS_DONE && entry->run != v->run
	    ? NULL
	    : "is started twice";
}

static const char *
against_stop(const struct enc_event *v, const struct ids_entry *entry)
{
	if (entry->state == IDS_AWAITED)
		return "has not been started";
	if (entry->run != v->run)
		return "is of another run";
	if (entry->state == IDS_DONE)
		return "is stopped twice";
	return v->time < entry->start ? "stops before it starts" : NULL;
}

int
enc_event_fits(struct afperf_encode *x, const struct ev *ev, const struct enc_event *v,
    struct ids_entry **entry, struct err *e)
{
	struct enc_native *n = &x->native;
	const char *what = v->scope == ENC_REGION ? "region" : "section", *why;
	const struct enc_ref *ref = &v->ref;

	*entry = thing_of(n, v->scope, ref);
	if (*entry != NULL && v->interval.there) {
		if ((*entry)->state == IDS_AWAITED)
			return refuse(ev, e, what, ref, "has not been defined");
		if ((*entry)->run != v->run)
			return refuse(ev, e, what, ref, "is of another run");
		what = "interval";
		ref = &v->interval;
		*entry = interval_of(n, *entry, ref);
	}
	if (*entry == NULL)
		return err_nomem(e);
	why = v->stop ? against_stop(v, *entry) : against_new(v, *entry);
	return why == NULL ? 0 : refuse(ev, e, what, ref, why);
}

void
enc_event_done(const struct enc_event *v, struct ids_entry *entry)
{
	entry->state = v->start ? IDS_OPEN : IDS_DONE;
	if (v->stop)
		return;
	entry->run = (uint32_t)v->run;
	entry->start = v->time;
}

bool
enc_owns_processed(struct afperf_encode *x, const struct enc_use *u, enum enc_scope scope)
{
	struct ids_entry *run = ids_get(&x->def.run_ids, 0, u->ref.id, false);

	if (run == NULL || (run->state != IDS_AWAITED && run->run != OF_A_THING) ||
	    enc_known(&x->native, scope, u->run, &u->ref) == NULL)
		return false;
	run->state = IDS_DONE;
	run->run = OF_A_THING;
	return true;
}

int
enc_extra_fits(const struct ev *ev, struct slice extra, uint64_t minor, size_t most, struct err *e)
{
	struct slice element;
	size_t n;

	if (extra.p == NULL)
		return 0;
	for (n = 0; n <= most && ev_next_element(&extra, &element); n++)
		;
	return minor > 0 && n <= most
	    ? 0
	    : err_line(e, ev->number, "extra= has fields that its run's version has not");
}

/* Is it only blanks, or something that a reader would take for a comment? */
static bool
is_no_record(struct slice name)
{
	size_t i;

	for (i = 0; i < name.len && (name.p[i] == ' ' || name.p[i] == '\t'); i++)
		;
	return i == name.len || name.p[0] == '#';
}

int
enc_other_fits(struct afperf_encode *x, const struct ev *ev, struct slice record, struct err *e)
{
	struct slice name;
	size_t i;

	x->scratch.len = 0;
	if (!buf_room(&x->scratch, 1) || !afperf_text(&x->scratch, record, AFPERF_FIELD))
		return err_nomem(e);
	name = buf_slice(&x->scratch);
	if (is_no_record(name) || afperf_record_of(name) != AFPERF_RECORDS)
		return err_line(e, ev->number, "record= is no type that AFPerf 1.0 has not");
	for (i = x->def.runs; i > 0 && x->def.run[i - 1].minor == 0; i--)
		;
	return i > 0
	    ? 0
	    : err_line(e, ev->number, "a record that is not known, and no run of a later version");
}
