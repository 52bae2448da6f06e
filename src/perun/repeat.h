/* SPDX-License-Identifier: ISC */
/*
 * repeat.h - which members that hold resources or models stand twice in a document, of which
 * Python's json.loads has the last.
 */
#ifndef AFPIPE_PERUN_REPEAT_H
#define AFPIPE_PERUN_REPEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/err.h"
#include "lib/slice.h"
#include "lib/tab.h"

#define REPEAT_KEYS 5

/* The types of one map, and in which coming of the map each has been seen. */
struct repeat_types {
	struct tab names;
	uint32_t *round;
	size_t cap;
	uint32_t now;
};

/* { 0 } is a valid empty one. */
struct repeat {
	/* Internal: what has been seen in the document, the open snapshot, global; and the maps. */
	bool top[REPEAT_KEYS], snapshot[REPEAT_KEYS], global[REPEAT_KEYS];
	struct repeat_types lists, common;
	uint64_t count; /* of those that were noted */
	struct buf first;
};

void repeat_free(struct repeat *r);

/*
 * Call it for each container that opens and each value, not for resources.  *again: it is
 * snapshots, global, resources, models, resource_type_map or a type, and stands there twice.
 */
int repeat_see(struct repeat *r, struct slice pointer, bool *again, struct err *e)
    __attribute__((warn_unused_result));

/* The innermost member in a pointer. */
struct slice repeat_key(struct slice pointer);

/* Counts one that is passed over in silence no longer. */
int repeat_count(struct repeat *r, struct slice pointer, struct err *e)
    __attribute__((warn_unused_result));

/* ERR_DATA, naming the key. */
int repeat_refuse(struct slice pointer, struct err *e) __attribute__((warn_unused_result));

/* What has been counted, as a text; false if nothing. */
bool repeat_note(const struct repeat *r, char *text, size_t size);

#endif
