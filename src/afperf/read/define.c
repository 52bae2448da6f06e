/* SPDX-License-Identifier: ISC */
/* define.c - the records that are definitions: RunInfo, SectionInfo and MeasurementType; labels. */

#include <stdio.h>

#include "lib/mem.h"
#include "lib/vec.h"
#include "src/afperf/read/decint.h"

#define SPELLING_MAX ((size_t)512)
#define SPELLINGS_MAX ((size_t)4096)

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

/* Whose tags are being read. */
enum whose { TAGS_OF_LABEL, TAGS_OF_GROUP, TAGS_OF_STREAM };

/*
 * Returns whether the key may be one of the stream's own that has no place in a record.  All others
 * are tags of the label, whatever a mark says.
 */
static bool
is_own_key(struct slice key)
{
	static const char others[] = "stat start mid unit type utc extra";

	return key.p[0] >= 'a' && key.p[0] <= 'z' && memchr(key.p, '=', key.len) == NULL &&
	    !is_one_of(key, others);
}

/* Appends a text that afenc has written with its escapes.  Other text is escaped. */
static bool
put_escaped(struct buf *to, struct slice text)
{
	size_t at;

	return text.len != 0 && esc_is_canonical(text.p, text.len, &at)
	    ? buf_put(to, text.p, text.len)
	    : esc_append(to, text.p, text.len, ESC_COLUMN);
}

static bool
put_key(struct buf *to, struct slice key, bool own)
{
	return buf_putc(to, '\t') &&
	    (own ? put_escaped(to, key)
		 : buf_put(to, "tag.", 4) && esc_append(to, key.p, key.len, ESC_KEY)) &&
	    buf_putc(to, '=');
}

/*
 * Appends a tag.  A tag with only a name or only a value becomes a name, as in afenc.  *whose is
 * changed by a mark, and is TAGS_OF_LABEL if marks have no meaning.
 */
static enum dec_result
put_tag(struct dec *d, const struct dec_rec *r, size_t field, struct slice tag, enum whose *whose,
    struct buf *to)
{
	const char *eq = memchr(tag.p, '=', tag.len);
	struct slice key = { tag.p, eq == NULL ? tag.len : (size_t)(eq - tag.p) };
	struct slice value = { eq == NULL ? "" : eq + 1, eq == NULL ? 0 : tag.len - key.len - 1 };
	bool own = *whose == TAGS_OF_STREAM;

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
	if (*whose != TAGS_OF_LABEL && slice_eq(key, SLICE(AFPERF_MARK)) &&
	    (slice_eq(value, SLICE(AFPERF_MARK_OWN)) ||
		slice_eq(value, SLICE(AFPERF_MARK_LABEL)))) {
		*whose = slice_eq(value, SLICE(AFPERF_MARK_OWN)) ? TAGS_OF_STREAM : TAGS_OF_GROUP;
		return DEC_DONE;
	}
	if (own && slice_eq(tag, SLICE("start="))) {
		d->labels.timeless = true;
		return DEC_DONE;
	}
	key = dec_text(d, key, TEXT_TAG_KEY);
	/* that a value has no unit is all that a group says of units */
	own = own && (is_own_key(key) || slice_eq(tag, SLICE("unit=")));
	if (!put_key(to, key, own))
		return dec_nomem(d);
	value = dec_text(d, value, TEXT_TAG_VALUE);
	return (own ? put_escaped(to, value) : esc_append(to, value.p, value.len, ESC_COLUMN))
	    ? DEC_DONE
	    : dec_nomem(d);
}

static enum dec_result
read_tags(struct dec *d, const struct dec_rec *r, size_t field, enum whose whose, struct buf *to)
{
	struct slice rest = record_field(&r->r, field), tag;
	enum dec_result rc = DEC_DONE;
	const char *end;

	if (rest.len == 0)
		return DEC_DONE;
	do {
		end = memchr(rest.p, ';', rest.len);
		tag = (struct slice){ rest.p, end == NULL ? rest.len : (size_t)(end - rest.p) };
		rc = put_tag(d, r, field, tag, &whose, to);
		rest.p += tag.len + 1;
		rest.len -= end == NULL ? rest.len : tag.len + 1;
	} while (rc == DEC_DONE && end != NULL);
	return rc;
}

