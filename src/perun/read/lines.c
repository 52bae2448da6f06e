/* SPDX-License-Identifier: ISC */
/* lines.c - the lines of a Perun profile. */
#include <errno.h>

#include "lib/copy.h"
#include "src/perun/read/decoder.h"
#include "src/perun/pytext.h"

#define COLUMN_MAX ((size_t)64 * 1024) /* of a region, a measure or a text value */
#define SHORT_TAG ((size_t)4096)
#define SHORT_LINE (EV_LINE_MAX / 2)

static void
put_head(struct decoder *d, struct slice kind)
{
	evw_begin(d->w, kind);
	if (d->has_time)
		evw_u64(d->w, d->time);
	else
		evw_none(d->w);
	evw_raw(d->w, buf_slice(&d->run));
}

static void
put_header_head(struct decoder *d)
{
	evw_begin(d->w, SLICE("header"));
	evw_none(d->w);
	evw_raw(d->w, buf_slice(&d->run));
	evw_text(d->w, buf_slice(&d->pointer));
	evw_none(d->w);
}

void
lines_open(struct decoder *d, char bracket)
{
	put_header_head(d);
	evw_raw(d->w, (struct slice){ &bracket, 1 });
	evw_end(d->w);
}

static void
put_part(struct decoder *d, struct slice text)
{
	put_header_head(d);
	evw_text(d->w, text);
	evw_tag_u64(d->w, SLICE("part"), ++d->piece);
}

/* Parts of PERUN_PIECE, until what is left of the text is at most that. */
static void
put_parts(struct decoder *d, struct slice *text)
{
	while (text->len > PERUN_PIECE) {
		put_part(d, (struct slice){ text->p, PERUN_PIECE });
		evw_end(d->w);
		text->p += PERUN_PIECE;
		text->len -= PERUN_PIECE;
	}
}

int
lines_piece(void *ctx, struct slice text, struct err *e)
{
	struct decoder *d = ctx;

	(void)e;
	put_parts(d, &text);
	put_part(d, text);
	evw_end(d->w);
	return 0;
}

void
lines_header(struct decoder *d)
{
	struct slice text = { d->j.text, d->j.text_len };

	put_parts(d, &text);
	if (d->piece != 0) {
		put_part(d, text);
		evw_tag_u64(d->w, SLICE("parts"), d->piece);
	} else {
		put_header_head(d);
		evw_text(d->w, text);
	}
	evw_end(d->w);
	d->piece = 0;
}

/* The member of the resource with that name, or NULL. */
static const struct flat_item *
member(const struct flat *f, struct slice name)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		if (f->item[i].top && slice_eq(f->item[i].path, name))
			return &f->item[i];
	return NULL;
}

/* True for a member that says something. */
static bool
says(const struct flat_item *i)
{
	return i != NULL && i->value.len != 0 && i->value.len <= COLUMN_MAX &&
	    !(i->kind == JSCAN_WORD && i->value.p[0] == 'N');
}

static void
put_column(struct decoder *d, const struct flat_item *i)
{
	if (!says(i))
		evw_none(d->w);
	else if (i->clean && !slice_is_nothing(i->value))
		evw_raw(d->w, i->value);
	else
		evw_text(d->w, i->value);
}

/* As a part of a column, "" and "." are only themselves. */
static char *
write_part(char *p, struct slice s)
{
	if (s.len != 0 && !slice_is_nothing(s))
		return p + esc_write(p, s.p, s.len, ESC_COLUMN);
	return copy_short(p, s.p, s.len);
}

static void
put_measure(struct decoder *d, const struct flat_item *type, const struct flat_item *subtype)
{
	struct slice first = says(type) ? type->value : SLICE("");
	char *p;

	if (!says(subtype)) {
		put_column(d, type);
		return;
	}
	p = evw_room(d->w, (first.len + subtype->value.len + 1) * ESC_MAX_GROWTH + 4);
	if (p == NULL)
		return;
	*p++ = '\t';
	p = write_part(p, first);
	*p++ = '.';
	evw_advance(d->w, write_part(p, subtype->value));
}

/* Returns true where it is a text. */
static bool
put_value(struct decoder *d, const struct flat_item *i)
{
	if (i == NULL || i->value.len > COLUMN_MAX) {
		evw_none(d->w);
		return false;
	}
	switch (i->kind) {
	case JSCAN_INTEGER: evw_raw(d->w, i->value); return false;
	case JSCAN_FLOAT: evw_double(d->w, pytext_double(i->value)); return false;
	case JSCAN_WORD:
		if (i->value.p[0] == 'T' || i->value.p[0] == 'F')
			evw_raw(d->w, i->value.p[0] == 'T' ? SLICE("1") : SLICE("0"));
		else
			evw_raw(d->w, i->value.p[0] == 'N' ? SLICE(".") : i->value);
		return false;
	}
	evw_text(d->w, i->value);
	return true;
}

