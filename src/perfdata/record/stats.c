/* SPDX-License-Identifier: ISC */
/* stats.c - counts the records of each type, with their first and last times. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/perfdata/record/parts.h"

static struct stats_entry *
entry_of(struct stats *s, uint32_t type)
{
	size_t i;

	if (type < STATS_TYPES)
		return &s->type[type];
	for (i = 0; i < s->others && s->other[i].type != type; i++)
		;
	if (i == s->others && i < STATS_OTHERS)
		s->other[s->others++].type = type;
	return &s->other[i];
}

void
stats_add(struct stats *s, uint32_t type, uint64_t time)
{
	struct stats_entry *entry = entry_of(s, type);

	entry->count++;
	if (time == 0)
		return;
	if (entry->first == 0 || time < entry->first)
		entry->first = time;
	if (time > entry->last)
		entry->last = time;
}

static void
put_entry(const struct run *run, const struct stats_entry *entry, struct slice name, bool typed)
{
	struct evwrite *w = run->w;

	evw_begin(w, SLICE("agg"));
	if (entry->first != 0)
		evw_u64(w, entry->last);
	else
		evw_none(w);
	evw_raw(w, buf_slice(&run->id));
	evw_raw(w, name);
	evw_raw(w, SLICE("records"));
	evw_u64(w, entry->count);
	if (typed)
		evw_tag_u64(w, SLICE("record"), entry->type);
	evw_tag_raw(w, SLICE("stat"), SLICE("count"));
	if (entry->first != 0)
		evw_tag_u64(w, SLICE("start"), entry->first);
	evw_tag_u64(w, SLICE("n"), entry->count);
	evw_end(w);
}

static void
put_named(const struct run *run, const struct stats_entry *entry)
{
	const struct record_type *type = record_type_of(entry->type);
	char number[24];
	int n;

	if (type != NULL) {
		put_entry(run, entry, slice_of(type->name != NULL ? type->name : type->kind), true);
		return;
	}
	n = snprintf(number, sizeof number, "type.%" PRIu32, entry->type);
	put_entry(run, entry, (struct slice){ number, (size_t)n }, true);
}

static int
by_type(const void *va, const void *vb)
{
	const struct stats_entry *a = va, *b = vb;

	return (a->type > b->type) - (a->type < b->type);
}

static void
put_measure(const struct run *run)
{
	struct evwrite *w = run->w;

	evw_begin(w, SLICE("measure"));
	evw_none(w);
	evw_raw(w, buf_slice(&run->id));
	evw_none(w);
	evw_raw(w, SLICE("records"));
	evw_none(w);
	evw_tag_raw(w, SLICE("type"), SLICE("int64"));
	evw_tag_raw(w, SLICE("unit"), SLICE("count"));
	evw_end(w);
}

void
stats_put(struct stats *s, const struct run *run)
{
	size_t i;

	put_measure(run);
	for (i = 0; i < STATS_TYPES; i++) {
		s->type[i].type = (uint32_t)i;
		if (s->type[i].count != 0)
			put_named(run, &s->type[i]);
	}
	qsort(s->other, s->others, sizeof *s->other, by_type);
	for (i = 0; i < s->others; i++)
		put_named(run, &s->other[i]);
	if (s->other[STATS_OTHERS].count != 0)
		put_entry(run, &s->other[STATS_OTHERS], SLICE("type.more"), false);
}
