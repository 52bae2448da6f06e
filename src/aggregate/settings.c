/* SPDX-License-Identifier: ISC */
/* settings.c - the settings of an aggregation: keys, statistics, kinds. */
#include <stdlib.h>

#include "lib/esc.h"
#include "src/aggregate/aggint.h"

static const char *const stat_names[STATS] = { "count", "sum", "mean", "min", "max", "stddev" };

/* Tags that afagg writes on its own lines, so that none of them can be a key. */
static const char *const own_tags[] = { "stat", "start", "n", "of" };

static struct slice
next_word(const char **list)
{
	size_t n = strcspn(*list, ",");
	struct slice word = { *list, n };

	*list = (*list)[n] == ',' ? *list + n + 1 : NULL;
	return word;
}

static int
shown(struct slice s)
{
	return s.len > 100 ? 100 : (int)s.len;
}

/* The escaped form of word, owned by a->texts; *fresh if no other word came to it. */
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
		return err_data(e, "\"%.*s\" is asked for twice", shown(*out), out->p);
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
	size_t i;

	a->nstats = 0;
	while (list != NULL) {
		struct slice word = next_word(&list);
		enum stat s = STAT_COUNT;

		while (s < STATS && !slice_eq(word, slice_of(stat_names[s])))
			s++;
		if (s == STATS)
			return err_data(e, "no such statistic: \"%.*s\"", shown(word), word.p);
		for (i = 0; i < a->nstats; i++)
			if (a->stat[i] == s)
				return err_data(e, "\"%s\" is asked for twice", stat_names[s]);
		a->stat[a->nstats++] = s;
	}
	return 0;
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

/* The place of a column or tag; a tag is searched for from now on. */
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
}

int
aggregate_ready(struct aggregate *a, struct err *e)
{
	size_t i;
	int rc;

	if (a->kinds.count == 0 && (rc = aggregate_set_kinds(a, "sample,span", e)) != 0)
		return rc;
	if (a->nstats == 0 && (rc = aggregate_set_stats(a, "count,sum", e)) != 0)
		return rc;
	for (i = 0; i < a->nstats; i++) {
		a->need |= tally_need(a->stat[i]);
		a->wants_numbers |= a->stat[i] != STAT_COUNT;
	}
	a->takes_aggs = tab_find(&a->kinds, SLICE("agg")) != TAB_NONE;
	a->takes_measures = tab_find(&a->kinds, SLICE("measure")) != TAB_NONE;
	a->by_unit = tab_find(&a->texts, SLICE("unit")) != TAB_NONE;
	find_places(a);
	return 0;
}
