/* SPDX-License-Identifier: ISC */
/*
 * ranges.c - compares the maps of src/symbol/dwarfcode.c with a look at each range, for random
 * ranges, few and many, nested and not.
 */
#include <inttypes.h>

#include "lib/mem.h"
#include "src/symbol/dwarfint.h"
#include "t/unit/check.h"

#define RANGES 24
#define ADDRESSES 64

static struct check check;

/* Returns a random number below N. */
static unsigned
below(unsigned n)
{
	return (unsigned)(check_random(&check) >> 33) % n;
}

/* The highest value of the ranges that have the address. */
static uint32_t
highest(const struct dwarf_range *range, size_t n, uint64_t address)
{
	uint32_t value = DWARF_NO_NODE;
	size_t i;

	for (i = 0; i < n; i++)
		if (range[i].from <= address && address < range[i].to &&
		    (value == DWARF_NO_NODE || range[i].value > value))
			value = range[i].value;
	return value;
}

static void
try_ranges(struct dwarf_map *map, unsigned round)
{
	struct dwarf_range range[RANGES], given[RANGES];
	struct dwarf_ranges r = { .range = range, .cap = RANGES };
	uint64_t address;
	uint32_t want, got;
	size_t i;

	for (r.n = below(RANGES + 1), i = 0; i < r.n; i++) {
		range[i].from = 1 + below(ADDRESSES - 2);
		range[i].to = range[i].from + 1 + below(round % 2 == 0 ? 4 : ADDRESSES / 2);
		range[i].value = below(RANGES);
		given[i] = range[i];
	}
	CHECK(&check, dwarf_map_make(NULL, map, &r), "round %u: no memory", round);
	for (address = 0; address < 2 * ADDRESSES; address++) {
		want = highest(given, r.n, address);
		got = dwarf_map_find(map, address);
		CHECK(&check, got == want, "round %u, address %u: %" PRIu32 ", not %" PRIu32, round,
		    (unsigned)address, got, want);
	}
	for (i = 0; i < map->n; i++)
		CHECK(&check,
		    i == 0 ? map->piece[i].value != DWARF_NO_NODE
			   : map->piece[i].value != map->piece[i - 1].value &&
			    map->piece[i].from > map->piece[i - 1].from,
		    "round %u: a piece that says nothing", round);
}

int
main(void)
{
	struct dwarf_map map = { 0 };
	unsigned round;

	for (round = 0; round < 3000; round++)
		try_ranges(&map, round);
	mem_free(map.piece);
	return check_end(&check);
}
