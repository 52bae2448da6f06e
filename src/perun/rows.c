/* SPDX-License-Identifier: ISC */
/* rows.c - makes the resources of a type from its lists. */
#include "src/perun/rows.h"

#include "lib/mem.h"
#include "lib/vec.h"

void
rows_free(struct rows *r)
{
	jdict_free(&r->lists);
	buf_free(&r->row);
	mem_free(r->tape);
	*r = (struct rows){ .text = NULL };
}

size_t
rows_count(const struct jscan_token *token, uint32_t list, size_t *longest)
{
	size_t n = 0;
	uint32_t i;

	*longest = 0;
	for (i = list + 1; i < token[list].next; i = token[i].next, n++)
		if (token[i].len > *longest)
			*longest = token[i].len;
	return n;
}

void
rows_begin(struct rows *r)
{
	size_t i;

	for (i = 0; i < r->lists.n; i++)
		r->lists.m[i].value++;
}

/* Appends a copy of the value at token[FROM], and of its tape. */
static bool
put_value(struct rows *r, uint32_t from)
{
	struct slice s = jscan_spelling(r->text, &r->token[from]);
	uint32_t n = r->token[from].next - from, to = (uint32_t)r->tapes, i;
	uint32_t begin = (uint32_t)(s.p - r->text), off = (uint32_t)r->row.len;

	for (i = 0; i < n; i++) {
		struct jscan_token k = r->token[from + i];

		if (!vec_room(r->tape, r->tapes, r->tape_cap))
			return false;
		k.off = k.off - begin + off;
		k.next = k.next - from + to;
		r->tape[r->tapes++] = k;
	}
	return buf_put(&r->row, s.p, s.len);
}

bool
rows_next(struct rows *r)
{
	bool ok = vec_room(r->tape, 0, r->tape_cap) && buf_room(&r->row, 2);
	size_t i;

	r->row.len = 0;
	r->tapes = 1;
	for (i = 0; i < r->lists.n && ok; i++) {
		struct jdict_member *m = &r->lists.m[i];

		ok = buf_putc(&r->row, i == 0 ? '{' : ',') && put_value(r, m->name) &&
		    buf_putc(&r->row, ':') && put_value(r, m->value);
		m->value = r->token[m->value].next;
	}
	if (i == 0)
		ok = ok && buf_putc(&r->row, '{');
	if (!ok || !buf_putc(&r->row, '}'))
		return false;
	r->tape[0] = (struct jscan_token){ .len = (uint32_t)r->row.len,
		.next = (uint32_t)r->tapes,
		.kind = JSCAN_OBJECT };
	return true;
}
