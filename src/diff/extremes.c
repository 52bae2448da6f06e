/* SPDX-License-Identifier: ISC */
/*
 * extremes.c - whether the sides have different numbers of values in groups whose statistic depends
 * on it: the largest of 10 values is larger than that of 2 by chance.
 */
#include <math.h>

#include "src/diff/diffint.h"

#define SHOWN_MAX 60 /* bytes of a text in a message */
#define TIMES_MIN 1.2 /* numbers of values that differ less hardly matter */
#define ERRORS_MIN 2 /* standard errors by which they differ at least */

/* Returns true for a statistic of extremes, or of how many values differ. */
static bool
is_extreme(struct slice stat)
{
	static const struct slice names[] = { SLICE_INIT("max"), SLICE_INIT("min"),
		SLICE_INIT("distinct"), SLICE_INIT("p0"), SLICE_INIT("p100") };

	return SLICE_AMONG(stat, names);
}

static bool
is_judged(const struct family *f)
{
	return f->seen[DIFF_BEFORE] && f->seen[DIFF_AFTER] && is_extreme(f->part[PART_STAT]);
}

/* The values of a group, by side: their number in a run, and its variance if they are counted. */
struct sizes {
	double mean[DIFF_SIDES], variance[DIFF_SIDES];
};

/* Finds the sizes of the group that has the results FROM to TO. */
static struct sizes
sizes_of(const struct diff *d, size_t from, size_t to)
{
	struct sizes s = { { 0, 0 }, { 0, 0 } };
	double runs[DIFF_SIDES] = { 0, 0 };
	enum diff_side k;
	size_t i;

	for (i = from; i < to; i++) {
		const struct result *r = &d->result[i];

		runs[r->side] += r->n != 0;
		s.mean[r->side] += (double)r->n;
	}
	for (k = 0; k < DIFF_SIDES; k++)
		if (runs[k] > 0) {
			s.mean[k] /= runs[k];
			s.variance[k] = s.mean[k] / runs[k];
		}
	return s;
}

void
diff_count_values(struct diff *d)
{
	struct sizes s;
	struct family *f;
	size_t from, to;
	enum diff_side k;

	for (from = 0; from < d->results; from = to) {
		for (to = from; to < d->results && d->result[to].group == d->result[from].group;)
			to++;
		f = &d->family[d->group[d->result[from].group].family];
		s = sizes_of(d, from, to);
		/* a group of one side has no change */
		for (k = 0; k < DIFF_SIDES && s.mean[0] > 0 && s.mean[1] > 0; k++) {
			f->values[k] += s.mean[k];
			f->values_variance[k] += s.variance[k];
		}
	}
}

/* Returns true if the groups of a family have more values on one side than on the other. */
static bool
has_more(const struct family *f)
{
	const double *n = f->values, *v = f->values_variance;

	return n[0] > 0 && fabs(log(n[1] / n[0])) > log(TIMES_MIN) &&
	    fabs(n[1] - n[0]) > ERRORS_MIN * sqrt(v[0] + v[1]);
}

/* Stores for which statistics of family I, and those about the same values, all this matters. */
static void
say_statistics(const struct diff *d, const struct family *f, struct err *e)
{
	struct slice m = f->part[PART_MEASURE];
	size_t i = f->first_same, n = 0;

	do {
		struct slice stat = d->family[i].part[PART_STAT];

		if (!is_judged(&d->family[i]))
			;
		else if (n++ == 0)
			err_data(e, "%.*s", slice_shown(stat, SHOWN_MAX), stat.p);
		else
			(void)err_add(e, ", %.*s", slice_shown(stat, SHOWN_MAX), stat.p);
		i = d->family[i].next_same;
	} while (i != 0);
	(void)err_add(e, " of %.*s: ", slice_shown(m, SHOWN_MAX), m.p);
}

/* Returns true if no family before I is about the same values and has such a statistic. */
static bool
is_first(const struct diff *d, size_t i)
{
	size_t k = d->family[i].first_same;

	while (k != i && !is_judged(&d->family[k]))
		k = d->family[k].next_same;
	return k == i;
}

bool
diff_next_extreme_note(const struct diff *d, size_t at, struct err *e)
{
	const struct family *f = &d->family[at];
	const struct lone *before = &d->side[DIFF_BEFORE], *after = &d->side[DIFF_AFTER];
	bool pooled = before->pooled && after->pooled && before->declared != after->declared;

	if (d->x->per != DIFF_PER_NOTHING || !is_judged(f) || !is_first(d, at) ||
	    !(pooled || has_more(f)))
		return false;
	say_statistics(d, f, e);
	if (pooled)
		(void)err_add(e,
		    "the runs are pooled, %zu of BEFORE and %zu of AFTER, and more runs have "
		    "farther extremes by chance: use afagg --by run,...",
		    before->declared, after->declared);
	else
		(void)err_add(e,
		    "AFTER has %.2f times the values, and more values have farther extremes by "
		    "chance, unlike a percentile such as p99",
		    f->values[DIFF_AFTER] / f->values[DIFF_BEFORE]);
	e->code = ERR_DOUBT;
	return true;
}
