/* SPDX-License-Identifier: ISC */
/* listed.c - the symbols that a recording itself has, by the path of their object. */
#include "lib/mem.h"
#include "lib/vec.h"
#include "src/perfdata/state/state.h"

void
listed_free(struct listed *l)
{
	size_t i;

	for (i = 0; i < l->path.count; i++)
		symtab_free(l->table[i]);
	mem_free(l->table);
	tab_free(&l->path);
}

int
listed_put(struct listed *l, struct slice path, struct symtab *t, struct err *e)
{
	bool fresh = false;
	size_t n = TAB_NONE;

	/* make room first, so that a new path always has its table */
	if (vec_room(l->table, l->path.count, l->cap))
		n = tab_add(&l->path, path, &fresh);
	if (!fresh)
		symtab_free(t);
	else
		l->table[n] = t;
	return n == TAB_NONE ? err_nomem(e) : 0;
}

const struct symtab *
listed_find(const struct listed *l, struct slice path)
{
	size_t n = l->path.count != 0 ? tab_find(&l->path, path) : TAB_NONE;

	return n == TAB_NONE ? NULL : l->table[n];
}
