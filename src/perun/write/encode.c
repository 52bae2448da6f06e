/* SPDX-License-Identifier: ISC */
/*
 * encode.c - converts a stream to a Perun profile: restores the document that it came from, or
 * turns lines of other formats into resources.
 */
#include "src/perun/write/encode.h"

#include <inttypes.h>
#include <stdio.h>

#include "lib/buf.h"
#include "lib/esc.h"
#include "lib/json/jtext.h"
#include "lib/kinds.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/spool.h"
#include "lib/tab.h"
#include "lib/units.h"
#include "lib/vec.h"
#include "src/perun/profile.h"
#include "src/perun/pytext.h"
#include "src/perun/repeat.h"
#include "src/perun/write/convert.h"
#include "src/perun/write/doc.h"
#include "src/perun/write/pack.h"

enum plain_got {
	PLAIN_RESOURCE,
	PLAIN_VALUELESS, /* the line has no value and gives no resource */
	PLAIN_OTHER_UNIT, /* its measure has a different unit in the header, so it is left out */
};

/* A measure, or a statistic of it. */
struct quantity {
	const char *type; /* of its resources; NULL: there is none yet */
	struct buf unit; /* the unit of the first resource; empty if it had none */
	struct buf subtype; /* as JSON */
};

/* Data collected for the header. */
struct plain {
	struct tab names; /* of quantities: MEASURE TAB STATISTIC, escaped */
	struct quantity *quantity;
	struct units units; /* from the measure lines */
	size_t cap;
	bool has_run;
	bool perun; /* the first run is from perundec, so measures are types and subtypes */
	struct buf run, app, cmd, args, workload; /* data of the first run */
	uint64_t tags; /* number of tags that have no place in a resource */
	uint64_t runs; /* number of runs besides the first */
	uint64_t others; /* number of lines whose unit differs from their measure's */
	struct buf other_names; /* names of some measures of these lines, for a note */
	struct buf text; /* scratch */
};

static void
plain_free(struct plain *p)
{
	size_t i;

	for (i = 0; i < p->cap; i++) {
		buf_free(&p->quantity[i].unit);
		buf_free(&p->quantity[i].subtype);
	}
	mem_free(p->quantity);
	units_free(&p->units);
	buf_free(&p->other_names);
	tab_free(&p->names);
	buf_free(&p->run);
	buf_free(&p->app);
	buf_free(&p->cmd);
	buf_free(&p->args);
	buf_free(&p->workload);
	buf_free(&p->text);
}

/*
 * Returns whether the text is UTF-8.  JSON cannot represent other bytes, which stay escaped as in
 * the stream.
 */
static bool
is_utf8(struct slice s)
{
	size_t i, n;

	for (i = 0; i < s.len; i += n)
		if ((n = esc_utf8((const unsigned char *)s.p + i, s.len - i)) == 0)
			return false;
	return true;
}

/* Writes the text of a column or tag as a JSON string. */
static bool
put_string(struct plain *p, struct buf *b, struct slice escaped)
{
	size_t at;

	p->text.len = 0;
	if (esc_undo(&p->text, escaped, &at) == -2)
		return false;
	return jtext_quote(b, is_utf8(buf_slice(&p->text)) ? buf_slice(&p->text) : escaped);
}

/* Does the same for a key or a part of a column, where "." is not special. */
static bool
put_name(struct plain *p, struct buf *b, struct slice escaped)
{
	return slice_is_nothing(escaped) ? buf_puts(b, "\".\"") : put_string(p, b, escaped);
}

static bool
has_tag(const struct ev *ev, struct slice key, struct slice *v)
{
	return ev_tag(ev, key, v) && !slice_is_nothing(*v);
}

static bool
keep(struct buf *b, struct slice s)
{
	b->len = 0;
	return buf_put(b, s.p, s.len);
}

