/* SPDX-License-Identifier: ISC */
/* flat.c - flattens a resource as Perun does. */
#include "src/perun/flat.h"

#include "lib/short.h"
#include "lib/esc.h"
#include "lib/json/jtext.h"
#include "lib/mem.h"
#include "lib/vec.h"
#include "src/perun/pytext.h"

/*
 * The maximum factor by which a resource may grow.  A joined value repeats its parts once for each
 * dictionary around them, so this limit is exceeded only by nesting that is deeper than in any real
 * profile.
 */
#define GROWTH 16
#define GROWTH_BASE ((size_t)4096)

void
flat_free(struct flat *f)
{
	mem_free(f->item);
	buf_free(&f->arena);
	buf_free(&f->join);
	jdict_free(&f->members);
	mem_free(f->order);
	*f = (struct flat){ 0 };
}

bool
flat_begin(struct flat *f, size_t text_len)
{
	f->n = f->members.n = 0;
	f->arena.len = f->join.len = 0;
	f->too_long = f->no_memory = f->empty_name = f->odd_name = false;
	f->budget = GROWTH_BASE + GROWTH * text_len;
	/* there is room beyond the budget for one more scalar of any kind */
	return buf_room(&f->arena, f->budget + text_len + 2 * PYTEXT_FLOAT_MAX);
}

/* Returns true while there is room for n more bytes. */
static inline bool
afford(struct flat *f, size_t n)
{
	if (f->too_long || f->no_memory)
		return false;
	if (f->arena.len + f->join.len + n > f->budget) {
		f->too_long = true;
		return false;
	}
	return true;
}

static struct flat_item *
push(struct flat *f)
{
	if (!vec_room(f->item, f->n, f->cap)) {
		f->no_memory = true;
		return NULL;
	}
	return &f->item[f->n++];
}

static inline void
arena_put(struct flat *f, struct slice s)
{
	if (s.len != 0)
		(void)short_copy(f->arena.p + f->arena.len, s.p, s.len);
	f->arena.len += s.len;
}

static bool
is_clean_name(const char *text, const struct jscan_token *k)
{
	return k->flags == 0 && memchr(text + k->off, '=', k->len) == NULL;
}

/* Appends a name to the prefix of the containers around it. */
static struct slice
path_of(struct flat *f, struct slice prefix, const struct jscan_token *name)
{
	struct slice s = { f->text + name->off, name->len };
	size_t from;

	if (prefix.len == 0 && (name->flags & JSCAN_ESCAPED) == 0)
		return s;
	if (!afford(f, prefix.len + s.len))
		return s;
	from = f->arena.len;
	arena_put(f, prefix);
	if ((name->flags & JSCAN_ESCAPED) == 0)
		arena_put(f, s);
	else if (!jtext_undo(&f->arena, s))
		f->no_memory = true;
	return (struct slice){ f->arena.p + from, f->arena.len - from };
}

/*
 * Returns Perun's rank of a name in a joined value.  Names in Perun's list come before all others.
 */
static unsigned
known_rank(struct slice s)
{
	static const struct {
		struct slice name;
		unsigned rank;
	} known[] = { { { "bin", 3 }, 0 }, { { "file", 4 }, 1 }, { { "source", 6 }, 1 },
		{ { "package", 7 }, 1 }, { { "module", 6 }, 2 }, { { "class", 5 }, 3 },
		{ { "struct", 6 }, 3 }, { { "structure", 9 }, 3 }, { { "function", 8 }, 4 },
		{ { "func", 4 }, 4 }, { { "method", 6 }, 4 }, { { "procedure", 9 }, 4 },
		{ { "line", 4 }, 5 }, { { "instruction", 11 }, 6 } };
	size_t i;

	for (i = 0; i < sizeof known / sizeof known[0]; i++)
		if (slice_eq(known[i].name, s))
			return known[i].rank;
	return 7;
}

/*
 * Writes the code of the next character of a name, plus 6, in decimal.  Perun ranks names that are
 * not in its list by these digits.
 */
