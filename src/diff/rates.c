/* SPDX-License-Identifier: ISC */
/* rates.c - whether the sides were probably sampled at different rates. */
#include <math.h>

#include "lib/mem.h"
#include "lib/tab.h"
#include "lib/vec.h"
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

/* Links the families that differ in nothing but the statistic, in their order. */
static bool
link_families(struct diff *d)
{
	struct tab values = { 0 };
	size_t *last = NULL, cap = 0, i, n;
	bool fresh, ok = true;

	for (i = 0; i < d->families.count; i++) {
		struct family *f = &d->family[i];
		struct slice text = d->families.item[i];

		/* its last parts */
		text.len -= f->part[PART_STAT].len + 1 + f->part[PART_METHOD].len;
		n = tab_add(&values, text, &fresh);
		ok = n != TAB_NONE && vec_room(last, n, cap);
		if (!ok)
			break;
		f->first_same = fresh ? i : d->family[last[n]].first_same;
		f->next_same = 0;
		if (!fresh)
			d->family[last[n]].next_same = i;
		last[n] = i;
	}
	tab_free(&values);
	mem_free(last);
	return ok;
}

bool
diff_count_events(struct diff *d)
{
	size_t i;

	if (d->x->per != DIFF_PER_NOTHING) /* then that has been done, before they were divided */
		return true;
	if (!link_families(d))
		return false;
	for (i = 0; i < d->families.count; i++) {
		struct family *f = &d->family[i];

		f->events[DIFF_BEFORE] = f->events[DIFF_AFTER] = 0;
		f->whole[DIFF_BEFORE] = f->whole[DIFF_AFTER] = 0;
	}
	for (i = 0; i < d->results; i++)
		add_events(&d->family[d->group[d->result[i].group].family], &d->result[i]);
	return true;
}

static bool
is_on_both_sides(const struct family *f)
{
	return f->seen[DIFF_BEFORE] && f->seen[DIFF_AFTER];
}

/* Returns true if the results and the numbers of their events give the sum of the values. */
static bool
gives_sum(const struct family *f)
{
	return slice_eq(f->part[PART_STAT], SLICE("sum")) ||
	    slice_eq(f->part[PART_STAT], SLICE("mean"));
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
	size_t k;

	if (d->x->per != DIFF_PER_NOTHING)
		return d->x->per == DIFF_PER_COUNT;
	if (!gives_sum(&d->family[i]))
		return false;
	for (k = d->family[i].first_same; k != i; k = d->family[k].next_same)
		if (is_on_both_sides(&d->family[k]) && gives_sum(&d->family[k]))
			return false;
	return true;
}

/*
 * Adds the statistics of the family's measure that depend on the rate, with commas between them.
 * Both sides have all of them, or the comparison has been refused.
 */
static size_t
add_statistics(const struct diff *d, const struct family *f, struct err *e)
{
	size_t n = 0, i = f->first_same;

	do {
		struct slice stat = d->family[i].part[PART_STAT];

		if (depends_on_rate(stat))
			(void)err_add(e, "%s%.*s", n++ == 0 ? "" : ", ",
			    slice_shown(stat, SHOWN_MAX), stat.p);
		i = d->family[i].next_same;
	} while (i != 0);
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

	/* its events are not known without n= in the results of a side, nor if n= counts others */
	if (!knows_sum(d, at) || !slice_is_nothing(f->part[PART_OF]) || !(events > 0) ||
	    !isfinite(events) || !(fabs(log(events)) > log(RATE_MIN)) ||
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
