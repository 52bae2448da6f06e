/* SPDX-License-Identifier: ISC */
/*
 * runs.c - runs that are unlike the others of their side: those without results, and outliers; and
 * runs that both sides have.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "src/diff/diffint.h"

#define SHOWN_MAX 60 /* bytes of a text in a message */
#define RUNS_MIN 5 /* of each side, for outliers */
#define FAR 5 /* a run is an outlier from so many scaled deviations on, */
#define FAR_PART 0.1 /* and from this part of the median on */
#define NORMAL 1.4826 /* standard deviations of a normal distribution in its median deviation */

/* The total of a run, of one family. */
struct run_total {
	double v;
	bool used; /* the run has a result */
	bool lacks; /* one of its values was left out, so v is not its total */
};

/* Returns the run of text I of d->measured, its last part. */
static struct slice
measured_run(const struct diff *d, size_t i)
{
	struct slice text = d->measured.item[i], run = { text.p + text.len, 0 };

	while (run.p[-1] != '\t') {
		run.p--;
		run.len++;
	}
	return run;
}

void
diff_count_empty(struct diff *d)
{
	size_t i;

	for (i = 0; i < d->measured.count; i++) {
		struct slice text = d->measured.item[i], run = measured_run(d, i);
		struct member *m;

		if (d->has_result[i])
			continue;
		m = &d->member[tab_find(&d->members,
		    (struct slice){ text.p, text.len - run.len - 1 })];
		if (m->empty++ == 0 || slice_cmp(run, m->first_empty) < 0)
			m->first_empty = run;
	}
}

struct slice
diff_first_lacking(const struct diff *d, const struct effect *x, enum diff_side s)
{
	const struct slice *part = d->family[d->group[x->group].family].part;
	struct slice first = { NULL, 0 };
	size_t i, n;

	for (i = 0; i < d->measured.count; i++) {
		struct slice rest = d->measured.item[i], run = measured_run(d, i);

		/* what is divided is 0 only in runs that have other results */
		if (rest.p[0] != '0' + (char)s ||
		    (d->x->per != DIFF_PER_NOTHING && !d->has_result[i]))
			continue;
		(void)diff_field(&rest);
		if (!slice_eq(diff_field(&rest), part[PART_MEASURE]) ||
		    !slice_eq(diff_field(&rest), part[PART_UNIT]))
			continue;
		n = tab_find(&d->side[s].runs, run);
		if ((first.p == NULL || slice_cmp(run, first) < 0) &&
		    (n == TAB_NONE || !diff_run_has(d, x->group, s, n)))
			first = run;
	}
	return first;
}

