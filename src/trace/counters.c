/* SPDX-License-Identifier: ISC */
/* counters.c - the tracks of counters. */
#include "src/trace/counters.h"

#include "lib/mem.h"
#include "lib/num.h"
#include "lib/vec.h"

#define NONE COUNTERS_NONE

/* Values that have the same name, except for the ids of what they are about. */
struct counter_group {
	size_t process;
	bool begun; /* it has tracks */
	size_t free; /* the first of a list */
	size_t last; /* the track of the last value */
	bool tells_section; /* another section has the same label */
};

/* The track of a region or interval in a group. */
struct use {
	size_t group, thing;
};

/* A region or an interval. */
struct counter_thing {
	size_t tracks; /* the first of a list, as long as it is open */
	bool stopped;
	uint64_t stop;
};

void
counters_free(struct counters *c)
{
	size_t i;

	for (i = 0; i < c->names.count && i < c->cap; i++)
		buf_free(&c->item[i].value);
	mem_free(c->item);
	mem_free(c->group);
	mem_free(c->thing);
	mem_free(c->use);
	tab_free(&c->names);
	tab_free(&c->group_keys);
	tab_free(&c->thing_keys);
	tab_free(&c->use_keys);
	buf_free(&c->text);
}

static bool
put_part(struct buf *b, const char *before, struct slice s, const char *after)
{
	return slice_is_nothing(s) ||
	    (buf_puts(b, before) && buf_put(b, s.p, s.len) && buf_puts(b, after));
}

static bool
put_key(struct buf *b, struct slice s)
{
	return buf_putc(b, '\t') && buf_put(b, s.p, s.len);
}

/* ---- what a line is about */

/* Returns the id of the section of a line, which has its own tracks. */
static struct slice
section_of(const struct ev *ev)
{
	return slice_eq(ev_get(ev, SLICE("scope")), SLICE("section")) ? ev_get(ev, SLICE("id"))
								      : SLICE(".");
}

/* Returns the number of a line's group, or NONE if memory runs out. */
static size_t
group_of(struct counters *c, const struct ev *ev, struct slice unit, size_t process)
{
	static const struct slice tags[] = { SLICE_INIT("cpu"), SLICE_INIT("tid"),
		SLICE_INIT("thread"), SLICE_INIT("event"), SLICE_INIT("scope") };
	bool fresh;
	size_t i;

	c->text.len = 0;
	if (!buf_put(&c->text, &process, sizeof process) ||
	    !put_key(&c->text, ev->col[EV_MEASURE]) || !put_key(&c->text, unit) ||
	    !put_key(&c->text, ev->col[EV_REGION]) || !put_key(&c->text, section_of(ev)))
		return NONE;
	for (i = 0; i < sizeof tags / sizeof tags[0]; i++)
		if (!put_key(&c->text, ev_get(ev, tags[i])))
			return NONE;
	i = tab_add(&c->group_keys, buf_slice(&c->text), &fresh);
	if (i == TAB_NONE || !vec_room(c->group, i, c->groups_cap))
		return NONE;
	if (fresh)
		c->group[i] =
		    (struct counter_group){ .process = process, .free = NONE, .last = NONE };
	return i;
}

/* Sets *is to whether ids tell which region or interval a line is about, in c->text. */
static bool
spell_thing(struct counters *c, const struct ev *ev, bool *is)
{
	struct slice scope = ev_get(ev, SLICE("scope")), id = ev_get(ev, SLICE("id"));
	struct slice interval = ev_get(ev, SLICE("interval"));

	*is = !slice_is_nothing(scope) && (!slice_is_nothing(id) || !slice_is_nothing(interval));
	c->text.len = 0;
	return !*is ||
	    (put_key(&c->text, ev->col[EV_RUN]) && put_key(&c->text, scope) &&
		put_key(&c->text, id) && put_key(&c->text, interval));
}

/* Sets *thing to the number of a line's region or interval, or to NONE. */
static bool
thing_of(struct counters *c, const struct ev *ev, size_t *thing)
{
	bool is, fresh;

	*thing = NONE;
	if (!spell_thing(c, ev, &is))
		return false;
	if (!is)
		return true;
	*thing = tab_add(&c->thing_keys, buf_slice(&c->text), &fresh);
	if (*thing == TAB_NONE || !vec_room(c->thing, *thing, c->things_cap))
		return false;
	if (fresh)
		c->thing[*thing] = (struct counter_thing){ .tracks = NONE };
	return true;
}

/* ---- tracks */

/* Writes the name of a group to c->text. */
static bool
spell_name(struct counters *c, size_t process, const struct ev *ev, struct slice unit)
{
	struct buf *b = &c->text;
	struct slice measure = ev->col[EV_MEASURE];

	b->len = 0;
	return buf_put(b, &process, sizeof process) && buf_put(b, measure.p, measure.len) &&
	    put_part(b, " [", unit, "]") && put_part(b, " in ", ev->col[EV_REGION], "") &&
	    put_part(b, " cpu ", ev_get(ev, SLICE("cpu")), "") &&
	    put_part(b, " thread ", ev_get(ev, SLICE("tid")), "") &&
	    put_part(b, " thread at position ", ev_get(ev, SLICE("thread")), "") &&
	    put_part(b, " event ", ev_get(ev, SLICE("event")), "");
}

