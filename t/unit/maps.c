/* SPDX-License-Identifier: ISC */
/*
 * maps.c - compares src/perfdata/state/maps.c with arrays that have an entry for each address, for
 * t/perfdec.bats.
 *
 * usage: maps STEPS SEED
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/perfdata/state/state.h"

#define SPACES 6
#define ADDRESSES 512
#define OBJECTS 5

static struct maps space[SPACES];
/* 0 if nothing is mapped, otherwise 1 + the number of the put */
static int model[SPACES][ADDRESSES];
static struct map put[1 << 16];
static struct dso object[OBJECTS];
static uint64_t state;
static struct map_pool pool;

static unsigned
random_below(unsigned n)
{
	state += UINT64_C(0x9e3779b97f4a7c15);
	uint64_t z = (state ^ state >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (unsigned)((z ^ z >> 31) % n);
}

static void
must(int ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "maps: %s\n", what);
		exit(1);
	}
}

/*
 * Compares every address, alternately upwards and downwards, since a space remembers its last
 * result.
 */
static void
compare(unsigned s)
{
	unsigned i;

	for (i = 0; i < ADDRESSES; i++) {
		unsigned a = s % 2 == 0 ? i : ADDRESSES - 1 - i;
		const struct map *m = maps_find(&space[s], a);
		int want = model[s][a];

		must((m != NULL) == (want != 0), "a range is missing or too much");
		if (want == 0)
			continue;
		must(m->start <= a && a < m->end, "another place");
		must(m->dso == put[want - 1].dso && m->shift == put[want - 1].shift,
		    "another range");
	}
}

static void
put_one(unsigned s, unsigned n)
{
	struct err e;
	unsigned a;

	put[n].start = random_below(ADDRESSES);
	put[n].end = put[n].start + random_below(random_below(4) == 0 ? ADDRESSES : 40);
	put[n].shift = n;
	put[n].dso = random_below(8) == 0 ? NULL : &object[random_below(OBJECTS)];
	if (random_below(200) == 0)
		put[n].end = UINT64_MAX;
	(void)maps_find(&space[s], random_below(ADDRESSES));
	must(maps_put(&space[s], &put[n], &pool, &e) == 0, "no memory");
	for (a = (unsigned)put[n].start; a < ADDRESSES && a < put[n].end; a++)
		model[s][a] = put[n].dso == NULL ? 0 : (int)n + 1;
}

/* Makes space TO a fork of FROM. */
static void
share(unsigned from, unsigned to)
{
	struct maps m = maps_share(&space[from]);

	maps_free(&space[to], &pool);
	space[to] = m;
	memcpy(model[to], model[from], sizeof model[to]);
}

int
main(int argc, char **argv)
{
	unsigned i, steps;

	must(argc == 3, "usage: maps STEPS SEED");
	steps = (unsigned)strtoul(argv[1], NULL, 10);
	state = pool.dice = strtoull(argv[2], NULL, 10);
	must(steps <= 1 << 16, "too many steps");
	for (i = 0; i < steps; i++) {
		unsigned s = random_below(SPACES);

		if (random_below(10) == 0)
			share(random_below(SPACES), s);
		else
			put_one(s, i);
		compare(s);
		compare(random_below(SPACES));
	}
	for (i = 0; i < SPACES; i++)
		maps_free(&space[i], &pool);
	map_pool_free(&pool);
	printf("%u steps\n", steps);
	return 0;
}
