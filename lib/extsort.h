/* SPDX-License-Identifier: ISC */
/*
 * extsort.h - an external merge sort: writes sorted pieces of items to an unlinked temporary file
 * and merges them.
 *
 *	rc = extsort_open(&s, compare, &e);
 *	for each piece:
 *		rc = extsort_begin(s, &e);
 *		for each item, in order: p = extsort_room(s, n); ...; extsort_put(s, n);
 *		rc = extsort_end(s, &e);
 *	while (extsort_peek(s, &item)) { use item; rc = extsort_pop(s, &e); }
 *	extsort_close(s);
 *
 * An item is any sequence of less than 4 GiB of bytes.  Equal items are returned in the order of
 * their pieces.  Pieces may be added while items are being returned.  An item that is smaller than
 * one already returned then comes next.  Each piece that still has items has a buffer of 64 KiB, or
 * of the size of its longest item.
 */
#ifndef AFPIPE_EXTSORT_H
#define AFPIPE_EXTSORT_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"
#include "lib/slice.h"

struct extsort;

/* Returns less than, equal to or more than 0 if a comes before, equals or comes after b. */
typedef int extsort_compare(const char *a, const char *b);

/* Returns ERR_SYS, with *s NULL, if no temporary file can be created. */
int extsort_open(struct extsort **s, extsort_compare *compare, struct err *e)
    __attribute__((warn_unused_result));
void extsort_close(struct extsort *s); /* NULL is allowed */

/* Begins a piece.  Pieces of the same level are merged first.  Fails with ERR_SYS or ERR_STOP. */
int extsort_begin(struct extsort *s, struct err *e) __attribute__((warn_unused_result));

/*
 * Returns room for an item of n bytes.  Returns NULL if memory runs out, which extsort_end reports,
 * too.
 */
char *extsort_room(struct extsort *s, size_t n);

/* Adds the item of n bytes in that room.  extsort_end reports failures. */
void extsort_put(struct extsort *s, size_t n);

/* Ends the piece.  Fails with ERR_SYS or ERR_STOP. */
int extsort_end(struct extsort *s, struct err *e) __attribute__((warn_unused_result));

/* Finds the smallest item, valid until the next call.  Returns false if there is none. */
bool extsort_peek(const struct extsort *s, struct slice *item);

/* Removes the smallest item.  Fails with ERR_SYS or ERR_STOP. */
int extsort_pop(struct extsort *s, struct err *e) __attribute__((warn_unused_result));

#endif
