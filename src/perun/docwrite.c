/* SPDX-License-Identifier: ISC */
/* docwrite.c - writes a JSON document from its parts. */
#include "src/perun/docwrite.h"

#include <stdlib.h>

#include "lib/num.h"
#include "src/perun/members.h"
#include "src/perun/pytext.h"

#define GATHER_MAX ((size_t)1 << 30) /* of a value in parts that is spelled anew */

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

bool
doc_open(struct docwrite *d, struct out *o, bool dumps)
{
	*d = (struct docwrite){ .o = o, .dumps = dumps };
	if (!jscan_open(&d->j))
		return false;
	d->j.fill = fill_text;
	d->j.ctx = &d->left;
	return true;
}

void
doc_close(struct docwrite *d)
{
	size_t i;

	for (i = 0; i < d->column_cap; i++) {
		buf_free(&d->column[i].name);
		buf_free(&d->column[i].values);
	}
	free(d->column);
	while (d->frames > 0)
		tab_free(&d->frame[--d->frames].names);
	jscan_close(&d->j);
	buf_free(&d->pointer);
	buf_free(&d->spelled);
	buf_free(&d->gathered);
	buf_free(&d->type);
}

static void
put(struct docwrite *d, struct slice s)
{
	if (s.len != 0)
		out_put(d->o, s.p, s.len);
}

static struct slice
frame_pointer(const struct docwrite *d)
{
	return (struct slice){ d->pointer.p, d->frame[d->frames - 1].pointer };
}

/* Reads one JSON text and nothing behind it. */
static int
scan(struct docwrite *d, struct slice json, struct err *e)
{
	int c, rc;

	d->left = json;
	jscan_restart(&d->j);
	rc = jscan_value(&d->j, json.len + 1 < JSCAN_VALUE_MAX ? JSCAN_VALUE_MAX : json.len + 1, e);
	if (rc == 0)
		rc = jscan_peek(&d->j, &c, e);
	if (rc == 0 && c != -1)
		rc = jscan_expected(&d->j, "the end", e);
	if (rc == ERR_DATA)
		e->place = ERR_NOWHERE; /* a line of the value means nothing to anybody */
	return rc;
}

/* The value at token[index] of what was scanned, as it is to be written. */
static int
spell(struct docwrite *d, uint32_t index, struct slice *s, struct err *e)
{
	const struct jscan_token *k = &d->j.token[index];
	uint32_t quote = k->kind == JSCAN_STRING;

	*s = (struct slice){ d->j.text + k->off - quote, k->len + 2 * quote };
	if (!d->dumps)
		return 0;
	d->spelled.len = 0;
	if (!pytext_dumps(&d->spelled, d->j.text, k))
		return err_nomem(e);
	*s = buf_slice(&d->spelled);
	return 0;
}

/* The lists of a type, which have been collected. */
static void
put_columns(struct docwrite *d)
{
	size_t i;

	for (i = 0; i < d->columns; i++) {
		if (i != 0)
			put(d, d->dumps ? SLICE(", ") : SLICE(","));
		put(d, buf_slice(&d->column[i].name));
		put(d, d->dumps ? SLICE(": [") : SLICE(":["));
		put(d, buf_slice(&d->column[i].values));
		put(d, SLICE("]"));
	}
	d->columns = 0;
	d->rows = 0;
}

static void
pop(struct docwrite *d)
{
	struct doc_frame *f = &d->frame[d->frames - 1];

	if (f->rows)
		put_columns(d);
	else if (f->n != 0 && !d->dumps)
		put(d, SLICE("\n"));
	put(d, f->bracket == '{' ? SLICE("}") : SLICE("]"));
	tab_free(&f->names);
	if (--d->frames != 0)
		d->pointer.len = d->frame[d->frames - 1].pointer;
}

static bool
is_within(struct slice pointer, struct slice container)
{
	return pointer.len > container.len &&
	    (container.len == 0 || memcmp(pointer.p, container.p, container.len) == 0) &&
	    pointer.p[container.len] == '/';
}

