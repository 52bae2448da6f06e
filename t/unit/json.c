/* SPDX-License-Identifier: ISC */
/*
 * json.c - checks the JSON room where fuzzing seldom gets: a source that fails after each byte, a
 * lack of memory, escapes of every sort, many members of one name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/json/jdict.h"
#include "lib/json/jscan.h"
#include "lib/json/jtext.h"
#include "lib/json/jvalue.h"
#include "lib/json/jwrite.h"
#include "lib/mem.h"
#include "t/unit/check.h"

/* A text that comes byte by byte, and fails after some of them. */
struct source {
	const char *text;
	size_t len, at, fails;
};

static int
fill(void *ctx, char *dst, size_t n, size_t *got, struct err *e)
{
	struct source *s = ctx;

	*got = 0;
	if (s->at == s->fails)
		return err_sys(e, 5, "the source");
	if (n == 0 || s->at == s->len)
		return 0;
	*dst = s->text[s->at++];
	*got = 1;
	return 0;
}

struct seen {
	struct jscan *j;
	struct buf names, values;
};

static int
take_member(void *ctx, struct slice name, struct err *e)
{
	struct seen *s = ctx;
	int rc = jscan_value(s->j, 4096, e);

	if (rc == 0 &&
	    (!buf_put(&s->names, name.p, name.len) || !buf_putc(&s->names, ',') ||
		!buf_put(&s->values, s->j->text, s->j->text_len) || !buf_putc(&s->values, ',')))
		abort();
	return rc;
}

static int
take_element(void *ctx, uint64_t i, struct err *e)
{
	struct seen *s = ctx;
	int c, rc = jscan_peek(s->j, &c, e);

	(void)i;
	return rc != 0 ? rc : jscan_members(s->j, take_member, s, e);
}

#define DOCUMENT \
	"[ {\"a\\u00e9\\n\" : [1, 2.5e3, {\"x\":null}] , \"b\":\"t\\\\ext \\ud83d\\ude00\"}, {}, " \
	"{\"c\":-0}]"

static void
failing(struct check *c)
{
	struct source src = { DOCUMENT, sizeof DOCUMENT - 1, 0, 0 };
	struct jscan j = { .fill = fill, .ctx = &src };
	struct seen s = { .j = &j };
	struct err e;
	int rc, first = 0;

	if (!jscan_open(&j))
		abort();
	for (src.fails = 0; src.fails <= src.len + 1; src.fails++) {
		src.at = 0;
		s.names.len = s.values.len = 0;
		jscan_restart(&j);
		e = (struct err){ 0 };
		rc = jscan_peek(&j, &first, &e);
		if (rc == 0)
			rc = jscan_elements(&j, take_element, &s, &e);
		if (rc == 0)
			rc = jscan_peek(&j, &first, &e);
		CHECK(c, (rc == 0) == (src.fails > src.len), "%zu: %s", src.fails, e.msg);
		CHECK(c, rc == 0 || (rc == ERR_SYS && e.errnum == 5), "%zu: %s", src.fails, e.msg);
		/* it stays so */
		CHECK(c, rc == 0 || jscan_peek(&j, &first, &e) == ERR_SYS, "%zu", src.fails);
		CHECK(c, rc == 0 || jscan_expected(&j, "x", &e) == ERR_SYS, "%zu", src.fails);
		CHECK(c, rc == 0 || jscan_value(&j, 10, &e) == ERR_SYS, "%zu", src.fails);
	}
	CHECK(c, slice_eq(buf_slice(&s.names), SLICE("a\xc3\xa9\n,b,c,")), "%.*s", (int)s.names.len,
	    s.names.p);
	CHECK(c,
	    slice_eq(buf_slice(&s.values),
		SLICE("[1,2.5e3,{\"x\":null}],\"t\\\\ext \\ud83d\\ude00\",-0,")),
	    "%.*s", (int)s.values.len, s.values.p);
	buf_free(&s.names);
	buf_free(&s.values);
	jscan_close(&j);
}

