/* SPDX-License-Identifier: ISC */
/*
 * share.c - how many of a recording's samples are in one function: an example of libafpipe(3).
 *
 *	cc -o share share.c $(pkg-config --cflags --libs afpipe)
 *	./share perf.data main
 */
#include <afpipe.h>
#include <stdio.h>
#include <string.h>

struct counts {
	const char *function;
	unsigned long all, inside;
};

static int
take(void *user, const struct afpipe_line *line)
{
	struct counts *c = (struct counts *)user;
	struct afpipe_slice kind = line->column[AFPIPE_KIND], region = line->column[AFPIPE_REGION];

	if (kind.len != 6 || memcmp(kind.p, "sample", 6) != 0)
		return 0;
	c->all++;
	if (region.len == strlen(c->function) && memcmp(region.p, c->function, region.len) == 0)
		c->inside++;
	return 0; /* anything else would stop the decoder */
}

int
main(int argc, char **argv)
{
	struct afpipe_error error = AFPIPE_ERROR_INIT;
	struct counts c = { argc == 3 ? argv[2] : "", 0, 0 };

	if (argc != 3)
		return fprintf(stderr, "usage: share FILE FUNCTION\n") < 0 ? 3 : 2;
	if (afpipe_perf_decode(argv[1], NULL, take, &c, &error) != AFPIPE_OK) {
		fprintf(stderr, "%s: %s\n", argv[1], error.message);
		return error.code;
	}
	printf("%s: %lu of %lu samples\n", c.function, c.inside, c.all);
	return 0;
}
