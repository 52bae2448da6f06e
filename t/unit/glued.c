/* SPDX-License-Identifier: ISC */
/*
 * glued.c - checks where glued records are split: generated records of known sizes, and bytes full
 * of false headers.
 *
 * glued N SEED: N generated records, then the worst possible bytes.  Silent if there is no error.
 */
#include "src/perfdata/input/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/perfdata/abi.h"

#define PIECES_MAX 9

static unsigned long state;

static size_t
random_below(size_t n)
{
	state = state * 1103515245ul + 12345;
	return (state >> 16 & 0x7fff) * n >> 15;
}

static void
must(int ok, const char *why)
{
	if (!ok) {
		fprintf(stderr, "glued: %s\n", why);
		exit(1);
	}
}

static void
put_head(unsigned char *p, size_t size, int big_endian)
{
	static const unsigned char little[8] = { REC_COMPRESSED2 };
	static const unsigned char big[8] = { 0, 0, 0, REC_COMPRESSED2 };
	unsigned char low = (unsigned char)size, high = (unsigned char)(size >> 8);

	memcpy(p, big_endian ? big : little, 8);
	p[6] = big_endian ? high : low;
	p[7] = big_endian ? low : high;
}

/* Makes full pieces and a rest, as perf writes them, with false headers everywhere. */
static void
made_up(void)
{
	static unsigned char p[PIECES_MAX * REC_MAX];
	size_t pieces = 2 + random_below(PIECES_MAX - 2), total = 0, i, n, first;
	int big_endian = (int)random_below(2);
	struct glued g;
	struct err e;

	for (i = 0; i < sizeof p; i++)
		p[i] = (unsigned char)random_below(256);
	for (i = 0; i < 2000; i++)
		put_head(p + random_below(sizeof p - 8), random_below(65536), big_endian);
	for (i = 0; i < pieces; i++) {
		n = i + 1 < pieces ? PACKED2_MAX : 1 + random_below(PACKED2_MAX);
		if (i > 0) {
			put_head(p + total, PACKED2_HEAD + n, big_endian);
			total += PACKED2_HEAD;
		}
		total += n;
	}
	g = (struct glued){ p, total, total, big_endian != 0 };
	must(glued_find(&g, &first, &e) == 0 && first == PACKED2_MAX, "not found");
	g.len = random_below(total);
	must(glued_find(&g, &first, &e) == 0 && first == PACKED2_MAX, "not found where it was cut");
	g.len = total;
	p[PACKED2_MAX + 4] = 1;
	must(glued_find(&g, &first, &e) == ERR_DATA || first != PACKED2_MAX,
	    "a wrong header taken");
}

/* Makes nothing but chained headers.  Each byte may be examined only once. */
static void
worst(size_t total)
{
	unsigned char *p = malloc(total);
	struct glued g = { p, total, total, false };
	struct err e;
	size_t i, first;

	must(p != NULL, "no memory");
	for (i = 0; i + 24 <= total; i += 24) {
		put_head(p + i, 24, 0);
		put_head(p + i + 8, 24, 0);
		put_head(p + i + 16, 24, 0);
	}
	memset(p + i, 0, total - i);
	must(glued_find(&g, &first, &e) == ERR_DATA, "found where nothing fits");
	free(p);
}

int
main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;

	state = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	for (; n > 0; n--)
		made_up();
	worst(GLUED_MAX - 3);
	return 0;
}
