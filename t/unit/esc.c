/* SPDX-License-Identifier: ISC */
/* esc.c - checks escaping: both ways, one spelling, compared with a slow definition of UTF-8. */
#include "lib/esc.h"

#include <stdlib.h>

#include "t/unit/check.h"

static struct slice
escaped(struct buf *b, const char *s, size_t n, enum esc_as as)
{
	b->len = 0;
	if (!esc_append(b, s, n, as))
		abort();
	return (struct slice){ b->p, b->len };
}

/*
 * Returns the length of the sequence at s, computed from its code point, or 0 if it is not valid.
 */
static size_t
slow_utf8(const unsigned char *s, size_t n)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len = s[0] < 0x80    ? 1
	    : (s[0] & 0xe0) == 0xc0 ? 2
	    : (s[0] & 0xf0) == 0xe0 ? 3
	    : (s[0] & 0xf8) == 0xf0 ? 4
				    : 0;
	uint32_t cp;
	size_t i;

	if (len <= 1 || len > n)
		return len > n ? 0 : len;
	cp = s[0] & (0x7fu >> len);
	for (i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		cp = cp << 6 | (s[i] & 0x3f);
	}
	if (cp < least[len] || cp > 0x10ffff || (cp >= 0xd800 && cp <= 0xdfff))
		return 0;
	return len;
}

static void
utf8(struct check *c)
{
	unsigned char s[4];
	uint32_t i;

	for (i = 0; i < 1u << 24; i++) {
		s[0] = (unsigned char)(i >> 16);
		s[1] = (unsigned char)(i >> 8);
		s[2] = (unsigned char)i;
		s[3] = 0x80 + (i & 0x3f);
		if (esc_utf8(s, 4) != slow_utf8(s, 4) || esc_utf8(s, 3) != slow_utf8(s, 3))
			CHECK(c, 0, "%02x %02x %02x %02x", s[0], s[1], s[2], s[3]);
	}
	CHECK(c, 1, "all three bytes");
}

struct example {
	const char *raw;
	size_t n;
	enum esc_as as;
	const char *text;
};

#define RAW(literal) literal, sizeof(literal) - 1

static const struct example examples[] = {
	{ RAW(""), ESC_COLUMN, "." },
	{ RAW("."), ESC_COLUMN, "\\." },
	{ RAW(".."), ESC_COLUMN, ".." },
	{ RAW("a b"), ESC_COLUMN, "a b" },
	{ RAW("\\"), ESC_COLUMN, "\\\\" },
	{ RAW("a\tb\nc\rd"), ESC_COLUMN, "a\\tb\\nc\\rd" },
	{ RAW("\0\x01\x1b\x7f"), ESC_COLUMN, "\\x00\\x01\\x1b\\x7f" },
	{ RAW("\xc3\xa9"), ESC_COLUMN, "\xc3\xa9" },
	{ RAW("\xc2\x80\xc2\x9f\xc2\xa0"), ESC_COLUMN, "\\xc2\\x80\\xc2\\x9f\xc2\xa0" },
	{ RAW("\xe2\x80\xa9\xe2\x80\xaa\xe2\x80\xae\xe2\x80\xaf"), ESC_COLUMN,
	    "\xe2\x80\xa9\\xe2\\x80\\xaa\\xe2\\x80\\xae\xe2\x80\xaf" },
	{ RAW("\xe2\x81\xa5\xe2\x81\xa6\xe2\x81\xa9\xe2\x81\xaa"), ESC_COLUMN,
	    "\xe2\x81\xa5\\xe2\\x81\\xa6\\xe2\\x81\\xa9\xe2\x81\xaa" },
	{ RAW("\xff\xc3"), ESC_COLUMN, "\\xff\\xc3" },
	{ RAW("\xc0\x80"), ESC_COLUMN, "\\xc0\\x80" },
	{ RAW("\xed\xa0\x80"), ESC_COLUMN, "\\xed\\xa0\\x80" },
	{ RAW("\xf4\x8f\xbf\xbf\xf4\x90\x80\x80"), ESC_COLUMN,
	    "\xf4\x8f\xbf\xbf\\xf4\\x90\\x80\\x80" },
	{ RAW("a;b=c"), ESC_COLUMN, "a;b=c" },
	{ RAW("a;b=c"), ESC_ELEMENT, "a\\x3bb=c" },
	{ RAW("a;b=c"), ESC_KEY, "a;b\\x3dc" },
};

static void
table(struct check *c)
{
	struct buf b = { 0 };
	struct slice s;
	size_t i;

	for (i = 0; i < sizeof examples / sizeof examples[0]; i++) {
		s = escaped(&b, examples[i].raw, examples[i].n, examples[i].as);
		CHECK(c, slice_eq(s, slice_of(examples[i].text)), "%.*s, not %s", (int)s.len, s.p,
		    examples[i].text);
	}
	buf_free(&b);
}

