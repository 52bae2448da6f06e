/* SPDX-License-Identifier: ISC */
/*
 * flame.h - flame graphs: the stacks of one stream, or of two that are compared, drawn on an HTML
 * page or as SVG.
 *
 *	f = flame_new();
 *	rc = flame_set(f, FOLD_ROOT, "comm", &e); flame_by_time(f, 1000); ...	settings
 *	rc = flame_line(f, FLAME_AFTER, &ev, &e);		for each line
 *	rc = flame_end(f, &e);
 *	rc = flame_note_side(f, FLAME_AFTER, &e);
 *	rc = flame_note(f, "what else the numbers do not contain", &e);
 *	rc = flame_write_page(f, &out, &e);
 *	flame_free(f);
 *
 * Memory grows with the number of distinct stacks (fold.h) and of the nodes in the trees of frames.
 */
#ifndef AFPIPE_FLAME_H
#define AFPIPE_FLAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/out.h"
#include "src/aggregate/fold.h"

/* The two streams that are compared.  A page of one stream has only AFTER. */
enum flame_side { FLAME_AFTER, FLAME_BEFORE, FLAME_SIDES };

struct flame;

/* Returns NULL if memory runs out. */
struct flame *flame_new(void);
void flame_free(struct flame *f);

/* Sets the title (default: Flame graph), any bytes.  Fails only if memory runs out. */
int flame_set_title(struct flame *f, const char *title, struct err *e)
    __attribute__((warn_unused_result));

/* Sets which lines are used, and for what, on both sides.  Fails like fold_set. */
int flame_set(struct flame *f, enum fold_setting which, const char *argument, struct err *e)
    __attribute__((warn_unused_result));

/* Makes the picture compare two streams. */
void flame_compare(struct flame *f);

/* Puts the root below the frames, as in a flame, and not above them. */
void flame_upwards(struct flame *f);

/*
 * Makes the page also show the samples and spans of each thread in time order, at most SLICES of
 * them for a thread.  If there are more, adjacent samples are joined, and the shortest spans are
 * left out.  Not for two streams.
 */
void flame_by_time(struct flame *f, size_t slices);

/* Passes on the tags that are read, save the default root. */
void flame_reads(const struct flame *f, ev_key_sink *sink, void *ctx);

/* Reads the next line of a side, of any kind.  Fails like fold_line. */
int flame_line(struct flame *f, enum flame_side side, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Makes the trees, after the last line.  Returns ERR_DATA if no line is of the kind or measure that
 * was set, or if lines of kind diff, which have two sides, are to be compared with others; and
 * ERR_SYS if memory runs out.  The functions below need it, save flame_left_out and flame_told.
 */
int flame_end(struct flame *f, struct err *e) __attribute__((warn_unused_result));

/*
 * Stores the next text about what a side does not contain, or is not what it seems.  Start with
 * *at = 0.  Returns false at the end.
 */
bool flame_left_out(const struct flame *f, enum flame_side side, size_t *at, char *text,
    size_t size);

/* Keeps lines of kind incomplete, which the caller reports in other words, out of these texts. */
void flame_told(struct flame *f, enum flame_side side);

/*
 * Stores, for a comparison, why none or some of its measures can be compared: they have different
 * units on the two sides, or are on one side only, or no root has stacks of both sides.  Returns
 * false if there is nothing to say.
 */
bool flame_is_apart(const struct flame *f, char *text, size_t size);

/*
 * Add lines to the footer of the picture: a text; a text about one side, whose name comes first if
 * there are two; and all texts of flame_left_out, with the number of lines without a stack.  Fail
 * only if memory runs out.
 */
int flame_note(struct flame *f, const char *text, struct err *e)
    __attribute__((warn_unused_result));
int flame_note_of(struct flame *f, enum flame_side side, const char *text, struct err *e)
    __attribute__((warn_unused_result));
int flame_note_side(struct flame *f, enum flame_side side, struct err *e)
    __attribute__((warn_unused_result));

/* Write the picture.  Fail only if memory runs out; o->error has other failures. */
int flame_write_page(struct flame *f, struct out *o, struct err *e)
    __attribute__((warn_unused_result));
int flame_write_svg(struct flame *f, struct out *o, struct err *e)
    __attribute__((warn_unused_result));

#endif
