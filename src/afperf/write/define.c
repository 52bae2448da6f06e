/* SPDX-License-Identifier: ISC */
/*
 * define.c - the runs and measurement types of a stream, which are found quickly by name, id and
 * unit, however many there are; and their ids, datatypes and units in AFPerf.
 */
#include "src/afperf/write/define.h"

#include <xxhash.h>

#include "lib/mem.h"
#include "lib/num.h"
#include "lib/number.h"
#include "lib/short.h"
#include "lib/vec.h"

#define ANY SLICE("\n") /* any unit or id; no text of the stream is a newline */

/* Makes *s a copy that lives as long as d.  Returns false when memory runs out. */
static bool
keep(struct define *d, struct slice *s)
{
	size_t n = tab_add(&d->text, *s, NULL);

	if (n == TAB_NONE)
		return false;
	*s = d->text.item[n];
	return true;
}

static bool
get_id(struct slice s, uint64_t *v)
{
	return num_get_u64(s, v) || num_get_hex(s, v);
}

bool
define_is_id(struct slice s)
{
	uint64_t v;

	return get_id(s, &v);
}

bool
define_is_blank(struct slice s, uint64_t *n)
{
	return s.len > 1 && s.p[0] == '@' && num_get_u64((struct slice){ s.p + 1, s.len - 1 }, n);
}

static size_t
spell(enum afperf_spelling spelling, uint64_t v, char *to)
{
	return spelling == AFPERF_DECIMAL ? num_put_u64(to, v) : num_put_hex(to, v);
}

/*
 * Returns the id in the requested spelling.  If it is hexadecimal already, it keeps its zeros and
 * capitals.  scratch has room for NUM_MAX bytes.
 */
static struct slice
spelled(enum afperf_spelling spelling, struct slice id, char *scratch)
{
	uint64_t v;

	if (spelling == AFPERF_AS_IT_IS || !get_id(id, &v) ||
	    (spelling == AFPERF_HEX && num_get_hex(id, &v)))
		return id;
	return (struct slice){ scratch, spell(spelling, v, scratch) };
}

bool
define_same_id(struct slice a, struct slice b)
{
	uint64_t x, y;

	return get_id(a, &x) && get_id(b, &y) && x == y;
}

static void *
entry_at(const struct define_index *x, size_t n, size_t size)
{
	return x->entry + n * size;
}

/*
 * Returns the entry of the key, which has the given size.  The members of a new entry are all
 * TAB_NONE.  Returns NULL when memory runs out.
 */
static void *
entry_of(struct define_index *x, struct slice key, size_t size)
{
	bool fresh;
	size_t n = x->keys.count;

	/* make room first, so that every key has an entry */
	if (n >= x->cap && !vec_grow(&x->entry, n, &x->cap, size))
		return NULL;
	n = tab_add(&x->keys, key, &fresh);
	if (n == TAB_NONE)
		return NULL;
	if (fresh)
		memset(entry_at(x, n, size), 0xff, size);
	return entry_at(x, n, size);
}

static void
free_known(struct define *d)
{
	tab_free(&d->by_name.keys);
	mem_free(d->by_name.entry);
	tab_free(&d->by_id.keys);
	mem_free(d->by_id.entry);
	tab_free(&d->open.lists.keys);
	mem_free(d->open.lists.entry);
	mem_free(d->open.entry);
}

static bool
name_key(struct buf *b, size_t run, struct slice name)
{
	b->len = 0;
	return buf_put(b, &run, sizeof run) && buf_put(b, name.p, name.len);
}

/*
 * Makes the key of an id.  Ids are equal if their numbers are equal; an id that is not a number is
 * compared as text.
 */
static bool
id_key(struct buf *b, size_t run, struct slice id)
{
	uint64_t v;

	b->len = 0;
	if (!buf_put(b, &run, sizeof run))
		return false;
	if (get_id(id, &v))
		return buf_putc(b, '#') && buf_put(b, &v, sizeof v);
	return buf_putc(b, '"') && buf_put(b, id.p, id.len);
}

static struct define_known *
named(struct define *d, size_t run, struct slice name)
{
	return name_key(&d->key, run, name)
	    ? entry_of(&d->by_name, buf_slice(&d->key), sizeof(struct define_known))
	    : NULL;
}

static struct define_known *
with_id(struct define *d, size_t run, struct slice id)
{
	return id_key(&d->key, run, id)
	    ? entry_of(&d->by_id, buf_slice(&d->key), sizeof(struct define_known))
	    : NULL;
}

