/* SPDX-License-Identifier: ISC */
/* live.c - the blocks of memory that are allocated. */
#include "src/perun/heap/live.h"

#include "lib/mem.h"
#include "lib/seed.h"

#define CHUNK 256 /* blocks that are made at once */

struct live_chunk {
	struct live_chunk *next;
	struct live_block block[CHUNK];
};

void
live_drop(struct live *l, struct live_block *b)
{
	pynum_free(&b->address);
	pynum_free(&b->amount);
	pynum_free(&b->uid);
	mem_free(b->again);
	b->next = l->spare;
	l->spare = b;
}

void
live_close(struct live *l)
{
	struct live_chunk *chunk;
	struct live_block *b;

	while ((b = live_shift(&l->list)) != NULL)
		live_drop(l, b);
	mem_free(l->bucket);
	while ((chunk = l->chunk) != NULL) {
		l->chunk = chunk->next;
		mem_free(chunk);
	}
	*l = (struct live){ .bucket = NULL };
}

struct live_block *
live_new(struct live *l)
{
	struct live_chunk *chunk;
	struct live_block *b;
	size_t i;

	if (l->spare == NULL) {
		chunk = mem_alloc(sizeof *chunk);
		if (chunk == NULL)
			return NULL;
		chunk->next = l->chunk;
		l->chunk = chunk;
		for (i = 0; i < CHUNK; i++)
			chunk->block[i].next = i + 1 < CHUNK ? &chunk->block[i + 1] : NULL;
		l->spare = chunk->block;
	}
	b = l->spare;
	l->spare = b->next;
	*b = (struct live_block){ .next = NULL };
	return b;
}

void
live_append(struct live_list *list, struct live_block *b)
{
	b->next = NULL;
	b->before = list->last;
	if (list->last != NULL)
		list->last->next = b;
	else
		list->first = b;
	list->last = b;
}

static void
take_out(struct live_list *list, struct live_block *b)
{
	if (b->before != NULL)
		b->before->next = b->next;
	else
		list->first = b->next;
	if (b->next != NULL)
		b->next->before = b->before;
	else
		list->last = b->before;
}

struct live_block *
live_shift(struct live_list *list)
{
	struct live_block *b = list->first;

	if (b != NULL)
		take_out(list, b);
	return b;
}

/* Twice as many buckets, when there is an address for each. */
static bool
grow(struct live *l)
{
	size_t buckets = l->buckets == 0 ? 1024 : l->buckets * 2, i;
	struct live_block **bucket, *b;

	if (l->addresses < l->buckets)
		return true;
	bucket = mem_zero(buckets, sizeof *bucket);
	if (bucket == NULL)
		return false;
	if (l->buckets == 0)
		l->seed = seed_make();
	for (i = 0; i < l->buckets; i++) {
		while ((b = l->bucket[i]) != NULL) {
			l->bucket[i] = b->chain;
			b->chain = bucket[b->hash & (buckets - 1)];
			bucket[b->hash & (buckets - 1)] = b;
		}
	}
	mem_free(l->bucket);
	l->bucket = bucket;
	l->buckets = buckets;
	return true;
}

/* Where the first block at that address hangs, or would. */
static struct live_block **
find(const struct live *l, const struct pynum *address, uint64_t hash)
{
	struct live_block **b = &l->bucket[hash & (l->buckets - 1)];

	while (*b != NULL && ((*b)->hash != hash || !pynum_equal(&(*b)->address, address)))
		b = &(*b)->chain;
	return b;
}

bool
live_allocate(struct live *l, struct live_block *b)
{
	struct live_block **at;

	/* what is not even equal to itself cannot be found, and must not be in the way */
	if (pynum_equal(&b->address, &b->address)) {
		if (!grow(l))
			return false;
		b->hash = pynum_hash(&b->address, l->seed);
		at = find(l, &b->address, b->hash);
		if (*at != NULL) {
			(*at)->last->later = b;
			(*at)->last = b;
		} else {
			b->last = b;
			*at = b;
			l->addresses++;
		}
	}
	live_append(&l->list, b);
	return true;
}

void
live_release(struct live *l, const struct pynum *address)
{
	struct live_block **at, *b;

	if (l->addresses == 0)
		return;
	at = find(l, address, pynum_hash(address, l->seed));
	b = *at;
	if (b == NULL)
		return;
	if (b->later != NULL) {
		b->later->last = b->last;
		b->later->chain = b->chain;
		*at = b->later;
	} else {
		*at = b->chain;
		l->addresses--;
	}
	take_out(&l->list, b);
	live_drop(l, b);
}
