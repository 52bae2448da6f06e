/* SPDX-License-Identifier: ISC */
/* fold.c - adds a line to its stack; the stacks in order, with their weights. */
#include "src/aggregate/fold.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "lib/buf.h"
#include "lib/esc.h"
#include "lib/forms.h"
#include "lib/hint.h"
#include "lib/keys.h"
#include "lib/kinds.h"
#include "lib/mem.h"
#include "lib/namesakes.h"
#include "lib/num.h"
#include "lib/short.h"
#include "lib/tab.h"
#include "lib/textsort.h"
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
	NOTE_WHOLE,
	NOTE_BESIDE, /* counts beside sums, or sums beside counts: part of NOTE_STATS, or nothing */
	NOTES, /* lines are left out for the reasons above; those below are about all lines */
	NOTE_BELOW = NOTES,
	NOTE_DOUBLED,
	NOTE_LOST,
	NOTE_FLAT, /* no line has a stack */
	NOTE_PLACELESS, /* results without a function */
	NOTE_NESTED,
	NOTE_FORMS,
	NOTE_NAMESAKES,
	NOTES_ALL
};

/* The lines that are counted. */
enum kinds { KINDS_OPEN, KINDS_EVENTS, KINDS_AGGREGATES, KINDS_CHANGES, KINDS_NAMED };

/* The kinds that are treated in a way of their own, the most frequent ones first. */
enum kind_here {
	HERE_SAMPLE,
	HERE_SPAN,
	HERE_AGG,
	HERE_DIFF,
	HERE_START,
	HERE_STOP,
	HERE_MEASURE,
	HERE_PART,
	HERE_LOST,
	HERE_OTHER
};

/* The tags that are read, before those of the roots. */
enum tag {
	TAG_STACK,
	TAG_UNIT,
	TAG_TYPE,
	TAG_DSO,
	TAG_STAT,
	TAG_OF,
	TAG_TOTAL,
	TAG_OVERLAP,
	TAG_EVENT,
	TAGS
};

/* A line, and what is looked for in it, once. */
struct line {
	const struct ev *ev;
	enum kind_here kind;
	struct slice tag[TAGS + FOLD_ROOTS_MAX]; /* values; p is NULL where the line has no tag */
};

/* A column or a tag. */
struct root {
	struct slice name;
	enum ev_column column; /* EV_COLUMNS for a tag */
	size_t tag; /* its number */
	bool process; /* it is pcomm, which lines of a process's first thread do not have */
	bool seen; /* some line has it */
};

/* What a line adds to its stack. */
struct weight {
	bool small; /* it is v, not big */
	int64_t v;
	struct number big;
};

#define OBJECT_NONE 0u
#define OBJECT_SEVERAL UINT32_MAX

/* The total of a stack. */
struct total {
	struct accumulator sum;
	uint32_t object; /* of the innermost frame: 1 + its number, or one of the above */
};

/* Stacks that are added up: those of one measure in one unit, unless all are wanted. */
struct part {
	struct buf measure, unit; /* of its first line, as in the stream */
	struct buf of; /* of aggregates: what was aggregated */
	struct buf name; /* of the measure, with what was aggregated */
	bool has_of;
	struct tab stacks;
	struct total *total; /* of each stack */
	struct accumulator *after; /* the same after a change, or NULL */
	size_t cap, after_cap, last;
	struct textsort_row *order; /* the stacks, sorted, after fold_sort */
};

struct fold {
	struct root root[FOLD_ROOTS_MAX]; /* their names are parts of root_text, or literals */
	size_t roots;
	struct buf root_text;
	struct ev_keys keys; /* of struct line */
	enum kinds kinds;
	struct slice kind; /* for KINDS_NAMED */
	enum fold_measures measures;
	bool named, count, frames;
	/* a pause came after the last span; and the durations are without the pauses */
	bool paused, deducted;
	bool any, kind_seen; /* there was a line; one of the named kind */
	bool chooses; /* fold_choose is used, so nothing is added up: no --add-measures */
	bool counts; /* of aggregates, counts are used besides sums */
	struct buf measure; /* escaped; if it is named */
	struct units units; /* units from the measure lines */
	bool unsure; /* memory ran out, so a measure line was lost */
	bool whole; /* some value used is that of a whole region */
	bool had_choice; /* another measure, not an inclusive one, was left out */
	bool displaced; /* another measure came first and gave way to self */
	struct buf first; /* the first measure with a measure line, other than inclusive ones */
	uint64_t taken; /* lines of the first part */

	struct part part[FOLD_PARTS_MAX];
	size_t parts, last; /* last: of the last line used */
	bool used; /* the last line was used */
	struct buf text; /* the current stack */
	struct tab object; /* what the tags dso say */

	struct kinds_left left;
	struct tab other_measures; /* of lines left out before the first of the named measure */
	struct buf others; /* for the note: some other measures, or units added together */
	uint64_t left_out[NOTES];
	uint64_t overlapping; /* number of groups that overlap */
	uint64_t changes; /* number of changes that a caller of fold_choose cannot use */
	struct tab seen; /* lines of changes; digests of those of aggregates */
	uint64_t repeated; /* number of changes that came again */
	uint64_t doubled; /* number of aggregates that came again, and were added */
	uint64_t weights; /* lines of statistics that are used */
	uint64_t lost; /* number of lost lines */
	uint64_t below, shown; /* numbers of stacks without a valid weight, and with one */
	uint64_t stackless; /* lines without a stack */
	uint64_t placeless; /* results among them that have no function, either */
	bool has_stacks; /* any line has one */
	struct forms forms; /* of the aggregates that are used */
	struct namesakes namesakes;
	bool events_apart; /* a root, or a key of the caller, tells events of one name apart */
};

