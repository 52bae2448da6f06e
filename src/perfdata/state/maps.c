/* SPDX-License-Identifier: ISC */
/* maps.c - the objects in an address space, by address. */
#include "src/perfdata/state/state.h"

#include <stdbool.h>

#include "lib/mem.h"

#define CHUNK_NODES 128

struct map_chunk {
	struct map_chunk *next;
	struct map_node node[CHUNK_NODES];
};

void
map_pool_free(struct map_pool *pool)
{
	while (pool->chunk != NULL) {
		struct map_chunk *next = pool->chunk->next;

		mem_free(pool->chunk);
		pool->chunk = next;
	}
	pool->free = NULL;
}

static bool
fill_pool(struct map_pool *pool)
{
	struct map_chunk *c = mem_alloc(sizeof *c);
	size_t i;

	if (c == NULL)
		return false;
	c->next = pool->chunk;
	pool->chunk = c;
	for (i = 0; i < CHUNK_NODES; i++) {
		c->node[i].left = pool->free;
		pool->free = &c->node[i];
	}
	return true;
}

/* Copies a node.  The copy has one reference.  Returns NULL if memory runs out. */
static struct map_node *
take(struct map_pool *pool, const struct map_node *from)
{
	struct map_node *n;

	if (pool->free == NULL && !fill_pool(pool))
		return NULL;
	n = pool->free;
	pool->free = n->left;
	*n = *from;
	n->refs = 1;
	return n;
}

struct maps
maps_share(const struct maps *m)
{
	if (m->root != NULL)
		m->root->refs++;
	return *m;
}

/*
 * Drops a reference.  Recursion is as deep as the tree, which is logarithmic in the number of
 * ranges.
 */
static void
drop(struct map_pool *pool, struct map_node *n)
{
	while (n != NULL && --n->refs == 0) {
		struct map_node *right = n->right;

		drop(pool, n->left);
		n->left = pool->free;
		pool->free = n;
		n = right;
	}
}

void
maps_free(struct maps *m, struct map_pool *pool)
{
	drop(pool, m->root);
	*m = (struct maps){ .root = NULL };
}

const struct map *
maps_find(struct maps *m, uint64_t addr)
{
	const struct map_node *n;

	if (map_node_has(m->last, addr))
		return &m->last->map;
	if (map_node_has(m->other, addr))
		return &m->other->map;
	for (n = m->root; n != NULL;) {
		if (addr < n->map.start) {
			n = n->left;
		} else if (addr >= n->map.end) {
			n = n->right;
		} else {
			m->other = m->last;
			m->last = n;
			return &n->map;
		}
	}
	return NULL;
}

/*
 * Returns N if nothing else refers to it, otherwise a copy in its place.  If memory runs out, drops
 * N and returns NULL.
 */
static struct map_node *
own(struct map_pool *pool, struct map_node *n)
{
	struct map_node *copy;

	if (n->refs == 1)
		return n;
	copy = take(pool, n);
	if (copy != NULL && copy->left != NULL)
		copy->left->refs++;
	if (copy != NULL && copy->right != NULL)
		copy->right->refs++;
	drop(pool, n);
	return copy;
}

/*
 * Splits a tree: *low gets the ranges that start before AT, *high the rest.  Nothing else refers to
 * the nodes along the cut, which is the right edge of *low and the left edge of *high.  If memory
 * runs out, returns false, and some nodes are missing.
 */
static bool
split(struct map_pool *pool, struct map_node *n, uint64_t at, struct map_node **low,
    struct map_node **high)
{
	bool ok = true;

	while (n != NULL) {
		n = own(pool, n);
		ok = n != NULL;
		if (!ok)
			break;
		if (n->map.start < at) {
			*low = n;
			low = &n->right;
			n = n->right;
		} else {
			*high = n;
			high = &n->left;
			n = n->left;
		}
	}
	*low = *high = NULL;
	return ok;
}

/*
 * Joins trees.  All of a must be below all of b, and nothing else may refer to the edges where they
 * meet.
 */
static struct map_node *
join(struct map_node *a, struct map_node *b)
{
	struct map_node *root, **at = &root;

	while (a != NULL && b != NULL) {
		if (a->weight > b->weight) {
			*at = a;
			at = &a->right;
			a = a->right;
		} else {
			*at = b;
			at = &b->left;
			b = b->left;
		}
	}
	*at = a != NULL ? a : b;
	return root;
}

static struct map_node *
last_of(struct map_node *n)
{
	while (n != NULL && n->right != NULL)
		n = n->right;
	return n;
}

/* Appends a range, which is not empty, above all those in *root.  Ignores one without an object. */
static bool
put_last(struct map_pool *pool, struct map_node **root, const struct map *map)
{
	struct map_node *n, fresh = { .map = *map };

	if (map->dso == NULL)
		return true;
	pool->dice = pool->dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	fresh.weight = (uint32_t)(pool->dice >> 32);
	n = take(pool, &fresh);
	*root = n == NULL ? *root : join(*root, n);
	return n != NULL;
}

int
maps_put(struct maps *m, const struct map *map, struct map_pool *pool, struct err *e)
{
	struct map_node *over = NULL, *high = NULL, *before, *last;
	struct map rest = { .dso = NULL }; /* the part of a range that extends beyond the end */
	bool ok;

	if (map->start >= map->end)
		return 0;
	m->last = m->other = NULL;
	m->version = ++pool->versions;
	ok = split(pool, m->root, map->start, &m->root, &over) &&
	    split(pool, over, map->end, &over, &high);
	before = last_of(m->root);
	last = over == NULL ? before : last_of(over);
	if (last != NULL && last->map.end > map->end) {
		rest = last->map;
		rest.start = map->end;
	}
	if (before != NULL && before->map.end > map->start)
		before->map.end = map->start;
	drop(pool, over);
	ok = ok && put_last(pool, &m->root, map) && put_last(pool, &m->root, &rest);
	m->root = join(m->root, high);
	return ok ? 0 : err_nomem(e);
}
