/* SPDX-License-Identifier: ISC */
/* docint.h - shared by the parts of docwrite. */
#ifndef AFPIPE_PERUN_WRITE_DOCINT_H
#define AFPIPE_PERUN_WRITE_DOCINT_H

#include "src/perun/write/doc.h"

/* docwrite.c */
void doc_put(struct docwrite *d, struct slice s);

/* Reads one JSON text with nothing after it to d->j. */
int doc_scan(struct docwrite *d, struct slice json, struct err *e);

/* The value at token[index] of the scanned text, as it is written. */
int doc_spell(struct docwrite *d, uint32_t index, struct slice *s, struct err *e);

/* Checks an element's index, which must not be less than the next one. */
int doc_list_index(struct doc_frame *f, struct slice token, struct err *e);

/* Writes all that precedes a value or bracket at POINTER. */
int doc_go_to(struct docwrite *d, struct slice pointer, struct err *e);

/* docrow.c: maps of resources. */

/* Adds a resource of a type, in d->j: one more value in each list of the innermost frame. */
int doc_put_row(struct docwrite *d, struct slice index, struct err *e);

/* Writes the collected lists of a type. */
void doc_put_columns(struct docwrite *d);

/* docpart.c */
void doc_close_parts(struct docwrite *d);

#endif
