/* SPDX-License-Identifier: ISC */
/*
 * encid.c - the written ids of regions, sections and intervals.
 *
 * Most are unchanged.  If blank ids become numbers, or the container has ids already, a table maps
 * each to its new id: the same number if nothing else has it, or the next free one.
 */
#include "lib/num.h"
#include "src/afperf/encint.h"

bool
enc_id_free(struct enc_ids *t, uint32_t owner, uint64_t *id)
{
	struct ids_entry *e;

	do {
		*id = ++t->next;
		e = ids_get(&t->taken, owner, *id, false);
	} while (e != NULL && e->state != IDS_AWAITED);
	if (e != NULL)
		e->state = IDS_DONE;
	return e != NULL;
}

bool
enc_id_owner(struct afperf_encode *x, const struct enc_ref *section, uint32_t *owner)
{
	const struct ids_entry *e;

	*owner = 0;
	if (!x->opt.number)
		return true;
	e = ids_get(x->section_ids.seen, 0, section->id, section->blank);
	if (e == NULL)
		return false;
	*owner = ids_number(x->section_ids.seen, e);
	return true;
}

bool
enc_id_settle(struct afperf_encode *x, struct enc_ids *t, uint32_t owner, const struct enc_ref *ref)
{
	struct ids_entry *e, *taken;
	uint64_t id;

	if (!x->maps || !ref->there || (ref->blank && !x->opt.number))
		return true;
	if (t == &x->interval_ids && !x->opt.number)
		return true;
	e = ids_get(t->seen, owner, ref->id, ref->blank);
	if (e == NULL || e->detail != IDS_NONE)
		return e != NULL;
	taken = ids_get(&t->taken, owner, ref->id, false);
	if (taken == NULL)
		return false;
	e->detail = ids_number(&t->taken, taken);
	if (taken->state == IDS_AWAITED) {
		taken->state = IDS_DONE;
		return true;
	}
	if (taken->state == IDS_OPEN && !ref->blank && !x->opt.renumber) {
		x->clash = *ref;
		x->clash_of = t == &x->region_ids ? "region" : "section";
		return true;
	}
	x->renumbered += !ref->blank;
	if (!enc_id_free(t, owner, &id) || (taken = ids_get(&t->taken, owner, id, false)) == NULL)
		return false;
	e->detail = ids_number(&t->taken, taken);
	return true;
}

void
enc_id_put(struct afperf_encode *x, struct enc_ids *t, uint32_t owner, const struct enc_ref *ref)
{
	bool mapped = x->maps && (x->opt.number || t != &x->interval_ids);
	bool hex = x->opt.spelling == AFPERF_HEX;
	const struct ids_entry *e;
	char text[NUM_MAX];
	uint64_t id = ref->id;

	if (!ref->there || (ref->blank && !x->opt.number)) {
		enc_blank(x);
		return;
	}
	if (mapped && (e = ids_get(t->seen, owner, ref->id, ref->blank)) != NULL &&
	    e->detail != IDS_NONE)
		id = ids_at(&t->taken, e->detail)->id;
	if (x->opt.spelling == AFPERF_AS_IT_IS) {
		if (!ref->blank && id == ref->id) {
			enc_raw(x, ref->text);
			return;
		}
		hex = !ref->blank && ref->text.len > 1 && ref->text.p[1] == 'x';
	}
	enc_raw(x, (struct slice){ text, hex ? num_put_hex(text, id) : num_put_u64(text, id) });
}
