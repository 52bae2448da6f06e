/* SPDX-License-Identifier: ISC */
/* doc.c - writes a JSON document from its parts. */
#include "src/perun/write/doc.h"

#include "lib/json/jtext.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/vec.h"
#include "src/perun/place.h"
#include "src/perun/pytext.h"

#define GATHER_MAX ((size_t)1 << 30) /* maximum bytes of a value in parts that is respelled */
/* bytes of a piece of a value in parts that is written unchanged */
#define PIECE ((size_t)1024 * 1024)

bool
doc_open(struct doc *d, struct out *o, bool dumps)
{
	*d = (struct doc){ .o = o, .dumps = dumps };
	return jvalue_open(&d->v);
}

void
doc_close(struct doc *d)
{
	size_t i;

	for (i = 0; i < d->rows.cap; i++) {
		buf_free(&d->rows.column[i].name);
		buf_free(&d->rows.column[i].values);
	}
	mem_free(d->rows.column);
	while (d->levels > 0)
		tab_free(&d->level[--d->levels].names);
	jvalue_close(&d->v);
	spool_close(&d->parts);
	buf_free(&d->pointer);
	buf_free(&d->name);
	buf_free(&d->spelled);
	buf_free(&d->gathered);
	buf_free(&d->type);
}

void
doc_put(struct doc *d, struct slice s)
{
	if (s.len != 0)
		out_put(d->o, s.p, s.len);
}

static struct slice
level_pointer(const struct doc *d)
{
	return (struct slice){ d->pointer.p, d->level[d->levels - 1].pointer };
}

/* Sets *s to the value at token[index] as it will be written. */
static int
spell(struct doc *d, uint32_t index, struct slice *s, struct err *e)
{
	*s = jvalue_spelling(&d->v, index);
	if (!d->dumps)
		return 0;
	d->spelled.len = 0;
	if (!pytext_dumps(&d->spelled, d->v.j.text, d->v.j.token, index))
		return err_nomem(e);
	*s = buf_slice(&d->spelled);
	return 0;
}

/* Writes the collected lists of a type. */
static void
put_columns(struct doc *d)
{
	size_t i;

	for (i = 0; i < d->rows.columns; i++) {
		if (i != 0)
			doc_put(d, d->dumps ? SLICE(", ") : SLICE(","));
		doc_put(d, buf_slice(&d->rows.column[i].name));
		doc_put(d, d->dumps ? SLICE(": [") : SLICE(":["));
		doc_put(d, buf_slice(&d->rows.column[i].values));
		doc_put(d, SLICE("]"));
	}
	d->rows.columns = 0;
	d->rows.begun = false;
}

static void
pop(struct doc *d)
{
	struct doc_level *f = &d->level[d->levels - 1];

	if (f->rows)
		put_columns(d);
	else if (f->n != 0 && !d->dumps)
		doc_put(d, SLICE("\n"));
	doc_put(d, f->bracket == '{' ? SLICE("}") : SLICE("]"));
	tab_free(&f->names);
	if (--d->levels != 0)
		d->pointer.len = d->level[d->levels - 1].pointer;
}

/* The pointer is longer than that of the container, which is not the document. */
static bool
is_within(struct slice pointer, struct slice container)
{
	return memcmp(pointer.p, container.p, container.len) == 0 &&
	    pointer.p[container.len] == '/';
}

static int
put_name(struct doc *d, struct slice token, struct err *e)
{
	d->name.len = d->spelled.len = 0;
	if (!jtext_undo_name(&d->name, token) || !jtext_quote(&d->spelled, buf_slice(&d->name)))
		return err_nomem(e);
	doc_put(d, buf_slice(&d->spelled));
	doc_put(d, d->dumps ? SLICE(": ") : SLICE(":"));
	return 0;
}

/* Checks the index of an element, which must not be less than the next index. */
static int
list_index(struct doc_level *f, struct slice token, struct err *e)
{
	uint64_t i;

	if (!num_get_u64(token, &i))
		return err_data(e, "the pointer has no index for a list");
	if (i < f->next)
		return err_data(e, "comes too late: its place in the document has been passed");
	f->next = i + 1;
	return 0;
}

/*
 * Writes the comma and the name before a member or element.  If AGAIN is set, a name may be
 * repeated.
 */
