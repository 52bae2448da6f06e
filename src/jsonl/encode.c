/* SPDX-License-Identifier: ISC */
/* encode.c - lines of the stream as JSON. */
#include <stdlib.h>
#include <string.h>

#include "lib/hint.h"
#include "lib/mem.h"
#include "lib/short.h"
#include "lib/tab.h"
#include "lib/vec.h"
#include "src/jsonl/jsonl.h"

#define LARGEST_INTEGER "9007199254740992" /* 2^53 */
#define INTEGER_DIGITS (sizeof LARGEST_INTEGER - 1)
#define DOUBLE_DIGITS 17 /* a double holds no more */
#define EXPONENT_MAX 290 /* with a larger one, and DOUBLE_DIGITS, it may be infinite or 0 */
#define NUMBER_MAX ((size_t)4096) /* bytes; Python reads integers of at most 4300 digits */
#define KEYS_MAX ((size_t)4096) /* further keys, and longer ones, take the slow way */
#define KEY_MAX ((size_t)256)
#define LINE_FIXED 256 /* bytes around the columns */
#define TAG_FIXED 16 /* bytes around a tag */

/* A key that has been seen, ready to be written. */
struct key {
	struct slice text; /* KEY= */
	struct slice prefix; /* ,"KEY":" */
	size_t next; /* the key that followed it last time */
	uint64_t line; /* the last line that had it */
};

struct jsonl {
	struct out *out;
	bool numbers;
	struct tab keys, prefixes; /* KEY= and the prefixes, with the same numbers */
	struct key *key;
	size_t cap;
	size_t first; /* the first key of the last line */
	uint64_t line; /* its number, from 1 */
	struct item *item; /* scratch for the slow way */
	size_t item_cap;
};

struct jsonl *
jsonl_open(struct out *o, bool numbers)
{
	struct jsonl *j = mem_zero(1, sizeof *j);

	if (j == NULL)
		return NULL;
	j->out = o;
	j->numbers = numbers;
	return j;
}

void
jsonl_close(struct jsonl *j)
{
	if (j == NULL)
		return;
	tab_free(&j->keys);
	tab_free(&j->prefixes);
	mem_free(j->key);
	mem_free(j->item);
	mem_free(j);
}

/* ---- texts */

/* Returns true if a word has a byte that is 0. */
static inline uint64_t
has_zero(uint64_t v)
{
	return (v - 0x0101010101010101u) & ~v & 0x8080808080808080u;
}

/* Returns true if the text has a quote or a backslash, which JSON escapes. */
static bool
is_special(struct slice s)
{
	const uint64_t quote = 0x2222222222222222u, slash = 0x5c5c5c5c5c5c5c5cu;
	uint64_t found = 0, v;
	size_t i;

	for (i = 0; i + 8 <= s.len; i += 8) {
		v = short_word(s.p + i);
		found |= has_zero(v ^ quote) | has_zero(v ^ slash);
	}
	for (; i < s.len; i++)
		found |= s.p[i] == '"' || s.p[i] == '\\';
	return found != 0;
}

/* Copies a text with escapes: at most twice as many bytes. */
static HINT_APART char *
put_special(char *p, struct slice s)
{
	size_t i;

	for (i = 0; i < s.len; i++) {
		if (s.p[i] == '"' || s.p[i] == '\\')
			*p++ = '\\';
		*p++ = s.p[i];
	}
	return p;
}

static inline char *
put_text(char *p, struct slice s, bool special)
{
	return special ? put_special(p, s) : short_copy(p, s.p, s.len);
}

static inline char *
put_string(char *p, struct slice s, bool special)
{
	*p++ = '"';
	p = put_text(p, s, special);
	*p++ = '"';
	return p;
}

static inline char *
put_literal(char *p, struct slice s)
{
	return short_copy(p, s.p, s.len);
}

/* ---- numbers */

static inline bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static size_t
skip_digits(struct slice s, size_t i)
{
	while (i < s.len && is_digit(s.p[i]))
		i++;
	return i;
}

