/* SPDX-License-Identifier: ISC */
/* jtext.c - the strings of a JSON text, and the names in pointers. */
#include "lib/json/jtext.h"

#include <string.h>

#include "lib/esc.h"
#include "lib/num.h"

static uint32_t
hex4(const char *s)
{
	uint32_t v = 0;
	int i;

	for (i = 0; i < 4; i++) {
		char c = s[i];

		v = v << 4 |
		    (uint32_t)(c <= '9' ? c - '0'
			    : c <= 'F'  ? c - 'A' + 10
					: c - 'a' + 10);
	}
	return v;
}

static char *
put_utf8(char *d, uint32_t c)
{
	if (c < 0x80) {
		*d++ = (char)c;
		return d;
	}
	if (c < 0x800) {
		*d++ = (char)(0xc0 | c >> 6);
	} else {
		if (c < 0x10000) {
			*d++ = (char)(0xe0 | c >> 12);
		} else {
			*d++ = (char)(0xf0 | c >> 18);
			*d++ = (char)(0x80 | (c >> 12 & 0x3f));
		}
		*d++ = (char)(0x80 | (c >> 6 & 0x3f));
	}
	*d++ = (char)(0x80 | (c & 0x3f));
	return d;
}

/*
 * Decodes the \u escape at s, with its second half if it is a surrogate.  LEFT bytes remain at s.
 * *used is the number of bytes decoded.
 */
static uint32_t
unicode_escape(const char *s, size_t left, size_t *used)
{
	uint32_t c = hex4(s + 2), low;

	*used = 6;
	if (c < 0xd800 || c > 0xdbff || left < 12 || s[6] != '\\' || s[7] != 'u')
		return c;
	low = hex4(s + 8);
	if (low < 0xdc00 || low > 0xdfff)
		return c;
	*used = 12;
	return 0x10000 + ((c & 0x3ff) << 10 | (low & 0x3ff));
}

/* Decodes the inside of a string to d, which has room for as many bytes.  Returns the end. */
static char *
undo(char *d, struct slice inside)
{
	static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
	const char *s = inside.p, *end = s + inside.len, *slash, *known;
	size_t used;

	while ((slash = memchr(s, '\\', (size_t)(end - s))) != NULL) {
		memcpy(d, s, (size_t)(slash - s));
		d += slash - s;
		s = slash;
		if (s[1] == 'u') {
			d = put_utf8(d, unicode_escape(s, (size_t)(end - s), &used));
			s += used;
			continue;
		}
		known = strchr(from, s[1]);
		*d++ = known != NULL ? to[known - from] : s[1];
		s += 2;
	}
	memcpy(d, s, (size_t)(end - s));
	return d + (end - s);
}

bool
jtext_undo(struct buf *out, struct slice inside)
{
	if (!buf_room(out, inside.len + 1))
		return false;
	out->len = (size_t)(undo(out->p + out->len, inside) - out->p);
	return true;
}

bool
jtext_is(struct slice inside, struct slice word)
{
	char undone[6 * JTEXT_WORD_MAX]; /* the longest spelling of a byte is \u0000 */

	if (inside.len > sizeof undone)
		return false;
	return slice_eq((struct slice){ undone, (size_t)(undo(undone, inside) - undone) }, word);
}

static uint32_t
next_character(const unsigned char *s, size_t left, size_t *n)
{
	*n = esc_utf8(s, left);
	if (*n == 0 && left >= 3 && s[0] == 0xed)
		*n = 3; /* a surrogate */
	switch (*n) {
	case 1: return s[0];
	case 2: return (uint32_t)(s[0] & 0x1f) << 6 | (s[1] & 0x3f);
	case 3: return (uint32_t)(s[0] & 0xf) << 12 | (uint32_t)(s[1] & 0x3f) << 6 | (s[2] & 0x3f);
	case 4:
		return (uint32_t)(s[0] & 7) << 18 | (uint32_t)(s[1] & 0x3f) << 12 |
		    (uint32_t)(s[2] & 0x3f) << 6 | (s[3] & 0x3f);
	}
	*n = 1;
	return 0xfffd;
}

static size_t
put_escape(char *d, uint32_t c)
{
	static const char hex[] = "0123456789abcdef";

	d[0] = '\\';
	d[1] = 'u';
	d[2] = hex[c >> 12 & 15];
	d[3] = hex[c >> 8 & 15];
	d[4] = hex[c >> 4 & 15];
	d[5] = hex[c & 15];
	return 6;
}

#define EIGHT true, true, true, true, true, true, true, true
#define THIRTY_TWO EIGHT, EIGHT, EIGHT, EIGHT
const bool jtext_is_stop[UCHAR_MAX + 1] = { THIRTY_TWO, ['"'] = true, ['\\'] = true, [0x7f] = true,
	THIRTY_TWO, THIRTY_TWO, THIRTY_TWO, THIRTY_TWO };

bool
jtext_quote(struct buf *out, struct slice s)
{
	static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
	const unsigned char *p = (const unsigned char *)s.p;
	const char *known;
	size_t i, n;
	uint32_t c;
	char *d;

	if (!buf_room(out, s.len * 6 + 2))
		return false;
	d = out->p + out->len;
	*d++ = '"';
	for (i = 0; i < s.len; i += n) {
		for (; i < s.len && !jtext_is_stop[p[i]]; i++)
			*d++ = (char)p[i];
		if (i == s.len)
			break;
		c = next_character(p + i, s.len - i, &n);
		known = c < 0x80 && c != 0 ? strchr(from, (int)c) : NULL;
		if (known != NULL) {
			*d++ = '\\';
			*d++ = to[known - from];
		} else if (c >= 0x10000) {
			d += put_escape(d, 0xd800 + ((c - 0x10000) >> 10));
			d += put_escape(d, 0xdc00 + (c & 0x3ff));
		} else {
			d += put_escape(d, c);
		}
	}
	*d++ = '"';
	out->len = (size_t)(d - out->p);
	return true;
}

bool
jtext_push_name(struct buf *pointer, struct slice name)
{
	bool ok = buf_putc(pointer, '/');
	size_t i;

	for (i = 0; i < name.len && ok; i++) {
		if (name.p[i] == '~' || name.p[i] == '/')
			ok = buf_put(pointer, name.p[i] == '~' ? "~0" : "~1", 2);
		else
			ok = buf_putc(pointer, name.p[i]);
	}
	return ok;
}

bool
jtext_push_index(struct buf *pointer, uint64_t index)
{
	char text[NUM_MAX + 1] = "/";

	return buf_put(pointer, text, 1 + num_put_u64(text + 1, index));
}

bool
jtext_undo_name(struct buf *out, struct slice name)
{
	size_t i;
	char c;

	for (i = 0; i < name.len; i++) {
		c = name.p[i];
		if (c == '~' && i + 1 < name.len && (name.p[i + 1] == '0' || name.p[i + 1] == '1'))
			c = name.p[++i] == '0' ? '~' : '/';
		if (!buf_putc(out, c))
			return false;
	}
	return true;
}
