/* SPDX-License-Identifier: ISC */
/* dectype.c - MeasurementType, and the choice of the definition in force. */

#include "lib/mem.h"
#include "lib/vec.h"
#include "src/afperf/decint.h"

static bool
is_one_of(struct slice s, const char *words)
{
	const char *p = words;
	size_t n;

	for (; *p != '\0'; p += n + (p[n] != '\0')) {
		n = strcspn(p, " ");
		if (n == s.len && memcmp(p, s.p, n) == 0)
			return true;
	}
	return false;
}

/* The units listed in the page. */
static bool
is_known_unit(struct slice s)
{
	return is_one_of(s, "text count s ms us \302\265s ns B bit b") ||
	    is_one_of(s, "kB MB GB TB PB EB ZB YB KiB MiB GiB TiB PiB EiB ZiB YiB") ||
	    is_one_of(s, "kbit Mbit Gbit Tbit Pbit Ebit Zbit Ybit") ||
	    is_one_of(s, "Kibit Mibit Gibit Tibit Pibit Eibit Zibit Yibit");
}

/* The long names of units, as in RunInfo. */
static struct slice
short_unit(struct slice s)
{
	if (slice_eq(s, SLICE("nanoseconds")))
		return SLICE("ns");
	if (slice_eq(s, SLICE("microseconds")))
		return SLICE("us");
	if (slice_eq(s, SLICE("milliseconds")))
		return SLICE("ms");
	return slice_eq(s, SLICE("seconds")) ? SLICE("s") : s;
}

static enum dec
check_units(struct afperf_decode *d, const struct dec_rec *r, enum afperf_datatype type,
    struct slice *unit)
{
	struct slice s = record_field(&r->r, 6), word = short_unit(s);
	const char *name = afperf_datatype_name(type).p;

	*unit = word;
	if (s.len == 0)
		return dec_broken(d, r, 7, RULE_UNITS, "no units");
	if (slice_eq(s, SLICE("count")) && (type == AFPERF_STRING || type == AFPERF_ENUM))
		return dec_broken(d, r, 7, RULE_UNITS, "units count with datatype %s", name);
	if (slice_eq(s, SLICE("text")) && type == AFPERF_ENUM)
		dec_doubt(d, r, 7, RULE_ENUM_TEXT, "units text with datatype enum");
	else if (slice_eq(s, SLICE("text")) && type != AFPERF_STRING)
		return dec_broken(d, r, 7, RULE_UNITS, "units text with datatype %s", name);
	if (word.len != s.len && !d->opt.lenient)
		return dec_broken(d, r, 7, RULE_UNITS,
		    "units %.*s: of time only s, ms, us and ns are", (int)s.len, s.p);
	if (word.len != s.len) {
		dec_lenient(d, r, 7, RULE_UNITS, "units %.*s: taken for %s", (int)s.len, s.p,
		    word.p);
	} else if (slice_eq(s, SLICE("\316\274s"))) {
		dec_doubt(d, r, 7, RULE_MICRO, "units with U+03BC, not U+00B5");
	} else if (!is_known_unit(s) &&
	    !(slice_eq(s, SLICE("-")) && (type == AFPERF_BOOL || type == AFPERF_ENUM))) {
		dec_count(d, NOTE_UNIT, r->r.line);
	}
	return DEC_DONE;
}

/* Makes room for a definition; a new one of an id replaces the old one if possible. */
static enum dec
type_room(struct afperf_decode *d)
{
	if (!vec_room(d->type, d->ntypes, d->types_cap))
		return dec_nomem(d);
	return d->ntypes < IDS_NONE ? DEC_DONE : dec_nomem(d);
}

/* Name and tail of a type as in lines. */
static enum dec
type_texts(struct afperf_decode *d, const struct dec_rec *r, struct dec_ref ref, struct slice unit,
    struct dec_type *t)
{
	struct slice name = dec_text(d, record_field(&r->r, 4), AFPERF_FIELD);
	bool text = t->datatype == AFPERF_STRING || t->datatype == AFPERF_ENUM;
	struct slice type = text ? SLICE("text") : afperf_datatype_name(t->datatype);
	char id[DEC_REF_MAX];
	struct buf b = { 0 };
	size_t n;

	if (!esc_append(&b, name.p, name.len, ESC_COLUMN))
		goto nomem;
	n = b.len;
	unit = dec_text(d, unit, AFPERF_FIELD);
	dec_ref_text(id, ref);
	if (!buf_put(&b, "\tmid=", 5) || !buf_put(&b, id, strlen(id)) ||
	    !buf_put(&b, "\tunit=", 6) || !esc_append(&b, unit.p, unit.len, ESC_COLUMN) ||
	    !buf_put(&b, "\ttype=", 6) || !buf_put(&b, type.p, type.len))
		goto nomem;
	t->text = b.p;
	t->name = (struct slice){ b.p, n };
	t->tail = (struct slice){ b.p + n, b.len - n };
	return DEC_DONE;
nomem:
	buf_free(&b);
	return dec_nomem(d);
}

