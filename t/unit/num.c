/* SPDX-License-Identifier: ISC */
/* num.c - checks numbers: both ways, the shortest digits, durations, and rejected texts. */
#include "lib/num.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "lib/wide.h"
#include "t/unit/check.h"

static struct slice
text_of(char *buf, size_t n)
{
	return (struct slice){ buf, n };
}

static uint64_t
random_width(struct check *c)
{
	return check_random(c) >> check_random(c) % 64;
}

static void
integers(struct check *c)
{
	static const uint64_t edge[] = { 0, 1, 9, 10, 99, 100, 101, 999, 1000, INT64_MAX,
		(uint64_t)INT64_MAX + 1, UINT64_MAX - 1, UINT64_MAX };
	char got[NUM_MAX], want[NUM_MAX];
	int i, n;

	for (i = 0; i < 200000; i++) {
		uint64_t v = i < (int)(sizeof edge / sizeof edge[0]) ? edge[i] : random_width(c),
			 u = 0;
		int64_t s = (int64_t)v, t = 0;

		n = snprintf(want, sizeof want, "%" PRIu64, v);
		CHECK(c, slice_eq(text_of(got, num_put_u64(got, v)), text_of(want, (size_t)n)),
		    "%s", want);
		CHECK(c, num_get_u64(text_of(want, (size_t)n), &u) && u == v, "%s", want);
		n = snprintf(want, sizeof want, "%" PRId64, s);
		CHECK(c, slice_eq(text_of(got, num_put_i64(got, s)), text_of(want, (size_t)n)),
		    "%s", want);
		CHECK(c, num_get_i64(text_of(want, (size_t)n), &t) && t == s, "%s", want);
		n = snprintf(want, sizeof want, "0x%" PRIx64, v);
		CHECK(c, slice_eq(text_of(got, num_put_hex(got, v)), text_of(want, (size_t)n)),
		    "%s", want);
		CHECK(c, num_get_hex(text_of(want, (size_t)n), &u) && u == v, "%s", want);
	}
}

static void
refused(struct check *c)
{
	static const char *const bad[] = { "", "-", "+1", " 1", "1 ", "01", "00", "1.", "0x", "0x1",
		"1e3", "a", "18446744073709551616", "18446744073709551620", "1844674407370955161x",
		"99999999999999999999", "100000000000000000000", "1\n" };
	static const char *const bad_hex[] = { "", "0", "0x", "x1", "0X1", "0x1g",
		"0x00000000000000001", "1" };
	static const char *const bad_double[] = { "", "+1", " 1", "1 ", "0x10", "infinity", "INF",
		"NaN", "nan(1)", "1e", "--1", "1,5", ".", "e5", "1.5.2" };
	static const char *const good_double[] = { "1", "-1", "1.5", ".5", "5.", "1e3", "1E-3",
		"1e+3", "inf", "-inf", "nan", "-0", "1e999" };
	static const char *const beyond[] = { "1e400", "-1e400", "1e-400", "-0.001e-400" };
	static const char *const within[] = { "inf", "-inf", "nan", "0", "-0", "0e-400", "0.00E9",
		"5e-324", "1.5" };
	uint64_t u;
	int64_t s;
	double d;
	size_t i;

	for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		CHECK(c, !num_get_u64(slice_of(bad[i]), &u), "%s", bad[i]);
		CHECK(c, !num_get_i64(slice_of(bad[i]), &s), "%s", bad[i]);
	}
	CHECK(c, !num_get_i64(SLICE("-9223372036854775809"), &s), "too small");
	CHECK(c, !num_get_i64(SLICE("9223372036854775808"), &s), "too large");
	for (i = 0; i < sizeof bad_hex / sizeof bad_hex[0]; i++)
		CHECK(c, !num_get_hex(slice_of(bad_hex[i]), &u), "%s", bad_hex[i]);
	for (i = 0; i < sizeof bad_double / sizeof bad_double[0]; i++)
		CHECK(c, !num_get_double(slice_of(bad_double[i]), &d), "%s", bad_double[i]);
	for (i = 0; i < sizeof good_double / sizeof good_double[0]; i++)
		CHECK(c, num_get_double(slice_of(good_double[i]), &d), "%s", good_double[i]);
	for (i = 0; i < sizeof beyond / sizeof beyond[0]; i++)
		CHECK(c,
		    num_get_double(slice_of(beyond[i]), &d) &&
			num_is_out_of_range(slice_of(beyond[i]), d),
		    "%s", beyond[i]);
	for (i = 0; i < sizeof within / sizeof within[0]; i++)
		CHECK(c,
		    num_get_double(slice_of(within[i]), &d) &&
			!num_is_out_of_range(slice_of(within[i]), d),
		    "%s", within[i]);
	CHECK(c, num_is_integer(SLICE("-123456789012345678901234567890")), "wide integer");
	CHECK(c,
	    !num_is_integer(SLICE("-")) && !num_is_integer(SLICE("1.0")) &&
		!num_is_integer(SLICE("")),
	    "no integer");
}