static bool
is_moderate(struct slice exponent)
{
	size_t i, v = 0;

	for (i = 0; i < exponent.len && v <= EXPONENT_MAX; i++)
		v = v * 10 + (size_t)(exponent.p[i] - '0');
	return v <= EXPONENT_MAX;
}

/*
 * Returns how many digits there are before the first one that is not 0, if the number is below 1.
 * They say how large it is, not how exact.
 */
static size_t
count_zeros(struct slice fraction)
{
	size_t i;

	for (i = 0; i < fraction.len && fraction.p[i] == '0'; i++)
		continue;
	return i + 1;
}

/*
 * Returns true if JSON spells a number like this.  Unless any is set, also requires that a double
 * can hold it.
 */
static bool
is_number(struct slice s, bool any)
{
	size_t begin = s.len != 0 && s.p[0] == '-', i = skip_digits(s, begin), digits = i - begin;
	size_t from, zeros = 0;

	if (digits == 0 || (digits > 1 && s.p[begin] == '0') || s.len > NUMBER_MAX)
		return false;
	if (i == s.len)
		return any || digits < INTEGER_DIGITS ||
		    (digits == INTEGER_DIGITS &&
			memcmp(s.p + begin, LARGEST_INTEGER, INTEGER_DIGITS) <= 0);
	if (s.p[i] == '.') {
		from = i + 1;
		i = skip_digits(s, from);
		if (i == from)
			return false;
		digits += i - from;
		if (s.p[begin] == '0')
			zeros = count_zeros((struct slice){ s.p + from, i - from });
	}
	if (i < s.len && s.p[i] == 'e') {
		from = i + 1 + (i + 1 < s.len && s.p[i + 1] == '-');
		i = skip_digits(s, from);
		if (i == from)
			return false;
		if (!is_moderate((struct slice){ s.p + from, i - from }))
			digits += DOUBLE_DIGITS;
	}
	return i == s.len && (any || (zeros <= DOUBLE_DIGITS && digits - zeros <= DOUBLE_DIGITS));
}

/* Writes a text, as a number if that is wanted and it is one. */
static inline char *
put_value(char *p, struct slice s, bool number, bool any, bool special)
{
	if (slice_is_nothing(s))
		return put_literal(p, SLICE("null"));
	if (number && is_number(s, any))
		return short_copy(p, s.p, s.len);
	return put_string(p, s, special);
}

/* ---- tags */

/* Returns the number of the key of a tag, which is new, or KEYS_MAX if it takes the slow way. */
static HINT_APART size_t
add_key(struct jsonl *j, struct slice text)
{
	char prefix[2 * KEY_MAX + 8], *p = prefix;
	struct slice name = { text.p, text.len - 1 };
	size_t n = j->keys.count;

	if (n == KEYS_MAX || text.len > KEY_MAX || !vec_room_zero(j->key, n, j->cap))
		return KEYS_MAX;
	*p++ = ',';
	p = put_string(p, name, true);
	p = put_literal(p, SLICE(":\""));
	/* equal keys have equal prefixes, so the numbers are the same in both tables */
	if (tab_add(&j->prefixes, (struct slice){ prefix, (size_t)(p - prefix) }, NULL) != n ||
	    tab_add(&j->keys, text, NULL) != n)
		return KEYS_MAX;
	j->key[n] = (struct key){ j->keys.item[n], j->prefixes.item[n], n, 0 };
	return n;
}

/* Returns the number of a tag's key, or KEYS_MAX. */
static HINT_APART size_t
find_key(struct jsonl *j, struct slice tag)
{
	const char *equals = memchr(tag.p, '=', tag.len);
	struct slice text;
	size_t n;

	if (equals == NULL)
		return KEYS_MAX;
	text = (struct slice){ tag.p, (size_t)(equals - tag.p) + 1 };
	n = tab_find(&j->keys, text);
	return n == TAB_NONE ? add_key(j, text) : n;
}

static inline bool
has_key(struct slice tag, const struct key *k)
{
	return tag.len >= k->text.len && short_eq((struct slice){ tag.p, k->text.len }, k->text);
}

