/* SPDX-License-Identifier: ISC */
/*
 * collide.c - a stream of sections whose ids fall together in a hash table without a seed.
 *
 * collide N writes N starts and N stops.  The hash is XXH3 with the number of the kind, as a table
 * would use it that forgets its seed.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
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

int
main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 0, i, id;
	char text[32];

	for (i = 0, id = 0; i < n; i++) {
		next_id(text, sizeof text, &id);
		printf("start\t0\tr\t.\t.\t.\tid=%s\n", text);
	}
	while (n-- > 0)
		printf("stop\t1\tr\t.\t.\t.\tid=x%lu\n", n);
	return 0;
}