/* Adds a new measure under its name.  Returns false when memory runs out. */
static bool
add_to_run(struct define *d, size_t measure)
{
	struct define_measure *m = &d->measure[measure];
	struct define_run *r = &d->run[m->run];
	struct define_known *k = named(d, m->run, m->name);

	if (k == NULL)
		return false;
	m->next_in_run = TAB_NONE;
	if (m->defined != 0 && slice_is_nothing(m->stream_id))
		k->latest = measure;
	if (r->measures.first == TAB_NONE)
		r->measures.first = measure;
	else
		d->measure[r->measures.last].next_in_run = measure;
	r->measures.last = measure;
	return true;
}

/* Adds a measure under its source id, once it has one, and again when it is defined. */
static bool
add_id(struct define *d, size_t measure)
{
	const struct define_measure *m = &d->measure[measure];
	struct define_known *k;

	if (slice_is_nothing(m->stream_id))
		return true;
	k = with_id(d, m->run, m->stream_id);
	if (k == NULL)
		return false;
	if (k->owner == TAB_NONE)
		k->owner = measure;
	if (k->latest == TAB_NONE || m->defined > d->measure[k->latest].defined)
		k->latest = measure;
	return true;
}

bool
define_put_in_force(struct define *d, size_t measure)
{
	const struct define_measure *m = &d->measure[measure];
	struct define_known *k;

	/*
	 * an unsettled measure will usually get that id; if not, putting it in force does no harm
	 */
	if (m->id.len != 0 ? !define_same_id(m->id, m->stream_id) : !define_is_id(m->stream_id))
		return true;
	k = with_id(d, m->run, m->stream_id);
	if (k == NULL)
		return false;
	if (k->in_force != TAB_NONE)
		d->measure[k->in_force].state.superseded = true;
	k->in_force = measure;
	return true;
}

static bool
open_key(struct buf *b, size_t run, struct slice name, struct slice unit, struct slice id)
{
	return name_key(b, run, name) && buf_putc(b, '\t') && buf_put(b, unit.p, unit.len) &&
	    buf_putc(b, '\t') && buf_put(b, id.p, id.len);
}

static bool
list_append(struct define_open *o, struct define_list *list, size_t measure)
{
	size_t n = o->n;

	if (!vec_room(o->entry, n, o->cap))
		return false;
	o->entry[n] = (struct define_open_entry){ measure, TAB_NONE };
	if (list->first == TAB_NONE)
		list->first = n;
	else
		o->entry[list->last].next = n;
	list->last = n;
	o->n++;
	return true;
}

/*
 * Adds a measure that no line has defined, under its unit and id and under ANY.  Call it again when
 * data have given its unit or id.  Lookups skip entries that have since been defined or have
 * another unit or id.  Returns false when memory runs out.
 */
static bool
open_add(struct define *d, size_t measure)
{
	const struct define_measure *m = &d->measure[measure];
	struct define_list *list;
	int i;

	for (i = 0; i < 4; i++) {
		if (!open_key(&d->key, m->run, m->name, (i & 1) != 0 ? m->unit : ANY,
			(i & 2) != 0 ? m->stream_id : ANY))
			return false;
		list = entry_of(&d->open.lists, buf_slice(&d->key), sizeof *list);
		if (list == NULL || !list_append(&d->open, list, measure))
			return false;
	}
	return true;
}

static bool
is_any_or(struct slice wanted, struct slice has)
{
	return slice_eq(wanted, ANY) || slice_eq(wanted, has);
}

/*
 * Returns true if a line with this unit and id may mean the measure.  One that leaves both open
 * does not mean values that have no unit, since it has the unit of a measure line, which may still
 * come.
 */
static bool
fits(const struct define_measure *m, struct slice unit, struct slice id)
{
	bool open = slice_eq(unit, ANY) && (slice_eq(id, ANY) || slice_is_nothing(id));

	return is_any_or(unit, m->unit) && is_any_or(id, m->stream_id) &&
	    !(open && slice_eq(m->unit, DEFINE_NO_UNIT));
}

/*
 * Returns the first measure of the list that still belongs there, and drops the measures before it.
 */
static size_t
first_of(struct define *d, struct define_list *list, struct slice unit, struct slice id)
{
	const struct define_measure *m;

	for (; list->first != TAB_NONE; list->first = d->open.entry[list->first].next) {
		m = &d->measure[d->open.entry[list->first].measure];
		if (m->defined == 0 && fits(m, unit, id))
			return d->open.entry[list->first].measure;
	}
	return TAB_NONE;
}

