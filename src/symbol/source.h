/* SPDX-License-Identifier: ISC */
/*
 * source.h - the source of an object, by offset into the file that ran: inlined functions, lines.
 *
 * The DWARF is taken from the first file of the object that has it.  The files that it refers to
 * are searched for below SYMFS, if that is given, and otherwise as spelled: a .dwo file where the
 * compiler wrote it or beside the object, OBJECT.dwp beside the object, and dwz's shared file by
 * its build id in the directory of debug files, or by its name.
 */
#ifndef AFPIPE_SYMBOL_SOURCE_H
#define AFPIPE_SYMBOL_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "src/symbol/dwarf.h"
#include "src/symbol/places.h"

struct source;

/*
 * Opens the source of the object of a search that has just begun.  Its places stay borrowed.
 * Returns ERR_DATA if no file with DWARF fits, and ERR_SYS if the system failed.
 */
int source_open(struct search *s, struct source **out, struct err *e)
    __attribute__((warn_unused_result));
void source_close(struct source *d);

/* Closes all descriptors.  They are opened again when needed. */
void source_rest(struct source *d);

/*
 * Finds the frames at an offset into the executed file, as dwarf_find does for an address; *count
 * is also 0 if the offset is not in a segment.
 */
int source_find(struct source *d, uint64_t offset, struct dwarf_frame **frame, size_t *count,
    struct err *e) __attribute__((warn_unused_result));

#endif
