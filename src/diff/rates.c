/* SPDX-License-Identifier: ISC */
/* rates.c - whether the sides were probably sampled at different rates. */
#include <math.h>

#include "src/diff/diffint.h"

#define SHOWN_MAX 60 /* bytes of a text in a message */
#define RATE_MIN 1.2 /* numbers of events that differ less are no other rate */

/* Adds a result to the events of its family, and to what they add up to. */
static void
add_events(struct family *f, const struct result *r)
{
	if (r->missing)
		return;
	f->events[r->side] += (double)r->n / f->runs[r->side];
	if (slice_eq(f->part[PART_STAT], SLICE("mean")))
		f->whole[r->side] += r->value * (double)r->n / f->runs[r->side];
	else
		f->whole[r->side] += r->value / f->runs[r->side];
}

void
diff_count_events(struct diff *d)
{
	size_t i;

	if (d->x->per != DIFF_PER_NOTHING) /* then that has been done, before they were divided */
		return;
	for (i = 0; i < d->families.count; i++) {
		struct family *f = &d->family[i];

		f->events[DIFF_BEFORE] = f->events[DIFF_AFTER] = 0;
		f->whole[DIFF_BEFORE] = f->whole[DIFF_AFTER] = 0;
	}
	for (i = 0; i < d->results; i++)
		add_events(&d->family[d->group[d->result[i].group].family], &d->result[i]);
}

/* Returns true if both sides have the family, and it is about the same values as the other one. */
static bool
is_of_same(const struct family *f, const struct family *other)
{
	size_t part;

	for (part = 0; part < PART_STAT; part++)
		if (!slice_eq(f->part[part], other->part[part]))
			return false;
	return f->seen[DIFF_BEFORE] && f->seen[DIFF_AFTER];
}

/* Returns true if a statistic of samples changes with their number and the value of each. */
static bool
depends_on_rate(struct slice stat)
{
	return !slice_eq(stat, SLICE("sum")) && !slice_eq(stat, SLICE("share")) &&
	    !slice_eq(stat, SLICE("rate"));
}

/* Returns true if the sum of the events is known by family I, and by no family before it. */
static bool
knows_sum(const struct diff *d, size_t i)
{
	const struct family *f = &d->family[i];
	size_t k;

	if (d->x->per != DIFF_PER_NOTHING)
		return d->x->per == DIFF_PER_COUNT;
	if (!slice_eq(f->part[PART_STAT], SLICE("sum")) &&
	    !slice_eq(f->part[PART_STAT], SLICE("mean")))
		return false;
	for (k = 0; k < i; k++)
		if (is_of_same(&d->family[k], f) && knows_sum(d, k))
			return false;
	return true;
}

/* Adds the statistics of the family's measure that depend on the rate, with commas between them. */
static size_t
add_statistics(const struct diff *d, const struct family *f, struct err *e)
{
	size_t n = 0, i;

	for (i = 0; i < d->families.count; i++) {
		struct slice stat = d->family[i].part[PART_STAT];

		if (is_of_same(&d->family[i], f) && depends_on_rate(stat))
			(void)err_add(e, "%s%.*s", n++ == 0 ? "" : ", ",
			    slice_shown(stat, SHOWN_MAX), stat.p);
	}
	return n;
}

bool
diff_next_rate_note(const struct diff *d, size_t at, struct err *e)
{
	const struct family *f = &d->family[at];
	struct slice m = f->part[PART_MEASURE];
	double events = f->events[DIFF_AFTER] / f->events[DIFF_BEFORE],
	       whole = f->whole[DIFF_AFTER] / f->whole[DIFF_BEFORE];
	bool divided = d->x->per == DIFF_PER_COUNT;

	if (!knows_sum(d, at) || !(fabs(log(events)) > log(RATE_MIN)) || !isfinite(events) ||
	    !(fabs(log(whole)) < fabs(log(events)) / 2))
		return false;
	err_data(e,
	    "%sAFTER has %.2f times the events of %.*s, and %.2f times their sum: if only the rate "
	    "of sampling differs, ",
	    divided ? "--normalise count: " : "", events, slice_shown(m, SHOWN_MAX), m.p, whole);
	if (divided)
		(void)err_add(e, "sums are compared without --normalise");
	else if (add_statistics(d, f, e) != 0)
		(void)err_add(e, " cannot be compared, but sum can");
	else
		return false;
	e->code = ERR_NONE;
	return true;
}
