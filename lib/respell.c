/* SPDX-License-Identifier: ISC */
/*
 * respell.c - finds the shortest decimal number that reads back the same, without printf and
 * strtod, which cost ten times as much.
 *
 * The number is w / 10^k.  The double nearest to it is m * 2^e with e < 0.  Multiplied by 5^k *
 * 2^-e, both are integers of less than 128 bits, and so are the bounds of the numbers that read
 * back as that double.  So everything here is exact.  Numbers that do not fit or lie exactly on a
 * bound are left to the caller.
 */
#include <string.h>

#include "lib/num.h"
#include "lib/number.h"
#include "lib/short.h"
#include "lib/wide.h"

#define SHORT_DIGITS 15 /* no double needs fewer digits to be distinguished from its neighbours */
#define LONG_DIGITS 17
#define DIGITS_MAX 19 /* decimal digits of 64 bits */
#define DECIMALS_MAX 22 /* 10^22 is the last exact power */
#define HIDDEN_BIT (UINT64_C(1) << 52)

/* The parts of -?digits[.digits], without needless digits. */
struct plain {
	struct slice whole, fraction;
	uint64_t digits_value; /* of all digits; valid if they are at most DIGITS_MAX */
	size_t digits; /* number of significant digits, from the first that is not 0 */
	bool negative;
};

static const uint64_t tens[] = { UINT64_C(1), UINT64_C(10), UINT64_C(100), UINT64_C(1000),
	UINT64_C(10000), UINT64_C(100000), UINT64_C(1000000), UINT64_C(10000000),
	UINT64_C(100000000), UINT64_C(1000000000), UINT64_C(10000000000), UINT64_C(100000000000),
	UINT64_C(1000000000000), UINT64_C(10000000000000), UINT64_C(100000000000000),
	UINT64_C(1000000000000000), UINT64_C(10000000000000000), UINT64_C(100000000000000000),
	UINT64_C(1000000000000000000), UINT64_C(10000000000000000000) };

/* Reads [0-9]{1,22}.  The value is valid if at most DIGITS_MAX digits are significant. */
static bool
read_digits(struct slice s, uint64_t *v)
{
	uint64_t high = 0;
	size_t more = s.len > NUMBER_SMALL_DIGITS ? s.len - NUMBER_SMALL_DIGITS : 0;

	if (s.len > DECIMALS_MAX ||
	    (more != 0 && !number_small_unsigned((struct slice){ s.p, more }, &high)) ||
	    !number_small_unsigned((struct slice){ s.p + more, s.len - more }, v))
		return false;
	*v += high * tens[NUMBER_SMALL_DIGITS];
	return true;
}

static bool
read_plain(struct slice s, struct plain *v)
{
	const char *point;
	uint64_t whole, fraction;
	size_t n, zeros;

	v->negative = s.len > 0 && s.p[0] == '-';
	s.p += v->negative;
	s.len -= v->negative;
	point = s.len == 0 ? NULL : memchr(s.p, '.', s.len);
	n = point == NULL ? s.len : (size_t)(point - s.p);
	if (n > SHORT_DIGITS || (n > 1 && s.p[0] == '0') ||
	    !read_digits((struct slice){ s.p, n }, &whole))
		return false;
	v->whole = (struct slice){ s.p, n };
	v->fraction = (struct slice){ s.p + n, 0 };
	v->digits_value = whole;
	v->digits = n;
	if (n == s.len)
		return true;
	v->fraction = (struct slice){ s.p + n + 1, s.len - n - 1 };
	if (!read_digits(v->fraction, &fraction) || s.p[s.len - 1] == '0')
		return false;
	v->digits += v->fraction.len;
	v->digits_value = fraction;
	if (whole != 0 && v->digits <= DIGITS_MAX)
		v->digits_value += whole * tens[v->fraction.len];
	if (v->whole.len == 1 && v->whole.p[0] == '0') {
		for (zeros = 0; v->fraction.p[zeros] == '0'; zeros++)
			;
		v->digits -= zeros + 1;
		return zeros < 4; /* numbers below 0.0001 have an exponent */
	}
	return true;
}

