/* SPDX-License-Identifier: ISC */
/*
 * mixed.h - whether rows of chosen columns are of several kinds, or their values of several
 * measures or statistics, and no column tells these apart: whoever adds them up gets nonsense.
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

#include "lib/ev.h"
#include "lib/kinds.h"
#include "lib/short.h"
#include "lib/slice.h"
#include "lib/tab.h"

#define MIXED_NAMES 8 /* so many measures or statistics are told */

/* { 0 } is valid: there are no columns yet. */
struct mixed {
	bool by_kind, by_measure, by_stat; /* something tells these apart */
	bool has_values; /* some column has values */
	struct kinds_left kinds;
	struct tab measures, stats; /* one more than MIXED_NAMES at most */
	/* of the last row: */
	size_t kind; /* where it is */
	struct slice measure;
	bool is_value, is_result; /* its kind has values of measures; is that of results */
	bool is_usual,
	    any_measure; /* one of the same kind, and of this or any measure, is not new */
};

void mixed_free(struct mixed *m);

/* Adds a column: one of those of the stream, or a tag. */
void mixed_column(struct mixed *m, struct slice name);

/* For mixed_see: adds any row. */
bool mixed_look(struct mixed *m, const struct ev *ev) __attribute__((warn_unused_result));

/* Adds a row.  Returns false if memory runs out. */
static inline bool __attribute__((warn_unused_result))
mixed_see(struct mixed *m, const struct ev *ev)
{
	/* nearly all rows have the kind and the measure of the one before */
	if (m->is_usual && short_eq(ev->col[EV_KIND], m->kinds.kinds.item[m->kind]) &&
	    (m->any_measure || short_eq(ev->col[EV_MEASURE], m->measure))) {
		m->kinds.n[m->kind]++;
		return true;
	}
	return mixed_look(m, ev);
}

/* Puts the next note into text.  Returns false at the end.  *at is 0 at first. */
bool mixed_note(const struct mixed *m, size_t *at, char *text, size_t size);

#endif
