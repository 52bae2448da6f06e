/* SPDX-License-Identifier: ISC */
/* decdef.c - the records that define: RunInfo, MeasurementType, SectionInfo, and labels. */
#include <stdio.h>
#include <stdlib.h>

#include "src/afperf/decint.h"

#define TEXT_MAX ((size_t)64 * 1024) /* bytes of a text that is kept */
#define SPELLING_MAX ((size_t)512)
#define SPELLINGS_MAX ((size_t)4096)

static enum dec
released(struct afperf_decode *d, enum dec rc)
{
	return d->failure.code != 0 ? DEC_FAILED : rc;
}

enum dec
dec_text_fits(struct afperf_decode *d, const struct dec_rec *r, size_t field)
{
	if (record_field(&r->r, field).len <= TEXT_MAX)
		return DEC_DONE;
	return dec_broken(d, r, field + 1, RULE_SIZE, "text longer than %zu bytes", TEXT_MAX);
}

/* The line in which something was defined before, for messages. */
static unsigned long
line_of(const struct ids_entry *e)
{
	return e->line;
}

static void
set_defined(struct ids_entry *e, const struct dec_rec *r, struct dec_ref ref, enum ids_state state)
{
	e->line = r->r.line > IDS_LINE_MAX ? IDS_LINE_MAX : (unsigned)r->r.line & IDS_LINE_MAX;
	e->hex = ref.form == REF_HEX;
	e->state = state;
}

static enum dec
read_unit(struct afperf_decode *d, const struct dec_rec *r, struct dec_run *run, struct slice *unit)
{
	static const struct {
		struct slice name, unit;
		uint64_t scale;
	} units[] = {
		{ { "nanoseconds", 11 }, { "ns", 2 }, 1 },
		{ { "microseconds", 12 }, { "us", 2 }, 1000 },
		{ { "milliseconds", 12 }, { "ms", 2 }, 1000000 },
		{ { "seconds", 7 }, { "s", 1 }, 1000000000 },
	};
	size_t i;

	for (i = 0; i < sizeof units / sizeof units[0]; i++)
		if (slice_eq(record_field(&r->r, 2), units[i].name)) {
			run->scale = units[i].scale;
			*unit = units[i].unit;
			return DEC_DONE;
		}
	return dec_broken(d, r, 3, RULE_TIME_UNITS, "bad timestamp units %s",
	    dec_shown(d, record_field(&r->r, 2)));
}

/* Three unsigned integers. */
static bool
split_version(struct slice s, uint64_t part[3])
{
	size_t i;

	for (i = 0; i < 3; i++) {
		const char *dot = memchr(s.p, '.', s.len);
		struct slice number = { s.p, dot == NULL ? s.len : (size_t)(dot - s.p) };

		if ((dot == NULL) != (i == 2) || !num_get_u64(number, &part[i]))
			return false;
		s.p += number.len + (dot != NULL);
		s.len -= number.len + (dot != NULL);
	}
	return true;
}

static enum dec
read_version(struct afperf_decode *d, const struct dec_rec *r, struct dec_run *run,
    struct slice *version)
{
	uint64_t part[3];

	*version = SLICE(AFPERF_FORMAT_VERSION);
	if (r->at->run != 5)
		return DEC_DONE; /* one of the page's examples */
	*version = record_field(&r->r, 4);
	if (!split_version(*version, part))
		return dec_broken(d, r, 5, RULE_VERSION, "bad format version %s",
		    dec_shown(d, *version));
	if (part[0] != 1)
		return dec_broken(d, r, 5, RULE_VERSION,
		    "run has format version %s under header v1", dec_shown(d, *version));
	run->minor = part[1];
	return DEC_DONE;
}

static bool
is_plain_decimal(struct slice s)
{
	size_t i = s.len > 0 && s.p[0] == '-', digits = 0;

	for (; i < s.len && s.p[i] >= '0' && s.p[i] <= '9'; i++)
		digits++;
	if (i < s.len && s.p[i] == '.' && digits > 0)
		for (i++, digits = 0; i < s.len && s.p[i] >= '0' && s.p[i] <= '9'; i++)
			digits++;
	return i == s.len && digits > 0;
}

/* The wall clock: as it is where it is plain digits, which a double might not hold. */
static enum dec
read_wall(struct afperf_decode *d, const struct dec_rec *r, struct dec_run *run, struct slice *wall)
{
	enum dec rc;

	*wall = record_field(&r->r, 3);
	if (wall->len == 0) {
		dec_count(d, NOTE_NO_WALL, r->r.line);
		return DEC_DONE;
	}
	if (!is_plain_decimal(*wall)) {
		d->scratch.len = 0;
		rc = dec_double(d, r, 3, RULE_NUMBER, "wall clock");
		if (rc != DEC_DONE)
			return rc;
		*wall = buf_slice(&d->scratch);
	}
	if (!dec_wall_read(*wall, &run->wall))
		return dec_broken(d, r, 4, RULE_NUMBER, "no time of day: %s",
		    dec_shown(d, record_field(&r->r, 3)));
	return DEC_DONE;
}

