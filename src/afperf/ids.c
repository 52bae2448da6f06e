/* SPDX-License-Identifier: ISC */
/* ids.c - the ids of an AFPerf file. */
#include "src/afperf/ids.h"

#include <string.h>

#include "lib/mem.h"
#include "lib/seed.h"
#include "lib/vec.h"

#define CHUNK ((size_t)64) /* entries */
#define NEAR ((size_t)64)
#define COUNT_MAX ((size_t)UINT32_MAX - 1)

void
ids_free(struct ids *t)
{
	size_t i;

	for (i = 0; i < t->chunks; i++)
		mem_free(t->chunk[i]);
	mem_free(t->chunk);
	mem_free(t->slot);
	*t = (struct ids){ 0 };
}

static struct ids_entry *
entry(const struct ids *t, size_t number)
{
	return &t->chunk[number / CHUNK][number % CHUNK];
}

/* Where a lookup begins, and what marks the slot of the id.  Few other ids have the same mark. */
struct place {
	size_t at;
	unsigned char mark; /* not 0, which marks a free slot */
};

/*
 * Ids that are close together, as counters and pointers are, get slots that are close together, so
 * that new ids mostly find theirs in the cache.
 */
static struct place
place_of(const struct ids *t, uint32_t owner, uint64_t id, bool blank)
{
	uint64_t h = (id / NEAR ^ t->seed[1]) * t->seed[0];
	unsigned char mark;

	h ^= h >> 32;
	h = (h + ((uint64_t)owner * 2 + blank)) * t->seed[1];
	mark = (unsigned char)((h >> 56) + id);
	return (
	    struct place){ ((size_t)(h ^ h >> 32) + id % NEAR) & t->mask, mark == 0 ? 1 : mark };
}

/*
 * Makes room for more slots.  Lookups increase their step by one each time, which visits every
 * slot.  Even in a full table, lookups examine few slots.
 */
static bool
more_slots(struct ids *t)
{
	size_t size = t->slot == NULL ? 64 : (t->mask + 1) * 2, i, at, step;
	uint32_t *slot = mem_zero(size, sizeof *slot + 1);
	struct place place;

	if (slot == NULL)
		return false;
	if (t->slot == NULL) {
		t->seed[0] = seed_make();
		t->seed[1] = seed_make();
	}
	mem_free(t->slot);
	t->slot = slot;
	t->mark = (unsigned char *)(slot + size);
	t->mask = size - 1;
	for (i = 0; i < t->n; i++) {
		const struct ids_entry *e = entry(t, i);

		place = place_of(t, e->owner, e->id, e->blank);
		for (at = place.at, step = 1; slot[at] != 0; step++)
			at = (at + step) & t->mask;
		slot[at] = (uint32_t)i + 1;
		t->mark[at] = place.mark;
	}
	return true;
}

static bool
more_entries(struct ids *t)
{
	if (t->n < t->chunks * CHUNK)
		return true;
	if ((t->chunks & (t->chunks - 1)) == 0) {
		size_t cap = t->chunks == 0 ? 1 : t->chunks * 2;
		struct ids_entry **p = mem_resize(t->chunk, cap * sizeof(struct ids_entry *));

		if (p == NULL)
			return false;
		t->chunk = p;
	}
	t->chunk[t->chunks] = mem_alloc(CHUNK * sizeof(struct ids_entry));
	if (t->chunk[t->chunks] == NULL)
		return false;
	t->chunks++;
	return true;
}

static struct ids_entry *
no_memory(struct ids *t)
{
	t->failed = true;
	return NULL;
}

struct ids_entry *
ids_get(struct ids *t, uint32_t owner, uint64_t id, bool blank)
{
	struct ids_entry *e;
	struct place place;
	size_t at, step;

	if ((t->slot == NULL || t->n >= t->mask / 8 * 7) && !more_slots(t))
		return no_memory(t);
	place = place_of(t, owner, id, blank);
	at = place.at;
	for (step = 1; t->mark[at] != 0; at = (at + step++) & t->mask) {
		if (t->mark[at] != place.mark)
			continue;
		e = entry(t, t->slot[at] - 1);
		if (e->id == id && e->owner == owner && e->blank == blank)
			return e;
	}
	if (t->n >= COUNT_MAX || !more_entries(t))
		return no_memory(t);
	e = entry(t, t->n);
	*e = (struct ids_entry){ .id = id, .owner = owner, .detail = IDS_NONE, .blank = blank };
	t->slot[at] = (uint32_t)++t->n;
	t->mark[at] = place.mark;
	return e;
}

uint32_t
ids_number(const struct ids *t, const struct ids_entry *e)
{
	size_t at = place_of(t, e->owner, e->id, e->blank).at, step;

	for (step = 1; entry(t, t->slot[at] - 1) != e; step++)
		at = (at + step) & t->mask;
	return t->slot[at] - 1;
}

struct ids_entry *
ids_at(const struct ids *t, size_t number)
{
	return number < t->n ? entry(t, number) : NULL;
}

bool
ids_push(struct ids_stack *s, struct ids_ref self, struct ids_ref section)
{
	if (!vec_room(s->item, s->n, s->cap))
		return false;
	s->item[s->n++] = (struct ids_open){ self, section };
	return true;
}

struct ids_open *
ids_innermost(const struct ids_stack *s, struct ids_ref section)
{
	bool any = section.spelling == IDS_BLANK || section.spelling == IDS_ABSENT;
	size_t i;

	for (i = s->n; i-- > 0;)
		if (any || ids_same(s->item[i].section, section))
			return &s->item[i];
	return NULL;
}

void
ids_pop(struct ids_stack *s, struct ids_open *which)
{
	memmove(which, which + 1, (size_t)(s->item + s->n - (which + 1)) * sizeof *which);
	s->n--;
}