static int
plain_run(struct plain *p, const struct ev *ev, struct err *e)
{
	struct slice v, run = ev->col[EV_RUN];
	bool ok;

	if (p->has_run) {
		p->runs += !slice_eq(buf_slice(&p->run), run);
		return 0;
	}
	p->has_run = true;
	p->perun = ev_tag(ev, SLICE("format"), &v);
	ok = keep(&p->run, run);
	if (has_tag(ev, SLICE("app"), &v))
		ok = ok && keep(&p->app, v);
	if (has_tag(ev, SLICE("cmdline"), &v) || has_tag(ev, SLICE("app"), &v))
		ok = ok && keep(&p->cmd, v);
	if (has_tag(ev, SLICE("args"), &v))
		ok = ok && keep(&p->args, v);
	if (has_tag(ev, SLICE("workload"), &v))
		ok = ok && keep(&p->workload, v);
	return ok ? 0 : err_nomem(e);
}

static struct slice
stat_of(const struct ev *ev)
{
	struct slice stat;

	return ev_tag(ev, SLICE("stat"), &stat) ? stat : SLICE("");
}

/* Returns the line's quantity, or NULL when memory runs out. */
static struct quantity *
quantity_of(struct plain *p, const struct ev *ev)
{
	struct slice measure = ev->col[EV_MEASURE], stat = stat_of(ev);
	size_t i = TAB_NONE;

	p->text.len = 0;
	if (buf_put(&p->text, measure.p, measure.len) && buf_putc(&p->text, '\t') &&
	    buf_put(&p->text, stat.p, stat.len))
		i = tab_add(&p->names, buf_slice(&p->text), NULL);
	return i != TAB_NONE && vec_room_zero(p->quantity, i, p->cap) ? &p->quantity[i] : NULL;
}

static int
plain_measure(struct plain *p, const struct ev *ev, struct err *e)
{
	return units_declare(&p->units, ev) ? 0 : err_nomem(e);
}

/*
 * Returns the type with which the line's measure begins, if that is from perundec, or NULL.  What
 * has another unit than the measure, such as a count, is not of the measure's type.
 */
static const char *
perun_type(const struct plain *p, const struct ev *ev)
{
	static const char *const types[] = { "memory", "mixed", "time" };
	struct slice measure = ev->col[EV_MEASURE];
	bool own = units_stat_has(stat_of(ev));
	size_t i, n;

	for (i = 0; own && p->perun && i < sizeof types / sizeof types[0]; i++) {
		n = strlen(types[i]);
		if (measure.len >= n && memcmp(measure.p, types[i], n) == 0 &&
		    (measure.len == n || measure.p[n] == '.'))
			return types[i];
	}
	return NULL;
}

static bool
is_one_of(struct slice unit, const char *const *known, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (slice_eq(unit, slice_of(known[i])))
			return true;
	return false;
}

/* Returns Perun's rough type of a line, from the name of its measure or otherwise from its unit. */
static const char *
type_of(const struct plain *p, const struct ev *ev, struct slice unit)
{
	static const char *const times[] = { "ns", "us", "ms", "s", "sec", "seconds", "min", "h" };
	static const char *const sizes[] = { "B", "bytes", "byte", "kB", "KB", "KiB", "MB", "MiB",
		"GB", "GiB" };
	const char *type = perun_type(p, ev);

	if (type != NULL)
		return type;
	if (is_one_of(unit, times, sizeof times / sizeof times[0]))
		return "time";
	return is_one_of(unit, sizes, sizeof sizes / sizeof sizes[0]) ? "memory" : "mixed";
}

static bool
put_amount(struct plain *p, struct buf *b, const struct ev *ev)
{
	struct slice v = ev->col[EV_VALUE], type;
	double d;

	if (ev_tag(ev, SLICE("type"), &type) && slice_eq(type, SLICE("text")))
		return put_string(p, b, v);
	if (slice_eq(v, SLICE("nan")))
		return buf_puts(b, "NaN");
	if (slice_eq(v, SLICE("inf")))
		return buf_puts(b, "Infinity");
	if (slice_eq(v, SLICE("-inf")))
		return buf_puts(b, "-Infinity");
	if (num_is_integer(v) || num_get_double(v, &d))
		return buf_put(b, v.p, v.len);
	return put_string(p, b, v);
}

