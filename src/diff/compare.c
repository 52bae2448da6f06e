/* SPDX-License-Identifier: ISC */
/* compare.c - whether two sides can be compared, and how each group has changed. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/ev.h"
#include "lib/mem.h"
#include "lib/vec.h"
#include "src/diff/diffint.h"

#define SHOWN_MAX 60 /* bytes of a text in a message */
#define ROUND_MEAN 15 /* significant digits */
#define ROUND_CHANCE 6
#define EXACT 9007199254740992.0 /* every integer up to this is exact as a double */

const char *const diff_side_name[DIFF_SIDES] = { "BEFORE", "AFTER" };

/* What qsort needs besides the items; texts by number. */
struct ranked {
	struct slice text;
	uint32_t number;
};

static int
check_results(const struct diff *d, struct err *e)
{
	enum diff_side s;

	for (s = 0; s < DIFF_SIDES; s++)
		if (d->side[s].results == 0 && d->side[s].events != 0)
			return err_data(e,
			    "%s has events and no aggregates: pipe it through afagg first",
			    diff_side_name[s]);
		else if (d->side[s].results == 0)
			return err_data(e, "%s has no aggregates", diff_side_name[s]);
	return 0;
}

/* Each form of keys must be on both sides.  One without keys is named only if no other is alone. */
static int
check_keys(const struct diff *d, struct err *e)
{
	const struct lone *before = &d->side[DIFF_BEFORE], *after = &d->side[DIFF_AFTER];
	const char *keyless = NULL;
	enum diff_side s;
	size_t i;

	if (before->has_region != after->has_region)
		return err_data(e, "only %s is grouped by region",
		    diff_side_name[before->has_region ? DIFF_BEFORE : DIFF_AFTER]);
	for (s = 0; s < DIFF_SIDES; s++)
		for (i = 0; i < d->side[s].schemas.count; i++) {
			struct slice keys = d->side[s].schemas.item[i];

			if (tab_find(&d->side[!s].schemas, keys) != TAB_NONE)
				continue;
			if (keys.len != 0)
				return err_data(e, "only %s is grouped by %.*s", diff_side_name[s],
				    slice_shown(keys, SHOWN_MAX), keys.p);
			keyless = diff_side_name[s];
		}
	return keyless == NULL ? 0
			       : err_data(e, "only %s has results without further keys", keyless);
}

/* A key that is also a tag of changes would be there twice, and readers take the first one. */
static int
check_names(const struct diff *d, struct err *e)
{
	static const struct slice own[] = { SLICE_INIT("before"), SLICE_INIT("after"),
		SLICE_INIT("change"), SLICE_INIT("change.lo"), SLICE_INIT("change.hi"),
		SLICE_INIT("delta.lo"), SLICE_INIT("delta.hi"), SLICE_INIT("p"),
		SLICE_INIT("n.before"), SLICE_INIT("n.after"), SLICE_INIT("overlap"),
		SLICE_INIT("normalised"), SLICE_INIT("beyond") };
	struct slice keys, key;
	size_t i;

	for (i = 0; i < d->side[DIFF_BEFORE].schemas.count; i++) {
		keys = d->side[DIFF_BEFORE].schemas.item[i];
		while (slice_cut(&keys, ',', &key))
			if (SLICE_AMONG(key, own))
				return err_data(e,
				    "the key '%.*s' is also a tag of changes: give it another "
				    "name, or leave it out (--ignore)",
				    (int)key.len, key.p);
	}
	return 0;
}

static bool
any_adds(const struct diff *d)
{
	size_t i;

	for (i = 0; i < d->families.count; i++)
		if (d->family[i].adds)
			return true;
	return false;
}

/*
 * Several executions that have the same run id were added up, and are pooled as well.  If that is
 * so for some runs only, they may be files that were given twice, which is a doubt of the reader.
 */
static int
check_sources(const struct diff *d, struct err *e)
{
	const struct lone *before = &d->side[DIFF_BEFORE], *after = &d->side[DIFF_AFTER];
	bool all = d->x->per == DIFF_PER_NOTHING && before->pooled && after->pooled;
	uint64_t n = all ? before->sources : before->each, m = all ? after->sources : after->each;
	struct slice run = n > m ? before->each_run : after->each_run;

	if (d->x->per == DIFF_PER_TOTAL || d->x->per == DIFF_PER_COUNT || !any_adds(d))
		return 0;
	n += n == 0;
	m += m == 0;
	return n == m
	    ? 0
	    : err_data(e,
		  "sources with the run id %.*s are pooled, %" PRIu64 " of BEFORE and %" PRIu64
		  " of AFTER: give each its own id, see afpipe-cookbook(7), or use "
		  "--normalise total or count",
		  slice_shown(run, SHOWN_MAX), run.p, n, m);
}

/*
 * A statistic of several pooled runs and the mean of those of single runs differ even without a
 * change: sums and extremes grow, and a mean of means gives each run the same weight.  Of two
 * pooled sides with different numbers of runs, only what adds up differs much.
 */
