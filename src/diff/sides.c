/* SPDX-License-Identifier: ISC */
/* sides.c - tests the conditions of limits, merges partial results, and counts what is left. */
#include "src/diff/sides.h"

#include <stdio.h>

#include "lib/buf.h"
#include "lib/kinds.h"
#include "lib/mem.h"
#include "lib/vec.h"
#include "src/aggregate/aggregate.h"
#include "src/diff/diffint.h"
#include "src/select/select.h"

#define SHOWN_MAX 60 /* bytes of a key in a message */

struct sides {
	struct diff_settings *x;
	struct select *condition[DIFF_LIMITS_MAX]; /* of each limit; NULL: all groups */
	struct aggregate *parts[DIFF_SIDES]; /* merges partial results */
	struct diff *diff;
	struct kinds_left left[DIFF_SIDES]; /* lines of kinds that are not compared */
	bool lost[DIFF_SIDES]; /* lines of losses were left, and no mark counts them */
	bool reads_unit; /* some condition does */
	struct buf text; /* a line with its unit, */
	uint32_t *cut; /* and where its parts end */
	size_t cut_cap;
	size_t limit, at; /* for sides_rest */
};

struct sides *
sides_new(struct diff_settings *x)
{
	struct sides *s = mem_zero(1, sizeof *s);

	if (s != NULL)
		s->x = x;
	return s;
}

void
sides_free(struct sides *s)
{
	enum diff_side side;
	size_t i;

	for (i = 0; i < DIFF_LIMITS_MAX; i++)
		select_free(s->condition[i]);
	for (side = 0; side < DIFF_SIDES; side++) {
		aggregate_free(s->parts[side]);
		kinds_left_free(&s->left[side]);
	}
	diff_free(s->diff);
	buf_free(&s->text);
	mem_free(s->cut);
	mem_free(s);
}

/* What the condition of a limit names. */
struct named {
	const struct diff *diff; /* after the last line, or NULL */
	struct slice other; /* what tells results of one group apart, or no bytes */
	bool unit;
};

static void
see_key(void *ctx, struct slice key)
{
	/* those that no group has as a key; whether it has others is known after the last line */
	static const struct slice others[] = { SLICE_INIT("run"), SLICE_INIT("value"),
		SLICE_INIT("start"), SLICE_INIT("n"), SLICE_INIT("total"), SLICE_INIT("omitted"),
		SLICE_INIT("late") };
	struct named *x = ctx;

	x->unit = x->unit || slice_eq(key, SLICE("unit"));
	if (SLICE_AMONG(key, others) || (x->diff != NULL && diff_divides_groups(x->diff, key)))
		x->other = key;
}

/*
 * Refuses a condition about what tells results of one group apart: the limit would be about all of
 * them.
 */
static int
check_named(const struct named *x, const char *option, struct err *e)
{
	if (x->other.len == 0)
		return 0;
	err_data(e, "%sa limit is about groups, and %.*s is no key of these", option,
	    slice_shown(x->other, SHOWN_MAX), x->other.p);
	return err_add(e, ": choose results by afsel, before afdiff");
}

/* Reads the condition of a limit. */
static int
read_condition(struct sides *s, size_t i, const char *condition, struct err *e)
{
	struct named x = { .diff = NULL };

	if (select_kinds(s->condition[i], "agg", e) != 0 ||
	    select_where(s->condition[i], EXPR_AND, condition, e) != 0)
		return err_add(e,
		    ": '%s' before STAT>LIMIT is not a condition of afsel, such as region=parse",
		    condition);
	select_names(s->condition[i], see_key, &x);
	s->reads_unit = s->reads_unit || x.unit;
	return check_named(&x, "", e);
}

int
sides_limit(struct sides *s, const char *text, struct err *e)
{
	size_t i = s->x->limits;
	struct diff_limit *l = &s->x->limit[i];
	struct buf condition = { 0 };
	int rc;

	if (i == DIFF_LIMITS_MAX)
		return err_data(e, "more than %d limits", DIFF_LIMITS_MAX);
	if (diff_limit_read(l, slice_of(text), e) != 0)
		return e->code;
	s->x->limits++;
	if (l->condition.len == 0)
		return 0;
	s->condition[i] = select_new();
	if (s->condition[i] == NULL || !buf_put(&condition, l->condition.p, l->condition.len) ||
	    !buf_putc(&condition, '\0'))
		rc = err_nomem(e);
	else if ((rc = read_condition(s, i, condition.p, e)) == 0)
		select_ready(s->condition[i]);
	buf_free(&condition);
	return rc;
}

int
sides_begin(struct sides *s, struct err *e)
{
	enum diff_side side;

	s->diff = diff_new(s->x);
	if (s->diff == NULL)
		return err_nomem(e);
	for (side = 0; side < DIFF_SIDES; side++) {
		s->parts[side] = aggregate_new();
		if (s->parts[side] == NULL)
			return err_nomem(e);
		if (aggregate_ready(s->parts[side], e) != 0)
			return e->code;
	}
	return 0;
}

