/* SPDX-License-Identifier: ISC */
/* aggregate.c - adds a line to its group. */
#include "src/aggregate/aggregate.h"

#include "src/aggregate/aggint.h"
#include "lib/hint.h"
#include "lib/kinds.h"
#include "lib/mem.h"
#include "lib/short.h"
#include "lib/vec.h"

#define GROUPS_FIRST ((size_t)64)
#define CACHE_LINE 64 /* the size of a struct group where pointers have 64 bits */

struct aggregate *
aggregate_new(void)
{
	struct aggregate *a = mem_zero(1, sizeof *a);

	if (a == NULL)
		return NULL;
	a->last_fate = AGGREGATE_DROP;
	a->last_run = MIXED;
	a->epoch = 1;
	return a;
}

void
aggregate_free(struct aggregate *a)
{
	size_t i;

	if (a == NULL)
		return;
	for (i = 0; i < a->groups.count && i < a->cap; i++)
		tally_free(&a->group[i].tally);
	tab_free(&a->groups);
	tab_free(&a->kinds);
	tab_free(&a->texts);
	tab_free(&a->runs.tab);
	tab_free(&a->mids.tab);
	tab_free(&a->raw);
	tab_free(&a->measures);
	units_free(&a->units);
	mem_free(a->says_unit);
	buf_free(&a->text);
	mem_free(a->group);
	mem_free(a->spread);
	mem_free(a);
}

static enum aggregate_fate
judge_kind(const struct aggregate *a, struct slice kind)
{
	const struct kind *known = kind_named(kind);

	if (tab_find(&a->kinds, kind) != TAB_NONE)
		return AGGREGATE_TAKE;
	if (slice_eq(kind, SLICE("measure")))
		return AGGREGATE_MEASURE;
	return known != NULL && !known->outlives ? AGGREGATE_DROP : AGGREGATE_PASS;
}

enum aggregate_fate
aggregate_fate(struct aggregate *a, const struct ev *ev)
{
	struct slice kind = ev->col[EV_KIND];

	if (short_eq(kind, a->last_kind))
		return a->last_fate;
	a->last_fate = judge_kind(a, kind);
	a->last_kind = (struct slice){ a->last_kind_text, 0 };
	if (kind.len <= sizeof a->last_kind_text) {
		memcpy(a->last_kind_text, kind.p, kind.len);
		a->last_kind.len = kind.len;
	}
	return a->last_fate;
}

const char aggregate_nothing[] = ".";

/* Of a repeated tag the first one counts. */
static void
take_tag(const struct places *at, struct slice tag, struct slice *place)
{
	size_t i;

	for (i = at->first[(unsigned char)*tag.p]; i != 0; i = at->next[i - 1]) {
		struct slice key = at->tag[i - 1];

		if (tag.len <= key.len || tag.p[key.len] != '=' ||
		    memcmp(tag.p, key.p, key.len) != 0)
			continue;
		if (place[i - 1].p == aggregate_nothing)
			place[i - 1] = (struct slice){ tag.p + key.len + 1, tag.len - key.len - 1 };
		return;
	}
}

/* Finds all wanted tags in one pass over the line. */
static void
find_tags(const struct places *at, const struct ev *ev, struct slice *place)
{
	size_t i;

	for (i = 0; i < at->ntags; i++)
		place[i] = (struct slice){ aggregate_nothing, 1 };
	for (i = 0; i < ev->ntags; i++) {
		const char *p = ev->base + ev->cut[i] + 1;

		if (at->first[(unsigned char)*p] != 0)
			take_tag(at, (struct slice){ p, ev->cut[i + 1] - ev->cut[i] - 1 }, place);
	}
}

/* The text at a place of the line: a column, or one of the tags found. */
static inline struct slice
text_at(const struct ev *ev, const struct slice *tag, size_t place)
{
	return place < EV_COLUMNS ? ev->col[place] : tag[place - EV_COLUMNS];
}

