/* SPDX-License-Identifier: ISC */
/* aggregate.c - groups lines: the settings, the group of each line, and the results as lines. */
#include "src/aggregate/aggregate.h"

#include <stdlib.h>
#include <string.h>

#include "lib/buf.h"
#include "lib/esc.h"
#include "lib/hint.h"
#include "lib/kinds.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "lib/short.h"
#include "lib/tab.h"
#include "lib/units.h"
#include "lib/vec.h"
#include "src/aggregate/stats.h"

/*
 * A group is identified by the texts of its keys, separated by TABs.  The identities sort like the
 * keys, because TAB is lower than any byte of a text.  A TAB and the number of the measure
 * (GROUP_MEASURE bytes) follow, unless its measure is the first in the input.
 */
#define GROUP_MEASURE sizeof(uint32_t)

/*
 * The identity of a measure: texts that are stored like the keys of a group.  ID_OF is only for agg
 * lines.
 */
enum identity { ID_MEASURE, ID_TYPE, ID_UNIT, ID_OF, IDENTITY };

#define TAGS_MAX (AGGREGATE_KEYS_MAX + IDENTITY + 3)

/*
 * The places of a line's keys, of its identity and of the other texts read from it.  Places 0 to
 * EV_COLUMNS - 1 are columns, and later ones are tags to look for.
 */
struct places {
	size_t ntags;
	struct slice tag[TAGS_MAX]; /* keys, escaped */
	unsigned char first[256]; /* 1 + the first tag that begins with this byte, or 0 */
	unsigned char next[TAGS_MAX]; /* 1 + the next tag that begins with the same byte, or 0 */
	size_t key[AGGREGATE_KEYS_MAX];
	size_t identity[IDENTITY];
	size_t nidentity;
	size_t mid, start, weight;
};

/* The last result for a line's identity and run. */
struct resolved {
	uint64_t epoch; /* the number of measure lines at that time, plus 1 */
	uint32_t raw, run, number;
	struct slice unit;
};

#define RESOLVED ((size_t)1024)

struct group {
	struct wide start, end; /* start > end if no line has had a time */
	struct accumulator total;
	uint32_t run, mid; /* numbers in the tables of runs and mids, or MIXED */
};

#define MIXED UINT32_MAX

struct memo {
	struct tab tab; /* the numbers of texts */
	struct slice text; /* the last text, stored in the table */
	uint32_t number;
};

/* What is read from the value of a line. */
enum reads {
	READS_NONE, /* it is only counted */
	READS_SMALL, /* a small integer, or if it is none, any number */
	READS_NUMBERS, /* any number, and its weight */
};

struct aggregate {
	size_t nkeys;
	struct slice key[AGGREGATE_KEYS_MAX]; /* escaped; in texts */
	struct stats stats;
	struct slice weight; /* the tag with the weights, escaped; len is 0 if there is none */
	struct tab kinds;
	struct tab texts; /* owns the spelling of keys */
	struct tab weights; /* owns the spelling of weight */
	enum reads reads;
	bool takes_aggs, takes_measures, by_unit;
	struct places at;
	struct slice last_kind;
	char last_kind_text[32];
	enum aggregate_fate last_fate;
	struct buf text; /* for the line's group or measure */
	struct tab raw; /* identities as in the lines */
	/*
	 * The parts of the last identity.  If a part is ".", its p is `nothing`; for a tag unit=.
	 * the part is empty.
	 */
	struct slice measure[IDENTITY];
	uint32_t last_raw, last_run;
	const struct resolved *last_resolved; /* the result for the last identity and run */
	struct tab measures; /* identities, with the unit of the value */
	bool *says_unit; /* by number in measures: whether a line itself gives the unit */
	size_t measures_cap;
	struct units units;
	uint64_t epoch;
	struct resolved resolved[RESOLVED];
	struct tab groups;
	struct group *group; /* by number */
	struct spread *spread; /* by number; NULL unless needed */
	struct detail *detail; /* likewise */
	size_t cap;
	uint32_t last; /* the group of the last line */
	struct memo runs, mids;
};

static const char nothing[] = ".";

#define SHOWN_MAX 100 /* bytes of a word shown in a message */
#define GROUPS_FIRST ((size_t)64)
#define CACHE_LINE 64 /* the size of a struct group if pointers have 64 bits */

struct aggregate *
aggregate_new(void)
{
	struct aggregate *a = mem_zero(1, sizeof *a);

	if (a == NULL)
		return NULL;
	a->last_fate = AGGREGATE_DROP;
	a->last_run = MIXED;
	a->epoch = 1;
	return a;
}