/* Receives pieces, and fails at the second one. */
static int
piece(void *ctx, struct slice text, struct err *e)
{
	size_t *pieces = ctx;

	return text.len == 8 && ++*pieces < 2 ? 0 : err_data(e, "no more of it");
}

static void
pieces(struct check *c)
{
	static const char *const texts[] = { "\"0123456789abcdef0123\"", "[0123456,12,3456789012]",
		"12345678901234567890", "[1,2,3,4,5,6,7,8,9,10,11,12]" };
	struct slice text;
	size_t n, i;
	struct jscan j = { .fill = jscan_fill_text, .ctx = &text };
	struct err e;

	if (!jscan_open(&j))
		abort();
	for (i = 0; i < sizeof texts / sizeof *texts; i++) {
		j.piece = NULL;
		text = slice_of(texts[i]);
		jscan_restart(&j);
		CHECK(c, jscan_value(&j, 8, &e) == ERR_DATA, "%s", texts[i]);
		j.piece = piece;
		j.piece_ctx = &n;
		n = 0;
		text = slice_of(texts[i]);
		jscan_restart(&j);
		e.msg[0] = '\0';
		CHECK(c, jscan_value(&j, 8, &e) == ERR_DATA && n <= 2, "%s: %zu, %s", texts[i], n,
		    e.msg);
		j.piece = jscan_drop;
		text = slice_of(texts[i]);
		jscan_restart(&j);
		CHECK(c, i == 1 || (jscan_value(&j, 8, &e) == 0 && j.in_pieces), "%s: %s", texts[i],
		    e.msg);
	}
	jscan_close(&j);
}

static int
refuse(void *ctx, struct slice text, struct err *e)
{
	(void)ctx;
	(void)text;
	return err_data(e, "no piece");
}

/*
 * A source that fails while it hands over a string with an escape that is complete, and might have
 * been longer: its failure is told, whether the receiver of the pieces fails then or not.
 */
static void
failing_pieces(struct check *c)
{
	static const char text[] = "\"0123456789abcde\\n\"";
	struct source src = { text, 0, 0, 0 };
	struct jscan j = { .fill = fill, .ctx = &src };
	struct err e;
	size_t n;
	int rc;

	if (!jscan_open(&j))
		abort();
	for (n = 1; n < 16; n++) {
		/* the quote, n - 1 characters, and the escape, which fills the first piece */
		char part[20];

		memcpy(part, text, n);
		memcpy(part + n, "\\n\"", 4);
		src = (struct source){ part, n + 3, 0, n + 2 };
		jscan_restart(&j);
		j.piece = refuse;
		rc = jscan_value(&j, n, &e);
		CHECK(c, rc == ERR_SYS && e.errnum == 5, "%zu: %d %s", n, rc, e.msg);
		src.at = 0;
		jscan_restart(&j);
		j.piece = jscan_drop;
		rc = jscan_value(&j, n, &e);
		CHECK(c, rc == ERR_SYS && e.errnum == 5, "%zu: %d %s", n, rc, e.msg);
		/* without the failure, it is the receiver's */
		src = (struct source){ part, n + 3, 0, SIZE_MAX };
		jscan_restart(&j);
		j.piece = refuse;
		rc = jscan_value(&j, n, &e);
		CHECK(c, rc == ERR_DATA && strcmp(e.msg, "no piece") == 0, "%zu: %s", n, e.msg);
	}
	/* pieces that are full between two reads */
	src = (struct source){ text, sizeof text - 1, 0, SIZE_MAX };
	jscan_restart(&j);
	CHECK(c, jscan_value(&j, 4, &e) == ERR_DATA && src.at < 8, "%zu", src.at);
	jscan_close(&j);
}

