/* SPDX-License-Identifier: ISC */
/* absent.c - groups of results that have fewer of them than others. */
#include "src/aggregate/absent.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "lib/keys.h"
#include "lib/mem.h"
#include "lib/vec.h"

#define KEPT_MAX ((size_t)65536) /* texts of a table */

/* Keys that name a single event. */
static const struct slice events[] = { SLICE_INIT("id"), SLICE_INIT("interval"), SLICE_INIT("time"),
	SLICE_INIT("value") };

/* Returns true for keys in which the groups of a measure do not differ, and for what is no key. */
static bool
is_no_key(struct slice key)
{
	static const struct slice others[] = { SLICE_INIT("kind"), SLICE_INIT("measure"),
		SLICE_INIT("mid"), SLICE_INIT("lo"), SLICE_INIT("hi") };

	return keys_is_result_tag(key) || SLICE_AMONG(key, others);
}

void
absent_free(struct absent *x)
{
	size_t i;

	for (i = 0; i < x->views; i++) {
		tab_free(&x->view[i].parts);
		mem_free(x->view[i].part);
	}
	mem_free(x->view);
	tab_free(&x->others);
	mem_free(x->group);
	mem_free(x->shared);
	buf_free(&x->text);
	*x = (struct absent){ .on = false };
}

bool
absent_begin(struct absent *x, const struct grouping *g)
{
	size_t i;

	x->view = mem_zero(g->nkeys + 1, sizeof *x->view);
	if (x->view == NULL)
		return false;
	for (i = 0; i < g->nkeys; i++) {
		x->view[0].varies[i] = keys_is_place(g->key[i].tag);
		x->places |= x->view[0].varies[i];
	}
	x->views = x->places;
	for (i = 0; !x->places && i < g->nkeys; i++)
		if (!is_no_key(g->key[i].tag))
			x->view[x->views++].varies[i] = true;
	x->on = x->views != 0;
	return true;
}

/* Returns whether a statistic is 0 without lines; OF may be that of results of results. */
static bool
is_zero_without_lines(struct slice of)
{
	static const struct slice names[] = { SLICE_INIT("count"), SLICE_INIT("sum"),
		SLICE_INIT("distinct") };
	const char *inner = of.len == 0 ? NULL : memchr(of.p, '(', of.len);

	if (inner != NULL)
		of.len = (size_t)(inner - of.p);
	return SLICE_AMONG(of, names);
}

/* Returns whether a result is of a place or an event inside those of its group. */
static bool
is_inside(const struct grouping *g, const struct ev *ev)
{
	struct slice rest = ev->tags;
	struct ev_tag tag;

	if (!slice_is_nothing(ev->col[EV_REGION]) && !grouping_has(g, SLICE("region")))
		return true;
	while (ev_next_tag(&rest, &tag))
		if ((keys_is_place(tag.key) || SLICE_AMONG(tag.key, events)) &&
		    !slice_is_nothing(tag.value) && !grouping_has(g, tag.key))
			return true;
	return false;
}

static bool
put(struct buf *b, struct slice s)
{
	return buf_put(b, s.p, s.len) && buf_putc(b, '\t');
}

/*
 * Joins the measure, and all that the result is of besides the keys of its group: its run only if
 * there is no other key, since a run that was no key is that of some results by chance.
 */
static bool
join_others(struct absent *x, const struct grouping *g, const struct ev *ev, struct slice of)
{
	struct slice rest = ev->tags;
	struct ev_tag tag;
	size_t empty;
	bool ok;

	x->text.len = 0;
	ok = put(&x->text, ev->col[EV_MEASURE]) && put(&x->text, of);
	empty = x->text.len;
	while (ok && ev_next_tag(&rest, &tag))
		if (!is_no_key(tag.key) && !grouping_has(g, tag.key))
			ok = put(&x->text, tag.key) && put(&x->text, tag.value);
	if (x->text.len == empty && !grouping_has(g, SLICE("run")))
		ok = ok && put(&x->text, ev->col[EV_RUN]);
	return ok;
}

/* Returns a hash of the keys of the line's group. */
static uint64_t
hash_keys(const struct grouping *g, const struct ev *ev, const struct slice *tag)
{
	uint64_t hash = 0;
	size_t i;

	for (i = 0; i < g->nkeys; i++) {
		struct slice text = grouping_text(ev, tag, g->place[i]);

		hash = XXH64(text.p, text.len, hash);
	}
	return hash;
}

