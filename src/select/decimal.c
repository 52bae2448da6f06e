/* SPDX-License-Identifier: ISC */
/* decimal.c - compares numbers as the stream spells them. */
#include "src/select/decimal.h"

#define EXPONENT_DIGITS 9

static inline bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Reads digits with an optional point, starting at *at, and moves *at past them. */
static bool
read_digits(struct decimal *n, struct slice s, size_t *at)
{
	size_t i, first = s.len, count = 0;
	bool fraction = false;
	int64_t point = 0;

	for (i = *at; i < s.len; i++) {
		if (s.p[i] == '.' && !fraction) {
			fraction = true;
			continue;
		}
		if (!is_digit(s.p[i]))
			break;
		count++;
		if (first == s.len && s.p[i] != '0')
			first = i;
		if (first != s.len)
			point += !fraction;
		else
			point -= fraction;
	}
	*at = i;
	if (first < s.len) {
		n->digits = (struct slice){ s.p + first, i - first };
		n->point = point;
	}
	return count != 0;
}

static bool
read_exponent(struct decimal *n, struct slice s)
{
	bool negative = s.len > 0 && s.p[0] == '-';
	size_t i = s.len > 0 && (s.p[0] == '-' || s.p[0] == '+');
	int64_t v = 0;

	if (i == s.len || s.len - i > EXPONENT_DIGITS)
		return false;
	for (; i < s.len; i++) {
		if (!is_digit(s.p[i]))
			return false;
		v = v * 10 + (s.p[i] - '0');
	}
	n->point += negative ? -v : v;
	return true;
}

static bool
read_hex(struct decimal *n, struct slice s)
{
	uint64_t v;

	if (!num_get_hex(s, &v))
		return false;
	if (v != 0) {
		n->digits.len = num_put_u64(n->hex, v);
		n->point = (int64_t)n->digits.len;
	}
	return true;
}

bool
decimal_read(struct decimal *n, struct slice s)
{
	size_t at;

	n->class = DECIMAL_FINITE;
	n->negative = s.len > 0 && s.p[0] == '-';
	n->point = 0;
	n->digits = (struct slice){ NULL, 0 };
	at = n->negative;
	if (!read_digits(n, s, &at)) {
		if (slice_eq(s, SLICE("nan")))
			n->class = DECIMAL_NAN;
		else if (slice_eq(s, SLICE("inf")) || slice_eq(s, SLICE("-inf")))
			n->class = DECIMAL_INFINITE;
		else
			return false;
		return true;
	}
	if (at == s.len)
		return true;
	if (s.p[at] == 'e' || s.p[at] == 'E')
		return read_exponent(n, (struct slice){ s.p + at + 1, s.len - at - 1 });
	return s.p[at] == 'x' && read_hex(n, s);
}

static struct slice
digits_of(const struct decimal *n)
{
	return (struct slice){ n->digits.p != NULL ? n->digits.p : n->hex, n->digits.len };
}

/* Returns the next digit, or '0' after the last one. */
static char
next_digit(struct slice s, size_t *at)
{
	if (*at < s.len && s.p[*at] == '.')
		++*at;
	return *at < s.len ? s.p[(*at)++] : '0';
}

/* Compares the absolute values of finite numbers, of which none is 0. */
static int
cmp_magnitudes(const struct decimal *a, const struct decimal *b)
{
	struct slice x = digits_of(a), y = digits_of(b);
	size_t i = 0, j = 0;

	if (a->point != b->point)
		return a->point < b->point ? -1 : 1;
	while (i < x.len || j < y.len) {
		char c = next_digit(x, &i), d = next_digit(y, &j);

		if (c != d)
			return c < d ? -1 : 1;
	}
	return 0;
}

/* Returns -1, 0 or 1.  -0 has the sign of 0. */
static int
sign(const struct decimal *n)
{
	if (n->class == DECIMAL_FINITE && n->digits.len == 0)
		return 0;
	return n->negative ? -1 : 1;
}

int
decimal_cmp(const struct decimal *a, const struct decimal *b)
{
	int s = sign(a), t = sign(b), c;

	if (s != t || s == 0)
		return s - t;
	if (a->class == DECIMAL_INFINITE || b->class == DECIMAL_INFINITE)
		c = (a->class == DECIMAL_INFINITE) - (b->class == DECIMAL_INFINITE);
	else
		c = cmp_magnitudes(a, b);
	return s * c;
}
