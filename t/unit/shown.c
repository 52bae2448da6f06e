/* SPDX-License-Identifier: ISC */
/*
 * shown.c - checks what is made for people: seconds, units in a note, names that are cut to a
 * width, and usual distances.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/ev.h"
#include "lib/fit.h"
#include "lib/mem.h"
#include "lib/pace.h"
#include "lib/seconds.h"
#include "lib/units.h"
#include "t/unit/check.h"

#define NSEC UINT64_C(1000000000)

/* ---- seconds */

static void
reading_seconds(struct check *c)
{
	static const struct {
		const char *text;
		bool good;
		uint64_t ns;
	} cases[] = {
		{ "0", true, 0 },
		{ "5", true, 5 * NSEC },
		{ "+5.", true, 5 * NSEC },
		{ ".5", true, NSEC / 2 },
		{ "-0", true, 0 },
		{ "-0.0", true, 0 },
		{ "1e-9", true, 1 },
		{ "12E-10", true, 1 },
		{ "0.0000000004999", true, 0 },
		{ "0.0000000005", true, 1 },
		{ "0.9999999995", true, NSEC },
		{ "9.9e-10", true, 1 },
		{ "4e-10", true, 0 },
		{ "5e-10", true, 1 },
		{ "9e-11", true, 0 },
		{ "1e+3", true, 1000 * NSEC },
		{ "0.001e3", true, NSEC },
		{ "1234.5e-3", true, 1234500000 },
		{ "18446744073.709551615", true, UINT64_MAX },
		{ "18446744073.7095516154", true, UINT64_MAX },
		{ "18446744073.7095516155", false, 0 },
		{ "18446744073.709551616", false, 0 },
		{ "18446744073709551615e-9", true, UINT64_MAX },
		{ "1e10", true, 10000000000 * NSEC },
		{ "2e10", false, 0 },
		{ "1e11", false, 0 },
		{ "0e99999999999999999999999", true, 0 },
		{ "1e99999999999999999999999", false, 0 },
		{ "1e-99999999999999999999999", true, 0 },
		{ "-1", false, 0 },
		{ "-1e-9", false, 0 },
		{ "", false, 0 },
		{ ".", false, 0 },
		{ "-", false, 0 },
		{ "e5", false, 0 },
		{ "1e", false, 0 },
		{ "1e+", false, 0 },
		{ "1e5x", false, 0 },
		{ "1x", false, 0 },
		{ "1.2.3", false, 0 },
		{ " 1", false, 0 },
		{ "/1", false, 0 },
		{ ":1", false, 0 },
		{ "--1", false, 0 },
		{ "nan", false, 0 },
	};
	uint64_t ns;
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		bool good = seconds_get(slice_of(cases[i].text), &ns);

		CHECK(c, good == cases[i].good && (!good || ns == cases[i].ns), "%s: %d %" PRIu64,
		    cases[i].text, good, ns);
	}
}

static void
reading_wall(struct check *c)
{
	static const struct {
		const char *text;
		bool good;
		int64_t sec;
		uint32_t ns;
	} cases[] = {
		{ "0", true, 0, 0 },
		{ "1.5", true, 1, 500000000 },
		{ "1.000000001", true, 1, 1 },
		{ "1.0000000019", true, 1, 1 },
		{ "1.987654321", true, 1, 987654321 },
		{ "-1", true, -1, 0 },
		{ "-1.25", true, -2, 750000000 },
		{ "-0.000000001", true, -1, 999999999 },
		{ "-0.0000000001", true, 0, 0 },
		{ "17e8", true, 1700000000, 0 },
		{ "1.7e-1", true, 0, 170000000 },
		{ "12e-10", true, 0, 1 },
		{ "9e-10", true, 0, 0 },
		{ "253402300799", true, 253402300799, 0 },
		{ "253402300799.999999999", true, 253402300799, 999999999 },
		{ "253402300800", false, 0, 0 },
		{ "25340230080e1", false, 0, 0 },
		{ "253402300.799e3", true, 253402300799, 0 },
		{ "-62167219200", true, -62167219200, 0 },
		{ "-62167219200.000000001", false, 0, 0 },
		{ "-62167219201", false, 0, 0 },
		{ "0e999999999999999999", true, 0, 0 },
		{ "1e999999999999999999", false, 0, 0 },
		{ "", false, 0, 0 },
		{ "-.", false, 0, 0 },
		{ "1d", false, 0, 0 },
	};
	int64_t sec;
	uint32_t ns;
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		bool good = seconds_get_wall(slice_of(cases[i].text), &sec, &ns);

		CHECK(c,
		    good == cases[i].good && (!good || (sec == cases[i].sec && ns == cases[i].ns)),
		    "%s: %d %" PRId64 " %" PRIu32, cases[i].text, good, sec, ns);
	}
}

