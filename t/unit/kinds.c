/* SPDX-License-Identifier: ISC */
/*
 * kinds.c - prints the kinds of lib/kinds.h with their properties, and looks up each.  With pairs
 * of numbers as arguments, prints the note about so many lines of other kinds, in so many bytes.
 */
#include <stdio.h>
#include <stdlib.h>

#include "lib/kinds.h"

/*
 * Counts N lines, each of its own kind, the second a start, and prints the note that SIZE bytes
 * hold.
 */
static void
print_note(long n, size_t size)
{
	static struct kinds_left left;
	char name[64], *text = malloc(size);
	long i;

	for (i = 0; i < n; i++) {
		snprintf(name, sizeof name, i == 1 ? "start" : i == 2 ? "%046ld" : "k%ld", i);
		kinds_leave(&left, slice_of(name), (uint64_t)i + 1);
	}
	kinds_leave(&left, SLICE("origin"), 1);
	puts(text != NULL && kinds_left_note(&left, "other kinds", text, size) ? text : "none");
	kinds_left_free(&left);
	left = (struct kinds_left){ .n = { 0 } };
	free(text);
}

int
main(int argc, char **argv)
{
	const struct kind *k;
	int i;

	for (i = 1; i + 1 < argc; i += 2)
		print_note(strtol(argv[i], NULL, 10), strtoul(argv[i + 1], NULL, 10));
	if (argc > 1)
		return 0;
	for (k = kinds; k->name != NULL; k++) {
		if (kind_named(slice_of(k->name)) != k)
			return 1;
		printf("%s%s%s\n", k->name, k->outlives ? " outlives" : "",
		    k->about ? " about" : "");
	}
	return kind_named(SLICE("sampl")) != NULL || kind_named(SLICE("novel")) != NULL ||
	    kind_named(SLICE("")) != NULL;
}
