/* SPDX-License-Identifier: ISC */
/* textsort.c - compares sorted texts with those that qsort sorts by comparing whole texts. */
#include "lib/textsort.h"

#include <stdlib.h>
#include <string.h>

#include "t/unit/check.h"

#define TEXTS 3000
#define LENGTH_MAX 64
#define CUT 5 /* bytes at the end of a text that do not count */

struct texts {
	char room[TEXTS][LENGTH_MAX];
	struct slice text[TEXTS];
	struct textsort_row row[TEXTS], same[TEXTS];
};

static struct texts all;
static size_t cut;

static size_t
without_end(const void *ctx, struct slice s)
{
	return s.len - *(const size_t *)ctx;
}

static int
compare(const void *a, const void *b)
{
	const struct textsort_row *x = a, *y = b;
	struct slice s = all.text[x->number], t = all.text[y->number];
	int c;

	s.len -= cut;
	t.len -= cut;
	c = slice_cmp(s, t);
	if (c != 0)
		return c;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/*
 * Makes texts of LETTERS letters, so that few letters mean many equal texts and long beginnings
 * that are shared.  The first letter is a zero byte and the last one 0xff.
 */
static void
make(struct check *c, size_t n, unsigned letters, size_t longest)
{
	static const char beginning[] = "a beginning that many share";
	size_t i, k, len;

	for (i = 0; i < n; i++) {
		char *p = all.room[i];

		len = check_random(c) % 4 != 0 && longest > sizeof beginning ? sizeof beginning - 1
									     : 0;
		memcpy(p, beginning, len);
		for (k = check_random(c) % (longest - len + 1); k > 0; k--) {
			unsigned r = (unsigned)(check_random(c) >> 32) % letters;

			p[len++] = (char)(r == letters - 1 ? 0xff : r == 0 ? 0 : 'a' + r);
		}
		memset(p + len, 'z', cut);
		all.text[i] = (struct slice){ p, len + cut };
		all.row[i] = (struct textsort_row){ 0, (uint32_t)i,
			(uint32_t)(check_random(c) >> 32) % 300 };
		all.same[i] = all.row[i];
	}
}

static void
one_sort(struct check *c, unsigned letters)
{
	size_t n = check_random(c) % (check_random(c) % 2 != 0 ? TEXTS : 40), i;
	const struct textsort_texts texts = { all.text, cut == 0 ? NULL : without_end, &cut };

	make(c, n, letters, check_random(c) % (LENGTH_MAX - CUT));
	textsort(all.row, n, &texts);
	qsort(all.same, n, sizeof all.same[0], compare);
	for (i = 0; i < n; i++)
		CHECK(c, all.row[i].number == all.same[i].number, "%zu of %zu, %u letters", i, n,
		    letters);
}

int
main(void)
{
	struct check c = { 0 };
	int i;

	for (i = 0; i < 150; i++) {
		cut = i % 3 == 0 ? CUT : 0;
		one_sort(&c, 1);
		one_sort(&c, 2);
		one_sort(&c, 3);
		one_sort(&c, 200);
	}
	return check_end(&c);
}