/* In omitted= the name of all of them is "p": a key is not kept for as long as its line. */
static void
put_long_item(struct decoder *d, const struct flat_item *i)
{
	d->key.len = 0;
	/* within a key the text "." is nothing special */
	if (!buf_put(&d->key, "p..", slice_is_nothing(i->path) ? 3 : 2) ||
	    (d->key.len == 2 && !esc_append(&d->key, i->path.p, i->path.len, ESC_KEY))) {
		evw_nomem(d->w);
		return;
	}
	evw_tag_begin(d->w, buf_slice(&d->key));
	evw_value(d->w, i->value);
	evw_tag_end(d->w, SLICE("p"));
}

static void
put_tags(struct decoder *d)
{
	size_t i;

	for (i = 0; i < d->flat.n; i++) {
		const struct flat_item *item = &d->flat.item[i];
		struct slice path = item->path, v = item->value;
		char *p;

		if (path.len == 0)
			continue; /* the stream has no name for it */
		if (!item->clean || path.len + v.len > SHORT_TAG || evw_length(d->w) > SHORT_LINE ||
		    v.len == 0 || slice_is_nothing(v) || slice_is_nothing(path)) {
			put_long_item(d, item);
			continue;
		}
		p = evw_room(d->w, path.len + v.len + 4);
		if (p == NULL)
			return;
		memcpy(p, "\tp.", 3);
		p = copy_short(p + 3, path.p, path.len);
		*p++ = '=';
		evw_advance(d->w, copy_short(p, v.p, v.len));
	}
	if (d->flat.too_long) {
		evw_name_omitted(d->w, SLICE("p"));
		d->grown++;
	}
}

static void
put_at(struct decoder *d, uint64_t index)
{
	char *p;

	evw_tag_begin(d->w, SLICE("at"));
	evw_bytes(d->w, d->list.p, d->list.len);
	p = evw_room(d->w, NUM_MAX + 1);
	if (p != NULL) {
		*p++ = '/';
		evw_advance(d->w, p + num_put_u64(p, index));
	}
	evw_tag_end(d->w, SLICE("at"));
}

void
lines_items(struct decoder *d, struct slice kind, uint64_t index, struct slice json, unsigned flags)
{
	const struct flat *f = &d->flat;
	bool model = kind.p[0] == 'm', text;

	put_head(d, kind);
	put_column(d, member(f, SLICE("uid")));
	if (model)
		put_column(d, member(f, SLICE("model")));
	else
		put_measure(d, member(f, SLICE("type")), member(f, SLICE("subtype")));
	text = put_value(d, member(f, model ? SLICE("r_square") : SLICE("amount")));
	if (text)
		evw_tag_raw(d->w, SLICE("type"), SLICE("text"));
	put_at(d, index);
	if (flags == 0)
		evw_tag_raw(d->w, SLICE("json"), json);
	else
		evw_tag_text(d->w, SLICE("json"), json);
	put_tags(d);
	evw_end(d->w);
}

int
lines_begin_list(struct decoder *d, struct err *e)
{
	d->list.len = 0;
	return esc_append(&d->list, d->pointer.p, d->pointer.len, ESC_COLUMN) ? 0 : err_nomem(e);
}

int
lines_element(struct decoder *d, struct slice kind, uint64_t index, struct err *e)
{
	struct slice json = { d->j.text, d->j.text_len };

	if (!flat_begin(&d->flat, json.len) || !flat_add(&d->flat, json.p, d->j.token))
		return err_nomem(e);
	lines_items(d, kind, index, json, d->j.flags);
	return 0;
}

static void
put_run_tag(struct decoder *d, struct slice key, const struct buf *value)
{
	if (value->len != 0 && value->len <= COLUMN_MAX)
		evw_tag_text(d->w, key, buf_slice(value));
}

void
lines_run(struct decoder *d, struct slice format)
{
	if (d->about.announced)
		return;
	d->about.announced = true;
	evw_insert(d->w);
	evw_begin(d->w, SLICE("run"));
	evw_none(d->w);
	evw_raw(d->w, buf_slice(&d->run));
	evw_none(d->w);
	evw_none(d->w);
	evw_none(d->w);
	evw_tag_raw(d->w, SLICE("format"), format);
	put_run_tag(d, SLICE("app"), &d->about.app);
	put_run_tag(d, SLICE("args"), &d->about.args);
	put_run_tag(d, SLICE("workload"), &d->about.workload);
	evw_end(d->w);
	evw_release(d->w);
}
