/* SPDX-License-Identifier: ISC */
/*
 * decnum.c - the numbers of a record.
 *
 * The page: integers are decimal or hexadecimal as for strtoll, but not octal; doubles are as for
 * strtod, with nothing but white space after them.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "src/afperf/decint.h"

enum digits { DIGITS_OK, DIGITS_BAD, DIGITS_OCTAL, DIGITS_OVER };

/* The value of a hexadecimal digit, 16 for anything else. */
static const unsigned char hex_digit[256] = {
#define X 16
#define ROW X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X
	ROW, ROW, ROW, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, X, X, X, X, X, X, X, 10, 11, 12, 13, 14, 15, X,
	X, X, X, X, X, X, X, X, ROW, X, 10, 11, 12, 13, 14, 15, X, X, X, X, X, X, X, X, X, ROW, ROW,
	ROW, ROW, ROW, ROW, ROW, ROW, ROW
#undef ROW
#undef X
};

static enum digits
hexadecimal(struct slice s, uint64_t *v)
{
	uint64_t n = 0, over = 0;
	unsigned bad = 0;
	size_t i;

	if (s.len == 2)
		return DIGITS_BAD;
	for (i = 2; i < s.len; i++) {
		unsigned digit = hex_digit[(unsigned char)s.p[i]];

		bad |= digit;
		over |= n >> 60;
		n = n << 4 | (digit & 15);
	}
	if (bad > 15)
		return DIGITS_BAD;
	*v = n;
	return over != 0 ? DIGITS_OVER : DIGITS_OK;
}

/* Is it beyond 64 bits?  Only called if there are that many digits. */
static bool
is_over(struct slice s)
{
	static const char max[] = "18446744073709551615";

	return s.len > 20 || (s.len == 20 && memcmp(s.p, max, 20) > 0);
}

/* Digits without a sign. */
static enum digits
digits(struct slice s, uint64_t *v, uint8_t *form)
{
	uint64_t n = 0;
	unsigned bad = 0;
	size_t i;

	*form = REF_DEC;
	if (s.len >= 2 && s.p[0] == '0' && (s.p[1] | 0x20) == 'x') {
		*form = REF_HEX;
		return hexadecimal(s, v);
	}
	for (i = 0; i < s.len; i++) {
		unsigned digit = (unsigned)(unsigned char)s.p[i] - '0';

		bad |= digit > 9;
		n = n * 10 + digit;
	}
	if (bad != 0 || s.len == 0)
		return DIGITS_BAD;
	if (s.len > 1 && s.p[0] == '0')
		return DIGITS_OCTAL;
	*v = n;
	return s.len >= 20 && is_over(s) ? DIGITS_OVER : DIGITS_OK;
}

bool
dec_digits(struct slice s, uint64_t *v)
{
	uint8_t form;

	return digits(s, v, &form) == DIGITS_OK;
}

static bool
is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Skips what strtoll accepts before the digits.  True if there was a blank. */
static bool
take_sign(struct slice *s, bool *negative, bool *sign)
{
	bool blanks = false;

	for (; s->len > 0 && is_space(s->p[0]); s->p++, s->len--)
		blanks = true;
	*sign = s->len > 0 && (s->p[0] == '-' || s->p[0] == '+');
	*negative = *sign && s->p[0] == '-';
	if (*sign) {
		s->p++;
		s->len--;
	}
	return blanks;
}

enum dec
dec_unsigned(struct afperf_decode *d, const struct dec_rec *r, size_t field, uint64_t *v,
    uint8_t *form)
{
	struct slice s = record_field(&r->r, field), rest = s;
	bool blanks = false, negative = false, sign = false;
	enum digits got = digits(s, v, form);

	if (got == DIGITS_OK)
		return DEC_DONE;
	if (got == DIGITS_BAD) {
		blanks = take_sign(&rest, &negative, &sign);
		got = digits(rest, v, form);
	}
	if (s.len == 0)
		return dec_broken(d, r, field + 1, RULE_INTEGER, "no integer");
	if (got == DIGITS_OCTAL)
		return dec_broken(d, r, field + 1, RULE_INTEGER, "octal integer %s",
		    dec_shown(d, s));
	if (got == DIGITS_OVER)
		return dec_broken(d, r, field + 1, RULE_INTEGER, "integer of more than 64 bits %s",
		    dec_shown(d, s));
	if (got == DIGITS_BAD || negative)
		return dec_broken(d, r, field + 1, RULE_INTEGER, "%s integer %s",
		    got == DIGITS_BAD ? "bad" : "negative", dec_shown(d, s));
	if (field >= r->said)
		dec_doubt(d, r, field + 1, RULE_BLANKS, "integer with %s in front: %s",
		    blanks ? "blanks" : "a sign", dec_shown(d, s));
	return DEC_DONE;
}