/* Writes a place in the program, with the members that Perun's memory collector writes. */
static bool
put_frame(struct plain *p, struct buf *b, struct slice function, struct slice source)
{
	return buf_puts(b, "{\"source\": ") &&
	    (slice_is_nothing(source) ? buf_puts(b, "\"unknown\"") : put_string(p, b, source)) &&
	    buf_puts(b, ", \"function\": ") && put_string(p, b, function) &&
	    buf_puts(b, ", \"line\": 0}");
}

/* Takes the innermost frame from a stack. */
static struct slice
take_frame(struct slice *stack)
{
	struct slice frame;
	size_t from = stack->len;

	while (from > 0 && stack->p[from - 1] != ';')
		from--;
	frame = (struct slice){ stack->p + from, stack->len - from };
	stack->len = from > 0 ? from - 1 : 0;
	return frame;
}

/* Returns the region, or the innermost frame of results by stack, which have no region. */
static struct slice
function_of(const struct ev *ev)
{
	struct slice stack;

	if (!slice_is_nothing(ev->col[EV_REGION]) || !has_tag(ev, SLICE("stack"), &stack))
		return ev->col[EV_REGION];
	return take_frame(&stack);
}

/*
 * Writes a trace with the innermost frame first, as in Perun.  The stream's lists are root first.
 */
static bool
put_trace(struct plain *p, struct buf *b, const struct ev *ev, struct slice dso)
{
	struct slice stack;
	bool ok, first = true;

	if (!has_tag(ev, SLICE("stack"), &stack))
		return put_frame(p, b, ev->col[EV_REGION], dso);
	while (stack.len != 0) {
		ok = (first || buf_puts(b, ", ")) &&
		    put_frame(p, b, take_frame(&stack), first ? dso : SLICE("."));
		if (!ok)
			return false;
		first = false;
	}
	return true;
}

static bool
is_among(struct slice key, const struct slice *known, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (slice_eq(key, known[i]))
			return true;
	return false;
}

/*
 * Writes the other keys of an aggregate and its count, which are tags of its line.  The tags of
 * other lines are left out, as are tags with the name of a member of a resource.
 */
static bool
put_keys(struct plain *p, struct buf *b, const struct ev *ev)
{
	static const struct slice said[] = { { "type", 4 }, { "unit", 4 }, { "stack", 5 },
		{ "dso", 3 }, { "stat", 4 } };
	static const struct slice known[] = { { "mid", 3 }, { "uid", 3 }, { "amount", 6 },
		{ "subtype", 7 }, { "trace", 5 }, { "timestamp", 9 }, { "omitted", 7 } };
	bool aggregate = slice_eq(ev->col[EV_KIND], SLICE("agg"));
	struct slice rest = ev->tags;
	struct ev_tag tag;

	while (ev_next_tag(&rest, &tag)) {
		if (is_among(tag.key, said, sizeof said / sizeof said[0]))
			continue;
		if (!aggregate || is_among(tag.key, known, sizeof known / sizeof known[0])) {
			p->tags++;
			continue;
		}
		if (!buf_puts(b, ", ") || !put_name(p, b, tag.key) || !buf_puts(b, ": "))
			return false;
		if (num_is_integer(tag.value) ? !buf_put(b, tag.value.p, tag.value.len)
					      : !put_string(p, b, tag.value))
			return false;
	}
	return true;
}

/* Writes the measure (without the type if it is from perundec) and its statistic. */
static bool
put_subtype(struct plain *p, struct buf *b, const struct ev *ev)
{
	struct slice stat, measure = ev->col[EV_MEASURE];
	const char *type = perun_type(p, ev);
	size_t n = type == NULL ? 0 : strlen(type) + 1, end;
	bool ok = measure.len > n && n != 0
	    ? put_name(p, b, (struct slice){ measure.p + n, measure.len - n })
	    : put_string(p, b, measure);

	if (!ok || !ev_tag(ev, SLICE("stat"), &stat))
		return ok;
	end = --b->len;
	ok = put_string(p, b, stat);
	b->p[end] = ' '; /* replaces the opening quote of the statistic */
	return ok;
}