/* Notes what the result is of, and whether results of other groups are of the same. */
static bool
see_others(struct absent *x, const struct grouping *g, const struct ev *ev, const struct slice *tag,
    struct slice of)
{
	uint64_t group = hash_keys(g, ev, tag);
	size_t number;
	bool fresh;

	if (!join_others(x, g, ev, of))
		return false;
	number = tab_add(&x->others, buf_slice(&x->text), &fresh);
	if (number == TAB_NONE || !vec_room(x->group, number, x->group_cap) ||
	    !vec_room_zero(x->shared, number, x->shared_cap))
		return false;
	if (fresh)
		x->group[number] = group;
	if (!x->shared[number] && x->group[number] != group) {
		x->shared[number] = true;
		x->shares++;
	}
	return true;
}

bool
absent_see(struct absent *x, const struct grouping *g, const struct ev *ev, const struct slice *tag,
    struct slice of)
{
	if (x->inside || x->many || !slice_eq(ev->col[EV_KIND], SLICE("agg")) ||
	    !is_zero_without_lines(of))
		return true;
	x->inside = is_inside(g, ev);
	x->many = x->others.count > KEPT_MAX;
	return x->places || x->inside || x->many || see_others(x, g, ev, tag, of);
}

void
absent_join(struct absent *x, const struct absent *from)
{
	x->inside |= from->inside;
}

bool
absent_is_ordered(const struct absent *x)
{
	return x->on && !x->places;
}

/* Counts a group in its part of a view. */
static bool
count_in(struct absent *x, struct absent_view *v, const struct grouping *g, const struct slice *key,
    uint32_t rank, uint64_t results)
{
	struct absent_part *p;
	size_t number, i;
	bool fresh, ok = true;

	x->text.len = 0;
	for (i = 0; ok && i < g->nkeys; i++)
		ok = v->varies[i] || put(&x->text, key[i]);
	ok = ok && buf_put(&x->text, (const char *)&rank, sizeof rank);
	number = ok ? tab_add(&v->parts, buf_slice(&x->text), &fresh) : TAB_NONE;
	if (number == TAB_NONE || !vec_room(v->part, number, v->cap))
		return false;
	p = &v->part[number];
	if (fresh)
		*p = (struct absent_part){ .least = results };
	p->groups++;
	if (results > p->most) {
		p->most = results;
		p->full = 0;
	}
	p->full += results == p->most;
	p->least = results < p->least ? results : p->least;
	x->many |= number > KEPT_MAX;
	return true;
}

bool
absent_count(struct absent *x, const struct grouping *g, const struct slice *key, uint32_t rank,
    struct slice of, uint64_t results)
{
	size_t i;

	if (x->inside || !is_zero_without_lines(of))
		return true;
	for (i = 0; !x->many && i < x->views; i++)
		if (!count_in(x, &x->view[i], g, key, rank, results)) {
			x->many = true; /* the last part has no counts */
			return false;
		}
	return true;
}

/* What the groups of a view lack. */
struct lack {
	uint64_t groups, fewer; /* all that are compared, and those with fewer results */
	struct absent_part widest; /* the part with the largest difference */
};

static struct lack
judge(const struct absent_view *v)
{
	struct lack all = { 0, 0, { 0, 0, 0, 0 } };
	size_t i;

	for (i = 0; i < v->parts.count; i++) {
		const struct absent_part *p = &v->part[i], *w = &all.widest;
		uint64_t range = p->most - p->least, widest = w->most - w->least;

		if (p->groups < 2)
			continue;
		all.groups += p->groups;
		all.fewer += p->groups - p->full;
		if (range > widest || (range == widest && p->most > w->most))
			all.widest = *p;
	}
	return all;
}

bool
absent_note(const struct absent *x, char *text, size_t size)
{
	struct lack least = { 0, UINT64_MAX, { 0, 0, 0, 0 } };
	size_t i;

	if (!x->on || x->inside || x->many || (!x->places && x->shares <= x->others.count / 2))
		return false;
	for (i = 0; i < x->views; i++) {
		struct lack one = judge(&x->view[i]);

		if (one.groups != 0 && one.fewer < least.fewer)
			least = one;
	}
	if (least.groups == 0 || least.fewer == 0)
		return false;
	(void)snprintf(text, size,
	    "%" PRIu64 " of %" PRIu64 " groups %s fewer results than others (%" PRIu64
	    ", others %" PRIu64 "): absent ones do not count as 0; see --zeros",
	    least.fewer, least.groups, least.fewer == 1 ? "has" : "have", least.widest.least,
	    least.widest.most);
	return true;
}
