/* SPDX-License-Identifier: ISC */
/* num.c - reads numbers strictly and writes them exactly. */
#include "lib/num.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/cur.h"

#if defined __SSE2__ && defined __x86_64__
#include <x86intrin.h>
#endif

static const char pairs[] = "00010203040506070809"
			    "10111213141516171819"
			    "20212223242526272829"
			    "30313233343536373839"
			    "40414243444546474849"
			    "50515253545556575859"
			    "60616263646566676869"
			    "70717273747576777879"
			    "80818283848586878889"
			    "90919293949596979899";

static void
put_pair(char *dst, uint32_t v)
{
	memcpy(dst, pairs + v * 2, 2);
}

void
num_put_8(char *dst, uint32_t v)
{
	uint32_t high = v / 10000, low = v % 10000;

	put_pair(dst, high / 100);
	put_pair(dst + 2, high % 100);
	put_pair(dst + 4, low / 100);
	put_pair(dst + 6, low % 100);
}

/* Writes 1 to 8 digits without leading zeros. */
static size_t
put_short(char *dst, uint32_t v)
{
	size_t n = v < 10000 ? (v < 100           ? (v < 10 ? 1 : 2)
				       : v < 1000 ? 3
						  : 4)
	    : v < 1000000    ? (v < 100000 ? 5 : 6)
	    : v < 10000000   ? 7
			     : 8;
	size_t i = n;

	for (; i >= 2; i -= 2, v /= 100)
		put_pair(dst + i - 2, v % 100);
	if (i != 0)
		dst[0] = (char)('0' + v);
	return n;
}

size_t
num_put_u64(char *dst, uint64_t v)
{
	const uint64_t e8 = 100000000;
	size_t n;

	if (v < e8)
		return put_short(dst, (uint32_t)v);
	if (v < e8 * e8) {
		n = put_short(dst, (uint32_t)(v / e8));
	} else {
		n = put_short(dst, (uint32_t)(v / (e8 * e8)));
		num_put_8(dst + n, (uint32_t)(v / e8 % e8));
		n += 8;
	}
	num_put_8(dst + n, (uint32_t)(v % e8));
	return n + 8;
}

size_t
num_put_i64(char *dst, int64_t v)
{
	if (v >= 0)
		return num_put_u64(dst, (uint64_t)v);
	dst[0] = '-';
	return 1 + num_put_u64(dst + 1, 0 - (uint64_t)v);
}

/* Returns the number of hex digits of v; 0 has one. */
static inline unsigned
hex_digits(uint64_t v)
{
#if defined __GNUC__
	return 16 - ((unsigned)__builtin_clzll(v | 1) >> 2);
#else
	unsigned n = 1;

	while ((v >>= 4) != 0)
		n++;
	return n;
#endif
}

/* There are two versions of the same function.  NUM_PORTABLE selects the portable one. */
#if defined __SSE2__ && defined __x86_64__ && !defined NUM_PORTABLE

static inline void
put_16_hex(char *dst, uint64_t v)
{
	const __m128i mask = _mm_set1_epi8(15), nine = _mm_set1_epi8(9);
	__m128i x = _mm_cvtsi64_si128((long long)cur_swap64(v));
	__m128i d =
	    _mm_unpacklo_epi8(_mm_and_si128(_mm_srli_epi16(x, 4), mask), _mm_and_si128(x, mask));
	__m128i letter = _mm_and_si128(_mm_cmpgt_epi8(d, nine), _mm_set1_epi8('a' - '9' - 1));

	d = _mm_add_epi8(_mm_add_epi8(d, _mm_set1_epi8('0')), letter);
	_mm_storeu_si128((__m128i *)(void *)dst, d);
}

#else