static void
add_root(struct fold *f, struct slice name)
{
	struct root *r = &f->root[f->roots++];
	size_t i;

	*r = (struct root){ .name = name,
		.column = ev_column_named(name),
		.process = ev_is_process(name) };
	f->events_apart |= namesakes_are_told_by(name);
	if (r->column != EV_COLUMNS)
		return;
	for (i = 0; i < f->keys.count && !slice_eq(f->keys.key[i], name); i++)
		;
	r->tag = i < f->keys.count ? i : ev_keys_add(&f->keys, name);
}

/* Begins the keys with those that are always read. */
static void
start_keys(struct fold *f)
{
	static const char *const names[TAGS] = {
		[TAG_STACK] = "stack",
		[TAG_UNIT] = "unit",
		[TAG_TYPE] = "type",
		[TAG_DSO] = "dso",
		[TAG_STAT] = "stat",
		[TAG_OF] = "of",
		[TAG_TOTAL] = "total",
		[TAG_OVERLAP] = "overlap",
		[TAG_EVENT] = "event",
	};
	size_t i;

	f->keys = (struct ev_keys){ 0 };
	f->roots = 0;
	for (i = 0; i < TAGS; i++)
		ev_keys_add(&f->keys, slice_of(names[i]));
}

struct fold *
fold_new(void)
{
	struct fold *f = mem_zero(1, sizeof *f);

	if (f == NULL)
		return NULL;
	start_keys(f);
	add_root(f, SLICE("comm"));
	return f;
}

static void
free_part(struct part *p)
{
	size_t i;

	for (i = 0; i < p->stacks.count; i++)
		accumulator_free(&p->total[i].sum);
	for (i = 0; i < p->stacks.count && i < p->after_cap; i++)
		accumulator_free(&p->after[i]);
	mem_free(p->total);
	mem_free(p->after);
	mem_free(p->order);
	tab_free(&p->stacks);
	buf_free(&p->measure);
	buf_free(&p->unit);
	buf_free(&p->of);
	buf_free(&p->name);
}

void
fold_free(struct fold *f)
{
	size_t i;

	if (f == NULL)
		return;
	for (i = 0; i < f->parts; i++)
		free_part(&f->part[i]);
	tab_free(&f->object);
	tab_free(&f->seen);
	buf_free(&f->root_text);
	buf_free(&f->measure);
	tab_free(&f->other_measures);
	buf_free(&f->first);
	buf_free(&f->text);
	buf_free(&f->others);
	kinds_left_free(&f->left);
	forms_free(&f->forms);
	namesakes_free(&f->namesakes);
	units_free(&f->units);
	mem_free(f);
}

static int
set_root(struct fold *f, const char *list, struct err *e)
{
	size_t from[FOLD_ROOTS_MAX + 1] = { 0 }, i, n, roots = 0;

	start_keys(f);
	if (strcmp(list, ".") == 0)
		return 0;
	for (;; list += n + 1) {
		n = strcspn(list, ",");
		if (n == 0)
			return err_data(e, "empty word in a list: no blanks around commas");
		if (roots == FOLD_ROOTS_MAX)
			return err_data(e, "more than %d words", FOLD_ROOTS_MAX);
		if (!esc_append(&f->root_text, list, n, ESC_KEY))
			return err_nomem(e);
		from[++roots] = f->root_text.len;
		if (list[n] == '\0')
			break;
	}
	for (i = 0; i < roots; i++)
		add_root(f, (struct slice){ f->root_text.p + from[i], from[i + 1] - from[i] });
	return 0;
}

void
fold_set_measures(struct fold *f, enum fold_measures which)
{
	f->measures = which;
}

int
fold_set(struct fold *f, enum fold_setting which, const char *argument, struct err *e)
{
	switch (which) {
	case FOLD_MEASURE:
		f->named = true;
		f->measure.len = 0;
		return esc_append(&f->measure, argument, strlen(argument), ESC_COLUMN)
		    ? 0
		    : err_nomem(e);
	case FOLD_ADD_ALL: f->measures = f->measures == FOLD_EACH ? FOLD_UNITS : FOLD_ALL; break;
	case FOLD_KIND:
		if (strchr(argument, ',') != NULL)
			return err_data(e, "takes one kind");
		f->kinds = KINDS_NAMED;
		f->kind = slice_of(argument);
		break;
	case FOLD_COUNT: f->count = true; break;
	case FOLD_ROOT: return set_root(f, argument, e);
	case FOLD_SETTINGS: break;
	}
	return 0;
}

void
fold_for_frames(struct fold *f)
{
	f->frames = true;
}

void
fold_told_apart(struct fold *f, const char *list)
{
	struct slice rest = slice_of(list), key;

	while (slice_cut(&rest, ',', &key))
		f->events_apart |= namesakes_are_told_by(key);
}

void
fold_with_counts(struct fold *f)
{
	f->counts = true;
}

static enum kind_here
kind_here(struct slice name)
{
	static const struct slice names[HERE_OTHER] = {
		[HERE_SAMPLE] = SLICE_INIT("sample"),
		[HERE_SPAN] = SLICE_INIT("span"),
		[HERE_AGG] = SLICE_INIT("agg"),
		[HERE_DIFF] = SLICE_INIT("diff"),
		[HERE_START] = SLICE_INIT("start"),
		[HERE_STOP] = SLICE_INIT("stop"),
		[HERE_MEASURE] = SLICE_INIT("measure"),
		[HERE_PART] = SLICE_INIT("part"),
		[HERE_LOST] = SLICE_INIT("lost"),
	};
	int i;

	for (i = 0; i < HERE_OTHER && !short_eq(name, names[i]); i++)
		;
	return (enum kind_here)i;
}

/* Looks up the kind of the line, and its tags. */
static void
look(const struct fold *f, const struct ev *ev, struct line *l)
{
	struct slice value;
	size_t i, k;

	l->ev = ev;
	l->kind = kind_here(ev->col[EV_KIND]);
	for (i = 0; i < f->keys.count; i++)
		l->tag[i] = (struct slice){ NULL, 0 };
	for (i = 0; i < ev->ntags; i++) {
		k = ev_keys_find(&f->keys, ev_tag_at(ev, i), &value);
		if (k != EV_KEYS_MAX && l->tag[k].p == NULL)
			l->tag[k] = value;
	}
}

