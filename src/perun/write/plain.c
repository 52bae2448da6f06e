/* SPDX-License-Identifier: ISC */
/* plain.c - resources of a Perun profile from lines that no Perun profile was the source of. */
#include "src/perun/write/plain.h"

#include "lib/json/jtext.h"
#include "lib/esc.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/vec.h"
#include "src/perun/pytext.h"

void
plain_free(struct plain *p)
{
	size_t i;

	for (i = 0; i < p->cap; i++)
		buf_free(&p->measure[i].unit);
	mem_free(p->measure);
	units_free(&p->units);
	buf_free(&p->other_names);
	tab_free(&p->measures);
	buf_free(&p->run);
	buf_free(&p->app);
	buf_free(&p->cmd);
	buf_free(&p->args);
	buf_free(&p->workload);
	buf_free(&p->text);
}

static bool
put(struct buf *b, const char *s)
{
	return buf_put(b, s, strlen(s));
}

/* Bytes that are not UTF-8 have no place in JSON: they stay spelled as in the stream. */
static bool
is_utf8(struct slice s)
{
	size_t i, n;

	for (i = 0; i < s.len; i += n)
		if ((n = esc_utf8((const unsigned char *)s.p + i, s.len - i)) == 0)
			return false;
	return true;
}

/* A column's or tag's text as a JSON string. */
static bool
put_string(struct plain *p, struct buf *b, struct slice escaped)
{
	size_t at;

	p->text.len = 0;
	if (esc_undo(&p->text, escaped, &at) == -2)
		return false;
	return jtext_quote(b, is_utf8(buf_slice(&p->text)) ? buf_slice(&p->text) : escaped);
}

