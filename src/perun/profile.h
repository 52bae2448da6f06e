/* SPDX-License-Identifier: ISC */
/*
 * profile.h - reads lines of perundec as items of a profile.  An item is the JSON text at a place.
 *
 * The encoder reads items part by part (profile_part).  Other callers have a table of functions,
 * one for each kind of place, and read whole items (profile_read, profile_take).
 */
#ifndef AFPIPE_PERUN_PROFILE_H
#define AFPIPE_PERUN_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/err.h"
#include "lib/ev.h"
#include "lib/slice.h"
#include "src/perun/place.h"

enum profile_kind {
	PROFILE_NONE, /* not part of a profile: a run, or a line from another source */
	PROFILE_HEADER, /* a value, or only the opening bracket of a container */
	PROFILE_SAMPLE, /* a resource */
	PROFILE_MODEL,
};

struct profile_item {
	enum profile_kind kind;
	struct place place; /* its pointer and json are valid until the next line */
	struct slice json;
	uint64_t line; /* its number */
	bool is_part; /* only a part of the value */
	uint64_t part; /* the number of the part, from 1; 0 if the line has none */
	bool last; /* no parts follow */
};

/* { 0 } is a valid empty profile. */
struct profile {
	uint64_t foreign; /* lines so far without a place in a profile, except runs */
	bool any; /* some line has a place */

	/* Internal. */
	struct buf pointer, json, parts;
};

void profile_free(struct profile *p);

/* Returns ERR_DATA if there were lines, but none of a profile: a question has no answer then. */
int profile_missing(const struct profile *p, struct err *e) __attribute__((warn_unused_result));

/* Reads a line.  json may be empty, or a part.  Returns ERR_SYS if memory runs out. */
int profile_part(struct profile *p, const struct ev *ev, struct profile_item *item, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Joins the parts of a value.  Call it after each part.  *whole is set if json is the whole value.
 * If a value is longer than 16 MiB, only its beginning is kept, which no scanner accepts.  Returns
 * ERR_SYS if memory runs out.
 */
int profile_join(struct profile *p, struct profile_item *item, bool *whole, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Reads a line.  *whole is set if the item is complete.  Returns ERR_DATA if perundec would not
 * write such a line, and ERR_SYS if memory runs out.
 */
int profile_read(struct profile *p, const struct ev *ev, struct profile_item *item, bool *whole,
    struct err *e) __attribute__((warn_unused_result));

/* Calls the function for the item's kind of place in a table of PLACES entries, if it has one. */
typedef int profile_take_item(void *ctx, const struct profile_item *item, struct err *e);
int profile_take(const struct profile_item *item, profile_take_item *const *take, void *ctx,
    struct err *e) __attribute__((warn_unused_result));

#endif