/* Makes a result that has its unit from its measure line one with a tag, for the conditions. */
static int
add_unit(struct sides *s, enum diff_side side, const struct ev *ev, struct ev *with, struct err *e)
{
	size_t cuts = EV_COLUMNS + ev->ntags + 1;
	struct slice unit;

	*with = *ev;
	if (ev_tag(ev, SLICE("unit"), &unit) || !slice_eq(ev->col[EV_KIND], SLICE("agg")))
		return 0;
	unit = diff_unit(s->diff, side, ev);
	if (slice_is_nothing(unit))
		return 0;
	s->text.len = 0;
	if (!buf_put(&s->text, ev->text.p, ev->text.len) || !buf_puts(&s->text, "\tunit=") ||
	    !buf_put(&s->text, unit.p, unit.len) || !vec_room(s->cut, cuts, s->cut_cap) ||
	    !ev_cut(buf_slice(&s->text), s->cut, s->cut_cap, with))
		return err_nomem(e);
	with->number = ev->number;
	return 0;
}

/* Finds the limits whose conditions hold for the line. */
static int
match(struct sides *s, enum diff_side side, const struct ev *ev, uint64_t *matched, struct err *e)
{
	size_t i;
	struct ev with;
	bool keep = true;
	int rc = 0;

	*matched = 0;
	if (s->reads_unit) {
		rc = add_unit(s, side, ev, &with, e);
		ev = &with;
	}
	for (i = 0; rc == 0 && i < s->x->limits; i++) {
		if (s->condition[i] != NULL)
			rc = select_line(s->condition[i], ev, &keep, e);
		*matched |= (uint64_t)(s->condition[i] == NULL || keep) << i;
	}
	return rc;
}

int
sides_line(struct sides *s, enum diff_side side, const struct ev *ev, struct err *e)
{
	uint64_t matched;
	int rc = 0;

	if (slice_eq(ev->col[EV_KIND], SLICE("part")))
		return aggregate_part(s->parts[side], ev, e);
	if (slice_eq(ev->col[EV_KIND], SLICE("measure")))
		rc = aggregate_measure(s->parts[side], ev, e);
	if (rc == 0)
		rc = match(s, side, ev, &matched, e);
	return rc == 0 ? diff_line(s->diff, side, ev, matched, e) : rc;
}

int
sides_merge(struct sides *s, enum diff_side side, struct evread **r, struct err *e)
{
	struct aggregate *a = s->parts[side];
	size_t at = 0;

	*r = NULL;
	if (aggregate_taken(a) == 0)
		return 0;
	if (diff_results(s->diff, side) != 0)
		return err_data(e, "%s has both results and partial results", diff_side_name[side]);
	return aggregate_missing(a, &at, e) != 0 ? (int)e->code : aggregate_read(a, r, e);
}

bool
sides_note(const struct sides *s, enum diff_side side, size_t *at, char *text, size_t size)
{
	return aggregate_note(s->parts[side], at, text, size);
}

void
sides_leave(struct sides *s, enum diff_side side, const struct ev *ev)
{
	uint64_t n;

	if (slice_eq(ev->col[EV_KIND], SLICE("lost")))
		s->lost[side] |= kinds_loss(ev, &n);
	else
		kinds_leave_line(&s->left[side], ev);
}

void
sides_counts(struct sides *s, enum diff_side side, const struct evread *r)
{
	diff_count_sources(s->diff, side, r, aggregate_taken(s->parts[side]) != 0);
	if (evread_count(r, MARK_LOST) != 0)
		s->lost[side] = false;
	if (evread_count(r, MARK_INCOMPLETE) != 0)
		kinds_left_told(&s->left[side], SLICE("incomplete"));
}

static bool
lost_note(const struct sides *s, enum diff_side side, char *text, size_t size)
{
	if (s->lost[side])
		snprintf(text, size, "%s: the source lost events, so the numbers are too small",
		    diff_side_name[side]);
	return s->lost[side];
}

/* Events beside results have no part in the comparison, though they may be those of a run. */
static bool
left_note(const struct sides *s, enum diff_side side, char *text, size_t size)
{
	size_t n = (size_t)snprintf(text, size, "%s: ", diff_side_name[side]);

	return kinds_left_note(&s->left[side], "other kinds", text + n, size - n);
}

bool
sides_left(const struct sides *s, size_t *at, char *text, size_t size)
{
	bool found = false;

	for (; !found && *at < 2 * (size_t)DIFF_SIDES; ++*at) {
		enum diff_side side = *at < 2 ? DIFF_BEFORE : DIFF_AFTER;

		found = (*at % 2 == 0 ? lost_note : left_note)(s, side, text, size);
	}
	return found;
}

int
sides_compare(struct sides *s, struct err *e)
{
	struct named x = { .diff = s->diff };
	size_t i;

	if (diff_compare(s->diff, e) != 0)
		return e->code;
	for (i = 0; i < s->x->limits; i++)
		if (s->condition[i] != NULL)
			select_names(s->condition[i], see_key, &x);
	return check_named(&x, "--fail-if: ", e);
}

struct diff *
sides_diff(const struct sides *s)
{
	return s->diff;
}

bool
sides_rest(struct sides *s, struct err *e)
{
	for (; s->limit < s->x->limits; s->limit++, s->at = 0)
		if (s->condition[s->limit] != NULL &&
		    select_rest(s->condition[s->limit], &s->at, e))
			return true;
	return diff_rest(s->diff, &s->at, e);
}
