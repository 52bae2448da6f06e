/* SPDX-License-Identifier: ISC */
/* report.c - what a comparison has to say besides its results. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/vec.h"
#include "src/diff/diffint.h"

#define SHOWN_MAX 60 /* bytes of a text in a message */
#define VALUE_SHOWN 30 /* bytes of the value of a key in a message */

/* The values of the keys, KEY=VALUE, and which sides have them. */
struct values {
	struct tab texts;
	bool (*on)[DIFF_SIDES];
	size_t cap;
};

/* Adds the keys of all groups.  Returns false if memory runs out. */
static bool
add_values(const struct diff *d, struct values *v)
{
	size_t group, number;
	struct slice rest;
	enum diff_side s;

	for (group = 0; group < d->groups.count; group++) {
		rest = diff_group_keys(d, group);
		while (rest.len != 0) {
			number = tab_add(&v->texts, diff_field(&rest), NULL);
			if (number == TAB_NONE || !vec_room_zero(v->on, number, v->cap))
				return false;
			for (s = 0; s < DIFF_SIDES; s++)
				v->on[number][s] |= d->group[group].on[s];
		}
	}
	return true;
}

/* Returns the value of the key if the text is KEY=VALUE with this key; else p is NULL. */
static struct slice
value_of(struct slice text, struct slice key)
{
	if (text.len <= key.len || text.p[key.len] != '=' || memcmp(text.p, key.p, key.len) != 0)
		return (struct slice){ NULL, 0 };
	return (struct slice){ text.p + key.len + 1, text.len - key.len - 1 };
}

/* Returns true if no value of the key is on both sides, and stores one value of each. */
static bool
is_apart(const struct values *v, struct slice key, struct slice example[DIFF_SIDES])
{
	enum diff_side s;
	size_t i;

	for (i = 0; i < v->texts.count; i++) {
		struct slice value = value_of(v->texts.item[i], key);

		if (value.p == NULL)
			continue;
		if (v->on[i][DIFF_BEFORE] && v->on[i][DIFF_AFTER])
			return false;
		for (s = 0; s < DIFF_SIDES; s++)
			if (v->on[i][s])
				example[s] = value;
	}
	return example[DIFF_BEFORE].p != NULL && example[DIFF_AFTER].p != NULL;
}

static bool
add_text(struct buf *b, struct slice s)
{
	return buf_put(b, s.p, (size_t)slice_shown(s, VALUE_SHOWN));
}

/* Adds "KEY is VALUE in BEFORE and VALUE in AFTER".  Returns false if memory runs out. */
static bool
add_apart(struct buf *b, struct slice key, const struct slice example[DIFF_SIDES])
{
	return buf_puts(b, b->len == 0 ? "" : ", ") && add_text(b, key) && buf_puts(b, " is ") &&
	    add_text(b, example[DIFF_BEFORE]) && buf_puts(b, " in BEFORE and ") &&
	    add_text(b, example[DIFF_AFTER]) && buf_puts(b, " in AFTER");
}

/* Names the keys that are different on the two sides.  Returns false if memory runs out. */
static bool
name_apart(struct diff *d, const struct values *v)
{
	struct slice list = d->side[DIFF_BEFORE].schemas.item[0], key;
	struct buf *names = &d->name;

	names->len = 0;
	while (slice_cut(&list, ',', &key)) {
		struct slice example[DIFF_SIDES] = { { NULL, 0 }, { NULL, 0 } };

		if (is_apart(v, key, example) &&
		    !(add_apart(&d->apart, key, example) &&
			buf_puts(names, names->len == 0 ? "" : ",") && add_text(names, key)))
			return false;
	}
	if (names->len == 0)
		return buf_puts(&d->apart, "all of them are new, or gone");
	return buf_puts(&d->apart, "; --ignore ") && buf_put(&d->apart, names->p, names->len) &&
	    buf_puts(&d->apart, " compares the rest");
}

