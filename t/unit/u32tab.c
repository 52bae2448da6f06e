/* SPDX-License-Identifier: ISC */
/*
 * u32tab.c - compares src/perfdata/state/u32tab.c with an array, for t/perfdec_tasks.bats.
 *
 * usage: u32tab STEPS STRIDE
 *
 * Keys are multiples of STRIDE, modulo 2^32.
 */
#include <stdio.h>
#include <stdlib.h>

#include "src/perfdata/state/state.h"

#define KEYS 3000

static uint32_t value[KEYS]; /* the key itself */
static char there[KEYS];

static void
must(int ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "u32tab: %s\n", what);
		exit(1);
	}
}

static void
compare(const struct u32tab *t)
{
	size_t i, pos = 0, n = 0, want = 0;

	for (i = 0; i < KEYS; i++) {
		void *p = u32tab_find(t, value[i]);

		must(p == (there[i] ? &value[i] : NULL), "a key is missing, or too much");
		want += there[i] != 0;
	}
	while (u32tab_next(t, &pos) != NULL)
		n++;
	must(n == want && t->count == want, "another count");
}

int
main(int argc, char **argv)
{
	struct u32tab t = { 0 };
	unsigned long steps, step;
	uint32_t stride, i, state = 1;

	must(argc == 3, "STEPS STRIDE");
	steps = strtoul(argv[1], NULL, 0);
	stride = (uint32_t)strtoul(argv[2], NULL, 0);
	for (i = 0; i < KEYS; i++)
		value[i] = i * stride;
	for (step = 0; step < steps; step++) {
		state = state * 1664525u + 1013904223u;
		i = (state >> 8) % KEYS;
		if (there[i] || step % 3 == 0)
			u32tab_drop(&t, value[i]);
		else
			must(u32tab_put(&t, value[i], &value[i]), "no memory");
		there[i] = !there[i] && step % 3 != 0;
		if (step % 997 == 0)
			compare(&t);
	}
	compare(&t);
	u32tab_free(&t);
	return 0;
}