static int
check_runs(const struct diff *d, struct err *e)
{
	const struct lone *before = &d->side[DIFF_BEFORE], *after = &d->side[DIFF_AFTER];

	if (d->x->per != DIFF_PER_NOTHING)
		return check_sources(d, e);
	if (before->pooled != after->pooled && (before->declared > 1 || after->declared > 1))
		return err_data(e,
		    "only %s has results by run: use afagg --by run,... for both sides",
		    diff_side_name[before->pooled ? DIFF_AFTER : DIFF_BEFORE]);
	if (any_adds(d) && before->pooled && after->pooled && before->declared != after->declared)
		return err_data(e,
		    "the runs are pooled, %zu of BEFORE and %zu of AFTER: use afagg --by run,... "
		    "or --normalise total or count",
		    before->declared, after->declared);
	return check_sources(d, e);
}

/* Adds to a message what to do if only one side has the statistic of the family. */
static int
advise_on_statistic(const struct diff *d, const struct family *f, struct err *e)
{
	struct slice common = { NULL, 0 };
	size_t i, part;

	for (i = 0; i < d->families.count; i++) {
		const struct family *other = &d->family[i];

		for (part = 0; part < PART_STAT; part++)
			if (!slice_eq(other->part[part], f->part[part]))
				break;
		if (part == PART_STAT && other->seen[DIFF_BEFORE] && other->seen[DIFF_AFTER] &&
		    (common.p == NULL || slice_cmp(other->part[PART_STAT], common) < 0))
			common = other->part[PART_STAT];
	}
	(void)err_add(e, ": use the same --stat for both");
	return common.p == NULL
	    ? e->code
	    : err_add(e, ", or compare %.*s alone (afsel --where stat=%.*s, after afagg)",
		  slice_shown(common, SHOWN_MAX), common.p, slice_shown(common, SHOWN_MAX),
		  common.p);
}

/* Returns how the windows of a family lie, or how its percentiles were found. */
static struct slice
said_of(const struct family *f, enum family_part part)
{
	struct slice text = f->part[part];

	if (!slice_is_nothing(text))
		return text;
	return part == PART_METHOD ? SLICE("interpolate") : SLICE("not known");
}

/* Returns ERR_DATA if a family and the nearest one of the other side were made in other ways. */
static int
refuse_ways(const struct family *f, const struct family *other, enum family_part part,
    struct err *e)
{
	bool first = f->seen[DIFF_BEFORE];
	struct slice m = f->part[PART_MEASURE], before = said_of(first ? f : other, part),
		     after = said_of(first ? other : f, part), stat = f->part[PART_STAT];

	if (part == PART_METHOD)
		err_data(e, "%.*s, %.*s: the percentiles were found in different ways",
		    slice_shown(m, SHOWN_MAX), m.p, slice_shown(stat, SHOWN_MAX), stat.p);
	else
		err_data(e, "%.*s: the windows differ", slice_shown(m, SHOWN_MAX), m.p);
	return err_add(e, " (BEFORE: %.*s, AFTER: %.*s): use the same %s for both",
	    slice_shown(before, SHOWN_MAX), before.p, slice_shown(after, SHOWN_MAX), after.p,
	    part == PART_METHOD ? "--percentile and --sketch" : "--window");
}

/* Returns ERR_DATA for a family of a side if the other side has none of what it aggregates. */
static int
refuse_quantity(const struct family *f, const char *side, struct err *e)
{
	struct slice m = f->part[PART_MEASURE], of = f->part[PART_OF];

	err_data(e, "%.*s: only %s has results ", slice_shown(m, SHOWN_MAX), m.p, side);
	if (slice_is_nothing(of))
		return err_add(e, "of the values themselves, without the tag of");
	return err_add(e, "with of=%.*s, such as those of afagg --kind agg, --of and --weight",
	    slice_shown(of, SHOWN_MAX), of.p);
}

/* Returns ERR_DATA for a family of one side if the other side has the same measure. */
static int
check_family(const struct diff *d, const struct tab *measures, const struct family *f,
    struct err *e)
{
	static const char *const
	    what[] = { [PART_TYPE] = "type", [PART_UNIT] = "unit", [PART_STAT] = "statistic" };
	struct slice m = f->part[PART_MEASURE], text;
	enum diff_side s = f->seen[DIFF_BEFORE] ? DIFF_BEFORE : DIFF_AFTER;
	const struct family *other, *nearest = NULL;
	size_t part = PART_TYPE, i;

	if (tab_find(measures, m) == TAB_NONE)
		return 0;
	/* name the part in which the nearest family of the other side differs */
	for (i = 0; i < d->families.count; i++) {
		size_t same = PART_TYPE;

		other = &d->family[i];
		if (!other->seen[!s] || !slice_eq(other->part[PART_MEASURE], m))
			continue;
		while (same < PART_METHOD && slice_eq(other->part[same], f->part[same]))
			same++;
		if (nearest == NULL || same > part) {
			part = same;
			nearest = other;
		}
	}
	if (part == PART_WINDOWS || part == PART_METHOD)
		return refuse_ways(f, nearest, (enum family_part)part, e);
	if (part == PART_OF)
		return refuse_quantity(f, diff_side_name[s], e);
	text = f->part[part];
	if (slice_is_nothing(text))
		err_data(e, "%.*s: %s has values without a %s", slice_shown(m, SHOWN_MAX), m.p,
		    diff_side_name[s], what[part]);
	else
		err_data(e, "%.*s: only %s has the %s %.*s", slice_shown(m, SHOWN_MAX), m.p,
		    diff_side_name[s], what[part], slice_shown(text, SHOWN_MAX), text.p);
	return part == PART_STAT ? advise_on_statistic(d, f, e) : e->code;
}