static const char *const refused[] = { "", "\\", "\\q", "\\x", "\\x0", "\\xzz", "\\x1B", "\\x41",
	"\\x20", "\\x5c", "\\x09", "\\x0a", "\\x0d", "\\xc3\\xa9", "a\tb", "\x1b", "\x7f", "\xff",
	"\xc2\x80", "\xe2\x80\xae", "a\\.", "\\.a", "\\..", "\r", "\\X00", "\\N" };

static const char *const taken[] = { ".", "\\.", "a", "a.b", "k=\\.", "stack=a;\\.;b", "\\x3b",
	"\\x3d", "\\xc2\\x80", "\\xc2\\xe2\\x80\\xae", "\\\\x41", "\\x00", "\\xc3", "\\xc3A" };

static void
spellings(struct check *c)
{
	size_t i, at;

	for (i = 0; i < sizeof refused / sizeof refused[0]; i++)
		CHECK(c, !esc_is_canonical(refused[i], strlen(refused[i]), &at), "taken: %s",
		    refused[i]);
	for (i = 0; i < sizeof taken / sizeof taken[0]; i++)
		CHECK(c, esc_is_canonical(taken[i], strlen(taken[i]), &at), "refused: %s at %zu",
		    taken[i], at);
}

/* Makes bytes that often interact: plain bytes, parts of UTF-8, escaped bytes, parts of escapes. */
static void
random_bytes(struct check *c, char *dst, size_t n)
{
	static const unsigned char some[] =
	    "\\.;=xtnr0c29ae\t\n\r\x7f\x80\x81\xa6\xaa\xae\xc2\xe2\xed\xf0\xf4\x9f\x90";
	size_t i;

	for (i = 0; i < n; i++) {
		uint64_t r = check_random(c);

		dst[i] =
		    (char)(r & 1 ? some[(r >> 8) % (sizeof some - 1)] : (unsigned char)(r >> 8));
	}
}

/* Checks that readers accept written text and return the same bytes. */
static void
there_and_back(struct check *c)
{
	struct buf text = { 0 }, back = { 0 };
	char raw[24];
	struct slice s;
	size_t n, at;
	int i;

	for (i = 0; i < 300000; i++) {
		enum esc_as as = (enum esc_as)(i % 3);

		n = check_random(c) % sizeof raw;
		random_bytes(c, raw, n);
		if (as == ESC_KEY && n == 1 && raw[0] == '.')
			continue; /* after its prefix it is unchanged */
		s = escaped(&text, raw, n, as);
		back.len = 0;
		CHECK(c,
		    esc_undo(&back, s, &at) == 0 &&
			slice_eq((struct slice){ back.p, back.len }, (struct slice){ raw, n }),
		    "lost: %.*s", (int)s.len, s.p);
		CHECK(c, esc_is_canonical(s.p, s.len, &at), "refused: %.*s", (int)s.len, s.p);
		CHECK(c, esc_is_plain(raw, n, as) == slice_eq(s, (struct slice){ raw, n }),
		    "plain? %.*s", (int)s.len, s.p);
		CHECK(c, s.len <= n * ESC_MAX_GROWTH + (n == 0), "%zu grew to %zu", n, s.len);
	}
	buf_free(&text);
	buf_free(&back);
}

static bool
has_list_escape(struct slice s)
{
	size_t i;

	for (i = 0; i + 4 <= s.len; i++)
		if (memcmp(s.p + i, "\\x3b", 4) == 0 || memcmp(s.p + i, "\\x3d", 4) == 0)
			return true;
	return false;
}

/* Checks that a text is accepted exactly if the writer would write it for its meaning. */
static void
one_spelling(struct check *c)
{
	struct buf text = { 0 }, back = { 0 };
	char raw[16];
	size_t n, at;
	int i;

	for (i = 0; i < 300000; i++) {
		struct slice given = { raw, 0 }, s;
		bool same;

		n = check_random(c) % (sizeof raw - 1) + 1;
		random_bytes(c, raw, n);
		given.len = n;
		/* "\." means the dot in elements and values, too */
		if (has_list_escape(given) ||
		    (n > 2 && memchr(raw, '\\', n) && memchr(raw, '.', n)))
			continue;
		back.len = 0;
		same = esc_undo(&back, given, &at) == 0;
		if (same) {
			s = escaped(&text, back.p, back.len, ESC_COLUMN);
			same = slice_eq(s, given);
		}
		CHECK(c, esc_is_canonical(raw, n, &at) == same, "%s: %.*s",
		    same ? "refused" : "taken", (int)n, raw);
	}
	buf_free(&text);
	buf_free(&back);
}

int
main(void)
{
	struct check c = { 0 };

	utf8(&c);
	table(&c);
	spellings(&c);
	there_and_back(&c);
	one_spelling(&c);
	return check_end(&c);
}
