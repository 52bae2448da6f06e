/* SPDX-License-Identifier: ISC */
/* jtoken.c - strings, numbers and words of a JSON text. */
#include "lib/esc.h"
#include "lib/json/jscanint.h"

/* True for what stops a run of bytes that a string has as they are. */
static inline bool
is_stop(char c)
{
	return (unsigned char)c < ' ' || c == '"' || c == '\\' || (unsigned char)c >= 0x7f;
}

static bool
is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* The length of the escape at p, 0 if it is none. */
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

/* What stops the run of plain bytes at *p, and is not the closing quote: copied, or refused. */
static int
string_stop(struct jscan *j, const char **p, struct writer *w, uint8_t *flags)
{
	size_t n, left;

	*p = jscan_need(j, *p, 6);
	left = j->len - j->pos;
	if (left == 0)
		return jscan_expected_at(j, *p, "the end of a string");
	if (**p == '\\') {
		n = escape_length(*p, left);
		if (n == 0 && left < 6 && j->ended && (left == 1 || (*p)[1] == 'u'))
			return jscan_expected_at(j, *p + left, "the rest of an escape");
		if (n == 0)
			return jscan_wrong(j, j->pos, "an escape that JSON does not have");
		*flags |= JSCAN_ESCAPED;
	} else if ((unsigned char)**p < ' ') {
		return jscan_wrong(j, j->pos, "a control character in a string");
	} else {
		n = esc_utf8((const unsigned char *)*p, left);
		if (n == 0)
			return jscan_wrong(j, j->pos, "a byte that is not valid UTF-8");
		*flags |= JSCAN_ODD;
	}
	memcpy(w->t, *p, n);
	w->t += n;
	*p += n;
	return 0;
}

/* The string whose quote is at *p, with its quotes. */
int
jscan_string(struct jscan *j, const char **pp, struct writer *w, uint8_t *flags)
{
	const char *p = *pp, *from;
	int rc;

	*w->t++ = *p++;
	for (;;) {
		from = p;
		while (!is_stop(*p))
			p++;
		memcpy(w->t, from, (size_t)(p - from));
		w->t += p - from;
		if (*p == '"')
			break;
		if (*p == '\0') {
			if (jscan_is_more(j, &p)) {
				if ((rc = jscan_room(j, w)) != 0)
					return rc;
				continue;
			}
		}
		if ((rc = string_stop(j, &p, w, flags)) != 0 || (rc = jscan_room(j, w)) != 0)
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

/* The length of the number at p, which ends at a NUL; 0 if it is none. */
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

/* A number or a word.  All of it is brought into the window first. */
int
jscan_scalar(struct jscan *j, const char **pp, struct writer *w, uint8_t *kind)
{
	const char *p = *pp;
	size_t n, seen = 0;
	bool is;

	for (;;) {
		while (is_digit(p[seen]) || (p[seen] != '\0' && strchr("+-.eE", p[seen]) != NULL))
			seen++;
		j->pos = (size_t)(p - j->window);
		if (j->pos + seen != j->len)
			break;
		is = jscan_more(j);
		p = j->window + j->pos;
		if (!is)
			break;
	}
	if (seen >= JSCAN_TOKEN_MAX)
		return jscan_wrong(j, (size_t)(p - j->window), "a number of more than 1 MiB");
	n = number_length(p, kind);
	*pp = p;
	if (n == 0) {
		p = *pp = jscan_need(j, p, 9);
		*kind = JSCAN_WORD;
		n = word_length(p, j->len - j->pos);
	}
	if (n == 0)
		return jscan_expected_at(j, p, "a value");
	memcpy(w->t, p, n);
	w->t += n;
	*pp = p + n;
	return 0;
}
