/* SPDX-License-Identifier: ISC */
/* symbolizer.c - the texts that describe a place. */
#include "lib/symbolizer.h"

#include <string.h>

#include "lib/esc.h"
#include "lib/num.h"

void
sym_texts_free(struct sym_texts *t)
{
	tab_free(&t->spelled);
	buf_free(&t->scratch);
}

/* Stores the scratch text.  p is NULL if memory runs out. */
static struct slice
keep(struct sym_texts *t)
{
	size_t n = tab_add(&t->spelled, buf_slice(&t->scratch), NULL);

	return n == TAB_NONE ? (struct slice){ NULL, 0 } : t->spelled.item[n];
}

struct slice
sym_spell(struct sym_texts *t, struct slice name)
{
	if (name.p == NULL || esc_is_plain(name.p, name.len, ESC_ELEMENT))
		return name;
	t->scratch.len = 0;
	if (!esc_append(&t->scratch, name.p, name.len, ESC_ELEMENT))
		return (struct slice){ NULL, 0 };
	return keep(t);
}

static struct slice
name_of(const struct symbolizer *s, const struct sym_object *o, const struct symbol *symbol)
{
	if (o != NULL && s != NULL && s->name != NULL)
		return s->name(s->ctx, symbol);
	return (struct slice){ symbol->name, symbol->namelen };
}

/* Appends "FILE:LINE", with "?" for an unknown part. */
static bool
put_line(struct buf *b, const struct sym_line *l)
{
	char digits[NUM_MAX];

	if (l->file.len == 0)
		return buf_putc(b, '?');
	if (!esc_append(b, l->file.p, l->file.len, ESC_ELEMENT) || !buf_putc(b, ':'))
		return false;
	return l->line == 0 ? buf_putc(b, '?') : buf_put(b, digits, num_put_u64(digits, l->line));
}

/*
 * Joins the lines of n functions, innermost first, in out->lines.  With n = 0 the line is unknown.
 */
static bool
join_lines(struct sym_texts *t, const struct sym_line *l, size_t n, struct sym_place *out)
{
	struct buf *b = &t->scratch;
	size_t i, last = 0;
	bool ok = true;

	b->len = 0;
	for (i = n; i > 0 && ok; i--) {
		last = b->len;
		ok = put_line(b, &l[i - 1]) && (i == 1 || buf_putc(b, ';'));
	}
	if (!ok || (n == 0 && !buf_putc(b, '?')))
		return false;
	out->lines = keep(t);
	if (out->lines.p == NULL)
		return false;
	out->line = (struct slice){ out->lines.p + last, out->lines.len - last };
	if (n == 0 || l->file.len == 0)
		out->line.len = 0;
	return true;
}

/* Appends the inlined functions l[0..n), which are innermost first, to out->functions. */
static bool
join_functions(struct sym_texts *t, const struct sym_line *l, size_t n, struct sym_place *out)
{
	struct buf *b = &t->scratch;
	size_t i, last = 0;

	b->len = 0;
	if (!buf_put(b, out->functions.p, out->functions.len))
		return false;
	for (i = n; i > 0; i--) {
		struct slice name = l[i - 1].function;

		if (name.len == 0)
			name = SLICE("[unknown]");
		if (!buf_putc(b, ';'))
			return false;
		last = b->len;
		if (!esc_append(b, name.p, name.len, ESC_ELEMENT))
			return false;
	}
	out->functions = keep(t);
	if (out->functions.p == NULL)
		return false;
	out->leaf = (struct slice){ out->functions.p + last, out->functions.len - last };
	out->inlined = true;
	return true;
}

bool
sym_describe(const struct symbolizer *s, struct sym_texts *t, const struct sym_object *o,
    const struct symbol *symbol, uint64_t place, struct sym_place *out)
{
	const struct sym_line *l = NULL;
	size_t n = 0, elements;

	*out = (struct sym_place){ .functions = sym_spell(t, name_of(s, o, symbol)) };
	out->leaf = out->functions;
	if (out->functions.p == NULL || s == NULL || s->wanted == 0)
		return out->functions.p != NULL;
	if (o != NULL)
		l = s->lines(s->ctx, o, place, &n);
	elements = (s->wanted & SYM_INLINED) == 0 && n > 1 ? 1 : n;
	if ((s->wanted & SYM_LINES) != 0 && !join_lines(t, l, elements, out))
		return false;
	return elements < 2 || join_functions(t, l, elements - 1, out);
}

bool
sym_describe_line(struct sym_texts *t, const struct sym_line *l, struct sym_place *out)
{
	return join_lines(t, l, l == NULL ? 0 : 1, out);
}
