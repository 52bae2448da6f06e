/* SPDX-License-Identifier: ISC */
/* data.c - the records of measured data: points and aggregates. */
#include <stdio.h>

#include "lib/ev.h"
#include "lib/mem.h"
#include "lib/short.h"
#include "src/afperf/read/decint.h"

/* The subject of a data record. */
struct about {
	uint32_t run, label;
	const struct ids_entry *thing; /* printed in the id tag, or NULL */
	struct ids_ref interval;
	struct slice kind, scope; /* the text in scope includes the key and the TAB */
	bool doubtful; /* thing is a region or a section, though only a run is allowed */
	bool run_id; /* the id tag gives the run's id */
};

/* Finds the run's entry, first trying the run of the last record. */
static enum dec_result
about_run(struct dec *d, const struct dec_rec *r, struct ids_ref ref, struct about *a)
{
	struct ids_entry *e = d->recent.run;
	enum dec_result rc = DEC_DONE;

	if (e == NULL || e->id != ref.id || e->blank != (ref.spelling == IDS_BLANK) ||
	    ref.spelling == IDS_ABSENT)
		rc = dec_find_run(d, r, ref, &e);
	if (rc != DEC_DONE)
		return rc;
	d->recent.run = e;
	a->run = e->detail;
	return DEC_DONE;
}

static enum dec_result
about_region(struct dec *d, const struct dec_rec *r, struct about *a)
{
	struct ids *table = r->group         ? &d->def.groups
	    : dec_at(r, FIELD_INTERVAL) != 0 ? &d->def.sections
					     : &d->def.regions;
	struct ids_entry *e = d->recent.region;
	enum dec_result rc = DEC_DONE;

	if (table != &d->def.regions || e == NULL || e->id != r->owner.id ||
	    e->blank != (r->owner.spelling == IDS_BLANK))
		rc = dec_find(d, r, table, 0, r->owner, &e);
	if (rc != DEC_DONE)
		return rc;
	if (table == &d->def.regions)
		d->recent.region = e;
	a->run = r->settled ? r->settled_run : e->run;
	a->label = r->settled ? r->settled_label : e->detail;
	a->thing = e;
	return DEC_DONE;
}

/*
 * Finds the subject of a processed record with an id: its run or, as in the specification's
 * examples though its rules forbid it, a region or a section.
 */
static enum dec_result
about_processed(struct dec *d, const struct dec_rec *r, struct about *a)
{
	const char *name = r->layout->name.p;
	const char *thing = dec_at(r, FIELD_INTERVAL) != 0 ? "section" : "region";
	struct ids *table = dec_at(r, FIELD_INTERVAL) != 0 ? &d->def.sections : &d->def.regions;
	struct ids_entry *run = ids_get(&d->def.runs, 0, r->owner.id, false), *e;
	char what[64], id[DEC_REF_MAX];

	e = ids_get(table, 0, r->owner.id, false);
	if (run == NULL || e == NULL)
		return dec_nomem(d);
	if (run->state != IDS_AWAITED) {
		a->run = run->detail;
		a->run_id = d->opt.run == NULL; /* an id that was asked for is no record id */
		return DEC_DONE;
	}
	if (e->state != IDS_AWAITED && d->opt.lenient) {
		a->doubtful = true;
		return about_region(d, r, a);
	}
	if (e->state != IDS_AWAITED && d->hold.ending)
		return dec_broken(d, r, dec_at(r, FIELD_OWNER) + 1, RULE_AGGREGATION,
		    "%s has a %s id and an aggregation", name, thing);
	snprintf(what, sizeof what, "run %s", dec_ref_text(id, r->owner));
	return dec_wait(d, r, dec_at(r, FIELD_OWNER) + 1,
	    d->opt.lenient && e->state == IDS_AWAITED ? &e->detail : &run->detail, what);
}

static enum dec_result
about_interval(struct dec *d, const struct dec_rec *r, struct about *a)
{
	struct ids_entry *e;
	enum dec_result rc = dec_find(d, r, &d->def.intervals,
	    ids_number(&d->def.sections, a->thing), r->interval, &e);

	if (rc == DEC_DONE)
		a->interval.spelling = e->blank ? IDS_BLANK : e->hex ? IDS_HEX : IDS_DEC;
	return rc;
}