static bool
begin_quantity(struct plain *p, struct quantity *q, const struct ev *ev, struct slice unit)
{
	q->type = type_of(p, ev, unit);
	return keep(&q->unit, unit) && put_subtype(p, &q->subtype, ev);
}

/*
 * Returns whether the unit of the line fits.  The header has one unit for each type and subtype,
 * the unit of the first line.  A line with a different unit does not fit, nor does a line without a
 * unit if the first line has one.
 */
static bool
fits_unit(struct plain *p, struct quantity *q, const struct ev *ev, bool *ok)
{
	struct slice unit = units_of(&p->units, ev);

	if (slice_is_nothing(unit) || !units_stat_has(stat_of(ev)))
		unit = SLICE("");
	*ok = q->type != NULL || begin_quantity(p, q, ev, unit);
	if (!*ok || slice_eq(buf_slice(&q->unit), unit))
		return true;
	p->others++;
	units_name(&p->other_names, ev->col[EV_MEASURE], unit.len == 0 ? SLICE(".") : unit);
	return false;
}

/* Appends the JSON of a resource. */
static int
plain_resource(struct plain *p, const struct ev *ev, struct buf *json, enum plain_got *got,
    struct err *e)
{
	struct slice dso = SLICE("."), time = ev->col[EV_TIME];
	struct quantity *q = quantity_of(p, ev);
	bool ok = true;

	*got = slice_is_nothing(ev->col[EV_VALUE]) ? PLAIN_VALUELESS : PLAIN_RESOURCE;
	if (q == NULL)
		return err_nomem(e);
	if (*got == PLAIN_RESOURCE && !fits_unit(p, q, ev, &ok))
		*got = PLAIN_OTHER_UNIT;
	if (*got != PLAIN_RESOURCE)
		return 0;
	(void)ev_tag(ev, SLICE("dso"), &dso);
	ok = ok && buf_puts(json, "{\"type\": \"") && buf_puts(json, q->type) &&
	    buf_puts(json, "\", \"subtype\": ") && buf_put(json, q->subtype.p, q->subtype.len) &&
	    buf_puts(json, ", \"amount\": ") && put_amount(p, json, ev);
	if (!slice_is_nothing(time))
		ok = ok && buf_puts(json, ", \"timestamp\": ") && buf_put(json, time.p, time.len);
	ok = ok && buf_puts(json, ", \"uid\": ") && put_frame(p, json, function_of(ev), dso) &&
	    buf_puts(json, ", \"trace\": [") && put_trace(p, json, ev, dso) && buf_puts(json, "]");
	ok = ok && put_keys(p, json, ev);
	return ok && buf_puts(json, "}") ? 0 : err_nomem(e);
}

/* Returns the unit of a type as a whole: that of its first resource, unless a resource has none. */
static struct slice
unit_of_type(const struct plain *p, const char *type)
{
	struct slice unit = { NULL, 0 };
	size_t i;

	for (i = 0; i < p->names.count; i++) {
		const struct quantity *q = &p->quantity[i];

		if (q->type == NULL || strcmp(q->type, type) != 0)
			continue;
		if (q->unit.len == 0)
			return (struct slice){ NULL, 0 };
		if (unit.p == NULL)
			unit = buf_slice(&q->unit);
	}
	return unit;
}

/* Writes a name and its unit.  subtype is JSON, or empty. */
static bool
put_unit(struct plain *p, struct buf *b, bool *any, const char *type, struct slice subtype,
    struct slice unit)
{
	bool ok = (!*any || buf_puts(b, ", ")) && buf_puts(b, "\"") && buf_puts(b, type);

	if (subtype.len != 0) /* without its quotes */
		ok = ok && buf_putc(b, '(') && buf_put(b, subtype.p + 1, subtype.len - 2) &&
		    buf_putc(b, ')');
	*any = true;
	return ok && buf_puts(b, "\": ") && put_string(p, b, unit);
}

