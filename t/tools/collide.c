/* SPDX-License-Identifier: ISC */
/*
 * collide.c - makes texts that collide in a hash table without a seed.
 *
 * collide N writes a stream with N starts and N stops of sections.  The hash of their ids is XXH3
 * with the number of the kind, as in a table that forgets its seed.  collide paths N writes N
 * paths, one per line, that collide under FNV-1a.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define MASK ((1u << 17) - 1)
#define NEAR 256 /* slots */

static size_t
next_id(char *text, size_t size, unsigned long *i)
{
	for (;;) {
		size_t len = (size_t)snprintf(text, size, "%lx", (*i)++);

		if ((XXH3_64bits_withSeed(text, len, 0) & MASK) < NEAR)
			return len;
	}
}

static uint64_t
fnv(const char *p)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	while (*p != '\0')
		h = (h ^ (unsigned char)*p++) * UINT64_C(0x100000001b3);
	return h;
}

static int
paths(unsigned long n)
{
	unsigned long i = 0;
	char text[32];

	while (n > 0) {
		snprintf(text, sizeof text, "/%lx", i++);
		if ((fnv(text) & (MASK >> 3)) < NEAR / 8 && n-- > 0)
			puts(text);
	}
	return 0;
}

int
main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 0, i, id;
	char text[32];

	if (argc > 2 && strcmp(argv[1], "paths") == 0)
		return paths(strtoul(argv[2], NULL, 10));
	for (i = 0, id = 0; i < n; i++) {
		next_id(text, sizeof text, &id);
		printf("start\t0\tr\t.\t.\t.\tid=%s\n", text);
	}
	while (n-- > 0)
		printf("stop\t1\tr\t.\t.\t.\tid=x%lu\n", n);
	return 0;
}