/* Returns the parts of a group. */
static inline struct state
state_of(const struct aggregate *a, size_t number)
{
	return (struct state){ &a->group[number].total,
		a->spread == NULL ? NULL : &a->spread[number],
		a->detail == NULL ? NULL : &a->detail[number] };
}

void
aggregate_free(struct aggregate *a)
{
	size_t i;

	if (a == NULL)
		return;
	for (i = 0; i < a->groups.count && i < a->cap; i++) {
		struct state st = state_of(a, i);

		state_free(&st);
	}
	tab_free(&a->groups);
	tab_free(&a->kinds);
	tab_free(&a->texts);
	tab_free(&a->weights);
	tab_free(&a->runs.tab);
	tab_free(&a->mids.tab);
	tab_free(&a->raw);
	tab_free(&a->measures);
	units_free(&a->units);
	mem_free(a->says_unit);
	buf_free(&a->text);
	mem_free(a->group);
	mem_free(a->spread);
	mem_free(a->detail);
	mem_free(a);
}

/* Settings. */

/* The tags that afagg adds to its own lines.  They cannot be keys. */
static const char *const own_tags[] = { "stat", "start", "n", "of" };

static struct slice
next_word(const char **list)
{
	size_t n = strcspn(*list, ",");
	struct slice word = { *list, n };

	*list = (*list)[n] == ',' ? *list + n + 1 : NULL;
	return word;
}

/* Stores the escaped form of word, owned by a->texts.  *fresh is true if it is new there. */
static int
intern(struct aggregate *a, struct tab *tab, struct slice word, enum esc_as as, struct slice *out,
    struct err *e)
{
	size_t number;
	bool fresh;

	if (word.len == 0)
		return err_data(e, "empty word in a list");
	a->text.len = 0;
	if (!esc_append(&a->text, word.p, word.len, as))
		return err_nomem(e);
	number = tab_add(tab, buf_slice(&a->text), &fresh);
	if (number == TAB_NONE)
		return err_nomem(e);
	*out = tab->item[number];
	if (!fresh)
		return err_data(e, "\"%.*s\" is given twice", slice_shown(*out, SHOWN_MAX), out->p);
	return 0;
}

int
aggregate_set_keys(struct aggregate *a, const char *list, struct err *e)
{
	struct slice key;
	size_t i;
	int rc;

	while (list != NULL) {
		rc = intern(a, &a->texts, next_word(&list), ESC_KEY, &key, e);
		if (rc != 0)
			return rc;
		for (i = 0; i < sizeof own_tags / sizeof own_tags[0]; i++)
			if (slice_eq(key, slice_of(own_tags[i])))
				return err_data(e,
				    "\"%s\" cannot be a key: it is a tag of the results",
				    own_tags[i]);
		if (a->nkeys == AGGREGATE_KEYS_MAX)
			return err_data(e, "more than %d keys", AGGREGATE_KEYS_MAX);
		a->key[a->nkeys++] = key;
	}
	return 0;
}

int
aggregate_set_stats(struct aggregate *a, const char *list, struct err *e)
{
	return stats_set_list(&a->stats, list, e);
}

int
aggregate_set_percentile(struct aggregate *a, const char *how, struct err *e)
{
	return stats_set_percentile(&a->stats, how, e);
}

int
aggregate_set_sketch(struct aggregate *a, const char *percent, struct err *e)
{
	return stats_set_sketch(&a->stats, percent, e);
}

int
aggregate_set_bins(struct aggregate *a, const char *text, struct err *e)
{
	return stats_set_bins(&a->stats, text, e);
}

int
aggregate_set_weight(struct aggregate *a, const char *tag, struct err *e)
{
	stats_set_weighted(&a->stats);
	return intern(a, &a->weights, slice_of(tag), ESC_KEY, &a->weight, e);
}

int
aggregate_set_kinds(struct aggregate *a, const char *list, struct err *e)
{
	struct slice kind;
	int rc;

	while (list != NULL) {
		rc = intern(a, &a->kinds, next_word(&list), ESC_COLUMN, &kind, e);
		if (rc != 0)
			return rc;
	}
	return 0;
}

/* Returns the place of a column or tag.  From now on, lines are searched for the tag. */
static size_t
place_of(struct places *at, struct slice name)
{
	enum ev_column column = ev_column_named(name);
	size_t i;

	if (column != EV_COLUMNS)
		return column;
	for (i = 0; i < at->ntags; i++)
		if (slice_eq(at->tag[i], name))
			return EV_COLUMNS + i;
	at->next[i] = at->first[(unsigned char)name.p[0]];
	at->first[(unsigned char)name.p[0]] = (unsigned char)(i + 1);
	at->tag[at->ntags++] = name;
	return EV_COLUMNS + i;
}

