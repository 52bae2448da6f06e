/* SPDX-License-Identifier: ISC */
/* wide.c - unsigned integers of 128 bits. */
#include "lib/wide.h"

#include <stdio.h>

#include "lib/num.h"

#define CHUNK_DIGITS 19 /* this many digits always fit in 64 bits */
#define CHUNK 10000000000000000000u /* 10^19 */
#define NSEC ((uint64_t)1000000000)
#define FRACTION_DIGITS 9

struct wide
wide_mul(uint64_t a, uint64_t b)
{
	uint64_t al = a & UINT32_MAX, ah = a >> 32, bl = b & UINT32_MAX, bh = b >> 32;
	uint64_t low = al * bl, mid1 = ah * bl, mid2 = al * bh;
	uint64_t mid = (low >> 32) + (mid1 & UINT32_MAX) + (mid2 & UINT32_MAX);

	return (struct wide){ ah * bh + (mid1 >> 32) + (mid2 >> 32) + (mid >> 32),
		mid << 32 | (low & UINT32_MAX) };
}

struct wide
wide_divide(struct wide n, uint32_t by, uint32_t *rest)
{
	uint64_t mid = n.hi % by << 32 | n.lo >> 32, low = mid % by << 32 | (n.lo & UINT32_MAX);

	*rest = (uint32_t)(low % by);
	return (struct wide){ n.hi / by, mid / by << 32 | low / by };
}

unsigned
wide_bits(struct wide v)
{
	uint64_t top = v.hi != 0 ? v.hi : v.lo;
	unsigned n = v.hi != 0 ? 64 : 0, step;

	for (step = 32; step > 0; step /= 2)
		if (top >> step != 0) {
			top >>= step;
			n += step;
		}
	return n + (top != 0);
}

struct wide
wide_shl(struct wide v, unsigned n)
{
	if (n >= 64)
		return (struct wide){ v.lo << (n - 64), 0 };
	if (n == 0)
		return v;
	return (struct wide){ v.hi << n | v.lo >> (64 - n), v.lo << n };
}

/* Sets *v to *v * 10^digits + more.  Returns false beyond 128 bits. */
static bool
append(struct wide *v, unsigned digits, uint64_t more)
{
	uint64_t scale = 1;
	struct wide low, high;

	while (digits-- > 0)
		scale *= 10;
	low = wide_mul(v->lo, scale);
	high = wide_mul(v->hi, scale);
	return high.hi == 0 && wide_add(low, (struct wide){ high.lo, 0 }, v) &&
	    wide_add(*v, (struct wide){ 0, more }, v);
}

enum wide_text
wide_get(struct slice s, struct wide *v)
{
	struct wide sum = { 0, 0 };
	bool fits = s.len > 0;
	size_t i = 0;

	if (s.len == 0)
		return WIDE_NO_DIGITS;
	while (i < s.len) {
		uint64_t part = 0;
		unsigned n;

		for (n = 0; n < CHUNK_DIGITS && i < s.len; n++, i++) {
			unsigned digit = (unsigned)(unsigned char)s.p[i] - '0';

			if (digit > 9)
				return WIDE_NO_DIGITS;
			part = part * 10 + digit;
		}
		if (i == n)
			sum.lo = part; /* the first chunk, which mostly is the only one */
		else
			fits = fits && append(&sum, n, part);
	}
	if (!fits)
		return WIDE_TOO_LARGE;
	*v = sum;
	return WIDE_OK;
}

/*
 * Divides v by 10^19, with the remainder in *rest.  It does so one bit at a time, since numbers of
 * this width are rare.
 */
static struct wide
divide_chunk(struct wide v, uint64_t *rest)
{
	struct wide quotient = { 0, 0 };
	uint64_t r = 0;
	int i;

	for (i = 0; i < 128; i++) {
		uint64_t over = r >> 63;

		r = r << 1 | v.hi >> 63;
		v = wide_shl(v, 1);
		quotient = wide_shl(quotient, 1);
		if (over != 0 || r >= CHUNK) {
			r -= CHUNK;
			quotient.lo |= 1;
		}
	}
	*rest = r;
	return quotient;
}

static size_t
put_chunk(char *dst, uint64_t v)
{
	size_t i;

	for (i = CHUNK_DIGITS; i > 0; i--, v /= 10)
		dst[i - 1] = (char)('0' + v % 10);
	return CHUNK_DIGITS;
}

size_t
wide_put(char *dst, struct wide v)
{
	char tmp[NUM_MAX];
	uint64_t rest;
	size_t n;

	if (v.hi == 0) {
		n = num_put_u64(tmp, v.lo);
		memcpy(dst, tmp, n);
		return n;
	}
	v = divide_chunk(v, &rest);
	n = wide_put(dst, v);
	return n + put_chunk(dst + n, rest);
}

bool
wide_take_decimal(struct slice *s, struct wide *whole, uint64_t *fraction)
{
	size_t n = 0, digits = 0;

	while (n < s->len && s->p[n] >= '0' && s->p[n] <= '9')
		n++;
	if (wide_get((struct slice){ s->p, n }, whole) != WIDE_OK)
		return false;
	*s = (struct slice){ s->p + n, s->len - n };
	*fraction = 0;
	if (s->len == 0 || s->p[0] != '.')
		return true;
	for (n = 1; n < s->len && s->p[n] >= '0' && s->p[n] <= '9'; n++) {
		*fraction = *fraction * 10 + (uint64_t)(s->p[n] - '0');
		if (++digits > WIDE_FRACTION_DIGITS)
			return false;
	}
	*s = (struct slice){ s->p + n, s->len - n };
	for (n = digits; n < WIDE_FRACTION_DIGITS; n++)
		*fraction *= 10;
	return digits != 0;
}

/* Returns the number of nanoseconds in a unit, or 0 for an unknown one. */
static uint64_t
unit_named(struct slice name)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "", 1 },
		{ "ns", 1 },
		{ "us", 1000 },
		{ "ms", 1000000 },
		{ "s", NSEC },
		{ "m", 60 * NSEC },
		{ "min", 60 * NSEC },
		{ "h", 3600 * NSEC },
	};
	size_t i;

	for (i = 0; i < sizeof units / sizeof units[0]; i++)
		if (slice_eq(slice_of(units[i].name), name))
			return units[i].ns;
	return 0;
}

bool
wide_get_duration(struct slice s, struct wide *ns)
{
	uint64_t fraction, unit;
	struct wide whole;

	if (!wide_take_decimal(&s, &whole, &fraction) || (unit = unit_named(s)) == 0)
		return false;
	if (unit >= NSEC)
		fraction *= unit / NSEC;
	else if (fraction % (NSEC / unit) == 0)
		fraction /= NSEC / unit;
	else
		return false;
	if (unit == 1) {
		*ns = whole;
		return true;
	}
	/* 64 bits times a unit cannot exceed 128 */
	(void)wide_add(wide_mul(whole.lo, unit), (struct wide){ 0, fraction }, ns);
	return whole.hi == 0;
}

void
wide_advise(struct slice s, char text[WIDE_ADVICE_MAX])
{
	char digits[WIDE_DIGITS];
	struct wide ns;
	int len;

	text[0] = '\0';
	if (!wide_get_duration(s, &ns))
		return;
	len = (int)wide_put(digits, ns);
	(void)snprintf(text, WIDE_ADVICE_MAX,
	    " (numbers are in the unit of the values; durations are in ns: %.*s)", len, digits);
}