/* Any spelling of a number of nanoseconds gives it: the point anywhere, and an exponent. */
static void
spelling_seconds(struct check *c)
{
	char digits[64], text[128];
	int i;

	for (i = 0; i < 2000; i++) {
		uint64_t n = check_random(c) >> check_random(c) % 64, ns;
		int len = snprintf(digits, sizeof digits, "%" PRIu64, n);
		int point = (int)(check_random(c) % (uint64_t)(len + 1));

		snprintf(text, sizeof text, "%.*s.%se%d", point, digits, digits + point,
		    len - point - 9);
		CHECK(c, seconds_get(slice_of(text), &ns) && ns == n, "%s: %" PRIu64, text, ns);
	}
}

static void
writing_seconds(struct check *c)
{
	static const struct {
		const char *ns, *text;
		int decimals;
	} cases[] = {
		{ "0", "0s", 0 },
		{ "1", "0.000000001s", 9 },
		{ "10", "0.000000010s", 9 },
		{ "999", "0.000000999s", 9 },
		{ "1000", "0.000001s", 6 },
		{ "1500", "0.000001500s", 9 },
		{ "100000", "0.000100s", 6 },
		{ "1000000", "0.001s", 3 },
		{ "500000000", "0.500s", 3 },
		{ "1000000000", "1s", 0 },
		{ "90000000000", "90s", 0 },
		{ "1234567891", "1.234567891s", 9 },
		{ "-1", "-0.000000001s", 9 },
		{ "-2500000000", "-2.500s", 3 },
	};
	char text[SECONDS_MAX];
	size_t i;
	int decimals;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		size_t n;

		decimals = 0;
		CHECK(c, seconds_see(slice_of(cases[i].ns), &decimals), "%s", cases[i].ns);
		n = seconds_put(text, slice_of(cases[i].ns), decimals);
		CHECK(c,
		    decimals == cases[i].decimals &&
			slice_eq((struct slice){ text, n }, slice_of(cases[i].text)),
		    "%s: %d, %.*s", cases[i].ns, decimals, (int)n, text);
	}
	decimals = 6;
	CHECK(c, seconds_see(SLICE("1000000000"), &decimals) && decimals == 6, "%d", decimals);
	CHECK(c, seconds_see(SLICE("."), &decimals) && decimals == 6, "%d", decimals);
	CHECK(c,
	    seconds_see(SLICE("1000000000000000000000000000000000000000000000000000000000000000"),
		&decimals) &&
		!seconds_see(
		    SLICE("10000000000000000000000000000000000000000000000000000000000000000"),
		    &decimals),
	    "64 digits, and 65");
	CHECK(c, !seconds_see(SLICE("1.5"), &decimals) && !seconds_see(SLICE("x"), &decimals),
	    "no integer");
}

/* ---- units */

/* Checks what was collected, after another name. */
static void
names_are(struct check *c, const struct buf *names, const char *want)
{
	CHECK(c, slice_eq(buf_slice(names), slice_of(want)), "%.*s", (int)names->len, names->p);
}

