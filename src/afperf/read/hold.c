/* SPDX-License-Identifier: ISC */
/*
 * hold.c - records that wait for the records that they refer to.
 *
 * Records are released in the order of their lines, which keeps the output as close to the order of
 * the file as possible.
 */
#include <stdio.h>

#include "lib/mem.h"
#include "lib/vec.h"
#include "src/afperf/read/decint.h"

#define BYTES_MAX ((uint64_t)256 * 1024 * 1024)

struct dec_held *
dec_copy(const struct dec_rec *r)
{
	size_t ends = r->r.n * sizeof *r->r.end;
	struct dec_held *h = mem_alloc(sizeof *h + ends + r->r.text.len);
	uint32_t *end;
	char *text;

	if (h == NULL)
		return NULL;
	end = (uint32_t *)(void *)(h + 1);
	text = (char *)(h + 1) + ends;
	memcpy(end, r->r.end, ends);
	memcpy(text, r->r.text.p, r->r.text.len);
	h->rec = *r;
	h->rec.r.end = end;
	h->rec.r.text.p = text;
	if (r->layout != NULL && r->judged == 0)
		h->rec.judged = (uint32_t)(dec_at(r, FIELD_PAIRS) != 0 ? dec_at(r, FIELD_PAIRS)
			: dec_at(r, FIELD_TYPE) != 0                   ? dec_at(r, FIELD_TYPE)
								       : r->r.n);
	h->size = sizeof *h + ends + r->r.text.len;
	return h;
}

enum dec_result
dec_wait(struct dec *d, const struct dec_rec *r, size_t field, uint32_t *list, const char *what)
{
	struct dec_held *h;
	uint32_t at;

	if (d->hold.ending)
		return dec_broken(d, r, field, RULE_DEFINED, "%s never defined", what);
	if (d->hold.records >= d->opt.wait_max || d->hold.bytes > BYTES_MAX)
		return dec_broken(d, r, field, RULE_WAIT,
		    "%s not yet defined, and %llu records wait already", what,
		    (unsigned long long)d->hold.records);
	if (d->hold.unused == IDS_NONE && !vec_room(d->hold.slot, d->hold.n, d->hold.cap))
		return dec_nomem(d);
	h = d->hold.again != NULL && r == &d->hold.again->rec ? d->hold.again : dec_copy(r);
	if (h == NULL)
		return dec_nomem(d);
	d->hold.again = NULL;
	at = d->hold.unused;
	if (at != IDS_NONE)
		d->hold.unused = d->hold.slot[at].next;
	else
		at = (uint32_t)d->hold.n++;
	d->hold.slot[at] = (struct dec_slot){ h, *list };
	*list = at;
	d->hold.records++;
	d->hold.bytes += h->size;
	return DEC_WAITS;
}

static bool
push(struct dec *d, struct dec_held *h)
{
	size_t i;

	if (!vec_room(d->hold.ready, d->hold.nready, d->hold.ready_cap))
		return false;
	for (i = d->hold.nready++; i > 0 && d->hold.ready[(i - 1) / 2]->rec.r.line > h->rec.r.line;
	     i = (i - 1) / 2)
		d->hold.ready[i] = d->hold.ready[(i - 1) / 2];
	d->hold.ready[i] = h;
	return true;
}

static struct dec_held *
pop(struct dec *d)
{
	struct dec_held *first = d->hold.ready[0], *last = d->hold.ready[--d->hold.nready];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < d->hold.nready) {
		if (child + 1 < d->hold.nready &&
		    d->hold.ready[child + 1]->rec.r.line < d->hold.ready[child]->rec.r.line)
			child++;
		if (last->rec.r.line <= d->hold.ready[child]->rec.r.line)
			break;
		d->hold.ready[i] = d->hold.ready[child];
		i = child;
	}
	d->hold.ready[i] = last;
	return first;
}

enum dec_result
dec_release(struct dec *d, uint32_t *list)
{
	uint32_t at;

	if (d->hold.ending) /* all records have been released */
		*list = IDS_NONE;
	while ((at = *list) != IDS_NONE) {
		struct dec_held *h = d->hold.slot[at].held;

		if (!push(d, h))
			return dec_nomem(d);
		*list = d->hold.slot[at].next;
		d->hold.slot[at] = (struct dec_slot){ NULL, d->hold.unused };
		d->hold.unused = at;
		d->hold.records--;
		d->hold.bytes -= h->size;
	}
	return DEC_DONE;
}

struct dec_rec *
dec_next_ready(struct dec *d)
{
	mem_free(d->hold.again); /* the record did not wait again */
	d->hold.again = d->hold.nready == 0 ? NULL : pop(d);
	return d->hold.again == NULL ? NULL : &d->hold.again->rec;
}

enum dec_result
dec_release_all(struct dec *d)
{
	size_t i;

	for (i = 0; i < d->hold.n; i++) {
		if (d->hold.slot[i].held == NULL)
			continue;
		if (!push(d, d->hold.slot[i].held))
			return dec_nomem(d);
		d->hold.slot[i].held = NULL;
	}
	d->hold.records = d->hold.bytes = 0;
	return DEC_DONE;
}

