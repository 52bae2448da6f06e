/* SPDX-License-Identifier: ISC */
/*
 * alike.c - whether the runs of a side were aggregated alike.  A run whose results were made with
 * another --stat or --by lacks some, and would count as 0 there.
 */
#include <string.h>

#include "lib/mem.h"
#include "src/diff/diffint.h"

#define SHOWN_MAX 60 /* bytes of a text in a message */
#define FORMS_MAX 8 /* forms of a family that are compared, so that time does not grow with them */
#define ANY UINT32_MAX

/* Results FROM to TO. */
struct range {
	size_t from, to;
};

/*
 * Results of a side, with any keys (ANY) or those of one form.  They are in one family, or have one
 * part of it.
 */
struct part {
	enum diff_side side;
	struct range in;
	uint32_t form;
	enum family_part same;
};

/* Which results a run has: none, or some of one or both kinds that are told apart. */
enum mark { NONE, REST, PART, BOTH };

struct alike {
	const struct diff *d;
	unsigned char *mark; /* by run */
	struct err *doubt;
};

static const struct family *
family_of(const struct diff *d, size_t result)
{
	return &d->family[d->group[d->result[result].group].family];
}

/* Only results of afagg, which have n, have all keys and statistics of a command. */
static bool
counts(const struct result *r, enum diff_side s)
{
	return r->side == s && r->has_n;
}

static uint32_t
form_of(const struct diff *d, const struct result *r)
{
	return d->group[r->group].form[r->side];
}

/* Marks the runs that have results of the part. */
static void
mark(struct alike *a, const struct part *p, enum mark m)
{
	size_t i;

	for (i = p->in.from; i < p->in.to; i++) {
		const struct result *r = &a->d->result[i];

		if (counts(r, p->side) && (p->form == ANY || form_of(a->d, r) == p->form))
			a->mark[r->run] = (unsigned char)m;
	}
}

/* Stores that the results of run ODD[0] and those of ODD[1] are of other things. */
static int
refuse_quantity(const struct diff *d, const struct part *p, const struct slice odd[2],
    struct err *e)
{
	const struct family *f = family_of(d, p->in.from);
	struct slice m = f->part[PART_MEASURE], of = f->part[PART_OF];

	if (slice_is_nothing(of))
		of = SLICE("the values");
	return err_data(e,
	    "%s: the results of %.*s are of %.*s for run %.*s, and of something else for run "
	    "%.*s: use the same --weight and --of for all runs",
	    diff_side_name[p->side], slice_shown(m, SHOWN_MAX), m.p, slice_shown(of, SHOWN_MAX),
	    of.p, slice_shown(odd[1], SHOWN_MAX), odd[1].p, slice_shown(odd[0], SHOWN_MAX),
	    odd[0].p);
}

/* Stores what is wrong if run ODD[0] has no results of the part, but run ODD[1] has. */
static int
refuse(const struct diff *d, const struct part *p, const struct slice odd[2], struct err *e)
{
	const struct family *f = family_of(d, p->in.from);
	struct slice m = f->part[PART_MEASURE], stat = f->part[PART_STAT];

	if (p->same == PART_OF)
		return refuse_quantity(d, p, odd, e);
	if (p->same == PART_WINDOWS || p->form != ANY)
		return err_data(e,
		    "%s: the results of %.*s have other %s for run %.*s than for run %.*s: use "
		    "the same %s for all runs",
		    diff_side_name[p->side], slice_shown(m, SHOWN_MAX), m.p,
		    p->form != ANY ? "keys" : "windows", slice_shown(odd[0], SHOWN_MAX), odd[0].p,
		    slice_shown(odd[1], SHOWN_MAX), odd[1].p, p->form != ANY ? "--by" : "--window");
	return err_data(e,
	    "%s: the results of %.*s lack %.*s for run %.*s, but not for run %.*s: use the same "
	    "--stat for all runs",
	    diff_side_name[p->side], slice_shown(m, SHOWN_MAX), m.p, slice_shown(stat, SHOWN_MAX),
	    stat.p, slice_shown(odd[0], SHOWN_MAX), odd[0].p, slice_shown(odd[1], SHOWN_MAX),
	    odd[1].p);
}

/*
 * Finds a run that has only results of the rest, and another one that has only those of the part;
 * of several the first ones in bytewise order.  Returns false if there are not both.
 */
static bool
find_odd(const struct alike *a, enum diff_side s, struct slice odd[2])
{
	const struct tab *runs = &a->d->side[s].runs;
	size_t i;

	odd[0] = odd[1] = (struct slice){ NULL, 0 };
	for (i = 0; i < runs->count; i++) {
		struct slice run = runs->item[i], *o = &odd[a->mark[i] == PART];

		if (a->mark[i] != NONE && a->mark[i] != BOTH &&
		    (o->p == NULL || slice_cmp(run, *o) < 0))
			*o = run;
	}
	return odd[0].p != NULL && odd[1].p != NULL;
}

/* Checks that each run that has results of the whole range has some of the part. */
static int
check_part(struct alike *a, struct range whole, const struct part *p, struct err *e)
{
	struct slice odd[2];

	memset(a->mark, NONE, a->d->side[p->side].runs.count);
	mark(a, &(struct part){ p->side, whole, ANY, p->same }, REST);
	mark(a, p, PART);
	return find_odd(a, p->side, odd) ? refuse(a->d, p, odd, e) : 0;
}

/*
 * Stores the doubt that a run of a family has only results without a region, and another one only
 * those with one.  Perhaps none of its code has a name.  A run with both is as it should be.
 */
