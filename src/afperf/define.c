/* SPDX-License-Identifier: ISC */
/* define.c - the runs and measurement types that a stream speaks of. */
#include "src/afperf/define.h"

#include "lib/mem.h"
#include "lib/num.h"
#include "lib/short.h"
#include "lib/vec.h"

void
afperf_define_free(struct afperf_define *d)
{
	tab_free(&d->text);
	tab_free(&d->run_names);
	tab_free(&d->alias);
	mem_free(d->alias_of);
	afperf_known_free(d);
	ids_free(&d->run_ids);
	ids_free(&d->type_ids);
	buf_free(&d->key);
	mem_free(d->run);
	mem_free(d->measure);
	*d = (struct afperf_define){ 0 };
}

bool
afperf_is_time(struct slice s)
{
	return s.len <= AFPERF_TIME_MAX && s.p[0] != '-' && num_is_integer(s) &&
	    (s.p[0] != '0' || s.len == 1);
}

int
afperf_time_cmp(struct slice a, struct slice b)
{
	if (a.len != b.len)
		return a.len < b.len ? -1 : 1;
	return memcmp(a.p, b.p, a.len);
}

bool
afperf_time_in_unit(const struct afperf_run *run, struct slice *time)
{
	uint64_t v;
	size_t i;

	if (run->zeros != 0 && !slice_eq(*time, SLICE("0"))) {
		if (time->len <= run->zeros)
			return false;
		for (i = 1; i <= run->zeros; i++)
			if (time->p[time->len - i] != '0')
				return false;
		time->len -= run->zeros;
	}
	return time->len < 20 || num_get_u64(*time, &v); /* the largest has 20 digits */
}

void
afperf_time_set(struct afperf_time *t, struct slice s)
{
	memcpy(t->digits, s.p, s.len);
	t->len = (uint8_t)s.len;
}

bool
afperf_define_keep(struct afperf_define *d, struct slice *s)
{
	size_t n = tab_add(&d->text, *s, NULL);

	if (n == TAB_NONE)
		return false;
	*s = d->text.item[n];
	return true;
}

static struct afperf_run
undeclared(struct slice name)
{
	return (struct afperf_run){ .name = name,
		.tags = { "", 0 },
		.measures = { TAB_NONE, TAB_NONE } };
}

size_t
afperf_run_named(struct afperf_define *d, struct slice name)
{
	bool fresh;
	size_t n = d->last_run;

	if (n < d->runs && short_eq(d->run[n].name, name))
		return n;
	n = tab_add(&d->run_names, name, &fresh);
	if (n == TAB_NONE)
		return n;
	d->last_run = n;
	if (!fresh)
		return n;
	if (!vec_room(d->run, n, d->runs_cap))
		return TAB_NONE;
	d->run[n] = undeclared(d->run_names.item[n]);
	d->runs = n + 1;
	return n;
}

/*
 * For a run from an AFPerf file only: its time unit and, if it was blank, its id are written as
 * they were.
 */
static void
read_native(const struct afperf_define *d, struct afperf_run *r, const struct ev *ev)
{
	struct slice unit = ev_get(ev, SLICE("unit"));
	uint64_t n;
	uint64_t part[3];
	struct slice version;

	r->native = ev_tag(ev, SLICE("afperf"), &version);
	if (!r->native)
		return;
	r->minor = afperf_version_read(version, part) ? part[1] : 0;
	r->id = SLICE("");
	r->blank = !d->number && afperf_is_blank(r->name, &n);
	r->zeros = slice_eq(unit, SLICE("s")) ? 9
	    : slice_eq(unit, SLICE("ms"))     ? 6
	    : slice_eq(unit, SLICE("us"))     ? 3
					      : 0;
}