/* Returns which of the sorts of lines this is, or KINDS_OPEN for another one. */
static enum kinds
kinds_of(const struct line *l)
{
	return l->kind == HERE_SAMPLE || l->kind == HERE_SPAN ? KINDS_EVENTS
	    : l->kind == HERE_AGG                             ? KINDS_AGGREGATES
	    : l->kind == HERE_DIFF                            ? KINDS_CHANGES
							      : KINDS_OPEN;
}

static bool
wants_kind(struct fold *f, const struct line *l)
{
	enum kinds k;

	f->any = true;
	if (f->kinds == KINDS_NAMED && !slice_eq(l->ev->col[EV_KIND], f->kind))
		return false;
	f->kind_seen = true;
	if (f->kinds == KINDS_NAMED)
		return l->kind != HERE_PART;
	k = kinds_of(l);
	return k != KINDS_OPEN && (f->kinds == KINDS_OPEN || f->kinds == k);
}

/* Returns true for a statistic of events, or its change. */
static bool
is_statistic(const struct line *l)
{
	return l->kind == HERE_AGG || l->kind == HERE_DIFF;
}

/* Returns what an aggregate is about, "." for the values of its measure. */
static struct slice
of_what(const struct line *l)
{
	return is_statistic(l) && l->tag[TAG_OF].p != NULL ? l->tag[TAG_OF] : SLICE(".");
}

/* Returns what the aggregates of a part are about. */
static struct slice
what_of_part(const struct part *p)
{
	return p->has_of ? buf_slice(&p->of) : SLICE(".");
}

/* Returns true if lines with this unit are added to p. */
static bool
is_part(const struct fold *f, const struct part *p, const struct line *l, struct slice unit)
{
	if (f->measures < FOLD_ALL &&
	    (!short_eq(l->ev->col[EV_MEASURE], buf_slice(&p->measure)) ||
		!short_eq(of_what(l), what_of_part(p))))
		return false;
	return f->measures == FOLD_ALL || short_eq(unit, buf_slice(&p->unit));
}

/* Returns the part that the line belongs to, or f->parts if there is none yet. */
static size_t
part_of(const struct fold *f, const struct line *l, struct slice unit)
{
	size_t i;

	if (f->parts != 0 && is_part(f, &f->part[f->last], l, unit))
		return f->last;
	for (i = 0; i < f->parts && !is_part(f, &f->part[i], l, unit); i++)
		;
	return i;
}

/* Returns true if lines with the measure are used, in some unit.  PART is what part_of returns. */
static bool
wants_measure(const struct fold *f, const struct line *l, size_t part)
{
	if (f->named)
		return short_eq(l->ev->col[EV_MEASURE], buf_slice(&f->measure));
	/* the part decides if there is only one */
	if (f->measures == FOLD_ALL || (f->measures == FOLD_FIRST && f->parts != 0))
		return true;
	return (f->measures == FOLD_EACH && part < f->parts) ||
	    !ev_is_nested_measure(l->ev->col[EV_MEASURE]);
}

/* Returns true for the value of a whole region, which contains those of others. */
static bool
is_whole(const struct line *l)
{
	return l->kind == HERE_SPAN && ev_is_of_whole(l->ev);
}

/* Returns true if there is room for one more part. */
static bool
may_begin(const struct fold *f)
{
	return f->parts == 0 ||
	    ((f->measures == FOLD_EACH || f->measures == FOLD_UNITS) && f->parts < FOLD_PARTS_MAX);
}

/* Returns true for the statistics that afagg writes by default, one of which is enough here. */
static bool
is_usual(struct slice stat)
{
	return slice_eq(stat, SLICE("count")) || slice_eq(stat, SLICE("sum"));
}

/* Returns true for a statistic that is used as a weight. */
static bool
is_weight(const struct fold *f, struct slice stat)
{
	return slice_eq(stat, SLICE("count")) ? f->count || f->counts
					      : !f->count && slice_eq(stat, SLICE("sum"));
}

static bool
has_weight(const struct fold *f, const struct part *p, const struct line *l, enum note *why)
{
	bool nothing = slice_is_nothing(l->ev->col[EV_VALUE]);

	*why = NOTE_STATS;
	if (is_statistic(l) && l->tag[TAG_STAT].p != NULL) {
		if (!is_weight(f, l->tag[TAG_STAT])) {
			*why = is_usual(l->tag[TAG_STAT]) ? NOTE_BESIDE : NOTE_STATS;
			return false;
		}
		if (p != NULL && p->has_of && !slice_eq(of_what(l), buf_slice(&p->of)))
			return false;
		*why = NOTE_VALUES;
		return l->kind != HERE_DIFF || !nothing;
	}
	*why = NOTE_VALUES;
	return f->count || (!nothing && !slice_eq(l->tag[TAG_TYPE], SLICE("text")));
}

/* Returns true for aggregates of counts and the like, also with a weight or inner statistic. */
static bool
is_of_counts(struct slice of)
{
	size_t n = 0;

	while (n < of.len && of.p[n] != '*' && of.p[n] != '(')
		n++;
	return !units_stat_has((struct slice){ of.p, n });
}

/*
 * Returns how much aggregates or events of a measure are preferred: most of all those of self,
 * which flame graphs are about, then those of the first one that the source lists, since it is
 * chance which event has the first sample; and sums rather than counts.
 */
static unsigned
rank_of(const struct fold *f, struct slice measure, struct slice of)
{
	unsigned rank = ev_is_self_measure(measure)                        ? 2
	    : f->first.len != 0 && short_eq(measure, buf_slice(&f->first)) ? 1
									   : 0;

	return 2 * rank + !is_of_counts(of);
}