static void
find_places(struct aggregate *a)
{
	struct places *at = &a->at;
	size_t i;

	for (i = 0; i < a->nkeys; i++)
		at->key[i] = place_of(at, a->key[i]);
	at->identity[ID_MEASURE] = EV_MEASURE;
	at->identity[ID_TYPE] = place_of(at, SLICE("type"));
	at->identity[ID_UNIT] = place_of(at, SLICE("unit"));
	at->nidentity = ID_UNIT + 1;
	if (a->takes_aggs)
		at->identity[at->nidentity++] = place_of(at, SLICE("stat"));
	at->mid = place_of(at, SLICE("mid"));
	at->start = place_of(at, SLICE("start"));
	if (a->weight.len != 0)
		at->weight = place_of(at, a->weight);
}

int
aggregate_ready(struct aggregate *a, struct err *e)
{
	int rc;

	if (a->kinds.count == 0 && (rc = aggregate_set_kinds(a, "sample,span", e)) != 0)
		return rc;
	if (a->stats.n == 0 && (rc = aggregate_set_stats(a, "count,sum", e)) != 0)
		return rc;
	if ((rc = stats_ready(&a->stats, e)) != 0)
		return rc;
	if ((a->stats.keep.need & STATE_HIST) != 0 &&
	    (tab_find(&a->texts, SLICE("lo")) != TAB_NONE ||
		tab_find(&a->texts, SLICE("hi")) != TAB_NONE))
		return err_data(e,
		    "lo and hi cannot be keys with hist, whose lines have these tags");
	if ((a->stats.keep.need & STATE_GENERAL) != 0)
		a->reads = READS_NUMBERS;
	else if (a->stats.wants_numbers)
		a->reads = READS_SMALL;
	a->takes_aggs = tab_find(&a->kinds, SLICE("agg")) != TAB_NONE;
	a->takes_measures = tab_find(&a->kinds, SLICE("measure")) != TAB_NONE;
	a->by_unit = tab_find(&a->texts, SLICE("unit")) != TAB_NONE;
	find_places(a);
	return 0;
}

/* Functions that find the group of a line. */

static enum aggregate_fate
judge_kind(const struct aggregate *a, struct slice kind)
{
	const struct kind *known = kind_named(kind);

	if (tab_find(&a->kinds, kind) != TAB_NONE)
		return AGGREGATE_TAKE;
	if (slice_eq(kind, SLICE("measure")))
		return AGGREGATE_MEASURE;
	return known != NULL && !known->outlives ? AGGREGATE_DROP : AGGREGATE_PASS;
}

enum aggregate_fate
aggregate_fate(struct aggregate *a, const struct ev *ev)
{
	struct slice kind = ev->col[EV_KIND];

	if (short_eq(kind, a->last_kind))
		return a->last_fate;
	a->last_fate = judge_kind(a, kind);
	a->last_kind = (struct slice){ a->last_kind_text, 0 };
	if (kind.len <= sizeof a->last_kind_text) {
		memcpy(a->last_kind_text, kind.p, kind.len);
		a->last_kind.len = kind.len;
	}
	return a->last_fate;
}

/* Stores a tag if it is wanted.  If it is repeated, the first one is used. */
static void
take_tag(const struct places *at, struct slice tag, struct slice *place)
{
	size_t i;

	for (i = at->first[(unsigned char)*tag.p]; i != 0; i = at->next[i - 1]) {
		struct slice key = at->tag[i - 1];

		if (tag.len <= key.len || tag.p[key.len] != '=' ||
		    memcmp(tag.p, key.p, key.len) != 0)
			continue;
		if (place[i - 1].p == nothing)
			place[i - 1] = (struct slice){ tag.p + key.len + 1, tag.len - key.len - 1 };
		return;
	}
}

/* Finds all wanted tags in one pass over the line. */
static void
find_tags(const struct places *at, const struct ev *ev, struct slice *place)
{
	size_t i;

	for (i = 0; i < at->ntags; i++)
		place[i] = (struct slice){ nothing, 1 };
	for (i = 0; i < ev->ntags; i++) {
		const char *p = ev->base + ev->cut[i] + 1;

		if (at->first[(unsigned char)*p] != 0)
			take_tag(at, (struct slice){ p, ev->cut[i + 1] - ev->cut[i] - 1 }, place);
	}
}

/* Returns the text at a place of the line: a column, or one of the tags found. */
static inline struct slice
text_at(const struct ev *ev, const struct slice *tag, size_t place)
{
	return place < EV_COLUMNS ? ev->col[place] : tag[place - EV_COLUMNS];
}

/*
 * Joins the texts at n places, separated by TABs, in a->text, which then has room for MORE bytes.
 */
