/* SPDX-License-Identifier: ISC */
/* block.c - the memory that records are read into and wait in. */
#include "src/perfdata/block.h"

#include "lib/mem.h"

void
blocks_free(struct blocks *b)
{
	uint32_t i;

	for (i = 0; i < b->count; i++)
		mem_free(b->item[i].data);
	mem_free(b->item);
	*b = (struct blocks){ 0 };
}

static int
add(struct blocks *b, struct err *e)
{
	unsigned char *data;

	if (b->count == b->cap) {
		uint32_t cap = b->cap == 0 ? 16 : b->cap * 2;
		struct block *item = mem_resize(b->item, cap * sizeof *item);

		if (item == NULL)
			return err_nomem(e);
		b->item = item;
		b->cap = cap;
	}
	data = mem_alloc(BLOCK_HEAD + BLOCK_BODY);
	if (data == NULL)
		return err_nomem(e);
	b->item[b->count] = (struct block){ .data = data, .next_free = b->free };
	b->free = ++b->count;
	return 0;
}

int
blocks_get(struct blocks *b, uint32_t *n, struct err *e)
{
	struct block *k;

	if (b->free == 0 && add(b, e) != 0)
		return e->code;
	*n = b->free - 1;
	k = &b->item[*n];
	b->free = k->next_free;
	k->refs = 1;
	b->used++;
	return 0;
}