static void
naming_units(struct check *c)
{
	char longest[UNITS_NAMES_MAX + 1];
	struct buf names = { 0 };
	size_t room;

	units_name(&names, SLICE("a"), SLICE("ns"));
	names_are(c, &names, "a [ns]");
	units_name(&names, SLICE("a"), SLICE("ns"));
	units_name(&names, SLICE("a"), SLICE("."));
	units_name(&names, SLICE("b"), SLICE("ns"));
	names_are(c, &names, "a [ns];a;b [ns]");
	units_name(&names, SLICE("b"), SLICE("ns"));
	units_name(&names, SLICE("a"), SLICE("ns"));
	units_name(&names, SLICE("c;d"), SLICE(".")); /* a name with the separator in it */
	names_are(c, &names, "a [ns];a;b [ns]");
	memset(longest, 'x', sizeof longest);
	room = UNITS_NAMES_MAX - names.len - 1;
	units_name(&names, (struct slice){ longest, room + 1 }, SLICE("."));
	names_are(c, &names, "a [ns];a;b [ns]");
	units_name(&names, (struct slice){ longest, room }, SLICE("."));
	CHECK(c, names.len == UNITS_NAMES_MAX, "%zu", names.len);
	names.len = 0;
	units_name_unit(&names, SLICE("ns"));
	units_name_unit(&names, SLICE("."));
	units_name_unit(&names, SLICE("ns"));
	units_name_unit(&names, SLICE("none"));
	names_are(c, &names, "ns;none");
	buf_free(&names);
}

static void
declare(struct check *c, struct units *u, const char *line)
{
	uint32_t at[16];
	struct ev ev;

	CHECK(c, ev_cut(slice_of(line), at, 16, &ev) && units_declare(u, &ev), "%s", line);
}

static void
said(struct check *c, struct units *u, const char *run, const char *measure, const char *want)
{
	struct slice unit = units_said(u, slice_of(run), slice_of(measure));

	CHECK(c, slice_eq(unit, slice_of(want)), "%s %s: %.*s", run, measure, (int)unit.len,
	    unit.p);
}

static void
declared_units(struct check *c)
{
	struct units u = { 0 };

	said(c, &u, "r", "m", ".");
	CHECK(c, !units_any(&u, SLICE("m")), "none yet");
	declare(c, &u, "measure\t.\tr\t.\tm\t.\tunit=ns");
	declare(c, &u, "measure\t.\tq\t.\tm\t.\tunit=ns");
	declare(c, &u, "measure\t.\tr\t.\tn\t.\tunit=B");
	declare(c, &u, "measure\t.\tq\t.\tn\t.\tunit=");
	declare(c, &u, "measure\t.\tq\t.\to\t.");
	said(c, &u, "r", "m", "ns");
	said(c, &u, "r", "n", "B");
	said(c, &u, "q", "m", "ns");
	said(c, &u, "q", "n", ".");
	said(c, &u, "q", "o", ".");
	said(c, &u, "r", "o", ".");
	said(c, &u, ".", "m", "ns"); /* both runs agree */
	said(c, &u, ".", "n", ".");
	said(c, &u, ".", "p", ".");
	said(c, &u, "rr", "m", ".");
	said(c, &u, "r", "mm", ".");
	CHECK(c, units_any(&u, SLICE("m")) && units_any(&u, SLICE("n")), "some");
	CHECK(c, !units_any(&u, SLICE("o")) && !units_any(&u, SLICE("p")), "none");
	/* a later line replaces an earlier one of its run */
	declare(c, &u, "measure\t.\tr\t.\tm\t.\tunit=us");
	said(c, &u, "r", "m", "us");
	said(c, &u, "q", "m", "ns");
	said(c, &u, ".", "m", ".");
	units_free(&u);
}

static void
units_of_results(struct check *c)
{
	static const char *const have[] = { "", "sum", "min", "max", "mean", "p50", "stddev",
		"median" };
	static const char *const lack[] = { "count", "distinct", "hist", "rate", "share", "var" };
	size_t i;

	for (i = 0; i < sizeof have / sizeof *have; i++)
		CHECK(c, units_stat_has(slice_of(have[i])), "%s", have[i]);
	for (i = 0; i < sizeof lack / sizeof *lack; i++)
		CHECK(c, !units_stat_has(slice_of(lack[i])), "%s", lack[i]);
}

