/* SPDX-License-Identifier: ISC */
/* jdict.c - the members of a JSON object as a dictionary. */
#include "lib/json/jdict.h"

#include <stdlib.h>

#include "lib/json/jtext.h"
#include "lib/mem.h"
#include "lib/vec.h"

#define FEW 24 /* up to this many members are compared pairwise */

void
jdict_free(struct jdict *d)
{
	mem_free(d->m);
	buf_free(&d->names);
	*d = (struct jdict){ 0 };
}

/* Equal names have equal signatures, and most different names have different signatures. */
static unsigned
signature(const char *p, size_t n)
{
	unsigned h = (unsigned)n * 29;

	if (n != 0)
		h += (unsigned char)p[0] * 7u + (unsigned char)p[n / 2] * 13u +
		    (unsigned char)p[n - 1] * 31u;
	return h & 255;
}

/* Returns true if two names may be equal. */
static bool
may_repeat(const struct jdict *d, size_t from, const char *text, const struct jscan_token *token)
{
	uint64_t seen[4] = { 0 };
	size_t i;

	for (i = from; i < d->n; i++) {
		const struct jscan_token *k = &token[d->m[i].name];
		unsigned h = signature(text + k->off, k->len);

		if ((k->flags & JSCAN_ESCAPED) != 0 || (seen[h >> 6] >> (h & 63) & 1) != 0)
			return true;
		seen[h >> 6] |= (uint64_t)1 << (h & 63);
	}
	return false;
}

/* A name without its escapes, for comparing. */
struct name {
	size_t at; /* in names; s.p is set once all names are there */
	struct slice s;
	size_t place;
};

static int
by_name(const void *a, const void *b)
{
	const struct name *x = a, *y = b;
	int c = slice_cmp(x->s, y->s);

	return c != 0 ? c : (x->place > y->place) - (x->place < y->place);
}

/* Gives the first of equal names the value of the last one, and removes the others. */
static void
drop_repeated(struct jdict *d, size_t from, const struct name *name, size_t n)
{
	size_t i, j, out = from;

	for (i = 0; i < n; i = j) {
		for (j = i + 1; j < n && slice_eq(name[i].s, name[j].s); j++)
			d->m[from + name[j].place].name = UINT32_MAX;
		d->m[from + name[i].place].value = d->m[from + name[j - 1].place].value;
	}
	for (i = from; i < d->n; i++)
		if (d->m[i].name != UINT32_MAX)
			d->m[out++] = d->m[i];
	d->n = out;
}

static bool
resolve(struct jdict *d, size_t from, const char *text, const struct jscan_token *token)
{
	size_t n = d->n - from, i;
	struct name few[FEW], *name = n <= FEW ? few : mem_alloc(n * sizeof *name);

	if (name == NULL)
		return false;
	d->names.len = 0;
	for (i = 0; i < n; i++) {
		const struct jscan_token *k = &token[d->m[from + i].name];

		name[i].place = i;
		name[i].at = d->names.len;
		if (!jtext_undo(&d->names, (struct slice){ text + k->off, k->len })) {
			if (name != few)
				mem_free(name);
			return false;
		}
		name[i].s.len = d->names.len - name[i].at;
	}
	for (i = 0; i < n; i++)
		name[i].s.p = d->names.p + name[i].at;
	qsort(name, n, sizeof *name, by_name);
	drop_repeated(d, from, name, n);
	if (name != few)
		mem_free(name);
	return true;
}

bool
jdict_unite(struct jdict *d, size_t from, const char *text, const struct jscan_token *token)
{
	return !may_repeat(d, from, text, token) || resolve(d, from, text, token);
}

bool
jdict_add(struct jdict *d, struct jdict_member m)
{
	if (!vec_room(d->m, d->n, d->cap))
		return false;
	d->m[d->n++] = m;
	return true;
}

bool
jdict_push(struct jdict *d, const char *text, const struct jscan_token *token, uint32_t index)
{
	size_t from = d->n;
	uint32_t i;

	for (i = index + 1; i < token[index].next; i = token[i + 1].next)
		if (!jdict_add(d, (struct jdict_member){ i, i + 1 }))
			return false;
	return jdict_unite(d, from, text, token);
}