void
dec_hold_free(struct dec *d)
{
	size_t i;

	for (i = 0; i < d->hold.n; i++)
		mem_free(d->hold.slot[i].held);
	for (i = 0; i < d->hold.nready; i++)
		mem_free(d->hold.ready[i]);
	mem_free(d->hold.again);
	mem_free(d->hold.slot);
	mem_free(d->hold.ready);
}

bool
dec_refuse(struct dec *d, uint32_t subject, struct ids_ref ref)
{
	struct ids_entry *e;

	d->def.any_refused = true;
	if (ref.spelling == IDS_ABSENT || (ref.spelling == IDS_BLANK && ref.id == 0)) {
		d->def.nameless |= subject == DEC_RUN;
		return true;
	}
	e = ids_get(&d->def.refused, subject, ref.id, ref.spelling == IDS_BLANK);
	if (e != NULL)
		e->state = IDS_DONE;
	return e != NULL;
}

bool
dec_is_refused(struct dec *d, uint32_t subject, struct ids_ref ref)
{
	const struct ids_entry *e;

	if (!d->hold.ending || !d->def.any_refused)
		return false;
	if (subject == DEC_RUN && d->def.nameless)
		return true;
	e = ids_get(&d->def.refused, subject, ref.id, ref.spelling == IDS_BLANK);
	return e != NULL && e->state == IDS_DONE;
}

/*
 * Counts a record that is only left out because of a refused one, and does the same with those that
 * refer to it.
 */
static enum dec_result
follow(struct dec *d, const struct dec_rec *r)
{
	bool fine = true;

	dec_count(d, NOTE_NO_RUN, r->r.line);
	if (r->layout->role == ROLE_DEFINITION && r->layout->scope == SCOPE_SECTION)
		fine = dec_refuse(d, DEC_SECTION, r->owner);
	else if (r->layout->role == ROLE_START && r->layout->scope == SCOPE_REGION)
		fine = dec_refuse(d, r->group ? DEC_GROUP : DEC_REGION, r->owner);
	else if (r->layout->role == ROLE_START)
		fine = dec_refuse(d, DEC_INTERVAL, r->interval);
	return fine ? DEC_BROKEN : dec_nomem(d);
}

enum dec_result
dec_find(struct dec *d, const struct dec_rec *r, struct ids *table, uint32_t owner,
    struct ids_ref ref, struct ids_entry **e)
{
	static const char *const kinds[DEC_TYPE] = { "run", "region", "region", "section",
		"interval" };
	enum dec_subject subject = table == &d->def.runs ? DEC_RUN
	    : table == &d->def.regions                   ? DEC_REGION
	    : table == &d->def.groups                    ? DEC_GROUP
	    : table == &d->def.sections                  ? DEC_SECTION
							 : DEC_INTERVAL;
	char what[128], id[DEC_REF_MAX], of[DEC_REF_MAX];
	size_t field = table == &d->def.runs && dec_at(r, FIELD_RUN) != 0 ? dec_at(r, FIELD_RUN)
	    : table == &d->def.intervals ? dec_at(r, FIELD_INTERVAL)
					 : dec_at(r, FIELD_OWNER);

	*e = ids_get(table, owner, ref.id, ref.spelling == IDS_BLANK);
	if (*e == NULL)
		return dec_nomem(d);
	if ((*e)->state != IDS_AWAITED)
		return DEC_DONE;
	if (dec_is_refused(d, subject, ref))
		return follow(d, r);
	if (table == &d->def.intervals)
		snprintf(what, sizeof what, "interval %s of section %s", dec_ref_text(id, ref),
		    dec_ref_text(of, r->owner));
	else
		snprintf(what, sizeof what, "%s %s", kinds[subject], dec_ref_text(id, ref));
	return dec_wait(d, r, field + 1, &(*e)->detail, what);
}

enum dec_result
dec_find_run(struct dec *d, const struct dec_rec *r, struct ids_ref ref, struct ids_entry **e)
{
	bool data = dec_at(r, FIELD_PAIRS) !=
	    0; /* otherwise this is one of the specification's examples, which has no such field */
	size_t field = data ? dec_at(r, FIELD_RUN) + dec_at(r, FIELD_OWNER) + 1 : 0;

	if (ref.spelling != IDS_ABSENT)
		return dec_find(d, r, &d->def.runs, 0, ref, e);
	/* only at the end of the file is the run known to be the only one */
	if (d->def.nruns > 1)
		return dec_broken(d, r, field, data ? RULE_BLOCK : RULE_FIELDS,
		    data ? "blank record id, and the file has several runs, none before it"
			 : "no run id, and the file has several runs");
	if (d->hold.ending && d->def.nruns == 0 && d->def.any_refused)
		return follow(d, r);
	if (!d->hold.all_runs || d->def.nruns == 0)
		return dec_wait(d, r, field, &d->hold.wait_run, "the only run");
	if (!data)
		dec_lenient(d, r, 0, RULE_FIELDS, "%s without its run id: assigned to the only run",
		    r->layout->name.p);
	*e = d->def.first_run;
	return DEC_DONE;
}

void
dec_set_defined(struct ids_entry *e, const struct dec_rec *r, struct ids_ref ref,
    enum ids_state state)
{
	e->origin =
	    r->r.line > IDS_ORIGIN_MAX ? IDS_ORIGIN_MAX : (unsigned)r->r.line & IDS_ORIGIN_MAX;
	e->hex = ref.spelling == IDS_HEX;
	e->state = state;
}