/* ---- names that are cut */

static void
cut_is(struct check *c, struct out *text, const char *name, size_t width, const char *want)
{
	struct slice cut = fit_cut(text, slice_of(name), width);

	CHECK(c, slice_eq(cut, slice_of(want)), "%s, %zu: %.*s", name, width, (int)cut.len, cut.p);
}

static void
cutting(struct check *c)
{
	struct out text;

	CHECK(c, out_open(&text, -1), "memory");
	text.hold = true;
	cut_is(c, &text, "0123456789", 9, "012...789");
	cut_is(c, &text, "0123456789", 8, "012...89");
	cut_is(c, &text, "0123456789", 4, "0...");
	cut_is(c, &text, "0123456789", 3, "...");
	cut_is(c, &text, "äöüßäöüßäö", 9, "äöü...ßäö");
	/* templates, before anything else is left out */
	cut_is(c, &text, "f<abc>::g", 8, "f<a...:g");
	cut_is(c, &text, "f<abc>::g0123456789", 11, "f<ab...6789");
	cut_is(c, &text, "f<abcd>::g", 9, "f<...>::g");
	cut_is(c, &text, "f<g<int>, h->x>(int)", 11, "f<...>(int)");
	cut_is(c, &text, "operator<(abcd, >)", 17, "operato...bcd, >)");
	cut_is(c, &text, "operator()<abcd>(x)", 18, "operator()<...>(x)");
	cut_is(c, &text, "a <bcdef> g", 10, "a <b...> g");
	cut_is(c, &text, "Z9_<bcdef>", 9, "Z9_<...>");
	cut_is(c, &text, "f<abcd;efgh>ijkl", 15, "f<ab...;...ijkl");
	/* lists: the two ends are not one name */
	cut_is(c, &text, "0123;56789abcdef", 15, "0123;5...abcdef");
	cut_is(c, &text, "012345;789abcdef", 15, "0123...;...cdef");
	cut_is(c, &text, "0123;56789ab", 11, "01...;...ab");
	cut_is(c, &text, "0123;56789ab", 10, "0123...9ab");
	out_free(&text);
}

/* A name that is cut has at most that width, and begins and ends as before. */
static void
cut_anywhere(struct check *c)
{
	static const char *const part[] = { "a", "é", "€", "😀", "b", "_", "0" };
	struct out text;
	int i;

	CHECK(c, out_open(&text, -1), "memory");
	text.hold = true;
	for (i = 0; i < 3000; i++) {
		size_t n = 4 + check_random(c) % 30, width = 3 + check_random(c) % (n - 3), k, head;
		struct buf name = { 0 };
		struct slice cut;

		for (k = 0; k < n; k++)
			CHECK(c, buf_puts(&name, part[check_random(c) % 7]), "memory");
		cut = fit_cut(&text, buf_slice(&name), width);
		head = (size_t)(slice_find(cut, SLICE("...")));
		CHECK(c, fit_width(cut) == width && head < cut.len, "%.*s", (int)cut.len, cut.p);
		CHECK(c,
		    memcmp(cut.p, name.p, head) == 0 &&
			slice_ends(buf_slice(&name),
			    (struct slice){ cut.p + head + 3, cut.len - head - 3 }),
		    "%.*s: %.*s", (int)name.len, name.p, (int)cut.len, cut.p);
		CHECK(c, fit_width((struct slice){ cut.p, head }) == (width - 3 + 1) / 2, "%.*s",
		    (int)cut.len, cut.p);
		buf_free(&name);
	}
	out_free(&text);
}

