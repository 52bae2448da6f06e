/* SPDX-License-Identifier: ISC */
/*
 * dechold.c - records that wait for what they refer to.
 *
 * They are released in the order of their lines, so that the output is as close to the order of
 * the file as possible.
 */
#include <stdio.h>

#include "lib/mem.h"
#include "lib/vec.h"
#include "src/afperf/decint.h"

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
	if (r->at != NULL && r->said == 0)
		h->rec.said = r->at->pairs != 0              ? r->at->pairs
		    : r->at->type == AFPERF_MEASUREMENT_TYPE ? 3
							     : r->r.n;
	h->size = sizeof *h + ends + r->r.text.len;
	return h;
}

static bool
more_held(struct afperf_decode *d)
{
	size_t cap = d->held_cap == 0 ? 64 : d->held_cap * 2;
	struct dec_held **p = mem_resize(d->held, cap * sizeof(struct dec_held *));
	uint32_t *q;

	if (p == NULL)
		return false;
	d->held = p;
	q = mem_resize(d->held_next, cap * sizeof *q);
	if (q == NULL)
		return false;
	d->held_next = q;
	d->held_cap = cap;
	return true;
}

enum dec
dec_wait(struct afperf_decode *d, const struct dec_rec *r, size_t field, uint32_t *list,
    const char *what)
{
	struct dec_held *h;
	uint32_t at;

	if (d->ending)
		return dec_broken(d, r, field, RULE_DEFINED, "%s never defined", what);
	if (d->waiting >= d->opt.wait_max || d->waiting_bytes > BYTES_MAX)
		return dec_broken(d, r, field, RULE_WAIT,
		    "%s not yet defined, and %llu records wait already", what,
		    (unsigned long long)d->waiting);
	if (d->held_free == IDS_NONE && d->nheld == d->held_cap && !more_held(d))
		return dec_nomem(d);
	h = d->again != NULL && r == &d->again->rec ? d->again : dec_copy(r);
	if (h == NULL)
		return dec_nomem(d);
	d->again = NULL;
	at = d->held_free;
	if (at != IDS_NONE)
		d->held_free = d->held_next[at];
	else
		at = (uint32_t)d->nheld++;
	d->held[at] = h;
	d->held_next[at] = *list;
	*list = at;
	d->waiting++;
	d->waiting_bytes += h->size;
	return DEC_WAITS;
}

static bool
push(struct afperf_decode *d, struct dec_held *h)
{
	size_t i;

	if (!vec_room(d->ready, d->nready, d->ready_cap))
		return false;
	for (i = d->nready++; i > 0 && d->ready[(i - 1) / 2]->rec.r.line > h->rec.r.line;
	     i = (i - 1) / 2)
		d->ready[i] = d->ready[(i - 1) / 2];
	d->ready[i] = h;
	return true;
}

static struct dec_held *
pop(struct afperf_decode *d)
{
	struct dec_held *first = d->ready[0], *last = d->ready[--d->nready];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < d->nready) {
		if (child + 1 < d->nready &&
		    d->ready[child + 1]->rec.r.line < d->ready[child]->rec.r.line)
			child++;
		if (last->rec.r.line <= d->ready[child]->rec.r.line)
			break;
		d->ready[i] = d->ready[child];
		i = child;
	}
	d->ready[i] = last;
	return first;
}

enum dec
dec_release(struct afperf_decode *d, uint32_t *list)
{
	uint32_t at;

	if (d->ending) /* all have been released */
		*list = IDS_NONE;
	while ((at = *list) != IDS_NONE) {
		struct dec_held *h = d->held[at];

		if (!push(d, h))
			return dec_nomem(d);
		*list = d->held_next[at];
		d->held[at] = NULL;
		d->held_next[at] = d->held_free;
		d->held_free = at;
		d->waiting--;
		d->waiting_bytes -= h->size;
	}
	return DEC_DONE;
}

