/* SPDX-License-Identifier: ISC */
/* tab.c - maps strings to small numbers. */
#include "lib/tab.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "lib/hint.h"
#include "lib/mem.h"
#include "lib/seed.h"
#include "lib/short.h"

/*
 * Chunks double up to CHUNK_USUAL, since many tables are small.  Larger ones are a part of the
 * whole, so that those of a large table are arrays in large pages, but little of the last is free.
 */
#define CHUNK_FIRST ((size_t)64)
#define CHUNK_USUAL ((size_t)64 * 1024)
#define CHUNK_PART 4
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

		mem_array_free(t->chunk);
		t->chunk = next;
	}
	mem_array_free(t->item);
	mem_array_free(t->slot);
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

/*
 * Moves what is in the first OLD slots to its places in the table, which has been doubled.  It
 * begins after a free slot.  So each entry finds its place among the slots that have been moved
 * already, or in the new half, and none is skipped that would be free later.
 */
static void
move_slots(struct tab *t, size_t old)
{
	size_t first = 0, i, to;

	while (first < old && t->slot[first].number != 0)
		first++;
	for (i = 0; i < old; i++) {
		struct tab_slot *from = &t->slot[(first + i) & (old - 1)], entry = *from;

		if (entry.number == 0)
			continue;
		from->number = 0;
		to = entry.hash & t->mask;
		while (t->slot[to].number != 0)
			to = (to + 1) & t->mask;
		t->slot[to] = entry;
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
	size_t old = t->slot == NULL ? 0 : t->mask + 1, slots = slots_for(cap);
	struct tab_slot *slot;
	struct slice *item;

	if (cap > TAB_COUNT_MAX)
		return false;
	item = mem_array(t->item, t->count * sizeof *item, cap * sizeof *item);
	if (item == NULL)
		return false;
	t->item = item;
	if (slots != old) {
		slot = mem_array_zeros(t->slot, old * sizeof *slot, slots * sizeof *slot);
		if (slot == NULL)
			return false;
		t->slot = slot;
		t->mask = slots - 1;
	}
	if (old == 0)
		t->seed = seed_make();
	else if (slots != old)
		move_slots(t, old);
	t->cap = cap;
	return true;
}

static char *
store(struct tab *t, struct slice s)
{
	struct tab_chunk *c = t->chunk;
	char *at;

	if (c == NULL || c->size - c->used < s.len) {
		size_t size = c == NULL ? CHUNK_FIRST : c->size * 2;

		size = size < CHUNK_USUAL ? size : CHUNK_USUAL;
		size = size > t->stored / CHUNK_PART ? size : t->stored / CHUNK_PART;
		size = size > s.len ? size : s.len;
		c = mem_array(NULL, 0, sizeof *c + size);
		if (c == NULL)
			return NULL;
		*c = (struct tab_chunk){ .next = t->chunk, .size = size };
		t->chunk = c;
		t->stored += size;
	}
	at = c->bytes + c->used;
	if (s.len != 0)
		memcpy(at, s.p, s.len);
	c->used += s.len;
	return at;
}

void *
tab_give_up(struct tab *t)
{
	void *space = t->slot;

	t->slot = NULL;
	return space;
}

size_t
tab_add(struct tab *t, struct slice s, bool *fresh)
{
	struct tab_slot *slot;
	uint32_t hash;
	char *copy;
	size_t known;

	if (fresh != NULL)
		*fresh = false;
	if (t->count == t->cap) {
		known = tab_find(t, s);
		if (known != TAB_NONE || !grow(t))
			return known;
	}
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
