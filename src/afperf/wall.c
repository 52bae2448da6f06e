/* SPDX-License-Identifier: ISC */
/* wall.c - the time of day in integers. */
#include "src/afperf/wall.h"

#include <string.h>

#define NSEC INT64_C(1000000000)
#define DAY INT64_C(86400)
/* Years 0000 to 9999. */
#define SEC_MIN (INT64_C(-719528) * DAY)
#define SEC_MAX (INT64_C(2932897) * DAY - 1)

#define EXPONENT_MAX 400

/* A number of seconds, to the nanosecond.  Further digits are discarded. */
struct digits {
	int64_t sec;
	uint32_t nsec;
	bool over;
};

static void
add_digit(struct digits *v, int place, unsigned digit)
{
	static const uint32_t tens[] = { 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10,
		1 };

	if (place >= 0) {
		v->over |= v->sec > SEC_MAX;
		if (!v->over)
			v->sec = v->sec * 10 + (int64_t)digit;
	} else if (place >= -9) {
		v->nsec += tens[-place - 1] * digit;
	}
}

/* Reads the digits after the e or E of a number, which may have a sign. */
static int
read_exponent(struct slice s)
{
	bool negative = s.len > 0 && s.p[0] == '-';
	int v = 0;
	size_t i;

	for (i = negative || (s.len > 0 && s.p[0] == '+'); i < s.len && v < EXPONENT_MAX; i++)
		v = v * 10 + (s.p[i] - '0');
	return negative ? -v : v;
}

/* Rounds down.  Before 1970 the nanoseconds count from the second below. */
static bool
set_wall(struct wall *w, const struct digits *v, bool negative)
{
	int64_t sec = negative ? -v->sec - (v->nsec != 0) : v->sec;

	if (v->over || sec < SEC_MIN || sec > SEC_MAX)
		return false;
	*w = (struct wall){ sec, negative && v->nsec != 0 ? (uint32_t)NSEC - v->nsec : v->nsec,
		true };
	return true;
}

bool
wall_read(struct slice s, struct wall *w)
{
	bool negative = s.len > 0 && s.p[0] == '-';
	struct slice number = { s.p + negative, s.len - negative };
	const char *e = memchr(number.p, 'e', number.len), *dot;
	struct digits v = { 0 };
	int place, exponent = 0;
	size_t i;

	if (number.len == 0 || number.p[0] < '0' || number.p[0] > '9')
		return false;
	if (e == NULL)
		e = memchr(number.p, 'E', number.len);
	if (e != NULL) {
		exponent =
		    read_exponent((struct slice){ e + 1, number.len - (size_t)(e - number.p) - 1 });
		number.len = (size_t)(e - number.p);
	}
	dot = memchr(number.p, '.', number.len);
	place = (int)(dot == NULL ? number.len : (size_t)(dot - number.p)) - 1 + exponent;
	for (i = 0; i < number.len; i++)
		if (number.p[i] != '.')
			add_digit(&v, place--, (unsigned)(number.p[i] - '0'));
	for (; place >= 0; place--)
		add_digit(&v, place, 0);
	return set_wall(w, &v, negative);
}

/* Computes the date of a day counted from 1970-01-01 (civil_from_days by H. Hinnant). */
static void
date_of(int64_t days, unsigned *year, unsigned *month, unsigned *day)
{
	uint64_t z = (uint64_t)(days + 719468 + 146097); /* days from March 1 of the year -400 */
	uint64_t era = z / 146097, of_era = z % 146097;
	uint64_t y = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	uint64_t of_year = of_era - (365 * y + y / 4 - y / 100);
	uint64_t m = (5 * of_year + 2) / 153;

	*day = (unsigned)(of_year - (153 * m + 2) / 5 + 1);
	*month = (unsigned)(m < 10 ? m + 3 : m - 9);
	*year = (unsigned)(y + era * 400 + (*month <= 2) - 400);
}

static char *
put_digits(char *p, uint64_t v, unsigned n)
{
	unsigned i;

	for (i = n; i-- > 0; v /= 10)
		p[i] = (char)('0' + v % 10);
	return p + n;
}

/*
 * Converts a number of the run's units to seconds and nanoseconds.  Returns false if the result is
 * outside the years above.
 */
static bool
from_units(uint64_t units, uint64_t scale, struct wall *w)
{
	uint64_t per_second = (uint64_t)NSEC / scale, sec = units / per_second;

	if (sec > (uint64_t)(SEC_MAX - SEC_MIN))
		return false;
	*w = (struct wall){ (int64_t)sec, (uint32_t)(units % per_second * scale), true };
	return true;
}

/* Computes the time of day at TIME from the time of day at START. */
static bool
wall_at(const struct wall_clock *c, uint64_t time, struct wall *w)
{
	bool early = time < c->start;
	struct wall by;

	if (!c->at_start.known ||
	    !from_units(early ? c->start - time : time - c->start, c->scale, &by))
		return false;
	*w = c->at_start;
	if (early) {
		w->sec -= by.sec + (by.nsec > w->nsec);
		w->nsec = w->nsec + (by.nsec > w->nsec ? (uint32_t)NSEC : 0) - by.nsec;
	} else {
		w->nsec += by.nsec;
		w->sec += by.sec + (w->nsec >= NSEC);
		w->nsec -= w->nsec >= NSEC ? (uint32_t)NSEC : 0;
	}
	return w->sec >= SEC_MIN && w->sec <= SEC_MAX;
}

char *
wall_put(char *p, const struct wall_clock *c, uint64_t time)
{
	struct wall w;
	unsigned year, month, day;
	uint64_t second;

	if (!wall_at(c, time, &w)) {
		*p++ = '.';
		return p;
	}
	date_of((w.sec - SEC_MIN) / DAY - 719528, &year, &month, &day);
	second = (uint64_t)((w.sec - SEC_MIN) % DAY);
	p = put_digits(p, year, 4);
	*p++ = '-';
	p = put_digits(p, month, 2);
	*p++ = '-';
	p = put_digits(p, day, 2);
	*p++ = 'T';
	p = put_digits(p, second / 3600, 2);
	*p++ = ':';
	p = put_digits(p, second / 60 % 60, 2);
	*p++ = ':';
	p = put_digits(p, second % 60, 2);
	*p++ = '.';
	p = put_digits(p, w.nsec, 9);
	*p++ = 'Z';
	return p;
}