/* Adds a track with the name in c->text and, if there is one already, a number. */
static size_t
add_name(struct counters *c)
{
	size_t first, i, length = c->text.len;
	char digits[NUM_MAX];
	bool fresh;

	first = i = tab_add(&c->names, buf_slice(&c->text), &fresh);
	while (i != TAB_NONE && !fresh) {
		uint64_t number = ++c->item[first].alike + 1;

		c->text.len = length;
		if (!buf_puts(&c->text, " (") ||
		    !buf_put(&c->text, digits, num_put_u64(digits, number)) ||
		    !buf_putc(&c->text, ')'))
			return NONE;
		i = tab_add(&c->names, buf_slice(&c->text), &fresh);
	}
	return i != TAB_NONE && vec_room(c->item, i, c->cap) ? i : NONE;
}

/* Adds a track to a group.  Returns its number, or NONE if memory runs out. */
static size_t
add_track(struct counters *c, size_t group, const struct ev *ev, struct slice unit)
{
	struct counter_group *g = &c->group[group];
	struct slice section = section_of(ev);
	size_t i;

	if (!spell_name(c, g->process, ev, unit))
		return NONE;
	if (!g->begun)
		g->tells_section = tab_find(&c->names, buf_slice(&c->text)) != TAB_NONE;
	if (g->tells_section && !put_part(&c->text, " id ", section, ""))
		return NONE;
	g->begun = true;
	i = add_name(c);
	if (i != NONE)
		c->item[i] =
		    (struct counter){ .process = g->process, .group = group, .next = NONE };
	return i;
}

static void
release(struct counters *c, size_t i)
{
	struct counter_group *g = &c->group[c->item[i].group];

	c->item[i].free = true;
	c->item[i].next = g->free;
	g->free = i;
}

/* Makes a track that of a region or interval until that stops. */
static void
own(struct counters *c, size_t i, size_t thing)
{
	struct counter *t = &c->item[i];

	t->owner = thing;
	t->free = false;
	if (thing != NONE && c->thing[thing].stopped) {
		release(c, i);
	} else if (thing != NONE) {
		t->next = c->thing[thing].tracks;
		c->thing[thing].tracks = i;
	}
}

/* Returns true if a value of that time is after all that the track has shown. */
static bool
is_over(const struct counters *c, size_t i, uint64_t time)
{
	const struct counter *t = &c->item[i];

	return time >= t->last && time >= c->thing[t->owner].stop;
}

/* Returns true if the track shows that region or interval, even if it has stopped. */
static bool
shows(const struct counters *c, size_t i, size_t thing)
{
	const struct counter *t = &c->item[i];

	return t->owner == thing && (!t->free || c->thing[thing].stopped);
}

/* Returns a track for a region or interval that has none, or NONE if memory runs out. */
static size_t
take(struct counters *c, size_t group, size_t thing, const struct ev *ev, struct slice unit,
    uint64_t time)
{
	struct counter_group *g = &c->group[group];
	size_t i = g->free;

	if (i != NONE && is_over(c, i, time))
		g->free = c->item[i].next;
	else
		i = add_track(c, group, ev, unit);
	if (i != NONE)
		own(c, i, thing);
	return i;
}

size_t
counters_find(struct counters *c, const struct ev *ev, struct slice unit, size_t process,
    uint64_t time)
{
	struct use key;
	struct counter_group *g;
	size_t i;
	bool fresh;

	if (slice_eq(unit, SLICE("count")))
		unit = SLICE(".");
	key.group = group_of(c, ev, unit, process);
	if (key.group == NONE || !thing_of(c, ev, &key.thing))
		return NONE;
	g = &c->group[key.group];
	if (g->last == NONE || !shows(c, g->last, key.thing)) {
		i = tab_add(&c->use_keys, (struct slice){ (const char *)&key, sizeof key }, &fresh);
		if (i == TAB_NONE || !vec_room(c->use, i, c->uses_cap))
			return NONE;
		if (fresh || !shows(c, c->use[i], key.thing))
			c->use[i] = take(c, key.group, key.thing, ev, unit, time);
		g->last = c->use[i];
	}
	if (g->last != NONE && c->item[g->last].last < time)
		c->item[g->last].last = time;
	return g->last;
}

/* Sets *thing to what a line starts or stops, or to NONE if it has no values. */
static bool
known_thing(struct counters *c, const struct ev *ev, size_t *thing)
{
	bool is;

	*thing = NONE;
	if (c->thing_keys.count == 0)
		return true;
	if (!spell_thing(c, ev, &is))
		return false;
	if (is)
		*thing = tab_find(&c->thing_keys, buf_slice(&c->text));
	return true;
}

bool
counters_start(struct counters *c, const struct ev *ev)
{
	size_t thing;

	if (!known_thing(c, ev, &thing))
		return false;
	if (thing != NONE)
		c->thing[thing].stopped = false;
	return true;
}

bool
counters_stop(struct counters *c, const struct ev *ev)
{
	struct counter_thing *t;
	size_t thing, i, next;

	if (!known_thing(c, ev, &thing))
		return false;
	if (thing == NONE)
		return true;
	t = &c->thing[thing];
	t->stopped = true;
	if (!num_get_u64(ev->col[EV_TIME], &t->stop))
		t->stop = 0;
	for (i = t->tracks, t->tracks = NONE; i != NONE; i = next) {
		next = c->item[i].next;
		release(c, i);
	}
	return true;
}
