/* SPDX-License-Identifier: ISC */
/* kinds.c - prints the kinds of lib/kinds.h with their properties, and looks up each. */
#include <stdio.h>

#include "lib/kinds.h"

int
main(void)
{
	const struct kind *k;

	for (k = kinds; k->name != NULL; k++) {
		if (kind_named(slice_of(k->name)) != k)
			return 1;
		printf("%s%s%s\n", k->name, k->outlives ? " outlives" : "",
		    k->about ? " about" : "");
	}
	return kind_named(SLICE("sampl")) != NULL || kind_named(SLICE("novel")) != NULL ||
	    kind_named(SLICE("")) != NULL;
}