static void
see_regions(const struct alike *a, enum diff_side s, struct range family)
{
	struct slice m = family_of(a->d, family.from)->part[PART_MEASURE], odd[2];
	size_t i;

	if (a->doubt->code != ERR_NONE)
		return; /* one is enough */
	memset(a->mark, NONE, a->d->side[s].runs.count);
	for (i = family.from; i < family.to; i++) {
		const struct result *r = &a->d->result[i];

		if (counts(r, s))
			a->mark[r->run] |= a->d->group[r->group].has_region ? PART : REST;
	}
	if (!find_odd(a, s, odd))
		return;
	err_data(a->doubt,
	    "%s: no result of %.*s has a region for run %.*s, but each for run %.*s: was it "
	    "aggregated by region, too?",
	    diff_side_name[s], slice_shown(m, SHOWN_MAX), m.p, slice_shown(odd[0], SHOWN_MAX),
	    odd[0].p, slice_shown(odd[1], SHOWN_MAX), odd[1].p);
	a->doubt->code = ERR_DOUBT;
}

/* Checks that each run of a family has results of all its forms. */
static int
check_forms(struct alike *a, enum diff_side s, struct range family, struct err *e)
{
	uint32_t known[FORMS_MAX];
	size_t n = 0, i, k;
	int rc = 0;

	for (i = family.from; n < FORMS_MAX && i < family.to; i++) {
		if (!counts(&a->d->result[i], s))
			continue;
		known[n] = form_of(a->d, &a->d->result[i]);
		for (k = 0; known[k] != known[n]; k++)
			;
		n += k == n;
	}
	for (k = 0; rc == 0 && n > 1 && k < n; k++)
		rc = check_part(a, family, &(struct part){ s, family, known[k], PART_STAT }, e);
	return rc;
}

/* Checks the families of the results of a range, which are about the same values. */
static int
check_families(struct alike *a, struct range whole, struct err *e)
{
	struct range in;
	enum diff_side s;
	int rc = 0;

	for (in.from = whole.from; rc == 0 && in.from < whole.to; in.from = in.to) {
		const struct family *f = family_of(a->d, in.from);
		/* values of weight 0 have a count, and no bin */
		bool each = f->adds && !slice_eq(f->part[PART_STAT], SLICE("hist"));

		for (in.to = in.from; in.to < whole.to && family_of(a->d, in.to) == f;)
			in.to++;
		for (s = 0; rc == 0 && s < DIFF_SIDES; s++) {
			if (each)
				rc = check_part(a, whole, &(struct part){ s, in, ANY, PART_STAT },
				    e);
			if (rc == 0)
				rc = check_forms(a, s, in, e);
			see_regions(a, s, in);
		}
	}
	return rc;
}

/*
 * Returns the end of the results from IN.FROM on, up to IN.TO, whose families do not differ from
 * the first one up to that part.
 */
static size_t
end_of(const struct diff *d, struct range in, enum family_part last)
{
	const struct family *first = family_of(d, in.from), *f;
	size_t part;

	for (; in.from < in.to; in.from++) {
		f = family_of(d, in.from);
		for (part = 0; part <= last; part++)
			if (f != first && !slice_eq(f->part[part], first->part[part]))
				return in.from;
	}
	return in.to;
}

/* Returns true if a run without results of some family of the range counts as 0. */
static bool
any_adds(const struct diff *d, struct range in)
{
	while (in.from < in.to && !family_of(d, in.from)->adds)
		in.from++;
	return in.from < in.to;
}

/* Returns true if each run that has results of the whole range has some outside of the part. */
static bool
all_have_others(struct alike *a, struct range whole, const struct part *p)
{
	size_t i = 0, runs = a->d->side[p->side].runs.count;

	memset(a->mark, NONE, runs);
	mark(a, p, PART);
	mark(a, &(struct part){ p->side, { whole.from, p->in.from }, ANY, p->same }, REST);
	mark(a, &(struct part){ p->side, { p->in.to, whole.to }, ANY, p->same }, REST);
	while (i < runs && a->mark[i] != PART)
		i++;
	return i == runs;
}

/*
 * Checks a range of results that have a part in common: windows, or what they are of.  A run may
 * lack some of those whose tag no line of it has, but not have only these if others lack them.
 */
static int
check_same(struct alike *a, struct range whole, struct range in, enum family_part same,
    struct err *e)
{
	enum diff_side s;
	int rc = 0;

	for (s = 0; rc == 0 && s < DIFF_SIDES; s++) {
		struct part p = { s, in, ANY, same };

		if (any_adds(a->d, in) && (same != PART_OF || !all_have_others(a, whole, &p)))
			rc = check_part(a, whole, &p, e);
	}
	return rc;
}

/* Checks the results of a range, whose families have the parts before LEVEL in common. */
static int
check_range(struct alike *a, struct range whole, enum family_part level, struct err *e)
{
	struct range in;
	int rc = 0;

	for (in.from = whole.from; rc == 0 && in.from < whole.to; in.from = in.to) {
		in.to = end_of(a->d, (struct range){ in.from, whole.to }, level);
		if (level == PART_OF || level == PART_WINDOWS)
			rc = check_same(a, whole, in, level, e);
		if (rc == 0)
			rc = level == PART_WINDOWS ? check_families(a, in, e)
						   : check_range(a, in, level + 1, e);
	}
	return rc;
}

int
diff_check_alike(struct diff *d, struct err *e)
{
	size_t before = d->side[DIFF_BEFORE].runs.count, after = d->side[DIFF_AFTER].runs.count;
	struct alike a = { d, mem_zero(before > after ? before : after, sizeof *a.mark),
		&d->regions };
	int rc = a.mark == NULL ? err_nomem(e)
				: check_range(&a, (struct range){ 0, d->results }, PART_MEASURE, e);

	mem_free(a.mark);
	return rc;
}
