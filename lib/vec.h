/* SPDX-License-Identifier: ISC */
/*
 * vec.h - arrays that grow.
 *
 * An array is a pointer, a count and a capacity, which its owner keeps in fields of its own.  An
 * empty array has NULL, 0 and 0.  Elements move when it grows, so keep indices and not pointers.
 * Free it with mem_free.
 */
#ifndef AFPIPE_VEC_H
#define AFPIPE_VEC_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Makes sure that there is room for element N.  ARRAY and CAP are lvalues, and CAP is a size_t.  N
 * is evaluated twice.  If memory runs out, yields false and changes nothing.
 */
#define vec_room(array, n, cap) ((n) < (cap) || vec_grow(&(array), (n), &(cap), sizeof *(array)))

/* The same, but the bytes of new elements are 0. */
#define vec_room_zero(array, n, cap) \
	((n) < (cap) || vec_grow_zero(&(array), (n), &(cap), sizeof *(array)))

/* For these macros only.  size is the size of an element, and array points to the pointer. */
bool vec_grow(void *array, size_t n, size_t *cap, size_t size) __attribute__((warn_unused_result));
bool vec_grow_zero(void *array, size_t n, size_t *cap, size_t size)
    __attribute__((warn_unused_result));

#endif
