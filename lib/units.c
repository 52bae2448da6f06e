/* SPDX-License-Identifier: ISC */
/* units.c - the unit of a line's value. */
#include "lib/units.h"

#include "lib/mem.h"
#include "lib/short.h"
#include "lib/vec.h"

void
units_free(struct units *u)
{
	tab_free(&u->keys);
	tab_free(&u->words);
	mem_free(u->word);
	tab_free(&u->measures);
	mem_free(u->common);
	buf_free(&u->key);
	*u = (struct units){ .cap = 0 };
}

static bool
put_key(struct units *u, struct slice run, struct slice measure)
{
	u->key.len = 0;
	return buf_put(&u->key, run.p, run.len) && buf_putc(&u->key, '\t') &&
	    buf_put(&u->key, measure.p, measure.len);
}

static bool
declare_common(struct units *u, struct slice measure, uint32_t word)
{
	bool fresh;
	size_t i;

	if (!vec_room(u->common, u->measures.count, u->measures_cap))
		return false;
	i = tab_add(&u->measures, measure, &fresh);
	if (i == TAB_NONE)
		return false;
	if (fresh)
		u->common[i] = word;
	else if (u->common[i] != word)
		u->common[i] = UINT32_MAX;
	return true;
}

bool
units_declare(struct units *u, const struct ev *ev)
{
	struct slice unit;

	if (!ev_tag(ev, SLICE("unit"), &unit) || unit.len == 0)
		unit = SLICE(".");
	return units_say(u, ev->col[EV_RUN], ev->col[EV_MEASURE], unit);
}

bool
units_say(struct units *u, struct slice run, struct slice measure, struct slice unit)
{
	size_t i, word;

	if (!put_key(u, run, measure) || !vec_room(u->word, u->keys.count, u->cap))
		return false;
	word = tab_add(&u->words, unit, NULL);
	if (word == TAB_NONE || !declare_common(u, measure, (uint32_t)word))
		return false;
	i = tab_add(&u->keys, buf_slice(&u->key), NULL);
	if (i == TAB_NONE)
		return false;
	u->word[i] = (uint32_t)word;
	return true;
}

/* Returns true if these are the run and measure of the last lookup. */
static bool
is_last(const struct units *u, struct slice run, struct slice measure)
{
	struct slice key = u->keys.item[u->last];

	return key.len == run.len + 1 + measure.len && key.p[run.len] == '\t' &&
	    short_eq(run, (struct slice){ key.p, run.len }) &&
	    short_eq(measure, (struct slice){ key.p + run.len + 1, measure.len });
}

struct slice
units_said(struct units *u, struct slice run, struct slice measure)
{
	size_t i;

	if (u->keys.count == 0)
		return SLICE(".");
	if (is_last(u, run, measure))
		return u->words.item[u->word[u->last]];
	i = put_key(u, run, measure) ? tab_find(&u->keys, buf_slice(&u->key)) : TAB_NONE;
	if (i == TAB_NONE)
		return slice_is_nothing(run) ? units_common(u, measure) : SLICE(".");
	u->last = i;
	return u->words.item[u->word[i]];
}

struct slice
units_of(struct units *u, const struct ev *ev)
{
	struct slice unit;

	if (!ev_tag(ev, SLICE("unit"), &unit))
		return units_said(u, ev->col[EV_RUN], ev->col[EV_MEASURE]);
	return unit.len != 0 ? unit : SLICE("."); /* an empty unit is none */
}

struct slice
units_common(const struct units *u, struct slice measure)
{
	size_t i = tab_find(&u->measures, measure);

	return i == TAB_NONE || u->common[i] == UINT32_MAX ? SLICE(".")
							   : u->words.item[u->common[i]];
}

bool
units_stat_has(struct slice stat)
{
	static const struct slice without[] = { SLICE_INIT("count"), SLICE_INIT("distinct"),
		SLICE_INIT("hist"), SLICE_INIT("rate"), SLICE_INIT("share"), SLICE_INIT("var") };
	size_t i;

	for (i = 0; i < sizeof without / sizeof without[0]; i++)
		if (slice_eq(stat, without[i]))
			return false;
	return true;
}

/* Writes " [", the unit and END for a rate. */
static size_t
put_bracket(char *dst, size_t room, struct slice stat, struct slice unit, struct slice end)
{
	if (!slice_eq(stat, SLICE("rate")) || unit.len + end.len + 2 > room)
		return 0;
	memcpy(dst, " [", 2);
	memcpy(dst + 2, unit.p, unit.len);
	memcpy(dst + 2 + unit.len, end.p, end.len);
	return 2 + unit.len + end.len;
}

size_t
units_put_rate(char *dst, size_t room, struct slice stat, struct slice unit)
{
	return put_bracket(dst, room, stat, slice_is_nothing(unit) ? SLICE("") : unit,
	    SLICE("/s]"));
}

size_t
units_put_inner_rate(char *dst, size_t room, struct slice of, struct slice unit)
{
	return unit.len == 0 || slice_is_nothing(unit)
	    ? units_put_rate(dst, room, of, SLICE(""))
	    : put_bracket(dst, room, of, unit, SLICE("]"));
}

bool
units_any(const struct units *u, struct slice measure)
{
	size_t i = tab_find(&u->measures, measure);

	return i != TAB_NONE &&
	    (u->common[i] == UINT32_MAX || !slice_is_nothing(u->words.item[u->common[i]]));
}

bool
units_none(const struct units *u, struct slice measure)
{
	return tab_find(&u->measures, measure) != TAB_NONE && !units_any(u, measure);
}

/* Keeps the text appended after FROM, with a ; before it, only if it is short and new. */
static void
keep_name(struct buf *names, size_t from, bool whole)
{
	struct slice have = { names->p, from }, one, name;
	size_t begin = from == 0 ? 0 : from + 1;

	if (!whole || names->len > UNITS_NAMES_MAX) {
		names->len = from;
		return;
	}
	name = (struct slice){ names->p + begin, names->len - begin };
	while (from != 0 && ev_next_element(&have, &one))
		if (slice_eq(one, name) || memchr(name.p, ';', name.len) != NULL)
			names->len = from;
}

static bool
begin_name(struct buf *names)
{
	return names->len == 0 || buf_putc(names, ';');
}

bool
units_put_name(struct buf *b, struct slice measure, struct slice unit)
{
	return buf_put(b, measure.p, measure.len) &&
	    (slice_is_nothing(unit) ||
		(buf_put(b, " [", 2) && buf_put(b, unit.p, unit.len) && buf_putc(b, ']')));
}

void
units_name(struct buf *names, struct slice measure, struct slice unit)
{
	size_t from = names->len;

	keep_name(names, from, begin_name(names) && units_put_name(names, measure, unit));
}

void
units_name_unit(struct buf *names, struct slice unit)
{
	size_t from = names->len;

	if (slice_is_nothing(unit))
		unit = SLICE("none");
	keep_name(names, from, begin_name(names) && buf_put(names, unit.p, unit.len));
}