static const uint64_t fives[] = { UINT64_C(1), UINT64_C(5), UINT64_C(25), UINT64_C(125),
	UINT64_C(625), UINT64_C(3125), UINT64_C(15625), UINT64_C(78125), UINT64_C(390625),
	UINT64_C(1953125), UINT64_C(9765625), UINT64_C(48828125), UINT64_C(244140625),
	UINT64_C(1220703125), UINT64_C(6103515625), UINT64_C(30517578125), UINT64_C(152587890625),
	UINT64_C(762939453125), UINT64_C(3814697265625), UINT64_C(19073486328125),
	UINT64_C(95367431640625), UINT64_C(476837158203125), UINT64_C(2384185791015625) };

/* Returns true if v has n digits. */
static bool
has_digits(uint64_t v, size_t n)
{
	return v >= tens[n - 1] && v < tens[n]; /* n is at most DIGITS_MAX */
}

/*
 * Compares |a - b| with bound.  Returns -1 inside, 0 exactly on it, and 1 beyond.  Both are below
 * 2^127.  Which is larger cannot be predicted, so there is no branch for it.
 */
static inline int
against(struct wide a, struct wide b, uint64_t bound)
{
	struct wide by = wide_sub(a, b);
	uint64_t sign = 0 - (by.hi >> 63);

	by.lo = (by.lo ^ sign) - sign;
	by.hi = (by.hi ^ sign) + (sign & (by.lo == 0));
	return by.hi != 0 || by.lo > bound ? 1 : by.lo == bound ? 0 : -1;
}

/*
 * The double in integers: its value, and half its distance to the next, in units of 2^-unit *
 * 10^-k.
 */
struct exact {
	struct wide value;
	uint64_t half;
	unsigned k, unit;
};

