/* SPDX-License-Identifier: ISC */
/*
 * dcpimake.c - writes a DCPI profile of any size to standard output.
 *
 * dcpimake SLOTS EVERY CHUNK: SLOTS counts, CHUNK of them to a chunk.  Every EVERY-th count is not
 * zero.  Counts are mostly small, as in a real profile, and the same on every machine.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void
put(uint64_t v)
{
	putchar((int)(v & 255));
	putchar((int)(v >> 8 & 255));
	putchar((int)(v >> 16 & 255));
	putchar((int)(v >> 24 & 255));
}

int
main(int argc, char **argv)
{
	uint64_t slots, every, chunk, i, addresses = 0, samples = 0;
	uint32_t random = 1;

	if (argc != 4)
		return 2;
	slots = strtoull(argv[1], NULL, 10);
	every = strtoull(argv[2], NULL, 10);
	chunk = strtoull(argv[3], NULL, 10);
	if (slots > UINT32_MAX / 4 || every == 0 || chunk == 0)
		return 2;
	printf("version pdb-0.07\nimage 19970328081403c0c18b\nepoch 9805191724\nplatform walnut\n"
	       "event cycles\nperiod 63488\ntstart 120000000\ntsize %" PRIu64 "\ncpuspeed 333\n"
	       "samples\n",
	    slots * 4);
	for (i = 0; i < slots; i++) {
		uint32_t v = 0;

		if (i % chunk == 0) {
			put(i * 4);
			put(slots - i < chunk ? slots - i : chunk);
		}
		random = random * 1664525 + 1013904223;
		if (i % every == 0) {
			v = (random >> 24) % 16 == 0 ? (random >> 16) % 300 + 1
						     : (random >> 24) % 9 + 1;
			addresses++;
			samples += v;
		}
		put(v);
	}
	put(addresses);
	put(samples);
	return fflush(stdout) == 0 ? 0 : 3;
}
