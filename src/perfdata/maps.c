/* SPDX-License-Identifier: ISC */
/* maps.c - which object lies where in an address space. */
#include "src/perfdata/maps.h"

#include <string.h>

#include "lib/mem.h"

struct maps *
maps_new(struct maps_account *account)
{
	struct maps *m = mem_zero(1, sizeof *m);

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
	while (m != NULL && --m->refs == 0) {
		struct maps *below = m->below;

		m->account->room += m->copied;
		mem_free(m->room);
		mem_free(m);
		m = below;
	}
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

/* What the spaces below have.  A range without an object hides them. */
static const struct map *
find_below(const struct maps *m, uint64_t addr)
{
	for (; m != NULL; m = m->below) {
		size_t i = first_behind(m, addr);

		if (i < m->count && m->map[i].start <= addr)
			return m->map[i].dso == NULL ? NULL : &m->map[i];
	}
	return NULL;
}

const struct map *
maps_find(struct maps *m, uint64_t addr)
{
	size_t i = m->last;

	if (i >= m->count || addr < m->map[i].start || addr >= m->map[i].end) {
		if (m->below != NULL)
			return find_below(m, addr);
		i = first_behind(m, addr);
		if (i == m->count || m->map[i].start > addr)
			return NULL;
		m->last = i;
	}
	return &m->map[i];
}

/* Takes the ranges of FROM, or puts m over it. */
static int
begin_with(struct maps *m, struct maps *from, struct err *e)
{
	if (from->count > m->account->room) {
		if (from->depth == MAPS_DEPTH_MAX)
			return 0;
		m->below = maps_share(from);
		m->depth = from->depth + 1;
		m->last = SIZE_MAX;
		return 0;
	}
	m->room = m->map = mem_alloc((from->count + 2) * sizeof *m->map);
	if (m->map == NULL)
		return err_nomem(e);
	if (from->count != 0)
		memcpy(m->map, from->map, from->count * sizeof *m->map);
	m->count = m->copied = from->count;
	m->cap = from->count + 2;
	m->account->room -= m->copied;
	if (from->below != NULL) {
		m->below = maps_share(from->below);
		m->depth = from->depth;
		m->last = SIZE_MAX;
	}
	return 0;
}

/* Makes *m a space that nobody shares.  *lost: without what it had. */
static int
own(struct maps **m, bool *lost, struct err *e)
{
	struct maps *mine;

	*lost = false;
	if ((*m)->refs == 1)
		return 0;
	mine = maps_new((*m)->account);
	if (mine == NULL)
		return err_nomem(e);
	if (begin_with(mine, *m, e) != 0) {
		maps_drop(mine);
		return e->code;
	}
	*lost = mine->count < (*m)->count && mine->below == NULL;
	maps_drop(*m);
	*m = mine;
	return 0;
}

/*
 * New ranges come from above or from below: to move what stands on the shorter side keeps a
 * process with very many of them, which the kernel puts one below the other, from being slow.
 */
#define SHORT_MOVE ((size_t)16)

enum side { FRONT, BEHIND };

static size_t
free_at(const struct maps *m, enum side side)
{
	size_t front = m->room == NULL ? 0 : (size_t)(m->map - m->room);

	return side == FRONT ? front : m->cap - m->count - front;
}

/* Room for two more on that side: a hole in the middle of a range splits it. */
static int
reserve(struct maps *m, enum side side, struct err *e)
{
	size_t cap = m->cap < 16 ? 32 : m->cap * 2, front;
	struct map *p = m->room;

	if (free_at(m, side) >= 2)
		return 0;
	if (m->count >= MAPS_MAX)
		return err_data(e, "more than %zu mappings in one process", MAPS_MAX);
	front = free_at(m, FRONT);
	if (m->cap - m->count < m->count / 2 + 4) {
		p = mem_resize(m->room, cap * sizeof *p);
		if (p == NULL)
			return err_nomem(e);
		m->room = p;
		m->cap = cap;
	}
	m->map = p + (side == FRONT ? (m->cap - m->count) / 2 : 0);
	memmove(m->map, p + front, m->count * sizeof *p);
	return 0;
}

static void
insert_at(struct maps *m, size_t i, const struct map *map, enum side side)
{
	if (side == FRONT) {
		m->map--;
		memmove(m->map, m->map + 1, i * sizeof *m->map);
	} else {
		memmove(m->map + i + 1, m->map + i, (m->count - i) * sizeof *m->map);
	}
	m->map[i] = *map;
	m->count++;
}

/* Takes [start, end) out of what is there; returns where a range with that start belongs. */
static size_t
cut(struct maps *m, uint64_t start, uint64_t end, enum side side)
{
	size_t i = first_behind(m, start), last;

	if (i < m->count && m->map[i].start < start) {
		struct map left = m->map[i];

		left.end = start;
		if (m->map[i].end > end) {
			m->map[i].start = end;
			insert_at(m, i, &left, side);
			return i + 1;
		}
		m->map[i++] = left;
	}
	for (last = i; last < m->count && m->map[last].end <= end; last++)
		;
	if (side == FRONT) {
		memmove(m->map + (last - i), m->map, i * sizeof *m->map);
		m->map += last - i;
	} else {
		memmove(m->map + i, m->map + last, (m->count - last) * sizeof *m->map);
	}
	m->count -= last - i;
	if (i < m->count && m->map[i].start < end)
		m->map[i].start = end;
	return i;
}

static bool
is_range(const struct map *a, const struct map *b)
{
	return a->start == b->start && a->end == b->end;
}

int
maps_put(struct maps **m, const struct map *map, struct err *e)
{
	enum side side;
	size_t i;
	bool lost;

	if (map->start >= map->end)
		return 0;
	if (own(m, &lost, e) != 0)
		return e->code;
	i = first_behind(*m, map->start);
	side = (*m)->count - i > SHORT_MOVE && i < (*m)->count / 2 ? FRONT : BEHIND;
	if (reserve(*m, side, e) != 0)
		return e->code;
	if (i < (*m)->count && is_range(&(*m)->map[i], map) && map->dso != NULL) {
		(*m)->map[i] = *map; /* nothing else moves */
		return 0;
	}
	i = cut(*m, map->start, map->end, side);
	if (map->dso != NULL || (*m)->below != NULL)
		insert_at(*m, i, map, side);
	if (!lost || (*m)->account->said)
		return 0;
	(*m)->account->said = true;
	return err_data(e,
	    "more than %d forks, each of the one before, over as many mappings as "
	    "there is room for: from here on children begin without",
	    MAPS_DEPTH_MAX);
}
