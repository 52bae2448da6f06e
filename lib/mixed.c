/* SPDX-License-Identifier: ISC */
/* mixed.c - the kinds, measures and statistics of rows whose columns do not name them. */
#include "lib/mixed.h"

#include <stdio.h>

void
mixed_free(struct mixed *m)
{
	kinds_left_free(&m->kinds);
	tab_free(&m->measures);
	tab_free(&m->stats);
}

void
mixed_column(struct mixed *m, struct slice name)
{
	/* what a line has as a number: its value, or the parts of a change */
	static const struct slice values[] = { SLICE_INIT("value"), SLICE_INIT("before"),
		SLICE_INIT("after"), SLICE_INIT("change") };

	m->by_kind |= slice_eq(name, SLICE("kind"));
	m->by_measure |= slice_eq(name, SLICE("measure"));
	m->by_stat |= slice_eq(name, SLICE("stat"));
	m->has_values |= SLICE_AMONG(name, values);
}

static void
see_kind(struct mixed *m, struct slice kind)
{
	struct kinds_left *k = &m->kinds;
	size_t at;

	/* nearly all rows are of the kind of the one before */
	if (m->kind < k->kinds.count && slice_eq(kind, k->kinds.item[m->kind])) {
		k->n[m->kind]++;
		return;
	}
	kinds_leave(k, kind, 1);
	at = tab_find(&k->kinds, kind);
	m->kind = at == TAB_NONE ? m->kind : at;
}

static bool
see_name(struct tab *names, size_t *last, struct slice name)
{
	size_t at;

	if (*last < names->count && slice_eq(name, names->item[*last]))
		return true;
	if (slice_is_nothing(name) || names->count > MIXED_NAMES)
		return true;
	at = tab_add(names, name, NULL);
	*last = at == TAB_NONE ? *last : at;
	return at != TAB_NONE;
}

bool
mixed_see(struct mixed *m, const struct ev *ev)
{
	static const struct slice events[] = { SLICE_INIT("sample"), SLICE_INIT("span") };
	static const struct slice results[] = { SLICE_INIT("agg"), SLICE_INIT("diff") };
	struct slice kind = ev->col[EV_KIND], stat;
	bool is_event, is_result;

	if (!m->by_kind)
		see_kind(m, kind);
	if (!m->has_values || (m->by_measure && m->by_stat))
		return true;
	is_event = SLICE_AMONG(kind, events);
	is_result = !is_event && SLICE_AMONG(kind, results);
	if (!is_event && !is_result)
		return true; /* such as losses, which their kind tells apart */
	if (!m->by_measure && !see_name(&m->measures, &m->measure, ev->col[EV_MEASURE]))
		return false;
	return m->by_stat || !is_result || !ev_tag(ev, SLICE("stat"), &stat) ||
	    see_name(&m->stats, &m->stat, stat);
}

/* Puts a note about these names into text, if there are several. */
static bool
note_names(const struct tab *names, const char *what, const char *column, char *text, size_t size)
{
	size_t i, len;

	if (names->count < 2)
		return false;
	len = (size_t)snprintf(text, size,
	    "values of several %s, which only the column %s tells apart: ", what, column);
	for (i = 0; i < names->count && i < MIXED_NAMES && len < size; i++)
		len += (size_t)snprintf(text + len, size - len, "%s%.*s", i == 0 ? "" : ", ",
		    slice_shown(names->item[i], 40), names->item[i].p);
	if (names->count > MIXED_NAMES && len < size)
		(void)snprintf(text + len, size - len, ", ...");
	return true;
}

bool
mixed_note(const struct mixed *m, size_t *at, char *text, size_t size)
{
	bool some = false;

	while (!some && *at < 3)
		switch ((*at)++) {
		case 0:
			some = kinds_several_note(&m->kinds,
			    "rows of several kinds, which only the column kind tells apart (see "
			    "--kind)",
			    text, size);
			break;
		case 1: some = note_names(&m->measures, "measures", "measure", text, size); break;
		case 2: some = note_names(&m->stats, "statistics", "stat", text, size); break;
		}
	return some;
}
