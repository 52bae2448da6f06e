/* SPDX-License-Identifier: ISC */
/*
 * pytext.c - spells JSON values as Python's str() and json.dumps() do, and compares them as ==
 * does.
 */
#include "src/perun/pytext.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/esc.h"
#include "lib/json/jdict.h"
#include "lib/json/jtext.h"
#include "lib/mem.h"
#include "lib/num.h"

/*
 * Returns true if the text is what repr() would give: it has few digits, a point and no superfluous
 * zeros.
 */
static bool
is_repr(struct slice s)
{
	size_t i = s.p[0] == '-', from = i, point = 0, digits = 0;

	for (; i < s.len; i++) {
		if (s.p[i] == '.')
			point = i;
		else if (s.p[i] >= '0' && s.p[i] <= '9')
			digits += digits != 0 || s.p[i] != '0';
		else
			return false;
	}
	if (point == 0 || digits == 0 || digits > 15)
		return false;
	if (s.p[s.len - 1] == '0' && s.len - point > 2)
		return false;
	if (s.p[from] != '0')
		return true;
	for (i = point + 1; i < s.len && i <= point + 4; i++)
		if (s.p[i] != '0')
			return true; /* at least 0.0001, so repr() uses no exponent */
	return false;
}

/*
 * So many digits of a number matter: a double, or the middle between two, has at most 768.  Of the
 * others it only matters whether one is not 0.
 */
#define DIGITS_MAX 800
#define NUMBER_MAX (DIGITS_MAX + 32) /* with a sign, a digit for the others, and an exponent */

/* Writes the number s, of any length, with few digits and an exponent. */
static void
shorten(struct slice s, char dst[NUMBER_MAX])
{
	size_t i = 0, n = 0, kept = 0;
	long long exponent = 0, said = 0;
	bool point = false, more = false, below = false;

	if (s.p[i] == '-')
		dst[n++] = s.p[i++];
	for (; i < s.len && s.p[i] != 'e' && s.p[i] != 'E'; i++) {
		if (s.p[i] == '.') {
			point = true;
			continue;
		}
		if (kept != 0 || s.p[i] != '0') {
			if (kept == DIGITS_MAX) {
				more = more || s.p[i] != '0';
				exponent += !point;
				continue;
			}
			dst[n++] = s.p[i];
			kept++;
		}
		exponent -= point;
	}
	dst[n++] = more ? '1' : '0';
	for (i++; i < s.len && said < INT_MAX; i++) {
		below = below || s.p[i] == '-';
		if (s.p[i] >= '0' && s.p[i] <= '9')
			said = said * 10 + (s.p[i] - '0');
	}
	(void)snprintf(dst + n, NUMBER_MAX - n, "e%lld", exponent - 1 + (below ? -said : said));
}

double
pytext_double(struct slice s)
{
	char copy[NUMBER_MAX];

	if (s.len < sizeof copy) {
		memcpy(copy, s.p, s.len);
		copy[s.len] = '\0';
	} else {
		shorten(s, copy);
	}
	return strtod(copy, NULL);
}

/*
 * Spells a double like PyOS_double_to_string with 'r', which uses an exponent for 1e16 and above,
 * and below 1e-4.
 */
static size_t
put_repr(char *dst, double v)
{
	char digits[NUM_DIGITS_MAX], *d = dst;
	int point, i;
	size_t n = num_shortest(digits, fabs(v), &point);

	if (signbit(v))
		*d++ = '-';
	if (point > 16 || point < -3) {
		*d++ = digits[0];
		if (n > 1) {
			*d++ = '.';
			memcpy(d, digits + 1, n - 1);
			d += n - 1;
		}
		return (size_t)(d - dst) +
		    (size_t)sprintf(d, "e%c%02d", point > 0 ? '+' : '-', abs(point - 1));
	}
	for (i = point; i < 1; i++) {
		*d++ = '0';
		if (i == point)
			*d++ = '.';
	}
	for (i = 0; i < (int)n; i++) {
		if (i == point && i != 0)
			*d++ = '.';
		*d++ = digits[i];
	}
	for (; i < point; i++)
		*d++ = '0';
	if ((int)n <= point) {
		*d++ = '.';
		*d++ = '0';
	}
	return (size_t)(d - dst);
}

static size_t
copy_text(char *dst, const char *s)
{
	size_t n = strlen(s);

	memcpy(dst, s, n);
	return n;
}