/* A number may have 1 MiB, less one byte. */
static void
long_numbers(struct check *c)
{
	size_t size = 2 * JSCAN_TOKEN_MAX, i;
	const size_t lengths[] = { JSCAN_TOKEN_MAX - 1, JSCAN_TOKEN_MAX, size };
	char *text = malloc(size);
	struct slice left;
	struct jscan j = { .fill = jscan_fill_text, .ctx = &left };
	struct err e = { 0 };

	if (text == NULL || !jscan_open(&j))
		abort();
	memset(text, '1', size);
	for (i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		int rc;

		left = (struct slice){ text, lengths[i] };
		jscan_restart(&j);
		rc = jscan_value(&j, size, &e);
		if (i == 0)
			CHECK(c, rc == 0 && j.text_len == lengths[0], "%s", e.msg);
		else
			CHECK(c,
			    rc == ERR_DATA &&
				strcmp(e.msg, "column 1: a number of more than 1 MiB") == 0,
			    "%zu: %s", i, e.msg);
	}
	jscan_close(&j);
	free(text);
}

/* Values that are skipped end where they do when they are read, however they arrive. */
static void
skipping(struct check *c)
{
	static const char *const values[] = { "{}", "[]", "\"]\"", "-1.5", "null",
		"[[[]],{\"a\":[]}]", "[\"]\",\"\\\\\",\"\\\"]\",\"}\\\\\\\"{\"]",
		"{ \"[\" : \"\\u005d{{{\" , \"b\":[ 1 ] }",
		"{\"\xc3\xa9\":[true,\"\xf0\x9f\x98\x80]\"]}" };
	struct source src = { NULL, 0, 0, 0 };
	struct jscan j = { .fill = fill, .ctx = &src };
	char text[80];
	struct err e;
	size_t i;
	int rc, next;

	if (!jscan_open(&j))
		abort();
	for (i = 0; i < sizeof values / sizeof *values; i++) {
		(void)snprintf(text, sizeof text, " %s ,7", values[i]);
		src = (struct source){ text, strlen(text), 0, SIZE_MAX };
		jscan_restart(&j);
		rc = jscan_skip(&j, &e);
		CHECK(c, rc == 0 && jscan_peek(&j, &next, &e) == 0 && next == ',', "%s", text);
		/* the source fails, or the text ends, within the value */
		for (src.fails = 1; src.fails < 1 + strlen(values[i]); src.fails++) {
			src.at = 0;
			jscan_restart(&j);
			CHECK(c, jscan_skip(&j, &e) == ERR_SYS, "%s: %zu", text, src.fails);
		}
		src = (struct source){ text, strlen(values[i]), 0, SIZE_MAX };
		jscan_restart(&j);
		rc = jscan_skip(&j, &e);
		CHECK(c, rc == ERR_DATA || values[i][0] == '-', "%s: %d", text, rc);
	}
	src = (struct source){ "[1,\0]", 6, 0, SIZE_MAX };
	jscan_restart(&j);
	CHECK(c, jscan_skip(&j, &e) == ERR_DATA, "a NUL byte");
	jscan_close(&j);
}

#define TOKENS 16

/* Makes a text of tokens, with some bytes after one of them. */
static void
put_tokens(struct buf *b, size_t at, struct slice between)
{
	static const char *const tokens[TOKENS] = { "", "{", "\"a\"", ":", "[", "1", ",", "true",
		"]", ",", "\"b\"", ":", "{", "}", "}", "" };
	size_t i;

	b->len = 0;
	for (i = 0; i < TOKENS; i++)
		if (!buf_puts(b, tokens[i]) || (i == at && !buf_put(b, between.p, between.len)))
			abort();
}

