/* SPDX-License-Identifier: ISC */
/*
 * repeat.h - finds members with resources or models that occur twice in a document.  Python's
 * json.loads keeps the last occurrence.
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

/* The types of one map, and the occurrence of the map in which each has been seen. */
struct repeat_types {
	struct tab names;
	uint32_t *round;
	size_t cap;
	uint32_t now;
};

/* { 0 } is a valid empty state. */
struct repeat {
	/*
	 * Internal: the kinds seen in the document, in the open snapshot and in global, and the
	 * maps.
	 */
	uint32_t document, snapshot, global;
	struct repeat_types types, commons;
	uint64_t count; /* number of repeated members counted */
	struct buf first;
};

void repeat_free(struct repeat *r);

/*
 * Records a member.  Call it for each opening container and each value, but not for resources.
 * *again is set if the member is snapshots, global, resources, models, resource_type_map or a type,
 * and has occurred there before.
 */
int repeat_see(struct repeat *r, const struct place *p, bool *again, struct err *e)
    __attribute__((warn_unused_result));

/* Counts a repeated member for the note. */
int repeat_count(struct repeat *r, const struct place *p, struct err *e)
    __attribute__((warn_unused_result));

/* Returns ERR_DATA with a message that names the member. */
int repeat_refuse(const struct place *p, struct err *e) __attribute__((warn_unused_result));

/* Writes a text about the counted members.  Returns false if there are none. */
bool repeat_note(const struct repeat *r, char *text, size_t size);

#endif
