/* SPDX-License-Identifier: ISC */
/*
 * demangle.c - fuzzes the names of C++, Rust and D functions: the time that a name takes is bounded,
 * and so are the result and the memory, however often the name refers to itself.
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
	ok = first.len == second.len && (first.len == 0 || memcmp(first.p, second.p, first.len) == 0);
	check(ok, "another result");
	ok = first.len != 0;
	buf_free(&first);
	buf_free(&second);
	return ok;
}

const struct fuzz_driver fuzz_driver = { .take = take, .meaning = SLICE_INIT("_ZNSRDEIJKPQT0123456789abst") };