static int
put_before(struct doc *d, struct slice token, bool again, struct err *e)
{
	struct doc_level *f = &d->level[d->levels - 1];
	bool fresh = true;
	int rc = 0;

	if (f->rows)
		rc = err_data(e, "a type has both resources and other members");
	else if (f->bracket == '[')
		rc = list_index(f, token, e);
	else if (tab_add(&f->names, token, &fresh) == TAB_NONE)
		rc = err_nomem(e);
	else if (!fresh && d->dumps)
		rc = err_data(e, "a member appears twice: this cannot be packed");
	else if (!fresh && !again)
		rc = err_data(e, "comes too late: its place in the document has been passed");
	if (rc != 0)
		return rc;
	if (d->dumps)
		doc_put(d, f->n == 0 ? SLICE("") : SLICE(", "));
	else
		doc_put(d, f->n == 0 ? SLICE("\n") : SLICE(",\n"));
	f->n++;
	return f->bracket == '{' ? put_name(d, token, e) : 0;
}

static int
push(struct doc *d, struct slice pointer, char bracket, struct err *e)
{
	d->level[d->levels] = (struct doc_level){ .pointer = pointer.len, .bracket = bracket };
	d->levels++;
	if (pointer.len > d->pointer.len &&
	    !buf_put(&d->pointer, pointer.p + d->pointer.len, pointer.len - d->pointer.len))
		return err_nomem(e);
	doc_put(d, bracket == '{' ? SLICE("{") : SLICE("["));
	return 0;
}

/* Returns the next token of the pointer after its first FROM bytes. */
static struct slice
token_at(struct slice pointer, size_t from)
{
	const char *p = pointer.p + from + 1, *slash;
	size_t left = pointer.len - from - 1;

	slash = left != 0 ? memchr(p, '/', left) : NULL;
	return (struct slice){ p, slash != NULL ? (size_t)(slash - p) : left };
}

static size_t
count_tokens(struct slice pointer)
{
	size_t i, n = 0;

	for (i = 0; i < pointer.len; i++)
		n += pointer.p[i] == '/';
	return n;
}

/*
 * Returns the bracket that a profile has at the place AT, which contains POINTER: '{', '[', or 0.
 */
static char
structure(struct slice at, struct slice pointer)
{
	enum place_kind kind = place_of(at).kind;

	if (kind == PLACE_MAP && place_of(pointer).kind != PLACE_ROW)
		return '['; /* /resources/INDEX */
	return place_bracket(kind);
}

/*
 * Closes containers that do not contain POINTER, and opens those that contain it and are not open.
 */
static int
go_to_parent(struct doc *d, struct slice pointer, size_t parent, struct err *e)
{
	struct slice at;
	bool again = d->announced;
	char bracket;
	int rc = 0;

	d->announced = false;
	if (d->part != 0)
		return err_data(e, "the last parts of a value are missing before this");
	if (d->ended)
		return err_data(e, "a second document begins: a profile has one");
	while (d->levels != 0 && level_pointer(d).len > parent)
		pop(d);
	while (d->levels > 1 && !is_within(pointer, level_pointer(d)))
		pop(d);
	if (!d->begun) {
		d->begun = true;
		rc = push(d, SLICE(""), '{', e);
	}
	while (rc == 0 && level_pointer(d).len < parent) {
		size_t have = level_pointer(d).len;
		struct slice token = token_at(pointer, have);

		at = (struct slice){ pointer.p, have + 1 + token.len };
		bracket = structure(at, pointer);
		if (bracket == 0)
			return err_data(e, "no line has opened the container of the pointer");
		rc = put_before(d, token, again, e);
		if (rc == 0)
			rc = push(d, at, bracket, e);
	}
	return rc;
}

static int
parent_of(struct slice pointer, size_t *parent, struct err *e)
{
	if (pointer.len == 0 || pointer.p[0] != '/')
		return err_data(e, "not a JSON pointer");
	for (*parent = pointer.len - 1; pointer.p[*parent] != '/'; --*parent)
		;
	return 0;
}

int
doc_go_to(struct doc *d, struct slice pointer, struct err *e)
{
	size_t parent = 0;
	int rc = parent_of(pointer, &parent, e);

	if (rc == 0)
		rc = go_to_parent(d, pointer, parent, e);
	if (rc == 0)
		rc = put_before(d, token_at(pointer, parent), true, e);
	return rc;
}

int
doc_container(struct doc *d, struct slice pointer, char bracket, struct err *e)
{
	int rc;

	if (pointer.len == 0 && !d->begun) {
		d->begun = true;
		return push(d, pointer, bracket, e);
	}
	if (pointer.len == 0)
		return err_data(e, "a second document begins: a profile has one");
	if (count_tokens(pointer) >= DOC_LEVELS)
		return err_data(e, "a container within more than %d others", DOC_LEVELS - 1);
	rc = doc_go_to(d, pointer, e);
	return rc == 0 ? push(d, pointer, bracket, e) : rc;
}