static size_t
put_float(char *dst, struct slice number, const char *infinite)
{
	double v;

	if (number.len < PYTEXT_FLOAT_MAX && is_repr(number)) {
		memcpy(dst, number.p, number.len);
		return number.len;
	}
	v = pytext_double(number);
	if (isinf(v)) {
		dst[0] = '-';
		return (v < 0) + copy_text(dst + (v < 0), infinite);
	}
	if (v == 0)
		return copy_text(dst, signbit(v) ? "-0.0" : "0.0");
	return put_repr(dst, v);
}

size_t
pytext_str_float(char *dst, struct slice number)
{
	return put_float(dst, number, "inf");
}

/* Does the same as json.dumps, which spells infinities in words of its own. */
static size_t
dumps_float(char *dst, struct slice number)
{
	return put_float(dst, number, "Infinity");
}

static struct slice
str_word(char first, size_t len)
{
	switch (first) {
	case 't': return SLICE("True");
	case 'f': return SLICE("False");
	case 'n': return SLICE("None");
	case 'N': return SLICE("nan");
	}
	return len == 8 ? SLICE("inf") : SLICE("-inf");
}

struct slice
pytext_str(struct buf *out, const char *text, const struct jscan_token *k)
{
	struct slice s = { text + k->off, k->len };
	size_t from = out->len;

	switch (k->kind) {
	case JSCAN_STRING:
		if ((k->flags & JSCAN_ESCAPED) == 0 || !jtext_undo(out, s))
			return s;
		break;
	case JSCAN_INTEGER: return s.len == 2 && memcmp(s.p, "-0", 2) == 0 ? SLICE("0") : s;
	case JSCAN_FLOAT:
		if (s.len < PYTEXT_FLOAT_MAX && is_repr(s))
			return s;
		out->len += pytext_str_float(out->p + out->len, s);
		break;
	default: return str_word(s.p[0], s.len);
	}
	return (struct slice){ out->p + from, out->len - from };
}

bool
pytext_dumps_double(struct buf *out, double d)
{
	char text[PYTEXT_FLOAT_MAX], spelled[PYTEXT_FLOAT_MAX];

	if (isnan(d))
		return buf_put(out, "NaN", 3);
	snprintf(text, sizeof text, "%.17g", d);
	return buf_put(out, spelled, dumps_float(spelled, slice_of(text)));
}

/*
 * Returns false for the characters for which str.isprintable is false: control and format
 * characters, blanks other than the space, private use.
 */
static bool
is_printable(uint32_t c)
{
	static const uint32_t hidden[][2] = { { 0, 0x1f }, { 0x7f, 0xa0 }, { 0xad, 0xad },
		{ 0x600, 0x605 }, { 0x61c, 0x61c }, { 0x6dd, 0x6dd }, { 0x70f, 0x70f },
		{ 0x890, 0x891 }, { 0x8e2, 0x8e2 }, { 0x1680, 0x1680 }, { 0x180e, 0x180e },
		{ 0x2000, 0x200f }, { 0x2028, 0x202f }, { 0x205f, 0x2064 }, { 0x2066, 0x206f },
		{ 0x3000, 0x3000 }, { 0xd800, 0xf8ff }, { 0xfeff, 0xfeff }, { 0xfff9, 0xfffb },
		{ 0x110bd, 0x110bd }, { 0x110cd, 0x110cd }, { 0x13430, 0x1343f },
		{ 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a }, { 0xe0001, 0xe0001 },
		{ 0xe0020, 0xe007f }, { 0xf0000, 0x10ffff } };
	size_t i;

	for (i = 0; i < sizeof hidden / sizeof hidden[0]; i++)
		if (c >= hidden[i][0] && c <= hidden[i][1])
			return false;
	return true;
}

uint32_t
pytext_character(struct slice *s)
{
	const unsigned char *p = (const unsigned char *)s->p;
	size_t n = p[0] < 0x80 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4, i;
	uint32_t c = n == 1 ? p[0] : p[0] & (0x7fu >> n);

	for (i = 1; i < n && i < s->len; i++)
		c = c << 6 | (p[i] & 0x3f);
	s->p += i;
	s->len -= i;
	return c;
}

static bool
put_hidden(struct buf *b, uint32_t c)
{
	char text[16];
	const char *form = c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x";

	snprintf(text, sizeof text, form, (unsigned)c);
	return buf_puts(b, text);
}

