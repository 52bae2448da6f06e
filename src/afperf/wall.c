/* SPDX-License-Identifier: ISC */
/* wall.c - the time of day in integers. */
#include "src/afperf/wall.h"

#include "lib/seconds.h"

#define NSEC INT64_C(1000000000)

bool
wall_read(struct slice s, struct wall *w)
{
	w->known = seconds_get_wall(s, &w->sec, &w->nsec);
	return w->known;
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

	if (sec > (uint64_t)(SECONDS_WALL_MAX - SECONDS_WALL_MIN))
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
	return w->sec >= SECONDS_WALL_MIN && w->sec <= SECONDS_WALL_MAX;
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
	date_of((w.sec - SECONDS_WALL_MIN) / SECONDS_DAY - 719528, &year, &month, &day);
	second = (uint64_t)((w.sec - SECONDS_WALL_MIN) % SECONDS_DAY);
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