int
doc_opening(struct doc *d, const struct place *p, char bracket, struct err *e)
{
	size_t parent = 0;
	int rc;

	if (p->kind != PLACE_TYPE || bracket != '{')
		return doc_container(d, p->pointer, bracket, e);
	rc = parent_of(p->pointer, &parent, e);
	if (rc == 0)
		rc = go_to_parent(d, p->pointer, parent, e);
	d->announced = rc == 0;
	return rc;
}

/*
 * Copies the header's data that packing needs.  *leave_out is set if the value is not to be
 * written.
 */
static int
look_at(struct doc *d, struct slice pointer, bool *leave_out, struct err *e)
{
	const struct jscan_token *t = d->v.j.token;
	uint32_t i;

	*leave_out = slice_eq(pointer, SLICE("/origin"));
	d->has_origin |= *leave_out;
	if (!slice_eq(pointer, SLICE("/header")) || t[0].kind != JSCAN_OBJECT)
		return 0;
	for (i = 1; i < t[0].next; i = t[i + 1].next) {
		if (!jscan_is(d->v.j.text, &t[i], SLICE("type")))
			continue;
		d->type.len = 0;
		d->has_type = t[i + 1].kind == JSCAN_STRING; /* the last one is used */
		if (d->has_type && !jtext_undo(&d->type, jvalue_inside(&d->v, i + 1)))
			return err_nomem(e);
	}
	return 0;
}

/* Begins list I of the open type.  A name may be repeated, but not in Perun's store. */
static int
begin_column(struct doc *d, size_t i, struct slice name, struct err *e)
{
	struct doc_column *c = &d->rows.column[i];
	bool fresh = true;

	if (d->dumps && tab_add(&d->level[d->levels - 1].names, name, &fresh) == TAB_NONE)
		return err_nomem(e);
	if (!fresh)
		return err_data(e, "a member appears twice: this cannot be packed");
	c->name.len = c->values.len = 0;
	if (!buf_put(&c->name, name.p, name.len))
		return err_nomem(e);
	d->rows.columns = i + 1;
	return 0;
}

/* Adds a value of a row to its list. */
static int
put_cell(struct doc *d, size_t i, uint32_t name, struct err *e)
{
	struct doc_column *c;
	struct slice s;
	int rc;

	if (!vec_room_zero(d->rows.column, i, d->rows.cap))
		return err_nomem(e);
	c = &d->rows.column[i];
	rc = spell(d, name, &s, e);
	if (rc == 0 && !d->rows.begun)
		rc = begin_column(d, i, s, e);
	if (rc != 0)
		return rc;
	rc = spell(d, name + 1, &s, e);
	if (rc == 0 && d->rows.begun && !buf_put(&c->values, ", ", d->dumps ? 2 : 1))
		rc = err_nomem(e);
	if (rc == 0 && !buf_put(&c->values, s.p, s.len))
		rc = err_nomem(e);
	return rc;
}

/* Checks that the resource has exactly the members for which there are lists so far. */
static int
check_columns(struct doc *d, struct err *e)
{
	const struct jscan_token *t = d->v.j.token;
	struct slice name = { NULL, 0 };
	size_t n = 0;
	uint32_t i;
	int rc = 0;

	if (t[0].kind != JSCAN_OBJECT)
		return err_data(e, "a resource of a type that is not an object");
	for (i = 1; i < t[0].next && rc == 0; i = t[i + 1].next, n++) {
		if (!d->rows.begun)
			continue;
		rc = spell(d, i, &name, e);
		if (rc == 0 &&
		    (n >= d->rows.columns || !slice_eq(name, buf_slice(&d->rows.column[n].name))))
			break;
	}
	if (rc == 0 && (i < t[0].next || (d->rows.begun && n != d->rows.columns)))
		rc = err_data(e, "a resource of a type has different members from the first");
	return rc;
}

/* Adds a resource to a type of a resource map: one more value in each of the lists. */
static int
put_row(struct doc *d, struct slice index, struct err *e)
{
	struct doc_level *f = &d->level[d->levels - 1];
	const struct jscan_token *t = d->v.j.token;
	size_t n = 0;
	uint32_t i;
	int rc = f->n != 0 ? err_data(e, "a type has both resources and other members")
			   : check_columns(d, e);

	if (rc == 0)
		rc = list_index(f, index, e);
	for (i = 1; rc == 0 && i < t[0].next; i = t[i + 1].next)
		rc = put_cell(d, n++, i, e);
	f->rows |= f->n == 0;
	d->rows.begun |= rc == 0;
	return rc;
}

static int
root_value(struct doc *d, struct err *e)
{
	struct slice s;
	int rc;

	if (d->begun)
		return err_data(e, "a second document begins: a profile has one");
	d->begun = d->ended = true;
	rc = spell(d, 0, &s, e);
	if (rc == 0)
		doc_put(d, s);
	return rc;
}