static enum dec
add_run(struct afperf_decode *d, const struct dec_rec *r, struct dec_run *run, uint32_t *number)
{
	char id[DEC_REF_MAX], *name;
	size_t n;

	if (d->nruns == d->runs_cap) {
		size_t cap = d->runs_cap == 0 ? 4 : d->runs_cap * 2;
		struct dec_run *p = realloc(d->run, cap * sizeof *p);

		if (p == NULL)
			return dec_nomem(d);
		d->run = p;
		d->runs_cap = cap;
	}
	n = strlen(dec_ref_text(id, r->run));
	name = malloc(n);
	if (name == NULL)
		return dec_nomem(d);
	memcpy(name, id, n);
	run->name = (struct slice){ name, n };
	run->start = r->time;
	*number = (uint32_t)d->nruns;
	d->run[d->nruns++] = *run;
	return DEC_DONE;
}

struct run_texts {
	struct slice unit, wall, version;
};

static void
put_run(struct afperf_decode *d, const struct dec_rec *r, const struct dec_run *run,
    const struct run_texts *t, const struct buf *tags)
{
	size_t app = (size_t)r->at->run + 1;
	unsigned i;

	dec_put_head(d, SLICE("run"), r, run);
	for (i = 0; i < 3; i++)
		evw_none(d->w);
	evw_tag_raw(d->w, SLICE("unit"), t->unit);
	if (t->wall.len != 0)
		evw_tag_raw(d->w, SLICE("wall"), t->wall);
	for (i = 0; i < 2; i++) {
		struct slice text = record_field(&r->r, app + i);

		if (text.len != 0)
			evw_tag_text(d->w, i == 0 ? SLICE("app") : SLICE("version"),
			    dec_text(d, text, AFPERF_FIELD));
	}
	evw_tag_text(d->w, SLICE("afperf"), t->version);
	if (tags->len != 0)
		evw_bytes(d->w, tags->p, tags->len);
	dec_put_end(d, r, run, IDS_NONE, r->at->n);
}

/* The tags stand behind the wall clock's text, which may be in d->scratch too. */
static enum dec
define_run(struct afperf_decode *d, const struct dec_rec *r, uint32_t *number)
{
	struct dec_run run = { .scale = 0 };
	struct run_texts t;
	struct buf tags = { 0 };
	enum dec rc = read_unit(d, r, &run, &t.unit);

	if (rc == DEC_DONE)
		rc = read_version(d, r, &run, &t.version);
	if (rc == DEC_DONE)
		rc = dec_extra(d, r, r->at->n, &run);
	if (rc == DEC_DONE)
		rc = read_wall(d, r, &run, &t.wall);
	if (rc == DEC_DONE)
		rc = dec_tags(d, r, r->at->n, &tags);
	if (rc == DEC_DONE)
		rc = add_run(d, r, &run, number);
	if (rc == DEC_DONE)
		put_run(d, r, &d->run[*number], &t, &tags);
	buf_free(&tags);
	return rc;
}

enum dec
dec_run_info(struct afperf_decode *d, const struct dec_rec *r)
{
	char id[DEC_REF_MAX];
	struct ids_entry *e = ids_get(&d->runs, 0, r->run.id, r->run.form == REF_BLANK);
	uint32_t number = 0, list;
	enum dec rc;

	if (e == NULL)
		return dec_nomem(d);
	if (e->state != IDS_AWAITED) {
		dec_doubt(d, r, r->at->run + (size_t)1, RULE_RUN_TWICE,
		    "run %s defined twice: what line %lu says holds", dec_ref_text(id, r->run),
		    line_of(e));
		return DEC_DONE;
	}
	rc = define_run(d, r, &number);
	if (rc != DEC_DONE)
		return rc;
	list = e->detail;
	e->detail = e->run = number;
	set_defined(e, r, r->run, IDS_DONE);
	if (number == 0)
		d->first_run = e;
	rc = dec_release(d, &list);
	if (rc == DEC_DONE)
		rc = dec_release(d, &d->wait_run);
	if (d->run[number].minor > 0) {
		d->later = true;
		if (rc == DEC_DONE)
			rc = dec_release(d, &d->wait_later);
	}
	return released(d, rc);
}

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

/* The units that the page names. */
static bool
is_known_unit(struct slice s)
{
	return is_one_of(s, "text count s ms us \302\265s ns B bit b") ||
	    is_one_of(s, "kB MB GB TB PB EB ZB YB KiB MiB GiB TiB PiB EiB ZiB YiB") ||
	    is_one_of(s, "kbit Mbit Gbit Tbit Pbit Ebit Zbit Ybit") ||
	    is_one_of(s, "Kibit Mibit Gibit Tibit Pibit Eibit Zibit Yibit");
}

/* The long words, which are RunInfo's. */
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

/* Room for one more definition; that of an id again takes the old one's place where it may. */
static enum dec
type_room(struct afperf_decode *d)
{
	if (d->ntypes == d->types_cap) {
		size_t cap = d->types_cap == 0 ? 16 : d->types_cap * 2;
		struct dec_type *p = realloc(d->type, cap * sizeof *p);

		if (p == NULL)
			return dec_nomem(d);
		d->type = p;
		d->types_cap = cap;
	}
	return d->ntypes < IDS_NONE ? DEC_DONE : dec_nomem(d);
}

