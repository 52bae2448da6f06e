/* SPDX-License-Identifier: ISC */
/*
 * number.c - fuzzes the readers and writers of numbers, with the C library and their own inverse as
 * judges.
 *
 * Whatever is read must be written as a text that is read as the same value, and that does not
 * change when it is written again.
 */
#include "lib/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/num.h"
#include "lib/wide.h"
#include "t/fuzz/fuzz.h"

#define LENGTH_MAX 400

static bool
is_same(double a, double b)
{
	return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static void
check_double(struct slice s, const char *text)
{
	char out[NUM_MAX], respelled[NUM_MAX];
	double v, again = 0;
	size_t n, m;

	if (!num_get_double(s, &v))
		return;
	check(is_same(v, strtod(text, NULL)), "another double than the C library's");
	n = num_put_double(out, v);
	check(n <= NUM_MAX && num_get_double((struct slice){ out, n }, &again), "a spelling");
	check(is_same(v, again), "a double does not come back");
	m = num_respell_double(respelled, s);
	check(m == 0 || (m == n && memcmp(respelled, out, n) == 0), "another spelling");
}

static void
check_integers(struct slice s, const char *text)
{
	char out[NUM_MAX];
	uint64_t u;
	int64_t i;

	if (num_get_u64(s, &u)) {
		check(num_is_integer(s) && u == strtoull(text, NULL, 10), "another integer");
		check(slice_eq(s, (struct slice){ out, num_put_u64(out, u) }), "another spelling");
	}
	if (num_get_i64(s, &i)) {
		check(num_is_integer(s) && i == strtoll(text, NULL, 10), "another integer");
		check(i == 0 || slice_eq(s, (struct slice){ out, num_put_i64(out, i) }),
		    "another spelling");
	}
	if (num_get_hex(s, &u))
		check(u == strtoull(text, NULL, 16), "another hexadecimal number");
	if (number_small(s, &i))
		check(i == strtoll(text, NULL, 10), "another small integer");
}

static void
check_wide(struct slice s)
{
	struct wide v, again, whole;
	char out[WIDE_DIGITS];
	struct slice rest = s;
	uint64_t fraction = 0;
	size_t n;

	if (wide_get(s, &v) == WIDE_OK) {
		n = wide_put(out, v);
		check(n <= s.len && wide_get((struct slice){ out, n }, &again) == WIDE_OK &&
			wide_cmp(v, again) == 0,
		    "a wide integer does not come back");
		check(wide_get_duration(s, &again) && wide_cmp(v, again) == 0,
		    "nanoseconds are no duration");
	}
	if (wide_take_decimal(&rest, &whole, &fraction))
		check(rest.len < s.len && fraction < 1000000000, "a fraction of more than 1");
	/* without a unit it counts nanoseconds */
	check(!wide_get_duration(s, &v) || rest.len != 0 || fraction == 0, "half a nanosecond");
}

static bool
check_number(struct slice s)
{
	char out[NUMBER_PUT_MAX], more[NUMBER_PUT_MAX];
	struct number v, again;
	struct err e;
	size_t n;

	if (number_get(s, &v, &e) != 0) {
		check_error(&e);
		return false;
	}
	n = number_put(out, &v);
	check(n <= NUMBER_PUT_MAX && number_get((struct slice){ out, n }, &again, &e) == 0,
	    "its own spelling is refused");
	check(v.kind == NUMBER_NAN ? again.kind == NUMBER_NAN : number_cmp(&v, &again) == 0,
	    "a number does not come back");
	check(number_put(more, &again) == n && memcmp(more, out, n) == 0, "another spelling");
	return true;
}

static bool
take(const uint8_t *data, size_t size)
{
	char text[LENGTH_MAX + 1];
	struct slice s = { text, size };

	if (size > LENGTH_MAX)
		return false;
	memcpy(text, data, size);
	text[size] = '\0';
	if (size != 0 && memchr(text, '\0', size) == NULL) {
		check_double(s, text);
		check_integers(s, text);
	}
	check_wide(s);
	return check_number(s);
}

const struct fuzz_driver fuzz_driver = {
	.take = take,
	.meaning = SLICE_INIT("0123456789-.eE+xinfasmuh "),
	.meaning_of_4 = 3,
};
