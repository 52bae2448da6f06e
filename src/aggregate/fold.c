/* SPDX-License-Identifier: ISC */
/* fold.c - adds a line to its stack, and writes the stacks for flamegraph.pl. */
#include "src/aggregate/fold.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/buf.h"
#include "lib/esc.h"
#include "lib/kinds.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/short.h"
#include "lib/tab.h"
#include "lib/units.h"
#include "lib/vec.h"
#include "src/aggregate/accumulator.h"

enum note {
	NOTE_KINDS,
	NOTE_STARTS,
	NOTE_MEASURES,
	NOTE_STATS,
	NOTE_VALUES,
	NOTE_LONG,
	NOTE_UNITS,
	NOTES
};

/* The lines that are counted. */
enum kinds { KINDS_OPEN, KINDS_EVENTS, KINDS_AGGREGATES, KINDS_CHANGES, KINDS_NAMED };

/* What a line adds to its stack. */
struct weight {
	bool small; /* it is v, not big */
	int64_t v;
	struct number big;
};

struct fold {
	struct slice root[FOLD_ROOTS_MAX]; /* parts of `roots` */
	size_t roots;
	struct buf root_text;
	enum kinds kinds;
	struct slice kind; /* for KINDS_NAMED */
	bool has_measure, all, count;
	struct buf measure; /* escaped */
	struct units units; /* units from the measure lines */
	bool has_unit, unsure; /* a unit is chosen; memory ran out, so a measure line was lost */
	struct buf unit; /* escaped */
	struct buf of; /* of aggregates: what was aggregated, spelled as in the stream */
	bool has_of;

	struct tab stacks;
	struct accumulator *total; /* the total of each stack */
	struct accumulator *after; /* the same after a change, or NULL */
	size_t cap, after_cap, last;
	struct buf text; /* the current stack */

	struct buf others; /* for the note: some other measures, or units added together */
	uint64_t left_out[NOTES];
	uint64_t overlapping; /* number of groups that overlap */
	uint64_t lost, below; /* number of lost lines, and of stacks without a valid weight */
};

struct fold *
fold_new(void)
{
	struct fold *f = mem_zero(1, sizeof *f);

	if (f == NULL)
		return NULL;
	f->root[0] = SLICE("comm");
	f->roots = 1;
	return f;
}

void
fold_free(struct fold *f)
{
	size_t i;

	if (f == NULL)
		return;
	for (i = 0; i < f->stacks.count && i < f->cap; i++)
		accumulator_free(&f->total[i]);
	for (i = 0; i < f->stacks.count && i < f->after_cap; i++)
		accumulator_free(&f->after[i]);
	mem_free(f->total);
	mem_free(f->after);
	tab_free(&f->stacks);
	buf_free(&f->root_text);
	buf_free(&f->measure);
	buf_free(&f->text);
	buf_free(&f->others);
	buf_free(&f->unit);
	buf_free(&f->of);
	units_free(&f->units);
	mem_free(f);
}

int
fold_set_root(struct fold *f, const char *list, struct err *e)
{
	size_t from[FOLD_ROOTS_MAX + 1] = { 0 }, i, n;

	f->roots = 0;
	if (strcmp(list, ".") == 0)
		return 0;
	for (;; list += n + 1) {
		n = strcspn(list, ",");
		if (n == 0)
			return err_data(e, "empty word in a list");
		if (f->roots == FOLD_ROOTS_MAX)
			return err_data(e, "more than %d words", FOLD_ROOTS_MAX);
		if (!esc_append(&f->root_text, list, n, ESC_KEY))
			return err_nomem(e);
		from[++f->roots] = f->root_text.len;
		if (list[n] == '\0')
			break;
	}
	for (i = 0; i < f->roots; i++)
		f->root[i] = (struct slice){ f->root_text.p + from[i], from[i + 1] - from[i] };
	return 0;
}

int
fold_set_measure(struct fold *f, const char *name, struct err *e)
{
	f->has_measure = true;
	f->measure.len = 0;
	return esc_append(&f->measure, name, strlen(name), ESC_COLUMN) ? 0 : err_nomem(e);
}

void
fold_set_kind(struct fold *f, const char *kind)
{
	f->kinds = KINDS_NAMED;
	f->kind = slice_of(kind);
}

