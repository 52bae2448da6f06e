/* SPDX-License-Identifier: ISC */
/*
 * mutant.c - linked into the programs that t/tools/mutate has changed.  The file that AFPIPE_MUTANT
 * names has the number of the mutant to be, or 0, and a byte for each mutant that was reached.  It
 * is mapped before main, since decoders may not open files later.
 */
#define MUTANT_STRONG
#include "t/tools/mutant.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIZE (sizeof mutant_active + MUTANT_MAX)

static unsigned char nothing[MUTANT_MAX];
unsigned char *mutant_reached = nothing;
unsigned mutant_active;

__attribute__((constructor)) static void
mutant_start(void)
{
	const char *path = getenv("AFPIPE_MUTANT");
	int fd = path ? open(path, O_RDWR | O_CREAT, 0600) : -1;
	unsigned char *map;
	if (fd < 0)
		return;
	if (ftruncate(fd, (off_t)SIZE) == 0) {
		map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (map != MAP_FAILED) {
			memcpy(&mutant_active, map, sizeof mutant_active);
			mutant_reached = map + sizeof mutant_active;
		}
	}
	close(fd);
}