int
doc_value(struct doc *d, const struct place *p, struct slice json, struct err *e)
{
	struct slice pointer = p->pointer, s;
	bool leave_out = false;
	size_t parent = 0;
	int rc = jvalue_read_long(&d->v, json, e);

	if (rc == 0 && pointer.len == 0)
		return root_value(d, e);
	if (rc == 0)
		rc = look_at(d, pointer, &leave_out, e);
	if (rc != 0 || (d->dumps && leave_out))
		return rc;
	if (p->kind == PLACE_ROW) {
		rc = parent_of(pointer, &parent, e);
		if (rc == 0)
			rc = go_to_parent(d, pointer, parent, e);
		return rc == 0 ? put_row(d, token_at(pointer, parent), e) : rc;
	}
	rc = doc_go_to(d, pointer, e);
	if (rc == 0)
		rc = spell(d, 0, &s, e);
	if (rc == 0)
		doc_put(d, s);
	return rc;
}

static int
fill_again(void *ctx, char *dst, size_t n, size_t *got, struct err *e)
{
	return spool_read(ctx, dst, n, got, e);
}

static int
write_out(void *ctx, struct slice text, struct err *e)
{
	(void)e;
	doc_put(ctx, text);
	return 0;
}

/* Reads all parts as one JSON text, which is passed to TAKE. */
static int
read_parts(struct doc *d, int (*take)(void *ctx, struct slice text, struct err *e), struct err *e)
{
	struct jscan j = { .fill = fill_again, .ctx = &d->parts, .piece = take, .piece_ctx = d };
	int c = 0, rc = spool_rewind(&d->parts, e);

	if (rc != 0)
		return rc;
	if (!jscan_open(&j))
		return err_nomem(e);
	rc = jscan_value(&j, PIECE, e);
	if (rc == 0)
		rc = take(d, (struct slice){ j.text, j.text_len }, e);
	if (rc == 0)
		rc = jscan_peek(&j, &c, e);
	if (rc == 0 && c != -1)
		rc = jscan_expected(&j, "the end", e);
	if (rc == ERR_DATA)
		e->place = ERR_NOWHERE;
	jscan_close(&j);
	return rc;
}

/* Checks and then writes all parts, once the last one has come. */
static int
end_parts(struct doc *d, struct slice pointer, struct err *e)
{
	int rc = read_parts(d, jscan_drop, e);

	if (rc == 0 && pointer.len == 0 && !d->begun)
		d->begun = d->ended = true;
	else if (rc == 0)
		rc = doc_go_to(d, pointer, e);
	if (rc == 0)
		rc = read_parts(d, write_out, e);
	spool_close(&d->parts);
	return rc;
}

/* Keeps a part until the last one has come. */
static int
keep_part(struct doc *d, struct slice json, bool first, struct err *e)
{
	int rc = 0;

	if (first) {
		d->gathered.len = 0;
		spool_close(&d->parts);
	}
	if (d->dumps && d->gathered.len + json.len > GATHER_MAX)
		return err_data(e, "a value of more than 1 GiB: this cannot be packed");
	if (d->dumps)
		return buf_put(&d->gathered, json.p, json.len) ? 0 : err_nomem(e);
	rc = first ? spool_open(&d->parts, e) : 0;
	if (rc == 0 && json.len != 0)
		out_put(&d->parts.out, json.p, json.len);
	return rc;
}

int
doc_next_part(uint64_t *part, uint64_t n, bool last, struct err *e)
{
	if (n != *part + 1)
		return err_data(e, "a part of a value without the parts before it");
	*part = last ? 0 : n;
	return 0;
}

int
doc_part(struct doc *d, const struct place *p, struct slice json, uint64_t n, bool last,
    struct err *e)
{
	int rc = doc_next_part(&d->part, n, last, e);

	if (rc != 0)
		return rc;
	rc = keep_part(d, json, n == 1, e);
	if (rc != 0)
		d->part = 0;
	if (rc != 0 || !last)
		return rc;
	return d->dumps ? doc_value(d, p, buf_slice(&d->gathered), e) : end_parts(d, p->pointer, e);
}

int
doc_end(struct doc *d, struct err *e)
{
	int rc = 0;

	if (!d->begun) {
		d->begun = true;
		rc = push(d, SLICE(""), '{', e);
	}
	while (d->levels != 0)
		pop(d);
	if (!d->dumps)
		doc_put(d, SLICE("\n"));
	d->ended = true;
	if (d->part != 0 && rc == 0)
		return err_data(e, "the last parts of a value are missing");
	return rc;
}