/* Returns ERR_DATA with the first measure of each side, of which none is on the other. */
static int
refuse_measures(const struct tab *measures, struct err *e)
{
	const struct tab *before = &measures[DIFF_BEFORE], *after = &measures[DIFF_AFTER];
	struct slice a, b;

	a = before->item[0]; /* each side has results */
	b = after->item[0];
	return err_data(e, "no measure is on both sides: %s has %.*s%s, and %s has %.*s%s",
	    diff_side_name[DIFF_BEFORE], slice_shown(a, SHOWN_MAX), a.p,
	    before->count > 1 ? " and others" : "", diff_side_name[DIFF_AFTER],
	    slice_shown(b, SHOWN_MAX), b.p, after->count > 1 ? " and others" : "");
}

static int
check_families(struct diff *d, struct err *e)
{
	struct tab measures[DIFF_SIDES] = { { 0 }, { 0 } };
	enum diff_side s;
	size_t i, common = 0;
	int rc = 0;

	for (i = 0; rc == 0 && i < d->families.count; i++)
		for (s = 0; s < DIFF_SIDES; s++)
			if (d->family[i].seen[s] &&
			    tab_add(&measures[s], d->family[i].part[PART_MEASURE], NULL) ==
				TAB_NONE)
				rc = err_nomem(e);
	for (i = 0; rc == 0 && i < d->families.count; i++) {
		const struct family *f = &d->family[i];

		if (f->seen[DIFF_BEFORE] && f->seen[DIFF_AFTER])
			common++;
		else
			rc = check_family(d, &measures[f->seen[DIFF_BEFORE]], f, e);
	}
	if (rc == 0 && common == 0)
		rc = refuse_measures(measures, e);
	for (s = 0; s < DIFF_SIDES; s++)
		tab_free(&measures[s]);
	return rc;
}

/* Counts the runs of a side of a family.  Those without a result are 0 if the statistic adds up. */
static void
take_runs(const struct diff *d, struct family *f, enum diff_side s, struct member *m)
{
	bool compared = f->seen[DIFF_BEFORE] && f->seen[DIFF_AFTER];

	f->runs[s] = d->side[s].pooled ? 1 : f->adds ? m->runs : m->runs - m->empty;
	m->compared = m->compared || compared;
	m->adds = m->adds || (compared && f->adds);
}

/* Finds how many runs each side has of each family. */
static int
count_runs(struct diff *d, struct err *e)
{
	enum diff_side s;
	size_t i, member;

	diff_count_empty(d);
	for (i = 0; i < d->families.count; i++)
		for (s = 0; s < DIFF_SIDES; s++) {
			struct family *f = &d->family[i];
			const struct slice *part = f->part;

			d->name.len = 0;
			if (!buf_putc(&d->name, (char)('0' + s)) || !buf_putc(&d->name, '\t') ||
			    !buf_put(&d->name, part[PART_MEASURE].p, part[PART_MEASURE].len) ||
			    !buf_putc(&d->name, '\t') ||
			    !buf_put(&d->name, part[PART_UNIT].p, part[PART_UNIT].len))
				return err_nomem(e);
			member = tab_find(&d->members, buf_slice(&d->name));
			if (member == TAB_NONE)
				continue;
			take_runs(d, f, s, &d->member[member]);
		}
	return 0;
}

static int
compare_ranked(const void *a, const void *b)
{
	return slice_cmp(((const struct ranked *)a)->text, ((const struct ranked *)b)->text);
}

/* Stores the place of each group among all, sorted by their texts. */
static int
rank_groups(struct diff *d, struct err *e)
{
	size_t n = d->groups.count, i;
	struct ranked *r = mem_zero(n, sizeof *r);

	d->rank = mem_zero(n, sizeof *d->rank);
	if (r == NULL || d->rank == NULL) {
		mem_free(r);
		return err_nomem(e);
	}
	for (i = 0; i < n; i++)
		r[i] = (struct ranked){ d->groups.item[i], (uint32_t)i };
	qsort(r, n, sizeof *r, compare_ranked);
	for (i = 0; i < n; i++)
		d->rank[r[i].number] = (uint32_t)i;
	mem_free(r);
	return 0;
}

/* By group, of which the result has the rank by then; then by side and run. */
static int
compare_results(const void *a, const void *b)
{
	const struct result *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->side != y->side)
		return x->side < y->side ? -1 : 1;
	return (x->run > y->run) - (x->run < y->run);
}

bool
diff_run_has(const struct diff *d, uint32_t group, enum diff_side s, size_t run)
{
	const struct result key = { .group = group, .side = s, .run = (uint32_t)run };

	return bsearch(&key, d->result, d->results, sizeof key, compare_results) != NULL;
}

