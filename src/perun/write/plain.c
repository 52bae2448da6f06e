/* SPDX-License-Identifier: ISC */
/* plain.c - resources of a Perun profile from lines that did not come from one. */
#include "src/perun/write/plain.h"

#include <stdio.h>

#include "lib/esc.h"
#include "lib/json/jtext.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/vec.h"

void
plain_free(struct plain *p)
{
	size_t i;

	for (i = 0; i < p->cap; i++) {
		buf_free(&p->quantity[i].unit);
		buf_free(&p->quantity[i].subtype);
	}
	mem_free(p->quantity);
	units_free(&p->units);
	namesakes_free(&p->namesakes);
	buf_free(&p->other_names);
	buf_free(&p->all_names);
	buf_free(&p->whole_names);
	tab_free(&p->names);
	tab_free(&p->perun_runs);
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

int
plain_run(struct plain *p, const struct ev *ev, struct err *e)
{
	struct slice v, run = ev->col[EV_RUN];
	bool ok, perun = ev_tag(ev, SLICE("format"), &v);

	if (perun && tab_add(&p->perun_runs, run, NULL) == TAB_NONE)
		return err_nomem(e);
	if (p->has_run) {
		p->runs += !slice_eq(buf_slice(&p->run), run);
		return 0;
	}
	p->has_run = true;
	p->perun = perun;
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

/*
 * Returns the tag whose values an aggregate is about (afagg --of, --weight), or an empty slice if
 * it is about those of the measure.
 */
static struct slice
tag_of(const struct ev *ev)
{
	struct slice of;

	return slice_eq(ev->col[EV_KIND], SLICE("agg")) && has_tag(ev, SLICE("of"), &of)
	    ? of
	    : SLICE("");
}

/* Returns the line's quantity, or NULL when memory runs out. */
static struct quantity *
quantity_of(struct plain *p, const struct ev *ev)
{
	struct slice measure = ev->col[EV_MEASURE], stat = stat_of(ev), of = tag_of(ev);
	size_t i = TAB_NONE;

	p->text.len = 0;
	if (vec_room_zero(p->quantity, p->names.count, p->cap) &&
	    buf_put(&p->text, measure.p, measure.len) && buf_putc(&p->text, '\t') &&
	    buf_put(&p->text, stat.p, stat.len) && buf_putc(&p->text, '\t') &&
	    buf_put(&p->text, of.p, of.len))
		i = tab_add(&p->names, buf_slice(&p->text), NULL);
	return i == TAB_NONE ? NULL : &p->quantity[i];
}

int
plain_measure(struct plain *p, const struct ev *ev, struct err *e)
{
	return units_declare(&p->units, ev) ? 0 : err_nomem(e);
}

/* Returns whether the line's run is from perundec or, for results of several, one of them. */
static bool
is_of_perun(const struct plain *p, const struct ev *ev)
{
	struct slice run = ev->col[EV_RUN];

	return slice_is_nothing(run) ? p->perun_runs.count != 0
				     : tab_find(&p->perun_runs, run) != TAB_NONE;
}

/*
 * Returns the type with which the line's measure begins, if that is from perundec, or NULL.  What
 * has another unit than the measure, such as a count or a tag, is not of the measure's type.
 */
static const char *
perun_type(const struct plain *p, const struct ev *ev)
{
	static const char *const types[] = { "memory", "mixed", "time" };
	struct slice measure = ev->col[EV_MEASURE];
	bool own = units_stat_has(stat_of(ev)) && tag_of(ev).len == 0 && is_of_perun(p, ev);
	size_t i, n;

	for (i = 0; own && i < sizeof types / sizeof types[0]; i++) {
		n = strlen(types[i]);
		if (measure.len >= n && memcmp(measure.p, types[i], n) == 0 &&
		    (measure.len == n || measure.p[n] == '.'))
			return types[i];
	}
	return NULL;
}

/* Returns Perun's rough type of a line, from the name of its measure or otherwise from its unit. */
static const char *
type_of(const struct plain *p, const struct ev *ev, struct slice unit)
{
	static const struct slice times[] = { SLICE_INIT("ns"), SLICE_INIT("us"), SLICE_INIT("ms"),
		SLICE_INIT("s"), SLICE_INIT("sec"), SLICE_INIT("seconds"), SLICE_INIT("min"),
		SLICE_INIT("h") };
	static const struct slice sizes[] = { SLICE_INIT("B"), SLICE_INIT("bytes"),
		SLICE_INIT("byte"), SLICE_INIT("kB"), SLICE_INIT("KB"), SLICE_INIT("KiB"),
		SLICE_INIT("MB"), SLICE_INIT("MiB"), SLICE_INIT("GB"), SLICE_INIT("GiB") };
	const char *type = perun_type(p, ev);

	if (type != NULL)
		return type;
	if (SLICE_AMONG(unit, times))
		return "time";
	return SLICE_AMONG(unit, sizes) ? "memory" : "mixed";
}

static bool
is_digit_at(struct slice s, size_t i)
{
	return i < s.len && s.p[i] >= '0' && s.p[i] <= '9';
}

/* Returns the number of zeros that JSON does not allow before an integer, which begins at I. */
static size_t
leading_zeros(struct slice s, size_t i)
{
	size_t n = 0;

	while (is_digit_at(s, i + n + 1) && s.p[i + n] == '0')
		n++;
	return n;
}

/*
 * Writes a decimal number, which in JSON has no leading zeros, and digits on both sides of its
 * point.
 */
static bool
put_decimal(struct buf *b, struct slice v)
{
	size_t minus = v.p[0] == '-', i = minus + leading_zeros(v, minus);
	bool ok = buf_put(b, v.p, minus) && (is_digit_at(v, i) || buf_putc(b, '0'));

	for (; ok && i < v.len; i++)
		ok = buf_putc(b, v.p[i]) &&
		    (v.p[i] != '.' || is_digit_at(v, i + 1) || buf_putc(b, '0'));
	return ok;
}

/* Returns true for an integer as programs write them.  A key such as 007 is rather a name. */
static bool
is_plain_integer(struct slice v)
{
	return num_is_integer(v) && leading_zeros(v, v.p[0] == '-') == 0;
}

/* Writes a number, or what else is in its place as a text. */
static bool
put_number(struct plain *p, struct buf *b, struct slice v)
{
	double d;

	if (slice_eq(v, SLICE("nan")))
		return buf_puts(b, "NaN");
	if (slice_eq(v, SLICE("inf")))
		return buf_puts(b, "Infinity");
	if (slice_eq(v, SLICE("-inf")))
		return buf_puts(b, "-Infinity");
	if (slice_eq(v, SLICE("-0"))) /* as an integer it would be 0 */
		return buf_puts(b, "-0.0");
	if (num_is_integer(v) || num_get_double(v, &d))
		return put_decimal(b, v);
	return put_string(p, b, v);
}

static bool
put_amount(struct plain *p, struct buf *b, const struct ev *ev)
{
	struct slice v = ev->col[EV_VALUE];

	return ev_value_is_text(ev) ? put_string(p, b, v) : put_number(p, b, v);
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

/*
 * Returns the region or, for results without one, the innermost frame of their stack, or the key
 * that names a function.
 */
static struct slice
function_of(const struct ev *ev)
{
	struct slice stack;

	if (!slice_is_nothing(ev->col[EV_REGION]) || !has_tag(ev, SLICE("stack"), &stack))
		return ev_function(ev);
	return take_frame(&stack);
}

/* Counts values that Perun would take for something else than they are. */
static void
see_value(struct plain *p, const struct ev *ev)
{
	struct slice total;

	if (ev_tag(ev, SLICE("total"), &total))
		p->overlapping += slice_eq(ev->col[EV_KIND], SLICE("agg"));
	else
		p->whole += ev_is_of_whole(ev);
	if (!slice_eq(ev->col[EV_KIND], SLICE("agg")))
		return;
	p->placeless += slice_is_nothing(function_of(ev));
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
		return put_frame(p, b, ev_function(ev), dso);
	while (stack.len != 0) {
		ok = (first || buf_puts(b, ", ")) &&
		    put_frame(p, b, take_frame(&stack), first ? dso : SLICE("."));
		if (!ok)
			return false;
		first = false;
	}
	return true;
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
	static const struct slice numbers[] = { { "lo", 2 }, { "hi", 2 }, { "total", 5 } };
	bool aggregate = slice_eq(ev->col[EV_KIND], SLICE("agg"));
	struct slice rest = ev->tags;
	struct ev_tag tag;

	while (ev_next_tag(&rest, &tag)) {
		if (SLICE_AMONG(tag.key, said))
			continue;
		if (!aggregate || SLICE_AMONG(tag.key, known)) {
			p->tags++;
			continue;
		}
		if (!buf_puts(b, ", ") || !put_name(p, b, tag.key) || !buf_puts(b, ": "))
			return false;
		if (is_plain_integer(tag.value) || SLICE_AMONG(tag.key, numbers)
			? !put_number(p, b, tag.value)
			: !put_string(p, b, tag.value))
			return false;
	}
	return true;
}

/* Appends a text to a JSON string, after words that end in a blank. */
static bool
add_to_string(struct plain *p, struct buf *b, const char *words, struct slice escaped)
{
	size_t quote;

	b->len--; /* the closing quote */
	if (!buf_puts(b, words))
		return false;
	quote = --b->len;
	if (!put_string(p, b, escaped))
		return false;
	b->p[quote] = ' '; /* replaces the opening quote of the text */
	return true;
}

/*
 * Writes the measure (without the type if it is from perundec), its statistic, and the tag that
 * this is about.
 */
static bool
put_subtype(struct plain *p, struct buf *b, const struct ev *ev)
{
	struct slice stat, of = tag_of(ev), measure = ev->col[EV_MEASURE];
	const char *type = perun_type(p, ev);
	size_t n = type == NULL ? 0 : strlen(type) + 1;
	bool ok = measure.len > n && n != 0
	    ? put_name(p, b, (struct slice){ measure.p + n, measure.len - n })
	    : put_string(p, b, measure);

	if (!ok || !ev_tag(ev, SLICE("stat"), &stat))
		return ok;
	ok = add_to_string(p, b, " ", stat);
	return of.len == 0 ? ok : ok && add_to_string(p, b, " of ", of);
}

/* Returns whether the line's value is a part of a sum, as in a flame graph. */
static bool
is_part_of_sum(const struct ev *ev)
{
	struct slice stat = stat_of(ev);

	return !ev_is_nested_measure(ev->col[EV_MEASURE]) &&
	    (stat.len == 0 || slice_eq(stat, SLICE("sum")) || slice_eq(stat, SLICE("count")));
}

/* Keeps the name of a quantity for the notes. */
static bool
keep_name(struct plain *p, const struct ev *ev)
{
	struct slice measure = ev->col[EV_MEASURE], stat = stat_of(ev), of = tag_of(ev);
	bool ok;

	p->text.len = 0;
	ok = buf_put(&p->text, measure.p, measure.len);
	if (stat.len != 0)
		ok = ok && buf_putc(&p->text, ' ') && buf_put(&p->text, stat.p, stat.len);
	if (of.len != 0)
		ok = ok && buf_puts(&p->text, " of ") && buf_put(&p->text, of.p, of.len);
	if (ok)
		units_name(&p->all_names, buf_slice(&p->text), SLICE("."));
	if (ok && !is_part_of_sum(ev))
		units_name(&p->whole_names, buf_slice(&p->text), SLICE("."));
	return ok;
}

static bool
begin_quantity(struct plain *p, struct quantity *q, const struct ev *ev, struct slice unit)
{
	q->type = type_of(p, ev, unit);
	q->perun = perun_type(p, ev) != NULL;
	return keep(&q->unit, unit) && put_subtype(p, &q->subtype, ev) && keep_name(p, ev);
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

int
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
	see_value(p, ev);
	(void)ev_tag(ev, SLICE("dso"), &dso);
	ok = ok && namesakes_look(&p->namesakes, ev) && buf_puts(json, "{\"type\": \"") &&
	    buf_puts(json, q->type) && buf_puts(json, "\", \"subtype\": ") &&
	    buf_put(json, q->subtype.p, q->subtype.len) && buf_puts(json, ", \"amount\": ") &&
	    put_amount(p, json, ev);
	if (!slice_is_nothing(time))
		ok = ok && buf_puts(json, ", \"timestamp\": ") && put_decimal(json, time);
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

int
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

int
plain_collector(struct plain *p, struct buf *json, struct err *e)
{
	bool ok = buf_puts(json, "{\"name\": ") &&
	    (p->app.len != 0 ? put_string(p, json, buf_slice(&p->app))
			     : buf_puts(json, "\"afpipe\"")) &&
	    buf_puts(json, ", \"params\": {}}");

	return ok ? 0 : err_nomem(e);
}

/* Returns the statistic and the tag in the name of a quantity, with a TAB before each. */
static struct slice
stat_in(struct slice name)
{
	size_t i = 0;

	while (i < name.len && name.p[i] != '\t')
		i++;
	return (struct slice){ name.p + i, name.len - i };
}

/*
 * Returns whether the amounts of two quantities are parts of one sum: subtypes of one of Perun's
 * own types, such as functions that allocate memory, with the same statistic, tag and unit.
 */
static bool
add_up(const struct plain *p, size_t i, size_t k)
{
	const struct quantity *a = &p->quantity[i], *b = &p->quantity[k];

	return a->perun && b->perun && strcmp(a->type, b->type) == 0 &&
	    slice_eq(buf_slice(&a->unit), buf_slice(&b->unit)) &&
	    slice_eq(stat_in(p->names.item[i]), stat_in(p->names.item[k]));
}

bool
plain_note(const struct plain *p, char *text, size_t size)
{
	size_t i, first = SIZE_MAX;
	bool mixed = false, results = false;

	for (i = 0; i < p->names.count; i++) {
		if (p->quantity[i].type == NULL)
			continue;
		if (first == SIZE_MAX)
			first = i;
		mixed = mixed || (i != first && !add_up(p, first, i));
		results = results || stat_in(p->names.item[i]).len > 2;
	}
	if (mixed)
		snprintf(text, size,
		    "several measures in one profile: a flame graph of Perun adds them up "
		    "(one alone: afsel --where 'measure=NAME'%s): %.*s",
		    results ? " --where stat=STAT" : "", (int)p->all_names.len,
		    p->all_names.len == 0 ? "" : p->all_names.p);
	return mixed;
}

bool
plain_note_wholes(const struct plain *p, char *text, size_t size)
{
	if (p->whole_names.len == 0)
		return false;
	snprintf(text, size,
	    "amounts that do not add up, but a flame graph of Perun adds them up: %.*s",
	    (int)p->whole_names.len, p->whole_names.p);
	return true;
}