static inline void
put_8_hex(char *dst, uint32_t v)
{
	uint64_t x = v, letter;

	x = (x | x << 16) & UINT64_C(0x0000ffff0000ffff);
	x = (x | x << 8) & UINT64_C(0x00ff00ff00ff00ff);
	x = (x | x << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	letter = (x + UINT64_C(0x0606060606060606)) >> 4 & UINT64_C(0x0101010101010101);
	x += UINT64_C(0x3030303030303030) + letter * ('a' - '9' - 1);
	x = cur_host_big() ? x : cur_swap64(x);
	memcpy(dst, &x, sizeof x);
}

static inline void
put_16_hex(char *dst, uint64_t v)
{
	put_8_hex(dst, (uint32_t)(v >> 32));
	put_8_hex(dst + 8, (uint32_t)v);
}

#endif

#define ROW(d) \
	d "0" d "1" d "2" d "3" d "4" d "5" d "6" d "7" d "8" d "9" d "a" d "b" d "c" d "d" d \
	  "e" d "f"
static const char hex_pairs[] = ROW("0") ROW("1") ROW("2") ROW("3") ROW("4") ROW("5") ROW("6")
    ROW("7") ROW("8") ROW("9") ROW("a") ROW("b") ROW("c") ROW("d") ROW("e") ROW("f");

/* Has no branches, since the number of digits is hard to predict. */
size_t
num_put_hex(char *dst, uint64_t v)
{
	unsigned n = hex_digits(v);

	memcpy(dst, "0x", 2);
	put_16_hex(dst + 2, v << (64 - 4 * n));
	return n + 2;
}

size_t
num_put_bytes(char *dst, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	size_t i;

	for (i = 0; i < n; i++)
		memcpy(dst + 2 * i, hex_pairs + 2 * p[i], 2);
	return 2 * n;
}

/*
 * TEXT is the number nearest to v with that many digits, in the form of %.*e.  Replaces it by the
 * next number above it, or by what is no number if its digits are all nines.
 */
static void
next_above(char *text, int precision)
{
	int i = precision == 0 ? 0 : precision + 1;

	for (; i > 0 && (text[i] == '9' || text[i] == '.'); i--)
		if (text[i] == '9')
			text[i] = '0';
	text[i]++;
}

static bool
is_power_of_two(double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof bits);
	return (bits & ((UINT64_C(1) << 52) - 1)) == 0;
}

/*
 * Returns true if text reads back as v.  Below a power of two the doubles are twice as dense.  So
 * the nearest number with that many digits may lie below v and belong to another double, while the
 * next one above belongs to v.
 */
static bool
reads_back(char *text, int precision, double v)
{
	if (strtod(text, NULL) == v)
		return true;
	if (!is_power_of_two(v))
		return false;
	next_above(text, precision);
	return strtod(text, NULL) == v;
}

/* Reads the exponent of %.*e: a sign, and digits. */
static int
exponent_of(const char *s)
{
	int v = 0, sign = *s == '-' ? -1 : 1;

	while (*++s != '\0')
		v = v * 10 + (*s - '0');
	return sign * v;
}

size_t
num_shortest(char *digits, double v, int *point)
{
	char text[NUM_MAX];
	/* subnormals have fewer digits than the 15 that every normal double keeps */
	int precision = v < 2.3e-308 ? 0 : 14;
	size_t n;

	for (;; precision++) {
		snprintf(text, sizeof text, "%.*e", precision, v);
		if (precision == 16 || reads_back(text, precision, v))
			break;
	}
	n = (size_t)precision + 1;
	*point = exponent_of(text + n + (precision != 0) + 1) + 1;
	digits[0] = text[0];
	memcpy(digits + 1, text + 2, n - 1);
	while (n > 1 && digits[n - 1] == '0')
		n--;
	return n;
}

static char *
put_bytes(char *d, const char *s, size_t n)
{
	memcpy(d, s, n);
	return d + n;
}

/*
 * Writes 0.DIGITS * 10^point without an exponent.  No zeros are missing at its end: numbers with
 * such zeros are integers below 10^15, which are written as such.
 */
static char *
put_plain(char *d, const char *digits, size_t n, int point)
{
	size_t whole = point > 0 ? (size_t)point : 0;

	if (whole == 0) {
		d = put_bytes(d, "0.000", 2 + (size_t)-point);
		return put_bytes(d, digits, n);
	}
	if (whole == n)
		return put_bytes(d, digits, n);
	d = put_bytes(d, digits, whole);
	*d++ = '.';
	return put_bytes(d, digits + whole, n - whole);
}

/* Writes the form of printf's %g, without a plus sign or leading zeros in the exponent. */
static size_t
put_finite(char *dst, double v)
{
	char digits[NUM_DIGITS_MAX], *d = dst;
	int point;
	size_t n = num_shortest(digits, fabs(v), &point);

	if (v < 0)
		*d++ = '-';
	if (point > -4 && point <= (n < 15 ? 15 : (int)n))
		return (size_t)(put_plain(d, digits, n, point) - dst);
	*d++ = digits[0];
	if (n > 1) {
		*d++ = '.';
		d = put_bytes(d, digits + 1, n - 1);
	}
	*d++ = 'e';
	return (size_t)(d - dst) + num_put_i64(d, point - 1);
}

