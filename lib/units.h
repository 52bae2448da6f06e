/* SPDX-License-Identifier: ISC */
/*
 * units.h - the unit of a line's value, from its unit tag or from the measure line.
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

/* { 0 } is a valid empty struct. */
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

/*
 * Stores a measure line, which replaces an earlier one of the same run and measure.  Returns false
 * if memory runs out.
 */
bool units_declare(struct units *u, const struct ev *ev) __attribute__((warn_unused_result));

/* Does the same for a measure line with that unit, or "." for none. */
bool units_say(struct units *u, struct slice run, struct slice measure, struct slice unit)
    __attribute__((warn_unused_result));

/*
 * Returns the unit as in the stream, or "." if none is known or the tag is empty.  It is valid at
 * least as long as ev.  The line's unit tag takes precedence, then the measure lines so far: the
 * one for the line's run and measure or, if the run is ".", the unit that all lines of the measure
 * agree on.
 */
struct slice units_of(struct units *u, const struct ev *ev);

/* Does the same for a line with that run and measure but without a unit tag. */
struct slice units_said(struct units *u, struct slice run, struct slice measure);

/* Returns only the unit that all measure lines of that measure agree on, else ".". */
struct slice units_common(const struct units *u, struct slice measure);

/* Returns whether results of that statistic have the unit of the values; an empty one: values. */
bool units_stat_has(struct slice stat);

/*
 * Write what follows the name of a rate in a title, " [ns/s]", and return its length: 0 for any
 * other statistic, or if there is no room.  UNIT is that of the values, or empty or "."; in the
 * title of what results are of (the tag of), it is that of the results, and per second already.
 */
size_t units_put_rate(char *dst, size_t room, struct slice stat, struct slice unit);
size_t units_put_inner_rate(char *dst, size_t room, struct slice of, struct slice unit);

/* Returns true if any measure line so far, of any run, gives a unit for this measure. */
bool units_any(const struct units *u, struct slice measure);

/* Returns true if there are measure lines for this measure, and none of them gives a unit. */
bool units_none(const struct units *u, struct slice measure);

/* Appends the measure as NAME, or as NAME [UNIT] if it has a unit.  Fails if memory runs out. */
bool units_put_name(struct buf *b, struct slice measure, struct slice unit)
    __attribute__((warn_unused_result));

/*
 * For a note: appends the measure to *names as NAME or NAME [UNIT], with ; after earlier ones.
 * Does nothing if it is there already or the text would exceed UNITS_NAMES_MAX.
 */
#define UNITS_NAMES_MAX 120
void units_name(struct buf *names, struct slice measure, struct slice unit);

/* Does the same with only the unit, or "none". */
void units_name_unit(struct buf *names, struct slice unit);

#endif
