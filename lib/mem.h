/* SPDX-License-Identifier: ISC */
/*
 * mem.h - counted heap memory, with one ceiling for the whole program.
 *
 * All of lib, src and filters allocates here, so that input cannot take more memory than
 * --max-memory allows.  Beyond the ceiling a call fails as if the system had no memory left, and
 * err_nomem (lib/err.h) names the ceiling.  The size that malloc sets aside is counted, not the
 * size requested.  Mapped files do not count.  Memory is process-wide, so this module has global
 * state.  Threads may allocate at the same time; the ceiling is set before there are any.
 */
#ifndef AFPIPE_MEM_H
#define AFPIPE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Like malloc, calloc, realloc and free.  Do not pass memory that libc allocated (strdup). */
void *mem_alloc(size_t size) __attribute__((malloc, warn_unused_result));
void *mem_zero(size_t n, size_t size) __attribute__((malloc, warn_unused_result));
void *mem_resize(void *p, size_t size) __attribute__((warn_unused_result));
void mem_free(void *p);

/*
 * For arrays that are read in no order: they move the KEPT bytes at p, which may be NULL, to a
 * block of SIZE bytes that begins at a cache line, unless it is small.  If the block is large, the
 * system is asked for large pages, of which the processor finds more without a search.  In
 * mem_array_zeros KEPT is all that has been used of p, and the further bytes are 0.
 * Arrays of these functions, and no others, are freed by mem_array_free, which takes NULL, too.
 */
void *mem_array(void *p, size_t kept, size_t size) __attribute__((warn_unused_result));
void *mem_array_zeros(void *p, size_t kept, size_t size) __attribute__((warn_unused_result));
void mem_array_free(void *p);

/*
 * Call it before a library allocates n bytes by itself.  If that would exceed the ceiling, returns
 * false and counts nothing.  mem_release gives them back.
 */
bool mem_claim(size_t n) __attribute__((warn_unused_result));
void mem_release(size_t n);

/*
 * Returns a good size for a buffer: N, which is a power of 2, or less if that is more than 1/64 of
 * the ceiling, but at least 4 KiB.
 */
size_t mem_buffer(size_t n);

/* Returns the number of bytes in use. */
uint64_t mem_used(void);

/* Sets the ceiling for later allocations.  Before the first call there is none. */
void mem_set_ceiling(uint64_t bytes);
uint64_t mem_ceiling(void);

/* Returns half of the machine's memory, or of the limit of our control groups. */
uint64_t mem_default_ceiling(void);

/* Returns true if the last failed call failed because of the ceiling. */
bool mem_refused(void);

#endif