enum dec
dec_run_ready(struct afperf_decode *d)
{
	enum dec rc = DEC_DONE;

	while (rc != DEC_FAILED && d->nready > 0) {
		struct dec_held *h = pop(d);

		d->again = h;
		rc = dec_take(d, &h->rec);
		mem_free(d->again); /* unless it waits again */
		d->again = NULL;
	}
	return rc;
}

enum dec
dec_release_all(struct afperf_decode *d)
{
	size_t i;

	for (i = 0; i < d->nheld; i++) {
		if (d->held[i] == NULL)
			continue;
		if (!push(d, d->held[i]))
			return dec_nomem(d);
		d->held[i] = NULL;
	}
	d->waiting = d->waiting_bytes = 0;
	return dec_run_ready(d);
}

void
dec_hold_free(struct afperf_decode *d)
{
	size_t i;

	for (i = 0; i < d->nheld; i++)
		mem_free(d->held[i]);
	for (i = 0; i < d->nready; i++)
		mem_free(d->ready[i]);
	for (i = 0; i < d->ngroup; i++)
		mem_free(d->group[i]);
	mem_free(d->held);
	mem_free(d->held_next);
	mem_free(d->ready);
	mem_free(d->group);
}

enum dec
dec_find(struct afperf_decode *d, const struct dec_rec *r, struct ids *table, uint32_t owner,
    struct dec_ref ref, struct ids_entry **e)
{
	const char *kind = table == &d->runs ? "run"
	    : table == &d->types             ? "measurement type"
	    : table == &d->regions           ? "region"
	    : table == &d->sections          ? "section"
					     : "interval";
	char what[128], id[DEC_REF_MAX], of[DEC_REF_MAX];
	size_t field = table == &d->runs && r->at->run != 0 ? r->at->run
	    : table == &d->intervals                        ? r->at->interval
							    : r->at->owner;

	*e = ids_get(table, owner, ref.id, ref.form == REF_BLANK);
	if (*e == NULL)
		return dec_nomem(d);
	if ((*e)->state != IDS_AWAITED)
		return DEC_DONE;
	if (table == &d->intervals)
		snprintf(what, sizeof what, "interval %s of section %s", dec_ref_text(id, ref),
		    dec_ref_text(of, r->owner));
	else
		snprintf(what, sizeof what, "%s %s", kind, dec_ref_text(id, ref));
	return dec_wait(d, r, field + 1, &(*e)->detail, what);
}

enum dec
dec_find_run(struct afperf_decode *d, const struct dec_rec *r, struct dec_ref ref,
    struct ids_entry **e)
{
	bool data = r->at->pairs != 0; /* else one of the page's examples, without a field for it */
	size_t field = data ? (size_t)(r->at->run + r->at->owner) + 1 : 0;

	if (ref.form != REF_NONE)
		return dec_find(d, r, &d->runs, 0, ref, e);
	/* at the end of the file it is known to be the only one */
	if (d->nruns > 1)
		return dec_broken(d, r, field, data ? RULE_BLOCK : RULE_FIELDS,
		    data ? "blank record id, and the file has several runs, none before it"
			 : "no run id, and the file has several runs");
	if (!d->all_runs || d->nruns == 0)
		return dec_wait(d, r, field, &d->wait_run, "the only run");
	if (!data)
		dec_lenient(d, r, 0, RULE_FIELDS, "%s without its run id: taken for the only run's",
		    afperf_record_name((enum afperf_record)r->at->type).p);
	*e = d->first_run;
	return DEC_DONE;
}

void
dec_set_defined(struct ids_entry *e, const struct dec_rec *r, struct dec_ref ref,
    enum ids_state state)
{
	e->line = r->r.line > IDS_LINE_MAX ? IDS_LINE_MAX : (unsigned)r->r.line & IDS_LINE_MAX;
	e->hex = ref.form == REF_HEX;
	e->state = state;
}