static bool
join(struct aggregate *a, const struct ev *ev, const struct slice *tag, const size_t *at, size_t n,
    size_t more)
{
	size_t i, len = 0;
	char *p;

	for (i = 0; i < n; i++)
		len += text_at(ev, tag, at[i]).len + 1;
	a->text.len = 0;
	if (!buf_room(&a->text, len + more))
		return false;
	p = a->text.p;
	for (i = 0; i < n; i++) {
		struct slice s = text_at(ev, tag, at[i]);

		if (i > 0)
			*p++ = '\t';
		short_copy(p, s.p, s.len);
		p += s.len;
	}
	a->text.len = (size_t)(p - a->text.p);
	return true;
}

static struct slice
split(struct slice text, struct slice *part, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		const char *tab = memchr(text.p, '\t', text.len);

		part[i] = (struct slice){ text.p, tab == NULL ? text.len : (size_t)(tab - text.p) };
		text.p += part[i].len + (tab != NULL);
		text.len -= part[i].len + (tab != NULL);
	}
	return text;
}

int
aggregate_measure(struct aggregate *a, const struct ev *ev, struct err *e)
{
	a->epoch++;
	a->last_run = MIXED;
	return units_declare(&a->units, ev) ? 0 : err_nomem(e);
}

/* Returns the number of the identity in a->measure with that unit, or MIXED if memory runs out. */
static uint32_t
add_measure(struct aggregate *a, struct slice unit, bool says_unit)
{
	size_t number, i;
	bool ok = true, fresh;

	if (!vec_room(a->says_unit, a->measures.count, a->measures_cap))
		return MIXED;
	a->text.len = 0;
	for (i = 0; ok && i < a->at.nidentity; i++) {
		struct slice s = i == ID_UNIT ? unit : a->measure[i];

		ok = (i == 0 || buf_putc(&a->text, '\t')) && buf_put(&a->text, s.p, s.len);
	}
	number = ok ? tab_add(&a->measures, buf_slice(&a->text), &fresh) : TAB_NONE;
	if (number == TAB_NONE)
		return MIXED;
	a->says_unit[number] = says_unit || (!fresh && a->says_unit[number]);
	return (uint32_t)number;
}

/*
 * Looks up the last line's identity, with the unit of its run.  Returns MIXED if memory runs out.
 */
static HINT_APART uint32_t
look_up(struct aggregate *a, const struct ev *ev, uint32_t run, struct resolved *r)
{
	bool says_unit = a->measure[ID_UNIT].p != nothing;
	uint32_t number = add_measure(a, units_of(&a->units, ev), says_unit);
	struct slice part[IDENTITY];

	if (number == MIXED)
		return MIXED;
	(void)split(a->measures.item[number], part, ID_UNIT + 1);
	*r = (struct resolved){ a->epoch, a->last_raw, run, number, part[ID_UNIT] };
	a->last_run = run;
	a->last_resolved = r;
	return number;
}

/* Returns the number of the last line's identity, with the unit of that run. */
static HINT_APART uint32_t
resolve(struct aggregate *a, const struct ev *ev, uint32_t run)
{
	struct resolved *r = &a->resolved[(run * 61 + a->last_raw) % RESOLVED];

	if (r->epoch != a->epoch || r->run != run || r->raw != a->last_raw)
		return look_up(a, ev, run, r);
	a->last_run = run;
	a->last_resolved = r;
	return r->number;
}

/* Handles an identity that differs from the last line's.  Returns MIXED if memory runs out. */
static HINT_APART uint32_t
find_measure(struct aggregate *a, const struct ev *ev, const struct slice *tag, uint32_t run)
{
	struct slice unit = tag[a->at.identity[ID_UNIT] - EV_COLUMNS];
	bool none = unit.p != nothing && slice_is_nothing(unit);
	size_t number, i;

	if (!join(a, ev, tag, a->at.identity, a->at.nidentity, 1))
		return MIXED;
	if (none)
		a->text.p[a->text.len++] = '\t';
	number = tab_add(&a->raw, buf_slice(&a->text), NULL);
	if (number == TAB_NONE)
		return MIXED;
	(void)split(a->raw.item[number], a->measure, a->at.nidentity);
	for (i = 0; i < a->at.nidentity; i++)
		if (slice_is_nothing(a->measure[i]))
			a->measure[i].p = nothing;
	if (none)
		a->measure[ID_UNIT] = SLICE("");
	a->last_raw = (uint32_t)number;
	return resolve(a, ev, run);
}

static inline uint32_t
number_of_measure(struct aggregate *a, const struct ev *ev, const struct slice *tag, uint32_t run)
{
	size_t i;

	if (!short_eq(ev->col[EV_MEASURE], a->measure[ID_MEASURE]))
		return find_measure(a, ev, tag, run);
	for (i = ID_MEASURE + 1; i < a->at.nidentity; i++)
		if (!short_eq(tag[a->at.identity[i] - EV_COLUMNS], a->measure[i]))
			return find_measure(a, ev, tag, run);
	return run == a->last_run ? a->last_resolved->number : resolve(a, ev, run);
}