/* A pointer's token to the bytes that it stands for. */
static bool
undo_token(struct buf *b, struct slice token)
{
	size_t i;

	for (i = 0; i < token.len; i++) {
		char c = token.p[i];

		if (c == '~' && i + 1 < token.len &&
		    (token.p[i + 1] == '0' || token.p[i + 1] == '1'))
			c = token.p[++i] == '0' ? '~' : '/';
		if (!buf_putc(b, c))
			return false;
	}
	return true;
}

static int
put_name(struct docwrite *d, struct slice token, struct err *e)
{
	struct buf name = { 0 }, text = { 0 };
	bool ok = undo_token(&name, token) && pytext_quote(&text, buf_slice(&name));

	if (ok) {
		put(d, buf_slice(&text));
		put(d, d->dumps ? SLICE(": ") : SLICE(":"));
	}
	buf_free(&name);
	buf_free(&text);
	return ok ? 0 : err_nomem(e);
}

static int
list_index(struct doc_frame *f, struct slice token, struct err *e)
{
	uint64_t i;

	if (!num_get_u64(token, &i))
		return err_data(e, "the pointer has no index where a list is");
	if (i < f->next)
		return err_data(e, "comes too late: its place in the document has been passed");
	f->next = i + 1;
	return 0;
}

/* What comes before a member or element: comma and name.  again: a name may repeat. */
static int
put_before(struct docwrite *d, struct slice token, bool again, struct err *e)
{
	struct doc_frame *f = &d->frame[d->frames - 1];
	bool fresh = true;
	int rc = 0;

	if (f->bracket == '[')
		rc = list_index(f, token, e);
	else if (tab_add(&f->names, token, &fresh) == TAB_NONE)
		rc = err_nomem(e);
	else if (!fresh && d->dumps)
		rc = err_data(e, "a member is there twice: this cannot be packed");
	else if (!fresh && !again)
		rc = err_data(e, "comes too late: its place in the document has been passed");
	if (rc != 0)
		return rc;
	if (d->dumps)
		put(d, f->n == 0 ? SLICE("") : SLICE(", "));
	else
		put(d, f->n == 0 ? SLICE("\n") : SLICE(",\n"));
	f->n++;
	return f->bracket == '{' ? put_name(d, token, e) : 0;
}

static int
push(struct docwrite *d, struct slice pointer, char bracket, struct err *e)
{
	if (d->frames == DOC_FRAMES)
		return err_data(e, "a container within more than %d others", DOC_FRAMES);
	d->frame[d->frames] = (struct doc_frame){ .pointer = pointer.len, .bracket = bracket };
	d->frames++;
	if (pointer.len > d->pointer.len &&
	    !buf_put(&d->pointer, pointer.p + d->pointer.len, pointer.len - d->pointer.len))
		return err_nomem(e);
	put(d, bracket == '{' ? SLICE("{") : SLICE("["));
	return 0;
}

/* The next token of the pointer behind FROM bytes of it. */
static struct slice
token_at(struct slice pointer, size_t from)
{
	const char *p = pointer.p + from + 1, *slash;
	size_t left = pointer.len - from - 1;

	slash = left != 0 ? memchr(p, '/', left) : NULL;
	return (struct slice){ p, slash != NULL ? (size_t)(slash - p) : left };
}

/* What a profile has at that pointer: '{', '[', or 0. */
static char
structure(struct slice pointer, bool is_row)
{
	struct slice t[3];
	size_t n = 0, at = 0;

	for (; at < pointer.len && n < 3; at += 1 + t[n++].len)
		t[n] = token_at(pointer, at);
	if (at < pointer.len)
		return 0;
	if (n == 0)
		return '{';
	if (slice_eq(t[n - 1], SLICE("models")) && (n != 2 || slice_eq(t[0], SLICE("global"))))
		return '[';
	if (slice_eq(t[0], SLICE("resources")))
		return is_row || n == 2 ? '{' : '[';
	if (slice_eq(t[0], SLICE("snapshots")) && n < 3)
		return n == 1 ? '[' : '{';
	if (n == 1 &&
	    (slice_eq(t[0], SLICE("global")) || slice_eq(t[0], SLICE("resource_type_map"))))
		return '{';
	return slice_eq(t[n - 1], SLICE("resources")) ? '[' : 0;
}

