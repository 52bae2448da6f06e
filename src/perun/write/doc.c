/* SPDX-License-Identifier: ISC */
/* docwrite.c - writes a JSON document from its parts. */
#include "lib/json/jtext.h"
#include "src/perun/write/docint.h"

#include "lib/mem.h"
#include "lib/num.h"
#include "lib/json/jdict.h"
#include "src/perun/pytext.h"

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
	mem_free(d->column);
	doc_close_parts(d);
	while (d->frames > 0)
		tab_free(&d->frame[--d->frames].names);
	jscan_close(&d->j);
	buf_free(&d->pointer);
	buf_free(&d->spelled);
	buf_free(&d->gathered);
	buf_free(&d->type);
}

void
doc_put(struct docwrite *d, struct slice s)
{
	if (s.len != 0)
		out_put(d->o, s.p, s.len);
}

static struct slice
frame_pointer(const struct docwrite *d)
{
	return (struct slice){ d->pointer.p, d->frame[d->frames - 1].pointer };
}

/* Reads one JSON text with nothing after it. */
int
doc_scan(struct docwrite *d, struct slice json, struct err *e)
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
int
doc_spell(struct docwrite *d, uint32_t index, struct slice *s, struct err *e)
{
	const struct jscan_token *k = &d->j.token[index];
	uint32_t quote = k->kind == JSCAN_STRING;

	*s = (struct slice){ d->j.text + k->off - quote, k->len + 2 * quote };
	if (!d->dumps)
		return 0;
	d->spelled.len = 0;
	if (!pytext_dumps(&d->spelled, d->j.text, d->j.token, index))
		return err_nomem(e);
	*s = buf_slice(&d->spelled);
	return 0;
}

static void
pop(struct docwrite *d)
{
	struct doc_frame *f = &d->frame[d->frames - 1];

	if (f->rows)
		doc_put_columns(d);
	else if (f->n != 0 && !d->dumps)
		doc_put(d, SLICE("\n"));
	doc_put(d, f->bracket == '{' ? SLICE("}") : SLICE("]"));
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

/* Decodes a pointer's token to bytes. */
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
	bool ok = undo_token(&name, token) && jtext_quote(&text, buf_slice(&name));

	if (ok) {
		doc_put(d, buf_slice(&text));
		doc_put(d, d->dumps ? SLICE(": ") : SLICE(":"));
	}
	buf_free(&name);
	buf_free(&text);
	return ok ? 0 : err_nomem(e);
}

int
doc_list_index(struct doc_frame *f, struct slice token, struct err *e)
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

	if (f->rows)
		rc = err_data(e, "a type has resources, and other members besides");
	else if (f->bracket == '[')
		rc = doc_list_index(f, token, e);
	else if (tab_add(&f->names, token, &fresh) == TAB_NONE)
		rc = err_nomem(e);
	else if (!fresh && d->dumps)
		rc = err_data(e, "a member is there twice: this cannot be packed");
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
push(struct docwrite *d, struct slice pointer, char bracket, struct err *e)
{
	d->frame[d->frames] = (struct doc_frame){ .pointer = pointer.len, .bracket = bracket };
	d->frames++;
	if (pointer.len > d->pointer.len &&
	    !buf_put(&d->pointer, pointer.p + d->pointer.len, pointer.len - d->pointer.len))
		return err_nomem(e);
	doc_put(d, bracket == '{' ? SLICE("{") : SLICE("["));
	return 0;
}

/* The next token of the pointer after its first FROM bytes. */
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

static size_t
count_tokens(struct slice pointer)
{
	size_t i, n = 0;

	for (i = 0; i < pointer.len; i++)
		n += pointer.p[i] == '/';
	return n;
}

/* Closes what POINTER is not in, and opens what it is in and is not open. */
static int
go_to_parent(struct docwrite *d, struct slice pointer, size_t parent, struct err *e)
{
	/* /resources/TYPE/INDEX, not /resources/INDEX */
	bool is_row =
	    count_tokens(pointer) == 3 && slice_eq(token_at(pointer, 0), SLICE("resources"));
	struct slice at;
	char bracket;
	int rc = 0;

	if (d->part != 0)
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
int
doc_go_to(struct docwrite *d, struct slice pointer, struct err *e)
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
	if (count_tokens(pointer) >= DOC_FRAMES)
		return err_data(e, "a container within more than %d others", DOC_FRAMES - 1);
	rc = doc_go_to(d, pointer, e);
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
		if (!jscan_is(d->j.text, &t[i], SLICE("type")))
			continue;
		d->type.len = 0;
		d->has_type = t[i + 1].kind == JSCAN_STRING; /* of equal names the last counts */
		if (d->has_type &&
		    !jtext_undo(&d->type, (struct slice){ d->j.text + t[i + 1].off, t[i + 1].len }))
			return err_nomem(e);
	}
	return 0;
}

static bool
is_row(struct slice pointer)
{
	return count_tokens(pointer) == 3 && slice_eq(token_at(pointer, 0), SLICE("resources"));
}

static int
root_value(struct docwrite *d, struct err *e)
{
	struct slice s;
	int rc;

	if (d->begun)
		return err_data(e, "a second document begins: a profile has one");
	d->begun = d->ended = true;
	rc = doc_spell(d, 0, &s, e);
	if (rc == 0)
		doc_put(d, s);
	return rc;
}

int
doc_value(struct docwrite *d, struct slice pointer, struct slice json, struct err *e)
{
	bool leave_out = false;
	size_t parent = 0;
	struct slice s;
	int rc = doc_scan(d, json, e);

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
		return rc == 0 ? doc_put_row(d, token_at(pointer, parent), e) : rc;
	}
	rc = doc_go_to(d, pointer, e);
	if (rc == 0)
		rc = doc_spell(d, 0, &s, e);
	if (rc == 0)
		doc_put(d, s);
	return rc;
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
		doc_put(d, SLICE("\n"));
	d->ended = true;
	if (d->part != 0 && rc == 0)
		return err_data(e, "the last parts of a value are missing");
	return rc;
}
