/* SPDX-License-Identifier: ISC */
/* mixed.c - the kinds, measures and statistics of rows whose columns do not name them. */
#include "lib/mixed.h"

#include <stdio.h>

#define SEEN_MAX ((size_t)2048) /* measures and statistics whose values of a tag are compared */

/* What only these tags tell apart, and whether only results have them. */
static const struct {
	struct slice tag;
	const char *what;
	bool of_results;
} tags[MIXED_TAGS] = {
	[MIXED_OF] = { SLICE_INIT("of"), "quantities", true },
	[MIXED_WINDOWS] = { SLICE_INIT("windows"), "sorts of windows", true },
	[MIXED_UNIT] = { SLICE_INIT("unit"), "units", false },
};

void
mixed_free(struct mixed *m)
{
	size_t i;

	kinds_left_free(&m->kinds);
	tab_free(&m->measures);
	tab_free(&m->stats);
	for (i = 0; i < MIXED_TAGS; i++) {
		tab_free(&m->by[i].seen);
		tab_free(&m->by[i].names);
	}
	buf_free(&m->text);
}

void
mixed_column(struct mixed *m, struct slice name)
{
	/* what a line has as a number: its value, or the parts of a change */
	static const struct slice values[] = { SLICE_INIT("value"), SLICE_INIT("before"),
		SLICE_INIT("after"), SLICE_INIT("change") };
	size_t i;

	m->by_kind |= slice_eq(name, SLICE("kind"));
	m->by_measure |= slice_eq(name, SLICE("measure"));
	m->by_stat |= slice_eq(name, SLICE("stat"));
	m->by_total |= slice_eq(name, SLICE("total"));
	for (i = 0; i < MIXED_TAGS; i++)
		m->by[i].settled |= slice_eq(name, tags[i].tag);
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

/* Adds a text: the first LEN bytes of the scratch, a TAB and the value. */
static size_t
add_value(struct mixed *m, struct tab *seen, size_t len, struct slice value, bool *fresh)
{
	m->text.len = len;
	return buf_putc(&m->text, '\t') && buf_put(&m->text, value.p, value.len)
	    ? tab_add(seen, buf_slice(&m->text), fresh)
	    : TAB_NONE;
}

static struct slice
value_of(struct slice text, size_t len)
{
	return (struct slice){ text.p + len + 1, text.len - len - 1 };
}

/*
 * Compares a tag of the row with that of the first row of the same measure and statistic.  Returns
 * false if memory runs out.
 */
static bool
compare(struct mixed *m, enum mixed_tag which, struct slice measure, struct slice stat,
    struct slice value)
{
	struct mixed_by *by = &m->by[which];
	size_t len = measure.len + 1 + stat.len, at, own;
	bool first, fresh;

	m->text.len = 0;
	if (!buf_put(&m->text, measure.p, measure.len) || !buf_putc(&m->text, '\t') ||
	    !buf_put(&m->text, stat.p, stat.len) ||
	    (at = tab_add(&by->seen, buf_slice(&m->text), &first)) == TAB_NONE ||
	    (own = add_value(m, &by->seen, len, value, &fresh)) == TAB_NONE)
		return false;
	value = value_of(by->seen.item[own], len);
	if (which == MIXED_UNIT)
		m->unit = value;
	by->settled = by->seen.count > SEEN_MAX || (fresh && !first);
	return first || !fresh ||
	    (tab_add(&by->names, value_of(by->seen.item[at + 1], len), NULL) != TAB_NONE &&
		tab_add(&by->names, value, NULL) != TAB_NONE);
}

/* Looks at the tags that tell apart what has the same measure and statistic. */
static bool
see_tags(struct mixed *m, const struct ev *ev, struct slice stat)
{
	struct slice value;
	size_t i;

	m->unit = (struct slice){ NULL, 0 };
	for (i = 0; i < MIXED_TAGS; i++) {
		if (m->by[i].settled || (tags[i].of_results && !m->is_result))
			continue;
		/* results that are of nothing else are those of values */
		if (!ev_tag(ev, tags[i].tag, &value))
			value = i == MIXED_OF ? SLICE("value") : SLICE(".");
		if (!slice_is_nothing(value) &&
		    !compare(m, (enum mixed_tag)i, ev->col[EV_MEASURE], stat, value))
			return false;
	}
	return true;
}

/* Looks whether a result has events of others, with which somebody might add it up. */
static void
see_overlap(struct mixed *m, const struct ev *ev, struct slice stat)
{
	static const struct slice sums[] = { SLICE_INIT("count"), SLICE_INIT("sum"),
		SLICE_INIT("share"), SLICE_INIT("rate") };
	struct slice total;

	if (!m->by_total && SLICE_AMONG(stat, sums) && ev_tag(ev, SLICE("total"), &total))
		m->overlaps = true;
}

bool
mixed_look(struct mixed *m, const struct ev *ev)
{
	struct slice stat = { NULL, 0 };
	size_t at;

	if (m->by_kind && !m->has_values)
		return true;
	if (!see_kind(m, ev->col[EV_KIND]))
		return false;
	m->any_measure =
	    !m->has_values || !m->is_value || (m->by_measure && m->by[MIXED_UNIT].settled);
	m->is_usual = m->kind != TAB_NONE && (!m->has_values || !m->is_result);
	if (!m->has_values || !m->is_value)
		return true;
	if (!see_name(&m->measures, ev->col[EV_MEASURE], &at))
		return false;
	m->is_usual = m->is_usual && at != TAB_NONE;
	m->measure = at == TAB_NONE ? SLICE("") : m->measures.item[at];
	if (m->is_result)
		(void)ev_tag(ev, SLICE("stat"), &stat);
	see_overlap(m, ev, stat);
	return (m->by_stat || stat.p == NULL || see_name(&m->stats, stat, &at)) &&
	    see_tags(m, ev, stat);
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

#define NOTES ((size_t)4 + MIXED_TAGS)

bool
mixed_note(const struct mixed *m, size_t *at, char *text, size_t size)
{
	static const char several[] =
	    "rows of several kinds, which only the column kind tells apart (see --kind)";
	bool some = false;
	size_t i;

	while (!some && *at < NOTES)
		switch (i = (*at)++) {
		case 0:
			some = !m->by_kind && kinds_several_note(&m->kinds, several, text, size);
			break;
		case 1:
			some = !m->by_measure &&
			    note_names(&m->measures, "measures", "measure", text, size);
			break;
		case 2: some = note_names(&m->stats, "statistics", "stat", text, size); break;
		case 3:
			some = m->overlaps;
			if (some)
				(void)snprintf(text, size,
				    "events are in several groups, which must not be added up (see "
				    "the column total)");
			break;
		default:
			i -= 4;
			some = note_names(&m->by[i].names, tags[i].what, tags[i].tag.p, text, size);
			break;
		}
	return some;
}
