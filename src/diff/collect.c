/* SPDX-License-Identifier: ISC */
/* collect.c - the results of the runs of both sides, from their lines. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/keys.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/vec.h"
#include "src/diff/diffint.h"

#define SHOWN_MAX 60 /* bytes of a text in a message */

struct diff *
diff_new(const struct diff_settings *x)
{
	struct diff *d = mem_zero(1, sizeof *d);

	if (d == NULL)
		return NULL;
	d->x = x;
	d->chance = chance_new(x->confidence, x->seed);
	if (d->chance != NULL)
		return d;
	mem_free(d);
	return NULL;
}

void
diff_free(struct diff *d)
{
	enum diff_side side;

	for (side = 0; side < DIFF_SIDES; side++) {
		tab_free(&d->side[side].schemas);
		tab_free(&d->side[side].runs);
		units_free(&d->side[side].units);
		mem_free(d->side[side].extent);
		mem_free(d->kept[side]);
	}
	tab_free(&d->families);
	tab_free(&d->groups);
	tab_free(&d->members);
	tab_free(&d->measured);
	mem_free(d->family);
	mem_free(d->group);
	mem_free(d->result);
	mem_free(d->member);
	mem_free(d->has_result);
	mem_free(d->effect);
	mem_free(d->rank);
	mem_free(d->item);
	mem_free(d->tag);
	mem_free(d->moved);
	buf_free(&d->text);
	buf_free(&d->name);
	buf_free(&d->apart);
	buf_free(&d->scattered);
	buf_free(&d->fixed);
	chance_free(d->chance);
	mem_free(d);
}

/* Returns true for a key that is not compared.  It may be in the list twice. */
static bool
is_ignored(struct diff *d, struct slice key)
{
	struct slice list = d->x->ignore, name;
	bool found = false;
	size_t i;

	for (i = 0; slice_cut(&list, ',', &name); i++)
		if (slice_eq(key, name)) {
			d->ignored |= (uint64_t)1 << i;
			found = true;
		}
	return found;
}

struct slice
diff_field(struct slice *rest)
{
	struct slice field;

	(void)slice_cut(rest, '\t', &field);
	return field;
}

/* Appends the text after a TAB. */
static bool
add_field(struct buf *b, struct slice s)
{
	return buf_putc(b, '\t') && buf_put(b, s.p, s.len);
}

/*
 * Counts a run of a side, measure and unit.  Returns their number in d->measured, or TAB_NONE if
 * memory runs out.
 */
static size_t
count_run(struct diff *d, enum diff_side side, struct slice measure, struct slice unit,
    struct slice run)
{
	struct buf *b = &d->name;
	size_t member, number;
	bool fresh;

	b->len = 0;
	if (!buf_putc(b, (char)('0' + side)) || !add_field(b, measure) || !add_field(b, unit))
		return TAB_NONE;
	member = tab_add(&d->members, buf_slice(b), NULL);
	if (member == TAB_NONE || !vec_room_zero(d->member, member, d->members_cap) ||
	    !add_field(b, run))
		return TAB_NONE;
	number = tab_add(&d->measured, buf_slice(b), &fresh);
	if (number == TAB_NONE || !vec_room_zero(d->has_result, number, d->has_cap))
		return TAB_NONE;
	d->member[member].runs += fresh;
	return number;
}

static int
add_run(struct lone *l, struct slice run, size_t *number, struct err *e)
{
	bool fresh;

	*number = tab_add(&l->runs, run, &fresh);
	if (*number == TAB_NONE || !vec_room_zero(l->extent, *number, l->extents_cap))
		return err_nomem(e);
	l->declared += fresh && !slice_is_nothing(run);
	return 0;
}

static int
declare(struct diff *d, enum diff_side side, const struct ev *ev, struct err *e)
{
	struct lone *l = &d->side[side];
	struct slice unit = ev_get(ev, SLICE("unit")), run = ev->col[EV_RUN];
	size_t number;

	if (!units_declare(&l->units, ev))
		return err_nomem(e);
	if (slice_is_nothing(run))
		return 0;
	if (count_run(d, side, ev->col[EV_MEASURE], unit, run) == TAB_NONE)
		return err_nomem(e);
	return add_run(l, run, &number, e); /* it may have no run line */
}

static void
widen(struct extent *x, struct slice text)
{
	struct wide t;

	if (slice_is_nothing(text) || wide_get(text, &t) != WIDE_OK)
		return;
	if (!x->set || wide_cmp(t, x->from) < 0)
		x->from = t;
	if (!x->set || wide_cmp(t, x->to) > 0)
		x->to = t;
	x->set = true;
}

static int
compare_tags(const void *a, const void *b)
{
	const struct ev_tag *x = a, *y = b;
	int c = slice_cmp(x->key, y->key);

	return c != 0 ? c : slice_cmp(x->value, y->value);
}

