/* SPDX-License-Identifier: ISC */
/* esc.c - converts any bytes to the stream's printable text, and back. */
#include "lib/esc.h"

#include <stdint.h>
#include <string.h>

static const char hex_digits[] = "0123456789abcdef";

size_t
esc_utf8(const unsigned char *s, size_t n)
{
	unsigned char c = s[0];
	unsigned char low = 0x80, high = 0xbf;
	size_t len, i;

	if (c < 0x80)
		return 1;
	if (c < 0xc2 || c > 0xf4)
		return 0;
	len = c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
	if (n < len)
		return 0;
	if (c == 0xe0)
		low = 0xa0; /* shorter forms are not valid */
	else if (c == 0xed)
		high = 0x9f; /* surrogates */
	else if (c == 0xf0)
		low = 0x90;
	else if (c == 0xf4)
		high = 0x8f; /* beyond U+10FFFF */
	if (s[1] < low || s[1] > high)
		return 0;
	for (i = 2; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return len;
}

/* Returns true for the valid sequences that are escaped nonetheless: C1 and bidi controls. */
static bool
utf8_is_control(const unsigned char *s, size_t len)
{
	if (len == 2)
		return s[0] == 0xc2 && s[1] < 0xa0;
	if (len != 3 || s[0] != 0xe2)
		return false;
	return (s[1] == 0x80 && s[2] >= 0xaa && s[2] <= 0xae) ||
	    (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9);
}

/* Returns the number of bytes at s that need no escaping, or 0. */
static size_t
plain_here(const unsigned char *s, size_t n, enum esc_as as)
{
	size_t len;

	if (*s < 0x80) {
		if (*s < 0x20 || *s == 0x7f)
			return 0;
		if (*s == '\\')
			return as == ESC_MESSAGE;
		return !((as == ESC_ELEMENT && *s == ';') || (as == ESC_KEY && *s == '='));
	}
	len = esc_utf8(s, n);
	return len != 0 && !utf8_is_control(s, len) ? len : 0;
}

bool
esc_is_plain(const char *text, size_t n, enum esc_as as)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t i = 0, step;

	if (n == 0)
		return false;
	if (n == 1 && *s == '.')
		return as == ESC_KEY || as == ESC_MESSAGE;
	while (i < n) {
		if (s[i] >= 0x20 && s[i] < 0x7f && s[i] != '\\' && s[i] != ';' && s[i] != '=') {
			i++;
			continue;
		}
		step = plain_here(s + i, n - i, as);
		if (step == 0)
			return false;
		i += step;
	}
	return true;
}

static size_t
escape_byte(char *dst, unsigned char c)
{
	dst[0] = '\\';
	switch (c) {
	case '\\': dst[1] = '\\'; return 2;
	case '\t': dst[1] = 't'; return 2;
	case '\n': dst[1] = 'n'; return 2;
	case '\r': dst[1] = 'r'; return 2;
	}
	dst[1] = 'x';
	dst[2] = hex_digits[c >> 4];
	dst[3] = hex_digits[c & 15];
	return 4;
}

size_t
esc_write(char *dst, const char *text, size_t n, enum esc_as as)
{
	const unsigned char *s = (const unsigned char *)text;
	char *d = dst;
	size_t i = 0, step;

	if (n == 0) {
		*d = '.';
		return 1;
	}
	if (n == 1 && *s == '.' && as != ESC_KEY && as != ESC_MESSAGE) {
		memcpy(d, "\\.", 2);
		return 2;
	}
	while (i < n) {
		step = plain_here(s + i, n - i, as);
		if (step == 0) {
			/*
			 * this includes a valid control sequence, since none of its bytes is valid
			 * alone
			 */
			d += escape_byte(d, s[i++]);
			continue;
		}
		memcpy(d, s + i, step);
		d += step;
		i += step;
	}
	return (size_t)(d - dst);
}

bool
esc_append(struct buf *out, const char *s, size_t n, enum esc_as as)
{
	if (n > SIZE_MAX / 8 || !buf_room(out, n * ESC_MAX_GROWTH + 1))
		return false;
	out->len += esc_write(out->p + out->len, s, n, as);
	return true;
}

