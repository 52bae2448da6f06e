/* SPDX-License-Identifier: ISC */
/* docint.h - what the parts of docwrite share. */
#ifndef AFPIPE_PERUN_DOCINT_H
#define AFPIPE_PERUN_DOCINT_H

#include "src/perun/docwrite.h"

/* docwrite.c */
void doc_put(struct docwrite *d, struct slice s);

/* Reads one JSON text and nothing behind it, to d->j. */
int doc_scan(struct docwrite *d, struct slice json, struct err *e);

/* The value at token[index] of what was scanned, as it is to be written. */
int doc_spell(struct docwrite *d, uint32_t index, struct slice *s, struct err *e);

/* An element's index, which must not have been passed. */
int doc_list_index(struct doc_frame *f, struct slice token, struct err *e);

/* Writes all that comes before a value or bracket at POINTER. */
int doc_go_to(struct docwrite *d, struct slice pointer, struct err *e);

/* docrow.c: maps of resources. */

/* A resource of a type, in d->j: one value more in each of the lists of the innermost frame. */
int doc_put_row(struct docwrite *d, struct slice index, struct err *e);

/* The lists of a type, which have been collected. */
void doc_put_columns(struct docwrite *d);

/* docpart.c */
void doc_close_parts(struct docwrite *d);

#endif
