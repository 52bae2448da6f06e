/* SPDX-License-Identifier: ISC */
/* aggregate.c - one line into its group. */
#include "src/aggregate/aggregate.h"

#include <stdlib.h>

#include "src/aggregate/aggint.h"
#include "src/aggregate/kinds.h"

#define GROUPS_FIRST ((size_t)64)

struct aggregate *
aggregate_new(void)
{
	struct aggregate *a = calloc(1, sizeof *a);

	if (a != NULL)
		a->last_fate = AGGREGATE_DROP;
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
	buf_free(&a->identity);
	free(a->group);
	free(a->spread);
	free(a);
}

static enum aggregate_fate
judge_kind(const struct aggregate *a, struct slice kind)
{
	if (tab_find(&a->kinds, kind) != TAB_NONE)
		return AGGREGATE_TAKE;
	return kind_is_detail(kind) ? AGGREGATE_DROP : AGGREGATE_PASS;
}

enum aggregate_fate
aggregate_fate(struct aggregate *a, const struct ev *ev)
{
	struct slice kind = ev->col[EV_KIND];

	if (slice_eq(kind, a->last_kind))
		return a->last_fate;
	a->last_fate = judge_kind(a, kind);
	a->last_kind = (struct slice){ a->last_kind_text, 0 };
	if (kind.len <= sizeof a->last_kind_text) {
		memcpy(a->last_kind_text, kind.p, kind.len);
		a->last_kind.len = kind.len;
	}
	return a->last_fate;
}

/* First comes first: of a tag that repeats, the first is the one that counts. */
static void
take_tag(const struct places *at, struct slice tag, struct slice *place)
{
	size_t i;

	for (i = 0; i < at->ntags; i++) {
		struct slice key = at->tag[i];

		if (tag.len <= key.len || tag.p[key.len] != '=' || memcmp(tag.p, key.p, key.len) != 0)
			continue;
		if (place[i].p == NULL)
			place[i] = (struct slice){ tag.p + key.len + 1, tag.len - key.len - 1 };
		return;
	}
}

/* Fills places with the columns and with the tags that are looked for, all in one walk. */
static void
find_all(const struct places *at, const struct ev *ev, struct slice *place)
{
	struct slice *tag = place + EV_COLUMNS;
	size_t i;

	memcpy(place, ev->col, sizeof ev->col);
	for (i = 0; i < at->ntags; i++)
		tag[i].p = NULL;
	for (i = 0; i < ev->ntags; i++) {
		const char *p = ev->base + ev->cut[i] + 1;

		if (at->first[(unsigned char)*p])
			take_tag(at, (struct slice){ p, ev->cut[i + 1] - ev->cut[i] - 1 }, tag);
	}
	for (i = 0; i < at->ntags; i++)
		if (tag[i].p == NULL)
			tag[i] = SLICE(".");
}

/* The fields, a TAB after each but the last, in a->identity. */
static bool
build_identity(struct aggregate *a, const struct slice *place)
{
	size_t i, n = 0;
	char *p;

	for (i = 0; i < a->at.nfields; i++)
		n += place[a->at.field[i]].len + 1;
	a->identity.len = 0;
	if (!buf_room(&a->identity, n))
		return false;
	p = a->identity.p;
	for (i = 0; i < a->at.nfields; i++) {
		struct slice s = place[a->at.field[i]];

		memcpy(p, s.p, s.len);
		p += s.len;
		*p++ = '\t';
	}
	a->identity.len = n - 1;
	return true;
}

static bool
more_groups(struct aggregate *a)
{
	size_t cap = a->cap == 0 ? GROUPS_FIRST : a->cap * 2;
	struct group *group = realloc(a->group, cap * sizeof *group);

	if (group == NULL)
		return false;
	a->group = group;
	if ((a->need & ~(unsigned)TALLY_SUM) != 0) {
		struct spread *spread = realloc(a->spread, cap * sizeof *spread);

		if (spread == NULL)
			return false;
		a->spread = spread;
	}
	a->cap = cap;
	return true;
}

/* The number of a text that is mostly the same as the last time; MIXED when there is no memory. */
static uint32_t
number_of_text(struct memo *m, struct slice s)
{
	size_t number;

	if (m->tab.count != 0 && slice_eq(s, m->text))
		return m->number;
	number = tab_add(&m->tab, s, NULL);
	if (number == TAB_NONE)
		return MIXED;
	m->text = m->tab.item[number];
	m->number = (uint32_t)number;
	return m->number;
}

/* Finds the group of a->identity or makes it.  NULL when there is no memory. */
static struct group *
find_group(struct aggregate *a, uint32_t run, uint32_t mid)
{
	struct slice id = { a->identity.p, a->identity.len };
	size_t number;
	bool fresh;

	if (a->groups.count != 0 && slice_eq(id, a->groups.item[a->last]))
		return &a->group[a->last];
	if (a->groups.count == a->cap && !more_groups(a))
		return NULL;
	number = tab_add(&a->groups, id, &fresh);
	if (number == TAB_NONE)
		return NULL;
	if (fresh) {
		a->group[number] = (struct group){ .start = { UINT64_MAX, UINT64_MAX }, .run = run, .mid = mid };
		if (a->spread != NULL)
			a->spread[number] = SPREAD_EMPTY;
	}
	a->last = (uint32_t)number;
	return &a->group[number];
}

static int
at_line(const struct ev *ev, struct err *e)
{
	e->place = ERR_LINE;
	e->pos = ev->number;
	return e->code;
}

static int
get_time(struct slice s, const char *what, struct wide *t, struct err *e)
{
	int n = s.len > 60 ? 60 : (int)s.len;

	t->hi = 0;
	if (number_small_unsigned(s, &t->lo) || wide_get(s, t) == WIDE_OK)
		return 0;
	return err_data(e, "%s \"%.*s\" is no time of up to 128 bits", what, n, s.p);
}

/* The times that a line spans; start > end if it has none. */
static int
get_times(const struct ev *ev, struct slice start, struct wide *t, struct err *e)
{
	t[0] = (struct wide){ UINT64_MAX, UINT64_MAX };
	t[1] = (struct wide){ 0, 0 };
	if (slice_is_nothing(ev->col[EV_TIME]))
		return 0;
	if (get_time(ev->col[EV_TIME], "time", &t[1], e) != 0)
		return e->code;
	t[0] = t[1];
	if (slice_is_nothing(start))
		return 0;
	if (get_time(start, "start", &t[0], e) != 0)
		return e->code;
	if (wide_cmp(t[0], t[1]) > 0)
		t[0] = t[1];
	return 0;
}

/* Counts the value in.  *small says whether it is in v or in n. */
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
	struct slice place[EV_COLUMNS + TAGS_MAX];
	struct wide t[2];
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
	find_all(&a->at, ev, place);
	if (get_times(ev, place[a->at.start], t, e) != 0)
		return at_line(ev, e);
	run = number_of_text(&a->runs, ev->col[EV_RUN]);
	mid = number_of_text(&a->mids, place[a->at.mid]);
	if (run == MIXED || mid == MIXED || !build_identity(a, place))
		return err_nomem(e);
	g = find_group(a, run, mid);
	if (g == NULL || !add_value(a, g, small ? NULL : &big, v))
		return err_nomem(e);
	if (g->run != run)
		g->run = MIXED;
	if (g->mid != mid)
		g->mid = MIXED;
	if (wide_cmp(t[0], g->start) < 0)
		g->start = t[0];
	if (wide_cmp(t[1], g->end) > 0)
		g->end = t[1];
	return 0;
}