/*
 * Writes the members for the tags, each with a comma before it.  Returns NULL if a key is there
 * twice or takes the slow way.  Most lines have the same keys as the line before.
 */
static char *
put_tags(struct jsonl *j, char *p, const struct ev *ev, bool special)
{
	size_t i, n = j->first, last = KEYS_MAX;

	for (i = 0; i < ev->ntags; i++, last = n, n = j->key[n].next) {
		struct slice tag = ev_tag_at(ev, i), value;
		struct key *k;

		if (n >= j->keys.count || !has_key(tag, &j->key[n])) {
			n = find_key(j, tag);
			if (n == KEYS_MAX)
				return NULL;
			*(last == KEYS_MAX ? &j->first : &j->key[last].next) = n;
		}
		k = &j->key[n];
		if (k->line == j->line)
			return NULL;
		k->line = j->line;
		value = (struct slice){ tag.p + k->text.len, tag.len - k->text.len };
		p = short_copy(p, k->prefix.p, k->prefix.len);
		if (slice_is_nothing(value)) {
			p = put_literal(p - 1, SLICE("null"));
		} else if (j->numbers && is_number(value, true)) {
			p = short_copy(p - 1, value.p, value.len);
		} else {
			p = put_text(p, value, special);
			*p++ = '"';
		}
	}
	return p;
}

/* A tag on the slow way. */
struct item {
	struct slice key, value; /* value.p is NULL for a tag without '=' */
	size_t i, first; /* its place, and that of the first tag with the same key */
};

static int
by_key(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int c = slice_cmp(x->key, y->key);

	return c != 0 ? c : (x->i > y->i) - (x->i < y->i);
}

static int
by_first(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return (x->i > y->i) - (x->i < y->i);
}

/* Fills j->item with the tags, those with the same key together.  Returns false without memory. */
static bool
sort_items(struct jsonl *j, const struct ev *ev)
{
	struct slice tag;
	size_t i;

	for (i = 0; i < ev->ntags; i++) {
		const char *equals;

		if (!vec_room(j->item, i, j->item_cap))
			return false;
		tag = ev_tag_at(ev, i);
		equals = tag.len == 0 ? NULL : memchr(tag.p, '=', tag.len);
		j->item[i] = (struct item){ .key = tag, .i = i };
		if (equals != NULL) {
			size_t n = (size_t)(equals - tag.p);

			j->item[i].key.len = n;
			j->item[i].value = (struct slice){ equals + 1, tag.len - n - 1 };
		}
	}
	qsort(j->item, ev->ntags, sizeof *j->item, by_key);
	for (i = 0; i < ev->ntags; i++)
		j->item[i].first = i > 0 && slice_eq(j->item[i].key, j->item[i - 1].key)
		    ? j->item[i - 1].first
		    : j->item[i].i;
	qsort(j->item, ev->ntags, sizeof *j->item, by_first);
	return true;
}

static char *
put_item(const struct jsonl *j, char *p, const struct item *t)
{
	if (t->value.p == NULL)
		return put_literal(p, SLICE("true"));
	return put_value(p, t->value, j->numbers, true, true);
}

/* Does the same as put_tags for any tags.  *mixed is set if equal keys are not adjacent. */
static char *
put_items(const struct jsonl *j, char *p, const struct ev *ev, bool *mixed)
{
	size_t i, end;

	*mixed = false;
	for (i = 0; i < ev->ntags; i = end) {
		const struct item *t = &j->item[i];

		for (end = i + 1; end < ev->ntags && j->item[end].first == t->first; end++)
			*mixed |= j->item[end].i != j->item[end - 1].i + 1;
		*p++ = ',';
		p = put_string(p, t->key, true);
		*p++ = ':';
		if (end == i + 1) {
			p = put_item(j, p, t);
			continue;
		}
		for (*p++ = '['; t < j->item + end; t++) {
			p = put_item(j, p, t);
			*p++ = ',';
		}
		p[-1] = ']';
	}
	return p;
}