static int
hex_value(unsigned char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/*
 * Returns the byte that the escape at s (after its backslash) represents, and sets *len to the
 * length of the escape without its backslash.  Returns -1 for an unknown escape.
 */
static int
escape_value(const unsigned char *s, size_t left, size_t *len)
{
	int high, low;

	*len = 1;
	if (left == 0)
		return -1;
	switch (s[0]) {
	case '\\': return '\\';
	case 't': return '\t';
	case 'n': return '\n';
	case 'r': return '\r';
	case 'x':
		if (left < 3)
			return -1;
		high = hex_value(s[1]);
		low = hex_value(s[2]);
		*len = 3;
		return high < 0 || low < 0 ? -1 : high << 4 | low;
	}
	return -1;
}

/* Returns true for "\\." as a whole column, value or element, where it represents the text ".". */
static bool
is_whole_dot(const unsigned char *s, size_t i, size_t n)
{
	if (n - i < 2 || s[i + 1] != '.')
		return false;
	return (i == 0 || s[i - 1] == '=' || s[i - 1] == ';') && (i + 2 == n || s[i + 2] == ';');
}

size_t
esc_undo_to(char *dst, struct slice text, size_t *at)
{
	const unsigned char *s = (const unsigned char *)text.p;
	size_t i = 0, n = 0, len;
	int c;

	if (slice_is_nothing(text))
		return 0;
	while (i < text.len) {
		const unsigned char *slash = memchr(s + i, '\\', text.len - i);
		size_t run = slash == NULL ? text.len - i : (size_t)(slash - (s + i));

		memcpy(dst + n, s + i, run);
		n += run;
		i += run;
		if (slash == NULL)
			break;
		len = 1;
		c = '.';
		if (!is_whole_dot(s, i, text.len))
			c = escape_value(s + i + 1, text.len - i - 1, &len);
		if (c < 0) {
			*at = i;
			return SIZE_MAX;
		}
		dst[n++] = (char)c;
		i += 1 + len;
	}
	return n;
}

int
esc_undo(struct buf *out, struct slice text, size_t *at)
{
	size_t n;

	if (!buf_room(out, text.len))
		return -2;
	n = text.len == 0 ? 0 : esc_undo_to(out->p + out->len, text, at);
	if (n == SIZE_MAX)
		return -1;
	out->len += n;
	return 0;
}

/*
 * Returns true if one field is spelled as the writer would spell it.  The field is unescaped and
 * escaped again.  Only the separators that some contexts escape are skipped.
 */
static bool
field_is_canonical(const unsigned char *s, size_t n, size_t *at)
{
	size_t i = 0, step, len, run;
	unsigned char raw[4];
	int c;

	if (n == 0) {
		*at = 0;
		return false;
	}
	while (i < n) {
		step = plain_here(s + i, n - i, ESC_COLUMN);
		if (step != 0) {
			i += step;
			continue;
		}
		*at = i;
		if (s[i] != '\\')
			return false;
		if (is_whole_dot(s, i, n)) {
			i += 2;
			continue;
		}
		/* collect the values of up to four escaped bytes */
		for (run = 0, len = i; run < 4 && len < n && s[len] == '\\'; run++) {
			c = escape_value(s + len + 1, n - len - 1, &step);
			if (c < 0)
				break;
			raw[run] = (unsigned char)c;
			len += 1 + step;
		}
		if (run == 0)
			return false;
		if (raw[0] != ';' && raw[0] != '=' && plain_here(raw, run, ESC_COLUMN) != 0)
			return false;
		c = escape_value(s + i + 1, n - i - 1, &step);
		if (s[i + 1] == 'x' && (c == '\\' || c == '\t' || c == '\n' || c == '\r'))
			return false;
		i += 1 + step;
	}
	return true;
}

size_t
esc_write_element(char *dst, struct slice element)
{
	const char *s = element.p, *end = s + element.len;
	char *p = dst;

	while (s < end) {
		const char *slash = memchr(s, '\\', (size_t)(end - s));
		size_t n = slash == NULL ? (size_t)(end - s) : (size_t)(slash - s);

		memcpy(p, s, n);
		p += n;
		s += n;
		if (end - s >= 4 && memcmp(s, "\\x3b", 4) == 0) {
			*p++ = ';';
			s += 4;
			continue;
		}
		for (n = 0; n < 2 && s < end; n++) /* the second byte does not begin an escape */
			*p++ = *s++;
	}
	return (size_t)(p - dst);
}

bool
esc_append_element(struct buf *out, struct slice element)
{
	if (element.len == 0) /* the pointers may be NULL */
		return true;
	if (!buf_room(out, element.len))
		return false;
	out->len += esc_write_element(out->p + out->len, element);
	return true;
}

struct slice
esc_element(struct slice element, struct buf *room)
{
	if (memchr(element.p, '\\', element.len) == NULL)
		return element;
	room->len = 0;
	return esc_append_element(room, element) ? buf_slice(room) : (struct slice){ NULL, 0 };
}

bool
esc_append_column(struct buf *out, struct slice column)
{
	size_t i, n;

	for (i = 0; i < column.len; i += n + 1) {
		const char *semicolon = memchr(column.p + i, ';', column.len - i);

		n = semicolon == NULL ? column.len - i : (size_t)(semicolon - column.p) - i;
		if (!buf_put(out, column.p + i, n) ||
		    (semicolon != NULL && !buf_put(out, "\\x3b", 4)))
			return false;
	}
	return true;
}

bool
esc_is_canonical(const char *text, size_t n, size_t *at)
{
	return field_is_canonical((const unsigned char *)text, n, at);
}