/* Writes the units of types, and, by name, those of quantities that have another one. */
static bool
put_units(struct plain *p, struct buf *b)
{
	static const char *const types[] = { "time", "memory" };
	struct slice unit[sizeof types / sizeof types[0]], own;
	bool any = false, ok = true;
	size_t i, t;

	for (t = 0; t < sizeof types / sizeof types[0]; t++) {
		unit[t] = unit_of_type(p, types[t]);
		if (unit[t].len != 0)
			ok = ok && put_unit(p, b, &any, types[t], SLICE(""), unit[t]);
	}
	for (i = 0; i < p->names.count && ok; i++) {
		const struct quantity *q = &p->quantity[i];

		own = buf_slice(&q->unit);
		if (q->type == NULL || own.len == 0)
			continue;
		for (t = 0; t < sizeof types / sizeof types[0]; t++)
			if (strcmp(q->type, types[t]) == 0 && slice_eq(unit[t], own))
				break;
		if (t == sizeof types / sizeof types[0])
			ok = put_unit(p, b, &any, q->type, buf_slice(&q->subtype), own);
	}
	return ok;
}

/* Appends the JSON of the member header. */
static int
plain_header(struct plain *p, struct buf *json, struct err *e)
{
	const char *type = NULL, *t;
	size_t i;
	bool ok;

	for (i = 0; i < p->names.count; i++) {
		t = p->quantity[i].type;
		if (t == NULL)
			continue;
		type = type == NULL || strcmp(type, t) == 0 ? t : "mixed";
	}
	ok = buf_puts(json, "{\"type\": \"") && buf_puts(json, type == NULL ? "mixed" : type) &&
	    buf_puts(json, "\", \"units\": {") && put_units(p, json) &&
	    buf_puts(json, "}, \"cmd\": ") && put_string(p, json, buf_slice(&p->cmd)) &&
	    buf_puts(json, ", \"args\": ") && put_string(p, json, buf_slice(&p->args)) &&
	    buf_puts(json, ", \"workload\": ") && put_string(p, json, buf_slice(&p->workload)) &&
	    buf_puts(json, "}");
	return ok ? 0 : err_nomem(e);
}

/* Appends the JSON of the member collector_info. */
static int
plain_collector(struct plain *p, struct buf *json, struct err *e)
{
	bool ok = buf_puts(json, "{\"name\": ") &&
	    (p->app.len != 0 ? put_string(p, json, buf_slice(&p->app))
			     : buf_puts(json, "\"afpipe\"")) &&
	    buf_puts(json, ", \"params\": {}}");

	return ok ? 0 : err_nomem(e);
}

/* The origin of the stream, according to its first lines. */
enum origin { UNKNOWN, PERUN, OTHER };

enum note { NOTE_TEXTLESS, NOTE_VALUELESS, NOTE_UNITS, NOTE_TAGS, NOTE_RUNS, NOTES };

struct perun_encode {
	struct out *o; /* the requested output */
	struct spool spool; /* the document, for PERUN_PACK and PERUN_NAME */
	enum perun_form form;
	enum origin origin;
	struct doc doc;
	struct plain plain;
	struct convert *convert; /* NULL if the format does not change */
	struct repeat repeat; /* repeated members among the converted parts */
	struct profile profile;
	uint64_t part; /* parts read of a value that is being converted; 0 if there is none */
	struct buf json; /* scratch */
	bool ended; /* there are no more lines */
	bool wants_origin;
	uint64_t resources; /* resources of an OTHER stream */
	uint64_t left_out[NOTES];
	struct kinds_left left;
};

struct perun_encode *
perun_encode_open(struct out *o, enum perun_form form, enum perun_format format, struct err *e)
{
	struct perun_encode *x = mem_zero(1, sizeof *x);
	bool plain = form == PERUN_PLAIN;
	int rc = x == NULL ? err_nomem(e) : 0;

	if (rc != 0)
		return NULL;
	x->o = o;
	x->form = form;
	if (!plain)
		rc = spool_open(&x->spool, e);
	if (rc == 0 && !doc_open(&x->doc, plain ? o : &x->spool.out, !plain))
		rc = err_nomem(e);
	if (rc == 0 && format != PERUN_AS_IT_IS) {
		x->convert = convert_open(&x->doc,
		    format == PERUN_RESOURCES ? CONVERT_TO_MAP : CONVERT_TO_SNAPSHOTS);
		if (x->convert == NULL)
			rc = err_nomem(e);
	}
	if (rc != 0) {
		perun_encode_close(x);
		return NULL;
	}
	return x;
}