static char *
put_order(char *p, const struct ev *ev)
{
	size_t i;

	p = put_literal(p, SLICE(",\"order\":["));
	for (i = 0; i < ev->ntags; i++) {
		struct slice tag = ev_tag_at(ev, i);
		const char *equals = tag.len == 0 ? NULL : memchr(tag.p, '=', tag.len);

		if (equals != NULL)
			tag.len = (size_t)(equals - tag.p);
		p = put_string(p, tag, true);
		*p++ = ',';
	}
	p[-1] = ']';
	return p;
}

/* ---- lines */

static char *
put_columns(const struct jsonl *j, char *p, const struct ev *ev, bool special)
{
	p = put_literal(p, SLICE("{\"kind\":"));
	p = put_value(p, ev->col[EV_KIND], false, false, special);
	p = put_literal(p, SLICE(",\"time\":"));
	p = put_value(p, ev->col[EV_TIME], true, j->numbers, special);
	p = put_literal(p, SLICE(",\"run\":"));
	p = put_value(p, ev->col[EV_RUN], j->numbers, true, special);
	p = put_literal(p, SLICE(",\"region\":"));
	p = put_value(p, ev->col[EV_REGION], false, false, special);
	p = put_literal(p, SLICE(",\"measure\":"));
	p = put_value(p, ev->col[EV_MEASURE], false, false, special);
	p = put_literal(p, SLICE(",\"value\":"));
	p = put_value(p, ev->col[EV_VALUE], j->numbers || !ev_value_is_text(ev), j->numbers,
	    special);
	return put_literal(p, SLICE(",\"tags\":"));
}

/* Writes a whole line on the slow way. */
static HINT_APART int
put_any_line(struct jsonl *j, const struct ev *ev, struct err *e)
{
	char *p, *begin, *tags;
	bool mixed;

	if (!sort_items(j, ev))
		return err_nomem(e);
	/* each byte is there at most twice, in tags and in order, and may be escaped */
	p = begin = out_room(j->out, 4 * ev->text.len + 2 * TAG_FIXED * ev->ntags + LINE_FIXED);
	if (p == NULL)
		return err_nomem(e);
	tags = p = put_columns(j, p, ev, true);
	p = put_items(j, p, ev, &mixed);
	*tags = '{';
	*p++ = '}';
	if (mixed)
		p = put_order(p, ev);
	p = put_literal(p, SLICE("}\n"));
	out_commit(j->out, (size_t)(p - begin));
	return 0;
}

int
jsonl_line(struct jsonl *j, const struct ev *ev, struct err *e)
{
	char *begin = out_room(j->out, 2 * ev->text.len + TAG_FIXED * ev->ntags + LINE_FIXED);
	bool special = is_special(ev->text);
	char *p, *tags;

	if (begin == NULL)
		return err_nomem(e);
	j->line++;
	p = tags = put_columns(j, begin, ev, special);
	if (ev->ntags == 0)
		*p++ = '{';
	else
		p = put_tags(j, p, ev, special);
	if (p == NULL)
		return put_any_line(j, ev, e);
	*tags = '{';
	p = put_literal(p, SLICE("}}\n"));
	out_commit(j->out, (size_t)(p - begin));
	return 0;
}

void
jsonl_hashed(struct jsonl *j, struct slice line)
{
	size_t i, tabs = 0, n;
	char *p, *begin;

	for (i = 0; i < line.len; i++)
		tabs += line.p[i] == '\t';
	begin = p = out_room(j->out, 2 * line.len + TAG_FIXED * tabs + LINE_FIXED);
	if (p == NULL)
		return;
	p = put_literal(p, SLICE("{\"kind\":"));
	for (i = 0;; i += n + 1) {
		const char *tab = memchr(line.p + i, '\t', line.len - i);

		n = tab == NULL ? line.len - i : (size_t)(tab - line.p) - i;
		p = put_string(p, (struct slice){ line.p + i, n }, true);
		if (i == 0)
			p = put_literal(p, SLICE(",\"words\":["));
		else if (tab != NULL)
			*p++ = ',';
		if (tab == NULL)
			break;
	}
	p = put_literal(p, SLICE("]}\n"));
	out_commit(j->out, (size_t)(p - begin));
}