static void
put_type(struct afperf_decode *d, const struct dec_rec *r, const struct dec_run *run,
    struct dec_ref ref, struct slice unit, const struct dec_type *t)
{
	static const struct slice keys[] = { { "summary", 7 }, { "description", 11 } };
	char id[DEC_REF_MAX];
	size_t i;

	dec_put_head(d, SLICE("measure"), r, run);
	evw_none(d->w);
	evw_raw(d->w, t->name);
	evw_none(d->w);
	evw_tag_raw(d->w, SLICE("id"), slice_of(dec_ref_text(id, ref)));
	evw_tag_raw(d->w, SLICE("type"), afperf_datatype_name(t->datatype));
	evw_tag_text(d->w, SLICE("unit"), dec_text(d, unit, AFPERF_FIELD));
	for (i = 0; i < 2; i++) {
		struct slice text = record_field(&r->r, 7 + i);

		if (text.len != 0)
			evw_tag_text(d->w, keys[i], dec_text(d, text, AFPERF_FIELD));
	}
	dec_put_end(d, r, run, IDS_NONE, r->at->n);
}

/*
 * A jump from a definition, to find an old one in few steps: if the jump of the one before it and
 * the jump after that have equal lengths, over both of them, else only to the one before.
 */
static void
set_jump(const struct afperf_decode *d, struct dec_type *t)
{
	const struct dec_type *b, *j;

	t->depth = 0;
	t->jump = t->before;
	if (t->before == IDS_NONE)
		return;
	b = &d->type[t->before];
	t->depth = b->depth + 1;
	if (b->jump == IDS_NONE)
		return;
	j = &d->type[b->jump];
	if (j->jump != IDS_NONE && b->depth - j->depth == j->depth - d->type[j->jump].depth)
		t->jump = j->jump;
}

/* In force from here on; linked after earlier definitions, as long as records may use those. */
static void
enter_type(struct afperf_decode *d, struct ids_entry *e, struct dec_type *t)
{
	t->before = e->state == IDS_AWAITED ? IDS_NONE : e->detail;
	if (t->before != IDS_NONE && d->waiting == 0 && d->nready == 0 && d->ngroup == 0) {
		t->before = d->type[e->detail].before;
		set_jump(d, t);
		mem_free(d->type[e->detail].text);
		d->type[e->detail] = *t;
		return;
	}
	set_jump(d, t);
	e->detail = (uint32_t)d->ntypes;
	d->type[d->ntypes++] = *t;
}

static enum dec
define_type(struct afperf_decode *d, const struct dec_rec *r, struct ids_entry *run_entry)
{
	const struct dec_run *run = &d->run[run_entry->detail];
	struct dec_type t = { .line = r->r.line };
	struct dec_ref ref = { 0, REF_NONE };
	struct ids_entry *e;
	struct slice unit;
	uint32_t list = IDS_NONE;
	enum dec rc = dec_unsigned(d, r, 3, &ref.id, &ref.form);

	t.datatype = afperf_datatype_named(record_field(&r->r, 5));
	if (rc == DEC_DONE && record_field(&r->r, 5).len == 0)
		rc = dec_broken(d, r, 6, RULE_DATATYPE, "no datatype");
	if (rc == DEC_DONE && t.datatype == AFPERF_DATATYPES)
		rc = dec_broken(d, r, 6, RULE_DATATYPE, "unknown datatype '%s'",
		    dec_shown(d, record_field(&r->r, 5)));
	if (rc == DEC_DONE)
		rc = check_units(d, r, t.datatype, &unit);
	if (rc == DEC_DONE)
		rc = dec_text_fits(d, r, 4);
	if (rc == DEC_DONE)
		rc = dec_text_fits(d, r, 6);
	if (rc == DEC_DONE)
		rc = type_room(d);
	if (rc != DEC_DONE)
		return rc;
	e = ids_get(&d->types, run_entry->detail, ref.id, false);
	if (e == NULL || type_texts(d, r, ref, unit, &t) != DEC_DONE)
		return dec_nomem(d);
	if (e->state == IDS_AWAITED) {
		list = e->detail;
		e->run = run_entry->detail;
	}
	enter_type(d, e, &t);
	dec_set_defined(e, r, ref, IDS_DONE);
	put_type(d, r, run, ref, unit, &t);
	return dec_release(d, &list);
}

enum dec
dec_measurement_type(struct afperf_decode *d, const struct dec_rec *r)
{
	struct ids_entry *run;
	enum dec rc = dec_find_run(d, r, r->run, &run);

	if (rc == DEC_DONE)
		rc = dec_extra(d, r, r->at->n, &d->run[run->detail]);
	return rc == DEC_DONE ? define_type(d, r, run) : rc;
}

const struct dec_type *
dec_type_at(const struct afperf_decode *d, const struct ids_entry *e, uint64_t line)
{
	const struct dec_type *t = &d->type[e->detail];

	while (t->line > line && t->before != IDS_NONE)
		t = &d->type[d->type[t->jump].line > line ? t->jump : t->before];
	return t;
}