void
perun_encode_close(struct perun_encode *x)
{
	if (x == NULL)
		return;
	spool_close(&x->spool);
	convert_close(x->convert);
	doc_close(&x->doc);
	plain_free(&x->plain);
	repeat_free(&x->repeat);
	profile_free(&x->profile);
	kinds_left_free(&x->left);
	buf_free(&x->json);
	mem_free(x);
}

void
perun_encode_want_origin(struct perun_encode *x)
{
	x->wants_origin = true;
}

/* Writes a container to the document, or passes it to the converter. */
static int
put_container(struct perun_encode *x, const struct place *p, char bracket, struct err *e)
{
	return x->convert != NULL ? convert_container(x->convert, p, bracket, e)
				  : doc_container(&x->doc, p->pointer, bracket, e);
}

static int
put_value(struct perun_encode *x, const struct place *p, struct slice json, uint64_t number,
    struct err *e)
{
	return x->convert != NULL ? convert_value(x->convert, p, json, number, e)
				  : doc_value(&x->doc, p, json, e);
}

/* Processes a part of a value.  A value to convert must be complete. */
static int
put_part(struct perun_encode *x, struct profile_item *item, struct err *e)
{
	bool whole;
	int rc;

	if (item->part == 0)
		return err_data(e, "a part without its number");
	if (x->convert == NULL || !convert_owns(x->convert, &item->place))
		return doc_part(&x->doc, &item->place, item->json, item->part, item->last, e);
	rc = doc_next_part(&x->part, item->part, item->last, e);
	if (rc == 0)
		rc = profile_join(&x->profile, item, &whole, e);
	if (rc != 0 || !whole)
		return rc;
	if (item->json.len > JSCAN_VALUE_MAX)
		return err_data(e, "a value of more than 16 MiB: this cannot be converted");
	return put_value(x, &item->place, item->json, item->line, e);
}

/*
 * Counts members that occur twice.  They are converted each time, unlike in Perun, and a note
 * reports this.
 */
static int
look_for_repeat(struct perun_encode *x, const struct profile_item *item, struct err *e)
{
	bool again;
	int rc;

	if (x->convert == NULL || (item->is_part && item->part != 1))
		return 0;
	rc = repeat_see(&x->repeat, &item->place, &again, e);
	if (rc == 0 && again && convert_owns(x->convert, &item->place))
		rc = repeat_count(&x->repeat, &item->place, e);
	return rc;
}

/* Processes a container, a value, or a part of a value. */
static int
take_header(struct perun_encode *x, struct profile_item *item, struct err *e)
{
	int rc = look_for_repeat(x, item, e);

	if (rc != 0)
		return rc;
	if (item->is_part)
		return put_part(x, item, e);
	if (slice_eq(item->json, SLICE("{")) || slice_eq(item->json, SLICE("[")))
		return put_container(x, &item->place, item->json.p[0], e);
	return put_value(x, &item->place, item->json, item->line, e);
}

static bool
is_kind(const struct ev *ev, const char *kind)
{
	return slice_eq(ev->col[EV_KIND], slice_of(kind));
}

/*
 * Returns whether the line shows that the stream came from a document.  The first line that shows
 * its origin decides.  A run line of perundec does not show it, since afagg passes run lines on.
 */
static enum origin
origin_of(const struct ev *ev)
{
	struct slice v, region = ev->col[EV_REGION];

	if (is_kind(ev, "header") && (slice_is_nothing(region) || region.p[0] == '/'))
		return PERUN;
	if (ev_tag(ev, SLICE("json"), &v) && ev_tag(ev, SLICE("at"), &v))
		return PERUN;
	if (is_kind(ev, "sample") || is_kind(ev, "span") || is_kind(ev, "agg"))
		return OTHER;
	return UNKNOWN;
}