/* Sorts the results by the texts of their groups, which are numbered in that order from now on. */
static int
sort_results(struct diff *d, struct err *e)
{
	struct group *sorted;
	struct slice *item;
	size_t n = d->groups.count, i;

	if (rank_groups(d, e) != 0)
		return ERR_SYS;
	sorted = mem_zero(n, sizeof *sorted);
	item = mem_zero(n, sizeof *item);
	if (sorted == NULL || item == NULL) {
		mem_free(sorted);
		mem_free(item);
		return err_nomem(e);
	}
	for (i = 0; i < n; i++) {
		sorted[d->rank[i]] = d->group[i];
		item[d->rank[i]] = d->groups.item[i];
	}
	for (i = 0; i < d->results; i++) {
		struct result *r = &d->result[i];

		r->group = d->rank[r->group];
		if (d->side[r->side].pooled)
			r->run = 0;
	}
	mem_free(d->group);
	d->group = sorted;
	mem_free(d->item);
	d->item = item;
	qsort(d->result, d->results, sizeof *d->result, compare_results);
	return 0;
}

static int
check_repeats(const struct diff *d, struct err *e)
{
	size_t i;

	for (i = 1; i < d->results; i++) {
		const struct result *r = &d->result[i];

		if (compare_results(r - 1, r) == 0) {
			struct slice rest = diff_group_name(d, r->group),
				     region = diff_field(&rest);

			return err_data(e,
			    "%s has two results of one group and run (region %.*s): merge them "
			    "with afagg first",
			    diff_side_name[r->side], slice_shown(region, SHOWN_MAX), region.p);
		}
	}
	return 0;
}

/* The divisor of a run, of one family. */
struct divisor {
	double total;
	uint64_t n;
	bool used;
};

double
diff_seconds(const struct extent *x)
{
	struct wide t = wide_sub(x->to, x->from);

	return x->set ? ((double)t.hi * 18446744073709551616.0 + (double)t.lo) / 1e9 : 0;
}

/* Adds the results FROM to TO, which are all of one family. */
static void
add_divisors(struct diff *d, struct divisor *const *divisor, size_t from, size_t to)
{
	struct family *f = &d->family[d->group[d->result[from].group].family];
	size_t i;

	/* what has no results has nothing to divide by */
	if (d->x->per != DIFF_PER_NOTHING)
		f->runs[DIFF_BEFORE] = f->runs[DIFF_AFTER] = 0;
	for (i = from; i < to; i++)
		divisor[d->result[i].side][d->result[i].run] = (struct divisor){ 0, 0, false };
	for (i = from; i < to; i++) {
		const struct result *r = &d->result[i];
		struct divisor *x = &divisor[r->side][r->run];

		f->runs[r->side] += !x->used && d->x->per != DIFF_PER_NOTHING;
		x->used = true;
		x->n = num_plus(x->n, r->n);
		x->total = r->has_total ? r->total : x->total + (r->missing ? 0 : r->value);
	}
}

/* Returns what results of a run are divided by, or 0 if there is nothing. */
static double
divide_by(const struct diff *d, const struct result *r, const struct divisor *x)
{
	switch (d->x->per) {
	case DIFF_PER_TOTAL: return x->total;
	case DIFF_PER_TIME: return diff_seconds(&d->side[r->side].extent[r->run]);
	case DIFF_PER_COUNT: return (double)x->n;
	case DIFF_PER_NOTHING: break;
	}
	return 1;
}

/* Adds up the totals of the runs, after they have been divided. */
static void
add_totals(struct diff *d, struct divisor *const *divisor, size_t from, size_t to)
{
	struct family *f = &d->family[d->group[d->result[from].group].family];
	size_t i;

	for (i = from; i < to; i++) {
		const struct result *r = &d->result[i];
		struct divisor *x = &divisor[r->side][r->run];

		if (x->used) {
			f->total[r->side] += x->total / divide_by(d, r, x) / f->runs[r->side];
			f->whole[r->side] += x->total / f->runs[r->side];
			f->events[r->side] += (double)x->n / f->runs[r->side];
		}
		x->used = false;
	}
}

static int
divide(struct diff *d, struct divisor *const *divisor, size_t from, size_t to, struct err *e)
{
	static const char *const what[] = { "", "total", "time", "number of events" };
	size_t i;

	for (i = from; i < to; i++) {
		struct result *r = &d->result[i];
		double by = divide_by(d, r, &divisor[r->side][r->run]);
		struct slice run = d->side[r->side].runs.item[r->run];

		if (!(by > 0 && by <= DIFF_VALUE_MAX) || fabs(r->value / by) > DIFF_VALUE_MAX)
			return err_data(e, "--normalise: run %.*s of %s has no %s to divide by",
			    slice_shown(run, SHOWN_MAX), run.p, diff_side_name[r->side],
			    what[d->x->per]);
		r->value /= by;
	}
	return 0;
}

/* Values that contain each other, such as inclusive times, are no parts of a total. */
static int
check_parts(const struct diff *d, const struct family *f, struct err *e)
{
	struct slice m = f->part[PART_MEASURE];

	if ((d->x->per != DIFF_PER_TOTAL && !(d->x->min_share > 0)) ||
	    !slice_eq(f->part[PART_STAT], SLICE("sum")) ||
	    !(f->overlaps || ev_is_nested_measure(m)))
		return 0;
	return err_data(e,
	    "--%s: values of %.*s contain each other, so there is no total (to choose others: "
	    "afsel --where measure=self, after afagg)",
	    d->x->per == DIFF_PER_TOTAL ? "normalise total" : "min-share",
	    slice_shown(m, SHOWN_MAX), m.p);
}