enum afperf_defined
afperf_define_run(struct afperf_define *d, const struct ev *ev, size_t *run)
{
	struct slice tags = ev->tags, time = ev->col[EV_TIME];
	bool timed = !slice_is_nothing(time),
	     fresh = tab_find(&d->run_names, ev->col[EV_RUN]) == TAB_NONE;
	struct afperf_run *r;

	*run = afperf_run_named(d, ev->col[EV_RUN]);
	if (*run == TAB_NONE)
		return AFPERF_DEFINED_NOMEM;
	r = &d->run[*run];
	if (fresh) /* earlier data have been written differently */
		read_native(d, r, ev);
	if (timed && !afperf_time_in_unit(r, &time)) {
		if (fresh) /* its data are written without it */
			*r = undeclared(r->name);
		return AFPERF_DEFINED_UNTIMELY;
	}
	if (r->declared) {
		bool same = slice_eq(tags, r->tags) && timed == r->timed &&
		    (!timed || slice_eq(time, afperf_time_text(&r->start)));

		return same ? AFPERF_DEFINED_SAME : AFPERF_DEFINED_AGAIN;
	}
	if (!afperf_define_keep(d, &tags))
		return AFPERF_DEFINED_NOMEM;
	r->tags = tags;
	r->declared = true;
	r->timed = timed;
	if (timed)
		afperf_time_set(&r->start, time);
	return AFPERF_DEFINED_NEW;
}

static size_t
add_measure(struct afperf_define *d, const struct afperf_measure *m)
{
	struct afperf_measure copy = *m;

	if (!vec_room(d->measure, d->measures, d->measures_cap) ||
	    !afperf_define_keep(d, &copy.name) || !afperf_define_keep(d, &copy.source_id) ||
	    !afperf_define_keep(d, &copy.unit) || !afperf_define_keep(d, &copy.time) ||
	    !afperf_define_keep(d, &copy.summary) || !afperf_define_keep(d, &copy.description))
		return TAB_NONE;
	d->measure[d->measures] = copy;
	if (!afperf_known_name(d, d->measures) || !afperf_known_id(d, d->measures))
		return TAB_NONE;
	if (copy.defined == 0 && !afperf_open_add(d, d->measures))
		return TAB_NONE;
	return d->measures++;
}

static bool
alias_key(struct buf *b, const struct afperf_name *name)
{
	b->len = 0;
	return buf_put(b, &name->run, sizeof name->run) &&
	    buf_put(b, name->measure.p, name->measure.len) && buf_putc(b, '\t') &&
	    buf_put(b, name->unit.p, name->unit.len) && buf_putc(b, '\t') &&
	    buf_put(b, name->id.p, name->id.len);
}

static enum afperf_datatype
type_said(struct slice type, struct slice unit)
{
	if (slice_eq(type, SLICE("text")) ||
	    (slice_is_nothing(type) && slice_eq(unit, SLICE("text"))))
		return AFPERF_STRING;
	return afperf_datatype_named(type);
}

/* Fields open in the name match anything; fields open in the measure are set by the name. */
static size_t
resolve(struct afperf_define *d, const struct afperf_name *name)
{
	struct slice unit = name->unit, id = name->id;
	size_t n;

	if (!afperf_open_first(d, name->run, name->measure,
		slice_is_nothing(unit) ? AFPERF_ANY : unit, slice_is_nothing(id) ? AFPERF_ANY : id,
		&n) ||
	    !afperf_define_keep(d, &unit) || !afperf_define_keep(d, &id))
		return TAB_NONE;
	if (n != TAB_NONE) {
		struct afperf_measure *m = &d->measure[n];
		bool had_unit = !slice_is_nothing(m->unit),
		     had_id = !slice_is_nothing(m->source_id);

		m->unit = had_unit ? m->unit : unit;
		m->source_id = had_id ? m->source_id : id;
		if (had_unit && had_id)
			return n;
		return (had_id || afperf_known_id(d, n)) && afperf_open_add(d, n) ? n : TAB_NONE;
	}
	return add_measure(d,
	    &(struct afperf_measure){ .run = name->run,
		.name = name->measure,
		.unit = name->unit,
		.source_id = name->id,
		.time = SLICE("."),
		.summary = SLICE("."),
		.description = SLICE("."),
		.type = type_said(name->type, name->unit) });
}