static bool
has_tokens(struct slice pointer, size_t n)
{
	size_t i, have = 0;

	for (i = 0; i < pointer.len; i++)
		have += pointer.p[i] == '/';
	return have == n;
}

/* Closes what POINTER is not in, and opens what it is in and is not open. */
static int
go_to_parent(struct docwrite *d, struct slice pointer, size_t parent, struct err *e)
{
	/* /resources/TYPE/INDEX, not /resources/INDEX */
	bool is_row = has_tokens(pointer, 3) && slice_eq(token_at(pointer, 0), SLICE("resources"));
	struct slice at;
	char bracket;
	int rc = 0;

	if (d->in_parts)
		return err_data(e, "the last parts of a value are missing before this");
	if (d->ended || (d->begun && d->frames == 0))
		return err_data(e, "a second document begins: a profile has one");
	while (d->frames != 0 && frame_pointer(d).len > parent)
		pop(d);
	while (d->frames > 1 && !is_within(pointer, frame_pointer(d)))
		pop(d);
	if (!d->begun) {
		d->begun = true;
		rc = push(d, SLICE(""), '{', e);
	}
	while (rc == 0 && frame_pointer(d).len < parent) {
		size_t have = frame_pointer(d).len;
		struct slice token = token_at(pointer, have);

		at = (struct slice){ pointer.p, have + 1 + token.len };
		bracket = structure(at, is_row);
		if (bracket == 0)
			return err_data(e, "no line has opened what the pointer is in");
		rc = put_before(d, token, false, e);
		if (rc == 0)
			rc = push(d, at, bracket, e);
	}
	return rc;
}

static int
parent_of(struct slice pointer, size_t *parent, struct err *e)
{
	if (pointer.len == 0 || pointer.p[0] != '/')
		return err_data(e, "no JSON pointer");
	for (*parent = pointer.len - 1; pointer.p[*parent] != '/'; --*parent)
		;
	return 0;
}

/* All that comes before a value or bracket at POINTER. */
static int
go_to(struct docwrite *d, struct slice pointer, struct err *e)
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
doc_container(struct docwrite *d, struct slice pointer, char bracket, struct err *e)
{
	int rc;

	if (pointer.len == 0 && !d->begun) {
		d->begun = true;
		return push(d, pointer, bracket, e);
	}
	if (pointer.len == 0)
		return err_data(e, "a second document begins: a profile has one");
	rc = go_to(d, pointer, e);
	return rc == 0 ? push(d, pointer, bracket, e) : rc;
}

/* What packing asks of the header, and whether the value is one that is left out. */
static int
look_at(struct docwrite *d, struct slice pointer, bool *leave_out, struct err *e)
{
	const struct jscan_token *t = d->j.token;
	uint32_t i;

	*leave_out = slice_eq(pointer, SLICE("/origin"));
	d->has_origin |= *leave_out;
	if (!slice_eq(pointer, SLICE("/header")) || t[0].kind != JSCAN_OBJECT)
		return 0;
	for (i = 1; i < t[0].next; i = t[i + 1].next) {
		struct slice name = { d->j.text + t[i].off, t[i].len };

		if (!slice_eq(name, SLICE("type")) || t[i + 1].kind != JSCAN_STRING)
			continue;
		d->type.len = 0;
		d->has_type = true;
		if (!jscan_undo(&d->type, (struct slice){ d->j.text + t[i + 1].off, t[i + 1].len }))
			return err_nomem(e);
	}
	return 0;
}

static struct doc_column *
column_at(struct docwrite *d, size_t i)
{
	size_t cap = d->column_cap * 2 > 16 ? d->column_cap * 2 : 16;
	struct doc_column *c;

	if (i < d->column_cap)
		return &d->column[i];
	c = realloc(d->column, cap * sizeof *c);
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
	rc = spell(d, name, &s, e);
	if (rc != 0)
		return rc;
	if (d->rows == 0) {
		c->name.len = c->values.len = 0;
		if (!buf_put(&c->name, s.p, s.len))
			return err_nomem(e);
		d->columns = i + 1;
	} else if (i >= d->columns || !slice_eq(s, buf_slice(&c->name))) {
		return err_data(e, "a resource of a type has other members than the first");
	}
	rc = spell(d, name + 1, &s, e);
	if (rc == 0 && d->rows != 0 && !buf_put(&c->values, ", ", d->dumps ? 2 : 1))
		rc = err_nomem(e);
	if (rc == 0 && !buf_put(&c->values, s.p, s.len))
		rc = err_nomem(e);
	return rc;
}