size_t
num_put_double(char *dst, double v)
{
	if (isnan(v)) {
		memcpy(dst, "nan", 3);
		return 3;
	}
	if (isinf(v)) {
		size_t n = v < 0 ? 4 : 3;

		memcpy(dst, v < 0 ? "-inf" : "inf", n);
		return n;
	}
	if (v > -1e15 && v < 1e15 && v == (double)(int64_t)v) {
		if (v == 0 && signbit(v)) {
			memcpy(dst, "-0", 2);
			return 2;
		}
		return num_put_i64(dst, (int64_t)v);
	}
	return put_finite(dst, v);
}

#define U64_SAFE ((size_t)19) /* numbers of so many digits are below 2^64 */

bool
num_get_u64(struct slice s, uint64_t *v)
{
	size_t n = s.len < U64_SAFE ? s.len : U64_SAFE, i;
	uint64_t r = 0;
	unsigned d;

	if (s.len == 0 || s.len > U64_SAFE + 1 || (s.p[0] == '0' && s.len > 1))
		return false;
	for (i = 0; i < n; i++) {
		d = (unsigned)(unsigned char)s.p[i] - '0';
		if (d > 9)
			return false;
		r = r * 10 + d;
	}
	if (n != s.len) {
		d = (unsigned)(unsigned char)s.p[n] - '0';
		if (d > 9 || r > UINT64_MAX / 10 || (r == UINT64_MAX / 10 && d > UINT64_MAX % 10))
			return false;
		r = r * 10 + d;
	}
	*v = r;
	return true;
}

bool
num_get_i64(struct slice s, int64_t *v)
{
	bool negative = s.len > 0 && s.p[0] == '-';
	uint64_t u;

	if (negative)
		s = (struct slice){ s.p + 1, s.len - 1 };
	if (!num_get_u64(s, &u) || u > (uint64_t)INT64_MAX + negative)
		return false;
	*v = negative ? (int64_t)(0 - u) : (int64_t)u;
	return true;
}

bool
num_get_hex(struct slice s, uint64_t *v)
{
	uint64_t r = 0;
	size_t i;

	if (s.len < 3 || s.len > 18 || s.p[0] != '0' || s.p[1] != 'x')
		return false;
	for (i = 2; i < s.len; i++) {
		unsigned char c = (unsigned char)s.p[i];
		unsigned d = c >= '0' && c <= '9' ? (unsigned)(c - '0')
		    : c >= 'a' && c <= 'f'        ? (unsigned)(c - 'a' + 10)
		    : c >= 'A' && c <= 'F'        ? (unsigned)(c - 'A' + 10)
						  : 16;

		if (d > 15)
			return false;
		r = r << 4 | d;
	}
	*v = r;
	return true;
}

bool
num_is_integer(struct slice s)
{
	size_t i = s.len > 0 && s.p[0] == '-';

	if (i == s.len)
		return false;
	for (; i < s.len; i++)
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	return true;
}

/*
 * Checks the text, since strtod would also accept blanks, hexadecimal, "infinity" and "nan(...)".
 */
static bool
is_decimal_text(struct slice s)
{
	size_t i;

	if (s.len == 0 || s.p[0] == '+')
		return false;
	for (i = 0; i < s.len; i++) {
		char c = s.p[i];

		if (!((c >= '0' && c <= '9') || c == '.' || c == 'e' || c == 'E' || c == '-' ||
			c == '+'))
			return false;
	}
	return true;
}

bool
num_get_double(struct slice s, double *v)
{
	char tmp[400], *end;

	if (slice_eq(s, SLICE("inf")) || slice_eq(s, SLICE("-inf"))) {
		*v = s.len == 3 ? HUGE_VAL : -HUGE_VAL;
		return true;
	}
	if (slice_eq(s, SLICE("nan"))) {
		*v = (double)NAN;
		return true;
	}
	if (s.len >= sizeof tmp || !is_decimal_text(s))
		return false;
	memcpy(tmp, s.p, s.len);
	tmp[s.len] = '\0';
	*v = strtod(tmp, &end);
	return end == tmp + s.len;
}

bool
num_is_out_of_range(struct slice s, double v)
{
	size_t i;

	if (v != 0)
		return isinf(v) && s.p[s.len - 1] != 'f';
	for (i = 0; i < s.len && s.p[i] != 'e' && s.p[i] != 'E'; i++)
		if (s.p[i] >= '1' && s.p[i] <= '9')
			return true;
	return false;
}