/* Blanks, TABs and line breaks may be between all tokens, and no other bytes. */
static void
white_space(struct check *c)
{
	static const struct slice between[] = { SLICE_INIT(""), SLICE_INIT(" "), SLICE_INIT("\t"),
		SLICE_INIT("\r"), SLICE_INIT("\n"), SLICE_INIT("\r\n\t \t"),
		SLICE_INIT("\n                 \t\n        \n       "), SLICE_INIT("\v"),
		SLICE_INIT("\f"), SLICE_INIT("\0"), SLICE_INIT("\x1f"), SLICE_INIT("\x7f"),
		SLICE_INIT("\xc2\xa0"), SLICE_INIT(";") };
	size_t good = 7, at, i;
	struct jvalue v;
	struct buf b = { 0 };
	struct err e;

	if (!jvalue_open(&v))
		abort();
	for (i = 0; i < sizeof between / sizeof *between; i++)
		for (at = 0; at < TOKENS; at++) {
			int rc;

			put_tokens(&b, at, between[i]);
			rc = jvalue_read(&v, buf_slice(&b), &e);
			CHECK(c, rc == (i < good ? 0 : ERR_DATA), "%zu %zu: %d", i, at, rc);
			CHECK(c,
			    rc != 0 ||
				slice_eq(jvalue_spelling(&v, 0),
				    SLICE("{\"a\":[1,true],\"b\":{}}")),
			    "%zu %zu", i, at);
		}
	buf_free(&b);
	jvalue_close(&v);
}

/* ---- texts */

static void
escapes(struct check *c)
{
	static const struct {
		struct slice inside, want;
	} cases[] = {
		{ SLICE_INIT("\\u00E9\\u00e9\\u0041"),
		    SLICE_INIT("\xc3\xa9\xc3\xa9"
			       "A") },
		{ SLICE_INIT("\\ud83d\\ude00"), SLICE_INIT("\xf0\x9f\x98\x80") },
		{ SLICE_INIT("\\ud83d"), SLICE_INIT("\xed\xa0\xbd") },
		{ SLICE_INIT("\\ud83d......"), SLICE_INIT("\xed\xa0\xbd......") },
		{ SLICE_INIT("\\ud83d\\n...."), SLICE_INIT("\xed\xa0\xbd\n....") },
		{ SLICE_INIT("\\ud83d\\nde00"), SLICE_INIT("\xed\xa0\xbd\nde00") },
		{ SLICE_INIT("\\ud83d.ude00"), SLICE_INIT("\xed\xa0\xbd.ude00") },
		{ SLICE_INIT("\\ud83d\\u0041"),
		    SLICE_INIT("\xed\xa0\xbd"
			       "A") },
		{ SLICE_INIT("\\ud83d\\uffff"), SLICE_INIT("\xed\xa0\xbd\xef\xbf\xbf") },
		{ SLICE_INIT("\\ude00\\b\\f\\r\\t\\/"), SLICE_INIT("\xed\xb8\x80\b\f\r\t/") },
	};
	struct buf b = { 0 };
	size_t i;

	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		b.len = 0;
		CHECK(c, jtext_undo(&b, cases[i].inside) && slice_eq(buf_slice(&b), cases[i].want),
		    "%.*s: %.*s", (int)cases[i].inside.len, cases[i].inside.p, (int)b.len, b.p);
	}
	b.len = 0;
	CHECK(c,
	    jtext_quote(&b, SLICE("a\xed\xa0\xbd\xff\xed\xf0\x9f\x98\x80\"\\\n")) &&
		b.p[0] == '"' && b.p[b.len - 1] == '"' && memchr(b.p, 0x80, b.len) == NULL,
	    "%.*s", (int)b.len, b.p);
	b.len = 0;
	CHECK(c,
	    jtext_quote(&b,
		SLICE("\x1f \x7e\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf"
		      "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf")) &&
		slice_eq(buf_slice(&b),
		    SLICE("\"\\u001f ~\\u007f\\u0080\\u07ff\\u0800\\uffff"
			  "\\ud800\\udc00\\udbff\\udfff\"")),
	    "the first and the last character of each length: %.*s", (int)b.len, b.p);
	b.len = 0;
	CHECK(c,
	    jtext_quote(&b, SLICE("\xed\xa0")) &&
		slice_eq(buf_slice(&b), SLICE("\"\\ufffd\\ufffd\"")),
	    "the text ends within a surrogate: %.*s", (int)b.len, b.p);
	b.len = 0;
	CHECK(c,
	    jtext_undo_name(&b, SLICE("a~0b~1c~2d~")) &&
		slice_eq(buf_slice(&b), SLICE("a~b/c~2d~")),
	    "%.*s", (int)b.len, b.p);
	CHECK(c, jtext_is(SLICE("\\u0061b"), SLICE("ab")) && !jtext_is(SLICE("ab"), SLICE("abc")),
	    "is");
	CHECK(c,
	    !jtext_is((struct slice){ DOCUMENT DOCUMENT DOCUMENT, 3 * (sizeof DOCUMENT - 1) },
		SLICE("a")),
	    "too long for a word");
	buf_free(&b);
}

