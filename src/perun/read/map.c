/* SPDX-License-Identifier: ISC */
/*
 * map.c - resource maps: {TYPE: {NAME: [VALUE...]}}, and what each TYPE has in common.
 *
 * A resource is a value of each list, and all that resource_type_map says of the type.
 */
#include "lib/esc.h"
#include "lib/mem.h"
#include "lib/vec.h"
#include "src/perun/read/decoder.h"

void
map_free(struct map *m)
{
	tab_free(&m->names);
	mem_free(m->entry);
	buf_free(&m->text);
	if (m->other_open)
		jscan_close(&m->other);
	rows_free(&m->rows);
}

int
map_keep(struct map *m, struct slice name, struct slice json, struct err *e)
{
	size_t i;

	if (m->text.len + json.len > PERUN_MAP_MAX) {
		m->full = true;
		return 0;
	}
	i = tab_add(&m->names, name, NULL);
	if (i == TAB_NONE || !vec_room(m->entry, i, m->cap))
		return err_nomem(e);
	m->entry[i] = (struct map_entry){ m->text.len, json.len };
	return buf_put(&m->text, json.p, json.len) ? 0 : err_nomem(e);
}

/* A second scanner; what is not wanted, or will be reported when it is read again, is dropped. */
static int
open_other(struct map *m, struct err *e)
{
	if (!m->other_open && !jscan_open(&m->other))
		return err_nomem(e);
	m->other_open = true;
	jscan_restart(&m->other);
	m->other.piece = jscan_drop;
	return 0;
}

static int
keep_type(void *ctx, struct slice name, struct err *e)
{
	struct map *m = ctx;
	int rc = jscan_value(&m->other, PERUN_PIECE, e);

	if (rc != 0 || m->other.in_pieces)
		return rc;
	return map_keep(m, name, (struct slice){ m->other.text, m->other.text_len }, e);
}

/* Reads on after the value at m->other, up to the end of the document. */
static int
read_ahead(struct map *m, struct buf *name, struct err *e)
{
	struct jscan *j = &m->other;
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
		if (rc != 0)
			break;
		if (c == '{' &&
		    place_within(PLACE_DOCUMENT, buf_slice(name), (char)c) == PLACE_COMMONS)
			rc = jscan_members(j, keep_type, m, e);
		else
			rc = jscan_value(j, PERUN_PIECE, e);
	}
	return rc;
}

/* The types come after the resources as often as before them. */
int
map_find_types(struct decoder *d, struct err *e)
{
	struct unpack_look look;
	struct buf name = { 0 };
	int rc = unpack_look(d->unpack, jscan_ahead(&d->j), &look, e);

	if (rc == 0)
		rc = open_other(&d->map, e);
	if (rc == 0) {
		d->map.other.fill = unpack_look_fill;
		d->map.other.ctx = &look;
		rc = read_ahead(&d->map, &name, e);
	}
	d->map.known = true;
	buf_free(&name);
	/* damage is found again, and reported, in its place */
	return rc == ERR_DATA ? 0 : rc;
}

/* The tape of what the type's resources have in common, in m->other; false if there is none. */
static bool
find_common(struct map *m, struct slice type)
{
	size_t i = tab_find(&m->names, type);
	struct err e;

	if (i == TAB_NONE || open_other(m, &e) != 0)
		return false;
	m->other_text = (struct slice){ m->text.p + m->entry[i].off, m->entry[i].len };
	m->other.fill = jscan_fill_text;
	m->other.ctx = &m->other_text;
	return jscan_value(&m->other, PERUN_PIECE, &e) == 0 && !m->other.in_pieces &&
	    m->other.token[0].kind == JSCAN_OBJECT;
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
		n = rows_count(t, i + 1, &longest);
		len += t[i].len + longest;
		*large = len > PERUN_RESOURCE_MAX;
		if (n == 0 || (i > 1 && n != rows) || *large)
			return 0;
		rows = n;
	}
	return rows;
}

static int
put_row(struct decoder *d, uint64_t index, bool common, struct err *e)
{
	struct map *m = &d->map;

	if (!rows_next(&m->rows))
		return err_nomem(e);
	if (!flat_begin(&d->flat, m->rows.row.len) ||
	    !flat_add(&d->flat, m->rows.row.p, m->rows.tape) ||
	    (common && !flat_add(&d->flat, m->other.text, m->other.token)))
		return err_nomem(e);
	lines_items(d, SLICE("sample"), index, buf_slice(&m->rows.row), d->j.flags);
	return 0;
}

static int
put_rows(struct decoder *d, struct slice type, size_t n, struct err *e)
{
	struct rows *r = &d->map.rows;
	const struct jscan_token *t = d->j.token;
	bool common = find_common(&d->map, type);
	size_t row;
	uint32_t i;
	int rc;

	r->text = d->j.text;
	r->token = t;
	r->lists.n = 0;
	for (i = 1; i < t[0].next; i = t[i + 1].next)
		if (!jdict_add(&r->lists, (struct jdict_member){ i, i + 1 }))
			return err_nomem(e);
	rows_begin(r);
	lines_open(d, '{');
	rc = lines_begin_list(d, e);
	for (row = 0; row < n && rc == 0 && !evw_failed(d->w); row++)
		rc = put_row(d, row, common, e);
	return rc;
}

int
map_type(struct decoder *d, struct slice name, struct err *e)
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
	lines_header(d);
	return 0;
}