bool
diff_look_apart(struct diff *d)
{
	struct values v = { .cap = 0 };
	size_t i;
	bool ok;

	for (i = 0; i < d->groups.count; i++)
		if (d->group[i].on[DIFF_BEFORE] && d->group[i].on[DIFF_AFTER])
			return true;
	ok = add_values(d, &v) && name_apart(d, &v);
	tab_free(&v.texts);
	mem_free(v.on);
	return ok;
}

#define NOTES ((size_t)9)

/* The shortest and the longest time of the runs of a side. */
struct times {
	double least, most;
};

static struct times
times_of(const struct lone *l)
{
	struct times t = { 0, 0 };
	size_t runs = l->pooled ? 1 : l->runs.count, i;

	for (i = 0; i < runs; i++) {
		double seconds = diff_seconds(&l->extent[i]);

		if (seconds > 0 && (!(t.least > 0) || seconds < t.least))
			t.least = seconds;
		t.most = fmax(t.most, seconds);
	}
	return t;
}

/* Adds the times of the runs of a side to a message: "9 s to 13 s". */
static void
add_times(const struct diff *d, enum diff_side s, struct err *e)
{
	struct times t = times_of(&d->side[s]);
	char least[32], most[32];

	snprintf(least, sizeof least, "%.4g s", t.least);
	snprintf(most, sizeof most, "%.4g s", t.most);
	if (strcmp(least, most) == 0)
		(void)err_add(e, "%s", least);
	else
		(void)err_add(e, "%s to %s", least, most);
}

/* Says what results were divided by: lines that were left out before may have made it less. */
static void
say_times(const struct diff *d, struct err *e)
{
	err_data(e, "divided by the time from the first to the last event of each run: ");
	add_times(d, DIFF_BEFORE, e);
	(void)err_add(e, " before, ");
	add_times(d, DIFF_AFTER, e);
	(void)err_add(e, " after");
}

/*
 * Finds the family whose numbers of runs differ, and returns it, or NULL.  A run that failed early
 * may be missing, so with limits, which a script will go by, the numbers are worth a note.
 */
static const struct family *
uneven_runs(const struct diff *d)
{
	size_t i;

	for (i = 0; d->x->limits != 0 && i < d->families.count; i++) {
		const struct family *f = &d->family[i];

		if (f->seen[DIFF_BEFORE] && f->seen[DIFF_AFTER] &&
		    f->runs[DIFF_BEFORE] != f->runs[DIFF_AFTER])
			return f;
	}
	return NULL;
}

#define NAMES_MAX 10 /* groups that a message names, as many of them as fit */
#define NAMES_ROOM ((size_t)126) /* bytes of all names in it */
#define NAME_MAX ((size_t)40) /* bytes of a name in it, and of a measure */
#define UNIT_MAX ((size_t)20)
#define STAT_MAX ((size_t)10)
#define NAME_ROOM (2 * NAME_MAX + UNIT_MAX + STAT_MAX + 8)

/* What a message adds to the name of a group. */
struct details {
	bool stat, measure, unit;
};

/* The groups that a message names: those with a verdict about a limit, or those of one side. */
struct list {
	enum verdict verdict;
	size_t limit;
	bool alone; /* those of which only this side has a value */
	enum diff_side side;
	uint64_t count; /* how many there are */
};

static bool
is_listed(const struct list *l, const struct effect *x)
{
	return l->alone ? !x->known && x->there[l->side]
			: (x->limits[l->verdict] >> l->limit & 1) != 0;
}

