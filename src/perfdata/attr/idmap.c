/* SPDX-License-Identifier: ISC */
/* idmap.c - maps an event's id to its number and counter. */
#include "src/perfdata/attr/attr.h"

#include "lib/mem.h"
#include "lib/seed.h"

void
idmap_free(struct idmap *m)
{
	mem_free(m->slot);
	*m = (struct idmap){ 0 };
}

static struct id_entry *
probe(const struct idmap *m, uint64_t id)
{
	size_t i = (size_t)(seed_hash(id, m->seed) >> m->shift);

	while (m->slot[i].used && m->slot[i].id != id)
		i = (i + 1) & m->mask;
	return &m->slot[i];
}

struct id_entry *
idmap_find(const struct idmap *m, uint64_t id)
{
	struct id_entry *e;

	if (m->slot == NULL)
		return NULL;
	e = probe(m, id);
	return e->used ? e : NULL;
}

static bool
grow(struct idmap *m)
{
	struct idmap bigger = { .mask = m->slot == NULL ? 3 : m->mask * 2 + 1,
		.shift = m->slot == NULL ? 62 : m->shift - 1,
		.count = m->count,
		.seed = m->slot == NULL ? seed_make() : m->seed };
	size_t i;

	if (m->count >= IDMAP_MAX)
		return false;
	bigger.slot = mem_zero(bigger.mask + 1, sizeof *bigger.slot);
	if (bigger.slot == NULL)
		return false;
	for (i = 0; m->slot != NULL && i <= m->mask; i++)
		if (m->slot[i].used)
			*probe(&bigger, m->slot[i].id) = m->slot[i];
	mem_free(m->slot);
	*m = bigger;
	return true;
}

bool
idmap_add(struct idmap *m, uint64_t id, uint32_t event)
{
	struct id_entry *e;

	if ((m->slot == NULL || m->count * 2 > m->mask) && !grow(m))
		return false;
	e = probe(m, id);
	if (!e->used) {
		*e = (struct id_entry){ .id = id, .event = event, .used = 1 };
		m->count++;
	}
	return true;
}
