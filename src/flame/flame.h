/* SPDX-License-Identifier: ISC */
/*
 * flame.h - flame graphs: stacks with weights, drawn on an HTML page or as SVG.
 *
 *	f = flame_new();
 *	rc = flame_panel(f, measure, unit, &panel, &e);
 *	rc = flame_add(f, panel, FLAME_AFTER, stack, weight, object, &e);	for each stack
 *	rc = flame_note(f, "what the numbers do not contain", &e);
 *	flame_write_page(f, &out, &e);
 *	flame_free(f);
 *
 * For a chart over time, also call flame_by_time first, then flame_moment and flame_span for the
 * lines, and flame_number after each flame_add.
 *
 * Memory grows with the number of nodes in the trees of frames.
 */
#ifndef AFPIPE_FLAME_H
#define AFPIPE_FLAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/out.h"
#include "lib/slice.h"

/* The two streams that are compared.  A page of one stream has only AFTER. */
enum flame_side { FLAME_AFTER, FLAME_BEFORE, FLAME_SIDES };

struct flame;

/* Returns NULL if memory runs out. */
struct flame *flame_new(void);
void flame_free(struct flame *f);

/* Sets the title (default: Flame graph), any bytes.  Fails only if memory runs out. */
int flame_set_title(struct flame *f, const char *title, struct err *e)
    __attribute__((warn_unused_result));

/* Makes the picture compare two streams. */
void flame_compare(struct flame *f);

/* Puts the root below the frames, as in a flame, and not above them. */
void flame_upwards(struct flame *f);

/*
 * Returns the graph of that measure and unit, as in the stream, in *panel, and begins it if it is
 * new.  Fails only if memory runs out.
 */
int flame_panel(struct flame *f, struct slice measure, struct slice unit, size_t *panel,
    struct err *e) __attribute__((warn_unused_result));

/*
 * Adds a stack: its frames as in the stream, separated by ';', and its weight in digits with an
 * optional point.  The weight is copied; the stack must stay where it is until the picture is
 * written.  Each stack comes once for each side; sorted stacks are fastest.  The object is that of
 * the innermost frame, "." if it is not known, NULL if there are several.  Fails only if memory
 * runs out.
 */
int flame_add(struct flame *f, size_t panel, enum flame_side side, struct slice stack,
    struct slice weight, struct slice object, struct err *e) __attribute__((warn_unused_result));

/* After the last stack: makes that panel the first one. */
void flame_show_first(struct flame *f, size_t panel);

/*
 * Makes the page also show the samples and spans of each thread in time order, at most SLICES of
 * them for a thread.  If there are more, adjacent samples are joined, and the shortest spans are
 * left out.
 */
void flame_by_time(struct flame *f, size_t slices);

/*
 * Adds a sample, which has stack NUMBER of the panel with that index, to the chart of its thread.
 * The text of the stack must stay where it is.  Fails only if memory runs out.
 */
int flame_moment(struct flame *f, size_t panel, size_t number, struct slice stack,
    const struct ev *ev, struct err *e) __attribute__((warn_unused_result));

/* Adds a line of kind span.  Fails only if memory runs out. */
int flame_span(struct flame *f, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/* Makes NUMBER, for flame_moment, that of the panel's last stack.  Fails only without memory. */
int flame_number(struct flame *f, size_t panel, size_t number, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Returns true, and the measure, if one measure has one unit on one side and another on the other
 * side, so that its graphs have one side each.
 */
bool flame_units_differ(const struct flame *f, struct slice *measure);

/* Returns true if no root has stacks of both sides, so that nothing can be compared. */
bool flame_is_apart(const struct flame *f);

/* Adds a line to the footer of the picture.  Fails only if memory runs out. */
int flame_note(struct flame *f, const char *text, struct err *e)
    __attribute__((warn_unused_result));

/* Write the picture.  Fail only if memory runs out; o->error has other failures. */
int flame_write_page(struct flame *f, struct out *o, struct err *e)
    __attribute__((warn_unused_result));
int flame_write_svg(struct flame *f, struct out *o, struct err *e)
    __attribute__((warn_unused_result));

#endif
