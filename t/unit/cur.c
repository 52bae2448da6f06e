/* SPDX-License-Identifier: ISC */
/* cur.c - checks the bounded cursor: byte orders, the end, and that failures persist. */
#include "lib/cur.h"

#include "t/unit/check.h"

int
main(void)
{
	static const unsigned char b[] = { 1, 2, 3, 4, 5, 6, 7, 8, 'a', 'b', 0, 'c' };
	struct check c = { 0 };
	struct cur le = cur_over(b, sizeof b, false), be = cur_over(b, sizeof b, true), sub, x;
	const char *s;
	size_t n, i;

	CHECK(&c, cur_u64(&le) == 0x0807060504030201u && cur_u64(&be) == 0x0102030405060708u,
	    "u64");
	le = cur_over(b, sizeof b, false);
	be = cur_over(b, sizeof b, true);
	CHECK(&c, cur_u32(&le) == 0x04030201u && cur_u32(&be) == 0x01020304u, "u32");
	CHECK(&c, cur_u16(&le) == 0x0605u && cur_u16(&be) == 0x0506u, "u16");
	CHECK(&c, cur_u8(&le) == 7 && cur_u8(&be) == 7 && cur_left(&le) == 5, "u8");
	(void)cur_u8(&le);
	s = cur_rest_string(&le, &n);
	CHECK(&c, n == 2 && memcmp(s, "ab", 2) == 0 && cur_left(&le) == 0 && cur_ok(&le), "string");
	s = cur_rest_string(&le, &n);
	CHECK(&c, n == 0 && cur_ok(&le), "empty string");
	CHECK(&c, cur_u8(&le) == 0 && !cur_ok(&le) && cur_left(&le) == 0, "past the end");

	for (i = 0; i < 8; i++) {
		x = cur_over(b, i, false);
		CHECK(&c, cur_u64(&x) == 0 && !cur_ok(&x), "u64 of %zu bytes", i);
		CHECK(&c, cur_u8(&x) == 0 && !cur_ok(&x) && cur_take(&x, 0) == NULL,
		    "a failure sticks");
	}
	x = cur_over(b, sizeof b, false);
	sub = cur_sub(&x, 4);
	CHECK(&c, cur_left(&sub) == 4 && cur_left(&x) == sizeof b - 4, "sub");
	CHECK(&c, cur_u64(&sub) == 0 && !cur_ok(&sub) && cur_ok(&x), "sub has an end of its own");
	sub = cur_sub(&x, sizeof b);
	CHECK(&c, !cur_ok(&sub) && !cur_ok(&x) && cur_left(&sub) == 0, "sub of too many");
	x = cur_over(b, sizeof b, false);
	CHECK(&c, cur_take(&x, (size_t)-1) == NULL && !cur_ok(&x), "a length that wraps");
	return check_end(&c);
}