/* True where the members of what was scanned are those of the lists so far. */
static bool
fits_columns(const struct docwrite *d)
{
	const struct jscan_token *t = d->j.token;
	size_t n = 0;
	uint32_t i;

	if (t[0].kind != JSCAN_OBJECT)
		return false;
	for (i = 1; i < t[0].next; i = t[i + 1].next)
		n++;
	return n != 0 && (d->rows == 0 || n == d->columns);
}

/* A resource of a type of a resource map: one value more in each of its lists. */
static int
put_row(struct docwrite *d, struct slice index, struct err *e)
{
	struct doc_frame *f = &d->frame[d->frames - 1];
	const struct jscan_token *t = d->j.token;
	size_t n = 0;
	uint32_t i;
	int rc = list_index(f, index, e);

	if (rc == 0 && !fits_columns(d))
		rc = err_data(e, "a resource of a type has other members than the first");
	for (i = 1; rc == 0 && i < t[0].next; i = t[i + 1].next)
		rc = put_cell(d, n++, i, e);
	f->rows = true;
	d->rows += rc == 0;
	return rc;
}

static bool
is_row(struct slice pointer)
{
	return has_tokens(pointer, 3) && slice_eq(token_at(pointer, 0), SLICE("resources"));
}

static int
root_value(struct docwrite *d, struct err *e)
{
	struct slice s;
	int rc;

	if (d->begun)
		return err_data(e, "a second document begins: a profile has one");
	d->begun = d->ended = true;
	rc = spell(d, 0, &s, e);
	if (rc == 0)
		put(d, s);
	return rc;
}

int
doc_value(struct docwrite *d, struct slice pointer, struct slice json, struct err *e)
{
	bool leave_out = false;
	size_t parent = 0;
	struct slice s;
	int rc = scan(d, json, e);

	if (rc == 0 && pointer.len == 0)
		return root_value(d, e);
	if (rc == 0)
		rc = look_at(d, pointer, &leave_out, e);
	if (rc != 0 || (d->dumps && leave_out))
		return rc;
	if (is_row(pointer)) {
		rc = parent_of(pointer, &parent, e);
		if (rc == 0)
			rc = go_to_parent(d, pointer, parent, e);
		return rc == 0 ? put_row(d, token_at(pointer, parent), e) : rc;
	}
	rc = go_to(d, pointer, e);
	if (rc == 0)
		rc = spell(d, 0, &s, e);
	if (rc == 0)
		put(d, s);
	return rc;
}

int
doc_part(struct docwrite *d, struct slice pointer, struct slice json, uint64_t n, bool last,
    struct err *e)
{
	int rc = 0;

	if (n == 1 ? d->in_parts : !d->in_parts)
		return err_data(e, "a part of a value without those before it");
	d->in_parts = !last;
	if (d->dumps) {
		if (n == 1)
			d->gathered.len = 0;
		if (d->gathered.len + json.len > GATHER_MAX)
			return err_data(e, "a value of more than 1 GiB: this cannot be packed");
		if (!buf_put(&d->gathered, json.p, json.len))
			return err_nomem(e);
		return last ? doc_value(d, pointer, buf_slice(&d->gathered), e) : 0;
	}
	d->in_parts = false;
	if (n == 1 && pointer.len == 0 && !d->begun)
		d->begun = d->ended = true;
	else if (n == 1)
		rc = go_to(d, pointer, e);
	if (rc != 0)
		return rc;
	put(d, json);
	d->in_parts = !last;
	return 0;
}

int
doc_end(struct docwrite *d, struct err *e)
{
	int rc = 0;

	if (!d->begun) {
		d->begun = true;
		rc = push(d, SLICE(""), '{', e);
	}
	while (d->frames != 0)
		pop(d);
	if (!d->dumps)
		put(d, SLICE("\n"));
	d->ended = true;
	if (d->in_parts && rc == 0)
		return err_data(e, "the last parts of a value are missing");
	return rc;
}