static size_t
character_digits(struct slice *s, char *dst)
{
	uint32_t c = pytext_character(s) + 6;
	char reversed[10];
	size_t i, len = 0;

	for (; c != 0; c /= 10)
		reversed[len++] = (char)('0' + c % 10);
	for (i = 0; i < len; i++)
		dst[i] = reversed[len - 1 - i];
	return len;
}

static size_t
rank_digits(struct slice s)
{
	char digits[10];
	size_t n = 0;

	while (s.len != 0)
		n += character_digits(&s, digits);
	return n;
}

/* Compares names as the integers formed by the digits of all their characters. */
static int
unknown_cmp(struct slice a, struct slice b)
{
	char x[10], y[10];
	size_t i = 0, j = 0, nx = 0, ny = 0, la = rank_digits(a), lb = rank_digits(b);

	if (la != lb)
		return la < lb ? -1 : 1;
	for (; la > 0; la--, i++, j++) {
		if (i == nx) {
			nx = character_digits(&a, x);
			i = 0;
		}
		if (j == ny) {
			ny = character_digits(&b, y);
			j = 0;
		}
		if (x[i] != y[j])
			return x[i] < y[j] ? -1 : 1;
	}
	return 0;
}

static int
rank_cmp(struct slice a, struct slice b)
{
	unsigned x = known_rank(a), y = known_rank(b);

	if (x != y)
		return x < y ? -1 : 1;
	return x < 7 ? 0 : unknown_cmp(a, b);
}

/* Returns the name of an item within a dictionary.  PREFIX is the length of the path before it. */
static struct slice
name_in(const struct flat *f, size_t item, size_t prefix)
{
	struct slice s = f->item[item].path;

	return (struct slice){ s.p + prefix, s.len - prefix };
}

/* Sorts order[0..n) stably by rank.  This is a merge sort, since the input determines n. */
static void
sort_order(const struct flat *f, size_t *order, size_t *scratch, size_t n, size_t prefix)
{
	size_t half = n / 2, i = 0, j = half, k = 0;

	if (n < 2)
		return;
	sort_order(f, order, scratch, half, prefix);
	sort_order(f, order + half, scratch, n - half, prefix);
	memcpy(scratch, order, n * sizeof *order);
	while (i < half || j < n) {
		bool left = j == n ||
		    (i < half &&
			rank_cmp(name_in(f, scratch[i], prefix), name_in(f, scratch[j], prefix)) <=
			    0);

		order[k++] = left ? scratch[i++] : scratch[j++];
	}
}

/*
 * Returns item FROM and all items after it in the order of their ranks.  Returns NULL if there are
 * none, or if memory runs out.
 */
static size_t *
sorted(struct flat *f, size_t from, size_t prefix)
{
	size_t n = f->n - from, i;

	if (n == 0)
		return NULL;
	if (2 * n > f->order_cap) {
		size_t *order = mem_resize(f->order, 4 * n * sizeof *order);

		if (order == NULL) {
			f->no_memory = true;
			return NULL;
		}
		f->order = order;
		f->order_cap = 4 * n;
	}
	for (i = 0; i < n; i++) {
		f->order[i] = from + i;
		f->empty_name |= name_in(f, from + i, prefix).len == 0;
	}
	sort_order(f, f->order, f->order + n, n, prefix);
	return f->order;
}

/* Returns the joined values of item FROM and all items after it, in the order of their ranks. */
static struct slice
joined(struct flat *f, size_t from, size_t prefix, bool *clean)
{
	size_t n = f->n - from, i, start = f->arena.len;
	size_t *order = sorted(f, from, prefix);

	for (i = 0; order != NULL && i < n; i++) {
		struct slice v = f->item[order[i]].value;

		if (!afford(f, v.len + 1))
			break;
		if (i != 0)
			f->arena.p[f->arena.len++] = ':';
		arena_put(f, v);
		*clean &= f->item[order[i]].clean;
	}
	return (struct slice){ f->arena.p + start, f->arena.len - start };
}