/* Finds the mantissa of the double nearest to w / 10^k by division, then by comparison. */
static bool
find_double(uint64_t w, unsigned k, struct exact *x)
{
	static const double exact_tens[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10,
		1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
	double guess = (double)w / exact_tens[k];
	uint64_t bits, m;
	struct wide number;
	int exponent, shift, side;

	memcpy(&bits, &guess, sizeof bits);
	m = (bits & (HIDDEN_BIT - 1)) | HIDDEN_BIT;
	exponent = (int)(bits >> 52) - 1075;
	shift = -exponent - (int)k;
	if (exponent >= 0 || shift < 0 || shift > 60)
		return false;
	x->k = k;
	x->unit = (unsigned)shift + 1;
	x->half = fives[k];
	number = wide_shl((struct wide){ 0, w }, x->unit);
	for (;;) { /* the guess is at most one double away */
		/* at a power of two the distances to the two neighbours differ */
		if (m <= HIDDEN_BIT || m >= 2 * HIDDEN_BIT)
			return false;
		x->value = wide_mul(2 * m, fives[k]);
		side = against(number, x->value, x->half);
		if (side <= 0)
			return side < 0;
		m += wide_cmp(number, x->value) > 0 ? 1 : UINT64_MAX;
	}
}

/* Returns value / 2^unit, and stores the remainder in *rest. */
static uint64_t
whole_part(const struct exact *x, uint64_t *rest)
{
	*rest = x->value.lo & ((UINT64_C(1) << x->unit) - 1);
	return x->value.lo >> x->unit | x->value.hi << (64 - x->unit);
}

/* Returns v modulo 10^fewer.  Divisions by constants are fast. */
static inline uint64_t
last_digits(uint64_t v, unsigned fewer)
{
	switch (fewer) {
	case 0: return 0;
	case 1: return v % 10;
	case 2: return v % 100;
	default: return v % tens[fewer];
	}
}

/*
 * Finds the number with FEWER fewer decimals that is nearest to the double, whose value is whole
 * and rest / 2^unit, and stores it with zeros in their place.  Returns 1 if it reads back as the
 * double, 0 if not, and -1 if it is too close to decide.
 */
static int
try_fewer(const struct exact *x, uint64_t whole, uint64_t rest, unsigned fewer, uint64_t *n)
{
	uint64_t ten = tens[fewer], last = last_digits(whole, fewer), away = ten - last;
	uint64_t over = fewer == 0 ? rest : last;
	uint64_t half = fewer == 0 ? UINT64_C(1) << (x->unit - 1) : ten / 2;
	int side;

	if (over == half && (fewer == 0 || rest == 0))
		return -1;
	/* usually it is further away than the next double, which needs no exact comparison */
	if (fewer != 0 && (away < last ? away : last) > (x->half >> x->unit) + 1)
		return 0;
	*n = whole - last + (over >= half ? ten : 0);
	side = against(wide_shl((struct wide){ 0, *n }, x->unit), x->value, x->half);
	return side == 0 ? -1 : side < 0;
}

/*
 * Finds the shortest number of at least SHORT_DIGITS digits that reads back as the double, and
 * stores it with LENGTH digits.  Returns how many digits it needs, or 0 if that is too close to
 * decide.  It begins with 16, which divides the cases best: if they do not suffice, 15 do not.
 */
static unsigned
find_digits(const struct exact *x, uint64_t whole, uint64_t rest, unsigned length, uint64_t *n)
{
	uint64_t shorter = 0;
	int found = try_fewer(x, whole, rest, length - (SHORT_DIGITS + 1), n);

	if (found == 0)
		return length >= LONG_DIGITS &&
			try_fewer(x, whole, rest, length - LONG_DIGITS, n) == 1
		    ? LONG_DIGITS
		    : 0;
	if (found == 1)
		found = try_fewer(x, whole, rest, length - SHORT_DIGITS, &shorter);
	if (found == 0)
		return SHORT_DIGITS + 1;
	*n = shorter;
	return found == 1 ? SHORT_DIGITS : 0;
}

/* Copies the text without its last FEWER decimals, and then without zeros at the end. */
static size_t
put_shortened(char *dst, struct slice s, unsigned fewer)
{
	s.len -= fewer;
	while (s.p[s.len - 1] == '0')
		s.len--;
	if (s.p[s.len - 1] == '.')
		s.len--;
	return (size_t)(short_copy(dst, s.p, s.len) - dst);
}

static size_t
put_decimal(char *dst, uint64_t n, unsigned decimals, bool negative)
{
	char digits[NUM_MAX], *p = dst;
	size_t len, whole;

	for (; decimals > 0 && n % 10 == 0; n /= 10)
		decimals--;
	len = num_put_u64(digits, n);
	if (negative)
		*p++ = '-';
	whole = len > decimals ? len - decimals : 0;
	if (whole == 0)
		*p++ = '0';
	p = short_copy(p, digits, whole);
	if (decimals == 0)
		return (size_t)(p - dst);
	*p++ = '.';
	for (; decimals > len; decimals--)
		*p++ = '0';
	return (size_t)(short_copy(p, digits + whole, len - whole) - dst);
}

size_t
num_respell_double(char *dst, struct slice s)
{
	struct plain v;
	struct exact x;
	uint64_t w, n = 0, whole, rest;
	unsigned digits, length;

	if (!read_plain(s, &v))
		return 0;
	if (v.digits <= SHORT_DIGITS) {
		/* there is room: a sign, SHORT_DIGITS, a point and DECIMALS_MAX */
		memcpy(dst, s.p, s.len);
		return s.len;
	}
	if (v.digits > DIGITS_MAX || v.fraction.len > DECIMALS_MAX)
		return 0;
	w = v.digits_value;
	if (!find_double(w, (unsigned)v.fraction.len, &x))
		return 0;
	length = (unsigned)v.digits;
	whole = whole_part(&x, &rest);
	if (!has_digits(whole, length))
		return 0;
	digits = find_digits(&x, whole, rest, length, &n);
	if (digits == 0 || !has_digits(n, length))
		return 0;
	if (length - digits < v.fraction.len && n == w - last_digits(w, length - digits))
		return put_shortened(dst, s, length - digits);
	return put_decimal(dst, n, x.k, v.negative);
}
