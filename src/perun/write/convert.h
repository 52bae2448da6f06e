/* SPDX-License-Identifier: ISC */
/*
 * convert.h - converts one of Perun's formats to the other, from the parts of a document to doc.
 *
 * An older profile becomes a map of resources as in newer versions of Perun, which convert it when
 * they load it (profile/factory.py: Profile).  A map becomes snapshots from which the same map is
 * made when they are loaded.  Other parts of a profile, and a profile that already has the format,
 * are passed on unchanged.  Memory is needed for the names of types; everything else waits in
 * temporary files.
 */
#ifndef AFPIPE_PERUN_WRITE_CONVERT_H
#define AFPIPE_PERUN_WRITE_CONVERT_H

#include <stdbool.h>
#include <stdint.h>

#include "src/perun/write/doc.h"

struct convert;

enum convert_to { CONVERT_TO_MAP, CONVERT_TO_SNAPSHOTS };

/* Begins a conversion.  d is borrowed.  Returns NULL when memory runs out. */
struct convert *convert_open(struct doc *d, enum convert_to to);
void convert_close(struct convert *c);

/* Returns whether the value at the place is converted.  Such a value must be passed whole. */
bool convert_owns(const struct convert *c, const struct place *p);

/*
 * Like doc_opening and doc_value.  Return ERR_DATA if Perun could not convert the part or would
 * lose it.  The part is then omitted.  NUMBER is the number of the line, for errors found later.
 */
int convert_container(struct convert *c, const struct place *p, char bracket, struct err *e)
    __attribute__((warn_unused_result));
int convert_value(struct convert *c, const struct place *p, struct slice json, uint64_t number,
    struct err *e) __attribute__((warn_unused_result));

/*
 * Writes the converted parts.  Call it until *more is false.  Each call may fail at one part, and
 * the place is the line of the part.
 */
int convert_end(struct convert *c, bool *more, struct err *e) __attribute__((warn_unused_result));

/*
 * Reports parts that have no place in the other format, one text per call.  Start with *at = 0.
 * Returns false at the end.
 */
bool convert_note(const struct convert *c, size_t *at, char *text, size_t size);

#endif
