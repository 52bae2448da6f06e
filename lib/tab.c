/* SPDX-License-Identifier: ISC */
/* tab.c - strings to small numbers. */
#include "lib/tab.h"

#include <stdlib.h>
#include <xxhash.h>

#define TAB_CHUNK ((size_t)64 * 1024)
#define TAB_COUNT_MAX ((size_t)1 << 31)

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

		free(t->chunk);
		t->chunk = next;
	}
	free(t->item);
	free(t->hash);
	free(t->slot);
	*t = (struct tab){ 0 };
}

static uint32_t
hash_of(struct slice s)
{
	return (uint32_t)XXH3_64bits(s.p, s.len);
}

/* The slot where s is or would go. */
static size_t
probe(const struct tab *t, struct slice s, uint32_t hash)
{
	size_t i = hash & t->mask;

	while (t->slot[i] != 0) {
		size_t n = t->slot[i] - 1;

		if (t->hash[n] == hash && slice_eq(t->item[n], s))
			break;
		i = (i + 1) & t->mask;
	}
	return i;
}

size_t
tab_find(const struct tab *t, struct slice s)
{
	size_t i;

	if (t->slot == NULL)
		return TAB_NONE;
	i = probe(t, s, hash_of(s));
	return t->slot[i] == 0 ? TAB_NONE : t->slot[i] - 1;
}

static bool
resize(void *pp, size_t count, size_t size)
{
	void *old, *p;

	memcpy(&old, pp, sizeof old);
	p = realloc(old, count * size);
	if (p == NULL)
		return false;
	memcpy(pp, &p, sizeof p);
	return true;
}

/* Keeps the slots at most half full. */
static bool
grow(struct tab *t)
{
	size_t cap = t->cap == 0 ? 32 : t->cap * 2, i;
	uint32_t *slot;

	if (cap > TAB_COUNT_MAX || !resize(&t->item, cap, sizeof *t->item) ||
	    !resize(&t->hash, cap, sizeof *t->hash))
		return false;
	slot = calloc(cap * 2, sizeof *slot);
	if (slot == NULL)
		return false;
	free(t->slot);
	t->slot = slot;
	t->cap = cap;
	t->mask = cap * 2 - 1;
	for (i = 0; i < t->count; i++)
		t->slot[probe(t, t->item[i], t->hash[i])] = (uint32_t)i + 1;
	return true;
}

static char *
store(struct tab *t, struct slice s)
{
	struct tab_chunk *c = t->chunk;
	char *at;

	if (c == NULL || c->size - c->used < s.len) {
		size_t size = s.len > TAB_CHUNK ? s.len : TAB_CHUNK;

		c = malloc(sizeof *c + size);
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
	uint32_t hash = hash_of(s);
	size_t i;
	char *copy;

	if (fresh != NULL)
		*fresh = false;
	if (t->count == t->cap && !grow(t))
		return TAB_NONE;
	i = probe(t, s, hash);
	if (t->slot[i] != 0)
		return t->slot[i] - 1;
	copy = store(t, s);
	if (copy == NULL)
		return TAB_NONE;
	t->item[t->count] = (struct slice){ copy, s.len };
	t->hash[t->count] = hash;
	t->slot[i] = (uint32_t)++t->count;
	if (fresh != NULL)
		*fresh = true;
	return t->count - 1;
}
