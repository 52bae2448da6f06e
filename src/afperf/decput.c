/* SPDX-License-Identifier: ISC */
/* decput.c - writes a record as lines of the stream: the parts that most kinds share. */
#include "lib/copy.h"
#include "lib/ev.h"
#include "src/afperf/decint.h"

struct slice
dec_text(struct afperf_decode *d, struct slice field, enum afperf_as as)
{
	if (memchr(field.p, '\\', field.len) == NULL)
		return field;
	d->plain.len = 0;
	if (!afperf_bytes(&d->plain, field, as)) {
		(void)dec_nomem(d);
		return field;
	}
	return buf_slice(&d->plain);
}

/* A tag with only a name, or only a value, becomes a name, as in afenc. */
static enum dec
put_tag(struct afperf_decode *d, const struct dec_rec *r, size_t field, struct slice tag,
    struct buf *to)
{
	const char *eq = memchr(tag.p, '=', tag.len);
	struct slice key = { tag.p, eq == NULL ? tag.len : (size_t)(eq - tag.p) };
	struct slice value = { eq == NULL ? "" : eq + 1, eq == NULL ? 0 : tag.len - key.len - 1 };

	if (eq == NULL)
		dec_doubt(d, r, field + 1, RULE_TAGS, "%s%s",
		    tag.len == 0 ? "empty tag" : "tag without '=': ", dec_shown(d, tag));
	else if (key.len == 0)
		dec_doubt(d, r, field + 1, RULE_TAGS, "tag without a name: %s", dec_shown(d, tag));
	if (key.len == 0) {
		key = value;
		value.len = 0;
	}
	if (key.len == 0)
		return DEC_DONE;
	key = dec_text(d, key, AFPERF_TAG_KEY);
	if (!buf_put(to, "\ttag.", 5) || !esc_append(to, key.p, key.len, ESC_KEY) ||
	    !buf_putc(to, '='))
		return dec_nomem(d);
	value = dec_text(d, value, AFPERF_TAG_VALUE);
	return esc_append(to, value.p, value.len, ESC_COLUMN) ? DEC_DONE : dec_nomem(d);
}

enum dec
dec_tags(struct afperf_decode *d, const struct dec_rec *r, size_t field, struct buf *to)
{
	struct slice rest = record_field(&r->r, field), tag;
	enum dec rc = DEC_DONE;
	const char *end;

	if (rest.len == 0)
		return DEC_DONE;
	do {
		end = memchr(rest.p, ';', rest.len);
		tag = (struct slice){ rest.p, end == NULL ? rest.len : (size_t)(end - rest.p) };
		rc = put_tag(d, r, field, tag, to);
		rest.p += tag.len + 1;
		rest.len -= end == NULL ? rest.len : tag.len + 1;
	} while (rc == DEC_DONE && end != NULL);
	return rc;
}

enum dec
dec_extra(struct afperf_decode *d, const struct dec_rec *r, size_t known, const struct dec_run *run)
{
	size_t have = r->r.n - 1;

	if (have == known)
		return DEC_DONE;
	if (run->minor > 0) {
		dec_count(d, NOTE_EXTRA, r->r.line);
		return DEC_DONE;
	}
	if (d->opt.lenient && r->at->type == AFPERF_SECTION_START && have == known + 1) {
		dec_lenient(d, r, known + 2, RULE_FIELDS, "SectionStart with a label: left out");
		return DEC_DONE;
	}
	return dec_broken(d, r, known + 2, RULE_FIELDS, "%s has %zu fields after its type, not %zu",
	    afperf_record_name((enum afperf_record)r->at->type).p, have, known);
}

size_t
dec_put_time(char *dst, uint64_t time, uint64_t scale)
{
	return scale == 1 ? num_put_u64(dst, time) : wide_put(dst, wide_mul(time, scale));
}