/* The texts at n places, TABs between, in a->text, with room for MORE bytes. */
static bool
join(struct aggregate *a, const struct ev *ev, const struct slice *tag, const size_t *at, size_t n,
    size_t more)
{
	size_t i, len = 0;
	char *p;

	for (i = 0; i < n; i++)
		len += text_at(ev, tag, at[i]).len + 1;
	a->text.len = 0;
	if (!buf_room(&a->text, len + more))
		return false;
	p = a->text.p;
	for (i = 0; i < n; i++) {
		struct slice s = text_at(ev, tag, at[i]);

		if (i > 0)
			*p++ = '\t';
		short_copy(p, s.p, s.len);
		p += s.len;
	}
	a->text.len = (size_t)(p - a->text.p);
	return true;
}

struct slice
aggregate_split(struct slice text, struct slice *part, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		const char *tab = memchr(text.p, '\t', text.len);

		part[i] = (struct slice){ text.p, tab == NULL ? text.len : (size_t)(tab - text.p) };
		text.p += part[i].len + (tab != NULL);
		text.len -= part[i].len + (tab != NULL);
	}
	return text;
}

int
aggregate_measure(struct aggregate *a, const struct ev *ev, struct err *e)
{
	a->epoch++;
	a->last_run = MIXED;
	return units_declare(&a->units, ev) ? 0 : err_nomem(e);
}

/* The identity of the line, which is in a->measure, with that unit; MIXED without memory. */
static uint32_t
add_measure(struct aggregate *a, struct slice unit, bool says_unit)
{
	size_t number, i;
	bool ok = true, fresh;

	if (!vec_room(a->says_unit, a->measures.count, a->measures_cap))
		return MIXED;
	a->text.len = 0;
	for (i = 0; ok && i < a->at.nidentity; i++) {
		struct slice s = i == ID_UNIT ? unit : a->measure[i];

		ok = (i == 0 || buf_putc(&a->text, '\t')) && buf_put(&a->text, s.p, s.len);
	}
	number = ok ? tab_add(&a->measures, buf_slice(&a->text), &fresh) : TAB_NONE;
	if (number == TAB_NONE)
		return MIXED;
	a->says_unit[number] = says_unit || (!fresh && a->says_unit[number]);
	return (uint32_t)number;
}

/* Looks up the last line's identity in the unit of its run.  MIXED without memory. */
static HINT_APART uint32_t
look_up(struct aggregate *a, const struct ev *ev, uint32_t run, struct resolved *r)
{
	bool says_unit = a->measure[ID_UNIT].p != aggregate_nothing;
	uint32_t number = add_measure(a, units_of(&a->units, ev), says_unit);
	struct slice part[IDENTITY];

	if (number == MIXED)
		return MIXED;
	(void)aggregate_split(a->measures.item[number], part, ID_UNIT + 1);
	*r = (struct resolved){ a->epoch, a->last_raw, run, number, part[ID_UNIT] };
	a->last_run = run;
	a->last_resolved = r;
	return number;
}

/* The number of what is measured: the last line's identity, in the unit of that run. */
static HINT_APART uint32_t
resolve(struct aggregate *a, const struct ev *ev, uint32_t run)
{
	struct resolved *r = &a->resolved[(run * 61 + a->last_raw) % RESOLVED];

	if (r->epoch != a->epoch || r->run != run || r->raw != a->last_raw)
		return look_up(a, ev, run, r);
	a->last_run = run;
	a->last_resolved = r;
	return r->number;
}

/* For an identity that differs from the last line's.  MIXED when there is no memory. */
static uint32_t
find_measure(struct aggregate *a, const struct ev *ev, const struct slice *tag, uint32_t run)
{
	struct slice unit = tag[a->at.identity[ID_UNIT] - EV_COLUMNS];
	bool none = unit.p != aggregate_nothing && slice_is_nothing(unit);
	size_t number, i;

	if (!join(a, ev, tag, a->at.identity, a->at.nidentity, 1))
		return MIXED;
	if (none)
		a->text.p[a->text.len++] = '\t';
	number = tab_add(&a->raw, buf_slice(&a->text), NULL);
	if (number == TAB_NONE)
		return MIXED;
	(void)aggregate_split(a->raw.item[number], a->measure, a->at.nidentity);
	for (i = 0; i < a->at.nidentity; i++)
		if (slice_is_nothing(a->measure[i]))
			a->measure[i].p = aggregate_nothing;
	if (none)
		a->measure[ID_UNIT] = SLICE("");
	a->last_raw = (uint32_t)number;
	return resolve(a, ev, run);
}