static bool
put_character(struct buf *b, uint32_t c, struct slice bytes, char quote)
{
	switch (c) {
	case '\t': return buf_puts(b, "\\t");
	case '\n': return buf_puts(b, "\\n");
	case '\r': return buf_puts(b, "\\r");
	case '\\': return buf_puts(b, "\\\\");
	}
	if (c == (unsigned char)quote)
		return buf_putc(b, '\\') && buf_putc(b, quote);
	return is_printable(c) ? buf_put(b, bytes.p, bytes.len) : put_hidden(b, c);
}

/* The way to spell a value.  json.dumps and str() differ only in scalars. */
struct speller {
	struct buf *out;
	const char *text;
	const struct jscan_token *token;
	bool (*put_scalar)(struct speller *x, const struct jscan_token *k);
	struct jdict members;
	struct buf scratch;
};

static bool
dumps_scalar(struct speller *x, const struct jscan_token *k)
{
	struct slice s = jscan_inside(x->text, k);
	char number[PYTEXT_FLOAT_MAX];

	x->scratch.len = 0;
	if (k->kind == JSCAN_STRING)
		return jtext_undo(&x->scratch, s) && jtext_quote(x->out, buf_slice(&x->scratch));
	if (k->kind == JSCAN_FLOAT)
		s = (struct slice){ number, dumps_float(number, s) };
	else if (k->kind == JSCAN_INTEGER && slice_eq(s, SLICE("-0")))
		s = SLICE("0");
	return buf_put(x->out, s.p, s.len);
}

static bool
repr_string(struct speller *x, const struct jscan_token *k)
{
	struct slice s, from;
	char quote = '\'';
	bool ok;

	x->scratch.len = 0;
	if (!jtext_undo(&x->scratch, jscan_inside(x->text, k)))
		return false;
	s = buf_slice(&x->scratch);
	if (s.len != 0 && memchr(s.p, '\'', s.len) != NULL && memchr(s.p, '"', s.len) == NULL)
		quote = '"';
	ok = buf_putc(x->out, quote);
	while (ok && s.len != 0) {
		uint32_t c;

		from = s;
		c = pytext_character(&s);
		from.len -= s.len;
		ok = put_character(x->out, c, from, quote);
	}
	return ok && buf_putc(x->out, quote);
}

static bool
repr_scalar(struct speller *x, const struct jscan_token *k)
{
	struct slice s;

	if (k->kind == JSCAN_STRING)
		return repr_string(x, k);
	x->scratch.len = 0;
	if (!buf_room(&x->scratch, k->len + PYTEXT_FLOAT_MAX))
		return false;
	s = pytext_str(&x->scratch, x->text, k);
	return buf_put(x->out, s.p, s.len);
}

static bool put_value(struct speller *x, uint32_t index);

static bool
put_object(struct speller *x, uint32_t index)
{
	size_t from = x->members.n, i;
	bool ok = jdict_push(&x->members, x->text, x->token, index) && buf_putc(x->out, '{');

	for (i = from; ok && i < x->members.n; i++) {
		struct jdict_member m = x->members.m[i];

		ok = (i == from || buf_put(x->out, ", ", 2)) &&
		    x->put_scalar(x, &x->token[m.name]) && buf_put(x->out, ": ", 2) &&
		    put_value(x, m.value);
	}
	x->members.n = from;
	return ok && buf_putc(x->out, '}');
}

static bool
put_value(struct speller *x, uint32_t index)
{
	const struct jscan_token *k = &x->token[index];
	uint32_t i;
	bool ok;

	if (k->kind == JSCAN_OBJECT)
		return put_object(x, index);
	if (k->kind != JSCAN_ARRAY)
		return x->put_scalar(x, k);
	ok = buf_putc(x->out, '[');
	for (i = index + 1; ok && i < k->next; i = x->token[i].next)
		ok = (i == index + 1 || buf_put(x->out, ", ", 2)) && put_value(x, i);
	return ok && buf_putc(x->out, ']');
}

static bool
spell(struct speller *x, uint32_t index)
{
	bool ok = put_value(x, index);

	jdict_free(&x->members);
	buf_free(&x->scratch);
	return ok;
}

bool
pytext_dumps(struct buf *out, const char *text, const struct jscan_token *token, uint32_t index)
{
	struct speller x = { out, text, token, dumps_scalar, { .m = NULL }, { .p = NULL } };

	return spell(&x, index);
}

bool
pytext_str_of(struct buf *out, const char *text, const struct jscan_token *token, uint32_t index)
{
	struct speller x = { out, text, token, repr_scalar, { .m = NULL }, { .p = NULL } };

	if (token[index].kind == JSCAN_STRING)
		return jtext_undo(out, jscan_inside(text, &token[index]));
	return spell(&x, index);
}

