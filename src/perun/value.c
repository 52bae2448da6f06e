/* SPDX-License-Identifier: ISC */
/* value.c - a JSON value as Perun looks into it: by a key path, compared as Python does. */
#include "src/perun/value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/json/jtext.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/vec.h"
#include "src/perun/pytext.h"

/* A float that is integral is equal to the integer, of whatever size. */
static bool
put_number(struct buf *out, struct slice number)
{
	char text[400];
	double d = pytext_double(number);
	const char *form = !isfinite(d) || d != floor(d) ? "%.17g" : "%.0f";

	snprintf(text, sizeof text, form, d == 0 ? 0.0 : d);
	return buf_put(out, text, strlen(text));
}

static bool
put_word(struct buf *out, struct slice word)
{
	switch (word.p[0]) {
	case 't': return buf_put(out, "1", 1);
	case 'f': return buf_put(out, "0", 1);
	case 'n': return buf_put(out, "None", 4);
	case 'N': return buf_put(out, "nan", 3);
	}
	return word.len == 8 ? buf_put(out, "inf", 3) : buf_put(out, "-inf", 4);
}

/* With its length before it, so that no text can look like another value. */
static bool
put_string(struct buf *out, struct slice inside)
{
	char digits[NUM_MAX];
	size_t from = out->len, n;

	if (!buf_room(out, NUM_MAX) || !jtext_undo(out, inside))
		return false;
	n = num_put_u64(digits, out->len - from);
	digits[n++] = '"';
	if (!buf_room(out, n))
		return false;
	memmove(out->p + from + n, out->p + from, out->len - from);
	memcpy(out->p + from, digits, n);
	out->len += n;
	return true;
}

/* A member's identity, for sorting: the name comes first in it. */
struct part {
	size_t at, len;
	const char *base;
};

static int
by_text(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return slice_cmp((struct slice){ x->base + x->at, x->len },
	    (struct slice){ y->base + y->at, y->len });
}

static bool
sort_parts(struct buf *out, size_t from, struct part *part, size_t n)
{
	size_t i, len = out->len - from, at = 0;
	char *copy = mem_alloc(len + 1);

	if (copy == NULL)
		return false;
	memcpy(copy, out->p + from, len);
	for (i = 0; i < n; i++) {
		part[i].at -= from;
		part[i].base = copy;
	}
	qsort(part, n, sizeof *part, by_text);
	for (i = 0; i < n; at += part[i++].len)
		memcpy(out->p + from + at, copy + part[i].at, part[i].len);
	mem_free(copy);
	return true;
}

static bool
put_object(struct jvalue *v, uint32_t index, struct buf *out)
{
	size_t base = v->members.n, i, n, from;
	struct part *part;
	bool ok;

	if (!buf_putc(out, '{') || !jdict_push(&v->members, v->j.text, v->j.token, index))
		return false;
	n = v->members.n - base;
	from = out->len;
	part = mem_alloc((n + 1) * sizeof *part);
	ok = part != NULL;
	for (i = 0; ok && i < n; i++) {
		struct jdict_member m = v->members.m[base + i];

		part[i].at = out->len;
		ok = put_string(out, jvalue_inside(v, m.name)) && value_identity(v, m.value, out);
		part[i].len = out->len - part[i].at;
	}
	v->members.n = base;
	ok = ok && (n < 2 || sort_parts(out, from, part, n)) && buf_putc(out, '}');
	mem_free(part);
	return ok;
}

bool
value_identity(struct jvalue *v, uint32_t index, struct buf *out)
{
	struct slice s = jvalue_inside(v, index);
	uint32_t i, end = v->j.token[index].next;
	bool ok;

	switch (v->j.token[index].kind) {
	case JSCAN_OBJECT: return put_object(v, index, out);
	case JSCAN_STRING: return put_string(out, s);
	case JSCAN_INTEGER:
		ok = s.len == 2 && memcmp(s.p, "-0", 2) == 0;
		return buf_put(out, s.p + ok, s.len - ok) && buf_putc(out, ' ');
	case JSCAN_FLOAT: return put_number(out, s) && buf_putc(out, ' ');
	case JSCAN_WORD: return put_word(out, s) && buf_putc(out, ' ');
	}
	ok = buf_putc(out, '[');
	for (i = index + 1; ok && i < end; i = v->j.token[i].next)
		ok = value_identity(v, i, out);
	return ok && buf_putc(out, ']');
}

bool
value_found(struct value_path *p, uint32_t index)
{
	if (!vec_room(p->found, p->n, p->cap)) {
		p->no_memory = true;
		return false;
	}
	p->found[p->n++] = index;
	return true;
}

/* Python's "in" for what is no dictionary: true where it raises, or what follows does. */
static bool
raises(struct jvalue *v, uint32_t index, struct slice name)
{
	const struct jscan_token *k = &v->j.token[index];
	struct slice s = jvalue_inside(v, index);
	uint32_t i;
	size_t at;

	if (k->kind == JSCAN_ARRAY) {
		for (i = index + 1; i < k->next; i = v->j.token[i].next)
			if (v->j.token[i].kind == JSCAN_STRING && jvalue_is(v, i, name) > 0)
				return true;
		return false;
	}
	if (k->kind != JSCAN_STRING)
		return true;
	if ((k->flags & JSCAN_ESCAPED) != 0) {
		v->name.len = 0;
		if (!jtext_undo(&v->name, s))
			return true;
		s = buf_slice(&v->name);
	}
	for (at = 0; at + name.len <= s.len; at++)
		if (name.len == 0 || memcmp(s.p + at, name.p, name.len) == 0)
			return true;
	return false;
}

void
value_walk(struct jvalue *v, uint32_t index, struct slice path, struct value_path *p)
{
	const char *colon;
	struct slice name, rest = path;
	uint32_t i;
	bool last = false;

	while (!last) {
		colon = rest.len == 0 ? NULL : memchr(rest.p, ':', rest.len);
		last = colon == NULL;
		name = (struct slice){ rest.p, last ? rest.len : (size_t)(colon - rest.p) };
		rest.p += name.len + !last;
		rest.len -= name.len + !last;
		if (name.len == 0 && v->j.token[index].kind == JSCAN_ARRAY) {
			for (i = index + 1; i < v->j.token[index].next; i = v->j.token[i].next)
				value_walk(v, i, rest, p);
			return;
		}
		if (v->j.token[index].kind != JSCAN_OBJECT) {
			p->scalar |= raises(v, index, name);
			return;
		}
		index = jvalue_member(v, index, name);
		if (index == JVALUE_NO_MEMORY)
			p->no_memory = true;
		if (index >= JVALUE_NO_MEMORY)
			return;
	}
	(void)value_found(p, index);
}
