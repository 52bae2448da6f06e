/* SPDX-License-Identifier: ISC */
/* result.c - writes the groups as lines, sorted. */
#include <stdlib.h>

#include "lib/mem.h"
#include "src/aggregate/aggint.h"

struct row {
	struct slice keys, measure; /* the texts of each, with TABs between */
	uint32_t identity, number;
};

static const struct slice stat_names[STATS] = {
	{ "count", 5 },
	{ "sum", 3 },
	{ "mean", 4 },
	{ "min", 3 },
	{ "max", 3 },
	{ "stddev", 6 },
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

/* The column's own text where it is a key, or what all lines of the group agree on. */
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
	bool unit; /* it is written: measure lines do not give it, or not for all */
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

/* A tag that describes the measure, unless it is empty or already a key. */
static void
write_identity_tag(const struct aggregate *a, struct evwrite *w, struct slice key,
    struct slice value)
{
	if (!slice_is_nothing(value) && !is_key(a, key))
		evw_tag_raw(w, key, value);
}

static void
write_line(const struct aggregate *a, struct evwrite *w, uint32_t number, const struct parts *t,
    enum stat which)
{
	const struct group *g = &a->group[number];
	bool timed = wide_cmp(g->start, g->end) <= 0;
	struct slice none = SLICE(".");
	char value[TALLY_PUT_MAX];
	size_t n =
	    tally_put(value, which, &g->tally, a->spread == NULL ? NULL : &a->spread[number]);

	evw_begin(w, SLICE("agg"));
	if (timed)
		write_time(w, (struct slice){ NULL, 0 }, g->end);
	else
		evw_none(w);
	evw_raw(w, column(a, t->key, EV_RUN, g->run == MIXED ? none : a->runs.tab.item[g->run]));
	evw_raw(w, column(a, t->key, EV_REGION, none));
	evw_raw(w, t->id[ID_MEASURE]);
	evw_raw(w, (struct slice){ value, n });
	write_keys(a, w, t->key);
	evw_tag_raw(w, SLICE("stat"), stat_names[which]);
	if (timed)
		write_time(w, SLICE("start"), g->start);
	evw_tag_u64(w, SLICE("n"), g->tally.n);
	if (a->takes_aggs)
		write_identity_tag(a, w, SLICE("of"), t->id[ID_OF]);
	if (g->mid != MIXED)
		write_identity_tag(a, w, SLICE("mid"), a->mids.tab.item[g->mid]);
	if (t->unit && !is_key(a, SLICE("unit")))
		evw_tag_raw(w, SLICE("unit"), t->id[ID_UNIT]);
	write_identity_tag(a, w, SLICE("type"), t->id[ID_TYPE]);
	evw_end(w);
}

static bool
write_group(struct aggregate *a, struct evwrite *w, const struct row *row, const bool *unit)
{
	struct parts t;
	size_t i;

	if (!tally_settle(&a->group[row->number].tally,
		a->spread == NULL ? NULL : &a->spread[row->number]))
		return false;
	(void)aggregate_split(row->keys, t.key, a->nkeys);
	(void)aggregate_split(row->measure, t.id, a->at.nidentity);
	t.unit = unit[row->identity];
	for (i = 0; i < a->nstats; i++)
		write_line(a, w, row->number, &t, a->stat[i]);
	return true;
}

static struct row
row_of(const struct aggregate *a, size_t number)
{
	struct slice text = a->groups.item[number], key[AGGREGATE_KEYS_MAX];
	struct slice rest = aggregate_split(text, key, a->nkeys);
	uint32_t measure = 0;

	if (rest.len != 0) {
		memcpy(&measure, rest.p + rest.len - GROUP_MEASURE, GROUP_MEASURE);
		text.len -= 1 + GROUP_MEASURE;
	}
	return (struct row){ text, a->measures.item[measure], measure, (uint32_t)number };
}

/*
 * If two identities of a measure have different units, all show theirs; otherwise only if a line
 * did, or if there is none but a measure line of the measure gives one.  False without memory.
 */
static bool
judge_units(const struct aggregate *a, bool *shown)
{
	struct tab names = { 0 };
	size_t n = a->measures.count, i, k, *first = mem_zero(n, sizeof *first);
	bool *several = mem_zero(n, sizeof *several), ok = first != NULL && several != NULL, fresh;
	struct slice id[IDENTITY], other[IDENTITY];

	for (i = 0; ok && i < n; i++) {
		(void)aggregate_split(a->measures.item[i], id, ID_UNIT + 1);
		k = tab_add(&names, id[ID_MEASURE], &fresh);
		ok = k != TAB_NONE;
		if (ok && fresh)
			first[k] = i;
		if (ok)
			(void)aggregate_split(a->measures.item[first[k]], other, ID_UNIT + 1);
		if (ok && !slice_eq(id[ID_UNIT], other[ID_UNIT]))
			several[k] = true;
	}
	for (i = 0; ok && i < n; i++) {
		(void)aggregate_split(a->measures.item[i], id, ID_UNIT + 1);
		shown[i] = slice_is_nothing(id[ID_UNIT])
		    ? units_any(&a->units, id[ID_MEASURE])
		    : a->says_unit[i] || several[tab_find(&names, id[ID_MEASURE])];
	}
	tab_free(&names);
	mem_free(first);
	mem_free(several);
	return ok;
}

int
aggregate_write(struct aggregate *a, struct evwrite *w, struct err *e)
{
	size_t n = a->groups.count, i;
	struct row *row = n == 0 ? NULL : mem_alloc(n * sizeof *row);
	bool *unit = mem_zero(a->measures.count + 1, sizeof *unit);
	bool ok = (n == 0 || row != NULL) && unit != NULL && judge_units(a, unit);

	for (i = 0; ok && i < n; i++)
		row[i] = row_of(a, i);
	if (ok && n != 0)
		qsort(row, n, sizeof *row, cmp_rows);
	for (i = 0; ok && i < n && !evw_failed(w); i++)
		ok = write_group(a, w, &row[i], unit);
	mem_free(row);
	mem_free(unit);
	return ok ? 0 : err_nomem(e);
}
