/* SPDX-License-Identifier: ISC */
/* repeat.c - finds members that occur twice in a document. */
#include "src/perun/repeat.h"

#include <stdio.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/vec.h"

#define KEY_SAID 80 /* bytes of a key that a message has */
#define TOKENS_MAX 3

static const char *const keys[REPEAT_KEYS] = { "snapshots", "global", "resource_type_map",
	"resources", "models" };

static void
free_types(struct repeat_types *t)
{
	tab_free(&t->names);
	mem_free(t->round);
}

void
repeat_free(struct repeat *r)
{
	free_types(&r->lists);
	free_types(&r->common);
	buf_free(&r->first);
	*r = (struct repeat){ .count = 0 };
}

static bool
is(struct slice token, const char *name)
{
	return slice_eq(token, slice_of(name));
}

/* Those of the first tokens that there are; more than TOKENS_MAX: there are more. */
static size_t
split(struct slice pointer, struct slice *token)
{
	size_t n = 0, i, from;

	for (i = 0; i < pointer.len && n < TOKENS_MAX; n++) {
		from = ++i;
		while (i < pointer.len && pointer.p[i] != '/')
			i++;
		token[n] = (struct slice){ pointer.p + from, i - from };
	}
	return i < pointer.len ? TOKENS_MAX + 1 : n;
}

/* Was KEY seen there?  It is now. */
static bool
see_key(bool *seen, struct slice key)
{
	bool was = false;
	size_t i;

	for (i = 0; i < REPEAT_KEYS; i++)
		if (is(key, keys[i])) {
			was = seen[i];
			seen[i] = true;
		}
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

/* A member of the document; its own members start over after it. */
static bool
see_top(struct repeat *r, struct slice key)
{
	if (is(key, "global"))
		memset(r->global, 0, sizeof r->global);
	r->lists.now += is(key, "resources");
	r->common.now += is(key, "resource_type_map");
	return see_key(r->top, key);
}

int
repeat_see(struct repeat *r, struct slice pointer, bool *again, struct err *e)
{
	struct slice t[TOKENS_MAX] = { { NULL, 0 } };
	size_t n = split(pointer, t);

	*again = false;
	if (n == 1)
		*again = see_top(r, t[0]);
	else if (n == 2 && is(t[0], "resources"))
		return see_type(&r->lists, t[1], again, e);
	else if (n == 2 && is(t[0], "resource_type_map"))
		return see_type(&r->common, t[1], again, e);
	else if (n == 2 && is(t[0], "global"))
		*again = see_key(r->global, t[1]);
	else if (n == 2 && is(t[0], "snapshots"))
		memset(r->snapshot, 0, sizeof r->snapshot);
	else if (n == 3 && is(t[0], "snapshots"))
		*again = see_key(r->snapshot, t[2]);
	return 0;
}

struct slice
repeat_key(struct slice pointer)
{
	size_t n = pointer.len;

	while (n > 0 && pointer.p[n - 1] != '/')
		n--;
	return (struct slice){ pointer.p + n, pointer.len - n };
}

int
repeat_count(struct repeat *r, struct slice pointer, struct err *e)
{
	struct slice key = repeat_key(pointer);

	if (r->count++ == 0 && !buf_put(&r->first, key.p, key.len))
		return err_nomem(e);
	return 0;
}

static int
said(struct slice key)
{
	return key.len < KEY_SAID ? (int)key.len : KEY_SAID;
}

int
repeat_refuse(struct slice pointer, struct err *e)
{
	struct slice key = repeat_key(pointer);

	return err_data(e, "'%.*s' appears twice: Perun takes the last", said(key), key.p);
}

bool
repeat_note(const struct repeat *r, char *text, size_t size)
{
	struct slice key = buf_slice(&r->first);
	int n = said(key);

	if (r->count == 1)
		snprintf(text, size, "'%.*s' appears twice: both are taken, Perun takes the last",
		    n, n == 0 ? "" : key.p);
	else if (r->count != 0)
		snprintf(text, size,
		    "members that appear twice: %llu, '%.*s' first: all are taken, Perun takes "
		    "the last",
		    (unsigned long long)r->count, n, n == 0 ? "" : key.p);
	return r->count != 0;
}