/* Makes the text of a label and its tags, as they appear in a line. */
static enum dec_result
make_label(struct dec *d, const struct dec_rec *r, uint32_t *number)
{
	struct buf *b = &d->room.scratch;
	struct slice label;
	enum dec_result rc = dec_text_fits(d, r, dec_at(r, FIELD_LABEL));
	size_t n;

	if (rc == DEC_DONE)
		rc = dec_text_fits(d, r, dec_at(r, FIELD_TAGS));
	if (rc != DEC_DONE)
		return rc;
	b->len = 0;
	d->labels.timeless = false;
	label = dec_text(d, dec_field(r, FIELD_LABEL), TEXT_FIELD);
	if (!esc_append(b, label.p, label.len, ESC_COLUMN))
		return dec_nomem(d);
	rc = read_tags(d, r, dec_at(r, FIELD_LABEL) + 1, r->group ? TAGS_OF_GROUP : TAGS_OF_LABEL,
	    b);
	if (rc != DEC_DONE)
		return rc;
	n = tab_add(&d->labels.texts, buf_slice(b), NULL);
	if (n == TAB_NONE || n >= IDS_NONE)
		return dec_nomem(d);
	*number = (uint32_t)n;
	return DEC_DONE;
}

static bool
remember_spelling(struct dec *d, struct slice spelling, uint32_t label)
{
	size_t n = tab_add(&d->labels.spelled, spelling, NULL);

	if (n != TAB_NONE && !vec_room(d->labels.spelled_label, n, d->labels.spelled_cap))
		return false;
	if (n != TAB_NONE)
		d->labels.spelled_label[n] = label;
	return n != TAB_NONE;
}

/*
 * Looks for the spelling first, since most labels have been seen before in the same spelling.  In a
 * group it may mean something else.
 */
enum dec_result
dec_label(struct dec *d, const struct dec_rec *r, uint32_t *number)
{
	struct slice label = dec_field(r, FIELD_LABEL);
	struct slice tags = record_field(&r->r, dec_at(r, FIELD_TAGS));
	struct slice spelling = { label.p, (size_t)(tags.p + tags.len - label.p) };
	uint64_t doubts = d->doubts;
	size_t n = r->group ? TAB_NONE : tab_find(&d->labels.spelled, spelling);
	enum dec_result rc;

	/* a comma separates the two; if the label has no comma, it ends there */
	if (n != TAB_NONE && memchr(label.p, ',', label.len) == NULL) {
		*number = d->labels.spelled_label[n];
		return DEC_DONE;
	}
	rc = make_label(d, r, number);
	if (rc == DEC_DONE && !r->group && d->doubts == doubts && spelling.len <= SPELLING_MAX &&
	    d->labels.spelled.count < SPELLINGS_MAX && memchr(label.p, ',', label.len) == NULL &&
	    !remember_spelling(d, spelling, *number))
		return dec_nomem(d);
	return rc;
}

/* Returns whether the specification lists the unit. */
static bool
is_known_unit(struct slice s)
{
	return is_one_of(s, "text count s ms us \302\265s ns B bit b") ||
	    is_one_of(s, "kB MB GB TB PB EB ZB YB KiB MiB GiB TiB PiB EiB ZiB YiB") ||
	    is_one_of(s, "kbit Mbit Gbit Tbit Pbit Ebit Zbit Ybit") ||
	    is_one_of(s, "Kibit Mibit Gibit Tibit Pibit Eibit Zibit Yibit");
}