static int
take_perun(struct perun_encode *x, const struct ev *ev, struct err *e)
{
	struct profile_item item;
	int rc = profile_part(&x->profile, ev, &item, e);

	if (rc != 0)
		return rc;
	if (item.kind == PROFILE_HEADER)
		return take_header(x, &item, e);
	if (item.kind != PROFILE_NONE)
		return put_value(x, &item.place, item.json, item.line, e);
	if (is_kind(ev, "sample") || is_kind(ev, "model") || is_kind(ev, "agg") ||
	    is_kind(ev, "span"))
		x->left_out[NOTE_TEXTLESS]++;
	else
		kinds_leave(&x->left, ev->col[EV_KIND], 1);
	return 0;
}

/* Writes a container, if json is only its bracket, or a resource or text at the pointer. */
static int
put_at(struct perun_encode *x, struct slice pointer, struct slice json, uint64_t number,
    struct err *e)
{
	struct place p = place_of(pointer);

	return json.len == 1 ? put_container(x, &p, json.p[0], e)
			     : put_value(x, &p, json, number, e);
}

/* Writes the members that come before the first resource. */
static int
begin_other(struct perun_encode *x, struct err *e)
{
	static const struct slice first[][2] = { { { "", 0 }, { "{", 1 } },
		{ { "/snapshots", 10 }, { "[", 1 } }, { { "/snapshots/0", 12 }, { "{", 1 } },
		{ { "/snapshots/0/time", 17 }, { "\"0.0\"", 5 } },
		{ { "/snapshots/0/resources", 22 }, { "[", 1 } } };
	size_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < sizeof first / sizeof first[0]; i++)
		rc = put_at(x, first[i][0], first[i][1], 0, e);
	return rc;
}

static int
put_other(struct perun_encode *x, uint64_t number, struct err *e)
{
	static const char prefix[] = "/snapshots/0/resources/";
	char pointer[sizeof prefix + NUM_MAX];
	size_t n = sizeof prefix - 1;
	int rc = x->resources == 0 ? begin_other(x, e) : 0;

	memcpy(pointer, prefix, n);
	n += num_put_u64(pointer + n, x->resources++);
	return rc != 0 ? rc
		       : put_at(x, (struct slice){ pointer, n }, buf_slice(&x->json), number, e);
}

static int
take_other(struct perun_encode *x, const struct ev *ev, struct err *e)
{
	enum plain_got got = PLAIN_VALUELESS;
	int rc;

	if (is_kind(ev, "run"))
		return plain_run(&x->plain, ev, e);
	if (is_kind(ev, "measure"))
		return plain_measure(&x->plain, ev, e);
	if (!is_kind(ev, "sample") && !is_kind(ev, "span") && !is_kind(ev, "agg")) {
		kinds_leave(&x->left, ev->col[EV_KIND], 1);
		return 0;
	}
	x->json.len = 0;
	rc = plain_resource(&x->plain, ev, &x->json, &got, e);
	if (rc == 0 && got == PLAIN_RESOURCE)
		return put_other(x, ev->number, e);
	x->left_out[NOTE_VALUELESS] += rc == 0 && got == PLAIN_VALUELESS;
	return rc;
}

int
perun_encode_line(struct perun_encode *x, const struct ev *ev, struct err *e)
{
	int rc;

	if (x->origin == UNKNOWN)
		x->origin = origin_of(ev);
	rc = x->origin == PERUN ? take_perun(x, ev, e) : take_other(x, ev, e);
	return rc == 0 ? 0 : err_at_line(e, ev->number);
}

/* Writes a member that comes after the resources, which are written first. */
static int
end_with(struct perun_encode *x, struct slice pointer, struct slice json, struct err *e)
{
	struct place p = place_of(pointer);

	return doc_value(&x->doc, &p, json, e);
}

