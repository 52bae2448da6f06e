/* SPDX-License-Identifier: ISC */
/* measures.c - the identity of a line's measure: its name, type and unit. */
#include <string.h>

#include "lib/hint.h"
#include "lib/short.h"
#include "lib/vec.h"
#include "src/aggregate/aggint.h"

bool
aggregate_join(struct aggregate *a, const struct ev *ev, const struct slice *tag, const size_t *at,
    size_t n, size_t more)
{
	size_t i, len = 0;
	char *p;

	for (i = 0; i < n; i++)
		len += grouping_text(ev, tag, at[i]).len + 1;
	a->text.len = 0;
	if (!buf_room(&a->text, len + more))
		return false;
	p = a->text.p;
	for (i = 0; i < n; i++) {
		struct slice s = grouping_text(ev, tag, at[i]);

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

bool
measures_is_text(struct slice type, struct slice of)
{
	static const struct slice values[] = { SLICE_INIT("."), SLICE_INIT("min"),
		SLICE_INIT("max"), SLICE_INIT("first"), SLICE_INIT("last"), SLICE_INIT("mode") };

	return slice_eq(type, SLICE("text")) && SLICE_AMONG(of, values);
}

bool
measures_are_texts(const struct aggregate *a, const struct slice part[IDENTITY])
{
	return measures_is_text(part[ID_TYPE], a->takes_aggs ? part[ID_OF] : SLICE("."));
}

void
measures_split(const struct aggregate *a, size_t number, struct slice part[IDENTITY])
{
	size_t n = a->nidentity < ID_KNOWN ? a->nidentity : ID_KNOWN, i;
	struct slice rest = aggregate_split(a->measures.item[number], part, n);

	for (i = n; i < IDENTITY; i++)
		part[i] = SLICE(".");
	if (a->by_run)
		part[ID_RUN] = rest;
}

int
aggregate_measure(struct aggregate *a, const struct ev *ev, struct err *e)
{
	size_t i;

	a->epoch++;
	a->last_run = MIXED;
	for (i = 0; i < a->followers; i++)
		if (aggregate_measure(a->follower[i], ev, e) != 0)
			return (int)e->code;
	return units_declare(&a->units, ev) ? 0 : err_nomem(e);
}

/*
 * Returns the unit of the last identity in that run.  If units are settled later, a unit that is
 * not known yet is UNIT_UNKNOWN.
 */
static struct slice
unit_in_run(struct aggregate *a, const struct ev *ev)
{
	struct slice unit = a->measure[ID_UNIT];

	if (a->of.p != NULL && a->input != INPUT_PARTS)
		return SLICE(".");
	if (unit.p != grouping_nothing)
		return units_of(&a->units, ev);
	if (a->nidentity > ID_KNOWN && a->measure[ID_KNOWN].p != grouping_nothing)
		return a->measure[ID_KNOWN];
	unit = units_said(&a->units, ev->col[EV_RUN], ev->col[EV_MEASURE]);
	return a->settles && slice_is_nothing(unit) ? SLICE(UNIT_UNKNOWN) : unit;
}

/*
 * Returns the unit of the numbers on a line: that of its measure, unless it is a result such as a
 * count, or a rate, whose unit is per second.  An empty text means that memory ran out.
 */
static struct slice
unit_of_numbers(struct aggregate *a, const struct ev *ev)
{
	struct slice unit = unit_in_run(a, ev), stat;
	struct buf *b = &a->unit_text;

	if (!a->takes_aggs || !ev_tag(ev, SLICE("stat"), &stat) || units_stat_has(stat))
		return unit;
	if (!slice_eq(stat, SLICE("rate")) || slice_is_nothing(unit))
		return SLICE(".");
	b->len = 0;
	return buf_put(b, unit.p, unit.len) && buf_puts(b, "/s") ? buf_slice(b) : SLICE("");
}

/*
 * Stores the identity in a->measure with that unit and run as a->text.  Returns false if memory
 * runs out.
 */
static bool
name_measure(struct aggregate *a, struct slice unit, struct slice run)
{
	size_t n = a->nidentity < ID_KNOWN ? a->nidentity : ID_KNOWN, i;
	bool ok = true;

	a->text.len = 0;
	for (i = 0; ok && i < n; i++) {
		struct slice s = i == ID_UNIT ? unit : a->measure[i];

		ok = (i == 0 || buf_putc(&a->text, '\t')) && buf_put(&a->text, s.p, s.len);
	}
	return ok &&
	    (!a->by_run || (buf_putc(&a->text, '\t') && buf_put(&a->text, run.p, run.len)));
}

uint32_t
measures_add(struct aggregate *a, struct slice identity, struct said said)
{
	size_t number;

	if (!vec_room_zero(a->said, a->measures.count, a->measures_cap))
		return MIXED;
	number = tab_add(&a->measures, identity, NULL);
	if (number == TAB_NONE)
		return MIXED;
	a->said[number].unit = a->said[number].unit || said.unit;
	a->said[number].about |= said.about;
	return (uint32_t)number;
}

/*
 * Returns the run that the identity of a partial result keeps.  Runs matter only until their units
 * are known; partial results with known units are added up whatever their runs are, since there may
 * be thousands.
 */
static struct slice
run_of_identity(const struct aggregate *a, const struct ev *ev, struct slice unit)
{
	if (a->pools && !slice_eq(unit, SLICE(UNIT_UNKNOWN)))
		return SLICE(".");
	return ev->col[EV_RUN];
}

/*
 * Looks up the last line's identity, with the unit of its run.  Returns MIXED if memory runs out.
 */
static HINT_APART uint32_t
look_up(struct aggregate *a, const struct ev *ev, uint32_t run, struct resolved *r)
{
	struct said said = { .unit = a->measure[ID_UNIT].p != grouping_nothing };
	struct slice unit = unit_of_numbers(a, ev), part[ID_UNIT + 1];
	uint32_t number;

	if (unit.len == 0 || !name_measure(a, unit, run_of_identity(a, ev, unit)))
		return MIXED;
	number = measures_add(a, buf_slice(&a->text), said);
	if (number == MIXED)
		return MIXED;
	(void)aggregate_split(a->measures.item[number], part, ID_UNIT + 1);
	*r = (struct resolved){ a->epoch, a->last_raw, run, number, part[ID_UNIT] };
	a->last_run = run;
	a->last_resolved = r;
	return number;
}

/* Returns the place in a->likely of a measure.  Two that share one are only guessed wrong. */
static size_t
likely_place(struct slice measure)
{
	unsigned char last = (unsigned char)measure.p[measure.len - 1];

	return ((unsigned char)measure.p[0] * 7u + last * 5u + measure.len) % LIKELY;
}

uint32_t
measures_likely(const struct aggregate *a, struct slice measure)
{
	return a->likely[likely_place(measure)];
}

/* Returns the number of the last line's identity, with the unit of that run. */
HINT_APART uint32_t
measures_resolve(struct aggregate *a, const struct ev *ev, uint32_t run)
{
	struct resolved *r = &a->resolved[(run * 61 + a->last_raw) % RESOLVED];

	if ((r->epoch != a->epoch || r->run != run || r->raw != a->last_raw) &&
	    look_up(a, ev, run, r) == MIXED)
		return MIXED;
	a->last_run = run;
	a->last_resolved = r;
	a->likely[likely_place(a->measure[ID_MEASURE])] = r->number;
	return r->number;
}

/* Handles an identity that differs from the last line's.  Returns MIXED if memory runs out. */
HINT_APART uint32_t
measures_find(struct aggregate *a, const struct ev *ev, const struct slice *tag, uint32_t run)
{
	struct slice unit = tag[a->identity[ID_UNIT] - EV_COLUMNS];
	bool none = unit.p != grouping_nothing && (unit.len == 0 || slice_is_nothing(unit));
	size_t number, i;
	bool fresh;

	if (!aggregate_join(a, ev, tag, a->identity, a->nidentity, 1))
		return MIXED;
	if (none)
		a->text.p[a->text.len++] = '\t';
	number = tab_add(&a->raw, buf_slice(&a->text), &fresh);
	if (number == TAB_NONE)
		return MIXED;
	if (fresh && a->nesting.wanted && a->nesting.regions && !a->nesting.found &&
	    ev_is_nested_measure(ev->col[EV_MEASURE]))
		a->nesting.watching = a->roundabout = true;
	(void)aggregate_split(a->raw.item[number], a->measure, a->nidentity);
	for (i = 0; i < a->nidentity; i++)
		if (slice_is_nothing(a->measure[i]))
			a->measure[i].p = grouping_nothing;
	if (none)
		a->measure[ID_UNIT] = SLICE("");
	a->last_raw = (uint32_t)number;
	return measures_resolve(a, ev, run);
}
