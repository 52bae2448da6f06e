/* SPDX-License-Identifier: ISC */
/* seconds.c - times in nanoseconds, as seconds for people; texts of seconds. */
#include "lib/seconds.h"

#include <string.h>

#include "lib/num.h"

#define NS_DIGITS 9 /* decimals of a time in nanoseconds, as seconds */
#define NSEC 1000000000U
#define EXPONENT_MAX ((int64_t)1 << 40) /* more than the digits that a text may have */
#define TIME_MAX 64 /* digits of a time that is shown in seconds */

/* Returns how many decimals a time in nanoseconds needs in seconds: 0, 3, 6 or 9. */
static int
decimals_of(struct slice ns)
{
	size_t zeros = 0;

	while (zeros < ns.len && ns.p[ns.len - 1 - zeros] == '0')
		zeros++;
	if (zeros == ns.len || zeros >= NS_DIGITS)
		return 0;
	return (int)(NS_DIGITS - zeros + 2) / 3 * 3;
}

bool
seconds_see(struct slice ns, int *decimals)
{
	int n;

	if (slice_is_nothing(ns))
		return true;
	if (!num_is_integer(ns) || ns.len > TIME_MAX)
		return false;
	n = decimals_of(ns);
	*decimals = n > *decimals ? n : *decimals;
	return true;
}

size_t
seconds_put(char text[SECONDS_MAX], struct slice ns, int decimals)
{
	char digits[TIME_MAX + NS_DIGITS + 1], *d = text;
	size_t negative = ns.p[0] == '-', n = ns.len - negative, zeros;

	zeros = n > NS_DIGITS ? 0 : NS_DIGITS + 1 - n;
	memset(digits, '0', zeros);
	memcpy(digits + zeros, ns.p + negative, n);
	n += zeros - NS_DIGITS;
	if (negative)
		*d++ = '-';
	memcpy(d, digits, n);
	d += n;
	if (decimals > 0) {
		*d++ = '.';
		memcpy(d, digits + n, (size_t)decimals);
		d += decimals;
	}
	*d++ = 's';
	return (size_t)(d - text);
}

static void
skip_byte(struct slice *s)
{
	s->p++;
	s->len--;
}

static bool
take_sign(struct slice *s)
{
	bool negative = s->len > 0 && s->p[0] == '-';

	if (negative || (s->len > 0 && s->p[0] == '+'))
		skip_byte(s);
	return negative;
}

/* Removes the digits at the start of *s, and returns them. */
static struct slice
take_digits(struct slice *s)
{
	struct slice digits = { s->p, 0 };

	while (s->len > 0 && s->p[0] >= '0' && s->p[0] <= '9') {
		digits.len++;
		skip_byte(s);
	}
	return digits;
}

/* Reads an exponent, which may be missing, up to the end of the text. */
static bool
get_exponent(struct slice s, int64_t *exponent)
{
	struct slice digits;
	bool negative;
	size_t i;

	*exponent = 0;
	if (s.len == 0)
		return true;
	if (s.p[0] != 'e' && s.p[0] != 'E')
		return false;
	skip_byte(&s);
	negative = take_sign(&s);
	digits = take_digits(&s);
	for (i = 0; i < digits.len && *exponent < EXPONENT_MAX; i++)
		*exponent = *exponent * 10 + (digits.p[i] - '0');
	if (negative)
		*exponent = -*exponent;
	return digits.len > 0 && s.len == 0;
}

/*
 * Adds digits to *ns, the first of which counts 10^*place nanoseconds.  *place becomes that of the
 * digit after them.  Returns false if the sum is too large.
 */
static bool
add_digits(uint64_t *ns, struct slice digits, int64_t *place)
{
	size_t i;

	for (i = 0; i < digits.len && *place >= -1; i++, --*place) {
		uint64_t digit = (uint64_t)(digits.p[i] - '0');

		if (*place < 0)
			digit = digit >= 5;
		else if (*ns > UINT64_MAX / 10)
			return false;
		else
			*ns *= 10;
		if (*ns > UINT64_MAX - digit)
			return false;
		*ns += digit;
	}
	return true;
}

/* A number of seconds, in parts. */
struct spelled {
	struct slice whole, fraction;
	int64_t exponent;
	bool negative;
};

static bool
read_spelled(struct slice s, struct spelled *v)
{
	v->negative = take_sign(&s);
	v->whole = take_digits(&s);
	v->fraction = (struct slice){ s.p, 0 };
	if (s.len > 0 && s.p[0] == '.') {
		skip_byte(&s);
		v->fraction = take_digits(&s);
	}
	return v->whole.len + v->fraction.len != 0 && get_exponent(s, &v->exponent);
}

bool
seconds_get(struct slice s, uint64_t *ns)
{
	struct spelled v;
	int64_t place;

	if (!read_spelled(s, &v))
		return false;
	place = v.exponent + (int64_t)v.whole.len - 1 + NS_DIGITS;
	*ns = 0;
	if (!add_digits(ns, v.whole, &place) || !add_digits(ns, v.fraction, &place))
		return false;
	for (; place >= 0 && *ns != 0; place--)
		if (!add_digits(ns, SLICE("0"), &(int64_t){ 0 }))
			return false;
	return !v.negative || *ns == 0;
}

/* The same for a time of day: *place is 0 for the digit of seconds. */
static bool
add_wall_digits(int64_t *sec, uint32_t *ns, struct slice digits, int64_t *place)
{
	static const uint32_t tens[NS_DIGITS] = { 100000000, 10000000, 1000000, 100000, 10000, 1000,
		100, 10, 1 };
	size_t i;

	for (i = 0; i < digits.len && *place >= -NS_DIGITS; i++, --*place) {
		unsigned digit = (unsigned)(digits.p[i] - '0');

		if (*place < 0) {
			*ns += tens[-*place - 1] * digit;
			continue;
		}
		*sec = *sec * 10 + digit;
		if (*sec > SECONDS_WALL_MAX)
			return false;
	}
	return true;
}

bool
seconds_get_wall(struct slice s, int64_t *sec, uint32_t *ns)
{
	struct spelled v;
	int64_t place;

	if (!read_spelled(s, &v))
		return false;
	place = v.exponent + (int64_t)v.whole.len - 1;
	*sec = 0;
	*ns = 0;
	if (!add_wall_digits(sec, ns, v.whole, &place) ||
	    !add_wall_digits(sec, ns, v.fraction, &place))
		return false;
	for (; place >= 0 && *sec != 0; place--)
		if (!add_wall_digits(sec, ns, SLICE("0"), &(int64_t){ 0 }))
			return false;
	if (v.negative) {
		*sec = -*sec - (*ns != 0);
		*ns = *ns == 0 ? 0 : NSEC - *ns;
	}
	return *sec >= SECONDS_WALL_MIN && *sec <= SECONDS_WALL_MAX;
}