static HINT_APART bool
more_groups(struct aggregate *a)
{
	size_t cap = a->cap == 0 ? GROUPS_FIRST : a->cap * 2;
	struct group *group = mem_aligned(CACHE_LINE, cap * sizeof *group);

	if (group == NULL)
		return false;
	if (a->cap != 0)
		memcpy(group, a->group, a->cap * sizeof *group);
	mem_free(a->group);
	a->group = group;
	if ((a->stats.keep.need & ~(unsigned)ACCUMULATOR_SUM) != 0) {
		struct spread *spread = mem_resize(a->spread, cap * sizeof *spread);

		if (spread == NULL)
			return false;
		a->spread = spread;
	}
	if ((a->stats.keep.need & STATE_DETAIL) != 0) {
		struct detail *detail = mem_resize(a->detail, cap * sizeof *detail);

		if (detail == NULL)
			return false;
		a->detail = detail;
	}
	a->cap = cap;
	return true;
}

/*
 * Returns the number of a text, which is usually the same text as last time, or MIXED if memory
 * runs out.
 */
static inline uint32_t
number_of_text(struct memo *m, struct slice s)
{
	size_t number;

	if (m->tab.count != 0 && short_eq(s, m->text))
		return m->number;
	number = tab_add(&m->tab, s, NULL);
	if (number == TAB_NONE)
		return MIXED;
	m->text = slice_is_nothing(s) ? (struct slice){ nothing, 1 } : m->tab.item[number];
	m->number = (uint32_t)number;
	return m->number;
}

/*
 * Finds the text that identifies the group, in a->text or in the line.  Returns false if memory
 * runs out.
 */
static inline bool
name_group(struct aggregate *a, const struct ev *ev, struct slice *tag, uint32_t run,
    struct slice *name)
{
	uint32_t measure = number_of_measure(a, ev, tag, run);

	if (a->by_unit)
		tag[a->at.identity[ID_UNIT] - EV_COLUMNS] = a->last_resolved->unit;
	if (measure == 0 && a->nkeys == 1) {
		*name = text_at(ev, tag, a->at.key[0]);
		return true;
	}
	if (measure == MIXED || !join(a, ev, tag, a->at.key, a->nkeys, 1 + GROUP_MEASURE))
		return false;
	*name = buf_slice(&a->text);
	if (measure != 0) {
		a->text.p[name->len] = '\t';
		memcpy(a->text.p + name->len + 1, &measure, GROUP_MEASURE);
		name->len += 1 + GROUP_MEASURE;
	}
	return true;
}

/* Finds or creates the group of the line.  Returns NULL if memory runs out. */
static struct group *
find_group(struct aggregate *a, const struct ev *ev, struct slice *tag, uint32_t run, uint32_t mid)
{
	struct slice id;
	size_t number;
	bool fresh;

	if (!name_group(a, ev, tag, run, &id))
		return NULL;
	if (a->groups.count != 0 && short_eq(id, a->groups.item[a->last]))
		return &a->group[a->last];
	if (a->groups.count == a->cap && !more_groups(a))
		return NULL;
	number = tab_add(&a->groups, id, &fresh);
	if (number == TAB_NONE)
		return NULL;
	if (fresh) {
		a->group[number] =
		    (struct group){ .start = { UINT64_MAX, UINT64_MAX }, .run = run, .mid = mid };
		if (a->spread != NULL)
			a->spread[number] = SPREAD_EMPTY;
		if (a->detail != NULL)
			a->detail[number] = (struct detail){ .weight = { 0, 0 } };
	}
	a->last = (uint32_t)number;
	return &a->group[number];
}

static int
at_line(const struct ev *ev, struct err *e)
{
	return err_at_line(e, ev->number);
}

struct times {
	struct wide start, end;
};

static int
get_time(struct slice s, const char *what, struct wide *t, struct err *e)
{
	int n = s.len > 60 ? 60 : (int)s.len;

	t->hi = 0;
	if (number_small_unsigned(s, &t->lo) || wide_get(s, t) == WIDE_OK)
		return 0;
	return err_data(e, "%s \"%.*s\" is not a time of up to 128 bits", what, n, s.p);
}

/*
 * Reads the times of a line whose start is not a single small number.  If the line has no times,
 * start > end.
 */