/* Returns whether one of the numbers of n digits next to v, above or below, reads back as v. */
static bool
has_neighbour(double v, int n)
{
	char tmp[NUM_MAX], *e;
	int64_t digits;
	int i, exponent;

	snprintf(tmp, sizeof tmp, "%.*e", n - 1, fabs(v));
	exponent = atoi(strchr(tmp, 'e') + 1) - (n - 1);
	if (n > 1)
		memmove(tmp + 1, tmp + 2, strlen(tmp + 2) + 1);
	digits = strtoll(tmp, &e, 10);
	for (i = -1; i <= 1; i++) {
		snprintf(tmp, sizeof tmp, "%" PRId64 "e%d", digits + i, exponent);
		if (strtod(tmp, NULL) == fabs(v))
			return true;
	}
	return false;
}

/* Returns whether a text of fewer digits reads back as v. */
static bool
has_shorter(double v, struct slice text)
{
	int digits = 0, n;
	size_t i;

	for (i = 0; i < text.len && text.p[i] != 'e'; i++)
		digits += text.p[i] >= '0' && text.p[i] <= '9' && (digits > 0 || text.p[i] != '0');
	for (n = 1; n < digits; n++)
		if (has_neighbour(v, n))
			return true;
	return false;
}

static void
one_double(struct check *c, double v)
{
	char got[NUM_MAX];
	struct slice text = text_of(got, num_put_double(got, v));
	double back = 0;
	bool integral = fabs(v) < 1e15 && v == trunc(v);

	CHECK(c, num_get_double(text, &back), "refused: %.*s", (int)text.len, got);
	CHECK(c, memcmp(&back, &v, sizeof v) == 0 || isnan(v), "%.17g came back as %.17g", v, back);
	CHECK(c, memchr(got, '+', text.len) == NULL, "%.*s", (int)text.len, got);
	if (integral)
		CHECK(c, num_is_integer(text), "%.*s", (int)text.len, got);
	else if (isfinite(v))
		CHECK(c, !has_shorter(v, text), "not the shortest: %.*s", (int)text.len, got);
}

static void
doubles(struct check *c)
{
	static const double edge[] = { 0.0, -0.0, 0.1, 0.5, 1.5, 1e15, -1e15, 999999999999999.0,
		1e22, 1e23, 5e-324, 2.2250738585072014e-308, 2.225073858507201e-308,
		1.7976931348623157e308, 9007199254740993.0, 1.0 / 3.0, 100.0 / 7.0, 1001001.5,
		123456.7, 1e-5, 1e-4 };
	size_t i;
	int n;

	for (i = 0; i < sizeof edge / sizeof edge[0]; i++) {
		one_double(c, edge[i]);
		one_double(c, -edge[i]);
	}
	for (n = -1074; n < 1024; n++) {
		double v = ldexp(1, n);

		one_double(c, v);
		one_double(c, -v);
		one_double(c, nextafter(v, 0));
		one_double(c, nextafter(v, (double)INFINITY));
	}
	one_double(c, (double)INFINITY);
	one_double(c, -(double)INFINITY);
	one_double(c, (double)NAN);
	for (n = 0; n < 100000; n++) {
		uint64_t bits = check_random(c);
		double v;

		memcpy(&v, &bits, sizeof v);
		one_double(c, v);
		one_double(c, (double)(int64_t)random_width(c) / 1000.0);
	}
}

/* Checks that the short way gives the result of the long way, and counts how often it is taken. */
static void
one_respelling(struct check *c, const char *decimal, unsigned long *taken)
{
	char got[NUM_MAX], want[NUM_MAX];
	size_t n = num_respell_double(got, slice_of(decimal));
	struct slice wanted = text_of(want, num_put_double(want, strtod(decimal, NULL)));

	*taken += n != 0;
	if (n != 0)
		CHECK(c, slice_eq(text_of(got, n), wanted), "%s: %.*s, not %.*s", decimal, (int)n,
		    got, (int)wanted.len, want);
}