static inline uint32_t
number_of_measure(struct aggregate *a, const struct ev *ev, const struct slice *tag, uint32_t run)
{
	size_t i;

	if (!short_eq(ev->col[EV_MEASURE], a->measure[ID_MEASURE]))
		return find_measure(a, ev, tag, run);
	for (i = ID_MEASURE + 1; i < a->at.nidentity; i++)
		if (!short_eq(tag[a->at.identity[i] - EV_COLUMNS], a->measure[i]))
			return find_measure(a, ev, tag, run);
	return run == a->last_run ? a->last_resolved->number : resolve(a, ev, run);
}

static bool
more_groups(struct aggregate *a)
{
	size_t cap = a->cap == 0 ? GROUPS_FIRST : a->cap * 2;
	struct group *group = mem_aligned(CACHE_LINE, cap * sizeof *group);

	if (group == NULL)
		return false;
	if (a->cap != 0)
		memcpy(group, a->group, a->cap * sizeof *group);
	mem_free(a->group);
	a->group = group;
	if ((a->need & ~(unsigned)TALLY_SUM) != 0) {
		struct spread *spread = mem_resize(a->spread, cap * sizeof *spread);

		if (spread == NULL)
			return false;
		a->spread = spread;
	}
	a->cap = cap;
	return true;
}

/* The number of a text that is mostly the same as the last time; MIXED when there is no memory. */
static inline uint32_t
number_of_text(struct memo *m, struct slice s)
{
	size_t number;

	if (m->tab.count != 0 && short_eq(s, m->text))
		return m->number;
	number = tab_add(&m->tab, s, NULL);
	if (number == TAB_NONE)
		return MIXED;
	m->text =
	    slice_is_nothing(s) ? (struct slice){ aggregate_nothing, 1 } : m->tab.item[number];
	m->number = (uint32_t)number;
	return m->number;
}

/* The text that identifies the group, in a->text or the line itself.  False without memory. */
static inline bool
name_group(struct aggregate *a, const struct ev *ev, struct slice *tag, uint32_t run,
    struct slice *name)
{
	uint32_t measure = number_of_measure(a, ev, tag, run);

	if (a->by_unit)
		tag[a->at.identity[ID_UNIT] - EV_COLUMNS] = a->last_resolved->unit;
	if (measure == 0 && a->nkeys == 1) {
		*name = text_at(ev, tag, a->at.key[0]);
		return true;
	}
	if (measure == MIXED || !join(a, ev, tag, a->at.key, a->nkeys, 1 + GROUP_MEASURE))
		return false;
	*name = buf_slice(&a->text);
	if (measure != 0) {
		a->text.p[name->len] = '\t';
		memcpy(a->text.p + name->len + 1, &measure, GROUP_MEASURE);
		name->len += 1 + GROUP_MEASURE;
	}
	return true;
}

/* Finds the line's group or makes it.  NULL when there is no memory. */
static struct group *
find_group(struct aggregate *a, const struct ev *ev, struct slice *tag, uint32_t run, uint32_t mid)
{
	struct slice id;
	size_t number;
	bool fresh;

	if (!name_group(a, ev, tag, run, &id))
		return NULL;
	if (a->groups.count != 0 && short_eq(id, a->groups.item[a->last]))
		return &a->group[a->last];
	if (a->groups.count == a->cap && !more_groups(a))
		return NULL;
	number = tab_add(&a->groups, id, &fresh);
	if (number == TAB_NONE)
		return NULL;
	if (fresh) {
		a->group[number] =
		    (struct group){ .start = { UINT64_MAX, UINT64_MAX }, .run = run, .mid = mid };
		if (a->spread != NULL)
			a->spread[number] = SPREAD_EMPTY;
	}
	a->last = (uint32_t)number;
	return &a->group[number];
}