/* Name and tail of a type as lines have them. */
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

/* In force from here on: behind the definitions before it, as long as something may go by those. */
static void
enter_type(struct afperf_decode *d, struct ids_entry *e, struct dec_type *t)
{
	t->before = e->state == IDS_AWAITED ? IDS_NONE : e->detail;
	if (t->before != IDS_NONE && d->waiting == 0 && d->nready == 0 && d->ngroup == 0) {
		t->before = d->type[e->detail].before;
		free(d->type[e->detail].text);
		d->type[e->detail] = *t;
		return;
	}
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
	set_defined(e, r, ref, IDS_DONE);
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
		t = &d->type[t->before];
	return t;
}

/* A label and its tags as lines have them. */
static enum dec
make_label(struct afperf_decode *d, const struct dec_rec *r, uint32_t *number)
{
	struct buf *b = &d->scratch;
	struct slice label;
	enum dec rc = dec_text_fits(d, r, r->at->label);
	size_t n;

	if (rc == DEC_DONE)
		rc = dec_text_fits(d, r, r->at->label + (size_t)1);
	if (rc != DEC_DONE)
		return rc;
	b->len = 0;
	label = dec_text(d, record_field(&r->r, r->at->label), AFPERF_FIELD);
	if (!esc_append(b, label.p, label.len, ESC_COLUMN))
		return dec_nomem(d);
	rc = dec_tags(d, r, r->at->label + (size_t)1, b);
	if (rc != DEC_DONE)
		return rc;
	n = tab_add(&d->texts, buf_slice(b), NULL);
	if (n == TAB_NONE || n >= IDS_NONE)
		return dec_nomem(d);
	*number = (uint32_t)n;
	return DEC_DONE;
}

static bool
remember_spelling(struct afperf_decode *d, struct slice spelling, uint32_t label)
{
	size_t n = tab_add(&d->spelled, spelling, NULL);

	if (n != TAB_NONE && n >= d->spelled_cap) {
		size_t cap = d->spelled_cap == 0 ? 64 : d->spelled_cap * 2;
		uint32_t *p = realloc(d->spelled_label, cap * sizeof *p);

		if (p == NULL)
			return false;
		d->spelled_label = p;
		d->spelled_cap = cap;
	}
	if (n != TAB_NONE)
		d->spelled_label[n] = label;
	return n != TAB_NONE;
}

/* Most labels have been seen before, spelled as they are now; of many that are not, few are kept. */
enum dec
dec_label(struct afperf_decode *d, const struct dec_rec *r, uint32_t *number)
{
	struct slice label = record_field(&r->r, r->at->label);
	struct slice tags = record_field(&r->r, r->at->label + (size_t)1);
	struct slice spelling = { label.p, (size_t)(tags.p + tags.len - label.p) };
	uint64_t doubts = d->doubts;
	size_t n = tab_find(&d->spelled, spelling);
	enum dec rc;

	/* the two are told from each other by the comma that stands between, unless there are more */
	if (n != TAB_NONE && memchr(label.p, ',', label.len) == NULL &&
	    spelling.p[label.len] == ',') {
		*number = d->spelled_label[n];
		return DEC_DONE;
	}
	rc = make_label(d, r, number);
	if (rc == DEC_DONE && d->doubts == doubts && spelling.len <= SPELLING_MAX &&
	    d->spelled.count < SPELLINGS_MAX && memchr(label.p, ',', label.len) == NULL &&
	    !remember_spelling(d, spelling, *number))
		return dec_nomem(d);
	return rc;
}

enum dec
dec_section_info(struct afperf_decode *d, const struct dec_rec *r)
{
	char id[DEC_REF_MAX];
	struct ids_entry *run, *e;
	uint32_t list, label;
	enum dec rc = dec_find_run(d, r, r->run, &run);

	if (rc == DEC_DONE)
		rc = dec_extra(d, r, r->at->n, &d->run[run->detail]);
	if (rc != DEC_DONE)
		return rc;
	e = ids_get(&d->sections, 0, r->owner.id, r->owner.form == REF_BLANK);
	if (e == NULL)
		return dec_nomem(d);
	if (e->state != IDS_AWAITED)
		return dec_broken(d, r, r->at->owner + (size_t)1, RULE_UNIQUE,
		    "section %s defined twice (first in line %lu)", dec_ref_text(id, r->owner),
		    line_of(e));
	rc = dec_label(d, r, &label);
	if (rc != DEC_DONE)
		return rc;
	list = e->detail;
	e->detail = label;
	e->run = run->detail;
	set_defined(e, r, r->owner, IDS_DONE);
	dec_put_head(d, SLICE("section"), r, &d->run[run->detail]);
	dec_put_label(d, label);
	evw_none(d->w);
	evw_none(d->w);
	dec_put_scope(d, SLICE("section"), e, NULL);
	dec_put_end(d, r, &d->run[run->detail], label, r->at->n);
	return dec_release(d, &list);
}
