/* SPDX-License-Identifier: ISC */
/* repeat.c - finds members that occur twice in a document. */
#include "src/perun/repeat.h"

#include <stdio.h>

#include "lib/mem.h"
#include "lib/vec.h"

#define NAME_SHOWN ((size_t)80) /* bytes of a name in a message */

static void
free_types(struct repeat_types *t)
{
	tab_free(&t->names);
	mem_free(t->round);
}

void
repeat_free(struct repeat *r)
{
	free_types(&r->types);
	free_types(&r->commons);
	buf_free(&r->first);
	*r = (struct repeat){ .count = 0 };
}

/* Returns whether the kind has been seen there before, and records it as seen. */
static bool
see(uint32_t *seen, enum place_kind kind)
{
	uint32_t bit = UINT32_C(1) << kind;
	bool was = (*seen & bit) != 0;

	*seen |= bit;
	return was;
}

static int
see_type(struct repeat_types *t, struct slice name, bool *again, struct err *e)
{
	size_t i = tab_add(&t->names, name, again);

	if (i == TAB_NONE || !vec_room(t->round, i, t->cap))
		return err_nomem(e);
	*again = !*again && t->round[i] == t->now;
	t->round[i] = t->now;
	return 0;
}

int
repeat_see(struct repeat *r, const struct place *p, bool *again, struct err *e)
{
	*again = false;
	switch (p->kind) {
	case PLACE_SNAPSHOT: r->snapshot = 0; return 0;
	case PLACE_GLOBAL: r->global = 0; break;
	case PLACE_MAP: r->types.now++; break;
	case PLACE_COMMONS: r->commons.now++; break;
	case PLACE_TYPE: return see_type(&r->types, p->name, again, e);
	case PLACE_COMMON: return see_type(&r->commons, p->name, again, e);
	case PLACE_SNAPSHOTS:
	case PLACE_RESOURCES:
	case PLACE_MODELS: break;
	default: return 0;
	}
	if (p->kind == p->top)
		*again = see(&r->document, p->kind);
	else
		*again = see(p->top == PLACE_GLOBAL ? &r->global : &r->snapshot, p->kind);
	return 0;
}

int
repeat_count(struct repeat *r, const struct place *p, struct err *e)
{
	if (r->count++ == 0 && !buf_put(&r->first, p->name.p, p->name.len))
		return err_nomem(e);
	return 0;
}

int
repeat_refuse(const struct place *p, struct err *e)
{
	return err_data(e, "'%.*s' appears twice: Perun uses the last",
	    slice_shown(p->name, NAME_SHOWN), p->name.p);
}

bool
repeat_note(const struct repeat *r, char *text, size_t size)
{
	struct slice name = buf_slice(&r->first);
	int n = slice_shown(name, NAME_SHOWN);

	if (r->count == 1)
		snprintf(text, size, "'%.*s' appears twice: both are used, Perun uses the last", n,
		    n == 0 ? "" : name.p);
	else if (r->count != 0)
		snprintf(text, size,
		    "members that appear twice: %llu, '%.*s' first: all are used, Perun uses "
		    "the last",
		    (unsigned long long)r->count, n, n == 0 ? "" : name.p);
	return r->count != 0;
}