static enum dec_result
find_about(struct dec *d, const struct dec_rec *r, struct about *a)
{
	bool processed = dec_is_processed(r);
	enum dec_result rc;

	*a = (struct about){ .label = IDS_NONE, .interval = r->interval };
	a->kind = dec_at(r, FIELD_START) == 0 ? SLICE("sample")
	    : processed                       ? SLICE("agg")
					      : SLICE("span");
	a->scope = dec_at(r, FIELD_OWNER) == 0 ? SLICE("\tscope=run")
	    : r->group                         ? SLICE("\tscope=group")
	    : dec_at(r, FIELD_INTERVAL) == 0   ? SLICE("\tscope=region")
					       : SLICE("\tscope=section");
	if (dec_at(r, FIELD_OWNER) == 0 || r->owner.spelling == IDS_ABSENT)
		return about_run(d, r, r->run, a);
	if (processed && r->owner.spelling != IDS_BLANK)
		return about_processed(d, r, a);
	rc = about_region(d, r, a);
	if (rc == DEC_DONE && processed && !r->group) { /* its run is that of the record above */
		a->run_id = d->opt.run == NULL; /* an id that was asked for is no record id */
		a->thing = NULL;
		a->label = IDS_NONE;
	} else if (rc == DEC_DONE && dec_at(r, FIELD_INTERVAL) != 0 &&
	    r->interval.spelling != IDS_ABSENT) {
		rc = about_interval(d, r, a);
	}
	return rc;
}

static struct dec_pair *
pair_room(struct dec *d, size_t n)
{
	if (n > d->room.pairs_cap) {
		struct dec_pair *p = mem_resize(d->room.pair, n * 2 * sizeof *p);

		if (p == NULL)
			return NULL;
		d->room.pair = p;
		d->room.pairs_cap = n * 2;
	}
	return d->room.pair;
}

/* Finds the type of the pair that starts at the field. */
static enum dec_result
find_type(struct dec *d, struct dec_rec *r, const struct about *a, size_t field, uint32_t *type)
{
	struct ids_ref ref = { 0, IDS_ABSENT };
	struct ids_entry *e = d->recent.type;
	char what[96], id[DEC_REF_MAX];
	enum dec_result rc = dec_usual_id(d, r, field, &d->recent.type_id, &ref);
	const struct dec_type *t;

	if (rc != DEC_DONE)
		return rc;
	if (e == NULL || e->id != ref.id || e->owner != a->run)
		e = ids_get(&d->def.types, a->run, ref.id, false);
	if (e == NULL)
		return dec_nomem(d);
	if (e->state == IDS_AWAITED) {
		snprintf(what, sizeof what, "measurement type %s of run %.*s",
		    dec_ref_text(id, ref), (int)d->def.run[a->run].name.len,
		    d->def.run[a->run].name.p);
		r->judged = (uint32_t)field + 1;
		if (dec_is_refused(d, DEC_TYPE + a->run, ref))
			return dec_broken(d, r, field + 1, RULE_DEFINED, "%s was refused", what);
		/* until the type comes, another run may have started a region with that id */
		r->settled = true;
		r->settled_run = a->run;
		r->settled_label = a->label;
		return dec_wait(d, r, field + 1, &e->detail, what);
	}
	d->recent.type = e;
	t = dec_type_at(d, e, r->r.line);
	*type = (uint32_t)(t - d->def.type);
	return DEC_DONE;
}

/* Appends an integer of the value's type to scratch. */
static enum dec_result
read_integer(struct dec *d, const struct dec_rec *r, size_t field, enum afperf_datatype type)
{
	bool wide = type == AFPERF_INT64;
	int64_t v = 0;
	enum dec_result rc = dec_signed(d, r, field, wide ? INT64_MIN : INT32_MIN,
	    wide ? INT64_MAX : INT32_MAX, afperf_datatype_name(type).p, &v);

	if (rc != DEC_DONE)
		return rc;
	if (!buf_room(&d->room.scratch, NUM_MAX))
		return dec_nomem(d);
	d->room.scratch.len += num_put_i64(d->room.scratch.p + d->room.scratch.len, v);
	return DEC_DONE;
}

static enum dec_result
read_text(struct dec *d, struct slice field)
{
	struct slice text = dec_text(d, field, TEXT_FIELD);

	return esc_append(&d->room.scratch, text.p, text.len, ESC_COLUMN) ? DEC_DONE : dec_nomem(d);
}