/* Of what is weighted, or was a result before, n= is the number of lines. */
static int
check_events(const struct diff *d, const struct family *f, struct err *e)
{
	struct slice of = f->part[PART_OF];

	if (d->x->per != DIFF_PER_COUNT || slice_is_nothing(of))
		return 0;
	return err_data(e,
	    "--normalise count: the number of events is not known for results with of=%.*s, such "
	    "as those of afagg --kind agg, --of and --weight: use --normalise total",
	    slice_shown(of, SHOWN_MAX), of.p);
}

/* Runs that are pooled have no common time: each has its own clock, and pauses lie between them. */
static int
check_clocks(const struct diff *d, struct err *e)
{
	enum diff_side s;

	for (s = 0; d->x->per == DIFF_PER_TIME && s < DIFF_SIDES; s++)
		if (d->side[s].pooled && d->side[s].declared > 1)
			return err_data(e,
			    "--normalise time: the %zu runs of %s are pooled, so their times are "
			    "not known: use afagg --by run,...",
			    d->side[s].declared, diff_side_name[s]);
	return 0;
}

/* Only numbers that grow with the length of a run can be divided, and have totals. */
static int
check_normal(struct diff *d, struct err *e)
{
	size_t i;

	for (i = 0; i < d->results; i++)
		if (d->result[i].overlaps && !d->result[i].has_total)
			d->family[d->group[d->result[i].group].family].overlaps = true;
	for (i = 0; i < d->families.count; i++) {
		struct slice stat = d->family[i].part[PART_STAT];

		if (!slice_eq(stat, SLICE("count")) && !slice_eq(stat, SLICE("sum")))
			return err_data(e,
			    "--%s: only count and sum, not %.*s (to choose: "
			    "afsel --where stat=sum, after afagg)",
			    d->x->per != DIFF_PER_NOTHING ? "normalise" : "min-share",
			    slice_shown(stat, SHOWN_MAX), stat.p);
		if (check_parts(d, &d->family[i], e) != 0 || check_events(d, &d->family[i], e) != 0)
			return (int)e->code;
	}
	if (d->x->per == DIFF_PER_COUNT &&
	    (d->side[DIFF_BEFORE].overlaps || d->side[DIFF_AFTER].overlaps))
		return err_data(e,
		    "--normalise count: the groups overlap (total=), so the number of events is "
		    "not known");
	return check_clocks(d, e);
}

/* Joins the extents of all runs in that of the first one. */
static void
join_extents(struct lone *l)
{
	size_t i;

	for (i = 1; i < l->runs.count; i++) {
		struct extent *x = &l->extent[0], *y = &l->extent[i];

		if (!y->set)
			continue;
		if (!x->set || wide_cmp(y->from, x->from) < 0)
			x->from = y->from;
		if (!x->set || wide_cmp(y->to, x->to) > 0)
			x->to = y->to;
		x->set = true;
	}
}

static int
normalise(struct diff *d, struct err *e)
{
	struct divisor *divisor[DIFF_SIDES] = { NULL, NULL };
	size_t from, to;
	enum diff_side s;
	int rc = check_normal(d, e);

	for (s = 0; rc == 0 && s < DIFF_SIDES; s++) {
		if (d->side[s].pooled)
			join_extents(&d->side[s]);
		divisor[s] = mem_zero(d->side[s].runs.count, sizeof *divisor[s]);
		if (divisor[s] == NULL)
			rc = err_nomem(e);
	}
	for (from = 0; rc == 0 && from < d->results; from = to) {
		uint32_t family = d->group[d->result[from].group].family;

		for (to = from; to < d->results; to++)
			if (d->group[d->result[to].group].family != family)
				break;
		add_divisors(d, divisor, from, to);
		rc = divide(d, divisor, from, to, e);
		if (rc == 0)
			add_totals(d, divisor, from, to);
	}
	for (s = 0; s < DIFF_SIDES; s++)
		mem_free(divisor[s]);
	return rc;
}

/* Rounds to that many significant digits. */
static double
rounded(double v, int digits)
{
	char text[64];

	if (!isfinite(v))
		return v;
	snprintf(text, sizeof text, "%.*e", digits - 1, v);
	return strtod(text, NULL);
}

/* Rounds a mean of N values, unless it is a whole number that is exact. */
static double
rounded_mean(double v, size_t n)
{
	return floor(v) == v && fabs(v) * (double)n <= EXACT ? v : rounded(v, ROUND_MEAN);
}

/* Returns the power of 10 of the first of 17 digits. */
static int
place_of(double v)
{
	char text[64];

	snprintf(text, sizeof text, "%.16e", v);
	return (int)strtol(strchr(text, 'e') + 1, NULL, 10);
}

/*
 * Returns the difference of two rounded means, which are finite, to the last of the places that
 * they are known to.
 */