/* The next lines will name the same: comparing texts is faster than looking them up. */
static size_t
remember(struct afperf_define *d, const struct afperf_name *name, size_t alias)
{
	struct afperf_recent *r = &d->recent[d->next_recent++ % AFPERF_RECENT];
	const char *p = d->alias.item[alias].p + sizeof name->run;

	r->run = name->run;
	r->number = d->alias_of[alias];
	r->measure = (struct slice){ p, name->measure.len };
	p += name->measure.len + 1;
	r->unit = (struct slice){ p, name->unit.len };
	r->id = (struct slice){ p + name->unit.len + 1, name->id.len };
	return r->number;
}

/* The number of the alias, new or not.  TAB_NONE without memory. */
static size_t
alias(struct afperf_define *d, const struct afperf_name *name, struct buf *scratch, bool *fresh)
{
	size_t n =
	    alias_key(scratch, name) ? tab_add(&d->alias, buf_slice(scratch), fresh) : TAB_NONE;

	if (n != TAB_NONE && *fresh && !vec_room(d->alias_of, n, d->alias_cap))
		return TAB_NONE;
	return n;
}

/* It is defined now: all names that match it mean it, with or without unit and id. */
static bool
name_defined(struct afperf_define *d, size_t measure)
{
	const struct afperf_measure *m = &d->measure[measure];
	struct afperf_name name = { m->run, m->name, SLICE("."), SLICE("."), SLICE(".") };
	bool fresh;
	size_t n;
	int i;

	memset(d->recent, 0, sizeof d->recent);
	for (i = 0; i < 4; i++) {
		name.unit = (i & 1) != 0 ? m->unit : SLICE(".");
		name.id = (i & 2) != 0 ? m->source_id : SLICE(".");
		n = alias(d, &name, &d->key, &fresh);
		if (n == TAB_NONE)
			return false;
		d->alias_of[n] = measure;
	}
	return true;
}

size_t
afperf_measure_named(struct afperf_define *d, const struct afperf_name *name, struct buf *scratch)
{
	bool fresh;
	size_t n, m, i;

	for (i = 0; i < AFPERF_RECENT; i++) {
		const struct afperf_recent *r = &d->recent[i];

		if (r->run == name->run && r->measure.len != 0 &&
		    short_eq(r->measure, name->measure) && short_eq(r->id, name->id) &&
		    short_eq(r->unit, name->unit))
			return r->number;
	}
	n = alias(d, name, scratch, &fresh);
	if (n == TAB_NONE)
		return n;
	if (!fresh)
		return remember(d, name, n);
	m = resolve(d, name);
	if (m == TAB_NONE)
		return m;
	d->alias_of[n] = m;
	return remember(d, name, n);
}

static bool
same_definition(const struct afperf_measure *a, const struct afperf_measure *b)
{
	return slice_eq(a->name, b->name) && slice_eq(a->source_id, b->source_id) &&
	    slice_eq(a->unit, b->unit) && slice_eq(a->time, b->time) &&
	    slice_eq(a->summary, b->summary) && slice_eq(a->description, b->description) &&
	    a->type == b->type;
}

static struct slice
tag_or_nothing(const struct ev *ev, struct slice key)
{
	struct slice value;

	return ev_tag(ev, key, &value) ? value : SLICE(".");
}

static bool
read_definition(struct afperf_define *d, const struct ev *ev, struct afperf_measure *m)
{
	*m = (struct afperf_measure){
		.run = afperf_run_named(d, ev->col[EV_RUN]),
		.name = ev->col[EV_MEASURE],
		.time = ev->col[EV_TIME],
		.source_id = tag_or_nothing(ev, SLICE("id")),
		.unit = tag_or_nothing(ev, SLICE("unit")),
		.summary = tag_or_nothing(ev, SLICE("summary")),
		.description = tag_or_nothing(ev, SLICE("description")),
		.defined = ++d->definitions,
	};
	m->type = type_said(tag_or_nothing(ev, SLICE("type")), m->unit);
	if (slice_is_nothing(m->source_id))
		m->source_id = tag_or_nothing(ev, SLICE("mid"));
	return m->run != TAB_NONE;
}

