/* SPDX-License-Identifier: ISC */
/*
 * units.h - the unit that a line's value is in: its tag unit, or what the measure line says.
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
 * As in the stream, "." where none is known; valid until the line ends, if not until units_free.
 * The tag unit of the line counts first, then the measure lines so far: that of the line's run and
 * measure, or, where the run is ".", what all those of the measure agree on.
 */
struct slice units_of(struct units *u, const struct ev *ev);

/* The same of a line of that run and measure that has no tag unit. */
struct slice units_said(struct units *u, struct slice run, struct slice measure);

/* The last step alone: what all measure lines of that measure agree on, else ".". */
struct slice units_common(const struct units *u, struct slice measure);

/* Has a measure line so far a unit for this measure, in whichever run? */
bool units_any(const struct units *u, struct slice measure);

/*
 * For a note: adds the measure to *names, as NAME or NAME [UNIT], parted by ; from those before,
 * unless it is there or they would be longer than UNITS_NAMES_MAX.
 */
#define UNITS_NAMES_MAX 120
void units_name(struct buf *names, struct slice measure, struct slice unit);

/* The same with the unit alone, or "none". */
void units_name_unit(struct buf *names, struct slice unit);

#endif
