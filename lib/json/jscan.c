/* SPDX-License-Identifier: ISC */
/* jscan.c - reads a JSON text as it arrives: its window, tokens, and values with their tape. */
#include "lib/json/jscan.h"

#include <limits.h>

#include "lib/esc.h"
#include "lib/json/jtext.h"
#include "lib/mem.h"
#include "lib/short.h"
#include "lib/vec.h"

#define WINDOW ((size_t)256 * 1024)
#define WINDOW_MAX (JSCAN_TOKEN_MAX + WINDOW)

bool
jscan_open(struct jscan *j)
{
	j->window = mem_alloc(WINDOW_MAX + 1);
	if (j->window != NULL)
		jscan_restart(j);
	return j->window != NULL;
}

void
jscan_restart(struct jscan *j)
{
	j->line = j->column = 1;
	j->pos = j->len = 0;
	j->window[0] = '\0';
	j->ended = false;
	j->depth = 0;
	j->rc = 0;
}

void
jscan_close(struct jscan *j)
{
	mem_free(j->window);
	mem_free(j->text);
	mem_free(j->token);
	*j = (struct jscan){ .ended = true };
}

#define BLOCK 128

/* Counts the bytes that are VALUE under a MASK.  So written, compilers vectorize the inner loop. */
static inline uint64_t
count_masked(const char *s, size_t n, unsigned char mask, unsigned char value)
{
	uint64_t all = 0;
	size_t at = 0, i;

	for (; n - at >= BLOCK; at += BLOCK) {
		unsigned char found = 0;

		for (i = 0; i < BLOCK; i++)
			found =
			    (unsigned char)(found + (((unsigned char)s[at + i] & mask) == value));
		all += found;
	}
	for (; at < n; at++)
		all += ((unsigned char)s[at] & mask) == value;
	return all;
}

/* Counts the lines and columns of bytes that are about to be dropped. */
static void
count(const char *s, size_t n, uint64_t *line, uint64_t *column)
{
	uint64_t lines = count_masked(s, n, 0xff, '\n');
	size_t i = 0;

	if (lines != 0) {
		*line += lines;
		*column = 1;
		for (i = n; s[i - 1] != '\n'; i--)
			;
	}
	/* all but the continuation bytes of UTF-8 */
	*column += n - i - count_masked(s + i, n - i, 0xc0, 0x80);
}

static int
remember(struct jscan *j, struct err *e)
{
	*e = j->err;
	return j->rc;
}

/* Reports that the text is wrong at window[at]. */
static int
wrong(struct jscan *j, size_t at, const char *what)
{
	uint64_t line = j->line, column = j->column;

	if (j->rc != 0)
		return j->rc;
	count(j->window, at, &line, &column);
	j->ended = true;
	return j->rc = err_line(&j->err, line, "column %llu: %s", (unsigned long long)column, what);
}

/*
 * Appends more bytes.  Those before pos are dropped, so pos becomes 0.  Returns false at the end,
 * or if reading failed, with the code in j->rc.
 */
static bool
read_more(struct jscan *j)
{
	size_t left = j->len - j->pos, got = 0;
	int rc;

	if (j->ended)
		return false;
	count(j->window, j->pos, &j->line, &j->column);
	memmove(j->window, j->window + j->pos, left);
	j->pos = 0;
	j->len = left;
	if (left >= JSCAN_TOKEN_MAX)
		return false;
	rc = j->fill(j->ctx, j->window + left, WINDOW, &got, &j->err);
	if (rc != 0)
		j->rc = rc;
	j->len += got;
	j->window[j->len] = '\0';
	if (got == 0)
		j->ended = true;
	return got != 0;
}

/* Makes sure that n bytes at p are loaded, if there are that many.  p may move. */
static const char *
need(struct jscan *j, const char *p, size_t n)
{
	j->pos = (size_t)(p - j->window);
	while (j->len - j->pos < n)
		if (!read_more(j))
			break;
	return j->window + j->pos;
}

/*
 * Expects *p to be at a NUL.  Returns true if this is only the end of the window and more text
 * follows.
 */