/* Finds the keys of a group, sorted.  Returns false if memory runs out. */
static bool
find_keys(struct diff *d, const struct ev *ev, size_t *n)
{
	static const struct slice others[] = { SLICE_INIT("omitted"), SLICE_INIT("late") };
	struct slice rest = ev->tags;
	struct ev_tag tag;

	*n = 0;
	while (ev_next_tag(&rest, &tag)) {
		if (tag.key.len == 0 || keys_is_of_result(ev, tag.key) ||
		    SLICE_AMONG(tag.key, others) || is_ignored(d, tag.key))
			continue;
		if (!vec_room(d->tag, *n, d->tag_cap))
			return false;
		d->tag[(*n)++] = tag;
	}
	if (*n > 1)
		qsort(d->tag, *n, sizeof *d->tag, compare_tags);
	return true;
}

/* Adds the names of the keys to those of the side.  Returns TAB_NONE if memory runs out. */
static size_t
add_schema(struct diff *d, struct lone *l, size_t n)
{
	size_t i;

	d->name.len = 0;
	for (i = 0; i < n; i++)
		if ((i > 0 && !buf_putc(&d->name, ',')) ||
		    !buf_put(&d->name, d->tag[i].key.p, d->tag[i].key.len))
			return TAB_NONE;
	return tab_add(&l->schemas, n == 0 ? SLICE("") : buf_slice(&d->name), NULL);
}

/* Returns true for a key that is in a list with commas between them. */
static bool
is_in_list(struct slice list, struct slice key)
{
	struct slice name;

	while (slice_cut(&list, ',', &name))
		if (slice_eq(key, name))
			return true;
	return false;
}

bool
diff_divides_groups(const struct diff *d, struct slice key)
{
	/* what results have without being grouped by it, as they have the tags of their run line */
	static const struct slice others[] = { SLICE_INIT("time"), SLICE_INIT("mid") };
	enum diff_side side;
	size_t i;

	if (!SLICE_AMONG(key, others) && !ev_is_of_run(key) && !is_in_list(d->x->ignore, key))
		return false;
	for (side = 0; side < DIFF_SIDES; side++)
		for (i = 0; i < d->side[side].schemas.count; i++)
			if (is_in_list(d->side[side].schemas.item[i], key))
				return false;
	return true;
}

static bool
adds_up(struct slice stat)
{
	static const struct slice names[] = { SLICE_INIT("count"), SLICE_INIT("sum"),
		SLICE_INIT("share"), SLICE_INIT("rate"), SLICE_INIT("hist") };

	return SLICE_AMONG(stat, names);
}

struct slice
diff_unit(struct diff *d, enum diff_side side, const struct ev *ev)
{
	return units_of(&d->side[side].units, ev);
}

/* Finds the family of the line.  d->text is then its text.  Returns TAB_NONE if memory runs out. */
static size_t
find_family(struct diff *d, enum diff_side side, const struct ev *ev)
{
	const struct slice part[FAMILY_PARTS] = {
		[PART_MEASURE] = ev->col[EV_MEASURE],
		[PART_TYPE] = ev_get(ev, SLICE("type")),
		[PART_UNIT] = diff_unit(d, side, ev),
		[PART_OF] = ev_get(ev, SLICE("of")),
		[PART_WINDOWS] = ev_get(ev, SLICE("windows")),
		[PART_STAT] = ev_get(ev, SLICE("stat")),
		[PART_METHOD] = ev_get(ev, SLICE("percentile")),
	};
	struct slice rest;
	struct family *f;
	size_t i, number, counted;
	bool fresh;

	d->text.len = 0;
	for (i = 0; i < FAMILY_PARTS; i++)
		if ((i > 0 && !buf_putc(&d->text, '\t')) ||
		    !buf_put(&d->text, part[i].p, part[i].len))
			return TAB_NONE;
	number = tab_add(&d->families, buf_slice(&d->text), &fresh);
	counted = count_run(d, side, part[PART_MEASURE], part[PART_UNIT], ev->col[EV_RUN]);
	if (number == TAB_NONE || counted == TAB_NONE ||
	    !vec_room_zero(d->family, number, d->family_cap))
		return TAB_NONE;
	d->has_result[counted] = true;
	f = &d->family[number];
	f->seen[side] = true;
	if (!fresh)
		return number;
	rest = d->families.item[number];
	for (i = 0; i < FAMILY_PARTS; i++)
		f->part[i] = diff_field(&rest);
	f->adds = adds_up(f->part[PART_STAT]);
	return number;
}

