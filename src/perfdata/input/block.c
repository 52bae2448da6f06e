/* SPDX-License-Identifier: ISC */
/* block.c - the memory that records are read into and wait in. */
#include "src/perfdata/input/block.h"

#include "lib/mem.h"
#include "lib/vec.h"

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

	if (!vec_room(b->item, b->count, b->cap))
		return err_nomem(e);
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
