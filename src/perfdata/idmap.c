/* SPDX-License-Identifier: ISC */
/* idmap.c - an event's id to what belongs to it. */
#include "src/perfdata/idmap.h"

#include <stdlib.h>

void
idmap_free(struct idmap *m)
{
	free(m->slot);
	*m = (struct idmap){ 0 };
}

/* Ids count up by one, mostly; the multiplication spreads whatever they are. */
static size_t
home(uint64_t id, uint64_t who, size_t mask)
{
	return (size_t)((id ^ who << 40) * 0x9e3779b97f4a7c15u >> 32) & mask;
}

static struct id_entry *
probe(const struct idmap *m, uint64_t id, uint64_t who)
{
	size_t i = home(id, who, m->mask);

	while (m->slot[i].used && (m->slot[i].id != id || m->slot[i].who != who))
		i = (i + 1) & m->mask;
	return &m->slot[i];
}

struct id_entry *
idmap_find(const struct idmap *m, uint64_t id, uint64_t who)
{
	struct id_entry *e;

	if (m->slot == NULL)
		return NULL;
	e = probe(m, id, who);
	return e->used ? e : NULL;
}

static bool
grow(struct idmap *m)
{
	struct idmap bigger = { .mask = m->slot == NULL ? 63 : m->mask * 2 + 1, .count = m->count };
	size_t i;

	if (m->count >= IDMAP_MAX)
		return false;
	bigger.slot = calloc(bigger.mask + 1, sizeof *bigger.slot);
	if (bigger.slot == NULL)
		return false;
	for (i = 0; m->slot != NULL && i <= m->mask; i++)
		if (m->slot[i].used)
			*probe(&bigger, m->slot[i].id, m->slot[i].who) = m->slot[i];
	free(m->slot);
	*m = bigger;
	return true;
}

bool
idmap_add(struct idmap *m, uint64_t id, uint64_t who, uint32_t attr)
{
	struct id_entry *e;

	if ((m->slot == NULL || m->count * 2 > m->mask) && !grow(m))
		return false;
	e = probe(m, id, who);
	if (!e->used) {
		*e = (struct id_entry){ .id = id, .who = who, .attr = attr, .used = true };
		m->count++;
	}
	return true;
}
