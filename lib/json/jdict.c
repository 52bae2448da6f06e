/* SPDX-License-Identifier: ISC */
/* members.c - the members of an object as Python's dict has them. */
#include "src/perun/members.h"

#include <stdlib.h>

#include "lib/json/jtext.h"
#include "lib/mem.h"
#include "lib/vec.h"

#define FEW 24 /* members that are compared each with each */

void
members_free(struct members *s)
{
	mem_free(s->m);
	buf_free(&s->names);
	*s = (struct members){ 0 };
}

/* Names that are equal have equal signatures; most that differ do not. */
static unsigned
signature(const char *p, size_t n)
{
	unsigned h = (unsigned)n * 29;

	if (n != 0)
		h += (unsigned char)p[0] * 7u + (unsigned char)p[n / 2] * 13u +
		    (unsigned char)p[n - 1] * 31u;
	return h & 255;
}

/* True where two names may be equal. */
static bool
may_repeat(const struct members *s, size_t from, const char *text, const struct jscan_token *token)
{
	uint64_t seen[4] = { 0 };
	size_t i;

	for (i = from; i < s->n; i++) {
		const struct jscan_token *k = &token[s->m[i].name];
		unsigned h = signature(text + k->off, k->len);

		if ((k->flags & JSCAN_ESCAPED) != 0 || (seen[h >> 6] >> (h & 63) & 1) != 0)
			return true;
		seen[h >> 6] |= (uint64_t)1 << (h & 63);
	}
	return false;
}

/* A name without its escapes, for comparing. */
struct name {
	size_t at; /* in names; then the pointer is known */
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

/* The first of equal names gets the last one's value; the others go. */
static void
drop_repeated(struct members *s, size_t from, const struct name *name, size_t n)
{
	size_t i, j, out = from;

	for (i = 0; i < n; i = j) {
		for (j = i + 1; j < n && slice_eq(name[i].s, name[j].s); j++)
			s->m[from + name[j].place].name = UINT32_MAX;
		s->m[from + name[i].place].value = s->m[from + name[j - 1].place].value;
	}
	for (i = from; i < s->n; i++)
		if (s->m[i].name != UINT32_MAX)
			s->m[out++] = s->m[i];
	s->n = out;
}

static bool
resolve(struct members *s, size_t from, const char *text, const struct jscan_token *token)
{
	size_t n = s->n - from, i;
	struct name few[FEW], *name = n <= FEW ? few : mem_alloc(n * sizeof *name);

	if (name == NULL)
		return false;
	s->names.len = 0;
	for (i = 0; i < n; i++) {
		const struct jscan_token *k = &token[s->m[from + i].name];

		name[i].place = i;
		name[i].at = s->names.len;
		if (!jtext_undo(&s->names, (struct slice){ text + k->off, k->len })) {
			if (name != few)
				mem_free(name);
			return false;
		}
		name[i].s.len = s->names.len - name[i].at;
	}
	for (i = 0; i < n; i++)
		name[i].s.p = s->names.p + name[i].at;
	qsort(name, n, sizeof *name, by_name);
	drop_repeated(s, from, name, n);
	if (name != few)
		mem_free(name);
	return true;
}

bool
members_push(struct members *s, const char *text, const struct jscan_token *token, uint32_t index)
{
	size_t from = s->n;
	uint32_t i = index + 1, end = token[index].next;

	while (i < end) {
		if (!vec_room(s->m, s->n, s->cap))
			return false;
		s->m[s->n++] = (struct member){ i, i + 1 };
		i = token[i + 1].next;
	}
	return !may_repeat(s, from, text, token) || resolve(s, from, text, token);
}

/* Of a key in such a list: 1 for name, 2 for value, 0 for another, -1 without memory. */
static int
which(struct members *s, const char *text, const struct jscan_token *k)
{
	struct slice key = { text + k->off, k->len };

	if ((k->flags & JSCAN_ESCAPED) != 0) {
		s->names.len = 0;
		if (!jtext_undo(&s->names, key))
			return -1;
		key = buf_slice(&s->names);
	}
	return slice_eq(key, SLICE("name")) ? 1 : slice_eq(key, SLICE("value")) ? 2 : 0;
}

/* The member that an element of such a list is: 1, 0 where it is none, -1 without memory. */
static int
element(struct members *s, const char *text, const struct jscan_token *token, uint32_t index,
    struct member *m)
{
	uint32_t i;

	*m = (struct member){ 0, 0 };
	if (token[index].kind != JSCAN_OBJECT)
		return 0;
	for (i = index + 1; i < token[index].next; i = token[i + 1].next) {
		int key = which(s, text, &token[i]);

		if (key <= 0)
			return key;
		*(key == 1 ? &m->name : &m->value) = i + 1;
	}
	return m->name != 0 && m->value != 0;
}

int
members_is_named(struct members *s, const char *text, const struct jscan_token *token,
    uint32_t index)
{
	uint32_t i;
	struct member m;
	int is = 0;

	for (i = index + 1; i < token[index].next; i = token[i].next) {
		is = element(s, text, token, i, &m);
		if (is <= 0)
			break;
	}
	return is;
}

bool
members_push_named(struct members *s, const char *text, const struct jscan_token *token,
    uint32_t index)
{
	size_t from = s->n;
	uint32_t i;

	for (i = index + 1; i < token[index].next; i = token[i].next)
		if (!vec_room(s->m, s->n, s->cap) || element(s, text, token, i, &s->m[s->n++]) < 0)
			return false;
	return !may_repeat(s, from, text, token) || resolve(s, from, text, token);
}