/*
 * Finds an undefined measure with this unit and id, either of which may not be known yet (".").
 * The same input gives the same measure.  *measure is TAB_NONE if there is none.  Returns false
 * when memory runs out.
 */
static bool
open_first(struct define *d, size_t run, struct slice name, struct slice unit, struct slice id,
    size_t *measure)
{
	const struct slice units[] = { unit, SLICE(".") }, ids[] = { id, SLICE(".") };
	size_t i, n, found;

	*measure = TAB_NONE;
	for (i = 0; i < 4; i++) {
		if (!open_key(&d->key, run, name, units[i & 1], ids[i >> 1]))
			return false;
		n = tab_find(&d->open.lists.keys, buf_slice(&d->key));
		found = n == TAB_NONE
		    ? TAB_NONE
		    : first_of(d, entry_at(&d->open.lists, n, sizeof(struct define_list)),
			  units[i & 1], ids[i >> 1]);
		if (found < *measure)
			*measure = found;
	}
	return true;
}

void
define_free(struct define *d)
{
	tab_free(&d->text);
	tab_free(&d->run_names);
	tab_free(&d->alias.names);
	mem_free(d->alias.of);
	free_known(d);
	ids_free(&d->ids.runs);
	ids_free(&d->ids.types);
	buf_free(&d->key);
	mem_free(d->run);
	mem_free(d->measure);
	*d = (struct define){ 0 };
}

bool
define_is_long_time(struct slice s)
{
	return s.len > NUMBER_SMALL_DIGITS && s.len <= DEFINE_TIME_MAX && s.p[0] != '-' &&
	    s.p[0] != '0' && num_is_integer(s);
}

bool
define_time_scaled(const struct define_run *run, struct slice *time)
{
	uint64_t v;
	size_t i;

	if (run->unit->zeros != 0 && !slice_eq(*time, SLICE("0"))) {
		if (time->len <= run->unit->zeros)
			return false;
		for (i = 1; i <= run->unit->zeros; i++)
			if (time->p[time->len - i] != '0')
				return false;
		time->len -= run->unit->zeros;
	}
	return time->len < 20 || num_get_u64(*time, &v); /* the largest number has 20 digits */
}

void
define_time_set(struct define_time *t, struct slice s)
{
	(void)short_copy(t->digits, s.p, s.len);
	t->len = (uint8_t)s.len;
}

static struct define_run
undeclared(struct slice name)
{
	return (struct define_run){ .name = name,
		.tags = { "", 0 },
		.unit = afperf_time_unit(SLICE("ns")),
		.measures = { TAB_NONE, TAB_NONE } };
}