static void add_object(struct flat *f, uint32_t index, struct slice prefix);
static void list_values(struct flat *f, uint32_t index, bool *clean);

static void
join_put(struct flat *f, struct slice s)
{
	if (!afford(f, s.len))
		return;
	if (!buf_room(&f->join, s.len))
		f->no_memory = true;
	else if (s.len != 0)
		f->join.len = (size_t)(short_copy(f->join.p + f->join.len, s.p, s.len) - f->join.p);
}

/*
 * Reads an element {"name": NAME, "value": VALUE} of a list as a member.  Returns false if it does
 * not have that form.
 */
static bool
named(const struct flat *f, uint32_t index, struct jdict_member *m)
{
	const struct jscan_token *t = f->token;
	uint32_t i;
	bool name;

	*m = (struct jdict_member){ 0, 0 };
	if (t[index].kind != JSCAN_OBJECT)
		return false;
	for (i = index + 1; i < t[index].next; i = t[i + 1].next) {
		name = jscan_is(f->text, &t[i], SLICE("name"));
		if (!name && !jscan_is(f->text, &t[i], SLICE("value")))
			return false;
		*(name ? &m->name : &m->value) = i + 1;
	}
	return m->name != 0 && m->value != 0;
}

/* Returns whether the value is a dictionary, or a list that is treated as a dictionary. */
static bool
is_dictionary(struct flat *f, uint32_t index)
{
	struct jdict_member m;
	bool is = false;
	uint32_t i;

	if (!f->named_lists || f->token[index].kind != JSCAN_ARRAY)
		return f->token[index].kind == JSCAN_OBJECT;
	for (i = index + 1; i < f->token[index].next; i = f->token[i].next) {
		is = named(f, i, &m);
		if (!is)
			break;
	}
	return is;
}

/* Pushes the members of the dictionary.  In a list a name need not be a string. */
static void
push_members(struct flat *f, uint32_t index)
{
	size_t from = f->members.n;
	struct jdict_member m;
	uint32_t i;

	if (f->token[index].kind == JSCAN_OBJECT) {
		f->no_memory |= !jdict_push(&f->members, f->text, f->token, index);
		return;
	}
	for (i = index + 1; i < f->token[index].next; i = f->token[i].next) {
		if (named(f, i, &m)) /* this is true for all elements */
			f->no_memory |= !jdict_add(&f->members, m);
		f->odd_name |= f->token[m.name].kind != JSCAN_STRING;
	}
	f->no_memory |= !jdict_unite(&f->members, from, f->text, f->token);
}

static bool
is_shallow(const struct flat *f, size_t from)
{
	size_t i;

	for (i = from; i < f->members.n; i++)
		if (f->token[f->members.m[i].value].kind <= JSCAN_ARRAY)
			return false;
	return true;
}

static void
join_scalar(struct flat *f, const struct jscan_token *k, bool *clean)
{
	size_t keep = f->arena.len;

	if (!afford(f, k->len + PYTEXT_FLOAT_MAX))
		return;
	join_put(f, pytext_str(&f->arena, f->text, k));
	f->arena.len = keep;
	*clean &= k->flags == 0;
}

/* Joins the values of a dictionary in a list, in their own order. */
static void
join_object(struct flat *f, uint32_t index, bool *clean)
{
	size_t items = f->n, from = f->members.n, i;

	push_members(f, index);
	if (is_shallow(f, from)) {
		for (i = from; i < f->members.n; i++) {
			if (i != from)
				join_put(f, SLICE(":"));
			join_scalar(f, &f->token[f->members.m[i].value], clean);
		}
		f->members.n = from;
		return;
	}
	f->members.n = from;
	add_object(f, index, SLICE(""));
	for (i = items; i < f->n; i++) {
		if (i != items)
			join_put(f, SLICE(":"));
		join_put(f, f->item[i].value);
		*clean &= f->item[i].clean;
	}
	f->n = items;
}

