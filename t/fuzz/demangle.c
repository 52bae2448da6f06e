/* SPDX-License-Identifier: ISC */
/*
 * demangle.c - fuzzes the names of C++, Rust and D functions: the time that a name takes is
 * bounded, and so are the result and the memory, however often the name refers to itself.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/symbol/demangle.h"
#include "t/fuzz/fuzz.h"

#define SECONDS_MAX 2 /* of the processor; sanitizers are slow */

static bool
take(const uint8_t *data, size_t size)
{
	struct slice name = { (const char *)data, size };
	struct buf first = { 0 }, second = { 0 };
	clock_t begin = clock();
	bool ok;

	check(demangle(&first, name), "no memory");
	check((clock() - begin) / CLOCKS_PER_SEC < SECONDS_MAX, "a name takes too long");
	check(first.len <= DEMANGLE_MAX + size, "a result is too long");
	check(demangle(&second, name), "no memory");
	ok = first.len == second.len &&
	    (first.len == 0 || memcmp(first.p, second.p, first.len) == 0);
	check(ok, "another result");
	ok = first.len != 0;
	buf_free(&first);
	buf_free(&second);
	return ok;
}

/* The words of each language's names: types, names, lists, and references to what came before. */
static const struct {
	const char *begin;
	const char *word[24];
	size_t words;
} languages[] = {
	{ "_Z1fI",
	    { "St4pairI", "E", "i", "P", "S_", "S0_", "S1_", "S2_", "T_", "T0_", "Dp", "J", "N1a",
		"1bI", "F", "M", "DTcl", "sZ", "Li1E", "XspT_E", "UlvE_", "R", "K", "L_Z1gE" },
	    24 },
	{ "_RINvC1a1f",
	    { "T", "E", "l", "B_", "B1_", "B5_", "B9_", "Ba_", "Bk_", "IC1b", "NtC1c1d", "F", "D",
		"R", "S", "A", "Kj1_", "L_", "p", "Q", "YlC1e", "MC1fl", "G_", "G0_" },
	    24 },
	{ "_D1a",
	    { "__T1b", "T", "Z", "S", "V", "i", "A", "P", "Qb", "Qd", "Qh", "Qp", "1c", "F", "M",
		"__S", "G3", "H", "B2", "Va1", "C1a", "_D", "i1", "xO" },
	    24 },
};

/* Makes a name of random words.  */
static size_t
make(uint64_t *state, uint8_t *bytes)
{
	size_t which = random_next(state) % (sizeof languages / sizeof languages[0]);
	size_t n = strlen(languages[which].begin), len, most = 1 + random_next(state) % 350;
	const char *word;

	memcpy(bytes, languages[which].begin, n);
	while (n < most) {
		word = languages[which].word[random_next(state) % languages[which].words];
		len = strlen(word);
		memcpy(bytes + n, word, len);
		n += len;
	}
	return n;
}

const struct fuzz_driver fuzz_driver = { .take = take,
	.make = make,
	.meaning = SLICE_INIT("_ZNSRDEIJKPQT0123456789abst") };