/* Finds the group of the line.  Returns TAB_NONE if memory runs out. */
static size_t
find_group(struct diff *d, enum diff_side side, const struct ev *ev)
{
	struct lone *l = &d->side[side];
	size_t family = find_family(d, side, ev), n, i, number, form;
	struct group *g;

	if (family == TAB_NONE || !find_keys(d, ev, &n) ||
	    (form = add_schema(d, l, n)) == TAB_NONE || !add_field(&d->text, ev->col[EV_REGION]))
		return TAB_NONE;
	for (i = 0; i < n; i++)
		if (!add_field(&d->text, d->tag[i].key) || !buf_putc(&d->text, '=') ||
		    !buf_put(&d->text, d->tag[i].value.p, d->tag[i].value.len))
			return TAB_NONE;
	number = tab_add(&d->groups, buf_slice(&d->text), NULL);
	if (number == TAB_NONE || !vec_room_zero(d->group, number, d->group_cap))
		return TAB_NONE;
	g = &d->group[number];
	g->family = (uint32_t)family;
	g->form[side] = (uint32_t)form;
	g->has_region = !slice_is_nothing(ev->col[EV_REGION]);
	l->has_region = l->has_region || g->has_region;
	return number;
}

/* Reads the numbers of a line. */
static int
read_numbers(struct diff *d, struct result *r, const struct ev *ev, struct err *e)
{
	struct slice value = ev->col[EV_VALUE], text;

	if (slice_is_nothing(value))
		r->missing = true;
	else if (!num_get_double(value, &r->value))
		return err_line(e, ev->number, "value \"%.*s\" is not a number",
		    slice_shown(value, SHOWN_MAX), value.p);
	if (!r->missing && !(fabs(r->value) <= DIFF_VALUE_MAX)) {
		r->missing = true;
		d->odd++;
	}
	r->overlaps = ev_tag(ev, SLICE("total"), &text) || ev_is_of_whole(ev);
	if (ev_tag(ev, SLICE("total"), &text) && !slice_is_nothing(text)) {
		if (!num_get_double(text, &r->total))
			return err_line(e, ev->number, "total \"%.*s\" is not a number",
			    slice_shown(text, SHOWN_MAX), text.p);
		r->has_total = true;
	}
	r->has_n = ev_tag(ev, SLICE("n"), &text);
	if (r->has_n && !num_get_u64(text, &r->n))
		return err_line(e, ev->number, "n \"%.*s\" is not a number of events",
		    slice_shown(text, SHOWN_MAX), text.p);
	return 0;
}

static int
add_result(struct diff *d, enum diff_side side, const struct ev *ev, uint64_t matched,
    struct err *e)
{
	struct lone *l = &d->side[side];
	struct result r = { .side = side };
	size_t group, run;
	int rc;

	if (slice_is_nothing(ev_get(ev, SLICE("stat"))))
		return err_line(e, ev->number, "an aggregate without the tag stat");
	rc = read_numbers(d, &r, ev, e);
	if (rc != 0)
		return rc;
	rc = add_run(l, ev->col[EV_RUN], &run, e);
	if (rc != 0)
		return rc;
	group = find_group(d, side, ev);
	if (group == TAB_NONE || !vec_room(d->result, d->results, d->result_cap))
		return err_nomem(e);
	widen(&l->extent[run], ev->col[EV_TIME]);
	widen(&l->extent[run], ev_get(ev, SLICE("start")));
	l->pooled = l->pooled || slice_is_nothing(ev->col[EV_RUN]);
	l->overlaps = l->overlaps || r.overlaps;
	l->results++;
	d->group[group].matched |= matched;
	d->group[group].on[side] = true;
	r.group = (uint32_t)group;
	r.run = (uint32_t)run;
	d->result[d->results++] = r;
	return 0;
}

int
diff_line(struct diff *d, enum diff_side side, const struct ev *ev, uint64_t matched, struct err *e)
{
	struct slice kind = ev->col[EV_KIND];
	size_t run;

	if (slice_eq(kind, SLICE("agg")))
		return add_result(d, side, ev, matched, e);
	if (slice_eq(kind, SLICE("measure")))
		return declare(d, side, ev, e);
	if (slice_eq(kind, SLICE("run")) && !slice_is_nothing(ev->col[EV_RUN]))
		return add_run(&d->side[side], ev->col[EV_RUN], &run, e);
	if (slice_eq(kind, SLICE("sample")) || slice_eq(kind, SLICE("span")))
		d->side[side].events++;
	return 0;
}

/*
 * Several executions may have one id, and have been added up.  Results of different streams have
 * not: they are about different groups.
 */
void
diff_count_sources(struct diff *d, enum diff_side side, const struct evread *r, bool merged)
{
	struct lone *l = &d->side[side];
	size_t i;

	for (i = 0; i < l->runs.count; i++) {
		struct slice run = l->runs.item[i];
		uint64_t n = evread_sources(r, run, merged);

		if (slice_is_nothing(run))
			continue;
		n += n == 0; /* it has no run line */
		l->sources += n;
		if (l->each == 0 || n < l->each ||
		    (n == l->each && slice_cmp(run, l->each_run) < 0)) {
			l->each = n;
			l->each_run = run;
		}
	}
}

uint64_t
diff_results(const struct diff *d, enum diff_side side)
{
	return d->side[side].results;
}
