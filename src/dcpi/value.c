/* SPDX-License-Identifier: ISC */
/* value.c - the values of a header: digits, times, versions. */
#include "src/dcpi/value.h"

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int
hex_of(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

size_t
dcpi_value_digits(struct slice s)
{
	size_t i = 0;

	while (i < s.len && is_digit(s.p[i]))
		i++;
	return i;
}

size_t
dcpi_value_hex_digits(struct slice s)
{
	size_t i = 0;

	while (i < s.len && hex_of(s.p[i]) >= 0)
		i++;
	return i;
}

bool
dcpi_value_decimal(struct slice s, uint64_t *v)
{
	size_t i;

	*v = 0;
	for (i = 0; i < s.len; i++) {
		unsigned digit = (unsigned)(s.p[i] - '0');

		if (*v > (UINT64_MAX - digit) / 10)
			return false;
		*v = *v * 10 + digit;
	}
	return true;
}

bool
dcpi_value_hex(struct slice s, uint64_t *v)
{
	size_t i;

	*v = 0;
	for (i = 0; i < s.len; i++) {
		if (*v >> 60 != 0)
			return false;
		*v = *v << 4 | (uint64_t)hex_of(s.p[i]);
	}
	return true;
}

/* Removes the digits at the start of *s and returns them without leading zeros. */
static struct slice
take_number(struct slice *s)
{
	struct slice n = { s->p, dcpi_value_digits(*s) };

	s->p += n.len;
	s->len -= n.len;
	while (n.len > 1 && *n.p == '0') {
		n.p++;
		n.len--;
	}
	return n;
}

bool
dcpi_value_version(struct slice s, struct value_version *v, struct slice *rest)
{
	*rest = s;
	if (s.len < 4 || memcmp(s.p, "pdb-", 4) != 0)
		return false;
	s = (struct slice){ s.p + 4, s.len - 4 };
	v->major = take_number(&s);
	*rest = s;
	if (v->major.len == 0 || s.len == 0 || s.p[0] != '.')
		return false;
	s = (struct slice){ s.p + 1, s.len - 1 };
	v->minor = take_number(&s);
	*rest = s;
	return v->minor.len != 0 && s.len == 0;
}

/* Returns the value of two digits. */
static int
pair(const char *p)
{
	return (p[0] - '0') * 10 + (p[1] - '0');
}

static bool
is_leap(int year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/* Returns the number of days from 1970-01-01 to January 1 of the year, which must be at least 0. */
static int64_t
days_before(int year)
{
	int64_t y = (int64_t)year - 1; /* the last year whose leap day is counted */

	if (year == 0)
		return -719528;
	return 365 * (int64_t)year + y / 4 - y / 100 + y / 400 + 1 - 719528;
}

enum value_epoch
dcpi_value_epoch(struct slice s, int64_t *seconds, const char **what)
{
	static const int days[12] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	int year, month, day, hour, minute, second, i;
	int64_t sum;
	const char *p = s.p;

	if (dcpi_value_digits(s) != s.len || (s.len != 10 && s.len != 12 && s.len != 14))
		return EPOCH_DIGITS;
	year = s.len == 10 ? pair(p) : pair(p) * 100 + pair(p + 2);
	if (s.len == 10)
		year += year < 70 ? 2000 : 1900;
	p += s.len == 10 ? 2 : 4;
	month = pair(p);
	day = pair(p + 2);
	hour = pair(p + 4);
	minute = pair(p + 6);
	second = s.len == 14 ? pair(p + 8) : 0;
	*what = "month";
	if (month < 1 || month > 12)
		return EPOCH_RANGE;
	*what = "day";
	if (day < 1 || day > days[month - 1] + (month == 2 && is_leap(year)))
		return EPOCH_RANGE;
	*what = hour > 23 ? "hour" : minute > 59 ? "minute" : "second";
	if (hour > 23 || minute > 59 || second > 60)
		return EPOCH_RANGE;
	sum = days_before(year) + day - 1;
	for (i = 0; i < month - 1; i++)
		sum += days[i] + (i == 1 && is_leap(year));
	*seconds = ((sum * 24 + hour) * 60 + minute) * 60 + second;
	return s.len == 10 ? EPOCH_10 : s.len == 12 ? EPOCH_12 : EPOCH_14;
}
