/* SPDX-License-Identifier: ISC */
/*
 * convert.h - from one of Perun's formats to the other, between a document's parts and docwrite.
 *
 * To a map of resources: as Perun's newer versions do when they load an older profile
 * (profile/factory.py: Profile).  To snapshots: so that loading that gives the map again.  What
 * a profile has besides, and a profile that has the format already, passes as it is.  Memory is
 * that of the names of types; all else waits in temporary files.
 */
#ifndef AFPIPE_PERUN_CONVERT_H
#define AFPIPE_PERUN_CONVERT_H

#include <stdbool.h>
#include <stdint.h>

#include "src/perun/docwrite.h"

struct convert;

enum convert_to { CONVERT_TO_MAP, CONVERT_TO_SNAPSHOTS };

/* NULL without memory.  d is borrowed. */
struct convert *convert_open(struct docwrite *d, enum convert_to to);
void convert_close(struct convert *c);

/* Is the part at POINTER one that is converted?  A value of it must come whole. */
bool convert_owns(const struct convert *c, struct slice pointer);

/*
 * As doc_container and doc_value.  ERR_DATA: Perun could not convert that, or it would be lost;
 * it is left out.  NUMBER is that of the line, for what is noticed later.
 */
int convert_container(struct convert *c, struct slice pointer, char bracket, struct err *e)
    __attribute__((warn_unused_result));
int convert_value(struct convert *c, struct slice pointer, struct slice json, uint64_t number,
    struct err *e) __attribute__((warn_unused_result));

/*
 * Writes what has been converted.  Until *more is false each call may have failed at one part,
 * with the place of its line.
 */
int convert_end(struct convert *c, bool *more, struct err *e) __attribute__((warn_unused_result));

/* What has no place in the other format, one text a call; false at the end.  Start with 0. */
bool convert_note(const struct convert *c, unsigned *at, char *text, size_t size);

#endif
