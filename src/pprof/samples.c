/* SPDX-License-Identifier: ISC */
/*
 * samples.c - a table of samples.
 *
 * There may be nearly as many samples as lines, and then most accesses miss the processor's caches.
 * So a slot is one number, and a sample two.
 */
#include "lib/mem.h"
#include "lib/seed.h"
#include "lib/vec.h"
#include "src/pprof/pprofint.h"

#define SHIFT_FIRST 56
#define SLOTS_FIRST ((size_t)1 << (64 - SHIFT_FIRST))
#define SAMPLES_MAX ((size_t)1 << 31)

void
pprof_samples_free(struct samples *s)
{
	mem_free(s->item);
	mem_free(s->slot);
}

/* Returns the slot of a sample, or the free one where it belongs. */
static uint32_t *
probe(const struct samples *s, struct sample x)
{
	size_t i = (size_t)(seed_hash((uint64_t)x.stack << 32 | x.set, s->seed) >> s->shift);

	for (; s->slot[i] != 0; i = (i + 1) & s->mask) {
		struct sample at = s->item[s->slot[i] - 1];

		if (at.stack == x.stack && at.set == x.set)
			break;
	}
	return &s->slot[i];
}

static bool
grow(struct samples *s)
{
	size_t n = s->slot == NULL ? SLOTS_FIRST : 2 * (s->mask + 1), i;
	uint32_t *slot = n / 2 > SAMPLES_MAX ? NULL : mem_zero(n, sizeof *slot);

	if (slot == NULL)
		return false;
	if (s->slot == NULL)
		s->seed = seed_make();
	s->shift = s->slot == NULL ? SHIFT_FIRST : s->shift - 1;
	mem_free(s->slot);
	s->slot = slot;
	s->mask = n - 1;
	for (i = 0; i < s->count; i++)
		*probe(s, s->item[i]) = (uint32_t)i + 1;
	return true;
}

size_t
pprof_samples_add(struct samples *s, struct sample sample)
{
	uint32_t *slot;

	if ((s->slot == NULL || 2 * s->count > s->mask) && !grow(s))
		return SAMPLES_NONE;
	slot = probe(s, sample);
	if (*slot != 0)
		return *slot - 1;
	if (!vec_room(s->item, s->count, s->cap))
		return SAMPLES_NONE;
	s->item[s->count] = sample;
	*slot = (uint32_t)++s->count;
	return s->count - 1;
}