static enum dec_result
read_value(struct dec *d, const struct dec_rec *r, size_t field, struct dec_pair *pair)
{
	enum afperf_datatype type = d->def.type[pair->type].datatype;
	struct slice s = record_field(&r->r, field);
	enum dec_result rc;

	pair->from = d->room.scratch.len;
	switch (type) {
	case AFPERF_DOUBLE: rc = dec_double(d, r, field, RULE_VALUE, "double"); break;
	case AFPERF_INT32:
	case AFPERF_INT64: rc = read_integer(d, r, field, type); break;
	case AFPERF_BOOL:
		if (s.len == 0)
			return dec_broken(d, r, field + 1, RULE_VALUE, "empty bool value");
		if (s.len != 1 || (s.p[0] != '0' && s.p[0] != '1'))
			return dec_broken(d, r, field + 1, RULE_VALUE, "bool is not 0 or 1: %s",
			    dec_shown(d, s));
		rc = read_text(d, s);
		break;
	default: rc = read_text(d, s); break;
	}
	pair->len = d->room.scratch.len - pair->from;
	return rc;
}

#define LINE_ROOM ((size_t)4096) /* space for the parts of a line whose length is bounded */

/* Returns the value, or nothing if it is too long for a line that contains all other parts, too. */
static struct slice
value_of(struct dec *d, const struct dec_rec *r, const struct dec_pair *pair, size_t label_len)
{
	const struct dec_type *t = &d->def.type[pair->type];
	struct evwrite *w = d->w;
	size_t stat;

	if (pair->len <= DEC_TEXT_MAX) /* the other texts are no longer than this, either */
		return (struct slice){ d->room.scratch.p + pair->from, pair->len };
	stat = dec_at(r, FIELD_AGGREGATION) == 0 ? 0 : dec_field(r, FIELD_AGGREGATION).len;
	if (pair->len + label_len + t->name.len + t->tail.len + stat * ESC_MAX_GROWTH + LINE_ROOM <=
	    EV_LINE_MAX)
		return (struct slice){ d->room.scratch.p + pair->from, pair->len };
	evw_omit(w, SLICE("column"));
	return SLICE(".");
}

/* What a line is a result of: nothing, values, or values without a unit. */
enum result { NO_RESULT, RESULT, RESULT_UNITLESS };

/*
 * Returns whether the tags of a group, each with a TAB before it, are those of a result: whether
 * some are the stream's own.
 */
static enum result
result_of(struct slice tags)
{
	enum result result = NO_RESULT;
	struct ev_tag tag;

	if (tags.len == 0)
		return NO_RESULT;
	tags = (struct slice){ tags.p + 1, tags.len - 1 };
	while (result != RESULT_UNITLESS && ev_next_tag(&tags, &tag))
		if (!text_cut_tag(&tag.key))
			result = slice_eq(tag.key, SLICE("unit")) ? RESULT_UNITLESS : RESULT;
	return result;
}

/*
 * Puts the tags mid, unit and type.  The type of a result is that of what was aggregated, which
 * only texts need: numbers may have been widened for a statistic.  What has no unit says so itself.
 */
static char *
put_tail(char *p, const struct dec_type *t, enum result result)
{
	bool text = t->datatype == AFPERF_STRING || t->datatype == AFPERF_ENUM;
	struct slice name = text ? SLICE("text") : afperf_datatype_name(t->datatype);
	size_t type = sizeof "\ttype=" - 1 + name.len;
	struct slice tail = t->tail;

	if (result == NO_RESULT)
		return short_copy(p, tail.p, tail.len);
	p = short_copy(p, tail.p, result == RESULT_UNITLESS ? t->mid : tail.len - type);
	return text ? short_copy(p, tail.p + tail.len - type, type) : p;
}