/* A key's, or that of a part of a column: there "." is only itself. */
static bool
put_name(struct plain *p, struct buf *b, struct slice escaped)
{
	return slice_is_nothing(escaped) ? put(b, "\".\"") : put_string(p, b, escaped);
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

/* The number of the line's measure; TAB_NONE without memory. */
static size_t
measure_of(struct plain *p, const struct ev *ev)
{
	size_t i = tab_add(&p->measures, ev->col[EV_MEASURE], NULL);

	return i != TAB_NONE && vec_room_zero(p->measure, i, p->cap) ? i : TAB_NONE;
}

int
plain_measure(struct plain *p, const struct ev *ev, struct err *e)
{
	if (measure_of(p, ev) == TAB_NONE || !units_declare(&p->units, ev))
		return err_nomem(e);
	return 0;
}

/* The type that a measure of perundec's begins with; NULL if none. */
static const char *
perun_type(const struct plain *p, struct slice measure)
{
	static const char *const types[] = { "memory", "mixed", "time" };
	size_t i, n;

	for (i = 0; p->perun && i < sizeof types / sizeof types[0]; i++) {
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

/* Perun's rough type of a measure, by its unit where its name does not say it. */
static const char *
type_of(const struct plain *p, size_t measure)
{
	static const char *const times[] = { "ns", "us", "ms", "s", "sec", "seconds", "min", "h" };
	static const char *const sizes[] = { "B", "bytes", "byte", "kB", "KB", "KiB", "MB", "MiB",
		"GB", "GiB" };
	const char *type = perun_type(p, p->measures.item[measure]);
	struct slice unit = buf_slice(&p->measure[measure].unit);

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
		return put(b, "NaN");
	if (slice_eq(v, SLICE("inf")))
		return put(b, "Infinity");
	if (slice_eq(v, SLICE("-inf")))
		return put(b, "-Infinity");
	if (num_is_integer(v) || num_get_double(v, &d))
		return buf_put(b, v.p, v.len);
	return put_string(p, b, v);
}

/* A place of the program: what Perun's memory collector says of one. */
static bool
put_frame(struct plain *p, struct buf *b, struct slice function, struct slice source)
{
	return put(b, "{\"source\": ") &&
	    (slice_is_nothing(source) ? put(b, "\"unknown\"") : put_string(p, b, source)) &&
	    put(b, ", \"function\": ") && put_string(p, b, function) && put(b, ", \"line\": 0}");
}

/* Innermost first, as Perun has it; the stream's lists are root first. */
static bool
put_trace(struct plain *p, struct buf *b, const struct ev *ev, struct slice dso)
{
	struct slice stack, frame;
	bool ok, first = true;
	size_t from;

	if (!has_tag(ev, SLICE("stack"), &stack))
		return put_frame(p, b, ev->col[EV_REGION], dso);
	while (stack.len != 0) {
		for (from = stack.len; from > 0 && stack.p[from - 1] != ';'; from--)
			;
		frame = (struct slice){ stack.p + from, stack.len - from };
		ok = (first || put(b, ", ")) && put_frame(p, b, frame, first ? dso : SLICE("."));
		if (!ok)
			return false;
		first = false;
		stack.len = from > 0 ? from - 1 : 0;
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
 * An aggregate's other keys and its count; the stream says with tags what has been grouped.  Of
 * other lines, and where a resource has a member of that name, they are left out.
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
		if (!put(b, ", ") || !put_name(p, b, tag.key) || !put(b, ": "))
			return false;
		if (num_is_integer(tag.value) ? !buf_put(b, tag.value.p, tag.value.len)
					      : !put_string(p, b, tag.value))
			return false;
	}
	return true;
}

/* The measure, of perundec's without the type, and the statistic of it. */
static bool
put_subtype(struct plain *p, struct buf *b, const struct ev *ev)
{
	struct slice stat, measure = ev->col[EV_MEASURE];
	const char *type = perun_type(p, measure);
	size_t n = type == NULL ? 0 : strlen(type) + 1, end;
	bool ok = measure.len > n && n != 0
	    ? put_name(p, b, (struct slice){ measure.p + n, measure.len - n })
	    : put_string(p, b, measure);

	if (!ok || !ev_tag(ev, SLICE("stat"), &stat))
		return ok;
	end = --b->len;
	ok = put_string(p, b, stat);
	b->p[end] = ' '; /* where the statistic's quote is */
	return ok;
}

/*
 * A header has one unit of a type and subtype: that of its first line.  False for a line in another
 * one, as is one without.
 */
static bool
fits_unit(struct plain *p, size_t measure, const struct ev *ev, bool *ok)
{
	struct slice unit = units_of(&p->units, ev);
	bool none = slice_is_nothing(unit);

	*ok = true;
	if (!p->measure[measure].used) {
		p->measure[measure].used = true;
		*ok = none || keep(&p->measure[measure].unit, unit);
		return true;
	}
	if (slice_eq(buf_slice(&p->measure[measure].unit), none ? SLICE("") : unit))
		return true;
	p->others++;
	units_name(&p->other_names, ev->col[EV_MEASURE], unit);
	return false;
}

int
plain_resource(struct plain *p, const struct ev *ev, struct buf *json, enum plain_got *got,
    struct err *e)
{
	struct slice dso = SLICE("."), time = ev->col[EV_TIME];
	size_t m = measure_of(p, ev);
	bool ok = true;

	*got = slice_is_nothing(ev->col[EV_VALUE]) ? PLAIN_VALUELESS : PLAIN_RESOURCE;
	if (m == TAB_NONE)
		return err_nomem(e);
	if (*got == PLAIN_RESOURCE && !fits_unit(p, m, ev, &ok))
		*got = PLAIN_OTHER_UNIT;
	if (*got != PLAIN_RESOURCE)
		return 0;
	(void)ev_tag(ev, SLICE("dso"), &dso);
	ok = ok && put(json, "{\"type\": \"") && put(json, type_of(p, m)) &&
	    put(json, "\", \"subtype\": ") && put_subtype(p, json, ev) &&
	    put(json, ", \"amount\": ") && put_amount(p, json, ev);
	if (!slice_is_nothing(time))
		ok = ok && put(json, ", \"timestamp\": ") && buf_put(json, time.p, time.len);
	ok = ok && put(json, ", \"uid\": ") && put_frame(p, json, ev->col[EV_REGION], dso) &&
	    put(json, ", \"trace\": [") && put_trace(p, json, ev, dso) && put(json, "]");
	ok = ok && put_keys(p, json, ev);
	return ok && put(json, "}") ? 0 : err_nomem(e);
}

/* A measure's name within a string that is open. */
static bool
put_in_brackets(struct plain *p, struct buf *b, struct slice name)
{
	size_t from = b->len;

	if (!put_string(p, b, name))
		return false;
	b->p[from] = '(';
	b->p[b->len - 1] = ')';
	return true;
}

/* The unit of the first measure of a type, and those that have another; mixed ones by name. */
static bool
put_units(struct plain *p, struct buf *b)
{
	struct slice first[2] = { { NULL, 0 }, { NULL, 0 } };
	bool any = false, ok = true, mixed, plainly;
	size_t i, t;

	for (i = 0; i < p->measures.count && ok; i++) {
		const char *type = type_of(p, i);
		struct slice unit = buf_slice(&p->measure[i].unit);

		if (!p->measure[i].used || unit.len == 0)
			continue;
		t = type[0] == 't' ? 0 : 1;
		mixed = type[0] == 'm' && type[1] == 'i';
		plainly = !mixed && first[t].p == NULL;
		if (plainly)
			first[t] = unit;
		else if (!mixed && slice_eq(first[t], unit))
			continue;
		ok = (!any || put(b, ", ")) && put(b, "\"") && put(b, type) &&
		    (plainly || put_in_brackets(p, b, p->measures.item[i]));
		ok = ok && put(b, "\": ") && put_string(p, b, unit);
		any = true;
	}
	return ok;
}

int
plain_header(struct plain *p, struct buf *json, struct err *e)
{
	const char *type = NULL, *t;
	size_t i;
	bool ok;

	for (i = 0; i < p->measures.count; i++) {
		if (!p->measure[i].used)
			continue;
		t = type_of(p, i);
		type = type == NULL || strcmp(type, t) == 0 ? t : "mixed";
	}
	ok = put(json, "{\"type\": \"") && put(json, type == NULL ? "mixed" : type) &&
	    put(json, "\", \"units\": {") && put_units(p, json) && put(json, "}, \"cmd\": ") &&
	    put_string(p, json, buf_slice(&p->cmd)) && put(json, ", \"args\": ") &&
	    put_string(p, json, buf_slice(&p->args)) && put(json, ", \"workload\": ") &&
	    put_string(p, json, buf_slice(&p->workload)) && put(json, "}");
	return ok ? 0 : err_nomem(e);
}

int
plain_collector(struct plain *p, struct buf *json, struct err *e)
{
	bool ok = put(json, "{\"name\": ") &&
	    (p->app.len != 0 ? put_string(p, json, buf_slice(&p->app)) : put(json, "\"afpipe\"")) &&
	    put(json, ", \"params\": {}}");

	return ok ? 0 : err_nomem(e);
}
