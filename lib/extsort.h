/* SPDX-License-Identifier: ISC */
/*
 * extsort.h - an external merge sort: sorted pieces of items in an unlinked temporary file, and
 * their merge.
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
 * their pieces.  Pieces may be added while items are being returned; an item that is smaller than
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

/* ERR_SYS if no temporary file can be created; *s is NULL then. */
int extsort_open(struct extsort **s, extsort_compare *compare, struct err *e)
    __attribute__((warn_unused_result));
void extsort_close(struct extsort *s); /* NULL is allowed */

/* Begins a piece.  Pieces of the same age are merged first.  ERR_SYS, ERR_STOP. */
int extsort_begin(struct extsort *s, struct err *e) __attribute__((warn_unused_result));

/* Room for an item of n bytes; NULL when there is no memory, which extsort_end reports, too. */
char *extsort_room(struct extsort *s, size_t n);

/* Adds the item of n bytes in that room.  Failures are reported by extsort_end. */
void extsort_put(struct extsort *s, size_t n);

/* Ends the piece.  ERR_SYS, ERR_STOP. */
int extsort_end(struct extsort *s, struct err *e) __attribute__((warn_unused_result));

/* The smallest item of all; valid until the next call.  False if there is none. */
bool extsort_peek(const struct extsort *s, struct slice *item);

/* Removes the smallest item.  ERR_SYS, ERR_STOP. */
int extsort_pop(struct extsort *s, struct err *e) __attribute__((warn_unused_result));

#endif
