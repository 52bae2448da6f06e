/* SPDX-License-Identifier: ISC */
/* maps.c - which object lies where in an address space. */
#include "src/perfdata/maps.h"

#include <stdlib.h>
#include <string.h>

struct maps *
maps_new(struct maps_account *account)
{
	struct maps *m = calloc(1, sizeof *m);

	if (m == NULL)
		return NULL;
	m->refs = 1;
	m->account = account;
	return m;
}

struct maps *
maps_share(struct maps *m)
{
	m->refs++;
	return m;
}

void
maps_drop(struct maps *m)
{
	if (m == NULL || --m->refs != 0)
		return;
	m->account->copied -= m->copied;
	free(m->map);
	free(m);
}

/* The first range that ends behind ADDR. */
static size_t
first_behind(const struct maps *m, uint64_t addr)
{
	size_t low = 0, high = m->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (m->map[mid].end > addr)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

const struct map *
maps_find(struct maps *m, uint64_t addr)
{
	size_t i = m->last;

	if (i >= m->count || addr < m->map[i].start || addr >= m->map[i].end) {
		i = first_behind(m, addr);
		if (i == m->count || m->map[i].start > addr)
			return NULL;
		m->last = i;
	}
	return &m->map[i];
}

/* Takes the ranges of FROM, as long as that is not too much. */
static int
copy(struct maps *m, const struct maps *from, struct err *e)
{
	if (from->count > MAPS_COPIED_MAX - m->account->copied)
		return 0;
	m->map = malloc((from->count + 2) * sizeof *m->map);
	if (m->map == NULL)
		return err_nomem(e);
	if (from->count != 0)
		memcpy(m->map, from->map, from->count * sizeof *m->map);
	m->count = m->copied = from->count;
	m->cap = from->count + 2;
	m->account->copied += m->copied;
	return 0;
}

static int
own(struct maps **m, struct err *e)
{
	struct maps *mine;

	if ((*m)->refs == 1)
		return 0;
	mine = maps_new((*m)->account);
	if (mine == NULL)
		return err_nomem(e);
	if (copy(mine, *m, e) != 0) {
		maps_drop(mine);
		return e->code;
	}
	(*m)->refs--;
	*m = mine;
	return 0;
}

/* Room for two more: a hole in the middle of a range splits it. */
static int
reserve(struct maps *m, struct err *e)
{
	size_t cap = m->cap < 16 ? 32 : m->cap * 2;
	struct map *p;

	if (m->cap - m->count >= 2)
		return 0;
	if (m->count >= MAPS_MAX)
		return err_data(e, "more than %zu mappings in one process", MAPS_MAX);
	p = realloc(m->map, cap * sizeof *p);
	if (p == NULL)
		return err_nomem(e);
	m->map = p;
	m->cap = cap;
	return 0;
}

static void
insert_at(struct maps *m, size_t i, const struct map *map)
{
	memmove(m->map + i + 1, m->map + i, (m->count - i) * sizeof *m->map);
	m->map[i] = *map;
	m->count++;
}

/* Takes [start, end) out of what is there; returns where a range with that start belongs. */
static size_t
cut(struct maps *m, uint64_t start, uint64_t end)
{
	size_t i = first_behind(m, start), last;

	if (i < m->count && m->map[i].start < start) {
		struct map left = m->map[i];

		left.end = start;
		if (m->map[i].end > end) {
			m->map[i].start = end;
			insert_at(m, i, &left);
			return i + 1;
		}
		m->map[i++] = left;
	}
	for (last = i; last < m->count && m->map[last].end <= end; last++)
		;
	memmove(m->map + i, m->map + last, (m->count - last) * sizeof *m->map);
	m->count -= last - i;
	if (i < m->count && m->map[i].start < end)
		m->map[i].start = end;
	return i;
}

int
maps_put(struct maps **m, const struct map *map, struct err *e)
{
	size_t i, had = (*m)->count;
	bool alone;

	if (map->start >= map->end)
		return 0;
	if (own(m, e) != 0 || reserve(*m, e) != 0)
		return e->code;
	alone = (*m)->count != had && !(*m)->account->said;
	i = cut(*m, map->start, map->end);
	if (map->dso != NULL)
		insert_at(*m, i, map);
	if (!alone)
		return 0;
	(*m)->account->said = true;
	return err_data(e,
	    "mappings of %zu ranges copied by forks: from here on children begin without",
	    (*m)->account->copied);
}