/* Writes the keys of a group, with blanks between them, and the details. */
static size_t
put_name(const struct diff *d, const struct effect *x, struct details with, char text[NAME_ROOM])
{
	const struct family *f = &d->family[d->group[x->group].family];
	struct slice rest = diff_group_name(d, x->group), part, m = f->part[PART_MEASURE],
		     unit = f->part[PART_UNIT], stat = f->part[PART_STAT];
	char room[DIFF_PART_MAX];
	size_t n = 0, len;

	while (rest.len != 0 && n < NAME_MAX) {
		if (n != 0)
			text[n++] = ' ';
		part = diff_next_part(f, &rest, room);
		len = (size_t)slice_shown(part, NAME_MAX - n);
		memcpy(text + n, part.p, len);
		n += len;
	}
	if (with.stat || with.measure || with.unit)
		n += (size_t)snprintf(text + n, NAME_ROOM - n, " (%.*s%s%.*s%s%.*s)",
		    with.stat ? slice_shown(stat, STAT_MAX) : 0, stat.p,
		    with.stat && (with.measure || with.unit) ? ", " : "",
		    with.measure ? slice_shown(m, NAME_MAX) : 0, m.p,
		    with.measure && with.unit ? ", " : "",
		    with.unit ? slice_shown(unit, UNIT_MAX) : 0, unit.p);
	return n;
}

/* Returns true if groups of several measures have the statistic, so that names need theirs. */
static bool
has_measures(const struct diff *d, struct slice stat)
{
	const struct family *first = NULL;
	size_t i;

	for (i = 0; i < d->families.count; i++) {
		const struct family *f = &d->family[i];

		if (!slice_eq(f->part[PART_STAT], stat))
			continue;
		if (first != NULL && !slice_eq(f->part[PART_MEASURE], first->part[PART_MEASURE]))
			return true;
		first = f;
	}
	return false;
}

/*
 * Returns what the names of listed groups need: the unit if they have one measure, but several
 * units.  Those of a measure follow each other.
 */
static struct details
details_of(const struct diff *d, const struct list *l)
{
	struct details with = { .stat = false };
	const struct family *last = NULL;
	size_t k;

	for (k = 0; k < d->effects; k++) {
		const struct family *f = &d->family[d->group[d->effect[k].group].family];

		if (!is_listed(l, &d->effect[k]))
			continue;
		if (last != NULL && !slice_eq(f->part[PART_STAT], last->part[PART_STAT]))
			with.stat = true;
		if (last != NULL && !slice_eq(f->part[PART_MEASURE], last->part[PART_MEASURE]))
			with.measure = true;
		else if (last != NULL && !slice_eq(f->part[PART_UNIT], last->part[PART_UNIT]))
			with.unit = true;
		last = f;
	}
	if (!l->alone)
		with.measure = has_measures(d, d->x->limit[l->limit].stat);
	return with;
}

/* Lists groups: "f, g and 2 more". */
static void
list_groups(const struct diff *d, const struct list *l, char text[NAMES_ROOM + 40])
{
	const struct details with = details_of(d, l);
	char name[NAME_ROOM];
	size_t named = 0, len = 0, k;

	for (k = 0; k < d->effects && named < NAMES_MAX; k++) {
		const struct effect *x = &d->effect[k];
		size_t n;

		if (!is_listed(l, x))
			continue;
		n = put_name(d, x, with, name);
		if (len + n + 2 > NAMES_ROOM)
			break;
		memcpy(text + len, ", ", 2);
		len += named++ == 0 ? 0 : 2;
		memcpy(text + len, name, n);
		len += n;
	}
	text[len] = '\0';
	if (named < l->count)
		(void)snprintf(text + len, 40, " and %" PRIu64 " more", l->count - named);
}

/* Does the same for those with the verdict about limit I. */
static void
list_verdict(const struct diff *d, enum verdict v, size_t i, char text[NAMES_ROOM + 40])
{
	const struct list l = { .verdict = v, .limit = i, .count = d->found[v][i] };

	list_groups(d, &l, text);
}

/* Names the groups that only one side has, and that have not changed from 0, or to 0. */
static void
say_without(const struct diff *d, enum diff_side side, struct err *e)
{
	const struct list l = { .alone = true, .side = side, .count = d->without[side] };
	char names[NAMES_ROOM + 40];

	list_groups(d, &l, names);
	err_data(e, "left out the change of groups that only %s has: %" PRIu64 ": %s",
	    diff_side_name[side], l.count, names);
}

