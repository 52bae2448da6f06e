/* SPDX-License-Identifier: ISC */
/* scan.c - compares the places of TABs and LFs, and clean text, with a plain loop. */
#include "lib/scan.h"

#include <stdlib.h>
#include <string.h>

#include "t/unit/check.h"

#define LENGTH_MAX 700
#define LONGER_MAX 20000 /* of a few texts */

static bool
is_odd(char ch)
{
	unsigned char c = (unsigned char)ch;

	return (c < 0x20 && c != '\t' && c != '\n') || c == '\\' || c > 0x7e;
}

/* Makes bytes that are mostly text.  ODDS in 256 are any byte. */
static void
random_text(struct check *c, char *text, size_t n, unsigned odds)
{
	size_t i;

	for (i = 0; i < n; i++) {
		uint64_t r = check_random(c) >> 16;

		if (r % 256 < odds)
			text[i] = (char)(r >> 8);
		else
			text[i] = "\t\n abcdefgh~ !0=."[(r >> 8) % 16];
	}
}

static void
compare(struct check *c, const struct scan *s, const char *text, size_t from, size_t n)
{
	size_t i, places = 0, lines = 0, last_odd = 0;

	for (i = from; i < n; i++) {
		if (text[i] == '\t' || text[i] == '\n') {
			CHECK(c, places < s->n && s->at[places] == i, "%zu of %zu", i, n);
			if (text[i] == '\n') {
				CHECK(c, lines < s->lines && s->line[lines] == places, "LF at %zu",
				    i);
				lines++;
			}
			places++;
		}
		if (is_odd(text[i]))
			last_odd = i + 1;
	}
	CHECK(c, places == s->n, "%zu places, not %zu", s->n, places);
	CHECK(c, lines == s->lines, "%zu LFs, not %zu", s->lines, lines);
	CHECK(c, s->odd_end >= last_odd, "odd up to %zu, not %zu", s->odd_end, last_odd);
	CHECK(c, scan_is_clean(text + from, n - from) == (last_odd == 0), "%zu to %zu", from, n);
}

/* Scans a text in two parts, with the first places and bytes forgotten between them. */
static void
one_text(struct check *c, unsigned odds, size_t max)
{
	size_t n = check_random(c) % max, half = n == 0 ? 0 : check_random(c) % n;
	char *text = malloc(n + 1); /* no more bytes than may be read */
	struct scan s = { 0 };
	size_t done, gone;

	if (text == NULL)
		exit(3);
	random_text(c, text, n, odds);
	CHECK(c, scan_add(&s, text, 0, half), "no memory");
	compare(c, &s, text, 0, half);
	done = s.n / 2;
	gone = done == 0 ? 0 : s.at[done - 1] + 1;
	memmove(text, text + gone, n - gone);
	scan_shift(&s, done, gone);
	CHECK(c, scan_add(&s, text, half - gone, n - gone), "no memory");
	compare(c, &s, text, 0, n - gone);
	scan_free(&s);
	free(text);
}

/* Lines that begin with one of two bytes, against a plain loop. */
static void
line_starts(struct check *c)
{
	static const char bytes[] = "\n\n#mx";
	char text[300];
	size_t n = check_random(c) % sizeof text, from = n == 0 ? 0 : check_random(c) % n, want, i;

	memset(text, 'x', sizeof text);
	for (i = 0; i < n; i++)
		if (check_random(c) % 32 == 0)
			text[i] = bytes[check_random(c) % (sizeof bytes - 1)];
	for (want = from; want + 1 < n; want++)
		if (text[want] == '\n' && (text[want + 1] == '#' || text[want + 1] == 'm'))
			break;
	want = want + 1 < n ? want + 1 : n;
	i = scan_line(text, from, n, '#', 'm');
	CHECK(c, i == want, "%zu to %zu: %zu, not %zu", from, n, i, want);
}

int
main(void)
{
	struct check c = { 0 };
	int i;

	for (i = 0; i < 3000; i++) {
		size_t max = i % 32 == 0 ? LONGER_MAX : LENGTH_MAX;

		one_text(&c, 0, max);
		one_text(&c, 2, max);
		one_text(&c, 256, max);
		line_starts(&c);
	}
	return check_end(&c);
}