enum dec
dec_id(struct afperf_decode *d, const struct dec_rec *r, size_t field, struct dec_memo *memo,
    struct dec_ref *ref)
{
	struct slice s = record_field(&r->r, field);
	enum dec rc;

	if (s.len == memo->len && s.len != 0 && memcmp(s.p, memo->text, s.len) == 0) {
		*ref = memo->ref;
		return DEC_DONE;
	}
	rc = dec_unsigned(d, r, field, &ref->id, &ref->form);
	if (rc == DEC_DONE && s.p[0] >= '0' && s.len <= sizeof memo->text) {
		memcpy(memo->text, s.p, s.len);
		memo->len = s.len;
		memo->ref = *ref;
	}
	return rc;
}

enum dec
dec_signed(struct afperf_decode *d, const struct dec_rec *r, size_t field, int64_t min, int64_t max,
    const char *type, int64_t *v)
{
	struct slice s = record_field(&r->r, field), rest = s;
	bool negative, sign, blanks = take_sign(&rest, &negative, &sign);
	uint64_t n = 0;
	uint8_t form;
	enum digits got = digits(rest, &n, &form);

	if (s.len == 0)
		return dec_broken(d, r, field + 1, RULE_VALUE, "empty %s value", type);
	if (got == DIGITS_OCTAL)
		return dec_broken(d, r, field + 1, RULE_VALUE, "octal integer %s", dec_shown(d, s));
	if (got == DIGITS_BAD)
		return dec_broken(d, r, field + 1, RULE_VALUE, "bad %s value %s", type,
		    dec_shown(d, s));
	if (got == DIGITS_OVER || (negative ? n > (uint64_t)0 - (uint64_t)min : n > (uint64_t)max))
		return dec_broken(d, r, field + 1, RULE_VALUE, "value does not fit %s: %s", type,
		    dec_shown(d, s));
	if (blanks)
		dec_doubt(d, r, field + 1, RULE_BLANKS, "integer with blanks in front: %s",
		    dec_shown(d, s));
	*v = negative ? (int64_t)(0 - n) : (int64_t)n;
	return DEC_DONE;
}

enum dec
dec_double(struct afperf_decode *d, const struct dec_rec *r, size_t field, enum afperf_rule rule,
    const char *what)
{
	struct slice s = record_field(&r->r, field);
	const char *text;
	char *end;
	double v;
	size_t n;

	if (!buf_room(&d->scratch, NUM_MAX))
		return dec_nomem(d);
	n = num_respell_double(d->scratch.p + d->scratch.len, s);
	d->scratch.len += n;
	if (n != 0)
		return DEC_DONE;
	if (s.len == 0)
		return dec_broken(d, r, field + 1, rule, "empty %s value", what);
	d->number.len = 0;
	if (!buf_put(&d->number, s.p, s.len) || !buf_putc(&d->number, '\0'))
		return dec_nomem(d);
	text = d->number.p;
	errno = 0;
	v = strtod(text, &end);
	if (errno == ERANGE && isinf(v))
		dec_doubt(d, r, field + 1, RULE_OVERFLOW, "%s is beyond every double: infinity",
		    dec_shown(d, s));
	if (end != text)
		while (is_space(*end))
			end++;
	if (end != text + s.len)
		return dec_broken(d, r, field + 1, rule, "bad %s value %s", what, dec_shown(d, s));
	d->scratch.len += num_put_double(d->scratch.p + d->scratch.len, v);
	return DEC_DONE;
}
