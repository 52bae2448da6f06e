/* SPDX-License-Identifier: ISC */
/* text.c - converts text of the stream to fields and tags of AFPerf, and back. */
#include "src/afperf/text.h"

#include <errno.h>

#include "lib/csv.h"
#include "lib/esc.h"

#define SPELLED 6 /* bytes of \x{hh} */

/* Returns whether the byte is never written unchanged. */
static bool
is_kept(unsigned char c, enum text_as as)
{
	if (c == ';')
		return as != TEXT_FIELD;
	if (c == '=')
		return as == TEXT_TAG_KEY;
	return c == 0x7f || (c < 0x20 && c != '\t' && c != '\n' && c != '\r');
}

/* Returns the length of the character at s if it is written unchanged, or 0. */
static size_t
plain_here(const unsigned char *s, size_t n, enum text_as as)
{
	return *s < 0x80 ? !is_kept(*s, as) : esc_utf8(s, n);
}

static int
hex_value(unsigned char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Returns whether the text x{hh} here, after a backslash, would be read as a spelled byte. */
static bool
looks_kept(const unsigned char *s, size_t n, enum text_as as)
{
	int high, low;

	if (n < SPELLED - 1 || s[0] != 'x' || s[1] != '{' || s[4] != '}')
		return false;
	high = hex_value(s[2]);
	low = hex_value(s[3]);
	if (high < 0 || low < 0)
		return false;
	return high >= 8 || is_kept((unsigned char)(high << 4 | low), as);
}

/* Returns the number of backslashes at s.  *times is how often each of them is written. */
static size_t
backslashes(const unsigned char *s, size_t n, enum text_as as, unsigned *times)
{
	size_t k = 0;

	while (k < n && s[k] == '\\')
		k++;
	*times =
	    k < n && (plain_here(s + k, n - k, as) == 0 || looks_kept(s + k, n - k, as)) ? 2 : 1;
	return k;
}

/* Spells the raw bytes.  to has room for SPELLED times as many bytes. */
static void
spell(struct buf *to, const unsigned char *s, size_t n, enum text_as as)
{
	static const char digits[] = "0123456789abcdef";
	char *d = to->p + to->len;
	unsigned times;
	size_t i = 0, step;

	while (i < n) {
		step = s[i] == '\\' ? 0 : plain_here(s + i, n - i, as);
		if (step != 0) {
			memcpy(d, s + i, step);
			d += step;
			i += step;
		} else if (s[i] == '\\') {
			step = backslashes(s + i, n - i, as, &times);
			memset(d, '\\', step * times);
			d += step * times;
			i += step;
		} else {
			*d++ = '\\';
			*d++ = 'x';
			*d++ = '{';
			*d++ = digits[s[i] >> 4];
			*d++ = digits[s[i] & 15];
			*d++ = '}';
			i++;
		}
	}
	to->len = (size_t)(d - to->p);
}

static bool
is_unchanged(struct slice text, enum text_as as)
{
	size_t i;

	if (memchr(text.p, '\\', text.len) != NULL)
		return false;
	for (i = 0; as != TEXT_FIELD && i < text.len; i++)
		if (is_kept((unsigned char)text.p[i], as))
			return false;
	return true;
}

bool
text_append(struct buf *to, struct slice text, enum text_as as)
{
	struct buf raw = { 0 };
	size_t at;
	bool ok;

	if (text.len == 0 || slice_is_nothing(text))
		return true;
	if (is_unchanged(text, as))
		return buf_put(to, text.p, text.len);
	/* the reader has checked the escapes, so only allocation can fail */
	ok = esc_undo(&raw, text, &at) == 0 && buf_room(to, raw.len * SPELLED);
	if (ok)
		spell(to, (const unsigned char *)raw.p, raw.len, as);
	buf_free(&raw);
	return ok;
}

bool
text_append_tag(struct buf *tags, struct slice key, struct slice value)
{
	bool dot = slice_is_nothing(key); /* in a key "." has no special meaning */

	if (key.len == 0) {
		key = value;
		value.len = 0;
		if (key.len == 0 || slice_is_nothing(key))
			return true;
	}
	return (tags->len == 0 || buf_putc(tags, ';')) &&
	    (dot ? buf_putc(tags, '.') : text_append(tags, key, TEXT_TAG_KEY)) &&
	    buf_putc(tags, '=') && text_append(tags, value, TEXT_TAG_VALUE);
}

/* Appends the text as bytes, without undoing its escapes. */
static bool
append_as_it_is(struct buf *to, struct slice text, enum text_as as)
{
	if (!buf_room(to, text.len * SPELLED))
		return false;
	spell(to, (const unsigned char *)text.p, text.len, as);
	return true;
}

bool
text_append_own_tag(struct buf *tags, struct slice key, struct slice value)
{
	return (tags->len == 0 || buf_putc(tags, ';')) &&
	    append_as_it_is(tags, key, TEXT_TAG_KEY) && buf_putc(tags, '=') &&
	    (slice_is_nothing(value) || append_as_it_is(tags, value, TEXT_TAG_VALUE));
}

bool
text_cut_tag(struct slice *key)
{
	if (key->len <= 4 || memcmp(key->p, "tag.", 4) != 0)
		return false;
	*key = (struct slice){ key->p + 4, key->len - 4 };
	return true;
}

/* Undoes backslashes and the spelling that follows them.  Returns the number of bytes read. */
static size_t
unspell(struct buf *to, const unsigned char *s, size_t n, enum text_as as)
{
	char *d = to->p + to->len;
	size_t k = 0;
	bool kept;

	while (k < n && s[k] == '\\')
		k++;
	kept = looks_kept(s + k, n - k, as);
	memset(d, '\\', kept ? k / 2 : k);
	d += kept ? k / 2 : k;
	to->len = (size_t)(d - to->p);
	if (!kept || k % 2 == 0)
		return k;
	*d = (char)(hex_value(s[k + 2]) << 4 | hex_value(s[k + 3]));
	to->len++;
	return k + SPELLED - 1;
}

bool
text_bytes(struct buf *to, struct slice text, enum text_as as)
{
	const unsigned char *s = (const unsigned char *)text.p;
	size_t at = 0;

	if (!buf_room(to, text.len))
		return false;
	while (at < text.len) {
		const unsigned char *next = memchr(s + at, '\\', text.len - at);
		size_t n = next == NULL ? text.len - at : (size_t)(next - (s + at));

		memcpy(to->p + to->len, s + at, n);
		to->len += n;
		at += n;
		if (next != NULL)
			at += unspell(to, next, text.len - at, as);
	}
	return true;
}

void
text_put(struct out *o, struct buf *scratch, struct slice text)
{
	if (text.len == 0 || slice_is_nothing(text))
		return;
	if (memchr(text.p, '\\', text.len) == NULL) {
		csv_field_put(o, text.p, text.len);
		return;
	}
	scratch->len = 0;
	if (text_append(scratch, text, TEXT_FIELD))
		csv_field_put(o, scratch->p, scratch->len);
	else
		out_fail(o, ENOMEM);
}