/* Stores note AT, below NOTES.  Returns false if there is none. */
static bool
next_note(const struct diff *d, size_t at, struct err *e)
{
	const struct family *uneven = at == 5 ? uneven_runs(d) : NULL;
	enum diff_side side = at == 3 ? DIFF_BEFORE : at == 4 ? DIFF_AFTER : DIFF_SIDES;

	if (at == 8 && d->regions.code != ERR_NONE) {
		*e = d->regions;
		return true;
	}
	if (at == 0 && d->apart.len != 0)
		err_data(e, "no group is on both sides: %.*s", (int)d->apart.len, d->apart.p);
	else if (at == 1 && d->few != 0)
		err_data(e,
		    "left out intervals and p: %" PRIu64
		    " group%s fewer than %d runs on a side (BEFORE %zu, AFTER %zu)%s%s",
		    d->few, d->few == 1 ? " has" : "s have", DIFF_RUNS_MIN, d->fewest[DIFF_BEFORE],
		    d->fewest[DIFF_AFTER],
		    d->x->limits == 0 ? "" : ", so limits apply to the change itself",
		    d->side[DIFF_BEFORE].pooled || d->side[DIFF_AFTER].pooled
			? "; afagg --by run,... keeps runs apart"
			: "");
	else if (at == 2 && d->odd != 0)
		err_data(e, "left out values that are not finite, or above 1e300: %" PRIu64,
		    d->odd);
	else if (side < DIFF_SIDES && d->without[side] != 0)
		say_without(d, side, e);
	else if (uneven != NULL)
		err_data(e, "BEFORE has %" PRIu32 " run%s of %.*s, and AFTER %" PRIu32,
		    uneven->runs[DIFF_BEFORE], uneven->runs[DIFF_BEFORE] == 1 ? "" : "s",
		    slice_shown(uneven->part[PART_MEASURE], SHOWN_MAX),
		    uneven->part[PART_MEASURE].p, uneven->runs[DIFF_AFTER]);
	else if (at == 6 && d->x->per == DIFF_PER_TIME)
		say_times(d, e);
	else if (at == 7 && d->valueless != 0)
		err_data(e, "left out groups that have no value on either side: %" PRIu64,
		    d->valueless);
	else
		return false;
	/* a limit that has compared nothing must not pass */
	e->code = at == 0 && d->x->limits != 0 ? ERR_DATA : at == 2 ? ERR_DOUBT : ERR_NONE;
	return true;
}

/* Does the same for a family that only one side has. */
static bool
next_family(const struct diff *d, size_t at, struct err *e)
{
	const struct family *f = &d->family[at];
	struct slice m = f->part[PART_MEASURE], stat = f->part[PART_STAT];

	if (f->seen[DIFF_BEFORE] && f->seen[DIFF_AFTER])
		return false;
	err_data(e, "left out %.*s of %.*s: only %s has this measure", slice_shown(stat, SHOWN_MAX),
	    stat.p, slice_shown(m, SHOWN_MAX), m.p,
	    diff_side_name[f->seen[DIFF_BEFORE] ? DIFF_BEFORE : DIFF_AFTER]);
	/* what a limit has compared until now is not compared any more */
	e->code = f->named && f->seen[DIFF_BEFORE] ? ERR_DOUBT : ERR_NONE;
	return true;
}

/*
 * Returns the unit in which limit I is: none if it is a part of BEFORE, or if groups of several
 * units are beyond it.
 */
static struct slice
unit_of_limit(const struct diff *d, size_t i)
{
	struct slice unit = { "", 0 }, next;
	size_t k;

	for (k = 0; !d->x->limit[i].relative && k < d->effects; k++) {
		if ((d->effect[k].limits[BEYOND] >> i & 1) == 0)
			continue;
		next = d->family[d->group[d->effect[k].group].family].part[PART_UNIT];
		if (unit.len != 0 && !slice_eq(unit, next))
			return SLICE("");
		unit = next;
	}
	return unit;
}

