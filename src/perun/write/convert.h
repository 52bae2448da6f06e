/* SPDX-License-Identifier: ISC */
/*
 * convert.h - converts one of Perun's formats to the other, from a document's parts to doc.
 *
 * To a map of resources: as newer versions of Perun do when they load an older profile
 * (profile/factory.py: Profile).  To snapshots: so that loading them gives the map again.  Other
 * parts of a profile, and a profile that already has the format, are passed unchanged.  Memory is
 * needed for the names of types; all else waits in temporary files.
 */
#ifndef AFPIPE_PERUN_WRITE_CONVERT_H
#define AFPIPE_PERUN_WRITE_CONVERT_H

#include <stdbool.h>
#include <stdint.h>

#include "src/perun/write/doc.h"

struct convert;

enum convert_to { CONVERT_TO_MAP, CONVERT_TO_SNAPSHOTS };

/* NULL without memory.  d is borrowed. */
struct convert *convert_open(struct doc *d, enum convert_to to);
void convert_close(struct convert *c);

/* Is the value there converted?  Then it must come whole. */
bool convert_owns(const struct convert *c, const struct place *p);

/*
 * As doc_container and doc_value.  ERR_DATA: Perun could not convert it, or it would be lost;
 * it is left out.  NUMBER is that of the line, for errors found later.
 */
int convert_container(struct convert *c, const struct place *p, char bracket, struct err *e)
    __attribute__((warn_unused_result));
int convert_value(struct convert *c, const struct place *p, struct slice json, uint64_t number,
    struct err *e) __attribute__((warn_unused_result));

/*
 * Writes the converted parts.  Until *more is false each call may fail at one part, with the
 * place of its line.
 */
int convert_end(struct convert *c, bool *more, struct err *e) __attribute__((warn_unused_result));

/* Reports what has no place in the other format, one text per call; false at the end.  *at = 0. */
bool convert_note(const struct convert *c, size_t *at, char *text, size_t size);

#endif
