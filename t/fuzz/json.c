/* SPDX-License-Identifier: ISC */
/*
 * json.c - fuzzes the scanner of JSON, with jansson as the judge.
 *
 * What is accepted must be accepted again in the spelling of json.dumps, with the same values, and
 * that spelling must not change any more.  Skipping it must end where reading it does.
 */
#include "t/fuzz/jsonjudge.h"

/* Returns true if jscan_skip passes over the whole text. */
static bool
is_skipped(const uint8_t *data, size_t size)
{
	struct slice rest = { (const char *)data, size };
	struct jscan j = { .fill = jscan_fill_text, .ctx = &rest, .piece = jscan_drop };
	struct err e;
	bool is;
	int c;

	check(jscan_open(&j), "no memory");
	is = jscan_skip(&j, &e) == 0 && jscan_peek(&j, &c, &e) == 0 && c == -1;
	jscan_close(&j);
	return is;
}

static bool
take(const uint8_t *data, size_t size)
{
	static struct jscan j;
	static bool opened;
	struct buf once = { 0 }, twice = { 0 };
	bool taken;

	if (!opened)
		check(jscan_open(&j), "no memory");
	opened = true;
	taken = differ(&j, data, size);
	if (taken) {
		check(is_skipped(data, size), "skipping it ends elsewhere");
		check(pytext_dumps(&once, j.text, j.token, 0), "no memory");
		check(differ(&j, (const uint8_t *)once.p, once.len), "its spelling is refused");
		check(pytext_dumps(&twice, j.text, j.token, 0), "no memory");
		check(slice_eq(buf_slice(&once), buf_slice(&twice)), "another spelling");
	}
	buf_free(&once);
	buf_free(&twice);
	return taken;
}

const struct fuzz_driver fuzz_driver = {
	.take = take,
	.meaning = SLICE_INIT("0123456789-.eE ,\"{}[]:\\afnrtu"),
	.meaning_of_4 = 3,
};
