/* SPDX-License-Identifier: ISC */
/*
 * ev.h - one line of the stream, afstream(5), as a reader hands it out.
 *
 * All slices are the line's own escaped text.  Each text has only one spelling (readers
 * refuse any other), so escaped texts may be compared without undoing them.
 */
#ifndef AFPIPE_EV_H
#define AFPIPE_EV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/slice.h"

#define EV_LINE_MAX ((size_t)16 * 1024 * 1024) /* bytes of a line without its LF */
#define EV_VERSION "1"

enum ev_column { EV_KIND, EV_TIME, EV_RUN, EV_REGION, EV_MEASURE, EV_VALUE, EV_COLUMNS };

struct ev {
	uint64_t number; /* of the line in its input, from 1 */
	struct slice text; /* the whole line without its LF */
	struct slice col[EV_COLUMNS];
	struct slice tags; /* what follows column 6, without the leading TAB; may be empty */
	/*
	 * Set by a reader only: the places of the tags, for code that visits all tags of each line.
	 * Tag i is between base + cut[i] + 1 and base + cut[i + 1].
	 */
	const char *base;
	const uint32_t *cut;
	size_t ntags;
};

/* One tag of those that ev_next_tag visits; an empty rest ends the loop. */
struct ev_tag {
	struct slice key, value;
};

/*
 * Takes the next tag off *rest (start with ev->tags).  False at the end.  A tag
 * without '=' has an empty key and the whole text as its value.
 */
bool ev_next_tag(struct slice *rest, struct ev_tag *tag);

/* The first tag with that key; false if there is none.  The key is in escaped form. */
bool ev_tag(const struct ev *ev, struct slice key, struct slice *value);

/*
 * A column by its name (kind time run region measure value) or a tag by its key.
 * "." where the line has none.
 */
struct slice ev_get(const struct ev *ev, struct slice name);

/* EV_COLUMNS if no column is called NAME. */
enum ev_column ev_column_named(struct slice name);

/* Takes the next element off a list such as the tag stack, in escaped form.  False at the end. */
bool ev_next_element(struct slice *rest, struct slice *element);

/*
 * Is it the last line of a resource that is too large for a sample?  Such a resource is written in
 * parts, as lines of kind header whose region ends in /resources/NUMBER (or, in a map of resources,
 * is /resources/TYPE/NUMBER); only the last part has the tag parts.
 */
bool ev_is_large_resource(const struct ev *ev);

#endif
