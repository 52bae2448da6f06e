/* SPDX-License-Identifier: ISC */
/*
 * repeat.h - finds members with resources or models that occur twice in a document; Python's
 * json.loads keeps the last one.
 */
#ifndef AFPIPE_PERUN_REPEAT_H
#define AFPIPE_PERUN_REPEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/err.h"
#include "lib/tab.h"
#include "src/perun/place.h"

/* The types of one map, and in which occurrence of the map each has been seen. */
struct repeat_types {
	struct tab names;
	uint32_t *round;
	size_t cap;
	uint32_t now;
};

/* { 0 } is a valid empty one. */
struct repeat {
	/* Internal: the kinds seen in the document, the open snapshot, global; and the maps. */
	uint32_t document, snapshot, global;
	struct repeat_types types, commons;
	uint64_t count; /* number of those counted */
	struct buf first;
};

void repeat_free(struct repeat *r);

/*
 * Call it for each container that opens and each value, but not for resources.  *again: it is
 * snapshots, global, resources, models, resource_type_map or a type, and occurs there twice.
 */
int repeat_see(struct repeat *r, const struct place *p, bool *again, struct err *e)
    __attribute__((warn_unused_result));

/* Counts one, so that it is reported in the note. */
int repeat_count(struct repeat *r, const struct place *p, struct err *e)
    __attribute__((warn_unused_result));

/* ERR_DATA, naming the member. */
int repeat_refuse(const struct place *p, struct err *e) __attribute__((warn_unused_result));

/* Writes a text about those counted; false if there are none. */
bool repeat_note(const struct repeat *r, char *text, size_t size);

#endif