static enum dec_result
check_units(struct dec *d, const struct dec_rec *r, enum afperf_datatype type, struct slice *unit)
{
	size_t at = dec_at(r, FIELD_UNITS) + 1;
	struct slice s = dec_field(r, FIELD_UNITS), word = afperf_short_unit(s);
	const char *name = afperf_datatype_name(type).p;

	*unit = word;
	if (s.len == 0)
		return dec_broken(d, r, at, RULE_UNITS, "no units%s",
		    type == AFPERF_ENUM || type == AFPERF_BOOL ? ": put -"
			: type == AFPERF_STRING                ? ": put text"
							       : "");
	if (slice_eq(s, SLICE("count")) && afperf_holds_texts(type))
		return dec_broken(d, r, at, RULE_UNITS, "units count with datatype %s: put %s",
		    name, type == AFPERF_ENUM ? "-" : "text");
	if (slice_eq(s, SLICE("text")) && type == AFPERF_ENUM)
		dec_doubt(d, r, at, RULE_ENUM_TEXT, "units text with datatype enum");
	else if (slice_eq(s, SLICE("text")) && type != AFPERF_STRING)
		return dec_broken(d, r, at, RULE_UNITS, "units text with datatype %s", name);
	if (word.len != s.len && !d->opt.lenient)
		return dec_broken(d, r, at, RULE_UNITS,
		    "units %.*s: the only units of time are s, ms, us and ns", (int)s.len, s.p);
	if (word.len != s.len) {
		dec_lenient(d, r, at, RULE_UNITS, "units %.*s: read as %s", (int)s.len, s.p,
		    word.p);
	} else if (slice_eq(s, SLICE("\316\274s"))) {
		dec_doubt(d, r, at, RULE_MICRO, "units with U+03BC, not U+00B5");
	} else if (!is_known_unit(s) &&
	    !(slice_eq(s, SLICE("-")) && (type == AFPERF_BOOL || type == AFPERF_ENUM))) {
		dec_count(d, NOTE_UNIT, r->r.line);
	}
	if (is_one_of(s, "\302\265s \316\274s")) /* the stream has one spelling */
		*unit = SLICE("us");
	return DEC_DONE;
}

/* Makes room for a definition. */
static enum dec_result
type_room(struct dec *d)
{
	if (!vec_room(d->def.type, d->def.ntypes, d->def.types_cap))
		return dec_nomem(d);
	return d->def.ntypes < IDS_NONE ? DEC_DONE : dec_nomem(d);
}

/* Makes the name and the tail of a type, as they appear in lines. */
static enum dec_result
type_texts(struct dec *d, const struct dec_rec *r, struct ids_ref ref, struct slice unit,
    struct dec_type *t)
{
	struct slice name = dec_text(d, dec_field(r, FIELD_NAME), TEXT_FIELD);
	bool text = afperf_holds_texts(t->datatype);
	struct slice type = text ? SLICE("text") : afperf_datatype_name(t->datatype);
	char id[DEC_REF_MAX];
	struct buf b = { 0 };
	size_t n;

