/* SPDX-License-Identifier: ISC */
/* define.c - the runs and measurement types that a stream speaks of. */
#include "src/afperf/define.h"

#include <stdlib.h>

#include "lib/num.h"

void
afperf_define_free(struct afperf_define *d)
{
	tab_free(&d->text);
	tab_free(&d->run_names);
	tab_free(&d->alias);
	free(d->alias_of);
	free(d->run);
	free(d->measure);
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
	size_t i;

	if (run->zeros == 0 || slice_eq(*time, SLICE("0")))
		return true;
	if (time->len <= run->zeros)
		return false;
	for (i = 1; i <= run->zeros; i++)
		if (time->p[time->len - i] != '0')
			return false;
	time->len -= run->zeros;
	return true;
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

static bool
grow(void *array, size_t count, size_t *cap, size_t size)
{
	void *old, *p;
	size_t more = *cap == 0 ? 16 : *cap * 2;

	if (count < *cap)
		return true;
	memcpy(&old, array, sizeof old);
	p = realloc(old, more * size);
	if (p == NULL)
		return false;
	memcpy(array, &p, sizeof p);
	*cap = more;
	return true;
}

size_t
afperf_run_named(struct afperf_define *d, struct slice name)
{
	bool fresh;
	size_t n = tab_add(&d->run_names, name, &fresh);

	if (n == TAB_NONE || !fresh)
		return n;
	if (!grow(&d->run, n, &d->runs_cap, sizeof *d->run))
		return TAB_NONE;
	d->run[n] = (struct afperf_run){ .name = d->run_names.item[n], .tags = { "", 0 } };
	d->runs = n + 1;
	return n;
}

/*
 * What only a run that was an AFPerf file's has: its time unit and, where it was blank, its id are
 * written as they were.
 */
static void
read_native(struct afperf_run *r, const struct ev *ev)
{
	struct slice unit = ev_get(ev, SLICE("unit"));

	r->native = ev_tag(ev, SLICE("afperf"), &(struct slice){ NULL, 0 });
	if (!r->native)
		return;
	r->id = SLICE("");
	r->blank =
	    r->name.p[0] == '@' && num_is_integer((struct slice){ r->name.p + 1, r->name.len - 1 });
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
	if (fresh) /* data that came before have been written otherwise */
		read_native(r, ev);
	if (timed && !afperf_time_in_unit(r, &time))
		return AFPERF_DEFINED_UNTIMELY;
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

static bool
same_or_unsaid(struct slice said, struct slice known)
{
	return slice_is_nothing(said) || slice_eq(said, known);
}

/* What only data has named so far may turn out to have a unit or an id. */
static bool
fits_name(const struct afperf_measure *m, const struct afperf_name *name)
{
	bool open = m->defined == 0;

	return m->run == name->run && slice_eq(m->name, name->measure) &&
	    (same_or_unsaid(name->unit, m->unit) || (open && slice_is_nothing(m->unit))) &&
	    (same_or_unsaid(name->id, m->source_id) || (open && slice_is_nothing(m->source_id)));
}

/* The measure that the name fits, the one that was defined last where several do. */
static size_t
find_measure(const struct afperf_define *d, const struct afperf_name *name)
{
	size_t best = TAB_NONE, i;

	for (i = 0; i < d->measures; i++)
		if (fits_name(&d->measure[i], name) &&
		    (best == TAB_NONE || d->measure[i].defined > d->measure[best].defined))
			best = i;
	return best;
}

static size_t
add_measure(struct afperf_define *d, const struct afperf_measure *m)
{
	struct afperf_measure copy = *m;

	if (!grow(&d->measure, d->measures, &d->measures_cap, sizeof *d->measure) ||
	    !afperf_define_keep(d, &copy.name) || !afperf_define_keep(d, &copy.source_id) ||
	    !afperf_define_keep(d, &copy.unit) || !afperf_define_keep(d, &copy.time) ||
	    !afperf_define_keep(d, &copy.summary) || !afperf_define_keep(d, &copy.description))
		return TAB_NONE;
	d->measure[d->measures] = copy;
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

static size_t
resolve(struct afperf_define *d, const struct afperf_name *name)
{
	struct slice unit = name->unit, id = name->id;
	size_t n = find_measure(d, name);

	if (!afperf_define_keep(d, &unit) || !afperf_define_keep(d, &id))
		return TAB_NONE;
	if (n != TAB_NONE) {
		struct afperf_measure *m = &d->measure[n];

		m->unit = slice_is_nothing(m->unit) ? unit : m->unit;
		m->source_id = slice_is_nothing(m->source_id) ? id : m->source_id;
		return n;
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

size_t
afperf_measure_named(struct afperf_define *d, const struct afperf_name *name, struct buf *scratch)
{
	bool fresh;
	size_t n, m;

	if (!alias_key(scratch, name))
		return TAB_NONE;
	n = tab_add(&d->alias, buf_slice(scratch), &fresh);
	if (n == TAB_NONE || !fresh)
		return n == TAB_NONE ? n : d->alias_of[n];
	m = grow(&d->alias_of, n, &d->alias_cap, sizeof *d->alias_of) ? resolve(d, name) : TAB_NONE;
	if (m != TAB_NONE)
		d->alias_of[n] = m;
	return m;
}

static bool
same_definition(const struct afperf_measure *a, const struct afperf_measure *b)
{
	return slice_eq(a->name, b->name) && slice_eq(a->source_id, b->source_id) &&
	    slice_eq(a->unit, b->unit) && slice_eq(a->time, b->time) &&
	    slice_eq(a->summary, b->summary) && slice_eq(a->description, b->description) &&
	    a->type == b->type;
}

/* Two measures of a run share an AFPerf id: so one redefines the other. */
static bool
same_id(const struct afperf_measure *a, const struct afperf_measure *b)
{
	if (a->run != b->run)
		return false;
	if (afperf_same_id(a->source_id, b->source_id))
		return true;
	return slice_eq(a->source_id, b->source_id) &&
	    (!slice_is_nothing(a->source_id) || slice_eq(a->name, b->name));
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

/* Data has named this measure before its line came: fill the entry in. */
static bool
fill_in(struct afperf_define *d, struct afperf_measure *known, const struct afperf_measure *m)
{
	struct afperf_measure copy = *m;

	if (!afperf_define_keep(d, &copy.source_id) || !afperf_define_keep(d, &copy.unit) ||
	    !afperf_define_keep(d, &copy.time) || !afperf_define_keep(d, &copy.summary) ||
	    !afperf_define_keep(d, &copy.description))
		return false;
	copy.name = known->name;
	copy.seen = known->seen;
	copy.used = known->used;
	*known = copy;
	return true;
}

enum afperf_defined
afperf_define_measure(struct afperf_define *d, const struct ev *ev, size_t *measure)
{
	struct afperf_measure m;
	size_t last = TAB_NONE, i;

	*measure = TAB_NONE;
	if (!read_definition(d, ev, &m))
		return AFPERF_DEFINED_NOMEM;
	if (!slice_is_nothing(m.time) && !afperf_time_in_unit(&d->run[m.run], &m.time))
		return AFPERF_DEFINED_UNTIMELY;
	for (i = 0; i < d->measures; i++) {
		struct afperf_measure *known = &d->measure[i];

		if (known->defined == 0 && known->run == m.run && slice_eq(known->name, m.name) &&
		    same_or_unsaid(known->unit, m.unit) &&
		    same_or_unsaid(known->source_id, m.source_id)) {
			*measure = i;
			return fill_in(d, known, &m) ? AFPERF_DEFINED_NEW : AFPERF_DEFINED_NOMEM;
		}
		if (same_id(known, &m) &&
		    (last == TAB_NONE || known->defined > d->measure[last].defined))
			last = i;
	}
	if (last != TAB_NONE && same_definition(&d->measure[last], &m)) {
		*measure = last;
		return AFPERF_DEFINED_SAME;
	}
	*measure = add_measure(d, &m);
	if (*measure == TAB_NONE)
		return AFPERF_DEFINED_NOMEM;
	tab_free(&d->alias); /* names may now mean the new one */
	d->measure[*measure].in_place =
	    last != TAB_NONE && (d->measure[last].used || d->run[m.run].native);
	if (d->measure[*measure].in_place)
		d->measure[last].superseded = true;
	return d->measure[*measure].in_place ? AFPERF_DEFINED_AGAIN : AFPERF_DEFINED_NEW;
}