void
fold_all_measures(struct fold *f)
{
	f->all = true;
}

void
fold_count(struct fold *f)
{
	f->count = true;
}

static bool
is_kind(const struct ev *ev, const char *kind)
{
	return short_eq(ev->col[EV_KIND], slice_of(kind));
}

/* Returns which of the sorts of lines this is, or KINDS_OPEN for another one. */
static enum kinds
kinds_of(const struct ev *ev)
{
	return is_kind(ev, "sample") || is_kind(ev, "span") ? KINDS_EVENTS
	    : is_kind(ev, "agg")                            ? KINDS_AGGREGATES
	    : is_kind(ev, "diff")                           ? KINDS_CHANGES
							    : KINDS_OPEN;
}

static bool
wants_kind(struct fold *f, const struct ev *ev)
{
	enum kinds k;

	if (f->kinds == KINDS_NAMED)
		return slice_eq(ev->col[EV_KIND], f->kind) && !is_kind(ev, "part");
	k = kinds_of(ev);
	return k != KINDS_OPEN && (f->kinds == KINDS_OPEN || f->kinds == k);
}

/* Returns true for a statistic of events, or its change. */
static bool
is_statistic(const struct ev *ev)
{
	return is_kind(ev, "agg") || is_kind(ev, "diff");
}

/*
 * Returns true for a measure in which the value of an outer frame includes the values of inner
 * frames.
 */
static bool
is_inclusive(struct slice measure)
{
	return slice_eq(measure, SLICE("inclusive")) || slice_eq(measure, SLICE("union"));
}

static bool
wants_measure(struct fold *f, struct slice measure)
{
	if (f->all)
		return true;
	return f->has_measure ? short_eq(measure, buf_slice(&f->measure)) : !is_inclusive(measure);
}

static struct slice
of_what(const struct ev *ev)
{
	struct slice of;

	return ev_tag(ev, SLICE("of"), &of) ? of : SLICE(".");
}

static bool
has_weight(const struct fold *f, const struct ev *ev, enum note *why)
{
	struct slice v;

	*why = NOTE_STATS;
	if (is_statistic(ev) && ev_tag(ev, SLICE("stat"), &v)) {
		if (!slice_eq(v, f->count ? SLICE("count") : SLICE("sum")) ||
		    (f->has_of && !slice_eq(of_what(ev), buf_slice(&f->of))))
			return false;
		*why = NOTE_VALUES;
		return !is_kind(ev, "diff") || !slice_is_nothing(ev->col[EV_VALUE]);
	}
	*why = NOTE_VALUES;
	if (f->count)
		return true;
	return !slice_is_nothing(ev->col[EV_VALUE]) &&
	    !(ev_tag(ev, SLICE("type"), &v) && slice_eq(v, SLICE("text")));
}

/* Returns true if the unit is that of the first line used, or if all units are wanted. */
static bool
wants_unit(const struct fold *f, struct slice unit)
{
	return f->all || !f->has_unit || short_eq(unit, buf_slice(&f->unit));
}

/* Returns true if the line is used.  Otherwise counts it as omitted. */
static bool
wants(struct fold *f, const struct ev *ev)
{
	struct slice measure = ev->col[EV_MEASURE], unit;
	enum note why = NOTE_KINDS;

	if (is_kind(ev, "measure") && !units_declare(&f->units, ev))
		f->unsure = true;
	if (wants_kind(f, ev)) {
		unit = units_of(&f->units, ev);
		if (!wants_measure(f, measure) || !wants_unit(f, unit)) {
			units_name(&f->others, measure, unit);
			why = NOTE_MEASURES;
		} else if (has_weight(f, ev, &why)) {
			return true;
		}
	} else if (is_kind(ev, "run") || is_kind(ev, "measure") || is_kind(ev, "section") ||
	    kind_is_silent(ev->col[EV_KIND])) {
		return false;
	} else if (is_kind(ev, "start") || is_kind(ev, "stop")) {
		why = NOTE_STARTS;
	}
	f->lost += is_kind(ev, "lost");
	f->left_out[why]++;
	return false;
}