size_t
define_run_named(struct define *d, struct slice name)
{
	bool fresh;
	size_t n = define_run_again(d, name);

	if (n != TAB_NONE)
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
 * Reads the time unit of a run from an AFPerf file and, if it was blank, its id.  Both are written
 * as they were in that file.
 */
static void
read_native(const struct define *d, struct define_run *r, const struct ev *ev)
{
	uint64_t n;
	uint64_t part[3];
	struct slice version;

	r->native = ev_tag(ev, SLICE("afperf"), &version);
	if (!r->native)
		return;
	r->minor = afperf_version_read(version, part) ? part[1] : 0;
	r->id = SLICE("");
	r->blank = !d->ids.number && define_is_blank(r->name, &n);
	r->unit = afperf_time_unit(ev_get(ev, SLICE("unit")));
}

enum define_result
define_run(struct define *d, const struct ev *ev, size_t *run)
{
	struct slice tags = ev->tags, time = ev->col[EV_TIME], wall;
	bool timed = !slice_is_nothing(time),
	     fresh = tab_find(&d->run_names, ev->col[EV_RUN]) == TAB_NONE;
	struct define_run *r;

	*run = define_run_named(d, ev->col[EV_RUN]);
	if (*run == TAB_NONE)
		return DEFINED_NOMEM;
	r = &d->run[*run];
	if (fresh) /* otherwise earlier data have been written differently */
		read_native(d, r, ev);
	if (timed && !define_time_in_unit(r, &time)) {
		if (fresh) /* otherwise its data have been written without it */
			*r = undeclared(r->name);
		return DEFINED_UNTIMELY;
	}
	if (r->declared) {
		bool same = slice_eq(tags, r->tags) && timed == r->timed &&
		    (!timed || slice_eq(time, define_time_text(&r->start)));

		return same ? DEFINED_SAME : DEFINED_AGAIN;
	}
	if (!keep(d, &tags))
		return DEFINED_NOMEM;
	r->tags = tags;
	r->declared = true;
	r->timed = timed;
	if (timed)
		define_time_set(&r->start, time);
	else if (ev_tag_in(tags, SLICE("wall"), &wall)) /* it is the time of day at time 0 */
		define_time_set(&r->start, SLICE("0"));
	return DEFINED_NEW;
}

static size_t
add_measure(struct define *d, const struct define_measure *m)
{
	struct define_measure copy = *m;

	if (!vec_room(d->measure, d->measures, d->measures_cap) || !keep(d, &copy.name) ||
	    !keep(d, &copy.stream_id) || !keep(d, &copy.unit) || !keep(d, &copy.time) ||
	    !keep(d, &copy.summary) || !keep(d, &copy.description))
		return TAB_NONE;
	d->measure[d->measures] = copy;
	if (!add_to_run(d, d->measures) || !add_id(d, d->measures))
		return TAB_NONE;
	if (copy.defined == 0 && !open_add(d, d->measures))
		return TAB_NONE;
	return d->measures++;
}

static bool
alias_key(struct buf *b, const struct define_name *name)
{
	b->len = 0;
	return buf_put(b, &name->run, sizeof name->run) &&
	    buf_put(b, name->measure.p, name->measure.len) && buf_putc(b, '\t') &&
	    buf_put(b, name->unit.p, name->unit.len) && buf_putc(b, '\t') &&
	    buf_put(b, name->id.p, name->id.len);
}

static enum afperf_datatype
type_given(struct slice type, struct slice unit)
{
	if (slice_eq(type, SLICE("text")) ||
	    (slice_is_nothing(type) && slice_eq(unit, SLICE("text"))))
		return AFPERF_STRING;
	return afperf_datatype_named(type);
}

/*
 * Returns the datatype that a data line gives to a measure that no line has defined.  That its
 * value is a text says nothing of the others, which may be numbers.
 */
static enum afperf_datatype
type_of_line(const struct define_name *name)
{
	enum afperf_datatype type = type_given(name->type, name->unit);

	return type == AFPERF_STRING ? AFPERF_DATATYPES : type;
}

/*
 * Finds the measure of a name.  Fields that the name leaves open match anything.  Fields that are
 * open in the measure are set from the name.
 */
static size_t
resolve(struct define *d, const struct define_name *name)
{
	struct slice unit = name->unit, id = name->id;
	size_t n;

	if (!open_first(d, name->run, name->measure, slice_is_nothing(unit) ? ANY : unit,
		slice_is_nothing(id) ? ANY : id, &n) ||
	    !keep(d, &unit) || !keep(d, &id))
		return TAB_NONE;
	if (n != TAB_NONE) {
		struct define_measure *m = &d->measure[n];
		bool had_unit = !slice_is_nothing(m->unit),
		     had_id = !slice_is_nothing(m->stream_id);

		m->united |= had_unit == slice_is_nothing(unit);
		m->unit = had_unit ? m->unit : unit;
		m->stream_id = had_id ? m->stream_id : id;
		if (had_unit && had_id)
			return n;
		return (had_id || add_id(d, n)) && open_add(d, n) ? n : TAB_NONE;
	}
	return add_measure(d,
	    &(struct define_measure){ .run = name->run,
		.name = name->measure,
		.unit = name->unit,
		.stream_id = name->id,
		.time = SLICE("."),
		.summary = SLICE("."),
		.description = SLICE("."),
		.type = type_of_line(name) });
}

/*
 * Remembers the measure.  The next lines will name the same measures, and comparing texts is faster
 * than looking them up.
 */
static size_t
remember(struct define *d, const struct define_name *name, size_t alias)
{
	struct define_recent *r = &d->alias.recent[d->alias.next++ % DEFINE_RECENT];
	const char *p = d->alias.names.item[alias].p + sizeof name->run;

	r->run = name->run;
	r->number = d->alias.of[alias];
	r->measure = (struct slice){ p, name->measure.len };
	p += name->measure.len + 1;
	r->unit = (struct slice){ p, name->unit.len };
	r->id = (struct slice){ p + name->unit.len + 1, name->id.len };
	r->bare = slice_is_nothing(name->unit) && slice_is_nothing(name->id);
	return r->number;
}

/* Returns the number of the alias, creating it if necessary, or TAB_NONE if memory runs out. */
static size_t
alias(struct define *d, const struct define_name *name, struct buf *scratch, bool *fresh)
{
	size_t n = alias_key(scratch, name) ? tab_add(&d->alias.names, buf_slice(scratch), fresh)
					    : TAB_NONE;

	if (n != TAB_NONE && *fresh && !vec_room(d->alias.of, n, d->alias.cap))
		return TAB_NONE;
	return n;
}

/* Returns whether AFPerf has this unit for values without one; see define_measure_unit. */
static bool
stands_for_none(struct slice unit)
{
	return slice_eq(unit, SLICE("count")) || slice_eq(unit, SLICE("text")) ||
	    slice_eq(unit, SLICE("-"));
}

/*
 * Makes all names that match a measure refer to it, with or without unit and id, now that it is
 * defined.  Results without a unit that were kept in AFPerf have the id of a measure with one.
 */
static bool
name_defined(struct define *d, size_t measure)
{
	const struct define_measure *m = &d->measure[measure];
	const struct slice none = SLICE("."), units[] = { none, m->unit, DEFINE_NO_UNIT };
	struct define_name name = { m->run, m->name, none, none, none };
	size_t n, i, names = stands_for_none(m->unit) && !slice_is_nothing(m->stream_id) ? 6 : 4;
	bool fresh;

	memset(d->alias.recent, 0, sizeof d->alias.recent);
	for (i = 0; i < names; i++) {
		name.unit = units[i / 2];
		name.id = i % 2 != 0 ? m->stream_id : none;
		if (i == 4) /* without an id, a value without a unit is of another measure */
			continue;
		n = alias(d, &name, &d->key, &fresh);
		if (n == TAB_NONE)
			return false;
		d->alias.of[n] = measure;
	}
	return true;
}

/* Compares units or ids, which most lines do not have. */
static inline bool
same_word(struct slice a, struct slice b)
{
	return slice_is_nothing(a) ? slice_is_nothing(b) : short_eq(a, b);
}

size_t
define_measure_named(struct define *d, const struct define_name *name, struct buf *scratch)
{
	bool fresh;
	size_t n, m, i;

	for (i = 0; i < DEFINE_RECENT; i++) {
		const struct define_recent *r = &d->alias.recent[i];

		if (r->run == name->run && short_eq(r->measure, name->measure) &&
		    same_word(r->id, name->id) && same_word(r->unit, name->unit))
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
	d->alias.of[n] = m;
	return remember(d, name, n);
}

/* Returns whether the measure may have a text, or a number. */
static bool
may_have(const struct define_measure *m, bool text)
{
	if (afperf_holds_texts(m->type))
		return text;
	return m->type != AFPERF_DATATYPES || m->state.seen == 0 ||
	    ((m->state.seen & SEEN_TEXT) != 0) == text;
}

size_t
define_measure_for(struct define *d, size_t measure, bool text)
{
	struct define_measure twin = d->measure[measure];
	struct define_known *k;
	size_t latest, n;

	if (may_have(&twin, text))
		return measure;
	if (twin.twin != 0)
		return twin.twin - 1;
	k = named(d, twin.run, twin.name);
	if (k == NULL)
		return TAB_NONE;
	latest = k->latest;
	twin.type = AFPERF_DATATYPES;
	if (stands_for_none(twin.unit))
		twin.unit = DEFINE_NO_UNIT;
	twin.stream_id = SLICE(".");
	twin.id = SLICE("");
	twin.defined = ++d->definitions; /* it has no measure line that may still come */
	twin.in_place = false;
	twin.state = (struct define_state){ 0 };
	n = add_measure(d, &twin); /* K stays where it is: the name is there */
	if (n == TAB_NONE)
		return TAB_NONE;
	k->latest = latest;
	d->measure[measure].twin = n + 1;
	return n;
}

static bool
same_definition(const struct define_measure *a, const struct define_measure *b)
{
	return slice_eq(a->name, b->name) && slice_eq(a->stream_id, b->stream_id) &&
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
read_definition(struct define *d, const struct ev *ev, struct define_measure *m)
{
	*m = (struct define_measure){
		.run = define_run_named(d, ev->col[EV_RUN]),
		.name = ev->col[EV_MEASURE],
		.time = ev->col[EV_TIME],
		.stream_id = tag_or_nothing(ev, SLICE("id")),
		.unit = tag_or_nothing(ev, SLICE("unit")),
		.summary = tag_or_nothing(ev, SLICE("summary")),
		.description = tag_or_nothing(ev, SLICE("description")),
		.defined = ++d->definitions,
	};
	if (slice_is_nothing(m->unit))
		m->unit = DEFINE_NO_UNIT;
	m->type = type_given(tag_or_nothing(ev, SLICE("type")), m->unit);
	if (slice_is_nothing(m->stream_id))
		m->stream_id = tag_or_nothing(ev, SLICE("mid"));
	return m->run != TAB_NONE;
}

/* Fills in the entry of a measure that data lines named before its measure line came. */
static bool
fill_in(struct define *d, size_t number, const struct define_measure *m)
{
	struct define_measure copy = *m, *known = &d->measure[number];
	struct define_known *k;

	if (!keep(d, &copy.stream_id) || !keep(d, &copy.unit) || !keep(d, &copy.time) ||
	    !keep(d, &copy.summary) || !keep(d, &copy.description))
		return false;
	copy.name = known->name;
	copy.state = known->state;
	copy.twin = known->twin;
	copy.next_in_run = known->next_in_run;
	*known = copy;
	k = named(d, copy.run, copy.name);
	if (k == NULL)
		return false;
	if (slice_is_nothing(copy.stream_id))
		k->latest = number;
	return add_id(d, number) && name_defined(d, number);
}

/*
 * Finds the measure that data lines have named and this line describes or, if there is none, the
 * last measure that the line redefines.
 */
static bool
find_defined(struct define *d, const struct define_measure *m, size_t *filled, size_t *last)
{
	const struct define_known *k;

	*last = TAB_NONE;
	if (!open_first(d, m->run, m->name, m->unit, m->stream_id, filled))
		return false;
	if (*filled != TAB_NONE)
		return true;
	if (!slice_is_nothing(m->stream_id)) {
		k = with_id(d, m->run, m->stream_id);
		*last = k == NULL ? TAB_NONE : k->latest;
		return k != NULL;
	}
	k = named(d, m->run, m->name);
	if (k == NULL)
		return false;
	*last = k->latest;
	return *last != TAB_NONE || open_first(d, m->run, m->name, ANY, m->stream_id, last);
}

/*
 * Settles the type.  The record of the measure precedes its values, so a missing type becomes the
 * previous type, or a type that holds any value.
 */
static void
settle_type(struct define_measure *m, const struct define_measure *before)
{
	if (m->type == AFPERF_DATATYPES)
		m->type = before->type;
	if (m->type == AFPERF_DATATYPES)
		m->type = AFPERF_STRING;
}

/* Marks the last measure, and the measure with the id, as no longer in force. */
static bool
supersede(struct define *d, const struct define_measure *m, size_t last)
{
	const struct define_known *k;

	d->measure[last].state.superseded = true;
	if (slice_is_nothing(m->stream_id))
		return true;
	k = with_id(d, m->run, m->stream_id);
	if (k != NULL && k->owner != TAB_NONE)
		d->measure[k->owner].state.superseded = true;
	return k != NULL;
}

enum define_result
define_measure(struct define *d, const struct ev *ev, size_t *measure)
{
	struct define_measure m;
	size_t last;

	*measure = TAB_NONE;
	if (!read_definition(d, ev, &m))
		return DEFINED_NOMEM;
	if (!slice_is_nothing(m.time) && !define_time_in_unit(&d->run[m.run], &m.time))
		return DEFINED_UNTIMELY;
	if (!find_defined(d, &m, measure, &last))
		return DEFINED_NOMEM;
	if (*measure != TAB_NONE)
		return fill_in(d, *measure, &m) ? DEFINED_NEW : DEFINED_NOMEM;
	if (last != TAB_NONE && same_definition(&d->measure[last], &m)) {
		*measure = last;
		return DEFINED_SAME;
	}
	*measure = add_measure(d, &m);
	if (*measure == TAB_NONE || !name_defined(d, *measure))
		return DEFINED_NOMEM;
	d->measure[*measure].in_place = last != TAB_NONE &&
	    (d->run[m.run].native ||
		(d->measure[last].state.used && !slice_is_nothing(m.stream_id)));
	if (d->measure[*measure].in_place) {
		if (!supersede(d, &m, last))
			return DEFINED_NOMEM;
		settle_type(&d->measure[*measure], &d->measure[last]);
	}
	return d->measure[*measure].in_place ? DEFINED_AGAIN : DEFINED_NEW;
}

static bool
keep_id(struct define *d, uint64_t hash, struct slice *id)
{
	char text[NUM_MAX];

	*id = (struct slice){ text, spell(d->ids.spelling, hash, text) };
	return keep(d, id);
}

/* The outcome of trying to take an id.  It can be taken only if it is free. */
enum take { TAKE_DONE, TAKE_OURS, TAKE_THEIRS, TAKE_NOMEM };

static enum take
take_id(struct ids *t, size_t owner, uint64_t id)
{
	struct ids_entry *e = ids_get(t, (uint32_t)owner, id, false);

	if (e == NULL)
		return TAKE_NOMEM;
	if (e->state != IDS_AWAITED)
		return e->state == IDS_OPEN ? TAKE_THEIRS : TAKE_OURS;
	e->state = IDS_DONE;
	return TAKE_DONE;
}

/* A permutation of the 64-bit numbers that looks random (SplitMix64). */
static uint64_t
scattered(uint64_t n)
{
	n *= UINT64_C(0x9e3779b97f4a7c15);
	n = (n ^ n >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	n = (n ^ n >> 27) * UINT64_C(0x94d049bb133111eb);
	return n ^ n >> 31;
}

/*
 * Takes the hash as the id or, if that is in use, the next spare id.  Spare ids do not depend on
 * the hash, and each is tried once, so the time is never quadratic, whatever the names.
 */
static bool
take_hash(struct define *d, struct ids *t, size_t owner, uint64_t hash, struct slice *id)
{
	enum take took = take_id(t, owner, hash);

	while (took == TAKE_OURS || took == TAKE_THEIRS) {
		hash = scattered(++d->ids.spare);
		took = take_id(t, owner, hash);
	}
	return took == TAKE_DONE && keep_id(d, hash, id);
}

/*
 * Sets the id of a run whose name is not an id to a hash of the name.  So the same recording
 * clashes if it is appended again.
 */
static bool
settle_name(struct define *d, struct define_run *r, uint64_t hash)
{
	const struct ids_entry *e = ids_get(&d->ids.runs, 0, hash, false);

	if (e == NULL)
		return false;
	if (e->state == IDS_OPEN) {
		if (!d->ids.renumber)
			d->ids.clash = r->name;
		d->ids.renumbered += d->ids.renumber;
	}
	return take_hash(d, &d->ids.runs, 0, hash, &r->id);
}

/*
 * Sets the id of the pool, which depends on the ids of the pooled runs but not on their order, so
 * that it is the same when they come back from a file.
 */
static bool
settle_pool(struct define *d, struct define_run *pool)
{
	uint64_t hash = XXH64(pool->name.p, pool->name.len, 0), v;
	char digits[NUM_MAX];
	struct slice id;
	size_t i;

	for (i = 0; i < d->runs; i++) {
		if (&d->run[i] == pool)
			continue;
		if (!define_settle_run(d, i))
			return false;
		id = d->run[i].blank ? d->run[i].name : d->run[i].id;
		if (get_id(id, &v)) /* however it is spelled */
			id = (struct slice){ digits, num_put_u64(digits, v) };
		hash ^= XXH64(id.p, id.len, 1);
	}
	return settle_name(d, pool, hash);
}

bool
define_settle_run(struct define *d, size_t run)
{
	struct define_run *r = &d->run[run];
	char text[NUM_MAX];
	uint64_t v;
	enum take took;

	if (r->id.len != 0 || r->blank)
		return true;
	if (slice_is_nothing(r->name))
		return settle_pool(d, r);
	if (!get_id(r->name, &v) && !(d->ids.number && r->native && define_is_blank(r->name, &v)))
		return settle_name(d, r, XXH64(r->name.p, r->name.len, 0));
	took = take_id(&d->ids.runs, 0, v);
	if (took == TAKE_NOMEM)
		return false;
	if (took == TAKE_DONE || (took == TAKE_THEIRS && !d->ids.renumber)) {
		if (took == TAKE_THEIRS)
			d->ids.clash = r->name;
		r->id = spelled(d->ids.spelling, r->name, text);
		if (r->name.p[0] == '@')
			r->id = (struct slice){ text,
				d->ids.spelling == AFPERF_HEX ? num_put_hex(text, v)
							      : num_put_u64(text, v) };
		return keep(d, &r->id);
	}
	d->ids.renumbered++;
	r->renumbered = true;
	return take_hash(d, &d->ids.runs, 0, XXH64(r->name.p, r->name.len, 0), &r->id);
}

bool
define_settle_measure(struct define *d, size_t measure)
{
	struct define_measure *m = &d->measure[measure];
	struct slice run = d->run[m->run].name;
	char text[NUM_MAX];
	enum take took;
	uint64_t v;

	if (m->id.len != 0)
		return true;
	if (get_id(m->stream_id, &v)) {
		const struct define_known *k = with_id(d, m->run, m->stream_id);

		took = k == NULL                         ? TAKE_NOMEM
		    : k->owner == measure || m->in_place ? take_id(&d->ids.types, m->run, v)
							 : TAKE_OURS;
		if (took == TAKE_NOMEM)
			return false;
		/*
		 * a measure line may redefine a type whose data have been written; nothing else may
		 */
		if (took == TAKE_DONE || m->in_place) {
			m->id = spelled(d->ids.spelling, m->stream_id, text);
			return keep(d, &m->id);
		}
	}
	return take_hash(d, &d->ids.types, m->run,
	    XXH64(m->name.p, m->name.len, XXH64(run.p, run.len, 0)), &m->id);
}

/* The definitions of all measures with the same name, and what differs among them. */
struct agreed {
	const struct define_measure *last;
	bool differ; /* the datatype or the unit */
	bool summaries, descriptions;
};

static void
compare(struct agreed *a, const struct define_measure *m)
{
	if (a->last != NULL) {
		a->differ |= a->last->type != m->type || !slice_eq(a->last->unit, m->unit);
		a->summaries |= !slice_eq(a->last->summary, m->summary);
		a->descriptions |= !slice_eq(a->last->description, m->description);
	}
	a->last = m;
}

/* A text that is true of some runs only would be taken for one about all of them. */
static void
inherit(struct define *d, const struct agreed *a, struct define_measure *m)
{
	if (a->last == NULL || a->differ)
		return;
	m->type = m->type == AFPERF_DATATYPES ? a->last->type : m->type;
	m->unit = slice_is_nothing(m->unit) ? a->last->unit : m->unit;
	if (!a->summaries)
		m->summary = a->last->summary;
	if (!a->descriptions)
		m->description = a->last->description;
	d->undescribed += a->summaries || a->descriptions;
}

/* Values that are known to have no unit are those of another quantity. */
static bool
is_heir(const struct define *d, const struct define_measure *m)
{
	return m->defined == 0 && slice_is_nothing(d->run[m->run].name) &&
	    !slice_eq(m->unit, DEFINE_NO_UNIT);
}

bool
define_inherit(struct define *d)
{
	struct tab names = { 0 };
	struct agreed *agreed = mem_zero(d->measures + 1, sizeof *agreed);
	bool ok = agreed != NULL;
	size_t i, n;

	for (i = 0; ok && i < d->measures; i++)
		if (is_heir(d, &d->measure[i]))
			ok = tab_add(&names, d->measure[i].name, NULL) != TAB_NONE;
	for (i = 0; ok && i < d->measures; i++) {
		const struct define_measure *m = &d->measure[i];

		n = m->defined == 0 ? TAB_NONE : tab_find(&names, m->name);
		if (n == TAB_NONE)
			continue;
		compare(&agreed[n], m);
	}
	for (i = 0; ok && i < d->measures; i++)
		if (is_heir(d, &d->measure[i]))
			inherit(d, &agreed[tab_find(&names, d->measure[i].name)], &d->measure[i]);
	mem_free(agreed);
	tab_free(&names);
	return ok;
}

enum afperf_datatype
define_measure_type(const struct define_measure *m)
{
	enum afperf_datatype type = m->type;

	if (type == AFPERF_DATATYPES)
		type = AFPERF_BOOL; /* the narrowest type; widened below for the values seen */
	else if (m->state.seen == 0)
		return type;
	if ((m->state.seen & SEEN_TEXT) != 0 && !define_type_holds(type, SEEN_TEXT))
		return AFPERF_STRING;
	if ((m->state.seen & SEEN_DOUBLE) != 0 && !define_type_holds(type, SEEN_DOUBLE))
		return AFPERF_DOUBLE;
	return type > AFPERF_INT64 ? type : AFPERF_INT64;
}

struct slice
define_measure_unit(const struct define *d, const struct define_measure *m)
{
	enum afperf_datatype type = define_measure_type(m);
	bool no_unit = slice_eq(m->unit, DEFINE_NO_UNIT) || slice_is_nothing(m->unit);
	/* the format forbids it, but readers accept it, so a file that has it keeps it */
	bool text = type == AFPERF_ENUM && d->run[m->run].native;

	if (type == AFPERF_STRING)
		return no_unit || slice_eq(m->unit, SLICE("count")) ? SLICE("text")
								    : afperf_short_unit(m->unit);
	if (!no_unit && (text || !slice_eq(m->unit, SLICE("text"))) &&
	    (type != AFPERF_ENUM || !slice_eq(m->unit, SLICE("count"))))
		return afperf_short_unit(m->unit);
	return type == AFPERF_BOOL || type == AFPERF_ENUM ? SLICE("-") : SLICE("count");
}
