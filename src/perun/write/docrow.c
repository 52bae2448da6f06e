/* SPDX-License-Identifier: ISC */
/* docrow.c - the lists of a type of a resource map, from its resources. */

#include "lib/mem.h"
#include "src/perun/write/docint.h"

void
doc_put_columns(struct docwrite *d)
{
	size_t i;

	for (i = 0; i < d->columns; i++) {
		if (i != 0)
			doc_put(d, d->dumps ? SLICE(", ") : SLICE(","));
		doc_put(d, buf_slice(&d->column[i].name));
		doc_put(d, d->dumps ? SLICE(": [") : SLICE(":["));
		doc_put(d, buf_slice(&d->column[i].values));
		doc_put(d, SLICE("]"));
	}
	d->columns = 0;
	d->rows = 0;
}

static struct doc_column *
column_at(struct docwrite *d, size_t i)
{
	size_t cap = d->column_cap * 2 > 16 ? d->column_cap * 2 : 16;
	struct doc_column *c;

	if (i < d->column_cap)
		return &d->column[i];
	c = mem_resize(d->column, cap * sizeof *c);
	if (c == NULL)
		return NULL;
	memset(c + d->column_cap, 0, (cap - d->column_cap) * sizeof *c);
	d->column = c;
	d->column_cap = cap;
	return &c[i];
}

/* A value of a row to its list. */
static int
put_cell(struct docwrite *d, size_t i, uint32_t name, struct err *e)
{
	struct doc_column *c = column_at(d, i);
	struct slice s;
	int rc;

	if (c == NULL)
		return err_nomem(e);
	rc = doc_spell(d, name, &s, e);
	if (rc != 0)
		return rc;
	if (d->rows == 0) {
		c->name.len = c->values.len = 0;
		if (!buf_put(&c->name, s.p, s.len))
			return err_nomem(e);
		d->columns = i + 1;
	}
	rc = doc_spell(d, name + 1, &s, e);
	if (rc == 0 && d->rows != 0 && !buf_put(&c->values, ", ", d->dumps ? 2 : 1))
		rc = err_nomem(e);
	if (rc == 0 && !buf_put(&c->values, s.p, s.len))
		rc = err_nomem(e);
	return rc;
}

/* Are the members of what was scanned those of the lists so far? */
static int
check_columns(struct docwrite *d, struct err *e)
{
	const struct jscan_token *t = d->j.token;
	struct slice name = { NULL, 0 };
	size_t n = 0;
	uint32_t i;
	int rc = 0;

	if (t[0].kind != JSCAN_OBJECT)
		return err_data(e, "a resource of a type that is no object");
	for (i = 1; i < t[0].next && rc == 0; i = t[i + 1].next, n++) {
		if (d->rows == 0)
			continue;
		rc = doc_spell(d, i, &name, e);
		if (rc == 0 && (n >= d->columns || !slice_eq(name, buf_slice(&d->column[n].name))))
			break;
	}
	if (rc == 0 && (i < t[0].next || (d->rows != 0 && n != d->columns)))
		rc = err_data(e, "a resource of a type has other members than the first");
	return rc;
}

/* A resource of a type of a resource map: one value more in each of its lists. */
int
doc_put_row(struct docwrite *d, struct slice index, struct err *e)
{
	struct doc_frame *f = &d->frame[d->frames - 1];
	const struct jscan_token *t = d->j.token;
	size_t n = 0;
	uint32_t i;
	int rc = f->n != 0 ? err_data(e, "a type has resources, and other members besides")
			   : check_columns(d, e);

	if (rc == 0)
		rc = doc_list_index(f, index, e);
	for (i = 1; rc == 0 && i < t[0].next; i = t[i + 1].next)
		rc = put_cell(d, n++, i, e);
	f->rows |= f->n == 0;
	d->rows += rc == 0;
	return rc;
}