static int
at_line(const struct ev *ev, struct err *e)
{
	return err_at_line(e, ev->number);
}

struct times {
	struct wide start, end;
};

static int
get_time(struct slice s, const char *what, struct wide *t, struct err *e)
{
	int n = s.len > 60 ? 60 : (int)s.len;

	t->hi = 0;
	if (number_small_unsigned(s, &t->lo) || wide_get(s, t) == WIDE_OK)
		return 0;
	return err_data(e, "%s \"%.*s\" is no time of up to 128 bits", what, n, s.p);
}

/* The times of a line that is not a single small number; start > end if it has none. */
static int
get_times(const struct ev *ev, struct slice start, struct times *t, struct err *e)
{
	t->start = (struct wide){ UINT64_MAX, UINT64_MAX };
	t->end = (struct wide){ 0, 0 };
	if (slice_is_nothing(ev->col[EV_TIME]))
		return 0;
	if (get_time(ev->col[EV_TIME], "time", &t->end, e) != 0)
		return (int)e->code;
	t->start = t->end;
	if (slice_is_nothing(start))
		return 0;
	if (get_time(start, "start", &t->start, e) != 0)
		return (int)e->code;
	if (wide_cmp(t->start, t->end) > 0)
		t->start = t->end;
	return 0;
}

/* By halves: reading a struct whole is slow if it was just written in halves. */
static inline void
see_start(struct group *g, uint64_t hi, uint64_t lo)
{
	if (hi > g->start.hi || (hi == g->start.hi && lo >= g->start.lo))
		return;
	g->start.hi = hi;
	g->start.lo = lo;
}

static inline void
see_end(struct group *g, uint64_t hi, uint64_t lo)
{
	if (hi < g->end.hi || (hi == g->end.hi && lo <= g->end.lo))
		return;
	g->end.hi = hi;
	g->end.lo = lo;
}

/* Adds the value.  *small: it is in v, not in n. */
static bool
add_value(struct aggregate *a, struct group *g, const struct number *n, int64_t v)
{
	struct spread *s = a->spread == NULL ? NULL : &a->spread[g - a->group];

	if (!a->wants_numbers) {
		g->tally.n++;
		return true;
	}
	if (n != NULL)
		return tally_add_number(&g->tally, a->need, n);
	return tally_add(&g->tally, s, a->need, v);
}

int
aggregate_add(struct aggregate *a, const struct ev *ev, struct err *e)
{
	struct slice tag[TAGS_MAX], start;
	struct times t;
	uint64_t now;
	bool one_time;
	struct number big;
	bool small = true;
	int64_t v = 0;
	uint32_t run, mid;
	struct group *g;

	if (a->wants_numbers) {
		small = number_small(ev->col[EV_VALUE], &v);
		if (!small && number_get(ev->col[EV_VALUE], &big, e) != 0)
			return at_line(ev, e);
	}
	find_tags(&a->at, ev, tag);
	start = text_at(ev, tag, a->at.start);
	one_time = start.p == aggregate_nothing && number_small_unsigned(ev->col[EV_TIME], &now);
	if (!one_time && get_times(ev, start, &t, e) != 0)
		return at_line(ev, e);
	if (a->takes_measures && slice_eq(ev->col[EV_KIND], SLICE("measure")) &&
	    aggregate_measure(a, ev, e) != 0)
		return (int)e->code;
	run = number_of_text(&a->runs, ev->col[EV_RUN]);
	mid = number_of_text(&a->mids, text_at(ev, tag, a->at.mid));
	if (run == MIXED || mid == MIXED)
		return err_nomem(e);
	g = find_group(a, ev, tag, run, mid);
	if (g == NULL || !add_value(a, g, small ? NULL : &big, v))
		return err_nomem(e);
	if (g->run != run)
		g->run = MIXED;
	if (g->mid != mid)
		g->mid = MIXED;
	see_start(g, one_time ? 0 : t.start.hi, one_time ? now : t.start.lo);
	see_end(g, one_time ? 0 : t.end.hi, one_time ? now : t.end.lo);
	return 0;
}
