/* SPDX-License-Identifier: ISC */
/* tab.c - maps strings to small numbers. */
#include "lib/tab.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "lib/hint.h"
#include "lib/mem.h"
#include "lib/seed.h"
#include "lib/short.h"

#define CHUNK_FIRST ((size_t)64) /* doubles up to CHUNK_LAST, since many tables are small */
#define CHUNK_LAST ((size_t)64 * 1024)
#define TAB_COUNT_MAX ((size_t)1 << 31)
#define TAB_FIRST ((size_t)4) /* number of texts in a new table */
#define TAB_LARGE ((size_t)1 << 15)

struct tab_chunk {
	struct tab_chunk *next;
	size_t used, size;
	char bytes[];
};

void
tab_free(struct tab *t)
{
	while (t->chunk != NULL) {
		struct tab_chunk *next = t->chunk->next;

		mem_free(t->chunk);
		t->chunk = next;
	}
	mem_array_free(t->item);
	mem_free(t->slot);
	*t = (struct tab){ 0 };
}

static uint32_t
hash_of(const struct tab *t, struct slice s)
{
	return (uint32_t)XXH3_64bits_withSeed(s.p, s.len, t->seed);
}

/* Returns the slot that contains s or is free for it. */
static inline struct tab_slot *
probe(const struct tab *t, struct slice s, uint32_t hash)
{
	size_t i = hash & t->mask;

	while (t->slot[i].number != 0) {
		if (t->slot[i].hash == hash && short_eq(t->item[t->slot[i].number - 1], s))
			break;
		i = (i + 1) & t->mask;
	}
	return &t->slot[i];
}

size_t
tab_find(const struct tab *t, struct slice s)
{
	uint32_t number;

	if (t->slot == NULL)
		return TAB_NONE;
	number = probe(t, s, hash_of(t, s))->number;
	return number == 0 ? TAB_NONE : number - 1;
}

uint32_t
tab_soon(const struct tab *t, struct slice s)
{
	uint32_t hash = hash_of(t, s);

	hint_soon(&t->slot[hash & t->mask]);
	return hash;
}

size_t
tab_sooner(const struct tab *t, uint32_t hash)
{
	size_t i = hash & t->mask;

	while (t->slot[i].number != 0 && t->slot[i].hash != hash)
		i = (i + 1) & t->mask;
	if (t->slot[i].number == 0)
		return TAB_NONE;
	hint_soon(&t->item[t->slot[i].number - 1]);
	return t->slot[i].number - 1;
}

/* Moves all slots to a table of another size.  All their texts differ. */
static void
move_slots(const struct tab *t, struct tab_slot *to, size_t mask)
{
	size_t old, i;

	for (old = 0; t->slot != NULL && old <= t->mask; old++) {
		if (t->slot[old].number == 0)
			continue;
		i = t->slot[old].hash & mask;
		while (to[i].number != 0)
			i = (i + 1) & mask;
		to[i] = t->slot[old];
	}
}

/*
 * Returns the number of slots.  Most of them are free, so that few texts need a second probe.  A
 * large table has fewer, since what counts then is how much of it the caches hold.
 */
static size_t
slots_for(size_t cap)
{
	return cap * (cap < TAB_LARGE ? 4 : 2);
}

static bool
grow(struct tab *t)
{
	size_t cap = t->cap == 0 ? TAB_FIRST : t->cap * 2;
	struct tab_slot *slot;
	struct slice *item;

	if (cap > TAB_COUNT_MAX)
		return false;
	item = mem_array(t->item, t->count * sizeof *item, cap * sizeof *item);
	if (item == NULL)
		return false;
	t->item = item;
	slot = mem_zeros(slots_for(cap), sizeof *slot);
	if (slot == NULL)
		return false;
	if (t->slot == NULL)
		t->seed = seed_make();
	move_slots(t, slot, slots_for(cap) - 1);
	mem_free(t->slot);
	t->slot = slot;
	t->cap = cap;
	t->mask = slots_for(cap) - 1;
	return true;
}

static char *
store(struct tab *t, struct slice s)
{
	struct tab_chunk *c = t->chunk;
	char *at;

	if (c == NULL || c->size - c->used < s.len) {
		size_t size = c == NULL ? CHUNK_FIRST : c->size * 2;

		size = size < CHUNK_LAST ? size : CHUNK_LAST;
		size = size > s.len ? size : s.len;
		c = mem_alloc(sizeof *c + size);
		if (c == NULL)
			return NULL;
		*c = (struct tab_chunk){ .next = t->chunk, .size = size };
		t->chunk = c;
	}
	at = c->bytes + c->used;
	if (s.len != 0)
		memcpy(at, s.p, s.len);
	c->used += s.len;
	return at;
}

size_t
tab_add(struct tab *t, struct slice s, bool *fresh)
{
	struct tab_slot *slot;
	uint32_t hash;
	char *copy;

	if (fresh != NULL)
		*fresh = false;
	if (t->count == t->cap && !grow(t))
		return TAB_NONE;
	hash = hash_of(t, s);
	slot = probe(t, s, hash);
	if (slot->number != 0)
		return slot->number - 1;
	copy = store(t, s);
	if (copy == NULL)
		return TAB_NONE;
	t->item[t->count] = (struct slice){ copy, s.len };
	*slot = (struct tab_slot){ (uint32_t)++t->count, hash };
	if (fresh != NULL)
		*fresh = true;
	return t->count - 1;
}