static unsigned
rank_of_part(const struct fold *f, const struct part *p)
{
	return rank_of(f, buf_slice(&p->measure), what_of_part(p));
}

/* Returns true if another measure is used only because it came first. */
static bool
displaces(const struct fold *f, const struct line *l)
{
	struct slice measure = l->ev->col[EV_MEASURE];

	return f->measures == FOLD_FIRST && f->parts == 1 &&
	    (!f->named || short_eq(measure, buf_slice(&f->measure))) &&
	    rank_of(f, measure, of_what(l)) > rank_of_part(f, &f->part[0]);
}

/* Appends the name of a measure, and what was aggregated if that is neither its values nor sums. */
static bool
put_name(struct buf *b, struct slice measure, struct slice of)
{
	return buf_put(b, measure.p, measure.len) &&
	    (slice_is_nothing(of) || slice_eq(of, SLICE("sum")) ||
		(buf_puts(b, " of ") && buf_put(b, of.p, of.len)));
}

static bool
is_of_sums(struct slice of)
{
	return slice_eq(of, SLICE("sum"));
}

/*
 * Appends the name of a line's measure.  Sums and sums of sums would have the same name if there
 * are both, so the latter get a longer one.
 */
static bool
put_name_of(struct fold *f, struct buf *name, const struct line *l, struct slice unit)
{
	struct slice measure = l->ev->col[EV_MEASURE], of = of_what(l), other;
	struct buf *longer = NULL;
	size_t i;

	for (i = 0; i < f->parts && longer == NULL; i++) {
		struct part *p = &f->part[i];

		other = what_of_part(p);
		if (!short_eq(measure, buf_slice(&p->measure)) ||
		    !short_eq(unit, buf_slice(&p->unit)))
			continue;
		if (is_of_sums(of) && slice_is_nothing(other))
			longer = name;
		else if (is_of_sums(other) && slice_is_nothing(of) && p->name.len == measure.len)
			longer = &p->name;
	}
	return put_name(name, measure, of) && (longer == NULL || buf_puts(longer, " of sum"));
}

/* Notes the name of a measure that is left out. */
static void
name_other(struct fold *f, const struct line *l, struct slice unit)
{
	struct buf name = { 0 };

	if (put_name_of(f, &name, l, unit))
		units_name(&f->others, buf_slice(&name), unit);
	buf_free(&name);
}

/* Leaves out the lines that have been used, for those of another measure. */
static void
start_again(struct fold *f, struct slice measure)
{
	struct part *p = &f->part[0];

	units_name(&f->others, buf_slice(&p->name), buf_slice(&p->unit));
	f->left_out[NOTE_MEASURES] += f->taken;
	f->had_choice = true;
	f->displaced = ev_is_self_measure(measure) || short_eq(measure, buf_slice(&p->measure));
	f->taken = f->weights = f->stackless = f->placeless = f->left_out[NOTE_LONG] = 0;
	f->doubled = 0;
	f->has_stacks = false;
	free_part(p);
	f->parts = 0;
	forms_free(&f->forms);
	namesakes_free(&f->namesakes);
	f->namesakes = (struct namesakes){ 0 };
}

/* Counts a line of another measure, or begins with it. */
static HINT_APART bool
take_other(struct fold *f, const struct line *l, struct slice unit, enum note *why)
{
	if (!displaces(f, l)) {
		name_other(f, l, unit);
		if (f->named && f->parts == 0)
			keys_note_measure(&f->other_measures, l->ev->col[EV_MEASURE]);
		f->had_choice |= !ev_is_nested_measure(l->ev->col[EV_MEASURE]);
		*why = NOTE_MEASURES;
		return false;
	}
	if (!has_weight(f, NULL, l, why))
		return false;
	start_again(f, l->ev->col[EV_MEASURE]);
	return true;
}

/* Looks whether the pauses so far have been deducted from the span; nobody misses them then. */
static void
see_pauses(struct fold *f, const struct ev *span)
{
	struct slice paused;

	f->paused = false;
	if (f->deducted || !ev_tag(span, SLICE("paused"), &paused))
		return;
	f->deducted = true;
	kinds_left_told(&f->left, SLICE("pause"));
}

/* Counts a line of a kind that is left out. */
static void
leave(struct fold *f, struct slice kind)
{
	bool pause = slice_eq(kind, SLICE("pause"));

	f->paused |= pause;
	if (!pause || !f->deducted)
		kinds_leave(&f->left, kind, 1);
}

static void
see_measure(struct fold *f, const struct ev *ev)
{
	struct slice name = ev->col[EV_MEASURE];

	if (!units_declare(&f->units, ev))
		f->unsure = true;
	if (f->first.len == 0 && !ev_is_nested_measure(name) &&
	    !buf_put(&f->first, name.p, name.len))
		f->unsure = true;
}

/* Returns true if the line is used, and then its unit and its part.  Otherwise counts it. */
static bool
wants(struct fold *f, const struct line *l, struct slice *unit, size_t *part)
{
	const struct slice *col = l->ev->col;
	enum note why = NOTE_KINDS;
	uint64_t n;
	bool wanted;

	if (l->kind == HERE_MEASURE)
		see_measure(f, l->ev);
	if (f->paused && l->kind == HERE_SPAN)
		see_pauses(f, l->ev);
	wanted = wants_kind(f, l);
	if (wanted && !f->named && f->measures != FOLD_ALL && is_whole(l)) {
		why = NOTE_WHOLE;
	} else if (wanted) {
		*unit = l->tag[TAG_UNIT].len != 0
		    ? l->tag[TAG_UNIT]
		    : units_said(&f->units, col[EV_RUN], col[EV_MEASURE]);
		*part = part_of(f, l, *unit);
		if (!wants_measure(f, l, *part) || (*part == f->parts && !may_begin(f))) {
			if (take_other(f, l, *unit, &why)) {
				*part = 0;
				f->weights += is_statistic(l);
				return true;
			}
		} else if (has_weight(f, *part == f->parts ? NULL : &f->part[*part], l, &why)) {
			f->weights += is_statistic(l);
			return true;
		}
	} else if (kind_is_about(col[EV_KIND])) {
		return false;
	} else if (l->kind == HERE_START || l->kind == HERE_STOP) {
		why = NOTE_STARTS;
	}
	f->lost += l->kind == HERE_LOST && kinds_loss(l->ev, &n);
	f->left_out[why]++;
	if (why == NOTE_KINDS)
		leave(f, col[EV_KIND]);
	return false;
}