/* Data named this measure before its line came: fill in the entry. */
static bool
fill_in(struct afperf_define *d, size_t number, const struct afperf_measure *m)
{
	struct afperf_measure copy = *m, *known = &d->measure[number];
	struct afperf_known *k;

	if (!afperf_define_keep(d, &copy.source_id) || !afperf_define_keep(d, &copy.unit) ||
	    !afperf_define_keep(d, &copy.time) || !afperf_define_keep(d, &copy.summary) ||
	    !afperf_define_keep(d, &copy.description))
		return false;
	copy.name = known->name;
	copy.seen = known->seen;
	copy.used = known->used;
	copy.large = known->large;
	copy.next_in_run = known->next_in_run;
	copy.written = known->written;
	copy.pinned = known->pinned;
	copy.ahead = known->ahead;
	copy.superseded = known->superseded;
	*known = copy;
	k = afperf_named(d, copy.run, copy.name);
	if (k == NULL)
		return false;
	if (slice_is_nothing(copy.source_id))
		k->latest = number;
	return afperf_known_id(d, number) && name_defined(d, number);
}

/* The measure that data named and this line describes, or else the last one it redefines. */
static bool
find_defined(struct afperf_define *d, const struct afperf_measure *m, size_t *filled, size_t *last)
{
	const struct afperf_known *k;

	*last = TAB_NONE;
	if (!afperf_open_first(d, m->run, m->name, m->unit, m->source_id, filled))
		return false;
	if (*filled != TAB_NONE)
		return true;
	if (!slice_is_nothing(m->source_id)) {
		k = afperf_with_id(d, m->run, m->source_id);
		*last = k == NULL ? TAB_NONE : k->latest;
		return k != NULL;
	}
	k = afperf_named(d, m->run, m->name);
	if (k == NULL)
		return false;
	*last = k->latest;
	return *last != TAB_NONE ||
	    afperf_open_first(d, m->run, m->name, AFPERF_ANY, m->source_id, last);
}

/* Its record precedes its values: a missing type is the previous one, or any. */
static void
settle_type(struct afperf_measure *m, const struct afperf_measure *before)
{
	if (m->type == AFPERF_DATATYPES)
		m->type = before->type;
	if (m->type == AFPERF_DATATYPES)
		m->type = AFPERF_STRING;
}

/* The last one is no longer in force, nor is the one with the id. */
static bool
supersede(struct afperf_define *d, const struct afperf_measure *m, size_t last)
{
	const struct afperf_known *k;

	d->measure[last].superseded = true;
	if (slice_is_nothing(m->source_id))
		return true;
	k = afperf_with_id(d, m->run, m->source_id);
	if (k != NULL && k->owner != TAB_NONE)
		d->measure[k->owner].superseded = true;
	return k != NULL;
}

enum afperf_defined
afperf_define_measure(struct afperf_define *d, const struct ev *ev, size_t *measure)
{
	struct afperf_measure m;
	size_t last;

	*measure = TAB_NONE;
	if (!read_definition(d, ev, &m))
		return AFPERF_DEFINED_NOMEM;
	if (!slice_is_nothing(m.time) && !afperf_time_in_unit(&d->run[m.run], &m.time))
		return AFPERF_DEFINED_UNTIMELY;
	if (!find_defined(d, &m, measure, &last))
		return AFPERF_DEFINED_NOMEM;
	if (*measure != TAB_NONE)
		return fill_in(d, *measure, &m) ? AFPERF_DEFINED_NEW : AFPERF_DEFINED_NOMEM;
	if (last != TAB_NONE && same_definition(&d->measure[last], &m)) {
		*measure = last;
		return AFPERF_DEFINED_SAME;
	}
	*measure = add_measure(d, &m);
	if (*measure == TAB_NONE || !name_defined(d, *measure))
		return AFPERF_DEFINED_NOMEM;
	d->measure[*measure].in_place =
	    last != TAB_NONE && (d->measure[last].used || d->run[m.run].native);
	if (d->measure[*measure].in_place) {
		if (!supersede(d, &m, last))
			return AFPERF_DEFINED_NOMEM;
		settle_type(&d->measure[*measure], &d->measure[last]);
	}
	return d->measure[*measure].in_place ? AFPERF_DEFINED_AGAIN : AFPERF_DEFINED_NEW;
}
