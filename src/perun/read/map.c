/* SPDX-License-Identifier: ISC */
/*
 * map.c - resource maps: {TYPE: {NAME: [VALUE...]}}, and what each TYPE has in common.
 *
 * perun/profile/factory.py (Profile.all_resources): the I-th resource of a type is the I-th value
 * of each list, and all that resource_type_map says of the type; one without lists is this alone.
 */

#include "lib/mem.h"
#include "src/perun/read/decoder.h"

void
perun_map_free(struct decoder *d)
{
	tab_free(&d->types.names);
	mem_free(d->types.entry);
	buf_free(&d->types.text);
	if (d->other_open)
		jscan_close(&d->other);
	buf_free(&d->row);
	mem_free(d->row_token);
}

int
perun_map_keep(struct decoder *d, struct slice name, struct slice text, struct err *e)
{
	struct typemap *m = &d->types;
	size_t i;

	if (m->text.len + text.len > PERUN_MAP_MAX) {
		m->full = true;
		return 0;
	}
	i = tab_add(&m->names, name, NULL);
	if (i == TAB_NONE)
		return err_nomem(e);
	if (i >= m->cap) {
		size_t cap = (i + 1) * 2;
		struct typemap_entry *entry = mem_resize(m->entry, cap * sizeof *entry);

		if (entry == NULL)
			return err_nomem(e);
		m->entry = entry;
		m->cap = cap;
	}
	m->entry[i] = (struct typemap_entry){ m->text.len, text.len };
	return buf_put(&m->text, text.p, text.len) ? 0 : err_nomem(e);
}

/* What is not wanted of the map, or will be reported when it is read again. */
static int
ignore(void *ctx, struct slice text, struct err *e)
{
	(void)ctx;
	(void)text;
	(void)e;
	return 0;
}

static int
open_other(struct decoder *d, struct err *e)
{
	if (!d->other_open && !jscan_open(&d->other))
		return err_nomem(e);
	d->other_open = true;
	jscan_restart(&d->other);
	d->other.piece = ignore;
	return 0;
}

static int
keep_types(struct decoder *d, struct buf *name, struct err *e)
{
	struct jscan *j = &d->other;
	bool first = true, more = true;
	int rc;

	jscan_pass(j);
	for (;;) {
		rc = jscan_next(j, '}', &first, &more, e);
		if (rc != 0 || !more)
			return rc;
		name->len = 0;
		rc = jscan_name(j, name, e);
		if (rc == 0)
			rc = jscan_value(j, PERUN_PIECE, e);
		if (rc == 0 && !j->in_pieces)
			rc = perun_map_keep(d, buf_slice(name),
			    (struct slice){ j->text, j->text_len }, e);
		if (rc != 0)
			return rc;
	}
}

/* Reads on after the value at d->other, up to the end of the document. */
static int
find_types(struct decoder *d, struct buf *name, struct err *e)
{
	struct jscan *j = &d->other;
	bool first = false, more = true;
	int c = 0, rc = jscan_value(j, PERUN_PIECE, e);

	while (rc == 0) {
		rc = jscan_next(j, '}', &first, &more, e);
		if (rc != 0 || !more)
			break;
		name->len = 0;
		rc = jscan_name(j, name, e);
		if (rc == 0)
			rc = jscan_peek(j, &c, e);
		if (rc == 0 && c == '{' && slice_eq(buf_slice(name), SLICE("resource_type_map")))
			rc = keep_types(d, name, e);
		else if (rc == 0)
			rc = jscan_value(j, PERUN_PIECE, e);
	}
	return rc;
}

/* The types come after the resources as often as before them. */
static int
look_for_types(struct decoder *d, struct err *e)
{
	struct source_look look;
	struct buf name = { 0 };
	int rc = source_look(d->source, jscan_ahead(&d->j), &look, e);

	if (rc == 0)
		rc = open_other(d, e);
	if (rc == 0) {
		d->other.fill = source_look_fill;
		d->other.ctx = &look;
		rc = find_types(d, &name, e);
	}
	d->types.known = true;
	buf_free(&name);
	/* damage is found again, and reported, in its place */
	return rc == ERR_DATA ? 0 : rc;
}

static int
fill_text(void *ctx, char *dst, size_t n, size_t *got, struct err *e)
{
	struct slice *left = ctx;

	(void)e;
	*got = left->len < n ? left->len : n;
	if (*got == 0)
		return 0; /* of no bytes the start may be NULL */
	memcpy(dst, left->p, *got);
	left->p += *got;
	left->len -= *got;
	return 0;
}

/* The tape of what the type's resources have in common, in d->other; false if there is none. */
static bool
common_part(struct decoder *d, struct slice type)
{
	struct typemap *m = &d->types;
	size_t i = tab_find(&m->names, type);
	struct err e;

	if (i == TAB_NONE || open_other(d, &e) != 0)
		return false;
	d->other_text = (struct slice){ m->text.p + m->entry[i].off, m->entry[i].len };
	d->other.fill = fill_text;
	d->other.ctx = &d->other_text;
	return jscan_value(&d->other, PERUN_PIECE, &e) == 0 && !d->other.in_pieces &&
	    d->other.token[0].kind == JSCAN_OBJECT;
}

/* How many values a list has, and the longest one's length. */
static size_t
count_values(const struct jscan_token *t, uint32_t list, size_t *longest)
{
	size_t n = 0;
	uint32_t k;

	*longest = 0;
	for (k = list + 1; k < t[list].next; k = t[k].next, n++)
		if (t[k].len > *longest)
			*longest = t[k].len;
	return n;
}

/*
 * How many values each list has; without any list there is one resource, of what the type has in
 * common.  0 where they are not equally long, or not lists, or too large: these, or a resource.
 */
