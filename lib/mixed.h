/* SPDX-License-Identifier: ISC */
/*
 * mixed.h - whether rows of chosen columns are of several kinds, or their values of several
 * measures or statistics, say, and no column tells these apart, or they overlap: whoever adds them
 * up gets nonsense.
 *
 *	mixed_column(&m, name) for each column
 *	for each row: mixed_see(&m, &ev)
 *	for (at = 0; mixed_note(&m, &at, text, sizeof text);) report the text
 *	mixed_free(&m);
 */
#ifndef AFPIPE_MIXED_H
#define AFPIPE_MIXED_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/buf.h"
#include "lib/ev.h"
#include "lib/kinds.h"
#include "lib/short.h"
#include "lib/slice.h"
#include "lib/tab.h"

#define MIXED_NAMES 8 /* so many measures or statistics are told */

/* What only a tag tells apart, of the same measure and statistic. */
enum mixed_tag { MIXED_OF, MIXED_WINDOWS, MIXED_UNIT, MIXED_TAGS };

struct mixed_by {
	bool settled; /* a column has it, or two values of it are known, or there are too many */
	struct tab seen; /* measures and statistics, each followed by that with its first value */
	struct tab names; /* the two values */
};

/* { 0 } is valid: there are no columns yet. */
struct mixed {
	bool by_kind, by_measure, by_stat, by_total; /* something tells these apart */
	bool has_values; /* some column has values */
	bool overlaps; /* events are in several rows, and no column has their total */
	struct kinds_left kinds;
	struct tab measures, stats; /* one more than MIXED_NAMES at most */
	struct mixed_by by[MIXED_TAGS];
	struct buf text; /* scratch */
	/* of the last row: */
	size_t kind; /* where it is */
	struct slice measure, unit;
	bool is_value, is_result; /* its kind has values of measures; is that of results */
	bool is_usual,
	    any_measure; /* one of the same kind, and of this or any measure, is not new */
};

void mixed_free(struct mixed *m);

/* Adds a column: one of those of the stream, or a tag. */
void mixed_column(struct mixed *m, struct slice name);

/* For mixed_see: adds any row. */
bool mixed_look(struct mixed *m, const struct ev *ev) __attribute__((warn_unused_result));

/*
 * For mixed_see: returns true if the row has the measure and the unit of the one before.  After one
 * without a unit none is looked for: a source gives all values of a measure one, or none.
 */
static inline bool
mixed_is_alike(const struct mixed *m, const struct ev *ev)
{
	struct slice unit = { NULL, 0 };

	return m->any_measure ||
	    (short_eq(ev->col[EV_MEASURE], m->measure) &&
		(m->unit.p == NULL || m->by[MIXED_UNIT].settled ||
		    !ev_tag(ev, SLICE("unit"), &unit) || slice_eq(unit, m->unit)));
}

/* Adds a row.  Returns false if memory runs out. */
static inline bool __attribute__((warn_unused_result))
mixed_see(struct mixed *m, const struct ev *ev)
{
	/* nearly all rows have the kind and the measure of the one before */
	if (m->is_usual && short_eq(ev->col[EV_KIND], m->kinds.kinds.item[m->kind]) &&
	    mixed_is_alike(m, ev)) {
		m->kinds.n[m->kind]++;
		return true;
	}
	return mixed_look(m, ev);
}

/* Puts the next note into text.  Returns false at the end.  *at is 0 at first. */
bool mixed_note(const struct mixed *m, size_t *at, char *text, size_t size);

#endif