/* The longest spelling of the longest word that a text may be compared with. */
static void
longest_word(struct check *c)
{
	char inside[6 * JTEXT_WORD_MAX + 1], word[JTEXT_WORD_MAX];
	size_t i;

	memset(word, 'a', sizeof word);
	for (i = 0; i < JTEXT_WORD_MAX; i++)
		memcpy(inside + 6 * i, "\\u0061", 6);
	inside[6 * JTEXT_WORD_MAX] = 'a';
	CHECK(c,
	    jtext_is((struct slice){ inside, sizeof inside - 1 },
		(struct slice){ word, sizeof word }),
	    "all of it");
	CHECK(c,
	    !jtext_is((struct slice){ inside, sizeof inside }, (struct slice){ word, sizeof word }),
	    "one byte more");
	CHECK(c,
	    !jtext_is((struct slice){ inside, sizeof inside - 7 },
		(struct slice){ word, sizeof word }),
	    "one character less");
}

/* ---- numbers */

static void
decimals(struct check *c)
{
	static const struct {
		uint64_t v;
		unsigned decimals;
		struct slice want;
	} cases[] = {
		{ 0, 0, SLICE_INIT("0") },
		{ 0, 3, SLICE_INIT("0") },
		{ 10, 0, SLICE_INIT("10") },
		{ 5, 1, SLICE_INIT("0.5") },
		{ 5, 3, SLICE_INIT("0.005") },
		{ 20, 3, SLICE_INIT("0.02") },
		{ 100, 1, SLICE_INIT("10") },
		{ 1000, 3, SLICE_INIT("1") },
		{ 1500, 3, SLICE_INIT("1.5") },
		{ 123456, 3, SLICE_INIT("123.456") },
		{ 100200300, 6, SLICE_INIT("100.2003") },
		{ UINT64_MAX, 0, SLICE_INIT("18446744073709551615") },
		{ UINT64_MAX, 19, SLICE_INIT("1.8446744073709551615") },
		{ 1, 19, SLICE_INIT("0.0000000000000000001") },
	};
	struct out o;
	struct jwrite j = { .out = &o };
	size_t i;

	CHECK(c, out_open(&o, -1), "memory");
	o.hold = true;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		o.len = 0;
		jwrite_decimal(&j, cases[i].v, cases[i].decimals);
		CHECK(c, slice_eq((struct slice){ o.p, o.len }, cases[i].want), "%zu: %.*s", i,
		    (int)o.len, o.p);
	}
	jwrite_free(&j);
	out_free(&o);
}

/* ---- values */

/* Writes an object with N members, of which every third has the same name. */
static size_t
members(char *text, size_t size, size_t n)
{
	size_t i, len = 1;

	text[0] = '{';
	for (i = 0; i < n; i++)
		len += (size_t)snprintf(text + len, size - len, "%s\"%s%zu\":%zu",
		    i == 0 ? "" : ",", i % 2 == 0 ? "\\u006e" : "n", i % 3 == 0 ? 0 : i, i);
	text[len++] = '}';
	return len;
}