/* If all units are added up, notes those that are not the first. */
static void
note_unit(struct fold *f, const struct part *p, struct slice unit)
{
	if (f->measures != FOLD_ALL || f->count || short_eq(unit, buf_slice(&p->unit)))
		return;
	if (f->left_out[NOTE_UNITS]++ == 0)
		units_name_unit(&f->others, buf_slice(&p->unit));
	units_name_unit(&f->others, unit);
}

/* Looks whether lines of several events with the same name are used.  False: memory ran out. */
static bool
see_event(struct fold *f, const struct line *l)
{
	if (l->tag[TAG_EVENT].p == NULL || f->events_apart || f->namesakes.found)
		return true;
	return namesakes_see(&f->namesakes, l->ev, l->tag[TAG_EVENT]);
}

/*
 * Returns the part for the line, which is the first of its part if i is f->parts.  Its kind, unit,
 * measure and, for aggregates, the tag `of` then decide which other lines are used.  Sums of
 * different things, such as sums of sums and sums of counts, are never added up.  Returns NULL if
 * memory runs out.
 */
static struct part *
decide(struct fold *f, const struct line *l, size_t i, struct slice unit)
{
	struct slice measure = l->ev->col[EV_MEASURE], of;
	struct part *p = &f->part[i];

	if (f->kinds == KINDS_OPEN)
		f->kinds = kinds_of(l);
	if (i == f->parts) {
		*p = (struct part){ 0 };
		f->parts++;
		if (!put_name_of(f, &p->name, l, unit) ||
		    !buf_put(&p->measure, measure.p, measure.len) ||
		    !buf_put(&p->unit, unit.p, unit.len))
			return NULL;
	}
	f->last = i;
	f->taken++;
	note_unit(f, p, unit);
	if (!see_event(f, l))
		return NULL;
	if (p->has_of || !is_statistic(l))
		return p;
	p->has_of = true;
	of = of_what(l);
	return buf_put(&p->of, of.p, of.len) ? p : NULL;
}

void
fold_reads(const struct fold *f, ev_key_sink *sink, void *ctx)
{
	size_t i;

	for (i = 0; i < f->roots && f->root_text.len != 0; i++)
		ev_reads(f->root[i].name, sink, ctx);
	sink(ctx, SLICE("stack"));
}

