/* SPDX-License-Identifier: ISC */
/* result.c - the groups as lines, sorted. */
#include <stdlib.h>

#include "src/aggregate/aggint.h"

struct row {
	struct slice identity;
	uint32_t number;
};

static const struct slice stat_names[STATS] = {
	{ "count", 5 }, { "sum", 3 }, { "mean", 4 }, { "min", 3 }, { "max", 3 }, { "stddev", 6 },
};

static int
cmp_rows(const void *a, const void *b)
{
	return slice_cmp(((const struct row *)a)->identity, ((const struct row *)b)->identity);
}

static void
split(struct slice identity, struct slice *field, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		const char *tab = memchr(identity.p, '\t', identity.len);

		field[i] = (struct slice){ identity.p, tab == NULL ? identity.len : (size_t)(tab - identity.p) };
		identity.p += field[i].len + (tab != NULL);
		identity.len -= field[i].len + (tab != NULL);
	}
}

static bool
is_key(const struct aggregate *a, struct slice name)
{
	return tab_find(&a->texts, name) != TAB_NONE;
}

/* The column's own text where it is a key, or what all lines of the group agree on. */
static struct slice
column(const struct aggregate *a, const struct slice *field, enum ev_column which, struct slice otherwise)
{
	size_t i;

	for (i = 0; i < a->nkeys; i++)
		if (a->at.field[i] == which)
			return field[i];
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

static void
write_keys(const struct aggregate *a, struct evwrite *w, const struct slice *field)
{
	size_t i;

	for (i = 0; i < a->nkeys; i++) {
		size_t at = a->at.field[i];

		if (at != EV_RUN && at != EV_REGION && at != EV_MEASURE)
			evw_tag_raw(w, a->key[i], field[i]);
	}
}

/* A tag that says what the measure is, unless it says nothing or is there as a key. */
static void
write_identity_tag(const struct aggregate *a, struct evwrite *w, struct slice key, struct slice value)
{
	if (!slice_is_nothing(value) && !is_key(a, key))
		evw_tag_raw(w, key, value);
}

static void
write_line(const struct aggregate *a, struct evwrite *w, uint32_t number, const struct slice *field, enum stat which)
{
	const struct group *g = &a->group[number];
	const struct slice *id = field + a->nkeys;
	bool timed = wide_cmp(g->start, g->end) <= 0;
	struct slice none = SLICE(".");
	char value[TALLY_PUT_MAX];
	size_t n = tally_put(value, which, &g->tally, a->spread == NULL ? NULL : &a->spread[number]);

	evw_begin(w, SLICE("agg"));
	if (timed)
		write_time(w, (struct slice){ NULL, 0 }, g->end);
	else
		evw_none(w);
	evw_raw(w, column(a, field, EV_RUN, g->run == MIXED ? none : a->runs.tab.item[g->run]));
	evw_raw(w, column(a, field, EV_REGION, none));
	evw_raw(w, id[ID_MEASURE]);
	evw_raw(w, (struct slice){ value, n });
	write_keys(a, w, field);
	evw_tag_raw(w, SLICE("stat"), stat_names[which]);
	if (timed)
		write_time(w, SLICE("start"), g->start);
	evw_tag_u64(w, SLICE("n"), g->tally.n);
	if (a->takes_aggs)
		write_identity_tag(a, w, SLICE("of"), id[ID_OF]);
	if (g->mid != MIXED)
		write_identity_tag(a, w, SLICE("mid"), a->mids.tab.item[g->mid]);
	write_identity_tag(a, w, SLICE("unit"), id[ID_UNIT]);
	write_identity_tag(a, w, SLICE("type"), id[ID_TYPE]);
	evw_end(w);
}

static bool
write_group(struct aggregate *a, struct evwrite *w, const struct row *row)
{
	struct slice field[FIELDS_MAX];
	size_t i;

	if (!tally_settle(&a->group[row->number].tally, a->spread == NULL ? NULL : &a->spread[row->number]))
		return false;
	split(row->identity, field, a->at.nfields);
	for (i = 0; i < a->nstats; i++)
		write_line(a, w, row->number, field, a->stat[i]);
	return true;
}

int
aggregate_write(struct aggregate *a, struct evwrite *w, struct err *e)
{
	size_t n = a->groups.count, i;
	struct row *row = n == 0 ? NULL : malloc(n * sizeof *row);
	bool ok = n == 0 || row != NULL;

	for (i = 0; ok && i < n; i++)
		row[i] = (struct row){ a->groups.item[i], (uint32_t)i };
	if (ok && n != 0)
		qsort(row, n, sizeof *row, cmp_rows);
	for (i = 0; ok && i < n && !evw_failed(w); i++)
		ok = write_group(a, w, &row[i]);
	free(row);
	return ok ? 0 : err_nomem(e);
}
