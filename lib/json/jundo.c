/* SPDX-License-Identifier: ISC */
/* jundo.c - decodes a JSON string to bytes. */
#include <string.h>

#include "lib/json/jscan.h"

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

/* The \u at s, of which LEFT bytes are there, and its other half; *used: how many bytes. */
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

/* To d, which has room for as many bytes as the inside of the string has; returns the end. */
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
jscan_undo(struct buf *out, struct slice inside)
{
	if (!buf_room(out, inside.len + 1))
		return false;
	out->len = (size_t)(undo(out->p + out->len, inside) - out->p);
	return true;
}

bool
jscan_is(const char *text, const struct jscan_token *k, struct slice word)
{
	char undone[6 * JSCAN_WORD_MAX]; /* the longest spelling of a byte is \u0000 */
	struct slice s = { text + k->off, k->len };

	if (k->kind != JSCAN_STRING)
		return false;
	if ((k->flags & JSCAN_ESCAPED) == 0)
		return slice_eq(s, word);
	if (s.len > sizeof undone)
		return false;
	s = (struct slice){ undone, (size_t)(undo(undone, s) - undone) };
	return slice_eq(s, word);
}