static int
get_times(const struct ev *ev, struct slice start, struct times *t, struct err *e)
{
	t->start = (struct wide){ UINT64_MAX, UINT64_MAX };
	t->end = (struct wide){ 0, 0 };
	if (slice_is_nothing(ev->col[EV_TIME]))
		return 0;
	if (get_time(ev->col[EV_TIME], "time", &t->end, e) != 0)
		return (int)e->code;
	t->start = t->end;
	if (slice_is_nothing(start))
		return 0;
	if (get_time(start, "start", &t->start, e) != 0)
		return (int)e->code;
	if (wide_cmp(t->start, t->end) > 0)
		t->start = t->end;
	return 0;
}

/*
 * Updates the start.  It compares halves, since reading a whole struct is slow if its halves have
 * just been written.
 */
static inline void
see_start(struct group *g, uint64_t hi, uint64_t lo)
{
	if (hi > g->start.hi || (hi == g->start.hi && lo >= g->start.lo))
		return;
	g->start.hi = hi;
	g->start.lo = lo;
}

static inline void
see_end(struct group *g, uint64_t hi, uint64_t lo)
{
	if (hi < g->end.hi || (hi == g->end.hi && lo <= g->end.lo))
		return;
	g->end.hi = hi;
	g->end.lo = lo;
}

/* Reads the value of a line that number_small does not, and the weight. */
static HINT_APART int
get_number(const struct aggregate *a, const struct ev *ev, const struct slice *tag,
    struct number *v, uint64_t *weight, struct err *e)
{
	struct slice s;

	*v = number_of(0);
	*weight = 1;
	if (a->stats.wants_numbers && number_get(ev->col[EV_VALUE], v, e) != 0)
		return at_line(ev, e);
	if (a->weight.len == 0)
		return 0;
	s = text_at(ev, tag, a->at.weight);
	if (num_get_u64(s, weight))
		return 0;
	(void)err_data(e, "weight \"%.*s\" is not an integer of up to 64 bits",
	    slice_shown(s, SHOWN_MAX), s.p);
	return at_line(ev, e);
}

/* Adds a value that is not small, or that has a weight, or whose time matters. */
static HINT_APART int
add_number(struct aggregate *a, const struct ev *ev, struct group *g, const struct number *v,
    uint64_t weight, struct err *e)
{
	struct state st = state_of(a, (size_t)(g - a->group));
	struct wide time;
	bool timed = wide_get(ev->col[EV_TIME], &time) == WIDE_OK;

	if (state_add_number(&a->stats.keep, &st, v, weight, timed ? &time : NULL, e) != 0)
		return at_line(ev, e);
	return 0;
}

/* Adds a value from number_small. */
static inline bool
add_small(struct aggregate *a, struct group *g, int64_t v)
{
	struct spread *s = a->spread == NULL ? NULL : &a->spread[g - a->group];

	if (a->reads == READS_NONE) {
		g->total.n++;
		return true;
	}
	if (!accumulator_add(&g->total, s, a->stats.keep.need, v))
		return false;
	return a->detail == NULL || state_add_more(&a->stats.keep, &a->detail[g - a->group], v);
}

int
aggregate_add(struct aggregate *a, const struct ev *ev, struct err *e)
{
	struct slice tag[TAGS_MAX], start;
	struct times t;
	uint64_t now;
	bool one_time;
	struct number big;
	bool small;
	int64_t v = 0;
	uint64_t weight;
	uint32_t run, mid;
	struct group *g;

	small =
	    a->reads == READS_SMALL ? number_small(ev->col[EV_VALUE], &v) : a->reads == READS_NONE;
	find_tags(&a->at, ev, tag);
	if (!small && get_number(a, ev, tag, &big, &weight, e) != 0)
		return (int)e->code;
	start = text_at(ev, tag, a->at.start);
	one_time = start.p == nothing && number_small_unsigned(ev->col[EV_TIME], &now);
	if (!one_time && get_times(ev, start, &t, e) != 0)
		return at_line(ev, e);
	if (a->takes_measures && slice_eq(ev->col[EV_KIND], SLICE("measure")) &&
	    aggregate_measure(a, ev, e) != 0)
		return (int)e->code;
	run = number_of_text(&a->runs, ev->col[EV_RUN]);
	mid = number_of_text(&a->mids, text_at(ev, tag, a->at.mid));
	if (run == MIXED || mid == MIXED)
		return err_nomem(e);
	g = find_group(a, ev, tag, run, mid);
	if (g == NULL)
		return err_nomem(e);
	if (!small) {
		if (add_number(a, ev, g, &big, weight, e) != 0)
			return (int)e->code;
	} else if (!add_small(a, g, v)) {
		return err_nomem(e);
	}
	if (g->run != run)
		g->run = MIXED;
	if (g->mid != mid)
		g->mid = MIXED;
	see_start(g, one_time ? 0 : t.start.hi, one_time ? now : t.start.lo);
	see_end(g, one_time ? 0 : t.end.hi, one_time ? now : t.end.lo);
	return 0;
}