static bool
decide_unit(struct fold *f, const struct ev *ev)
{
	struct slice unit;

	if (f->has_unit && (!f->all || f->count))
		return true;
	unit = units_of(&f->units, ev);
	if (!f->has_unit) {
		f->has_unit = true;
		f->unit.len = 0;
		return buf_put(&f->unit, unit.p, unit.len);
	}
	if (!short_eq(unit, buf_slice(&f->unit))) {
		if (f->left_out[NOTE_UNITS]++ == 0)
			units_name_unit(&f->others, buf_slice(&f->unit));
		units_name_unit(&f->others, unit);
	}
	return true;
}

/* Sums of different things, such as sums of sums and sums of counts, are never added up. */
static bool
decide_of(struct fold *f, const struct ev *ev)
{
	struct slice of;

	if (f->has_of || !is_statistic(ev))
		return true;
	f->has_of = true;
	of = of_what(ev);
	return buf_put(&f->of, of.p, of.len);
}

/*
 * Records the kind, unit, measure and, for aggregates, the tag `of` of the first line used, which
 * decide which other lines are used.  Returns false if memory runs out.
 */
static bool
decide(struct fold *f, const struct ev *ev)
{
	if (f->kinds == KINDS_OPEN)
		f->kinds = kinds_of(ev);
	if (!decide_unit(f, ev) || !decide_of(f, ev))
		return false;
	if (f->has_measure || f->all)
		return true;
	f->has_measure = true;
	f->measure.len = 0;
	return buf_put(&f->measure, ev->col[EV_MEASURE].p, ev->col[EV_MEASURE].len);
}