static size_t
count_rows(const struct jscan *j, bool *large)
{
	const struct jscan_token *t = j->token;
	size_t rows = 0, n, longest, len = 0;
	uint32_t i;

	*large = j->in_pieces;
	if (*large || t[0].kind != JSCAN_OBJECT)
		return 0;
	if (t[0].next == 1)
		return 1;
	for (i = 1; i < t[0].next; i = t[i + 1].next) {
		if (t[i + 1].kind != JSCAN_ARRAY)
			return 0;
		n = count_values(t, i + 1, &longest);
		len += t[i].len + longest;
		*large = len > PERUN_RESOURCE_MAX;
		if (n == 0 || (i > 1 && n != rows) || *large)
			return 0;
		rows = n;
	}
	return rows;
}

/* Appends a copy of the value at token[from] of d->j to the row. */
static bool
row_value(struct decoder *d, uint32_t from)
{
	const struct jscan_token *t = d->j.token;
	uint32_t n = t[from].next - from, i, quote = t[from].kind == JSCAN_STRING;
	uint32_t to = (uint32_t)d->row_tokens, begin = t[from].off - quote;
	uint32_t off = (uint32_t)d->row.len;

	if (d->row_tokens + n > d->row_cap) {
		size_t cap = (d->row_tokens + n) * 2;
		struct jscan_token *k = mem_resize(d->row_token, cap * sizeof *k);

		if (k == NULL)
			return false;
		d->row_token = k;
		d->row_cap = cap;
	}
	for (i = 0; i < n; i++) {
		struct jscan_token k = t[from + i];

		k.off = k.off - begin + off;
		k.next = k.next - from + to;
		d->row_token[to + i] = k;
	}
	d->row_tokens += n;
	return buf_put(&d->row, d->j.text + begin, t[from].len + 2 * quote);
}

/* The row of the values at cursor[], one for each list; moves these on. */
static bool
make_row(struct decoder *d, uint32_t *cursor)
{
	const struct jscan_token *t = d->j.token;
	uint32_t i, k = 0;
	bool ok = true;

	d->row.len = 0;
	d->row_tokens = 1;
	for (i = 1; i < t[0].next && ok; i = t[i + 1].next, k++) {
		ok = buf_putc(&d->row, k == 0 ? '{' : ',') && row_value(d, i) &&
		    buf_putc(&d->row, ':') && row_value(d, cursor[k]);
		cursor[k] = t[cursor[k]].next;
	}
	if (k == 0)
		ok = buf_putc(&d->row, '{');
	if (!ok || !buf_putc(&d->row, '}'))
		return false;
	d->row_token[0] = (struct jscan_token){ .len = (uint32_t)d->row.len,
		.next = (uint32_t)d->row_tokens,
		.kind = JSCAN_OBJECT };
	return true;
}

static int
put_row(struct decoder *d, uint64_t index, bool common, struct err *e)
{
	size_t len = d->row.len + (common ? d->other.text_len : 0);
	unsigned flags = d->j.flags;

	if (!flat_begin(&d->flat, len) || !flat_add(&d->flat, d->row.p, d->row_token) ||
	    (common && !flat_add(&d->flat, d->other.text, d->other.token)))
		return err_nomem(e);
	perun_put_items(d, SLICE("sample"), index, buf_slice(&d->row), flags);
	return 0;
}

static int
put_rows(struct decoder *d, struct slice type, size_t rows, struct err *e)
{
	const struct jscan_token *t = d->j.token;
	bool common = common_part(d, type);
	uint32_t *cursor, i;
	size_t n = 0, row;
	int rc = 0;

	for (i = 1; i < t[0].next; i = t[i + 1].next)
		n++;
	cursor = mem_alloc((n + 1) * sizeof *cursor);
	if (cursor == NULL)
		return err_nomem(e);
	for (i = 1, n = 0; i < t[0].next; i = t[i + 1].next)
		cursor[n++] = i + 2;
	perun_put_open(d, '{');
	d->at.len = 0;
	if (!esc_append(&d->at, d->pointer.p, d->pointer.len, ESC_COLUMN) ||
	    (d->row_cap == 0 && (d->row_token = mem_alloc((d->row_cap = 64) * sizeof *t)) == NULL))
		rc = err_nomem(e);
	for (row = 0; row < rows && rc == 0 && !evw_failed(d->w); row++)
		rc = make_row(d, cursor) ? put_row(d, row, common, e) : err_nomem(e);
	mem_free(cursor);
	return rc;
}

/* A type and its values: a line for each resource where the lists are equally long. */
static int
type(struct decoder *d, struct slice name, struct err *e)
{
	int rc = jscan_value(&d->j, PERUN_TYPE_MAX, e);
	size_t rows;
	bool large;

	if (rc != 0)
		return rc;
	rows = count_rows(&d->j, &large);
	if (rows != 0)
		return put_rows(d, name, rows, e);
	d->large += large;
	perun_put_header(d);
	return 0;
}

int
perun_map_resources(struct decoder *d, struct err *e)
{
	bool first = true, more = true;
	size_t keep = d->pointer.len;
	struct buf name = { 0 };
	int rc = d->types.known ? 0 : look_for_types(d, e);

	perun_put_open(d, '{');
	jscan_pass(&d->j);
	d->j.depth++;
	while (rc == 0 && !evw_failed(d->w)) {
		rc = jscan_next(&d->j, '}', &first, &more, e);
		if (rc != 0 || !more)
			break;
		name.len = 0;
		rc = jscan_name(&d->j, &name, e);
		if (rc == 0)
			rc = perun_push_name(d, buf_slice(&name), e);
		if (rc == 0)
			rc = type(d, buf_slice(&name), e);
		d->pointer.len = keep;
	}
	d->j.depth--;
	buf_free(&name);
	return rc;
}
