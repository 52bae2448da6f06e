/* SPDX-License-Identifier: ISC */
/*
 * collidenames.c - makes names that all have the same XXH64.
 *
 *	collidenames N		of the name alone
 *	collidenames N RUN	with the hash of RUN as its seed, as types of a run are hashed
 *
 * XXH64 processes 32 bytes at a time in four lanes.  Names have two such blocks, in which only the
 * first lane differs.  Whatever it is in the first block, there is one number for the second block
 * that gives the lane the value that it has for the first name.  Most of these numbers are not
 * text, and are skipped.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define P1 UINT64_C(0x9e3779b185ebca87)
#define P2 UINT64_C(0xc2b2ae3d27d4eb4f)

static uint64_t
round_of(uint64_t lane, uint64_t in)
{
	lane += in * P2;
	return (lane << 31 | lane >> 33) * P1;
}

/*
 * Returns the inverse of an odd number modulo 2^64.  Each step doubles the number of correct bits.
 */
static uint64_t
inverse(uint64_t odd)
{
	uint64_t v = odd;
	int i;

	for (i = 0; i < 6; i++)
		v *= 2 - odd * v;
	return v;
}

static int
is_text(uint64_t v)
{
	const char *odd = "\\;=.@#\",";
	int i;

	for (i = 0; i < 64; i += 8) {
		char c = (char)(v >> i & 0xff);

		if (c <= ' ' || c >= 0x7f || strchr(odd, c) != NULL)
			return 0;
	}
	return 1;
}

static uint64_t
text_of(uint64_t n)
{
	uint64_t v = 0;
	int i;

	for (i = 0; i < 64; i += 8, n /= 26)
		v |= ('a' + n % 26) << i;
	return v;
}

static void
put(uint64_t v, char fill)
{
	int i;

	for (i = 0; i < 64; i += 8)
		putchar((int)(v >> i & 0xff));
	for (i = 0; i < 24; i++)
		putchar(fill);
}

int
main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	uint64_t seed = argc > 2 ? XXH64(argv[2], strlen(argv[2]), 0) : 0;
	uint64_t first = seed + P1 + P2, back = inverse(P2), i, second;
	/* the value of the lane after the second block, before it is rotated */
	uint64_t to = round_of(first, text_of(0)) + text_of(1) * P2;

	for (i = 0; n > 0; i++) {
		second = (to - round_of(first, text_of(i))) * back;
		if (!is_text(second))
			continue;
		put(text_of(i), 'c');
		put(second, 'd');
		putchar('\n');
		n--;
	}
	return 0;
}