static int
compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Returns the median, after which the values are sorted. */
static double
median(double *v, size_t n)
{
	qsort(v, n, sizeof *v, compare_doubles);
	return n % 2 != 0 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* Adds up the results FROM to TO, of one family, by run.  Returns false if that means nothing. */
static bool
add_totals(const struct diff *d, struct run_total *const *total, size_t from, size_t to)
{
	size_t i;

	for (i = from; i < to; i++) {
		const struct result *r = &d->result[i];
		struct run_total *t = &total[r->side][r->run];

		if (r->has_total && d->x->per != DIFF_PER_NOTHING)
			return false;
		t->v = r->has_total ? r->total : (t->used ? t->v : 0) + (r->missing ? 0 : r->value);
		t->used = true;
		t->lacks |= r->missing && !r->has_total;
	}
	return true;
}

static bool
is_known(const struct run_total *t)
{
	return t->used && !t->lacks;
}

/* Returns true if the totals of a family are numbers of events. */
static bool
is_number(const struct diff *d, const struct family *f)
{
	struct slice stat = f->part[PART_STAT];

	if (d->x->per != DIFF_PER_NOTHING)
		return false;
	return slice_eq(stat, SLICE("count")) || slice_eq(stat, SLICE("hist")) ||
	    (slice_eq(stat, SLICE("sum")) && slice_eq(f->part[PART_UNIT], SLICE("count")));
}

/*
 * Finds the median of the totals of a side, and their median deviation as a part of it.  Returns
 * false if there are too few runs, or if it is not above 0.
 */
static bool
find_middle(const struct run_total *total, size_t runs, double *room, double *middle,
    double *spread)
{
	size_t n = 0, i;

	for (i = 0; i < runs; i++)
		if (is_known(&total[i]))
			room[n++] = total[i].v;
	if (n < RUNS_MIN)
		return false;
	*middle = median(room, n);
	for (i = 0; i < n; i++)
		room[i] = fabs(room[i] - *middle);
	*spread = NORMAL * median(room, n) / *middle;
	return *middle > 0 && isfinite(*spread);
}

/* Finds the runs of a side whose totals are farther from the median than LIMIT, a part of it. */
static struct outlier
find_far(const struct lone *l, const struct run_total *total, double middle, double limit)
{
	struct outlier found = { .count = 0 };
	double farthest = 0;
	size_t i;

	for (i = 0; i < l->runs.count; i++) {
		double far = fabs(total[i].v / middle - 1);
		struct slice run = l->runs.item[i];

		if (!is_known(&total[i]) || !(far > limit))
			continue;
		if (found.count++ == 0 || far > farthest ||
		    (far >= farthest && slice_cmp(run, found.run) < 0)) {
			found.run = run;
			found.times = total[i].v / middle;
			farthest = far;
		}
	}
	return found;
}

/* Finds the outliers of a family, which has the results FROM to TO. */
static void
find_outliers(struct diff *d, struct run_total *const *total, double *room, size_t from, size_t to)
{
	struct family *f = &d->family[d->group[d->result[from].group].family];
	double middle[DIFF_SIDES], spread[DIFF_SIDES], limit;
	enum diff_side s;

	if (!f->adds || !f->seen[DIFF_BEFORE] || !f->seen[DIFF_AFTER])
		return;
	for (s = 0; s < DIFF_SIDES; s++)
		memset(total[s], 0, d->side[s].runs.count * sizeof *total[s]);
	if (!add_totals(d, total, from, to))
		return;
	for (s = 0; s < DIFF_SIDES; s++)
		if (!find_middle(total[s], d->side[s].runs.count, room, &middle[s], &spread[s]))
			return;
	/* few runs may be alike by chance, so both sides show how much runs differ */
	limit = FAR * fmax(spread[DIFF_BEFORE], spread[DIFF_AFTER]);
	/* rare events vary by the root of their number, even if most runs have the same */
	for (s = 0; s < DIFF_SIDES; s++)
		if (is_number(d, f))
			limit = fmax(limit, FAR / sqrt(middle[s]));
	for (s = 0; s < DIFF_SIDES; s++)
		f->outlier[s] = find_far(&d->side[s], total[s], middle[s], fmax(limit, FAR_PART));
}

/* Finds the outliers of all families, whose results are sorted. */
static void
find_all_outliers(struct diff *d, struct run_total *const *total, double *room)
{
	size_t from, to;

	for (from = 0; from < d->results; from = to) {
		uint32_t family = d->group[d->result[from].group].family;

		for (to = from; to < d->results; to++)
			if (d->group[d->result[to].group].family != family)
				break;
		find_outliers(d, total, room, from, to);
	}
}

/* A run of BEFORE, and what it has in common with the run of AFTER that has its id. */
struct twin {
	bool there; /* AFTER has that id */
	const struct result *last; /* its result of the latest group */
	size_t results, equal; /* results of both runs; results of AFTER that BEFORE has, too */
};

/* Finds the run of BEFORE that has the id of a run of AFTER, or returns NULL. */
static struct twin *
twin_of(const struct diff *d, struct twin *twin, size_t run)
{
	size_t i;

	if (d->side[DIFF_BEFORE].pooled) /* then all results are those of run 0 */
		return twin;
	i = tab_find(&d->side[DIFF_BEFORE].runs, d->side[DIFF_AFTER].runs.item[run]);
	return i == TAB_NONE ? NULL : &twin[i];
}

/*
 * Compares the results of measures and statistics that both sides have.  They are sorted, so that
 * those of BEFORE come first in each group.
 */
static void
compare_twins(const struct diff *d, struct twin *twin)
{
	size_t i;

	for (i = 0; i < d->results; i++) {
		const struct result *r = &d->result[i];
		struct twin *t = r->side == DIFF_BEFORE ? &twin[r->run] : twin_of(d, twin, r->run);
		const struct family *f = &d->family[d->group[r->group].family];

		if (t == NULL || !f->seen[DIFF_BEFORE] || !f->seen[DIFF_AFTER])
			continue;
		t->results++;
		if (r->side == DIFF_BEFORE) {
			t->last = r;
			continue;
		}
		t->there = true;
		t->equal += t->last != NULL && t->last->group == r->group &&
		    t->last->missing == r->missing && t->last->value == r->value &&
		    t->last->total == r->total;
	}
}

/* Returns true if the pooled results of AFTER come from runs that BEFORE has as well. */
static bool
has_all_runs(const struct diff *d)
{
	const struct tab *after = &d->side[DIFF_AFTER].runs;
	size_t i;

	for (i = 0; i < after->count; i++)
		if (tab_find(&d->side[DIFF_BEFORE].runs, after->item[i]) == TAB_NONE)
			return false;
	return d->side[DIFF_AFTER].declared != 0;
}

/*
 * Counts the runs that are on both sides with the same results.  The id alone is no reason to
 * doubt: two parts of a run can be compared.
 */
static bool
count_shared(struct diff *d)
{
	size_t runs = d->side[DIFF_BEFORE].runs.count, i;
	bool pooled = d->side[DIFF_BEFORE].pooled;
	struct twin *twin;

	if (pooled != d->side[DIFF_AFTER].pooled || (pooled && !has_all_runs(d)))
		return true;
	twin = mem_zero(runs, sizeof *twin);
	if (twin == NULL)
		return false;
	compare_twins(d, twin);
	for (i = 0; i < runs; i++)
		if (twin[i].there && twin[i].results == 2 * twin[i].equal)
			d->shared += pooled ? d->side[DIFF_AFTER].declared : 1;
	mem_free(twin);
	return true;
}

/*
 * Counts the runs that have neither results nor measure lines: nothing says which measures they
 * should have.  Pooled results do not say whose they are, so there the measure lines must, if there
 * are any.  Returns false if memory runs out.
 */
static bool
count_bare(struct diff *d, enum diff_side side)
{
	struct lone *l = &d->side[side];
	bool *has = mem_zero(l->runs.count, sizeof *has), known = !l->pooled;
	size_t i, run;

	if (has == NULL)
		return false;
	for (i = 0; i < d->measured.count; i++) {
		run = d->measured.item[i].p[0] == '0' + (char)side
		    ? tab_find(&l->runs, measured_run(d, i))
		    : TAB_NONE;
		if (run == TAB_NONE)
			continue;
		has[run] = true;
		known = known || !slice_is_nothing(l->runs.item[run]);
	}
	for (i = 0; known && i < l->runs.count; i++)
		if (!has[i] && (l->bare++ == 0 || slice_cmp(l->runs.item[i], l->first_bare) < 0))
			l->first_bare = l->runs.item[i];
	mem_free(has);
	return true;
}

bool
diff_look_at_runs(struct diff *d)
{
	size_t before = d->side[DIFF_BEFORE].runs.count, after = d->side[DIFF_AFTER].runs.count;
	struct run_total *total[DIFF_SIDES] = { NULL, NULL };
	double *room = NULL;
	bool ok;

	if (!count_shared(d) || !count_bare(d, DIFF_BEFORE) || !count_bare(d, DIFF_AFTER))
		return false;
	if (d->side[DIFF_BEFORE].pooled || d->side[DIFF_AFTER].pooled)
		return true;
	total[DIFF_BEFORE] = mem_zero(before, sizeof *total[DIFF_BEFORE]);
	total[DIFF_AFTER] = mem_zero(after, sizeof *total[DIFF_AFTER]);
	room = mem_zero(before > after ? before : after, sizeof *room);
	ok = total[DIFF_BEFORE] != NULL && total[DIFF_AFTER] != NULL && room != NULL;
	if (ok)
		find_all_outliers(d, total, room);
	mem_free(total[DIFF_BEFORE]);
	mem_free(total[DIFF_AFTER]);
	mem_free(room);
	return ok;
}

/* Stores a note if runs of member I have no result.  Returns false if there is none. */
static bool
next_empty(const struct diff *d, size_t i, struct err *e)
{
	const struct member *m = &d->member[i];
	struct slice rest = d->members.item[i], measure;
	enum diff_side side = rest.p[0] == '0' + DIFF_AFTER;
	const char *so = m->adds && d->x->per == DIFF_PER_NOTHING ? "counted as 0" : "left out";
	char others[40] = "";

	if (!m->compared || m->empty == 0 || d->side[side].pooled)
		return false;
	(void)diff_field(&rest);
	measure = diff_field(&rest);
	if (m->empty > 1)
		(void)snprintf(others, sizeof others, " and %" PRIu32 " other%s", m->empty - 1,
		    m->empty == 2 ? "" : "s");
	err_data(e,
	    "%s: run %.*s%s %s no result of %.*s, and %s %s: %" PRIu32 " of %" PRIu32 " runs",
	    diff_side_name[side], slice_shown(m->first_empty, SHOWN_MAX), m->first_empty.p, others,
	    m->empty == 1 ? "has" : "have", slice_shown(measure, SHOWN_MAX), measure.p,
	    m->empty == 1 ? "is" : "are", so, m->empty, m->runs);
	e->code = ERR_DOUBT;
	return true;
}

/* Does the same if runs of a side have neither results nor measure lines. */
static bool
next_bare(const struct diff *d, enum diff_side side, struct err *e)
{
	const struct lone *l = &d->side[side];
	char others[40] = "";

	if (l->bare == 0)
		return false;
	if (l->bare > 1)
		(void)snprintf(others, sizeof others, " and %zu other%s", l->bare - 1,
		    l->bare == 2 ? "" : "s");
	err_data(e, "%s: run %.*s%s %s neither results nor measure lines, and ",
	    diff_side_name[side], slice_shown(l->first_bare, SHOWN_MAX), l->first_bare.p, others,
	    l->bare == 1 ? "has" : "have");
	(void)err_add(e, "%s: %zu of %zu runs",
	    l->pooled          ? "nothing of the pooled results"
		: l->bare == 1 ? "is left out"
			       : "are left out",
	    l->bare, l->declared);
	e->code = ERR_DOUBT;
	return true;
}

/* Returns true if a family before I has the measure and the same outlier. */
static bool
is_told(const struct diff *d, size_t i, enum diff_side s)
{
	const struct family *f = &d->family[i], *g;
	size_t k;

	for (k = 0; k < i; k++) {
		g = &d->family[k];
		if (slice_eq(g->part[PART_MEASURE], f->part[PART_MEASURE]) &&
		    g->outlier[s].count != 0 && slice_eq(g->outlier[s].run, f->outlier[s].run))
			return true;
	}
	return false;
}

/* Does the same if runs of a side are outliers in family I. */
static bool
next_outlier(const struct diff *d, size_t i, enum diff_side s, struct err *e)
{
	const struct family *f = &d->family[i];
	const struct outlier *o = &f->outlier[s];
	struct slice stat = f->part[PART_STAT], measure = f->part[PART_MEASURE];

	if (o->count == 0 || is_told(d, i, s))
		return false;
	err_data(e, "%s: run %.*s is an outlier: its %.*s of %.*s is %.*f times the median",
	    diff_side_name[s], slice_shown(o->run, SHOWN_MAX), o->run.p,
	    slice_shown(stat, SHOWN_MAX), stat.p, slice_shown(measure, SHOWN_MAX), measure.p,
	    o->times < 100 ? 2 : 0, o->times);
	if (o->count > 1)
		(void)err_add(e, " (and %zu more)", o->count - 1);
	e->code = ERR_DOUBT;
	return true;
}

/* Does the same if runs are on both sides. */
static bool
next_shared(const struct diff *d, struct err *e)
{
	size_t all = d->side[DIFF_AFTER].declared;

	if (d->shared == 0)
		return false;
	if (d->shared < all)
		err_data(e, "%zu of the %zu runs of AFTER %s also in BEFORE, with the same results",
		    d->shared, all, d->shared == 1 ? "is" : "are");
	else if (all == 1)
		err_data(e, "the run of AFTER is also in BEFORE, with the same results");
	else
		err_data(e, "all %zu runs of AFTER are also in BEFORE, with the same results", all);
	e->code = ERR_DOUBT;
	return true;
}

bool
diff_shares_runs(const struct diff *d)
{
	return d->shared != 0;
}

size_t
diff_run_notes(const struct diff *d)
{
	return 1 + DIFF_SIDES + d->members.count + DIFF_SIDES * d->families.count;
}

bool
diff_next_run_note(const struct diff *d, size_t at, struct err *e)
{
	size_t n = d->members.count;

	if (at-- == 0)
		return next_shared(d, e);
	if (at < DIFF_SIDES)
		return next_bare(d, (enum diff_side)at, e);
	at -= DIFF_SIDES;
	return at < n ? next_empty(d, at, e)
		      : next_outlier(d, (at - n) / DIFF_SIDES, (at - n) % DIFF_SIDES, e);
}