static void
respellings(struct check *c)
{
	static const char *const edge[] = { "0", "-0", "0.0", "00", "", "-", ".5", "5.", "1e5",
		"+1", "1.50", "0.0001", "0.00012345678901234567", "0.00001", "9.99999999999999999",
		"0.99999999999999994", "0.99999999999999989", "1.0000000000000002",
		"1.0000000000000001", "4503599627370496.5", "999999999999999.9",
		"123456789012345.678", "0.1000000000000000055", "0.5000000000000000001",
		"0.30000000000000004", "2.2250738585072014e-308", "8.5000000000000005",
		"0.12500000000000003", "999999999999999.1234", "999999999999999.0001",
		"123456789012345.005", "12345678901234.0001", "-12345678901234.0001" };
	unsigned long taken = 0, n;
	char text[64];
	int eighths, exponent;

	for (n = 0; n < sizeof edge / sizeof edge[0]; n++)
		one_respelling(c, edge[n], &taken);
	/* below a power of two the next double is half as far away as above it */
	for (exponent = -14; exponent < 52; exponent++)
		for (eighths = -16; eighths <= 16; eighths++)
			for (n = 16; n < 20; n++) {
				snprintf(text, sizeof text, "%.*Lg", (int)n,
				    ldexpl(1 + (long double)eighths * 0x1p-55L, exponent));
				one_respelling(c, text, &taken);
			}
	taken = 0;
	for (n = 0; n < 300000; n++) {
		double v =
		    (double)(check_random(c) >> 11) * 0x1p-53 * pow(10, (double)(n % 17) - 3);

		snprintf(text, sizeof text, "%s%.17g", n % 2 != 0 ? "-" : "", v);
		one_respelling(c, text, &taken);
		snprintf(text, sizeof text, "%.*f", (int)(n % 21), v);
		one_respelling(c, text, &taken);
	}
	CHECK(c, taken > 400000, "the short way was taken %lu times of 600000", taken);
}

static void
durations(struct check *c)
{
	static const struct {
		const char *text, *ns; /* "" for texts that are refused */
	} cases[] = {
		{ "5", "5" },
		{ "1.0ns", "1" },
		{ "1.5ns", "" },
		{ "0.5us", "500" },
		{ "0.0005us", "" },
		{ "1.123456ms", "1123456" },
		{ "1.1234567ms", "" },
		{ "0.000000001s", "1" },
		{ "0.0000000001s", "" },
		{ "1.5m", "90000000000" },
		{ "0.000000001min", "60" },
		{ "0.999999999h", "3599999996400" },
		{ "2h", "7200000000000" },
		{ "18446744073709551615h", "66408278665354385814000000000000" },
		{ "18446744073709551616ns", "18446744073709551616" },
		{ "18446744073709551616s", "" },
		{ "1d", "" },
		{ "s", "" },
		{ "1.s", "" },
		{ "-1s", "" },
	};
	size_t i;

	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char got[WIDE_DIGITS];
		struct wide v;
		bool taken = wide_get_duration(slice_of(cases[i].text), &v);

		CHECK(c, taken == (cases[i].ns[0] != '\0'), "%s", cases[i].text);
		if (taken)
			CHECK(c, slice_eq(text_of(got, wide_put(got, v)), slice_of(cases[i].ns)),
			    "%s", cases[i].text);
	}
}

/* The quotients are those of Python. */
static void
quotients(struct check *c)
{
	static const struct {
		const char *n;
		uint32_t by;
		const char *quotient;
		uint32_t rest;
	} cases[] = {
		{ "0", 1u, "0", 0 },
		{ "999999999", 1000000000u, "0", 999999999 },
		{ "1000000000", 1000000000u, "1", 0 },
		{ "18446744073709551615", 4294967295u, "4294967297", 0 },
		{ "18446744073709551616", 1000000000u, "18446744073", 709551616 },
		{ "18446744073709551615999999999", 1000000000u, "18446744073709551615", 999999999 },
		{ "18446744073709551616000000000", 1000000000u, "18446744073709551616", 0 },
		{ "79228162514264337593543950336", 3u, "26409387504754779197847983445", 1 },
		{ "24197857203266734881846307747534221840", 1000000000u,
		    "24197857203266734881846307747", 534221840 },
		{ "340282366920938463463374607431768211455", 1u,
		    "340282366920938463463374607431768211455", 0 },
		{ "340282366920938463463374607431768211455", 2u,
		    "170141183460469231731687303715884105727", 1 },
		{ "340282366920938463463374607431768211455", 1000000000u,
		    "340282366920938463463374607431", 768211455 },
		{ "340282366920938463463374607431768211455", 4294967295u,
		    "79228162532711081671548469249", 0 },
		{ "340282366920938463444927863358058659840", 2147483648u,
		    "158456325028528675178497966080", 0 },
	};
	size_t i;

	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char got[WIDE_DIGITS];
		uint32_t rest;
		struct wide n;

		if (wide_get(slice_of(cases[i].n), &n) != WIDE_OK) {
			CHECK(c, false, "%s", cases[i].n);
			continue;
		}
		n = wide_divide(n, cases[i].by, &rest);
		CHECK(c,
		    slice_eq(text_of(got, wide_put(got, n)), slice_of(cases[i].quotient)) &&
			rest == cases[i].rest,
		    "%s / %" PRIu32, cases[i].n, cases[i].by);
	}
}

int
main(void)
{
	struct check c = { 0 };

	integers(&c);
	refused(&c);
	doubles(&c);
	respellings(&c);
	durations(&c);
	quotients(&c);
	return check_end(&c);
}
