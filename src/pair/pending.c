/* SPDX-License-Identifier: ISC */
/* pending.c - a table of open intervals, and a set of the keys that they have had. */
#include "src/pair/pending.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "lib/mem.h"
#include "lib/seed.h"
#include "lib/short.h"

#define SLOTS_FIRST ((size_t)64)
#define TEXT_KEPT ((size_t)64 * 1024) /* maximum bytes kept for the text of a free interval */

void
pending_free(struct pending *p)
{
	while (p->all != NULL) {
		struct begun *b = p->all;

		p->all = b->older;
		buf_free(&b->text);
		mem_free(b);
	}
	mem_free(p->slot);
	mem_free(p->known);
	*p = (struct pending){ 0 };
}

/*
 * Returns a number above 0.  XXH3 mixes short texts with the seed by xor, so the run itself in the
 * seed would give the hash of a key in one run to a similar key in another one.
 */
static uint64_t
hash_of(const struct pending *p, uint32_t run, struct slice key)
{
	uint64_t h = XXH3_64bits_withSeed(key.p, key.len, p->seed ^ seed_hash(run, p->seed));

	return h == 0 ? 1 : h;
}

static size_t
slot_of(const struct pending *p, uint32_t run, struct slice key, uint64_t hash)
{
	size_t i = (size_t)hash & p->mask;

	for (; p->slot[i] != NULL; i = (i + 1) & p->mask) {
		const struct begun *b = p->slot[i];

		if (b->hash == hash && b->run == run &&
		    short_eq((struct slice){ b->text.p, b->key_len }, key))
			break;
	}
	return i;
}

struct begun *
pending_find(const struct pending *p, uint32_t run, struct slice key)
{
	if (p->count == 0)
		return NULL;
	return p->slot[slot_of(p, run, key, hash_of(p, run, key))];
}

static bool
grow(struct pending *p)
{
	size_t slots = p->slot == NULL ? SLOTS_FIRST : (p->mask + 1) * 2, i, j;
	struct begun **slot = mem_zero(slots, sizeof *slot);

	if (slot == NULL)
		return false;
	for (i = 0; p->slot != NULL && i <= p->mask; i++) {
		if (p->slot[i] == NULL)
			continue;
		j = (size_t)p->slot[i]->hash & (slots - 1);
		while (slot[j] != NULL)
			j = (j + 1) & (slots - 1);
		slot[j] = p->slot[i];
	}
	if (p->slot == NULL)
		p->seed = seed_make();
	mem_free(p->slot);
	p->slot = slot;
	p->mask = slots - 1;
	return true;
}

/* Returns the place of a hash among the known ones, or the free place where it would be. */
static size_t
known_at(const uint64_t *known, size_t mask, uint64_t hash)
{
	size_t i = (size_t)hash & mask;

	while (known[i] != 0 && known[i] != hash)
		i = (i + 1) & mask;
	return i;
}

static bool
grow_known(struct pending *p)
{
	size_t slots = p->known == NULL ? SLOTS_FIRST : (p->known_mask + 1) * 2, i;
	uint64_t *known = mem_zero(slots, sizeof *known);

	if (known == NULL)
		return false;
	for (i = 0; p->known != NULL && i <= p->known_mask; i++)
		if (p->known[i] != 0)
			known[known_at(known, slots - 1, p->known[i])] = p->known[i];
	mem_free(p->known);
	p->known = known;
	p->known_mask = slots - 1;
	return true;
}

/* Remembers a hash, if there is room.  Returns false if memory runs out. */
static bool
remember(struct pending *p, uint64_t hash)
{
	size_t i;

	if (p->nknown == PENDING_KNOWN_MAX)
		return true;
	if ((p->known == NULL || p->nknown * 2 > p->known_mask) && !grow_known(p))
		return false;
	i = known_at(p->known, p->known_mask, hash);
	p->nknown += p->known[i] == 0;
	p->known[i] = hash;
	return true;
}

bool
pending_known(const struct pending *p, uint32_t run, struct slice key)
{
	if (p->known == NULL)
		return false;
	if (p->nknown == PENDING_KNOWN_MAX)
		return true;
	return p->known[known_at(p->known, p->known_mask, hash_of(p, run, key))] != 0;
}

static struct begun *
take(struct pending *p)
{
	struct begun *b = p->free;

	if (b != NULL) {
		p->free = b->next;
		return b;
	}
	b = mem_zero(1, sizeof *b);
	if (b == NULL)
		return NULL;
	b->older = p->all;
	p->all = b;
	return b;
}

static void
give(struct pending *p, struct begun *b)
{
	if (b->text.cap > TEXT_KEPT)
		buf_free(&b->text);
	b->next = p->free;
	p->free = b;
}

struct begun *
pending_add(struct pending *p, uint32_t run, struct slice key)
{
	struct begun *b;
	uint64_t hash;

	if ((p->slot == NULL || p->count * 2 > p->mask) && !grow(p))
		return NULL;
	hash = hash_of(p, run, key);
	b = take(p);
	if (b == NULL)
		return NULL;
	b->text.len = 0;
	if (!remember(p, hash) || !buf_put(&b->text, key.p, key.len)) {
		give(p, b);
		return NULL;
	}
	b->run = run;
	b->key_len = key.len;
	b->hash = hash;
	p->slot[slot_of(p, run, key, hash)] = b;
	p->count++;
	return b;
}

/* Entries after the free slot move up, unless they are already at the place of their hash. */
void
pending_drop(struct pending *p, struct begun *b)
{
	size_t i = (size_t)b->hash & p->mask, j;

	while (p->slot[i] != b)
		i = (i + 1) & p->mask;
	for (j = (i + 1) & p->mask; p->slot[j] != NULL; j = (j + 1) & p->mask)
		if (((j - (size_t)p->slot[j]->hash) & p->mask) >= ((j - i) & p->mask)) {
			p->slot[i] = p->slot[j];
			i = j;
		}
	p->slot[i] = NULL;
	p->count--;
	give(p, b);
}