static void
dictionaries(struct check *c)
{
	static char text[65536];
	static const size_t counts[] = { 1, 10, 500 };
	struct jvalue v;
	struct jdict d = { 0 };
	struct err e = { 0 };
	size_t i, k, more, n, refused = 0;
	bool pushed;

	if (!jvalue_open(&v))
		abort();
	for (i = 0; i < sizeof counts / sizeof *counts; i++) {
		n = members(text, sizeof text, counts[i]);
		CHECK(c, jvalue_read(&v, (struct slice){ text, n }, &e) == 0, "%s", e.msg);
		for (more = 0, pushed = false; !pushed && more < 200000; more += 64) {
			mem_set_ceiling(mem_used() + more);
			d.n = 0;
			pushed = jdict_push(&d, v.j.text, v.j.token, 0);
			mem_set_ceiling(UINT64_MAX);
			refused += !pushed;
		}
		n = counts[i] - (counts[i] + 2) / 3 + 1; /* names */
		CHECK(c, pushed && d.n == n, "%zu members, not %zu", d.n, n);
		/* the value of the last of equal names, at the place of the first */
		k = (counts[i] - 1) / 3 * 3;
		CHECK(c, (size_t)strtoul(jvalue_spelling(&v, d.m[0].value).p, NULL, 10) == k, "%zu",
		    k);
	}
	CHECK(c, refused > 3, "%zu refused", refused);
	jdict_free(&d);
	jvalue_close(&v);
}

static void
values(struct check *c)
{
	struct jvalue v;
	struct err e = { 0 };
	uint32_t member;
	char *text = malloc(JSCAN_VALUE_MAX + 10);

	if (text == NULL || !jvalue_open(&v))
		abort();
	CHECK(c, jvalue_read(&v, SLICE("{\"a\":1,\"\\u0062\":2,\"b\":3}"), &e) == 0, "%s", e.msg);
	CHECK(c,
	    jvalue_need(&v, 0, "x", "b", &member, &e) == 0 &&
		slice_eq(jvalue_spelling(&v, member), SLICE("3")),
	    "%s", e.msg);
	CHECK(c,
	    jvalue_need(&v, 0, "x", "c", &member, &e) == ERR_DATA &&
		strcmp(e.msg, "x has no c") == 0,
	    "%s", e.msg);
	CHECK(c, jscan_is(v.j.text, &v.j.token[3], SLICE("b")), "escaped");
	CHECK(c, !jscan_is(v.j.text, &v.j.token[2], SLICE("1")), "not a string");
	buf_free(&v.name);
	mem_set_ceiling(0);
	CHECK(c, jvalue_need(&v, 0, "x", "b", &member, &e) == ERR_SYS && e.ceiling, "%s", e.msg);
	mem_set_ceiling(UINT64_MAX);
	/* one that is longer than others may be */
	memset(text, 'x', JSCAN_VALUE_MAX + 10);
	text[0] = text[JSCAN_VALUE_MAX + 9] = '"';
	CHECK(c,
	    jvalue_read(&v, (struct slice){ text, JSCAN_VALUE_MAX + 10 }, &e) == ERR_DATA &&
		jvalue_read_long(&v, (struct slice){ text, JSCAN_VALUE_MAX + 10 }, &e) == 0 &&
		jvalue_read_long(&v, SLICE("[]"), &e) == 0,
	    "%s", e.msg);
	jvalue_close(&v);
	free(text);
}

int
main(void)
{
	struct check c = { 0 };

	failing(&c);
	pieces(&c);
	failing_pieces(&c);
	long_numbers(&c);
	skipping(&c);
	white_space(&c);
	escapes(&c);
	longest_word(&c);
	decimals(&c);
	dictionaries(&c);
	values(&c);
	CHECK(&c, mem_used() == 0, "%llu bytes are left", (unsigned long long)mem_used());
	return check_end(&c);
}