	if (!esc_append(&b, name.p, name.len, ESC_COLUMN))
		goto nomem;
	n = b.len;
	unit = dec_text(d, unit, TEXT_FIELD);
	dec_ref_text(id, ref);
	if (!buf_put(&b, "\tmid=", 5) || !buf_puts(&b, id))
		goto nomem;
	t->mid = b.len - n;
	if (!buf_put(&b, "\tunit=", 6) || !esc_append(&b, unit.p, unit.len, ESC_COLUMN) ||
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

/* Writes a text as a tag if it is not empty. */
static void
put_text(struct dec *d, struct slice key, struct slice text)
{
	if (text.len != 0)
		evw_tag_text(d->w, key, dec_text(d, text, TEXT_FIELD));
}

static void
put_type(struct dec *d, const struct dec_rec *r, const struct dec_run *run, struct ids_ref ref,
    struct slice unit, const struct dec_type *t)
{
	char id[DEC_REF_MAX];

	dec_put_head(d, SLICE("measure"), r, run);
	evw_none(d->w);
	evw_raw(d->w, t->name);
	evw_none(d->w);
	evw_tag_raw(d->w, SLICE("id"), slice_of(dec_ref_text(id, ref)));
	evw_tag_raw(d->w, SLICE("type"), afperf_datatype_name(t->datatype));
	evw_tag_text(d->w, SLICE("unit"), dec_text(d, unit, TEXT_FIELD));
	put_text(d, SLICE("summary"), dec_field(r, FIELD_SUMMARY));
	put_text(d, SLICE("description"), dec_field(r, FIELD_DESCRIPTION));
	dec_put_end(d, r, run, IDS_NONE, r->layout->n);
}

/*
 * Sets the jump of a definition.  With jumps, a search reaches an old definition in few steps.  If
 * the jump of the preceding definition and the jump after that have equal lengths, the new jump
 * spans both.  Otherwise it leads only to the preceding definition.
 */
static void
set_jump(const struct dec *d, struct dec_type *t)
{
	const struct dec_type *b, *j;

	t->depth = 0;
	t->jump = t->before;
	if (t->before == IDS_NONE)
		return;
	b = &d->def.type[t->before];
	t->depth = b->depth + 1;
	if (b->jump == IDS_NONE)
		return;
	j = &d->def.type[b->jump];
	if (j->jump != IDS_NONE && b->depth - j->depth == j->depth - d->def.type[j->jump].depth)
		t->jump = j->jump;
}

/*
 * Puts a definition in force from here on.  It is linked to the earlier definitions as long as
 * records may still use them.
 */
static void
enter_type(struct dec *d, struct ids_entry *e, struct dec_type *t)
{
	t->before = e->state == IDS_AWAITED ? IDS_NONE : e->detail;
	if (t->before != IDS_NONE && d->hold.records == 0 && d->hold.nready == 0 &&
	    d->group.n == 0) {
		t->before = d->def.type[e->detail].before;
		set_jump(d, t);
		mem_free(d->def.type[e->detail].text);
		d->def.type[e->detail] = *t;
		return;
	}
	set_jump(d, t);
	e->detail = (uint32_t)d->def.ntypes;
	d->def.type[d->def.ntypes++] = *t;
}

static enum dec_result
define_type(struct dec *d, const struct dec_rec *r, struct ids_entry *run_entry)
{
	const struct dec_run *run = &d->def.run[run_entry->detail];
	struct dec_type t = { .line = r->r.line };
	struct ids_ref ref = { 0, IDS_ABSENT };
	struct ids_entry *e;
	struct slice datatype = dec_field(r, FIELD_DATATYPE), unit;
	uint32_t list = IDS_NONE;
	enum dec_result rc = dec_id(d, r, dec_at(r, FIELD_TYPE), &ref);

	t.datatype = afperf_datatype_named(datatype);
	if (rc == DEC_DONE && datatype.len == 0)
		rc = dec_broken(d, r, dec_at(r, FIELD_DATATYPE) + 1, RULE_DATATYPE, "no datatype");
	if (rc == DEC_DONE && t.datatype == AFPERF_DATATYPES)
		rc = dec_broken(d, r, dec_at(r, FIELD_DATATYPE) + 1, RULE_DATATYPE,
		    "unknown datatype '%s'", dec_shown(d, datatype));
	if (rc == DEC_DONE)
		rc = check_units(d, r, t.datatype, &unit);
	if (rc == DEC_DONE)
		rc = dec_text_fits(d, r, dec_at(r, FIELD_NAME));
	if (rc == DEC_DONE)
		rc = dec_text_fits(d, r, dec_at(r, FIELD_UNITS));
	if (rc == DEC_DONE)
		rc = type_room(d);
	if (rc == DEC_BROKEN)
		return dec_refuse(d, DEC_TYPE + run_entry->detail, ref) ? rc : dec_nomem(d);
	if (rc != DEC_DONE)
		return rc;
	e = ids_get(&d->def.types, run_entry->detail, ref.id, false);
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

static enum dec_result
measurement_type(struct dec *d, const struct dec_rec *r)
{
	struct ids_entry *run;
	enum dec_result rc = dec_find_run(d, r, r->run, &run);

	if (rc == DEC_DONE)
		rc = dec_extra(d, r, r->layout->n, &d->def.run[run->detail]);
	return rc == DEC_DONE ? define_type(d, r, run) : rc;
}

const struct dec_type *
dec_type_at(const struct dec *d, const struct ids_entry *e, uint64_t line)
{
	const struct dec_type *t = &d->def.type[e->detail];

	while (t->line > line && t->before != IDS_NONE)
		t = &d->def.type[d->def.type[t->jump].line > line ? t->jump : t->before];
	return t;
}

static enum dec_result
released(struct dec *d, enum dec_result rc)
{
	return d->failure.code != 0 ? DEC_FAILED : rc;
}

/* Returns the line of an earlier definition, for messages. */
static unsigned long
line_of(const struct ids_entry *e)
{
	return e->origin;
}

/* Reports a unit that does not exist, with those that do. */
static enum dec_result
bad_unit(struct dec *d, const struct dec_rec *r, struct slice s)
{
	const struct afperf_time_unit *t;
	char list[128];
	size_t i, n = 0;

	for (i = 0; (t = afperf_time_unit_at(i)) != NULL && n < sizeof list; i++)
		n += (size_t)snprintf(list + n, sizeof list - n, "%s%.*s",
		    i == 0                                   ? ""
			: afperf_time_unit_at(i + 1) == NULL ? " or "
							     : ", ",
		    (int)t->word.len, t->word.p);
	return dec_broken(d, r, dec_at(r, FIELD_TIME_UNIT) + 1, RULE_TIME_UNITS,
	    "%s timestamp units%s%s: expected %s", s.len == 0 ? "no" : "bad", s.len == 0 ? "" : " ",
	    dec_shown(d, s), list);
}

static enum dec_result
read_unit(struct dec *d, const struct dec_rec *r, struct dec_run *run, struct slice *unit)
{
	struct slice s = dec_field(r, FIELD_TIME_UNIT);
	const struct afperf_time_unit *t = afperf_time_unit_of_word(s);

	if (t == NULL)
		return bad_unit(d, r, s);
	run->clock.scale = t->scale;
	*unit = t->unit;
	return DEC_DONE;
}

static enum dec_result
read_version(struct dec *d, const struct dec_rec *r, struct dec_run *run, struct slice *version)
{
	size_t at = dec_at(r, FIELD_VERSION);
	uint64_t part[3];

	*version = SLICE(AFPERF_FORMAT_VERSION);
	if (at == 0)
		return DEC_DONE; /* one of the specification's examples */
	*version = record_field(&r->r, at);
	if (version->len == 0)
		return dec_broken(d, r, at + 1, RULE_VERSION, "no format version");
	if (!afperf_version_read(*version, part))
		return dec_broken(d, r, at + 1, RULE_VERSION, "bad format version %s",
		    dec_shown(d, *version));
	if (part[0] != 1)
		return dec_broken(d, r, at + 1, RULE_VERSION,
		    "run with format version %s under header v1", dec_shown(d, *version));
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

/*
 * Reads the wall clock.  Plain digits are left unchanged, since a double might not hold them
 * exactly.
 */
static enum dec_result
read_wall(struct dec *d, const struct dec_rec *r, struct dec_run *run, struct slice *wall)
{
	size_t at = dec_at(r, FIELD_WALL);
	enum dec_result rc;

	*wall = record_field(&r->r, at);
	if (wall->len == 0) {
		dec_count(d, NOTE_NO_WALL, r->r.line);
		return DEC_DONE;
	}
	if (!is_plain_decimal(*wall)) {
		d->room.scratch.len = 0;
		rc = dec_double(d, r, at, RULE_NUMBER, "wall clock");
		if (rc != DEC_DONE)
			return rc;
		*wall = buf_slice(&d->room.scratch);
	}
	if (!wall_read(*wall, &run->clock.at_start))
		return dec_broken(d, r, at + 1, RULE_NUMBER, "not a time of day: %s",
		    dec_shown(d, record_field(&r->r, at)));
	return DEC_DONE;
}

/*
 * Returns the id of a run.  One that afenc may have taken from the run column of a stream keeps its
 * zeros and capitals, so that the run gets its own name back.
 */
static struct slice
run_id(const struct dec_rec *r, char *room)
{
	struct slice field = dec_field(r, FIELD_RUN);
	uint64_t v;

	return num_get_hex(field, &v) ? field : slice_of(dec_ref_text(room, r->run));
}

/*
 * Makes the text of the run column: the file's own id, or the one that was asked for.  Results of
 * several runs have none.
 */
static bool
name_run(struct dec *d, const struct dec_rec *r, bool pool, struct slice *name)
{
	char room[DEC_REF_MAX];
	struct slice id = pool ? SLICE(".") : run_id(r, room);
	struct buf own = { 0 };

	if (pool || d->opt.run == NULL) {
		if (!buf_put(&own, id.p, id.len))
			return false;
	} else if (!esc_append(&own, d->opt.run, strlen(d->opt.run), ESC_COLUMN)) {
		buf_free(&own);
		return false;
	}
	*name = buf_slice(&own);
	return true;
}

static enum dec_result
add_run(struct dec *d, const struct dec_rec *r, struct dec_run *run, uint32_t *number)
{
	char id[DEC_REF_MAX];

	if (d->opt.run != NULL && d->def.nruns > 0)
		return dec_broken(d, r, dec_at(r, FIELD_RUN) + 1, RULE_UNIQUE,
		    "--run: there is another run, %s", dec_ref_text(id, r->run));
	if (!vec_room(d->def.run, d->def.nruns, d->def.runs_cap) ||
	    !name_run(d, r, run->pool, &run->name))
		return dec_nomem(d);
	run->clock.start = r->time;
	*number = (uint32_t)d->def.nruns;
	d->def.run[d->def.nruns++] = *run;
	return DEC_DONE;
}

/* Writes tags, each with a TAB before it.  Tags that do not fit in the line are left out. */
static void
put_tags(struct evwrite *w, struct slice tags)
{
	struct ev_tag tag;

	if (tags.len == 0)
		return;
	tags = (struct slice){ tags.p + 1, tags.len - 1 };
	while (ev_next_tag(&tags, &tag))
		evw_tag_raw(w, tag.key, tag.value);
}

struct run_texts {
	struct slice unit, wall, version;
};

static void
put_run(struct dec *d, const struct dec_rec *r, const struct dec_run *run,
    const struct run_texts *t, const struct buf *tags)
{
	unsigned i;

	if (run->pool) {
		dec_note_extra(d, r, r->layout->n, run);
		return;
	}
	dec_put_head(d, SLICE("run"), r, run);
	for (i = 0; i < 3; i++)
		evw_none(d->w);
	evw_tag_raw(d->w, SLICE("unit"), t->unit);
	if (t->wall.len != 0)
		evw_tag_raw(d->w, SLICE("wall"), t->wall);
	put_text(d, SLICE("app"), dec_field(r, FIELD_APP));
	put_text(d, SLICE("version"), dec_field(r, FIELD_APP_VERSION));
	evw_tag_text(d->w, SLICE("afperf"), t->version);
	put_tags(d->w, buf_slice(tags));
	dec_put_end(d, r, run, IDS_NONE, r->layout->n);
}

/* Returns whether the tags of a run, each with a TAB before it, say that it stands for several. */
static bool
is_marked_pool(struct slice tags)
{
	struct slice mark;

	return tags.len != 0 && ev_tag_in(tags, SLICE("tag." AFPERF_MARK), &mark) &&
	    slice_eq(mark, SLICE(AFPERF_MARK_POOL));
}

/* Defines a run.  The tags are read after the wall clock, since both may use d->room.scratch. */
static enum dec_result
define_run(struct dec *d, const struct dec_rec *r, uint32_t *number)
{
	struct dec_run run = { .minor = 0 };
	struct run_texts t;
	struct buf tags = { 0 };
	enum dec_result rc = read_unit(d, r, &run, &t.unit);

	if (rc == DEC_DONE)
		rc = read_version(d, r, &run, &t.version);
	if (rc == DEC_DONE)
		rc = dec_extra(d, r, r->layout->n, &run);
	if (rc == DEC_DONE)
		rc = read_wall(d, r, &run, &t.wall);
	if (rc == DEC_DONE)
		rc = read_tags(d, r, dec_at(r, FIELD_TAGS), TAGS_OF_LABEL, &tags);
	run.pool = is_marked_pool(buf_slice(&tags));
	if (rc == DEC_DONE)
		rc = add_run(d, r, &run, number);
	if (rc == DEC_DONE)
		put_run(d, r, &d->def.run[*number], &t, &tags);
	buf_free(&tags);
	return rc;
}

static enum dec_result
run_info(struct dec *d, const struct dec_rec *r)
{
	char id[DEC_REF_MAX];
	struct ids_entry *e = ids_get(&d->def.runs, 0, r->run.id, r->run.spelling == IDS_BLANK);
	uint32_t number = 0, list;
	enum dec_result rc;

	if (e == NULL)
		return dec_nomem(d);
	if (e->state != IDS_AWAITED) {
		dec_doubt(d, r, dec_at(r, FIELD_RUN) + 1, RULE_RUN_TWICE,
		    "run %s defined twice: the definition in line %lu is used",
		    dec_ref_text(id, r->run), line_of(e));
		return DEC_DONE;
	}
	rc = define_run(d, r, &number);
	if (rc == DEC_BROKEN)
		return dec_refuse(d, DEC_RUN, r->run) ? rc : dec_nomem(d);
	if (rc != DEC_DONE)
		return rc;
	list = e->detail;
	e->detail = e->run = number;
	dec_set_defined(e, r, r->run, IDS_DONE);
	if (number == 0)
		d->def.first_run = e;
	rc = dec_release(d, &list);
	if (rc == DEC_DONE && d->def.nruns > 1)
		rc = dec_release(d, &d->hold.wait_run);
	if (d->def.run[number].minor > 0) {
		d->def.later = true;
		if (rc == DEC_DONE)
			rc = dec_release(d, &d->hold.wait_later);
	}
	return released(d, rc);
}

static enum dec_result
section_info(struct dec *d, const struct dec_rec *r)
{
	char id[DEC_REF_MAX];
	struct ids_entry *run, *e;
	uint32_t list, label;
	enum dec_result rc = dec_find_run(d, r, r->run, &run);

	if (rc == DEC_DONE)
		rc = dec_extra(d, r, r->layout->n, &d->def.run[run->detail]);
	if (rc != DEC_DONE)
		return rc;
	e = ids_get(&d->def.sections, 0, r->owner.id, r->owner.spelling == IDS_BLANK);
	if (e == NULL)
		return dec_nomem(d);
	if (e->state != IDS_AWAITED)
		return dec_broken(d, r, dec_at(r, FIELD_OWNER) + 1, RULE_UNIQUE,
		    "section %s defined twice (first in line %lu)", dec_ref_text(id, r->owner),
		    line_of(e));
	rc = dec_label(d, r, &label);
	if (rc != DEC_DONE)
		return rc;
	list = e->detail;
	e->detail = label;
	e->run = run->detail;
	dec_set_defined(e, r, r->owner, IDS_DONE);
	dec_put_head(d, SLICE("section"), r, &d->def.run[run->detail]);
	dec_put_label(d, label);
	evw_none(d->w);
	evw_none(d->w);
	dec_put_scope(d, SLICE("section"), e);
	dec_put_end(d, r, &d->def.run[run->detail], label, r->layout->n);
	return dec_release(d, &list);
}

enum dec_result
dec_define(struct dec *d, const struct dec_rec *r)
{
	switch (r->layout->record) {
	case AFPERF_RUN_INFO: return run_info(d, r);
	case AFPERF_SECTION_INFO: return section_info(d, r);
	default: return measurement_type(d, r);
	}
}
