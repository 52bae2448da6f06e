/* SPDX-License-Identifier: ISC */
/* seed.c - random seeds for hash tables, which an input cannot predict. */
#include "lib/seed.h"

#include <time.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "lib/mem.h"

uint64_t
seed_make(void)
{
	void *heap = mem_alloc(1);
	struct timespec now = { 0 };
	uint64_t parts[5];

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	parts[0] = (uint64_t)(uintptr_t)heap;
	parts[1] = (uint64_t)(uintptr_t)&now;
	parts[2] = (uint64_t)now.tv_sec;
	parts[3] = (uint64_t)now.tv_nsec;
	parts[4] = (uint64_t)getpid();
	mem_free(heap);
	return XXH3_64bits(parts, sizeof parts) | 1;
}