static double
difference(double after, double before)
{
	double v = after - before;
	int digits;

	if (floor(v) == v && fabs(v) <= EXACT)
		return v;
	digits = ROUND_MEAN + place_of(v) - place_of(fmax(fabs(after), fabs(before)));
	return rounded(v, digits < 1 ? 1 : digits);
}

static struct interval
rounded_interval(struct interval in)
{
	return (struct interval){ rounded(in.lo, ROUND_CHANCE), rounded(in.hi, ROUND_CHANCE) };
}

/* Computes the change of the means. */
static void
set_change(struct effect *x)
{
	x->delta = difference(x->mean[DIFF_AFTER], x->mean[DIFF_BEFORE]);
	x->change = x->delta == 0 ? 0
	    : x->mean[DIFF_BEFORE] != 0
	    ? rounded(x->delta / fabs(x->mean[DIFF_BEFORE]), ROUND_CHANCE)
	    : x->delta > 0 ? HUGE_VAL
			   : -HUGE_VAL;
}

static int
compare_values(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * Gathers the values of a side from the results from *at on.  The runs that lack the group are 0 if
 * the statistic adds up.
 */
static int
gather(struct diff *d, struct effect *x, enum diff_side s, size_t *at, struct sample *sample,
    struct err *e)
{
	const struct family *f = &d->family[d->group[x->group].family];
	size_t had = 0;

	sample->n = 0;
	for (; *at < d->results; ++*at, had++) {
		const struct result *r = &d->result[*at];

		if (r->group != x->group || r->side != s)
			break;
		if (r->missing)
			continue;
		if (!vec_room(sample->v, sample->n, d->room_cap[s]))
			return err_nomem(e);
		sample->v[sample->n++] = r->value;
	}
	for (; f->adds && had < f->runs[s]; had++, x->lacks[s]++) {
		if (!vec_room(sample->v, sample->n, d->room_cap[s]))
			return err_nomem(e);
		sample->v[sample->n++] = 0;
	}
	d->work += sample->n;
	if (d->work > DIFF_WORK_MAX)
		return err_data(e,
		    "more than %" PRIu64 " results, with those that are 0: compare fewer groups",
		    DIFF_WORK_MAX);
	if (sample->n > 1)
		qsort(sample->v, sample->n, sizeof *sample->v, compare_values);
	return 0;
}

/* Finds what may be chance. */
static int
weigh(struct diff *d, struct effect *x, const struct sample *s, struct err *e)
{
	const struct sample *before = &s[DIFF_BEFORE], *after = &s[DIFF_AFTER];
	struct ranks ranks;

	if (!chance_draw(d->chance, before, after) ||
	    !chance_ranks(d->chance, before, after, &ranks))
		return err_nomem(e);
	x->p = rounded(ranks.p, ROUND_CHANCE);
	x->spread = true;
	x->delta_in = rounded_interval(chance_difference(d->chance, 1));
	x->relative_spread = before->v[0] > 0 || before->v[before->n - 1] < 0;
	if (x->relative_spread)
		x->change_in = rounded_interval(chance_change(d->chance));
	return 0;
}

/*
 * Returns what a limit is compared with: an interval of the change, or of what the change exceeds
 * the limit by (*bound is then 0); without an interval, both ends are the change.
 */
static struct interval
limited(struct diff *d, const struct effect *x, const struct diff_limit *l, double *bound)
{
	double point = l->relative ? x->change : x->delta;
	struct interval in;

	*bound = l->bound;
	if (!x->spread || d->x->point)
		return (struct interval){ point, point };
	if (!l->relative)
		return x->delta_in;
	if (x->relative_spread)
		return x->change_in;
	*bound = 0;
	in = rounded_interval(
	    chance_difference(d->chance, x->mean[DIFF_BEFORE] < 0 ? 1 - l->bound : 1 + l->bound));
	/* the nearer its part is to 0, the less BEFORE counts; no limit may be easier than 0 */
	if (l->bound > 0)
		in.lo = fmin(in.lo, x->delta_in.lo);
	else
		in.hi = fmax(in.hi, x->delta_in.hi);
	return in;
}

/* Returns whether the group is too small a part of both sides for limits. */
static bool
is_small(const struct diff *d, const struct effect *x)
{
	const struct family *f = &d->family[d->group[x->group].family];
	enum diff_side s;

	if (!(d->x->min_share > 0))
		return false;
	for (s = 0; s < DIFF_SIDES; s++)
		/* nothing is known to be a small part of a total that is nan */
		if (!(fabs(x->mean[s]) < d->x->min_share * fabs(f->total[s])))
			return false;
	return true;
}

/* Returns true if limit I names the group. */
static bool
names(const struct diff *d, size_t i, const struct group *g)
{
	return (g->matched >> i & 1) != 0 &&
	    slice_eq(d->x->limit[i].stat, d->family[g->family].part[PART_STAT]);
}

/* Notes a group that cannot be judged, since only one side has its measure. */
static void
pass_over(struct diff *d, const struct group *g)
{
	size_t i;

	for (i = 0; i < d->x->limits; i++)
		if (names(d, i, g)) {
			d->lone[i]++;
			d->family[g->family].named = true;
		}
}

#define SURE 5 /* how much smaller p must be than an interval promises, to doubt the interval */

/*
 * Finds out whether nearly all runs of AFTER are beyond the limit, compared with nearly all runs of
 * BEFORE.  One run that is far from the others makes the interval of a mean wide, but hardly
 * changes ranks, so the interval alone might let everything pass.
 */
static int
doubt(struct diff *d, const struct effect *x, const struct diff_limit *l, const struct sample *s,
    bool *unsure, struct err *e)
{
	const struct sample *before = &s[DIFF_BEFORE];
	double part = x->mean[DIFF_BEFORE] < 0 ? -l->bound : l->bound;
	struct sample moved = { NULL, before->n };
	struct ranks r;
	size_t i;

	*unsure = false;
	if (!x->spread || d->x->point)
		return 0;
	if (!vec_room(d->moved, before->n, d->moved_cap))
		return err_nomem(e);
	moved.v = d->moved;
	for (i = 0; i < before->n; i++)
		moved.v[i] = l->relative ? before->v[i] * (1 + part) : before->v[i] + l->bound;
	qsort(moved.v, moved.n, sizeof *moved.v, compare_values);
	if (!chance_ranks(d->chance, &moved, &s[DIFF_AFTER], &r))
		return err_nomem(e);
	if (l->below)
		r.above = 1 - r.above;
	/* p cannot be smaller if all runs of AFTER are */
	*unsure = r.above > 0.5 && (r.above >= 1 || r.p * SURE <= 1 - d->x->confidence);
	return 0;
}

/* Returns true if at least 3 of 4 runs of the side have a value of the group. */
static bool
nearly_all_have(const struct diff *d, const struct effect *x, enum diff_side s)
{
	size_t runs = d->family[d->group[x->group].family].runs[s], have = x->n[s] - x->lacks[s];

	return have != 0 && have >= runs - runs / 4;
}

/* Copies a sample without the runs that lack the group, which are 0. */
static int
keep(struct diff *d, const struct effect *x, enum diff_side s, const struct sample *all,
    struct sample *kept, struct err *e)
{
	size_t left = x->lacks[s], i;

	kept->n = 0;
	for (i = 0; i < all->n; i++) {
		if (all->v[i] == 0 && left != 0) {
			left--;
			continue;
		}
		if (!vec_room(d->kept[s], kept->n, d->kept_cap[s]))
			return err_nomem(e);
		d->kept[s][kept->n++] = all->v[i];
	}
	kept->v = d->kept[s];
	return 0;
}

/*
 * Finds out whether the runs that have the group are beyond the limit, if only a few lack it: as a
 * change of their means if the limit is compared with that, and otherwise as in doubt.
 */
static int
doubt_zeros(struct diff *d, const struct effect *x, const struct diff_limit *l,
    const struct sample *s, bool *lacking, struct err *e)
{
	struct sample kept[DIFF_SIDES];
	struct effect y = *x;
	enum diff_side side;
	double point;

	*lacking = false;
	if (x->lacks[DIFF_BEFORE] == 0 && x->lacks[DIFF_AFTER] == 0)
		return 0;
	if (!nearly_all_have(d, x, DIFF_BEFORE) || !nearly_all_have(d, x, DIFF_AFTER))
		return 0;
	for (side = 0; side < DIFF_SIDES; side++) {
		if (keep(d, x, side, &s[side], &kept[side], e) != 0)
			return (int)e->code;
		y.mean[side] = rounded_mean(chance_mean(&kept[side]), kept[side].n);
	}
	if (x->spread && !d->x->point)
		return doubt(d, &y, l, kept, lacking, e);
	set_change(&y);
	point = l->relative ? y.change : y.delta;
	*lacking = l->below ? point < l->bound : point > l->bound;
	return 0;
}

/* Finds out whether the change is beyond limit I, or would be but for a few runs. */
static int
hold(struct diff *d, const struct effect *x, size_t i, const struct sample *s, bool *found,
    struct err *e)
{
	const struct diff_limit *l = &d->x->limit[i];
	const struct group *g = &d->group[x->group];
	struct interval in;
	double bound;

	d->judged[i]++;
	d->paired[i] += g->on[DIFF_BEFORE] && g->on[DIFF_AFTER];
	d->by_chance[i] += x->spread && !d->x->point ? (1 - d->x->confidence) / 2 : 0;
	in = limited(d, x, l, &bound);
	found[BEYOND] = l->below ? in.hi < bound : in.lo > bound;
	if (found[BEYOND])
		return 0;
	if (doubt_zeros(d, x, l, s, &found[LACKING], e) != 0)
		return (int)e->code;
	return found[LACKING] ? 0 : doubt(d, x, l, s, &found[UNSURE], e);
}

static int
judge(struct diff *d, struct effect *x, const struct sample *s, struct err *e)
{
	bool gone = x->n[DIFF_AFTER] == x->lacks[DIFF_AFTER] && nearly_all_have(d, x, DIFF_BEFORE);
	size_t i;

	for (i = 0; i < d->x->limits; i++) {
		bool found[VERDICTS] = { false };
		enum verdict k;

		if (!names(d, i, &d->group[x->group]))
			continue;
		d->matched[i]++;
		if (is_small(d, x))
			continue;
		if (x->known && hold(d, x, i, s, found, e) != 0)
			return (int)e->code;
		x->judged |= (uint64_t)x->known << i;
		found[GONE] = gone && !found[BEYOND];
		for (k = 0; k < VERDICTS; k++) {
			d->found[k][i] += found[k];
			x->limits[k] |= (uint64_t)found[k] << i;
		}
	}
	return 0;
}

/* Computes the change of a group. */
static int
measure(struct diff *d, struct effect *x, const struct sample *s, struct err *e)
{
	enum diff_side side;
	int rc = 0;

	for (side = 0; side < DIFF_SIDES; side++) {
		x->n[side] = s[side].n;
		x->there[side] = s[side].n != 0;
		x->mean[side] = rounded_mean(chance_mean(&s[side]), s[side].n);
	}
	x->known = x->there[DIFF_BEFORE] && x->there[DIFF_AFTER];
	if (!x->known) {
		for (side = 0; side < DIFF_SIDES; side++)
			d->without[side] += x->there[side];
		d->valueless += !x->there[DIFF_BEFORE] && !x->there[DIFF_AFTER];
		return 0;
	}
	set_change(x);
	if (s[DIFF_BEFORE].n >= DIFF_RUNS_MIN && s[DIFF_AFTER].n >= DIFF_RUNS_MIN)
		rc = weigh(d, x, s, e);
	else if (d->few++ == 0 ||
	    x->n[DIFF_BEFORE] + x->n[DIFF_AFTER] < d->fewest[DIFF_BEFORE] + d->fewest[DIFF_AFTER])
		memcpy(d->fewest, x->n, sizeof d->fewest);
	return rc;
}

/* Computes the changes of all groups that both sides may have. */
static int
measure_all(struct diff *d, struct err *e)
{
	struct sample s[DIFF_SIDES] = { { NULL, 0 }, { NULL, 0 } };
	size_t at = 0;
	int rc = 0;

	d->effect = mem_zero(d->groups.count, sizeof *d->effect);
	if (d->effect == NULL)
		return err_nomem(e);
	while (rc == 0 && at < d->results) {
		struct effect x = { .group = d->result[at].group };
		const struct family *f = &d->family[d->group[x.group].family];

		rc = gather(d, &x, DIFF_BEFORE, &at, &s[DIFF_BEFORE], e);
		if (rc == 0)
			rc = gather(d, &x, DIFF_AFTER, &at, &s[DIFF_AFTER], e);
		if (rc == 0 && !(f->seen[DIFF_BEFORE] && f->seen[DIFF_AFTER]))
			pass_over(d, &d->group[x.group]);
		if (rc != 0 || !f->seen[DIFF_BEFORE] || !f->seen[DIFF_AFTER])
			continue;
		rc = measure(d, &x, s, e);
		if (rc == 0)
			rc = judge(d, &x, s, e);
		d->effect[d->effects++] = x;
	}
	mem_free(s[DIFF_BEFORE].v);
	mem_free(s[DIFF_AFTER].v);
	return rc;
}

/* The largest change of each block first. */
static int
compare_effects(const void *a, const void *b)
{
	const struct effect *x = a, *y = b;

	if (x->block != y->block)
		return x->block < y->block ? -1 : 1;
	if (x->known != y->known)
		return x->known ? -1 : 1;
	if (fabs(x->delta) != fabs(y->delta))
		return fabs(x->delta) > fabs(y->delta) ? -1 : 1;
	return (x->group > y->group) - (x->group < y->group);
}

/* Makes a block of each family, in the order of their texts, which is that of their groups. */
static void
sort_effects(struct diff *d)
{
	size_t i;

	for (i = 0; i < d->effects; i++)
		d->effect[i].block = i == 0 ? 0
					    : d->effect[i - 1].block +
			(d->group[d->effect[i].group].family !=
			    d->group[d->effect[i - 1].group].family);
	qsort(d->effect, d->effects, sizeof *d->effect, compare_effects);
}

int
diff_compare(struct diff *d, struct err *e)
{
	int rc;

	if ((rc = check_results(d, e)) != 0 || (rc = check_keys(d, e)) != 0 ||
	    (rc = check_names(d, e)) != 0 || (rc = check_families(d, e)) != 0 ||
	    (rc = check_runs(d, e)) != 0 || (rc = count_runs(d, e)) != 0 ||
	    (rc = sort_results(d, e)) != 0 || (rc = check_repeats(d, e)) != 0 ||
	    (rc = diff_check_alike(d, e)) != 0 || (rc = diff_check_bins(d, e)) != 0)
		return rc;
	if ((d->x->per != DIFF_PER_NOTHING || d->x->min_share > 0) && (rc = normalise(d, e)) != 0)
		return rc;
	rc = measure_all(d, e);
	if (rc == 0 &&
	    !(diff_look_apart(d) && diff_look_at_runs(d) && diff_look_at_keys(d) &&
		diff_count_events(d)))
		rc = err_nomem(e);
	if (rc == 0) {
		diff_count_values(d);
		sort_effects(d);
		diff_look_at_names(d);
	} else {
		d->effects = 0;
	}
	return rc;
}

bool
diff_is_beyond(const struct diff *d)
{
	size_t i;

	for (i = 0; i < d->x->limits; i++)
		if (d->found[BEYOND][i] != 0)
			return true;
	return false;
}