/* Writes the line of one pair, in one piece except for rare parts. */
static void
put_line(struct dec *d, const struct dec_rec *r, const struct about *a, const struct dec_pair *pair,
    size_t known)
{
	const struct dec_run *run = &d->def.run[a->run];
	const struct dec_type *t = &d->def.type[pair->type];
	struct slice tags, label = dec_label_text(d, a->label, &tags), value;
	enum result result = r->group ? result_of(tags) : NO_RESULT;
	struct evwrite *w = d->w;
	char *p;

	evw_begin(w, a->kind);
	value = value_of(d, r, pair, label.len + tags.len);
	p = evw_room(w,
	    256 + 2 * WIDE_DIGITS + run->name.len + label.len + t->name.len + value.len);
	if (p == NULL)
		return;
	*p++ = '\t';
	if (r->timed)
		p += dec_put_time(p, r, FIELD_TIME, r->time, run);
	else
		*p++ = '.';
	*p++ = '\t';
	p = short_copy(p, run->name.p, run->name.len);
	*p++ = '\t';
	p = short_copy(p, label.p, label.len);
	*p++ = '\t';
	p = short_copy(p, t->name.p, t->name.len);
	*p++ = '\t';
	p = short_copy(p, value.p, value.len);
	if (result == NO_RESULT)
		p = short_copy(p, a->scope.p, a->scope.len);
	if (a->run_id || (a->thing != NULL && !r->group))
		p = short_copy(p, "\tid=", 4);
	if (a->run_id)
		p = short_copy(p, run->name.p, run->name.len);
	else if (a->thing != NULL && !r->group)
		p += dec_put_id(p, a->thing);
	if (a->interval.spelling != IDS_ABSENT &&
	    !(dec_is_processed(r) && a->interval.spelling == IDS_BLANK)) {
		p = short_copy(p, "\tinterval=", 10);
		p += strlen(dec_ref_text(p, a->interval));
	}
	evw_advance(w, p);
	if (dec_is_processed(r))
		evw_tag_text(w, SLICE("stat"),
		    dec_text(d, dec_field(r, FIELD_AGGREGATION), TEXT_FIELD));
	p = evw_room(w, 8 + WIDE_DIGITS + t->tail.len);
	if (p == NULL)
		return;
	if (dec_at(r, FIELD_START) != 0 && r->timed) {
		p = short_copy(p, "\tstart=", 7);
		p += dec_put_time(p, r, FIELD_START, r->start, run);
	}
	evw_advance(w, put_tail(p, t, result));
	if (d->opt.wall || known + 1 < r->r.n) {
		dec_put_end(d, r, run, a->label, known);
		return;
	}
	p = evw_room(w, tags.len);
	if (p != NULL)
		evw_advance(w, short_copy(p, tags.p, tags.len));
	evw_end(w);
}

/*
 * Finds the types of all pairs.  A record that waits for a type resumes after that type once it has
 * come; r->judged is set accordingly.
 */
static enum dec_result
find_types(struct dec *d, struct dec_rec *r, const struct about *a, size_t n)
{
	size_t at = r->judged == 0 ? 0 : (r->judged - dec_at(r, FIELD_PAIRS)) / 2, left;
	enum dec_result rc = DEC_DONE;

	for (left = n; left > 0 && rc == DEC_DONE; left--) {
		rc = find_type(d, r, a, dec_at(r, FIELD_PAIRS) + 2 * at, &d->room.pair[at].type);
		at = at + 1 < n ? at + 1 : 0;
	}
	return rc;
}

enum dec_result
dec_data(struct dec *d, struct dec_rec *r)
{
	size_t fields = r->r.n - dec_at(r, FIELD_PAIRS), n = fields / 2, known, i;
	struct dec_pair *pair = pair_room(d, n);
	struct about a;
	enum dec_result rc = find_about(d, r, &a);

	if (rc != DEC_DONE)
		return rc;
	if (r->group && a.thing->start == IDS_TIMELESS)
		r->timed = false;
	known = dec_at(r, FIELD_PAIRS) + 2 * n - 1;
	if (n == 0 || (fields % 2 != 0 && d->def.run[a.run].minor == 0))
		return dec_broken(d, r, r->r.n, RULE_PAIRS, "measurement type without a value");
	if (pair == NULL)
		return dec_nomem(d);
	if (r->judged <= dec_at(r, FIELD_PAIRS))
		rc = dec_extra(d, r, known, &d->def.run[a.run]);
	if (rc == DEC_DONE && dec_is_processed(r))
		rc = dec_text_fits(d, r, dec_at(r, FIELD_AGGREGATION));
	if (rc == DEC_DONE)
		rc = find_types(d, r, &a, n);
	d->room.scratch.len = 0;
	for (i = 0; i < n && rc == DEC_DONE; i++)
		rc = read_value(d, r, dec_at(r, FIELD_PAIRS) + 2 * i + 1, &pair[i]);
	if (rc != DEC_DONE)
		return rc;
	if (a.doubtful) {
		dec_lenient(d, r, dec_at(r, FIELD_OWNER) + 1, RULE_AGGREGATION,
		    "%s has a %s id and an aggregation", r->layout->name.p,
		    dec_at(r, FIELD_INTERVAL) != 0 ? "section" : "region");
	} else if (dec_is_processed(r) && dec_at(r, FIELD_INTERVAL) != 0 &&
	    r->interval.spelling != IDS_BLANK) {
		dec_doubt(d, r, dec_at(r, FIELD_INTERVAL) + 1, RULE_INTERVAL,
		    "SectionAggregate with an interval id and an aggregation");
	}
	if (r->timed && r->start < d->def.run[a.run].clock.start)
		dec_count(d, NOTE_EARLY, r->r.line);
	for (i = 0; i < n; i++)
		put_line(d, r, &a, &pair[i], i + 1 == n ? known : (size_t)r->r.n - 1);
	return DEC_DONE;
}