size_t
dec_put_id(char *dst, const struct ids_entry *e)
{
	if (e->blank)
		*dst++ = '@';
	return (e->hex ? num_put_hex(dst, e->id) : num_put_u64(dst, e->id)) + e->blank;
}

void
dec_put_head(struct afperf_decode *d, struct slice kind, const struct dec_rec *r,
    const struct dec_run *run)
{
	char *p;

	evw_begin(d->w, kind);
	if (!r->timed) {
		evw_none(d->w);
	} else if ((p = evw_room(d->w, 1 + WIDE_DIGITS)) != NULL) {
		*p++ = '\t';
		evw_advance(d->w, p + dec_put_time(p, r->time, run->scale));
	}
	evw_raw(d->w, run->name);
}

/* The label of "LABEL\ttag.a=b", and what follows it. */
static struct slice
label_of(const struct afperf_decode *d, uint32_t label, struct slice *tags)
{
	struct slice text = d->texts.item[label];
	const char *tab = memchr(text.p, '\t', text.len);
	size_t n = tab == NULL ? text.len : (size_t)(tab - text.p);

	*tags = (struct slice){ text.p + n, text.len - n };
	return (struct slice){ text.p, n };
}

void
dec_put_label(struct afperf_decode *d, uint32_t label)
{
	struct slice tags;

	if (label == IDS_NONE)
		evw_none(d->w);
	else
		evw_raw(d->w, label_of(d, label, &tags));
}

static void
put_id_tag(struct evwrite *w, struct slice key, const struct ids_entry *e)
{
	char text[NUM_MAX + 1];

	if (e != NULL)
		evw_tag_raw(w, key, (struct slice){ text, dec_put_id(text, e) });
}

void
dec_put_scope(struct afperf_decode *d, struct slice scope, const struct ids_entry *e,
    const struct ids_entry *interval)
{
	evw_tag_raw(d->w, SLICE("scope"), scope);
	put_id_tag(d->w, SLICE("id"), e);
	put_id_tag(d->w, SLICE("interval"), interval);
}

void
dec_put_tags(struct evwrite *w, struct slice tags)
{
	struct ev_tag tag;

	if (tags.len == 0)
		return;
	tags = (struct slice){ tags.p + 1, tags.len - 1 };
	while (ev_next_tag(&tags, &tag))
		evw_tag_raw(w, tag.key, tag.value);
}

static void
put_fields(struct afperf_decode *d, struct slice key, const struct record *r, size_t from)
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
		evw_element(w, dec_text(d, field, AFPERF_FIELD));
	}
	evw_tag_end(w, key);
}

void
dec_put_end(struct afperf_decode *d, const struct dec_rec *r, const struct dec_run *run,
    uint32_t label, size_t known)
{
	struct slice tags = { "", 0 };
	char *p;

	if (d->opt.wall && r->timed && (p = evw_room(d->w, DEC_WALL_MAX)) != NULL)
		evw_advance(d->w, p + dec_wall_put(p, run, r->time));
	if (label != IDS_NONE)
		(void)label_of(d, label, &tags);
	evw_bytes(d->w, tags.p, tags.len);
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
dec_put_other(struct afperf_decode *d, const struct record *r)
{
	evw_begin(d->w, SLICE("other"));
	put_nothing(d->w, EV_COLUMNS - 1);
	evw_tag_text(d->w, SLICE("record"), dec_text(d, record_field(r, 0), AFPERF_FIELD));
	put_fields(d, SLICE("fields"), r, 1);
	evw_end(d->w);
}

void
dec_put_comment(struct afperf_decode *d, struct slice text)
{
	evw_begin(d->w, SLICE("comment"));
	put_nothing(d->w, EV_COLUMNS - 2);
	evw_text(d->w, dec_text(d, (struct slice){ text.p + 1, text.len - 1 }, AFPERF_FIELD));
	evw_tag_raw(d->w, SLICE("type"), SLICE("text"));
	evw_end(d->w);
}
