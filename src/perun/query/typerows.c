/* SPDX-License-Identifier: ISC */
/*
 * typerows.c - the resources of a type of a resource map that has come as one JSON text.
 *
 * perun/profile/factory.py (Profile.all_resources): zip over the lists, so the shortest one ends
 * it.
 */
#include "src/perun/query/typerows.h"

void
typerows_close(struct typerows *r)
{
	jvalue_close(&r->v);
	jdict_free(&r->lists);
	buf_free(&r->row);
	*r = (struct typerows){ 0 };
}

static size_t
count_values(const struct jscan_token *t, uint32_t list)
{
	size_t n = 0;
	uint32_t i;

	for (i = list + 1; i < t[list].next; i = t[i].next)
		n++;
	return n;
}

int
typerows_read(struct typerows *r, struct slice json, struct err *e)
{
	const struct jscan_token *t;
	size_t i, n;
	int rc;

	if (json.len > JSCAN_VALUE_MAX)
		return err_data(e, "the type's lists have more than 16 MiB");
	if (r->v.j.window == NULL && !jvalue_open(&r->v))
		return err_nomem(e);
	rc = jvalue_read(&r->v, json, e);
	if (rc != 0)
		return rc;
	t = r->v.j.token;
	if (t[0].kind != JSCAN_OBJECT)
		return err_data(e, "the type is no dictionary of lists");
	r->lists.n = 0;
	if (!jdict_push(&r->lists, r->v.j.text, t, 0))
		return err_nomem(e);
	r->left = 1;
	r->equal = true;
	for (i = 0; i < r->lists.n; i++) {
		struct jdict_member *m = &r->lists.m[i];

		if (t[m->value].kind != JSCAN_ARRAY)
			return err_data(e, "the type is no dictionary of lists");
		n = count_values(t, m->value);
		r->equal = r->equal && (i == 0 || n == r->left);
		r->left = i == 0 || n < r->left ? n : r->left;
		m->value++;
	}
	return 0;
}

/* A token's text; a string with its quotes. */
static bool
put_token(struct typerows *r, uint32_t index)
{
	const struct jscan_token *k = &r->v.j.token[index];
	size_t quote = k->kind == JSCAN_STRING;

	return buf_put(&r->row, r->v.j.text + k->off - quote, k->len + 2 * quote);
}

struct slice
typerows_next(struct typerows *r)
{
	bool ok = true;
	size_t i;

	r->left--;
	r->row.len = 0;
	for (i = 0; i < r->lists.n && ok; i++) {
		struct jdict_member *m = &r->lists.m[i];

		ok = buf_putc(&r->row, i == 0 ? '{' : ',') && put_token(r, m->name) &&
		    buf_putc(&r->row, ':') && put_token(r, m->value);
		m->value = r->v.j.token[m->value].next;
	}
	if (i == 0)
		ok = buf_putc(&r->row, '{');
	return ok && buf_putc(&r->row, '}') ? buf_slice(&r->row) : (struct slice){ NULL, 0 };
}
