/* SPDX-License-Identifier: ISC */
/* fields.h - the columns and tags that are taken from a line. */
#ifndef AFPIPE_PAIR_FIELDS_H
#define AFPIPE_PAIR_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/ev.h"
#include "lib/slice.h"

#define FIELDS_MAX ((size_t)64) /* that the user names */
#define FIELDS_OWN ((size_t)7) /* that are read anyway */

struct field {
	struct slice key; /* borrowed */
	enum ev_column column; /* EV_COLUMNS for a tag */
	bool copied; /* the span has it */
	bool present; /* the last line read has it */
	struct slice value; /* of that line; "." if it has none */
};

struct fields {
	struct field item[FIELDS_MAX + FIELDS_OWN];
	size_t count;
};

/* Returns the number of a field, adding it if it is new.  There must be room for it. */
size_t fields_add(struct fields *f, struct slice key);

/* Returns true if there is a copied field with that key. */
bool fields_copies(const struct fields *f, struct slice key);

/* Sets all values, valid as long as ev is.  Of several tags with one key the first counts. */
void fields_read(struct fields *f, const struct ev *ev);

#endif
