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

/* Returns false if memory runs out: the kind would be counted in two places of the note. */
static bool
see_kind(struct mixed *m, struct slice kind)
{
	static const struct slice results[] = { SLICE_INIT("agg"), SLICE_INIT("diff") };

	kinds_leave(&m->kinds, kind, 1);
	m->kind = tab_find(&m->kinds.kinds, kind);
	m->is_result = SLICE_AMONG(kind, results);
	/* the number of a loss, for example, is told apart by its kind alone */
	m->is_value =
	    m->is_result || slice_eq(kind, SLICE("sample")) || slice_eq(kind, SLICE("span"));
	return m->kind != TAB_NONE || m->kinds.kinds.count == KINDS_LEFT;
}

/* Adds a name, unless there are enough.  Returns false if memory runs out. */
static bool
see_name(struct tab *names, struct slice name, size_t *at)
{
	*at = tab_find(names, name);
	if (*at != TAB_NONE || slice_is_nothing(name) || names->count > MIXED_NAMES)
		return true;
	*at = tab_add(names, name, NULL);
	return *at != TAB_NONE;
}

bool
mixed_look(struct mixed *m, const struct ev *ev)
{
	struct slice stat;
	size_t at;

	if (m->by_kind && (!m->has_values || (m->by_measure && m->by_stat)))
		return true;
	if (!see_kind(m, ev->col[EV_KIND]))
		return false;
	m->any_measure = !m->has_values || !m->is_value || m->by_measure;
	m->is_usual = m->kind != TAB_NONE && (!m->has_values || !m->is_result || m->by_stat);
	if (!m->has_values || !m->is_value)
		return true;
	if (!m->by_measure) {
		if (!see_name(&m->measures, ev->col[EV_MEASURE], &at))
			return false;
		m->is_usual = m->is_usual && at != TAB_NONE;
		m->measure = at == TAB_NONE ? SLICE("") : m->measures.item[at];
	}
	return m->by_stat || !m->is_result || !ev_tag(ev, SLICE("stat"), &stat) ||
	    see_name(&m->stats, stat, &at);
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
	static const char several[] =
	    "rows of several kinds, which only the column kind tells apart (see --kind)";
	bool some = false;

	while (!some && *at < 3)
		switch ((*at)++) {
		case 0:
			some = !m->by_kind && kinds_several_note(&m->kinds, several, text, size);
			break;
		case 1: some = note_names(&m->measures, "measures", "measure", text, size); break;
		case 2: some = note_names(&m->stats, "statistics", "stat", text, size); break;
		}
	return some;
}
