/* SPDX-License-Identifier: ISC */
/*
 * mem.h - memory from the heap, counted, with one ceiling for the whole program.
 *
 * All of lib, src and filters allocates here, so that input cannot take more of a machine than
 * --max-memory says.  Beyond the ceiling a call fails as if there were no memory, and err_nomem
 * (lib/err.h) then says so.  What counts is what malloc set aside, not what was asked for.
 * Mapped files do not count.  Memory is process-wide, so this has state of its own.
 */
#ifndef AFPIPE_MEM_H
#define AFPIPE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As malloc, calloc, realloc and free.  What libc allocates itself (strdup) is not for mem_free. */
void *mem_alloc(size_t size) __attribute__((malloc, warn_unused_result));
void *mem_zero(size_t n, size_t size) __attribute__((malloc, warn_unused_result));
void *mem_resize(void *p, size_t size) __attribute__((warn_unused_result));
void mem_free(void *p);

/* As aligned_alloc: align is a power of two that divides size. */
void *mem_aligned(size_t align, size_t size) __attribute__((malloc, warn_unused_result));

/*
 * For what a library is about to allocate by itself: false where that would pass the
 * ceiling, and then nothing is counted.  mem_release takes back what was claimed.
 */
bool mem_claim(size_t n) __attribute__((warn_unused_result));
void mem_release(size_t n);

/* No ceiling at first.  Applies to what is allocated from now on. */
void mem_set_ceiling(uint64_t bytes);
uint64_t mem_ceiling(void);

/* Half of the machine's memory, or of that of the control groups that we run in. */
uint64_t mem_default_ceiling(void);

/* Was it the ceiling that the last call which failed ran into? */
bool mem_refused(void);

#endif