/* Appends a frame, spelled as in the stream.  A ';' is allowed in a column, but not in a frame. */
static bool
put_frame(struct buf *b, struct slice s)
{
	if (b->len != 0 && !buf_putc(b, ';'))
		return false;
	return esc_append_column(b, slice_is_nothing(s) ? SLICE("[unknown]") : s);
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
guard_end(const struct fold *f, struct buf *b)
{
	size_t n = b->len, i = n, points = 0;

	for (; i > 0 && (is_digit(b->p[i - 1]) || b->p[i - 1] == '.'); i--)
		points += b->p[i - 1] == '.';
	if (f->frames || i == n || points > 1 || i == 0 || b->p[i - 1] != ' ' || !is_digit(b->p[i]))
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

static bool
is_result(const struct ev *ev)
{
	return slice_eq(ev->col[EV_KIND], SLICE("agg")) ||
	    slice_eq(ev->col[EV_KIND], SLICE("diff"));
}

/* Returns the stack, or counts a line without one. */
static struct slice
check_stack(struct fold *f, const struct ev *ev, struct slice stack)
{
	if (stack.len != 0 && !slice_is_nothing(stack)) {
		f->has_stacks = true;
		return stack;
	}
	f->left_out[NOTE_LONG] += lacks_stack(ev);
	f->stackless++;
	f->placeless += is_result(ev) && slice_is_nothing(ev_function(ev));
	return (struct slice){ "", 0 };
}

struct slice
fold_stack(struct fold *f, const struct ev *ev)
{
	struct slice stack = { "", 0 };

	(void)ev_tag(ev, SLICE("stack"), &stack);
	return check_stack(f, ev, stack);
}

/* Returns true if an element of the list has no name. */
static bool
has_nameless(struct slice list)
{
	const char *p = list.p, *end = p + list.len;

	for (; (p = memchr(p, '.', (size_t)(end - p))) != NULL; p++)
		if ((p == list.p || p[-1] == ';') && (p + 1 == end || p[1] == ';'))
			return true;
	return false;
}

/* Appends a stack that is not empty, as a whole if that gives the same text as its frames. */
static bool
put_stack(struct buf *b, struct slice stack)
{
	struct slice s;

	if ((b->len != 0 || stack.p[0] != ';') && !has_nameless(stack))
		return (b->len == 0 || buf_putc(b, ';')) && buf_put(b, stack.p, stack.len);
	while (ev_next_element(&stack, &s))
		if (!put_frame(b, s))
			return false;
	return true;
}

/* Returns whether the stack already begins with this value of a key. */
static bool
is_root(const struct fold *f, const struct line *l, struct slice value)
{
	size_t i;

	for (i = 0; i < f->roots; i++)
		if (f->root[i].column == EV_COLUMNS && l->tag[f->root[i].tag].p == value.p)
			return true;
	return false;
}

/* Returns a root's value; p is NULL if the line has none. */
static struct slice
root_value(const struct root *r, const struct line *l)
{
	struct slice s = r->column != EV_COLUMNS ? ev_of_group(l->ev, r->column) : l->tag[r->tag];

	if (s.p != NULL || !r->process)
		return s;
	s = ev_process(l->ev);
	return slice_is_nothing(s) ? (struct slice){ NULL, 0 } : s;
}

/* Writes the line's stack to f->text. */
static bool
spell(struct fold *f, const struct line *l)
{
	struct slice stack, function, s;
	size_t i;

	f->text.len = 0;
	for (i = 0; i < f->roots; i++) {
		struct root *r = &f->root[i];

		s = root_value(r, l);
		r->seen |= s.p != NULL;
		if (s.p != NULL && !slice_is_nothing(s) && !put_frame(&f->text, s))
			return false;
	}
	stack = check_stack(f, l->ev, l->tag[TAG_STACK]);
	if (stack.len == 0)
		return (is_root(f, l, function = ev_function(l->ev)) ||
			   put_frame(&f->text, function)) &&
		    guard_end(f, &f->text);
	return put_stack(&f->text, stack) && guard_end(f, &f->text);
}

static struct total *
total_of(struct part *p, struct slice text)
{
	bool fresh;
	size_t i;

	if (p->stacks.count != 0 && short_eq(text, p->stacks.item[p->last]))
		return &p->total[p->last];
	if (!vec_room(p->total, p->stacks.count, p->cap))
		return NULL;
	i = tab_add(&p->stacks, text, &fresh);
	if (i == TAB_NONE)
		return NULL;
	if (fresh)
		p->total[i] = (struct total){ .object = OBJECT_NONE };
	p->last = i;
	return &p->total[i];
}

/* Notes the object of the innermost frame. */
static bool
see_object(struct fold *f, struct total *t, struct slice dso)
{
	size_t i;

	if (!f->frames || t->object == OBJECT_SEVERAL || dso.p == NULL || slice_is_nothing(dso) ||
	    (t->object != OBJECT_NONE && short_eq(dso, f->object.item[t->object - 1])))
		return true;
	i = tab_add(&f->object, dso, NULL);
	if (i == TAB_NONE)
		return false;
	t->object = t->object == OBJECT_NONE ? (uint32_t)i + 1 : OBJECT_SEVERAL;
	return true;
}

static bool
add_weight(struct accumulator *t, const struct weight *w)
{
	return w->small ? accumulator_add(t, NULL, ACCUMULATOR_SUM, w->v)
			: accumulator_add_number(t, NULL, ACCUMULATOR_SUM, &w->big, 1);
}

/* AFTER is NULL if the line is not a change.  Returns false if memory runs out. */
static bool
add(struct fold *f, struct part *p, const struct line *l, const struct weight *w,
    const struct weight *after)
{
	struct total *t;

	if (p == NULL || !spell(f, l))
		return false;
	f->used = true;
	t = total_of(p, buf_slice(&f->text));
	if (t == NULL || !see_object(f, t, l->tag[TAG_DSO]) || !add_weight(&t->sum, w))
		return false;
	return after == NULL ||
	    (vec_room_zero(p->after, p->last, p->after_cap) &&
		add_weight(&p->after[p->last], after));
}

/* Returns whether the line is a group of afagg that shares events with other groups. */
static bool
overlaps(const struct line *l)
{
	return (l->kind == HERE_AGG && (l->tag[TAG_TOTAL].p != NULL || ev_is_of_whole(l->ev))) ||
	    (l->kind == HERE_DIFF && l->tag[TAG_OVERLAP].p != NULL);
}

static int
read_weight(struct weight *w, struct slice text, const struct ev *ev, struct err *e)
{
	w->small = number_small(text, &w->v);
	return w->small || number_get(text, &w->big, e) == 0 ? 0 : err_at_line(e, ev->number);
}

/* Reads the weight or, for a change, the means of both sides. */
static int
read_weights(const struct fold *f, struct weight *w, struct weight *after, const struct line *l,
    struct err *e)
{
	const struct ev *ev = l->ev;
	int rc;

	if (l->kind == HERE_DIFF) {
		rc = read_weight(w, ev_get(ev, SLICE("before")), ev, e);
		return rc != 0 ? rc : read_weight(after, ev_get(ev, SLICE("after")), ev, e);
	}
	*w = (struct weight){ .small = true, .v = 1 };
	return f->count && l->kind != HERE_AGG ? 0 : read_weight(w, ev->col[EV_VALUE], ev, e);
}

/*
 * Counts aggregates that came before.  They are added all the same, as by afagg: shards may well
 * have equal results.  Also looks at their keys.
 */
static bool
see_again(struct fold *f, const struct line *l)
{
	XXH128_canonical_t digest;
	bool fresh;

	if (l->kind != HERE_AGG)
		return true;
	XXH128_canonicalFromHash(&digest, XXH3_128bits(l->ev->text.p, l->ev->text.len));
	if (tab_add(&f->seen, (struct slice){ (const char *)&digest, sizeof digest }, &fresh) ==
	    TAB_NONE)
		return false;
	f->doubled += !fresh;
	return forms_see(&f->forms, l->ev, SLICE("."));
}

/* Returns 0 with *wanted set if the line is used.  Then *part is what wants says, and *unit. */
static int
admit(struct fold *f, const struct line *l, struct slice *unit, size_t *part, bool *wanted,
    struct err *e)
{
	*wanted = wants(f, l, unit, part);
	if (!*wanted || !overlaps(l))
		return !*wanted || see_again(f, l) ? 0 : err_nomem(e);
	*wanted = false;
	if (f->overlapping++ != 0)
		return 0;
	return err_data(e, "the groups overlap (%s=), so they cannot be added up",
	    l->kind == HERE_DIFF              ? "overlap"
		: l->tag[TAG_TOTAL].p != NULL ? "total"
					      : "scope");
}

int
fold_choose(struct fold *f, const struct ev *ev, size_t *part, struct err *e)
{
	struct slice unit;
	struct line l;
	bool wanted;
	size_t i;
	int rc;

	f->chooses = true;
	*part = FOLD_PARTS_MAX;
	look(f, ev, &l);
	if (l.kind == HERE_DIFF)
		return f->changes++ != 0
		    ? 0
		    : err_data(e, "lines of kind diff are changes, not weights");
	rc = admit(f, &l, &unit, &i, &wanted, e);
	if (rc == ERR_SYS)
		return rc;
	if (wanted)
		*part = i;
	if (f->unsure || (wanted && decide(f, &l, i, unit) == NULL))
		return err_nomem(e);
	return rc;
}

/* Returns ERR_DATA for the first change that comes again, ERR_STOP for the others, or else 0. */
static int
refuse_again(struct fold *f, const struct ev *ev, struct err *e)
{
	bool fresh;

	if (tab_add(&f->seen, ev->text, &fresh) == TAB_NONE)
		return err_nomem(e);
	if (fresh)
		return 0;
	if (f->repeated++ != 0)
		return ERR_STOP;
	return err_line(e, ev->number, "a change that came before: the same comparison twice?");
}

int
fold_line(struct fold *f, const struct ev *ev, struct err *e)
{
	struct weight w, after;
	struct slice unit;
	struct line l;
	bool wanted;
	size_t i;
	int rc;

	f->used = false;
	look(f, ev, &l);
	rc = admit(f, &l, &unit, &i, &wanted, e);
	if (!wanted || rc != 0)
		return rc;
	f->whole = f->whole || is_whole(&l);
	if (l.kind == HERE_DIFF && (rc = refuse_again(f, ev, e)) != 0)
		return rc == ERR_STOP ? 0 : rc;
	rc = read_weights(f, &w, &after, &l, e);
	if (rc == 0 && !add(f, decide(f, &l, i, unit), &l, &w, l.kind == HERE_DIFF ? &after : NULL))
		rc = err_nomem(e);
	return rc;
}

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

static int
sort_part(struct part *p, struct err *e)
{
	const struct textsort_texts texts = { .text = p->stacks.item };
	size_t i, n = p->stacks.count;

	p->order = mem_alloc((n + 1) * sizeof *p->order);
	if (p->order == NULL)
		return err_nomem(e);
	for (i = 0; i < n; i++) {
		p->order[i] = (struct textsort_row){ .number = (uint32_t)i };
		if (!accumulator_settle(&p->total[i].sum, NULL) ||
		    (p->after != NULL && !accumulator_settle(&p->after[i], NULL)))
			return err_nomem(e);
	}
	textsort(p->order, n, &texts);
	return 0;
}

bool
fold_used(const struct fold *f, size_t *part, size_t *number, struct slice *stack)
{
	const struct part *p = &f->part[f->last];

	if (!f->used)
		return false;
	*part = f->last;
	*number = p->last;
	*stack = p->stacks.item[p->last];
	return true;
}

int
fold_sort(struct fold *f, struct err *e)
{
	size_t i;
	int rc = f->unsure ? err_nomem(e) : 0;

	for (i = 0; rc == 0 && i < f->parts; i++)
		rc = sort_part(&f->part[i], e);
	return rc;
}

bool
fold_part(const struct fold *f, size_t i, struct slice *measure, struct slice *unit)
{
	if (i >= f->parts)
		return false;
	*measure = f->measures == FOLD_FIRST || f->measures == FOLD_EACH
	    ? buf_slice(&f->part[i].name)
	    : SLICE(".");
	*unit = f->measures == FOLD_ALL ? SLICE(".") : buf_slice(&f->part[i].unit);
	return true;
}

size_t
fold_foremost(const struct fold *f)
{
	size_t i, best = 0;

	for (i = 1; i < f->parts; i++)
		if (rank_of_part(f, &f->part[i]) > rank_of_part(f, &f->part[best]))
			best = i;
	return best;
}

/* Returns the weight, or nothing if flamegraph.pl cannot read it. */
static struct slice
spell_weight(char *dst, const struct accumulator *total)
{
	char spelled[ACCUMULATOR_PUT_MAX];
	size_t n = accumulator_put_sum(spelled, total);

	return (struct slice){ dst, put_plain(dst, (struct slice){ spelled, n }) };
}

bool
fold_next(struct fold *f, size_t i, size_t *at, struct folded *s)
{
	const struct part *p = &f->part[i];

	while (*at < p->stacks.count) {
		size_t number = p->order[(*at)++].number;
		const struct total *t = &p->total[number];

		s->stack = p->stacks.item[number];
		s->number = number;
		s->weight = spell_weight(s->room, &t->sum);
		s->after = p->after == NULL ? (struct slice){ NULL, 0 }
					    : spell_weight(s->room_after, &p->after[number]);
		s->object = t->object == OBJECT_NONE ? SLICE(".")
		    : t->object == OBJECT_SEVERAL    ? (struct slice){ NULL, 0 }
						     : f->object.item[t->object - 1];
		if (s->weight.len != 0 && (s->after.p == NULL || s->after.len != 0)) {
			f->shown++;
			return true;
		}
		f->below++;
	}
	return false;
}

/* Returns how often note I applies. */
static uint64_t
note_count(const struct fold *f, size_t i)
{
	uint64_t beside = f->left_out[NOTE_BESIDE];

	switch (i) {
	case NOTE_STATS: return f->left_out[i] + (beside > f->weights ? beside : 0);
	case NOTE_BESIDE: return 0;
	case NOTE_BELOW: return f->below;
	case NOTE_DOUBLED: return f->doubled;
	case NOTE_LOST: return f->lost;
	case NOTE_NESTED:
		return f->whole ||
		    (f->named && f->parts != 0 && ev_is_nested_measure(buf_slice(&f->measure)));
	case NOTE_FLAT: return f->frames && !f->has_stacks && f->placeless == 0 ? f->stackless : 0;
	case NOTE_PLACELESS: return f->placeless;
	case NOTE_FORMS: return f->forms.differ;
	case NOTE_NAMESAKES: return f->namesakes.found;
	}
	return f->left_out[i];
}

/*
 * Returns true if nothing can be shown, and something was left out although it has a value: lines
 * or, after fold_next, stacks.
 */
static bool
is_all_left_out(const struct fold *f)
{
	static const enum note reasons[] = { NOTE_STARTS, NOTE_MEASURES, NOTE_STATS, NOTE_VALUES,
		NOTE_WHOLE };
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		n += note_count(f, reasons[i]);
	return (f->parts == 0 && n != 0) || (f->below != 0 && f->shown == 0);
}

int
fold_write(struct fold *f, struct out *o, struct err *e)
{
	struct folded s;
	size_t at = 0;
	int rc = fold_sort(f, e);

	while (rc == 0 && f->parts != 0 && o->error == 0 && fold_next(f, 0, &at, &s)) {
		out_put(o, s.stack.p, s.stack.len);
		out_put(o, " ", 1);
		out_put(o, s.weight.p, s.weight.len);
		if (s.after.p != NULL) {
			out_put(o, " ", 1);
			out_put(o, s.after.p, s.after.len);
		}
		out_put(o, "\n", 1);
	}
	return rc == 0 && is_all_left_out(f) ? err_data(e, KINDS_NOTHING) : rc;
}

uint64_t
fold_stackless(const struct fold *f)
{
	return f->has_stacks ? f->stackless : 0;
}

/* Writes the note about other measures, with the one that was used because it is the first. */
static void
put_others(const struct fold *f, uint64_t count, char *text, size_t size)
{
	const struct part *p = &f->part[0];
	bool first = f->measures == FOLD_FIRST && !f->named && f->had_choice && f->parts != 0;
	int n = (int)f->others.len;
	struct buf used = { 0 };
	size_t len;

	snprintf(text, size,
	    "left out lines of other measures (see --measure%s): %" PRIu64 ", %.*s",
	    f->chooses ? "" : ", --add-measures", count, n, n == 0 ? "" : f->others.p);
	len = strlen(text);
	if (first)
		units_name(&used, buf_slice(&p->name), buf_slice(&p->unit));
	if (used.len != 0)
		snprintf(text + len, size - len, "; %s: %.*s",
		    f->displaced ? "used, although it is not the first one"
				 : "the first one was used",
		    (int)used.len, used.p);
	buf_free(&used);
}

/* Returns false if there is nothing to say after all. */
static bool
put_note(const struct fold *f, size_t i, uint64_t count, char *text, size_t size)
{
	static const char *const words[NOTES_ALL] = {
		[NOTE_STARTS] =
		    "left out start and stop lines: %" PRIu64 "; afdur turns them into spans",
		[NOTE_STATS] = "left out lines of other statistics: %" PRIu64,
		[NOTE_VALUES] = "left out lines whose value is not a number: %" PRIu64,
		[NOTE_WHOLE] =
		    "left out values of a whole run, region or section, which contain those of the "
		    "regions inside (see --measure): %" PRIu64,
		[NOTE_LONG] =
		    "lines without room for their stack, folded by region alone: %" PRIu64,
		[NOTE_BELOW] = "left out stacks whose sum is negative or not a number: %" PRIu64,
		[NOTE_DOUBLED] = "aggregates that came before, and were added again (the same file "
				 "twice?): %" PRIu64,
		[NOTE_LOST] = "the source lost events: the weights are too small",
		[NOTE_FLAT] = "no line has a stack, so its region is its only frame (perf record "
			      "-g, without afagg): %" PRIu64,
		[NOTE_PLACELESS] = "results that have no function, so all are one frame "
				   "[unknown]: %" PRIu64 "%s",
		[NOTE_NESTED] = "values of this measure contain each other, so they count several "
				"times in sums and widths",
		[NOTE_FORMS] = FORMS_NOTE,
		[NOTE_NAMESAKES] = "added up several events with the same name (to choose one: "
				   "afsel -w 'event=N || event=.')",
	};
	int n = (int)f->others.len;

	if (i == NOTE_KINDS)
		return kinds_left_note(&f->left, "other kinds (see --kind)", text, size);
	if (i == NOTE_UNITS)
		snprintf(text, size, "added up values of different units (see --measure): %.*s", n,
		    n == 0 ? "" : f->others.p);
	else if (i == NOTE_MEASURES)
		put_others(f, count, text, size);
	else
		snprintf(text, size, words[i], count,
		    f->chooses ? "" : " (--root KEY,... begins stacks with other keys)");
	return true;
}

void
fold_told(struct fold *f)
{
	kinds_left_told(&f->left, SLICE("incomplete"));
}

bool
fold_note(const struct fold *f, size_t *at, char *text, size_t size)
{
	while (*at < NOTES_ALL) {
		size_t i = (*at)++;
		uint64_t n = note_count(f, i);

		if (n != 0 && put_note(f, i, n, text, size))
			return true;
	}
	return false;
}

int
fold_missing(const struct fold *f, struct err *e)
{
	size_t i;

	if (f->any && f->kinds == KINDS_NAMED && !f->kind_seen)
		return err_data(e, "no line is of kind '%.*s'", slice_shown(f->kind, 60),
		    f->kind.p);
	if (f->any && f->named && f->parts == 0)
		return keys_no_measure(buf_slice(&f->measure), &f->other_measures, e);
	if (is_all_left_out(f))
		return err_data(e, KINDS_NOTHING);
	for (i = 0; i < f->roots && f->root_text.len != 0 && f->parts != 0; i++)
		if (!f->root[i].seen)
			return err_data(e, "no line has '%.*s', a key of --root",
			    slice_shown(f->root[i].name, 60), f->root[i].name.p);
	return 0;
}