static int
end_other(struct perun_encode *x, struct err *e)
{
	int rc = x->resources == 0 ? begin_other(x, e) : 0;

	x->left_out[NOTE_RUNS] = x->plain.runs;
	x->left_out[NOTE_TAGS] = x->plain.tags;
	x->left_out[NOTE_UNITS] = x->plain.others;
	x->json.len = 0;
	if (rc == 0)
		rc = plain_header(&x->plain, &x->json, e);
	if (rc == 0)
		rc = end_with(x, SLICE("/header"), buf_slice(&x->json), e);
	x->json.len = 0;
	if (rc == 0)
		rc = plain_collector(&x->plain, &x->json, e);
	if (rc == 0)
		rc = end_with(x, SLICE("/collector_info"), buf_slice(&x->json), e);
	return rc == 0 ? end_with(x, SLICE("/postprocessors"), SLICE("[]"), e) : rc;
}

static int
pack(struct perun_encode *x, struct err *e)
{
	struct slice type = buf_slice(&x->doc.type);

	if (x->spool.out.error == 0 && x->wants_origin && !x->doc.has_origin)
		return err_data(e, "the profile has no 'origin': Perun would not pack it");
	if (x->spool.out.error == 0 && !x->doc.has_type)
		return err_data(e, "the header has no type: this cannot be packed");
	if (x->spool.out.error == 0 && !slice_eq(type, SLICE("memory")) &&
	    !slice_eq(type, SLICE("mixed")) && !slice_eq(type, SLICE("time")))
		return err_data(e,
		    "header.type is not memory, mixed or time: Perun would "
		    "not read the object");
	if (x->form == PERUN_NAME)
		return pack_name(x->o, &x->spool, type, e);
	return pack_object(x->o, &x->spool, type, e);
}

/* Writes the header of a document for a stream that did not come from a document. */
static int
end_lines(struct perun_encode *x, struct err *e)
{
	x->ended = true;
	if (x->part != 0)
		return err_data(e, "the last parts of a value are missing");
	return x->origin == PERUN || (x->origin == UNKNOWN && x->plain.perun) ? 0 : end_other(x, e);
}

bool
perun_encode_rest(struct perun_encode *x, int *rc, struct err *e)
{
	bool more = x->convert != NULL;

	*rc = x->ended ? 0 : end_lines(x, e);
	if (*rc == 0 && more)
		*rc = convert_end(x->convert, &more, e);
	return more && *rc != ERR_SYS;
}

int
perun_encode_end(struct perun_encode *x, struct err *e)
{
	int rc = doc_end(&x->doc, e);

	if (rc == 0 && x->form != PERUN_PLAIN)
		rc = pack(x, e);
	return rc;
}

bool
perun_encode_note(const struct perun_encode *x, size_t *at, char *text, size_t size)
{
	static const char *const words[NOTES] = {
		[NOTE_TEXTLESS] =
		    "left out %" PRIu64 " lines without json= and at=: nowhere to put them",
		[NOTE_VALUELESS] = "left out %" PRIu64 " lines without a value",
		[NOTE_UNITS] = "left out %" PRIu64
			       " lines in units other than the first of their measure: %.*s",
		[NOTE_TAGS] = "left out %" PRIu64 " tags: resources have no place for them",
		[NOTE_RUNS] = "%" PRIu64 " more runs: the header is made from the first",
	};
	const size_t before = NOTES + 2;
	uint64_t n;
	bool more;

	if (*at == 0) {
		++*at;
		if (kinds_left_note(&x->left, "other kinds", text, size))
			return true;
	}
	while (*at <= NOTES) {
		n = x->left_out[(*at)++ - 1];
		if (n == 0)
			continue;
		snprintf(text, size, words[*at - 2], n, (int)x->plain.other_names.len,
		    x->plain.other_names.len == 0 ? "" : x->plain.other_names.p);
		return true;
	}
	if (x->convert == NULL)
		return false;
	if (*at == NOTES + 1) {
		++*at;
		if (repeat_note(&x->repeat, text, size))
			return true;
	}
	*at -= before;
	more = convert_note(x->convert, at, text, size);
	*at += before;
	return more;
}