/* A name that is alone is cut; two that would look alike are whole, or have different numbers. */
static void
telling_apart(struct check *c)
{
	char one[100], other[100], longer[101], last[101];
	struct slice a, shown;
	struct fit f;
	struct buf first = { 0 };

	memset(one, 'x', sizeof one);
	memset(other, 'x', sizeof other);
	memset(longer, 'x', sizeof longer);
	memset(last, 'x', sizeof last);
	other[50] = last[50] = 'y';
	a = (struct slice){ one, 100 };
	CHECK(c, fit_open(&f) && fit_see(&f, a, 20) && fit_see(&f, a, 20), "memory");
	CHECK(c, slice_eq(fit_name(&f, SLICE("short"), 5), SLICE("short")), "it fits");
	CHECK(c, slice_eq(fit_name(&f, a, 20), SLICE("xxxxxxxxx...xxxxxxxx")), "alone");
	/* one that is seen in another column is not confused with it */
	fit_seen(&f);
	CHECK(c, fit_see(&f, (struct slice){ other, 100 }, 20), "memory");
	CHECK(c, slice_eq(fit_name(&f, a, 20), SLICE("xxxxxxxxx...xxxxxxxx")), "alone");
	CHECK(c, fit_see(&f, a, 20), "memory");
	CHECK(c, slice_eq(fit_name(&f, a, 20), a), "100 columns are shown whole");
	a = (struct slice){ longer, 101 };
	CHECK(c, fit_see(&f, a, 20) && fit_see(&f, (struct slice){ last, 101 }, 20), "memory");
	shown = fit_name(&f, a, 20);
	CHECK(c, shown.len == 20 && shown.p[13] == '#' && buf_put(&first, shown.p, shown.len),
	    "%.*s", (int)shown.len, shown.p);
	CHECK(c, slice_eq((struct slice){ shown.p, 13 }, SLICE("xxxxx...xxxxx")), "%.*s",
	    (int)shown.len, shown.p);
	shown = fit_name(&f, (struct slice){ last, 101 }, 20);
	CHECK(c, shown.len == 20 && !slice_eq(shown, buf_slice(&first)), "%.*s", (int)shown.len,
	    shown.p);
	fit_close(&f);
	/* the narrowest column that a number fits into */
	CHECK(c, fit_open(&f) && fit_see(&f, a, 10) && fit_see(&f, (struct slice){ last, 101 }, 10),
	    "memory");
	fit_seen(&f);
	CHECK(c, fit_see(&f, a, 9) && fit_see(&f, (struct slice){ last, 101 }, 9), "memory");
	shown = fit_name(&f, a, 10);
	CHECK(c,
	    slice_eq((struct slice){ shown.p, 3 }, SLICE("...")) &&
		slice_eq((struct slice){ shown.p + 3, 7 }, (struct slice){ first.p + 13, 7 }),
	    "the same number: %.*s", (int)shown.len, shown.p);
	CHECK(c, slice_eq(fit_name(&f, a, 9), a), "whole");
	fit_close(&f);
	buf_free(&first);
}

/* ---- distances */

static int
by_size(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void
distances(struct check *c)
{
	uint64_t v[64], low, high;
	size_t i, n;
	int round;

	for (round = 0; round < 500; round++) {
		struct pace p = { .n = 0 };

		n = 1 + check_random(c) % 64;
		for (i = 0; i < n; i++) {
			v[i] = check_random(c) >> check_random(c) % 64;
			pace_add(&p, v[i]);
		}
		qsort(v, n, sizeof *v, by_size);
		low = v[(n - 1) / 2];
		high = v[n / 2];
		CHECK(c, pace_median_low(&p) >= low && pace_median_low(&p) - low <= low / 8,
		    "%" PRIu64 ": %" PRIu64, low, pace_median_low(&p));
		CHECK(c, pace_median_high(&p) >= high && pace_median_high(&p) - high <= high / 8,
		    "%" PRIu64 ": %" PRIu64, high, pace_median_high(&p));
	}
}

int
main(void)
{
	struct check c = { 0 };

	reading_seconds(&c);
	reading_wall(&c);
	spelling_seconds(&c);
	writing_seconds(&c);
	naming_units(&c);
	declared_units(&c);
	units_of_results(&c);
	cutting(&c);
	cut_anywhere(&c);
	telling_apart(&c);
	distances(&c);
	CHECK(&c, mem_used() == 0, "%llu bytes are left", (unsigned long long)mem_used());
	return check_end(&c);
}