/*
 * Says which groups are beyond limit I, and how many may be by chance: a group that has not changed
 * has this chance at one end of its interval.
 */
static void
say_beyond(const struct diff *d, size_t i, struct err *e)
{
	struct slice limit = d->x->limit[i].text, unit = unit_of_limit(d, i);
	bool has_unit = unit.len != 0 && !slice_is_nothing(unit) &&
	    !slice_eq(d->x->limit[i].stat, SLICE("count"));
	char names[NAMES_ROOM + 40], chance[64] = "";

	list_verdict(d, BEYOND, i, names);
	if (d->by_chance[i] >= 0.5)
		snprintf(chance, sizeof chance, " (on average up to %.0f by chance)",
		    d->by_chance[i]);
	err_data(e, "beyond %.*s%s%.*s%s: %" PRIu64 " of %" PRIu64 " groups%s: %s",
	    slice_shown(limit, SHOWN_MAX), limit.p, has_unit ? " [" : "",
	    has_unit ? slice_shown(unit, SHOWN_MAX) : 0, unit.p, has_unit ? "]" : "",
	    d->found[BEYOND][i], d->judged[i], chance, names);
	e->code = ERR_NONE;
}

/* Returns true if a family before N has the statistic; with N as d->families.count: any. */
static bool
has_statistic(const struct diff *d, struct slice stat, size_t n)
{
	size_t i = 0;

	while (i < n && !slice_eq(d->family[i].part[PART_STAT], stat))
		i++;
	return i < n;
}

/* Stores an error with the statistics that there are instead of the limit's. */
static void
say_no_statistic(const struct diff *d, struct slice stat, struct err *e)
{
	size_t i;

	err_data(e,
	    "--fail-if: no group has the statistic %.*s (there are: ", slice_shown(stat, SHOWN_MAX),
	    stat.p);
	for (i = 0; i < d->families.count; i++) {
		struct slice other = d->family[i].part[PART_STAT];

		if (!has_statistic(d, other, i))
			(void)err_add(e, "%s%.*s", i == 0 ? "" : ", ",
			    slice_shown(other, SHOWN_MAX), other.p);
	}
	(void)err_add(e, ")");
}

/*
 * Returns true if limit I has compared nothing: all groups that it names are new, or gone, and none
 * of them is beyond it.  If no group at all is on both sides, that has been said.
 */
static bool
is_idle(const struct diff *d, size_t i)
{
	return d->judged[i] == 0 ||
	    (d->paired[i] == 0 && d->found[BEYOND][i] == 0 && d->apart.len == 0);
}

/*
 * Returns true if limit I cannot be exceeded, since all groups that it names are in one run, or
 * some runs, only and count as 0 in the others.
 */
static bool
is_blind(const struct diff *d, size_t i)
{
	return d->scattered_of[i] == d->judged[i] && !d->x->point && d->found[BEYOND][i] == 0 &&
	    d->apart.len == 0;
}

/* Does the same for a limit. */
static bool
next_limit(const struct diff *d, size_t i, struct err *e)
{
	struct slice text = d->x->limit[i].text;
	int n = slice_shown(text, SHOWN_MAX);

	if (d->matched[i] == 0 && !has_statistic(d, d->x->limit[i].stat, d->families.count)) {
		say_no_statistic(d, d->x->limit[i].stat, e);
	} else if (d->matched[i] == 0 && d->lone[i] != 0) {
		err_data(e, "--fail-if: only one side has the measure of the matching groups: %.*s",
		    n, text.p);
	} else if (d->matched[i] == 0) {
		err_data(e,
		    "--fail-if: no group has this statistic and matches the condition: %.*s", n,
		    text.p);
	} else if (is_idle(d, i)) {
		err_data(e, "--fail-if: no matching group is on both sides%s: %.*s",
		    d->x->min_share > 0 ? ", or they are below --min-share" : "", n, text.p);
	} else if (is_blind(d, i)) {
		err_data(e,
		    "--fail-if: each matching group is in %s only, so that no change is ever "
		    "beyond the limit: %.*s",
		    d->scattered.len != 0 ? "one run" : "some runs", n, text.p);
	} else if (d->found[BEYOND][i] != 0) {
		say_beyond(d, i, e);
	} else {
		return false;
	}
	return true;
}

