/* SPDX-License-Identifier: ISC */
/* open.c - the open regions and intervals. */
#include "src/duration/open.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "lib/mem.h"
#include "lib/seed.h"
#include "lib/short.h"

#define SLOTS_FIRST ((size_t)64)
#define TEXT_KEPT ((size_t)64 * 1024) /* maximum bytes kept for the text of a free interval */
#define SNAPS_KEPT 16

static void
forget_snaps(struct interval *v)
{
	size_t i;

	for (i = 0; i < v->snaps_cap; i++)
		buf_free(&v->snap[i].last);
	mem_free(v->snap);
	v->snap = NULL;
	v->snaps = v->snaps_cap = 0;
}

void
open_free(struct open *o)
{
	while (o->all != NULL) {
		struct interval *v = o->all;

		o->all = v->older;
		forget_snaps(v);
		buf_free(&v->text);
		mem_free(v);
	}
	mem_free(o->slot);
	*o = (struct open){ 0 };
}

/*
 * XXH3 mixes short texts with the seed by xor, so the run and the kind themselves in the seed would
 * give similar ids of several runs the same hash.
 */
static uint32_t
hash_of(const struct open *o, const struct open_name *n)
{
	uint64_t seed = o->seed ^ seed_hash((uint64_t)n->run << 4 | n->kind, o->seed);

	if (n->interval.len != 0)
		seed ^= XXH3_64bits_withSeed(n->interval.p, n->interval.len, o->seed) << 1;
	return (uint32_t)XXH3_64bits_withSeed(n->id.p, n->id.len, seed);
}

static bool
is_named(const struct interval *v, const struct open_name *n)
{
	return v->kind == n->kind && v->run == n->run && short_eq(open_text(v, v->id), n->id) &&
	    short_eq(open_text(v, v->interval), n->interval);
}

static struct open_slot *
slot_of(const struct open *o, const struct open_name *name, uint32_t hash)
{
	size_t i;

	if (o->count == 0)
		return NULL;
	for (i = hash & o->mask; o->slot[i].v != NULL; i = (i + 1) & o->mask)
		if (o->slot[i].hash == hash && is_named(o->slot[i].v, name))
			return &o->slot[i];
	return NULL;
}

struct interval *
open_find(const struct open *o, const struct open_name *name)
{
	const struct open_slot *slot = o->count == 0 ? NULL : slot_of(o, name, hash_of(o, name));

	return slot == NULL ? NULL : slot->v;
}

struct interval *
open_take(struct open *o)
{
	struct interval *v = o->free, kept;

	if (v == NULL) {
		v = mem_zero(1, sizeof *v);
		if (v == NULL)
			return NULL;
		if (o->all == NULL)
			o->seed = seed_make();
		v->older = o->all;
		o->all = v;
		return v;
	}
	o->free = v->next;
	kept = *v;
	*v = (struct interval){ .text = kept.text,
		.snap = kept.snap,
		.snaps_cap = kept.snaps_cap,
		.older = kept.older };
	v->text.len = 0;
	return v;
}

void
open_give(struct open *o, struct interval *v)
{
	size_t i;

	if (v->text.cap > TEXT_KEPT)
		buf_free(&v->text);
	if (v->snaps_cap > SNAPS_KEPT)
		forget_snaps(v);
	for (i = 0; i < v->snaps_cap; i++)
		if (v->snap[i].last.cap > TEXT_KEPT)
			buf_free(&v->snap[i].last);
	v->open = false;
	v->next = o->free;
	o->free = v;
}

static void
put_slot(struct open_slot *slot, size_t mask, struct open_slot s)
{
	size_t i = s.hash & mask;

	while (slot[i].v != NULL)
		i = (i + 1) & mask;
	slot[i] = s;
}

static bool
grow(struct open *o)
{
	size_t slots = o->slot == NULL ? SLOTS_FIRST : (o->mask + 1) * 2, i;
	struct open_slot *slot = mem_zero(slots, sizeof *slot);

	if (slot == NULL)
		return false;
	for (i = 0; o->slot != NULL && i <= o->mask; i++)
		if (o->slot[i].v != NULL)
			put_slot(slot, slots - 1, o->slot[i]);
	mem_free(o->slot);
	o->slot = slot;
	o->mask = slots - 1;
	return true;
}

bool
open_enter(struct open *o, struct interval *v)
{
	struct open_name name = { v->kind, v->run, open_text(v, v->id), open_text(v, v->interval) };

	struct open_slot *slot;

	v->hash = hash_of(o, &name);
	slot = slot_of(o, &name, v->hash);
	if (slot != NULL) {
		v->hidden = slot->v;
		v->hidden->hider = v;
		v->hidden->entered = false;
		slot->v = v;
	} else {
		if ((o->slot == NULL || o->count * 2 > o->mask) && !grow(o))
			return false;
		put_slot(o->slot, o->mask, (struct open_slot){ v->hash, v });
		o->count++;
	}
	v->entered = true;
	return true;
}

/* Links the interval hidden by v with the interval that hides v. */
static void
unchain(struct interval *v)
{
	if (v->hider == NULL)
		return;
	v->hider->hidden = v->hidden;
	if (v->hidden != NULL)
		v->hidden->hider = v->hider;
	v->hidden = v->hider = NULL;
}

/* Entries after the free slot move up, unless they are already at the place of their hash. */
void
open_leave(struct open *o, struct interval *v)
{
	size_t i = v->hash & o->mask, j;

	if (!v->entered) {
		unchain(v);
		return;
	}
	v->entered = false;
	while (o->slot[i].v != v)
		i = (i + 1) & o->mask;
	if (v->hidden != NULL) {
		v->hidden->hider = NULL;
		v->hidden->entered = true;
		o->slot[i].v = v->hidden;
		v->hidden = NULL;
		return;
	}
	for (j = (i + 1) & o->mask; o->slot[j].v != NULL; j = (j + 1) & o->mask)
		if (((j - o->slot[j].hash) & o->mask) >= ((j - i) & o->mask)) {
			o->slot[i] = o->slot[j];
			i = j;
		}
	o->slot[i].v = NULL;
	o->count--;
}
