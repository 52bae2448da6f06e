/* SPDX-License-Identifier: ISC */
/* put.c - writes records as lines of the stream: the parts that most kinds of lines share. */
#include "lib/short.h"
#include "lib/ev.h"
#include "src/afperf/read/decint.h"

struct slice
dec_text(struct dec *d, struct slice field, enum text_as as)
{
	if (memchr(field.p, '\\', field.len) == NULL)
		return field;
	d->room.plain.len = 0;
	if (!text_bytes(&d->room.plain, field, as)) {
		(void)dec_nomem(d);
		return field;
	}
	return buf_slice(&d->room.plain);
}

size_t
dec_put_time(char *dst, const struct dec_rec *r, enum afperf_field field, uint64_t time,
    const struct dec_run *run)
{
	struct slice s;

	if (run->clock.scale != 1)
		return wide_put(dst, wide_mul(time, run->clock.scale));
	if (r->spelled)
		return num_put_u64(dst, time);
	s = dec_field(r, field);
	return (size_t)(short_copy(dst, s.p, s.len) - dst);
}

size_t
dec_put_id(char *dst, const struct ids_entry *e)
{
	if (e->blank)
		*dst++ = '@';
	return (e->hex ? num_put_hex(dst, e->id) : num_put_u64(dst, e->id)) + e->blank;
}

void
dec_put_head(struct dec *d, struct slice kind, const struct dec_rec *r, const struct dec_run *run)
{
	char *p;

	evw_begin(d->w, kind);
	if (!r->timed) {
		evw_none(d->w);
	} else if ((p = evw_room(d->w, 1 + WIDE_DIGITS)) != NULL) {
		*p++ = '\t';
		evw_advance(d->w, p + dec_put_time(p, r, FIELD_TIME, r->time, run));
	}
	evw_raw(d->w, run->name);
}

struct slice
dec_label_text(struct dec *d, uint32_t label, struct slice *tags)
{
	struct slice text;
	const char *tab;

	*tags = (struct slice){ "", 0 };
	if (label == IDS_NONE)
		return SLICE(".");
	text = d->labels.texts.item[label];
	if (d->recent.label != label + 1) {
		tab = memchr(text.p, '\t', text.len);
		d->recent.label = label + 1;
		d->recent.label_len = tab == NULL ? text.len : (size_t)(tab - text.p);
	}
	tags->p = text.p + d->recent.label_len;
	tags->len = text.len - d->recent.label_len;
	return (struct slice){ text.p, d->recent.label_len };
}

void
dec_put_label(struct dec *d, uint32_t label)
{
	struct slice tags;

	evw_raw(d->w, dec_label_text(d, label, &tags));
}

void
dec_put_scope(struct dec *d, struct slice scope, const struct ids_entry *e)
{
	char id[NUM_MAX + 1];

	evw_tag_raw(d->w, SLICE("scope"), scope);
	evw_tag_raw(d->w, SLICE("id"), (struct slice){ id, dec_put_id(id, e) });
}

static void
put_fields(struct dec *d, struct slice key, const struct record *r, size_t from)
{
	struct evwrite *w = d->w;
	size_t i;

	if (from >= r->n)
		return;
	evw_tag_begin(w, key);
	for (i = from; i < r->n; i++) {
		struct slice field = record_field(r, i);

		if (i > from)
			evw_bytes(w, ";", 1);
		evw_element(w, dec_text(d, field, TEXT_FIELD));
	}
	evw_tag_end(w, key);
}

void
dec_put_end(struct dec *d, const struct dec_rec *r, const struct dec_run *run, uint32_t label,
    size_t known)
{
	struct slice tags;
	char *p;

	if (d->opt.wall && r->timed && (p = evw_room(d->w, 5 + WALL_MAX)) != NULL)
		evw_advance(d->w, wall_put(short_copy(p, "\tutc=", 5), &run->clock, r->time));
	(void)dec_label_text(d, label, &tags);
	evw_bytes(d->w, tags.p, tags.len);
	dec_note_extra(d, r, known, run);
	if (d->opt.all && run->minor > 0)
		put_fields(d, SLICE("extra"), &r->r, known + 1);
	evw_end(d->w);
}

static void
put_nothing(struct evwrite *w, unsigned columns)
{
	while (columns-- > 0)
		evw_none(w);
}

void
dec_put_other(struct dec *d, const struct record *r)
{
	evw_begin(d->w, SLICE("other"));
	put_nothing(d->w, EV_COLUMNS - 1);
	evw_tag_text(d->w, SLICE("record"), dec_text(d, record_field(r, 0), TEXT_FIELD));
	put_fields(d, SLICE("fields"), r, 1);
	evw_end(d->w);
}

void
dec_put_comment(struct dec *d, struct slice text)
{
	evw_begin(d->w, SLICE("comment"));
	put_nothing(d->w, EV_COLUMNS - 2);
	evw_text(d->w, dec_text(d, (struct slice){ text.p + 1, text.len - 1 }, TEXT_FIELD));
	evw_tag_raw(d->w, SLICE("type"), SLICE("text"));
	evw_end(d->w);
}