/* Appends a frame, spelled as in the stream.  A ';' is allowed in a column, but not in a frame. */
static bool
put_frame(struct buf *b, struct slice s)
{
	size_t i, n;

	if (b->len != 0 && !buf_putc(b, ';'))
		return false;
	if (slice_is_nothing(s))
		s = SLICE("[unknown]");
	for (i = 0; i < s.len; i += n + 1) {
		const char *p = memchr(s.p + i, ';', s.len - i);

		n = p == NULL ? s.len - i : (size_t)(p - s.p) - i;
		if (!buf_put(b, s.p + i, n) || (p != NULL && !buf_put(b, "\\x3b", 4)))
			return false;
	}
	return true;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/*
 * Spells the last blank of a stack as \x20 if a number follows it, since flamegraph.pl would read
 * that number as a second weight (\s+\d+(\.\d*)?).
 */
static bool
guard_end(struct buf *b)
{
	size_t n = b->len, i = n, points = 0;

	for (; i > 0 && (is_digit(b->p[i - 1]) || b->p[i - 1] == '.'); i--)
		points += b->p[i - 1] == '.';
	if (i == n || points > 1 || i == 0 || b->p[i - 1] != ' ' || !is_digit(b->p[i]))
		return true;
	if (!buf_room(b, 3))
		return false;
	memmove(b->p + i + 3, b->p + i, n - i);
	memcpy(b->p + i - 1, "\\x20", 4);
	b->len += 3;
	return true;
}

/* Returns true if the decoder had to omit the line's stack. */
static bool
lacks_stack(const struct ev *ev)
{
	struct slice list, name;

	if (!ev_tag(ev, SLICE("omitted"), &list))
		return false;
	while (ev_next_element(&list, &name))
		if (slice_eq(name, SLICE("stack")))
			return true;
	return false;
}

/* Writes the line's stack to f->text. */
static bool
spell(struct fold *f, const struct ev *ev)
{
	struct slice stack, s;
	size_t i;

	f->text.len = 0;
	for (i = 0; i < f->roots; i++) {
		s = ev_get(ev, f->root[i]);
		if (!slice_is_nothing(s) && !put_frame(&f->text, s))
			return false;
	}
	if (!ev_tag(ev, SLICE("stack"), &stack) || stack.len == 0 || slice_is_nothing(stack)) {
		f->left_out[NOTE_LONG] += lacks_stack(ev);
		return put_frame(&f->text, ev->col[EV_REGION]) && guard_end(&f->text);
	}
	while (ev_next_element(&stack, &s))
		if (!put_frame(&f->text, s))
			return false;
	return guard_end(&f->text);
}

/* Returns the number of the stack, or TAB_NONE if memory runs out. */
static size_t
find_stack(struct fold *f, struct slice text)
{
	if (f->stacks.count != 0 && short_eq(text, f->stacks.item[f->last]))
		return f->last;
	if (!vec_room_zero(f->total, f->stacks.count, f->cap))
		return TAB_NONE;
	f->last = tab_add(&f->stacks, text, NULL);
	return f->last;
}

static bool
add_weight(struct accumulator *t, const struct weight *w)
{
	return w->small ? accumulator_add(t, NULL, ACCUMULATOR_SUM, w->v)
			: accumulator_add_number(t, NULL, ACCUMULATOR_SUM, &w->big, 1);
}

/* AFTER is NULL if the line is not a change.  Returns false if memory runs out. */
static bool
add(struct fold *f, const struct ev *ev, const struct weight *w, const struct weight *after)
{
	size_t stack;

	if (!decide(f, ev) || !spell(f, ev))
		return false;
	stack = find_stack(f, buf_slice(&f->text));
	if (stack == TAB_NONE || !add_weight(&f->total[stack], w))
		return false;
	return after == NULL ||
	    (vec_room_zero(f->after, stack, f->after_cap) && add_weight(&f->after[stack], after));
}

/* Returns whether the line is a group of afagg that shares events with other groups. */
static bool
overlaps(const struct ev *ev)
{
	struct slice tag;

	return (is_kind(ev, "agg") && ev_tag(ev, SLICE("total"), &tag)) ||
	    (is_kind(ev, "diff") && ev_tag(ev, SLICE("overlap"), &tag));
}

static int
read_weight(struct weight *w, struct slice text, const struct ev *ev, struct err *e)
{
	w->small = number_small(text, &w->v);
	return w->small || number_get(text, &w->big, e) == 0 ? 0 : err_at_line(e, ev->number);
}

/* Adds the means of both sides. */
static int
add_change(struct fold *f, const struct ev *ev, struct err *e)
{
	struct weight before, after;
	int rc = read_weight(&before, ev_get(ev, SLICE("before")), ev, e);

	if (rc == 0)
		rc = read_weight(&after, ev_get(ev, SLICE("after")), ev, e);
	if (rc == 0 && !add(f, ev, &before, &after))
		rc = err_nomem(e);
	return rc;
}

int
fold_line(struct fold *f, const struct ev *ev, struct err *e)
{
	struct weight w = { .small = true, .v = 1 };
	int rc = 0;

	if (!wants(f, ev))
		return 0;
	if (overlaps(ev))
		return f->overlapping++ != 0
		    ? 0
		    : err_data(e, "the groups overlap (%s=), so they cannot be added up",
			  is_kind(ev, "diff") ? "overlap" : "total");
	if (is_kind(ev, "diff"))
		return add_change(f, ev, e);
	if (!f->count || is_kind(ev, "agg"))
		rc = read_weight(&w, ev->col[EV_VALUE], ev, e);
	if (rc == 0 && !add(f, ev, &w, NULL))
		rc = err_nomem(e);
	return rc;
}

struct folded {
	struct slice stack;
	size_t number;
};

static int
by_stack(const void *a, const void *b)
{
	return slice_cmp(((const struct folded *)a)->stack, ((const struct folded *)b)->stack);
}

#define PLAIN_MAX 400 /* bytes that put_plain needs */
#define DIGITS_MAX 64

/* Extracts the digits without the point, and stores the position of the point. */
static size_t
take_digits(struct slice s, char *digits, long *point)
{
	char power[16];
	size_t i, n = 0;

	*point = -1;
	for (i = 0; i < s.len && s.p[i] != 'e'; i++) {
		if (s.p[i] == '.')
			*point = (long)n;
		else if (!is_digit(s.p[i]) || n == DIGITS_MAX)
			return 0;
		else
			digits[n++] = s.p[i];
	}
	if (*point < 0)
		*point = (long)n;
	if (i < s.len && s.len - i - 1 < sizeof power) {
		memcpy(power, s.p + i + 1, s.len - i - 1);
		power[s.len - i - 1] = '\0';
		*point += strtol(power, NULL, 10);
	}
	return n;
}

/*
 * Writes a number, in the spelling of accumulator_put, as digits with an optional point and nothing
 * else.  Returns the length, or 0 if it is below 0, infinite or not a number.
 */
static size_t
put_plain(char *dst, struct slice s)
{
	char digits[DIGITS_MAX], *d = dst;
	long point, i;
	size_t n;

	if (slice_eq(s, SLICE("-0")))
		s = SLICE("0");
	n = take_digits(s, digits, &point);
	if (n == 0 || point > 320 || point < -330)
		return 0;
	if (point <= 0)
		*d++ = '0';
	for (i = 0; i < point; i++)
		*d++ = i < (long)n ? digits[i] : '0';
	if (point >= (long)n)
		return (size_t)(d - dst);
	*d++ = '.';
	for (i = point; i < 0; i++)
		*d++ = '0';
	for (; i < (long)n; i++)
		*d++ = digits[i];
	return (size_t)(d - dst);
}

/* Returns the length of the weight, or 0 if flamegraph.pl cannot read it. */
static size_t
spell_weight(char *dst, struct accumulator *total)
{
	char spelled[ACCUMULATOR_PUT_MAX];

	return put_plain(dst, (struct slice){ spelled, accumulator_put_sum(spelled, total) });
}

/* Writes the stack with its weight, or with those before and after a change. */
static void
put_folded(struct fold *f, struct out *o, const struct folded *s)
{
	char before[PLAIN_MAX], after[PLAIN_MAX];
	size_t n = spell_weight(before, &f->total[s->number]);
	size_t m = f->after == NULL ? 0 : spell_weight(after, &f->after[s->number]);

	if (n == 0 || (f->after != NULL && m == 0)) {
		f->below++;
		return;
	}
	out_put(o, s->stack.p, s->stack.len);
	out_put(o, " ", 1);
	out_put(o, before, n);
	if (f->after != NULL) {
		out_put(o, " ", 1);
		out_put(o, after, m);
	}
	out_put(o, "\n", 1);
}

/* Settles the totals of all stacks.  Returns false if memory runs out. */
static bool
settle(const struct fold *f)
{
	size_t i;

	for (i = 0; i < f->stacks.count; i++)
		if (!accumulator_settle(&f->total[i], NULL) ||
		    (f->after != NULL && !accumulator_settle(&f->after[i], NULL)))
			return false;
	return true;
}

int
fold_write(struct fold *f, struct out *o, struct err *e)
{
	size_t i, n = f->stacks.count;
	struct folded *s = f->unsure || !settle(f) ? NULL : mem_alloc((n + 1) * sizeof *s);

	if (s == NULL)
		return err_nomem(e);
	for (i = 0; i < n; i++)
		s[i] = (struct folded){ f->stacks.item[i], i };
	qsort(s, n, sizeof *s, by_stack);
	for (i = 0; i < n && o->error == 0; i++)
		put_folded(f, o, &s[i]);
	mem_free(s);
	return 0;
}

static void
put_note(const struct fold *f, size_t i, char *text, size_t size)
{
	static const char *const words[NOTES] = {
		[NOTE_KINDS] = "left out lines of other kinds (see --kind): %" PRIu64,
		[NOTE_STARTS] =
		    "left out start and stop lines: %" PRIu64 "; afdur turns them into spans",
		[NOTE_STATS] = "left out lines of other statistics: %" PRIu64,
		[NOTE_VALUES] = "left out lines whose value is not a number: %" PRIu64,
		[NOTE_LONG] =
		    "lines without room for their stack, folded by region alone: %" PRIu64,
	};
	int n = (int)f->others.len;

	if (i == NOTES)
		snprintf(text, size,
		    "left out stacks whose sum is negative or not a number: %" PRIu64, f->below);
	else if (i > NOTES)
		snprintf(text, size, "the source lost events: the weights are too small");
	else if (i == NOTE_UNITS)
		snprintf(text, size, "added up values of different units (see --measure): %.*s", n,
		    n == 0 ? "" : f->others.p);
	else if (i == NOTE_MEASURES)
		snprintf(text, size,
		    "left out lines of other measures (see --measure, --all): %" PRIu64 ", %.*s",
		    f->left_out[i], n, n == 0 ? "" : f->others.p);
	else
		snprintf(text, size, words[i], f->left_out[i]);
}

bool
fold_note(const struct fold *f, size_t *at, char *text, size_t size)
{
	for (; *at < NOTES + 2; ++*at) {
		uint64_t n = *at < NOTES ? f->left_out[*at] : *at == NOTES ? f->below : f->lost;

		if (n == 0)
			continue;
		put_note(f, *at, text, size);
		++*at;
		return true;
	}
	return false;
}