/*
 * Says that limit I is a part of a nanosecond: a part of 1 was probably meant.  Shares are parts of
 * 1 themselves, and other statistics have no unit.
 */
static bool
say_tiny(const struct diff *d, size_t i, struct err *e)
{
	const struct diff_limit *l = &d->x->limit[i];
	const bool rate = slice_eq(l->stat, SLICE("rate"));
	size_t k = 0;

	if (l->relative || l->bound == 0 || !(fabs(l->bound) < 1))
		return false;
	if (d->x->per != DIFF_PER_NOTHING || !(rate || units_stat_has(l->stat)))
		return false;
	while (k < d->families.count &&
	    !(slice_eq(d->family[k].part[PART_STAT], l->stat) &&
		slice_eq(d->family[k].part[PART_UNIT], SLICE("ns"))))
		k++;
	if (k == d->families.count)
		return false;
	err_data(e, "--fail-if: %.*s is %g ns%s; a part of BEFORE is %.*s%c%+g%%",
	    slice_shown(l->text, SHOWN_MAX), l->text.p, l->bound, rate ? "/s" : "",
	    slice_shown(l->stat, SHOWN_MAX), l->stat.p, l->below ? '<' : '>', 100 * l->bound);
	e->code = ERR_NONE;
	return true;
}

/* Says that limit I is a fall by 100% or more, which only groups exceed that become negative. */
static bool
say_too_deep(const struct diff *d, size_t i, struct err *e)
{
	const struct diff_limit *l = &d->x->limit[i];
	size_t k;

	if (!l->relative || !l->below || l->bound > -1)
		return false;
	for (k = 0; k < d->effects; k++)
		if ((d->effect[k].judged >> i & 1) != 0 && d->effect[k].mean[DIFF_AFTER] < 0)
			return false;
	err_data(e, "--fail-if: no group can be beyond %.*s unless it becomes negative",
	    slice_shown(l->text, SHOWN_MAX), l->text.p);
	e->code = ERR_DOUBT;
	return true;
}

/* Does the same for limit I if it is probably not the one that was meant. */
static bool
next_odd(const struct diff *d, size_t i, struct err *e)
{
	return say_tiny(d, i, e) || say_too_deep(d, i, e);
}

/* Names the groups with a verdict about limit I, which says WHY they are not BEYOND it: a doubt. */
static void
doubt_limit(const struct diff *d, enum verdict v, size_t i, const char *beyond, const char *why,
    uint64_t of, struct err *e)
{
	struct slice text = d->x->limit[i].text;
	char names[NAMES_ROOM + 40];

	list_verdict(d, v, i, names);
	err_data(e, "%s %.*s%s: %" PRIu64 " of %" PRIu64 " groups: %s", beyond,
	    slice_shown(text, SHOWN_MAX), text.p, why, d->found[v][i], of, names);
	e->code = ERR_DOUBT;
}

/* Does the same for limit I if an interval is not beyond it, and nearly all runs are. */
static bool
next_unsure(const struct diff *d, size_t i, struct err *e)
{
	if (d->found[UNSURE][i] == 0)
		return false;
	doubt_limit(d, UNSURE, i, "not beyond",
	    ", only because some runs are far from the others: nearly all runs of AFTER are "
	    "beyond it",
	    d->judged[i], e);
	return true;
}

