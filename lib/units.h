/* SPDX-License-Identifier: ISC */
/*
 * units.h - the unit of a line's value, from its tag unit or from the measure line.
 *
 *	for each line: if it is of kind measure, units_declare(&u, &ev);
 *	else units_of(&u, &ev) ...
 */
#ifndef AFPIPE_UNITS_H
#define AFPIPE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/ev.h"
#include "lib/tab.h"

/* { 0 } is a valid empty one. */
struct units {
	/* Internal. */
	struct tab keys, words; /* RUN TAB MEASURE; units */
	uint32_t *word; /* of each key */
	size_t cap, last;
	struct tab measures;
	uint32_t
	    *common; /* the word of each measure in all runs, or UINT32_MAX where they differ */
	size_t measures_cap;
	struct buf key; /* scratch */
};

void units_free(struct units *u);

/* Takes a measure line; a later one of that run and measure replaces it.  False without memory. */
bool units_declare(struct units *u, const struct ev *ev) __attribute__((warn_unused_result));

/*
 * The unit as in the stream, "." if none is known; valid at least as long as ev.  The line's tag
 * unit takes precedence, then the measure lines so far: the one of the line's run and measure or,
 * if the run is ".", the unit that all lines of the measure agree on.
 */
struct slice units_of(struct units *u, const struct ev *ev);

/* The same for a line of that run and measure without a tag unit. */
struct slice units_said(struct units *u, struct slice run, struct slice measure);

/* Only the unit that all measure lines of that measure agree on, else ".". */
struct slice units_common(const struct units *u, struct slice measure);

/* Does any measure line so far give a unit for this measure, in whichever run? */
bool units_any(const struct units *u, struct slice measure);

/*
 * For a note: appends the measure to *names as NAME or NAME [UNIT], separated by ; from earlier
 * ones, unless it is there already or the text would be longer than UNITS_NAMES_MAX.
 */
#define UNITS_NAMES_MAX 120
void units_name(struct buf *names, struct slice measure, struct slice unit);

/* The same with the unit alone, or "none". */
void units_name_unit(struct buf *names, struct slice unit);

#endif