static bool
is_more(struct jscan *j, const char **p)
{
	bool is;

	j->pos = (size_t)(*p - j->window);
	if (j->pos != j->len)
		return false;
	is = read_more(j);
	*p = j->window + j->pos;
	return is;
}

static int
expected_at(struct jscan *j, const char *p, const char *what)
{
	char text[96] = "the text ends, expected ";
	size_t at = (size_t)(p - j->window);

	(void)strcat(text, what);
	return wrong(j, at, at == j->len ? text : text + sizeof "the text ends,");
}

/* Skips to the next byte that is not white space. */
static inline const char *
skip(struct jscan *j, const char *p)
{
	static const char blanks[8] = { ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ' };

	for (;;) {
		if ((unsigned char)*p > ' ')
			return p;
		if (*p == '\n') {
			p++;
			while ((size_t)(j->window + j->len - p) >= 8 && memcmp(p, blanks, 8) == 0)
				p += 8;
		} else if (*p == ' ' || *p == '\t' || *p == '\r') {
			p++;
		} else if (*p != '\0' || !is_more(j, &p)) {
			return p;
		}
	}
}

/* The place where the value's text is written, and the end of the space for it. */
struct writer {
	char *t, *limit;
};

/*
 * Passes pieces of exactly j->limit bytes to j->piece until no more than that many bytes are left.
 * So the pieces do not depend on how the text arrived.
 */
static int
hand_out(struct jscan *j, struct writer *w)
{
	size_t n = (size_t)(w->t - j->text), at = 0;
	struct err err;
	int rc = 0;

	if (j->piece == NULL)
		return wrong(j, j->pos, "a value that is too long here");
	j->in_pieces = true;
	j->tokens = 0;
	for (; rc == 0 && n - at > j->limit; at += j->limit)
		rc = j->piece(j->piece_ctx, (struct slice){ j->text + at, j->limit }, &err);
	memmove(j->text, j->text + at, n - at);
	w->t = j->text + (n - at);
	if (rc != 0 && j->rc == 0) {
		j->err = err;
		j->rc = rc;
	}
	return j->rc;
}

static inline int
room(struct jscan *j, struct writer *w)
{
	return w->t <= w->limit ? 0 : hand_out(j, w);
}

static bool
is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Returns the length of the escape at p, or 0 if it is not one. */
static size_t
escape_length(const char *p, size_t left)
{
	size_t i;

	if (left < 2)
		return 0;
	if (p[1] != 'u')
		return strchr("\"\\/bfnrt", p[1]) != NULL && p[1] != '\0' ? 2 : 0;
	for (i = 2; i < 6; i++)
		if (i >= left || !is_hex(p[i]))
			return 0;
	return 6;
}

/*
 * Handles the byte that ends the run of plain bytes at *p and is not the closing quote.  It is
 * copied or rejected.
 */
static int
string_stop(struct jscan *j, const char **p, struct writer *w, uint8_t *flags)
{
	size_t n, left;

	*p = need(j, *p, 6);
	left = j->len - j->pos;
	if (left == 0)
		return expected_at(j, *p, "the end of a string");
	if (**p == '\\') {
		n = escape_length(*p, left);
		if (n == 0 && left < 6 && (left == 1 || (*p)[1] == 'u'))
			return expected_at(j, *p + left, "the rest of an escape");
		if (n == 0)
			return wrong(j, j->pos, "an escape that JSON does not have");
		*flags |= JSCAN_ESCAPED;
	} else if ((unsigned char)**p < ' ') {
		return wrong(j, j->pos, "a control character in a string");
	} else {
		n = esc_utf8((const unsigned char *)*p, left);
		if (n == 0)
			return wrong(j, j->pos, "a byte that is not valid UTF-8");
		*flags |= JSCAN_ODD;
	}
	memcpy(w->t, *p, n);
	w->t += n;
	*p += n;
	return 0;
}

/* Copies the string whose quote is at *p, with its quotes. */
static int
string(struct jscan *j, const char **pp, struct writer *w, uint8_t *flags)
{
	const char *p = *pp, *from;
	int rc;

	*w->t++ = *p++;
	for (;;) {
		from = p;
		while (!jtext_is_stop[(unsigned char)*p])
			p++;
		w->t = short_copy(w->t, from, (size_t)(p - from));
		if (*p == '"')
			break;
		if (*p == '\0') {
			if (is_more(j, &p)) {
				if ((rc = room(j, w)) != 0)
					return rc;
				continue;
			}
		}
		if ((rc = string_stop(j, &p, w, flags)) != 0 || (rc = room(j, w)) != 0)
			return rc;
	}
	*w->t++ = *p++;
	*pp = p;
	return 0;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Returns the length of the number at p, which ends at a NUL, or 0 if it is not one. */
static size_t
number_length(const char *p, uint8_t *kind)
{
	const char *s = p, *whole;

	*kind = JSCAN_INTEGER;
	if (*s == '-')
		s++;
	if (!is_digit(*s))
		return 0;
	if (*s == '0')
		s++;
	else
		while (is_digit(*s))
			s++;
	whole = s;
	if (*s == '.' && is_digit(s[1])) {
		for (s++; is_digit(*s); s++)
			;
		whole = s;
		*kind = JSCAN_FLOAT;
	}
	if (*s == 'e' || *s == 'E') {
		s++;
		if (*s == '-' || *s == '+')
			s++;
		if (is_digit(*s)) {
			while (is_digit(*s))
				s++;
			whole = s;
			*kind = JSCAN_FLOAT;
		}
	}
	return (size_t)(whole - p);
}

static size_t
word_length(const char *p, size_t left)
{
	static const struct slice words[] = { { "true", 4 }, { "false", 5 }, { "null", 4 },
		{ "NaN", 3 }, { "Infinity", 8 }, { "-Infinity", 9 } };
	size_t i;

	for (i = 0; i < sizeof words / sizeof words[0]; i++)
		if (left >= words[i].len && memcmp(p, words[i].p, words[i].len) == 0)
			return words[i].len;
	return 0;
}

/* Bytes of numbers. */
static const bool is_numeric[UCHAR_MAX + 1] = { ['0'] = true,
	['1'] = true,
	['2'] = true,
	['3'] = true,
	['4'] = true,
	['5'] = true,
	['6'] = true,
	['7'] = true,
	['8'] = true,
	['9'] = true,
	['+'] = true,
	['-'] = true,
	['.'] = true,
	['e'] = true,
	['E'] = true };

/* Copies a number or a word, after loading all of it into the window. */
static int
scalar(struct jscan *j, const char **pp, struct writer *w, uint8_t *kind)
{
	const char *p = *pp;
	size_t n, seen = 0;
	bool is;

	for (;;) {
		while (is_numeric[(unsigned char)p[seen]])
			seen++;
		j->pos = (size_t)(p - j->window);
		if (j->pos + seen != j->len)
			break;
		is = read_more(j);
		p = j->window + j->pos;
		if (!is)
			break;
	}
	if (j->rc != 0)
		return j->rc;
	if (seen >= JSCAN_TOKEN_MAX)
		return wrong(j, (size_t)(p - j->window), "a number of more than 1 MiB");
	n = number_length(p, kind);
	*pp = p;
	if (n == 0) {
		p = *pp = need(j, p, 9);
		*kind = JSCAN_WORD;
		n = word_length(p, j->len - j->pos);
	}
	if (n == 0)
		return expected_at(j, p, "a value");
	memcpy(w->t, p, n);
	w->t += n;
	*pp = p + n;
	return 0;
}

/* Adds a token whose text begins at t, and stores its index. */
static inline int
token_add(struct jscan *j, const char *t, uint8_t kind, uint32_t *index)
{
	*index = UINT32_MAX;
	if (j->in_pieces)
		return 0;
	if (!vec_room(j->token, j->tokens, j->token_cap))
		return j->rc = err_nomem(&j->err);
	*index = (uint32_t)j->tokens++;
	j->token[*index] = (struct jscan_token){ .off = (uint32_t)(t - j->text), .kind = kind };
	return 0;
}

static inline void
token_end(struct jscan *j, const char *t, uint32_t index, uint8_t flags)
{
	struct jscan_token *k;
	uint32_t quote;

	j->flags |= flags;
	if (j->in_pieces)
		return;
	k = &j->token[index];
	quote = k->kind == JSCAN_STRING;
	k->off += quote;
	k->len = (uint32_t)(t - j->text) - k->off - quote;
	k->next = (uint32_t)j->tokens;
	k->flags = flags;
}

static int
string_token(struct jscan *j, const char **p, struct writer *w)
{
	uint32_t index;
	uint8_t flags = 0;
	int rc = token_add(j, w->t, JSCAN_STRING, &index);

	if (rc == 0)
		rc = string(j, p, w, &flags);
	if (rc == 0)
		token_end(j, w->t, index, flags);
	return rc;
}

static int
scalar_token(struct jscan *j, const char **p, struct writer *w)
{
	uint32_t index;
	uint8_t kind = JSCAN_WORD;
	int rc = token_add(j, w->t, JSCAN_WORD, &index);

	if (rc == 0)
		rc = scalar(j, p, w, &kind);
	if (rc == 0) {
		token_end(j, w->t, index, 0);
		if (!j->in_pieces)
			j->token[index].kind = kind;
	}
	return rc;
}

/* The containers that are open in a value. */
struct nest {
	unsigned n;
	uint32_t index[JSCAN_DEPTH];
	bool object[JSCAN_DEPTH];
};

/* Opens the container whose bracket is at *p. */
static int
open_container(struct jscan *j, const char **p, struct writer *w, struct nest *nest)
{
	bool object = **p == '{';

	if (j->depth + nest->n >= JSCAN_DEPTH)
		return wrong(j, (size_t)(*p - j->window), "nested deeper than 900");
	nest->object[nest->n] = object;
	*w->t++ = *(*p)++;
	return token_add(j, w->t - 1, object ? JSCAN_OBJECT : JSCAN_ARRAY, &nest->index[nest->n++]);
}

static void
close_container(struct jscan *j, const char **p, struct writer *w, struct nest *nest)
{
	*w->t++ = *(*p)++;
	token_end(j, w->t, nest->index[--nest->n], 0);
}

/* Copies a name and its colon, and skips white space before each. */
static int
member_name(struct jscan *j, const char **p, struct writer *w)
{
	int rc;

	*p = skip(j, *p);
	if (**p != '"')
		return expected_at(j, *p, "a name in double quotes");
	if ((rc = string_token(j, p, w)) != 0)
		return rc;
	*p = skip(j, *p);
	if (**p != ':')
		return expected_at(j, *p, "a colon");
	*w->t++ = *(*p)++;
	return 0;
}

/*
 * Handles the text after a value: the comma and, in an object, the name of the next member, or
 * closing brackets.
 */
static int
after_value(struct jscan *j, const char **p, struct writer *w, struct nest *nest)
{
	bool object;

	while (nest->n != 0) {
		object = nest->object[nest->n - 1];
		*p = skip(j, *p);
		if (**p == ',') {
			*w->t++ = *(*p)++;
			return object ? member_name(j, p, w) : 0;
		}
		if (**p != (object ? '}' : ']'))
			return expected_at(j, *p, object ? "a comma or }" : "a comma or ]");
		close_container(j, p, w, nest);
	}
	return 0;
}

/*
 * Copies the beginning of a value: all of a scalar or an empty container, else up to its first
 * element.
 */
static int
begin_value(struct jscan *j, const char **p, struct writer *w, struct nest *nest, bool *whole)
{
	int rc;

	*whole = true;
	*p = skip(j, *p);
	if (**p == '"')
		return string_token(j, p, w);
	if (**p != '{' && **p != '[')
		return scalar_token(j, p, w);
	if ((rc = open_container(j, p, w, nest)) != 0)
		return rc;
	*p = skip(j, *p);
	if (**p == (nest->object[nest->n - 1] ? '}' : ']')) {
		close_container(j, p, w, nest);
		return 0;
	}
	*whole = false;
	return nest->object[nest->n - 1] ? member_name(j, p, w) : 0;
}

static int
text_room(struct jscan *j, size_t limit)
{
	/*
	 * room for the text between two checks: a number, brackets, a name up to the window's end
	 */
	size_t cap = limit + WINDOW_MAX + JSCAN_DEPTH + 64;
	char *text;

	j->limit = limit;
	if (j->text_cap >= cap)
		return 0;
	text = mem_alloc(cap);
	if (text == NULL)
		return j->rc = err_nomem(&j->err);
	mem_free(j->text);
	j->text = text;
	j->text_cap = cap;
	return 0;
}

static int
scan_value(struct jscan *j, struct writer *w)
{
	struct nest nest;
	const char *p = j->window + j->pos;
	bool whole;
	int rc;

	nest.n = 0;
	do {
		rc = begin_value(j, &p, w, &nest, &whole);
		if (rc == 0 && whole)
			rc = after_value(j, &p, w, &nest);
		if (rc == 0)
			rc = room(j, w);
	} while (rc == 0 && nest.n != 0);
	j->pos = (size_t)(p - j->window);
	return rc;
}

int
jscan_value(struct jscan *j, size_t limit, struct err *e)
{
	struct writer w;
	int rc = j->rc;

	j->tokens = 0;
	j->flags = 0;
	j->in_pieces = false;
	j->text_len = 0;
	if (rc == 0)
		rc = text_room(j, limit);
	if (rc != 0)
		return remember(j, e);
	w.t = j->text;
	w.limit = j->text + limit;
	if (scan_value(j, &w) != 0) {
		/* pass on the text before the damage, however it arrived */
		if (j->rc == ERR_DATA && j->piece != NULL && w.t > w.limit)
			(void)hand_out(j, &w);
		return remember(j, e);
	}
	j->text_len = (size_t)(w.t - j->text);
	*w.t = '\0';
	return 0;
}

int
jscan_drop(void *ctx, struct slice text, struct err *e)
{
	(void)ctx;
	(void)text;
	(void)e;
	return 0;
}

int
jscan_fill_text(void *ctx, char *dst, size_t n, size_t *got, struct err *e)
{
	struct slice *left = ctx;

	(void)e;
	*got = left->len < n ? left->len : n;
	if (*got == 0)
		return 0; /* if there are no bytes, the pointer may be NULL */
	memcpy(dst, left->p, *got);
	left->p += *got;
	left->len -= *got;
	return 0;
}

/* Reads a short value, such as a name, whose text must not be mistaken for pieces of a value. */
static int
short_value(struct jscan *j, struct err *e)
{
	int (*piece)(void *ctx, struct slice text, struct err *e) = j->piece;
	int rc;

	j->piece = jscan_drop;
	rc = jscan_value(j, JSCAN_NAME_MAX, e);
	j->piece = piece;
	return rc;
}

int
jscan_peek(struct jscan *j, int *c, struct err *e)
{
	const char *p;

	if (j->rc == 0) {
		p = skip(j, j->window + j->pos);
		j->pos = (size_t)(p - j->window);
		*c = j->pos == j->len ? -1 : (unsigned char)*p;
	}
	return j->rc == 0 ? 0 : remember(j, e);
}

/* Skips the byte that jscan_peek returned. */
static void
pass(struct jscan *j)
{
	if (j->rc == 0 && j->pos < j->len)
		j->pos++;
}

/* Returns the end of the container whose bracket is at p, or NULL if the text ends before it. */
static const char *
container_end(struct jscan *j, const char *p)
{
	static const bool stops[UCHAR_MAX + 1] = { ['\0'] = true,
		['"'] = true,
		['\\'] = true,
		['{'] = true,
		['['] = true,
		['}'] = true,
		[']'] = true };
	size_t depth = 0;
	bool in_string = false;

	do {
		while (!stops[(unsigned char)*p])
			p++;
		if (*p == '\0') {
			if (!is_more(j, &p))
				return NULL;
		} else if (*p == '\\') {
			p = need(j, p, 2);
			p += j->len - j->pos < 2 ? 1 : 2;
		} else {
			if (*p == '"')
				in_string = !in_string;
			else if (!in_string)
				depth = *p == '{' || *p == '[' ? depth + 1 : depth - 1;
			p++;
		}
	} while (depth != 0); /* so not within a string */
	return p;
}

int
jscan_skip(struct jscan *j, struct err *e)
{
	const char *p;
	int c, rc = jscan_peek(j, &c, e);

	if (rc != 0)
		return rc;
	if (c != '{' && c != '[')
		return short_value(j, e);
	p = container_end(j, j->window + j->pos);
	if (p == NULL)
		return j->rc != 0 ? remember(j, e) : jscan_expected(j, "a closing bracket", e);
	j->pos = (size_t)(p - j->window);
	j->text_len = j->tokens = 0;
	return 0;
}

int
jscan_expected(struct jscan *j, const char *what, struct err *e)
{
	if (j->rc == 0)
		(void)expected_at(j, j->window + j->pos, what);
	return remember(j, e);
}

int
jscan_name(struct jscan *j, struct buf *name, struct err *e)
{
	struct slice inside;
	int c, rc = jscan_peek(j, &c, e);

	if (rc != 0)
		return rc;
	if (c != '"')
		return jscan_expected(j, "a name in double quotes", e);
	rc = short_value(j, e);
	if (rc == 0)
		rc = jscan_peek(j, &c, e);
	if (rc != 0)
		return rc;
	if (j->in_pieces) {
		(void)wrong(j, j->pos, "a name of more than 256 KiB before this");
		return remember(j, e);
	}
	if (c != ':')
		return jscan_expected(j, "a colon", e);
	pass(j);
	inside = (struct slice){ j->text + 1, j->text_len - 2 };
	return jtext_undo(name, inside) ? 0 : err_nomem(e);
}

int
jscan_next(struct jscan *j, char bracket, bool *first, bool *more, struct err *e)
{
	int c, rc = jscan_peek(j, &c, e);

	if (rc != 0)
		return rc;
	*more = c != bracket;
	if (*more && !*first && c != ',')
		return jscan_expected(j, bracket == '}' ? "a comma or }" : "a comma or ]", e);
	if (!*more || !*first)
		pass(j);
	*first = false;
	return 0;
}

struct slice
jscan_ahead(const struct jscan *j)
{
	return (struct slice){ j->window + j->pos, j->len - j->pos };
}

int
jscan_members(struct jscan *j, jscan_member *take, void *ctx, struct err *e)
{
	bool first = true, more = true;
	struct buf name = { 0 };
	int rc;

	pass(j);
	j->depth++;
	for (;;) {
		rc = jscan_next(j, '}', &first, &more, e);
		if (rc != 0 || !more)
			break;
		name.len = 0;
		rc = jscan_name(j, &name, e);
		if (rc == 0)
			rc = take(ctx, buf_slice(&name), e);
		if (rc != 0)
			break;
	}
	j->depth--;
	buf_free(&name);
	return rc;
}

int
jscan_elements(struct jscan *j, jscan_element *take, void *ctx, struct err *e)
{
	bool first = true, more = true;
	uint64_t i = 0;
	int rc;

	pass(j);
	j->depth++;
	for (;;) {
		rc = jscan_next(j, ']', &first, &more, e);
		if (rc != 0 || !more)
			break;
		rc = take(ctx, i++, e);
		if (rc != 0)
			break;
	}
	j->depth--;
	return rc;
}

struct slice
jscan_inside(const char *text, const struct jscan_token *k)
{
	return (struct slice){ text + k->off, k->len };
}

struct slice
jscan_spelling(const char *text, const struct jscan_token *k)
{
	size_t quote = k->kind == JSCAN_STRING;

	return (struct slice){ text + k->off - quote, k->len + 2 * quote };
}

bool
jscan_is(const char *text, const struct jscan_token *k, struct slice word)
{
	struct slice s = jscan_inside(text, k);

	if (k->kind != JSCAN_STRING)
		return false;
	return (k->flags & JSCAN_ESCAPED) == 0 ? slice_eq(s, word) : jtext_is(s, word);
}