/* Results. */

struct row {
	struct slice keys, measure; /* the texts of each, separated by TABs */
	uint32_t identity, number;
};

static int
cmp_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int c = slice_cmp(x->keys, y->keys);

	return c != 0 ? c : slice_cmp(x->measure, y->measure);
}

static bool
is_key(const struct aggregate *a, struct slice name)
{
	return tab_find(&a->texts, name) != TAB_NONE;
}

/* Returns the text of the column if it is a key, or the text that all lines of the group have. */
static struct slice
column(const struct aggregate *a, const struct slice *key, enum ev_column which,
    struct slice otherwise)
{
	size_t i;

	for (i = 0; i < a->nkeys; i++)
		if (a->at.key[i] == which)
			return key[i];
	return otherwise;
}

static void
write_time(struct evwrite *w, struct slice key, struct wide t)
{
	char text[WIDE_DIGITS];
	struct slice s = { text, wide_put(text, t) };

	if (key.len == 0)
		evw_raw(w, s);
	else
		evw_tag_raw(w, key, s);
}

/* The texts of a group, split. */
struct parts {
	struct slice key[AGGREGATE_KEYS_MAX], id[IDENTITY];
	bool unit; /* write the unit, because not all runs have a measure line that gives it */
};

static void
write_keys(const struct aggregate *a, struct evwrite *w, const struct slice *key)
{
	size_t i;

	for (i = 0; i < a->nkeys; i++) {
		size_t at = a->at.key[i];

		if (at != EV_RUN && at != EV_REGION && at != EV_MEASURE)
			evw_tag_raw(w, a->key[i], key[i]);
	}
}

/* Writes a tag that describes the measure, unless it is empty or already a key. */
static void
write_identity_tag(const struct aggregate *a, struct evwrite *w, struct slice key,
    struct slice value)
{
	if (!slice_is_nothing(value) && !is_key(a, key))
		evw_tag_raw(w, key, value);
}

/* The texts of a value, and of the bounds of its bin, which are empty without a bin. */
struct result {
	struct slice stat, value, lo, hi;
};

static void
write_line(const struct aggregate *a, struct evwrite *w, uint32_t number, const struct parts *t,
    const struct result *r)
{
	const struct group *g = &a->group[number];
	bool timed = wide_cmp(g->start, g->end) <= 0;
	struct slice none = SLICE(".");

	evw_begin(w, SLICE("agg"));
	if (timed)
		write_time(w, (struct slice){ NULL, 0 }, g->end);
	else
		evw_none(w);
	evw_raw(w, column(a, t->key, EV_RUN, g->run == MIXED ? none : a->runs.tab.item[g->run]));
	evw_raw(w, column(a, t->key, EV_REGION, none));
	evw_raw(w, t->id[ID_MEASURE]);
	evw_raw(w, r->value);
	write_keys(a, w, t->key);
	evw_tag_raw(w, SLICE("stat"), r->stat);
	if (r->lo.len != 0) {
		evw_tag_raw(w, SLICE("lo"), r->lo);
		evw_tag_raw(w, SLICE("hi"), r->hi);
	}
	if (timed)
		write_time(w, SLICE("start"), g->start);
	evw_tag_u64(w, SLICE("n"), g->total.n);
	if (a->takes_aggs)
		write_identity_tag(a, w, SLICE("of"), t->id[ID_OF]);
	if (g->mid != MIXED)
		write_identity_tag(a, w, SLICE("mid"), a->mids.tab.item[g->mid]);
	if (t->unit && !is_key(a, SLICE("unit")))
		evw_tag_raw(w, SLICE("unit"), t->id[ID_UNIT]);
	write_identity_tag(a, w, SLICE("type"), t->id[ID_TYPE]);
	evw_end(w);
}

/* Writes a line for each bin. */
static void
write_hist(const struct aggregate *a, struct evwrite *w, uint32_t number, const struct parts *t,
    struct slice name)
{
	struct state st = state_of(a, number);
	struct bin bin;
	char count[NUM_MAX];
	size_t at = 0;

	while (state_next_bin(&a->stats.keep, &st, &at, &bin)) {
		struct result r = { name, { count, num_put_u64(count, bin.count) },
			{ bin.lo, bin.lo_len }, { bin.hi, bin.hi_len } };

		write_line(a, w, number, t, &r);
	}
}

