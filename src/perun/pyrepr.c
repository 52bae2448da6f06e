/* SPDX-License-Identifier: ISC */
/* pyrepr.c - JSON's values as Python's str() spells them, containers too. */
#include "src/perun/pyrepr.h"

#include <stdio.h>

#include "lib/json/jtext.h"
#include "lib/json/jdict.h"
#include "src/perun/pytext.h"

struct repr {
	struct buf *out;
	const char *text;
	const struct jscan_token *token;
	struct jdict members;
	struct buf scratch;
};

static bool
put(struct buf *b, const char *s)
{
	return buf_put(b, s, strlen(s));
}

/* str.isprintable is false of these: controls, formats, blanks but the space, private use. */
static bool
is_printable(uint32_t c)
{
	static const uint32_t hidden[][2] = { { 0, 0x1f }, { 0x7f, 0xa0 }, { 0xad, 0xad },
		{ 0x600, 0x605 }, { 0x61c, 0x61c }, { 0x6dd, 0x6dd }, { 0x70f, 0x70f },
		{ 0x890, 0x891 }, { 0x8e2, 0x8e2 }, { 0x1680, 0x1680 }, { 0x180e, 0x180e },
		{ 0x2000, 0x200f }, { 0x2028, 0x202f }, { 0x205f, 0x2064 }, { 0x2066, 0x206f },
		{ 0x3000, 0x3000 }, { 0xd800, 0xf8ff }, { 0xfeff, 0xfeff }, { 0xfff9, 0xfffb },
		{ 0x110bd, 0x110bd }, { 0x110cd, 0x110cd }, { 0x13430, 0x13438 },
		{ 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a }, { 0xe0001, 0xe0001 },
		{ 0xe0020, 0xe007f }, { 0xf0000, 0x10ffff } };
	size_t i;

	for (i = 0; i < sizeof hidden / sizeof hidden[0]; i++)
		if (c >= hidden[i][0] && c <= hidden[i][1])
			return false;
	return true;
}

/* The character at s[*i] of well-formed UTF-8, in which surrogates have three bytes. */
static uint32_t
take_character(struct slice s, size_t *i)
{
	const unsigned char *p = (const unsigned char *)s.p + *i;
	size_t n = p[0] < 0x80 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4, k;
	uint32_t c = n == 1 ? p[0] : p[0] & (0x7fu >> n);

	for (k = 1; k < n && *i + k < s.len; k++)
		c = c << 6 | (p[k] & 0x3f);
	*i += k;
	return c;
}

static bool
put_hidden(struct buf *b, uint32_t c)
{
	char text[16];
	const char *form = c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x";

	snprintf(text, sizeof text, form, (unsigned)c);
	return put(b, text);
}

static bool
put_character(struct buf *b, uint32_t c, struct slice bytes, char quote)
{
	switch (c) {
	case '\t': return put(b, "\\t");
	case '\n': return put(b, "\\n");
	case '\r': return put(b, "\\r");
	case '\\': return put(b, "\\\\");
	}
	if (c == (unsigned char)quote)
		return buf_putc(b, '\\') && buf_putc(b, quote);
	return is_printable(c) ? buf_put(b, bytes.p, bytes.len) : put_hidden(b, c);
}

static bool
put_string(struct repr *x, const struct jscan_token *k)
{
	struct slice s;
	size_t i = 0, from;
	char quote = '\'';
	bool ok;

	x->scratch.len = 0;
	if (!jtext_undo(&x->scratch, (struct slice){ x->text + k->off, k->len }))
		return false;
	s = buf_slice(&x->scratch);
	if (s.len != 0 && memchr(s.p, '\'', s.len) != NULL && memchr(s.p, '"', s.len) == NULL)
		quote = '"';
	ok = buf_putc(x->out, quote);
	while (ok && i < s.len) {
		uint32_t c;

		from = i;
		c = take_character(s, &i);
		ok = put_character(x->out, c, (struct slice){ s.p + from, i - from }, quote);
	}
	return ok && buf_putc(x->out, quote);
}

static bool
put_scalar(struct repr *x, const struct jscan_token *k)
{
	struct slice s;

	x->scratch.len = 0;
	if (!buf_room(&x->scratch, k->len + PYTEXT_FLOAT_MAX))
		return false;
	s = pytext_str(&x->scratch, x->text, k);
	return buf_put(x->out, s.p, s.len);
}

static bool put_value(struct repr *x, uint32_t index);

static bool
put_object(struct repr *x, uint32_t index)
{
	size_t from = x->members.n, i;
	bool ok = jdict_push(&x->members, x->text, x->token, index) && buf_putc(x->out, '{');

	for (i = from; ok && i < x->members.n; i++) {
		struct jdict_member m = x->members.m[i];

		ok = (i == from || put(x->out, ", ")) && put_string(x, &x->token[m.name]) &&
		    put(x->out, ": ") && put_value(x, m.value);
	}
	x->members.n = from;
	return ok && buf_putc(x->out, '}');
}

static bool
put_value(struct repr *x, uint32_t index)
{
	const struct jscan_token *k = &x->token[index];
	uint32_t i;
	bool ok;

	if (k->kind == JSCAN_OBJECT)
		return put_object(x, index);
	if (k->kind == JSCAN_STRING)
		return put_string(x, k);
	if (k->kind != JSCAN_ARRAY)
		return put_scalar(x, k);
	ok = buf_putc(x->out, '[');
	for (i = index + 1; ok && i < k->next; i = x->token[i].next)
		ok = (i == index + 1 || put(x->out, ", ")) && put_value(x, i);
	return ok && buf_putc(x->out, ']');
}

bool
pyrepr_str(struct buf *out, const char *text, const struct jscan_token *token, uint32_t index)
{
	struct repr x = { .out = out, .text = text, .token = token };
	const struct jscan_token *k = &token[index];
	bool ok;

	if (k->kind == JSCAN_STRING)
		return jtext_undo(out, (struct slice){ text + k->off, k->len });
	ok = put_value(&x, index);
	jdict_free(&x.members);
	buf_free(&x.scratch);
	return ok;
}