/* Adds a run that lacks the first group with the verdict about limit I, and counts as 0. */
static void
add_lacking(const struct diff *d, size_t i, struct err *e)
{
	const struct effect *x = d->effect;
	enum diff_side s;
	char others[40] = "";
	struct slice run;

	while ((x->limits[LACKING] >> i & 1) == 0)
		x++;
	s = x->lacks[DIFF_AFTER] != 0 ? DIFF_AFTER : DIFF_BEFORE;
	run = diff_first_lacking(d, x, s);
	if (x->lacks[s] > 1)
		(void)snprintf(others, sizeof others, " and %zu other%s", x->lacks[s] - 1,
		    x->lacks[s] == 2 ? "" : "s");
	(void)err_add(e, " (%snot in run %.*s%s of %s)",
	    d->found[LACKING][i] > 1 ? "the first: " : "", slice_shown(run, SHOWN_MAX), run.p,
	    others, diff_side_name[s]);
}

/* Does the same for limit I if groups are not beyond it because a few runs do not have them. */
static bool
next_lacking(const struct diff *d, size_t i, struct err *e)
{
	if (d->found[LACKING][i] == 0)
		return false;
	doubt_limit(d, LACKING, i, "not beyond", ", only because runs without a group count as 0",
	    d->judged[i], e);
	add_lacking(d, i, e);
	return true;
}

/* Does the same for limit I if it names groups that are gone, and may have another name now. */
static bool
next_gone(const struct diff *d, size_t i, struct err *e)
{
	/* of a limit that has compared nothing that has been said */
	if (d->found[GONE][i] == 0 || d->apart.len != 0 || is_idle(d, i))
		return false;
	doubt_limit(d, GONE, i, "not in AFTER, and not beyond", "", d->matched[i], e);
	return true;
}

/* Does the same for key I of --ignore. */
static bool
next_ignored(const struct diff *d, size_t i, struct err *e)
{
	struct slice list = d->x->ignore, key;
	size_t n;

	for (n = 0; n <= i; n++)
		if (!slice_cut(&list, ',', &key))
			return false;
	if ((d->ignored >> i & 1) != 0)
		return false;
	err_data(e, "--ignore: no result has the key %.*s", slice_shown(key, SHOWN_MAX), key.p);
	return true;
}

bool
diff_rest(const struct diff *d, size_t *at, struct err *e)
{
	size_t keys = NOTES + diff_run_notes(d), runs = keys + 1,
	       families = runs + d->families.count, rates = families + d->families.count,
	       extremes = rates + d->families.count, limits = extremes + d->x->limits,
	       unsure = limits + d->x->limits, lacking = unsure + d->x->limits,
	       gone = lacking + d->x->limits, odd = gone + d->x->limits;

	while (*at < odd + DIFF_IGNORED_MAX) {
		size_t i = (*at)++;

		if (i < NOTES          ? next_note(d, i, e)
			: i < keys     ? diff_next_run_note(d, i - NOTES, e)
			: i < runs     ? diff_key_note(d, e)
			: i < families ? next_family(d, i - runs, e)
			: i < rates    ? diff_next_rate_note(d, i - families, e)
			: i < extremes ? diff_next_extreme_note(d, i - rates, e)
			: i < limits   ? next_limit(d, i - extremes, e)
			: i < unsure   ? next_unsure(d, i - limits, e)
			: i < lacking  ? next_lacking(d, i - unsure, e)
			: i < gone     ? next_gone(d, i - lacking, e)
			: i < odd      ? next_odd(d, i - gone, e)
				       : next_ignored(d, i - odd, e))
			return true;
	}
	return false;
}

bool
diff_lost(uint64_t before, uint64_t after, struct err *e)
{
	err_data(e, "BEFORE lost %" PRIu64 " events, and AFTER %" PRIu64, before, after);
	e->code = before == after ? ERR_NONE : ERR_DOUBT;
	return before != 0 || after != 0;
}
