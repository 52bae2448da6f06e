/* SPDX-License-Identifier: ISC */
/*
 * tab.c - checks interning: numbers in the order of arrival, equal strings once, copies that stay.
 */
#include "lib/mem.h"
#include "lib/tab.h"

#include "t/unit/check.h"

#define COUNT 200000

/* Returns the i-th string, which has any length and contains zero bytes. */
static struct slice
nth(char *buf, size_t i)
{
	int n = snprintf(buf, 64, "%zu", i);

	memset(buf + n, i % 7 == 0 ? 0 : 'x', i % 23);
	return (struct slice){ buf, (size_t)n + i % 23 };
}

/* A text that is in a full table is found without memory. */
static void
full(struct check *c)
{
	struct tab t = { 0 };
	char buf[128];
	size_t i;

	do
		CHECK(c, tab_add(&t, nth(buf, t.count), NULL) == t.count - 1, "%zu", t.count);
	while (t.count < t.cap);
	mem_set_ceiling(mem_used());
	for (i = 0; i < t.count; i++)
		CHECK(c, tab_add(&t, nth(buf, i), NULL) == i, "%zu", i);
	CHECK(c, tab_add(&t, nth(buf, i), NULL) == TAB_NONE, "%zu was added", i);
	mem_set_ceiling(UINT64_MAX);
	tab_free(&t);
}

int
main(void)
{
	struct check c = { 0 };
	struct tab t = { 0 };
	static struct slice kept[COUNT];
	static char big[200000];
	char buf[128];
	bool fresh;
	size_t guessed = 0, i;

	CHECK(&c, tab_find(&t, SLICE("x")) == TAB_NONE, "found in an empty table");
	for (i = 0; i < COUNT; i++) {
		CHECK(&c, tab_find(&t, nth(buf, i)) == TAB_NONE, "%zu found too early", i);
		CHECK(&c, tab_add(&t, nth(buf, i), &fresh) == i && fresh, "%zu", i);
		kept[i] = t.item[i];
		if (i % 3 == 0)
			CHECK(&c, tab_add(&t, nth(buf, i / 2), &fresh) == i / 2 && !fresh,
			    "%zu again", i / 2);
	}
	CHECK(&c, t.count == COUNT, "%zu", t.count);
	full(&c);
	for (i = 0; i < COUNT; i++) {
		CHECK(&c, tab_find(&t, nth(buf, i)) == i, "%zu", i);
		CHECK(&c, slice_eq(kept[i], nth(buf, i)) && kept[i].p == t.item[i].p, "%zu moved",
		    i);
	}
	for (i = 0; i < COUNT; i++) /* the hashes of two texts may be the same, but not of many */
		guessed += tab_sooner(&t, tab_soon(&t, nth(buf, i))) == i;
	CHECK(&c, guessed > COUNT - 100, "%zu guessed", guessed);
	CHECK(&c, t.count == COUNT, "added by a guess");
	CHECK(&c, tab_add(&t, (struct slice){ big, 0 }, NULL) == COUNT, "the empty string");
	CHECK(&c, tab_add(&t, (struct slice){ big, sizeof big }, NULL) == COUNT + 1,
	    "larger than a chunk");
	CHECK(&c, tab_find(&t, (struct slice){ big, sizeof big - 1 }) == TAB_NONE,
	    "shorter by one");
	tab_free(&t);
	CHECK(&c, t.count == 0 && tab_find(&t, SLICE("0")) == TAB_NONE, "not empty");
	return check_end(&c);
}
