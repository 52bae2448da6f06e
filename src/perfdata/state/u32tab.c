/* SPDX-License-Identifier: ISC */
/* u32tab.c - maps pids and tids to values. */
#include "src/perfdata/state/state.h"

#include "lib/mem.h"
#include "lib/seed.h"

void
u32tab_free(struct u32tab *t)
{
	mem_free(t->slot);
	*t = (struct u32tab){ 0 };
}

/* Returns the key's slot, or the free slot where it belongs.  There must be slots. */
static struct u32tab_slot *
probe(const struct u32tab *t, uint32_t key)
{
	size_t i = (size_t)(seed_hash(key, t->seed) >> t->shift);

	while (t->slot[i].value != NULL && t->slot[i].key != key)
		i = (i + 1) & t->mask;
	return &t->slot[i];
}

void *
u32tab_find(const struct u32tab *t, uint32_t key)
{
	return t->slot == NULL ? NULL : probe(t, key)->value;
}

static bool
grow(struct u32tab *t)
{
	struct u32tab bigger = { .mask = t->slot == NULL ? 255 : t->mask * 2 + 1,
		.shift = t->slot == NULL ? 56 : t->shift - 1,
		.count = t->count,
		.seed = t->slot == NULL ? seed_make() : t->seed };
	size_t i;

	if (bigger.mask >= U32TAB_MAX)
		return false;
	bigger.slot = mem_zero(bigger.mask + 1, sizeof *bigger.slot);
	if (bigger.slot == NULL)
		return false;
	for (i = 0; t->slot != NULL && i <= t->mask; i++)
		if (t->slot[i].value != NULL)
			*probe(&bigger, t->slot[i].key) = t->slot[i];
	mem_free(t->slot);
	*t = bigger;
	return true;
}

bool
u32tab_put(struct u32tab *t, uint32_t key, void *value)
{
	if ((t->slot == NULL || t->count * 2 > t->mask) && !grow(t))
		return false;
	*probe(t, key) = (struct u32tab_slot){ key, value };
	t->count++;
	return true;
}

/*
 * Removes a key.  Entries after the gap move up if the gap lies between them and their proper slot.
 */
void
u32tab_drop(struct u32tab *t, uint32_t key)
{
	struct u32tab_slot *gap = t->slot == NULL ? NULL : probe(t, key);
	size_t i;

	if (gap == NULL || gap->value == NULL)
		return;
	gap->value = NULL;
	t->count--;
	i = (size_t)(gap - t->slot);
	while (t->slot[i = (i + 1) & t->mask].value != NULL) {
		struct u32tab_slot moved = t->slot[i];

		t->slot[i].value = NULL;
		*probe(t, moved.key) = moved;
	}
}

void *
u32tab_next(const struct u32tab *t, size_t *pos)
{
	while (t->slot != NULL && *pos <= t->mask)
		if (t->slot[(*pos)++].value != NULL)
			return t->slot[*pos - 1].value;
	return NULL;
}
