/* SPDX-License-Identifier: ISC */
/*
 * manyruns.c - writes a stream on standard input N times, as that of another run each time: the
 * third column becomes the number of the run.  It is for measurements with many shards.
 *
 *	manyruns N [FIRST]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ID_DIGITS 10

struct text {
	char *p;
	size_t len, cap;
};

static void
put(struct text *t, const char *p, size_t n)
{
	if (t->len + n > t->cap) {
		t->cap = (t->len + n) * 2;
		t->p = realloc(t->p, t->cap);
		if (t->p == NULL)
			exit(3);
	}
	memcpy(t->p + t->len, p, n);
	t->len += n;
}

/* Reads the stream, with an id of ID_DIGITS in each line, and keeps where these are. */
static size_t
read_stream(struct text *t, size_t **at)
{
	static char line[1 << 20];
	size_t n = 0, cap = 0;

	while (fgets(line, sizeof line, stdin) != NULL) {
		char *time = strchr(line, '\t');
		char *run = time == NULL ? NULL : strchr(time + 1, '\t');
		char *region = run == NULL ? NULL : strchr(run + 1, '\t');

		if (line[0] == '#' || region == NULL) {
			put(t, line, strlen(line));
			continue;
		}
		put(t, line, (size_t)(run + 1 - line));
		if (n == cap) {
			cap = cap * 2 + 64;
			*at = realloc(*at, cap * sizeof **at);
			if (*at == NULL)
				exit(3);
		}
		(*at)[n++] = t->len;
		put(t, "0000000000", ID_DIGITS);
		put(t, region, strlen(region));
	}
	return n;
}

int
main(int argc, char **argv)
{
	unsigned long runs = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	unsigned long first = argc > 2 ? strtoul(argv[2], NULL, 10) : 0, run;
	struct text t = { NULL, 0, 0 };
	size_t *at = NULL, n = read_stream(&t, &at), i;
	char id[ID_DIGITS + 1];

	for (run = first; run < first + runs; run++) {
		snprintf(id, sizeof id, "%010lu", run % 10000000000ul);
		for (i = 0; i < n; i++)
			memcpy(t.p + at[i], id, ID_DIGITS);
		if (fwrite(t.p, 1, t.len, stdout) != t.len)
			return 3;
	}
	free(t.p);
	free(at);
	return fflush(stdout) == 0 ? 0 : 3;
}