static void
list_values(struct flat *f, uint32_t index, bool *clean)
{
	uint32_t i;

	for (i = index + 1; i < f->token[index].next; i = f->token[i].next) {
		if (f->too_long || f->no_memory)
			return;
		if (i != index + 1)
			join_put(f, SLICE(","));
		if (is_dictionary(f, i))
			join_object(f, i, clean);
		else if (f->token[i].kind == JSCAN_ARRAY)
			list_values(f, i, clean);
		else
			join_scalar(f, &f->token[i], clean);
	}
}

static struct slice
list_joined(struct flat *f, uint32_t index, bool *clean)
{
	size_t from = f->join.len, start;
	struct slice s = { NULL, 0 };

	list_values(f, index, clean);
	start = f->arena.len;
	s.len = f->join.len - from;
	s.p = f->arena.p + start;
	f->join.len = from;
	if (s.len != 0 && afford(f, s.len))
		arena_put(f, (struct slice){ f->join.p + from, s.len });
	else
		s.len = 0;
	return s;
}

/* Returns the prefix of names inside the dictionary at PATH, with its colon, in the arena. */
static struct slice
prefix_of(struct flat *f, struct slice path)
{
	size_t from = f->arena.len;

	if (!afford(f, path.len + 1))
		return path;
	arena_put(f, path);
	f->arena.p[f->arena.len++] = ':';
	return (struct slice){ f->arena.p + from, path.len + 1 };
}

/* Returns whether str() of the value is the same as its text. */
static bool
is_borrowed(const struct jscan_token *k)
{
	return k->kind != JSCAN_FLOAT && (k->flags & JSCAN_ESCAPED) == 0;
}

static void
add_member(struct flat *f, struct jdict_member m, struct slice prefix)
{
	const struct jscan_token *name = &f->token[m.name], *value = &f->token[m.value];
	struct slice path = path_of(f, prefix, name), v, inner;
	bool clean = value->flags == 0; /* a list or a dictionary has no flags itself */
	struct flat_item *item;
	size_t from = f->n;

	if (is_dictionary(f, m.value)) {
		inner = prefix_of(f, path);
		add_object(f, m.value, inner);
		v = joined(f, from, inner.len, &clean);
	} else if (value->kind == JSCAN_ARRAY) {
		v = list_joined(f, m.value, &clean);
	} else if (!is_borrowed(value) && !afford(f, value->len + PYTEXT_FLOAT_MAX)) {
		return;
	} else {
		v = pytext_str(&f->arena, f->text, value);
	}
	if (f->too_long || f->no_memory)
		return;
	if (!is_clean_name(f->text, name)) {
		clean = false;
		for (; from < f->n; from++)
			f->item[from].clean = false;
	}
	if ((item = push(f)) == NULL)
		return;
	*item = (struct flat_item){ path, v, prefix.len == 0, value->kind, clean };
}

static void
add_object(struct flat *f, uint32_t index, struct slice prefix)
{
	size_t from = f->members.n, i, n;

	push_members(f, index);
	n = f->members.n;
	for (i = from; i < n && !f->too_long && !f->no_memory; i++)
		add_member(f, f->members.m[i], prefix);
	f->members.n = from;
}

bool
flat_add(struct flat *f, const char *text, const struct jscan_token *token)
{
	f->text = text;
	f->token = token;
	add_object(f, 0, SLICE(""));
	return !f->no_memory;
}

bool
flat_has_empty_name(const struct jscan_token *token, uint32_t index, bool ranked)
{
	uint32_t i, end = token[index].next;
	bool object = token[index].kind == JSCAN_OBJECT;

	if (token[index].kind > JSCAN_ARRAY)
		return false;
	for (i = index + 1; i < end; i = token[i].next) {
		if (object && ranked && token[i].len == 0)
			return true;
		i += object;
		if (flat_has_empty_name(token, i, object))
			return true;
	}
	return false;
}