static void
write_group(const struct aggregate *a, struct evwrite *w, const struct row *row, const bool *unit,
    const struct accumulator *total)
{
	const struct group *g = &a->group[row->number];
	struct wide duration = wide_sub(g->end, g->start);
	struct stats_context c = { wide_cmp(g->start, g->end) < 0 ? &duration : NULL,
		&total[row->identity] };
	struct state st = state_of(a, row->number);
	char value[STATS_PUT_MAX];
	struct parts t;
	size_t i;

	(void)split(row->keys, t.key, a->nkeys);
	(void)split(row->measure, t.id, a->at.nidentity);
	t.unit = unit[row->identity];
	for (i = 0; i < a->stats.n; i++) {
		const struct stats_wanted *s = &a->stats.wanted[i];
		struct result r = { .stat = s->name };

		if (s->stat == STAT_HIST) {
			write_hist(a, w, row->number, &t, s->name);
			continue;
		}
		r.value = (struct slice){ value, stats_put(value, &a->stats, i, &st, &c) };
		write_line(a, w, row->number, &t, &r);
	}
}

static struct row
row_of(const struct aggregate *a, size_t number)
{
	struct slice text = a->groups.item[number], key[AGGREGATE_KEYS_MAX];
	struct slice rest = split(text, key, a->nkeys);
	uint32_t measure = 0;

	if (rest.len != 0) {
		memcpy(&measure, rest.p + rest.len - GROUP_MEASURE, GROUP_MEASURE);
		text.len -= 1 + GROUP_MEASURE;
	}
	return (struct row){ text, a->measures.item[measure], measure, (uint32_t)number };
}

/*
 * Decides which identities show their unit.  If two identities of a measure have different units,
 * each one shows its unit.  Otherwise an identity does so only if a line itself gave the unit, or
 * if it has no unit and a measure line of the measure gives one.  Returns false if memory runs out.
 */
static bool
judge_units(const struct aggregate *a, bool *shown)
{
	struct tab names = { 0 };
	size_t n = a->measures.count, i, k, *first = mem_zero(n, sizeof *first);
	bool *several = mem_zero(n, sizeof *several), ok = first != NULL && several != NULL, fresh;
	struct slice id[IDENTITY], other[IDENTITY];

	for (i = 0; ok && i < n; i++) {
		(void)split(a->measures.item[i], id, ID_UNIT + 1);
		k = tab_add(&names, id[ID_MEASURE], &fresh);
		ok = k != TAB_NONE;
		if (ok && fresh)
			first[k] = i;
		if (ok)
			(void)split(a->measures.item[first[k]], other, ID_UNIT + 1);
		if (ok && !slice_eq(id[ID_UNIT], other[ID_UNIT]))
			several[k] = true;
	}
	for (i = 0; ok && i < n; i++) {
		(void)split(a->measures.item[i], id, ID_UNIT + 1);
		shown[i] = slice_is_nothing(id[ID_UNIT])
		    ? units_any(&a->units, id[ID_MEASURE])
		    : a->says_unit[i] || several[tab_find(&names, id[ID_MEASURE])];
	}
	tab_free(&names);
	mem_free(first);
	mem_free(several);
	return ok;
}

/* Settles all groups, and adds up their sums by identity if a statistic needs that. */
static int
settle(struct aggregate *a, const struct row *row, struct accumulator *total, struct err *e)
{
	size_t n = a->groups.count, i;

	for (i = 0; i < n; i++) {
		struct state st = state_of(a, row[i].number);
		int rc = state_settle(&a->stats.keep, &st, e);

		if (rc != 0)
			return rc;
		if (a->stats.wants_total && !accumulator_add_sum(&total[row[i].identity], st.t))
			return err_nomem(e);
	}
	for (i = 0; i < a->measures.count; i++)
		if (!accumulator_settle(&total[i], NULL))
			return err_nomem(e);
	return 0;
}

int
aggregate_write(struct aggregate *a, struct evwrite *w, struct err *e)
{
	size_t n = a->groups.count, i;
	struct row *row = n == 0 ? NULL : mem_alloc(n * sizeof *row);
	bool *unit = mem_zero(a->measures.count + 1, sizeof *unit);
	struct accumulator *total = mem_zero(a->measures.count + 1, sizeof *total);
	int rc = 0;

	if ((n != 0 && row == NULL) || unit == NULL || total == NULL || !judge_units(a, unit))
		rc = err_nomem(e);
	for (i = 0; rc == 0 && i < n; i++)
		row[i] = row_of(a, i);
	if (rc == 0)
		rc = settle(a, row, total, e);
	if (rc == 0 && n != 0)
		qsort(row, n, sizeof *row, cmp_rows);
	for (i = 0; rc == 0 && i < n && !evw_failed(w); i++)
		write_group(a, w, &row[i], unit, total);
	for (i = 0; total != NULL && i < a->measures.count; i++)
		accumulator_free(&total[i]);
	mem_free(total);
	mem_free(row);
	mem_free(unit);
	return rc;
}