/*
 * Appends the identity of a number.  A float without a fraction is equal to an integer, whatever
 * its size.
 */
static bool
identify_number(struct buf *out, struct slice number)
{
	char text[400];
	double d = pytext_double(number);
	const char *form = !isfinite(d) || d != floor(d) ? "%.17g" : "%.0f";

	snprintf(text, sizeof text, form, d == 0 ? 0.0 : d);
	return buf_puts(out, text);
}

static bool
identify_word(struct buf *out, struct slice word)
{
	switch (word.p[0]) {
	case 't': return buf_put(out, "1", 1);
	case 'f': return buf_put(out, "0", 1);
	case 'n': return buf_put(out, "None", 4);
	case 'N': return buf_put(out, "nan", 3);
	}
	return word.len == 8 ? buf_put(out, "inf", 3) : buf_put(out, "-inf", 4);
}

/*
 * Appends the identity of a string after its length, so that no text can look like another value.
 */
static bool
identify_string(struct buf *out, struct slice inside)
{
	char digits[NUM_MAX];
	size_t from = out->len, n;

	if (!buf_room(out, NUM_MAX) || !jtext_undo(out, inside))
		return false;
	n = num_put_u64(digits, out->len - from);
	digits[n++] = '"';
	if (!buf_room(out, n))
		return false;
	memmove(out->p + from + n, out->p + from, out->len - from);
	memcpy(out->p + from, digits, n);
	out->len += n;
	return true;
}

/* The identity of a member, for sorting.  It begins with the name. */
struct piece {
	size_t at, len;
	const char *base;
};

static int
by_text(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return slice_cmp((struct slice){ x->base + x->at, x->len },
	    (struct slice){ y->base + y->at, y->len });
}

static bool
sort_pieces(struct buf *out, size_t from, struct piece *piece, size_t n)
{
	size_t i, len = out->len - from, at = 0;
	char *copy = mem_alloc(len + 1);

	if (copy == NULL)
		return false;
	memcpy(copy, out->p + from, len);
	for (i = 0; i < n; i++) {
		piece[i].at -= from;
		piece[i].base = copy;
	}
	qsort(piece, n, sizeof *piece, by_text);
	for (i = 0; i < n; at += piece[i++].len)
		memcpy(out->p + from + at, copy + piece[i].at, piece[i].len);
	mem_free(copy);
	return true;
}

static bool
identify_object(struct jvalue *v, uint32_t index, struct buf *out)
{
	size_t base = v->members.n, i, n, from;
	struct piece *piece;
	bool ok;

	if (!buf_putc(out, '{') || !jdict_push(&v->members, v->j.text, v->j.token, index))
		return false;
	n = v->members.n - base;
	from = out->len;
	piece = mem_alloc((n + 1) * sizeof *piece);
	ok = piece != NULL;
	for (i = 0; ok && i < n; i++) {
		struct jdict_member m = v->members.m[base + i];

		piece[i].at = out->len;
		ok = identify_string(out, jvalue_inside(v, m.name)) &&
		    pytext_identity(out, v, m.value);
		piece[i].len = out->len - piece[i].at;
	}
	v->members.n = base;
	ok = ok && (n < 2 || sort_pieces(out, from, piece, n)) && buf_putc(out, '}');
	mem_free(piece);
	return ok;
}

bool
pytext_identity(struct buf *out, struct jvalue *v, uint32_t index)
{
	struct slice s = jvalue_inside(v, index);
	uint32_t i, end = v->j.token[index].next;
	bool ok;

	switch (v->j.token[index].kind) {
	case JSCAN_OBJECT: return identify_object(v, index, out);
	case JSCAN_STRING: return identify_string(out, s);
	case JSCAN_INTEGER:
		ok = s.len == 2 && memcmp(s.p, "-0", 2) == 0;
		return buf_put(out, s.p + ok, s.len - ok) && buf_putc(out, ' ');
	case JSCAN_FLOAT: return identify_number(out, s) && buf_putc(out, ' ');
	case JSCAN_WORD: return identify_word(out, s) && buf_putc(out, ' ');
	}
	ok = buf_putc(out, '[');
	for (i = index + 1; ok && i < end; i = v->j.token[i].next)
		ok = pytext_identity(out, v, i);
	return ok && buf_putc(out, ']');
}
