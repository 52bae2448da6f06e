/* SPDX-License-Identifier: ISC */
/* fields.h - the columns and tags that are taken from a line. */
#ifndef AFPIPE_PAIR_FIELDS_H
#define AFPIPE_PAIR_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/ev.h"
#include "lib/slice.h"

#define FIELDS_MAX ((size_t)64)
#define FIELDS_NONE ((size_t)-1)

struct field {
	struct slice key; /* borrowed */
	enum ev_column column; /* EV_COLUMNS for a tag */
	bool copied; /* the span has it */
	bool present; /* the last line read has it */
	struct slice value; /* of that line; "." if it has none */
};

struct fields {
	struct field item[FIELDS_MAX];
	size_t count;
};

/* Returns the number of a field, adding it if it is new, or FIELDS_NONE if there are too many. */
size_t fields_add(struct fields *f, struct slice key);

/* Returns true if there is a copied field with that key. */
bool fields_copies(const struct fields *f, struct slice key);

/* Sets all values, valid as long as ev is.  Of several tags with one key the first counts. */
void fields_read(struct fields *f, const struct ev *ev);

#endif
