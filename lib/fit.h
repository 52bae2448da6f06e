/* SPDX-License-Identifier: ISC */
/*
 * fit.h - names that are cut to the width of a column, for people, and those that would look alike
 * then.
 *
 *	fit_open(&f)
 *	for each column: for each name: fit_see(&f, name, width); fit_seen(&f);
 *	fit_name(&f, name, width) ...
 *	fit_close(&f);
 *
 * A width counts code points, which is the width on a terminal unless some are combining or
 * double-width.
 */
#ifndef AFPIPE_FIT_H
#define AFPIPE_FIT_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/out.h"
#include "lib/slice.h"
#include "lib/tab.h"

#define FIT_WIDTH_USUAL 48 /* of the names in a table, unless the user says otherwise */
#define FIT_WIDTH_MIN 5 /* room for ... and a character at both ends */

/* Names that would look alike if they were cut.  They are shown whole, or get a number. */
struct fit {
	struct tab name, cut; /* of one column: what is cut, and what becomes of it */
	struct tab several; /* what would stand for several names */
	struct out text; /* of a name that is cut; nothing is written */
};

size_t fit_width(struct slice s);

/*
 * Returns a text that has more columns than WIDTH in at most as many, in TEXT: without the
 * arguments of templates, and, if that is not enough, without its middle.
 */
struct slice fit_cut(struct out *text, struct slice s, size_t width);

/* Return false if memory runs out.  fit_close is to be called in any case. */
bool fit_open(struct fit *f) __attribute__((warn_unused_result));
bool fit_see(struct fit *f, struct slice name, size_t width) __attribute__((warn_unused_result));

/* Call it after the last name of a column: names of different columns cannot be confused. */
void fit_seen(struct fit *f);
void fit_close(struct fit *f);

/* Returns how a name is shown in that width.  It is valid until the next call. */
struct slice fit_name(struct fit *f, struct slice name, size_t width);

#endif
