/* SPDX-License-Identifier: ISC */
/* window.c - intervals of time: from their spelling to the clocks of runs. */
#include "src/select/window.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/num.h"
#include "lib/seconds.h"
#include "lib/short.h"
#include "lib/vec.h"

#define NSEC ((uint64_t)1000000000)
#define PERCENT_MAX (100 * NSEC)
#define SHOWN_MAX 60 /* bytes of a word in a message */

void
window_free(struct window *w)
{
	tab_free(&w->runs);
	mem_free(w->clock);
	*w = (struct window){ .given = false };
}

/* The spelling of moments. */

static bool
read_percent(struct slice s, uint64_t *percent)
{
	uint64_t fraction;
	struct wide whole;

	if (!wide_take_decimal(&s, &whole, &fraction) || s.len != 1 || whole.hi != 0 ||
	    whole.lo > 100)
		return false;
	*percent = whole.lo * NSEC + fraction;
	return *percent <= PERCENT_MAX;
}

/* Removes exactly n digits, which are a number from LOW to HIGH, from *s. */
static bool
take_digits(struct slice *s, size_t n, int64_t low, int64_t high, int64_t *v)
{
	size_t i;

	*v = 0;
	if (s->len < n)
		return false;
	for (i = 0; i < n; i++) {
		if (s->p[i] < '0' || s->p[i] > '9')
			return false;
		*v = *v * 10 + (s->p[i] - '0');
	}
	*s = (struct slice){ s->p + n, s->len - n };
	return *v >= low && *v <= high;
}

static bool
take_char(struct slice *s, char c)
{
	if (s->len == 0 || s->p[0] != c)
		return false;
	*s = (struct slice){ s->p + 1, s->len - 1 };
	return true;
}

static int64_t
days_in(int64_t year, int64_t month)
{
	static const int64_t days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	return days[month - 1] + (month == 2 && leap);
}

/* Returns the number of days from 1970-01-01 to the day; year is from 1 on. */
static int64_t
days_until(int64_t year, int64_t month, int64_t day)
{
	int64_t y = year - 1, days = y * 365 + y / 4 - y / 100 + y / 400 - 719162, m;

	for (m = 1; m < month; m++)
		days += days_in(year, m);
	return days + day - 1;
}

/* Removes "Z" or a zone such as +02:00 from *s.  *seconds is its distance from UTC. */
static bool
take_zone(struct slice *s, int64_t *seconds)
{
	int64_t hours, minutes, sign = s->len > 0 && s->p[0] == '-' ? -1 : 1;

	*seconds = 0;
	if (s->len == 0 || take_char(s, 'Z'))
		return true;
	if (!take_char(s, sign < 0 ? '-' : '+') || !take_digits(s, 2, 0, 23, &hours) ||
	    !take_char(s, ':') || !take_digits(s, 2, 0, 59, &minutes))
		return false;
	*seconds = sign * (hours * 3600 + minutes * 60);
	return true;
}

static bool
take_time_of_day(struct slice *s, struct date *d)
{
	int64_t hour, minute, second = 0;
	struct wide whole;
	uint64_t fraction = 0;

	if (!take_digits(s, 2, 0, 23, &hour) || !take_char(s, ':') ||
	    !take_digits(s, 2, 0, 59, &minute))
		return false;
	if (take_char(s, ':')) {
		if (s->len < 2 || s->p[0] > '5' || s->p[1] < '0' || s->p[1] > '9' ||
		    (s->len > 2 && s->p[2] >= '0' && s->p[2] <= '9') ||
		    !wide_take_decimal(s, &whole, &fraction))
			return false;
		second = (int64_t)whole.lo;
	}
	d->sec += hour * 3600 + minute * 60 + second;
	d->nsec = (uint32_t)fraction;
	return true;
}

/* Reads YYYY-MM-DD, with THH:MM, :SS and a fraction, and a zone. */
static bool
read_date(struct slice s, struct date *d)
{
	int64_t year, month, day, zone;

	if (!take_digits(&s, 4, 1, 9999, &year) || !take_char(&s, '-') ||
	    !take_digits(&s, 2, 1, 12, &month) || !take_char(&s, '-') ||
	    !take_digits(&s, 2, 1, days_in(year, month), &day))
		return false;
	*d = (struct date){ .sec = days_until(year, month, day) * 86400 };
	if (s.len == 0)
		return true;
	if ((!take_char(&s, 'T') && !take_char(&s, ' ')) || !take_time_of_day(&s, d) ||
	    !take_zone(&s, &zone))
		return false;
	d->sec -= zone;
	return s.len == 0;
}

static bool
read_moment(struct slice s, struct moment *m)
{
	*m = (struct moment){ .type = MOMENT_OPEN, .text = s };
	if (s.len == 0)
		return true;
	if (s.len > 4 && s.p[4] == '-') {
		m->type = MOMENT_DATE;
		return read_date(s, &m->date);
	}
	if (s.p[s.len - 1] == '%') {
		m->type = MOMENT_PERCENT;
		return read_percent(s, &m->percent);
	}
	m->type = take_char(&s, '+') ? MOMENT_AFTER : MOMENT_TIME;
	if (!wide_get_duration(s, &m->ns))
		return false;
	/* a duration ends with a digit or with the letter of its unit */
	m->unitless = (m->ns.hi | m->ns.lo) != 0 && s.p[s.len - 1] <= '9';
	return true;
}

bool
window_is_moment(struct slice s)
{
	struct moment m;

	return s.len != 0 && read_moment(s, &m);
}

/* Returns ERR_DATA for a text that is no moment.  An empty one is. */
static int
set_moment(struct moment *m, struct slice s, struct err *e)
{
	if (read_moment(s, m))
		return 0;
	if (s.p[s.len - 1] >= '0' && s.p[s.len - 1] <= '9' && memchr(s.p, '.', s.len) != NULL &&
	    memchr(s.p, '-', s.len) == NULL)
		return err_data(e, "not a time: '%.*s' (a unit is missing, such as s or ms)",
		    slice_shown(s, SHOWN_MAX), s.p);
	return err_data(e, "not a time: '%.*s'", slice_shown(s, SHOWN_MAX), s.p);
}

/* Returns whether b is after a.  Moments of different types cannot be compared. */
static bool
is_after(const struct moment *b, const struct moment *a)
{
	if (a->type != b->type || a->type == MOMENT_OPEN)
		return true;
	if (a->type == MOMENT_PERCENT)
		return b->percent > a->percent;
	if (a->type == MOMENT_DATE)
		return b->date.sec > a->date.sec ||
		    (b->date.sec == a->date.sec && b->date.nsec > a->date.nsec);
	return wide_cmp(b->ns, a->ns) > 0;
}

/* A duration at the end of an interval that begins at a date is one from that date on. */
static bool
count_from_date(const struct moment *from, struct moment *to)
{
	uint64_t sec = to->ns.lo / NSEC, nsec = from->date.nsec + to->ns.lo % NSEC;

	if (from->type != MOMENT_DATE || to->type != MOMENT_AFTER)
		return true;
	if (to->ns.hi != 0)
		return false;
	to->type = MOMENT_DATE;
	to->date.sec = from->date.sec + (int64_t)(sec + nsec / NSEC);
	to->date.nsec = (uint32_t)(nsec % NSEC);
	return true;
}

/* Refuses a text without a comma.  If it is a moment, both windows that it may mean are named. */
static int
refuse_one(struct slice s, struct err *e)
{
	int n = slice_shown(s, SHOWN_MAX);

	if (!window_is_moment(s) || s.len > SHOWN_MAX)
		return err_data(e, "no comma in '%.*s': it must be FROM,TO", n, s.p);
	return err_data(e,
	    "no comma in '%.*s': it must be FROM,TO ('%.*s,' is from there on, ',%.*s' until "
	    "there)",
	    n, s.p, n, s.p, n, s.p);
}

int
window_set(struct window *w, const char *text, struct err *e)
{
	struct slice s = slice_of(text), from = { s.p, strcspn(s.p, ",") }, to;

	if (from.len == s.len)
		return refuse_one(s, e);
	to = (struct slice){ s.p + from.len + 1, s.len - from.len - 1 };
	if (set_moment(&w->from, from, e) != 0 || set_moment(&w->to, to, e) != 0)
		return ERR_DATA;
	if (!count_from_date(&w->from, &w->to))
		return err_data(e, "not a time: '%.*s'", slice_shown(to, SHOWN_MAX), to.p);
	if (!is_after(&w->to, &w->from))
		return err_data(e, "the end is not after the beginning");
	w->given = true;
	return 0;
}

static bool
uses(const struct window *w, enum moment_type type)
{
	return w->from.type == type || w->to.type == type;
}

bool
window_looks_ahead(const struct window *w)
{
	return uses(w, MOMENT_PERCENT);
}

/* The clocks of runs. */

/* Returns the clock of the line's run, or NULL if memory runs out. */
static struct clock *
clock_of(struct window *w, const struct ev *ev)
{
	struct slice run = ev->col[EV_RUN];
	size_t n;

	if (!uses(w, MOMENT_AFTER) && !uses(w, MOMENT_PERCENT) && !uses(w, MOMENT_DATE))
		return &w->every;
	if (w->runs.count != 0 && short_eq(run, w->runs.item[w->last]))
		return &w->clock[w->last];
	n = tab_add(&w->runs, run, NULL);
	if (n == TAB_NONE || !vec_room_zero(w->clock, n, w->cap))
		return NULL;
	w->last = n;
	return &w->clock[n];
}

int
window_foresee(struct window *w, const struct ev *ev, struct err *e)
{
	struct wide time;
	struct clock *c;

	if (wide_get(ev->col[EV_TIME], &time) != WIDE_OK)
		return 0;
	c = clock_of(w, ev);
	if (c == NULL)
		return err_nomem(e);
	if (!c->timed || wide_cmp(time, c->first) < 0)
		c->first = time;
	if (!c->timed || wide_cmp(time, c->last) > 0)
		c->last = time;
	c->timed = true;
	return 0;
}

int
window_run(struct window *w, const struct ev *ev, struct err *e)
{
	struct slice wall;
	struct clock *c;
	struct wide at = { 0, 0 };
	struct date date;
	enum window_dated dated = WINDOW_DATED;

	if (!uses(w, MOMENT_DATE) || !slice_eq(ev->col[EV_KIND], SLICE("run")))
		return 0;
	if (!ev_tag(ev, SLICE("wall"), &wall))
		dated = WINDOW_NO_WALL;
	else if (!seconds_get_wall(wall, &date.sec, &date.nsec))
		dated = WINDOW_BAD_WALL;
	else if (!slice_is_nothing(ev->col[EV_TIME]) && wide_get(ev->col[EV_TIME], &at) != WIDE_OK)
		dated = WINDOW_BAD_TIME;
	c = clock_of(w, ev);
	if (c == NULL)
		return err_nomem(e);
	if (dated != WINDOW_DATED) {
		if (c->dated != WINDOW_DATED)
			c->dated = dated;
		return 0;
	}
	c->at = at;
	c->date = date;
	c->dated = WINDOW_DATED;
	return 0;
}

/* Returns v / PERCENT_MAX, rounded down, and the rest in *rest. */
static struct wide
divide(struct wide v, uint64_t *rest)
{
	uint32_t low, high;
	struct wide q =
	    wide_divide(wide_divide(v, (uint32_t)NSEC, &low), PERCENT_MAX / NSEC, &high);

	*rest = high * NSEC + low;
	return q;
}

/* Returns v * n for a product below 2^128. */
static struct wide
times(struct wide v, uint64_t n)
{
	struct wide low = wide_mul(v.lo, n);

	low.hi += v.hi * n;
	return low;
}

static struct wide
add_up_to_most(struct wide a, struct wide b)
{
	struct wide sum;

	return wide_add(a, b, &sum) ? sum : (struct wide){ UINT64_MAX, UINT64_MAX };
}

/* Returns the time at a percentage of the way from the first event to the last one, rounded up. */
static struct wide
part_of_way(const struct clock *c, uint64_t percent)
{
	struct wide length = wide_sub(c->last, c->first);
	uint64_t rest, none;
	struct wide way = times(divide(length, &rest), percent);
	struct wide more = wide_mul(rest, percent);

	(void)wide_add(more, (struct wide){ 0, PERCENT_MAX - 1 }, &more);
	way = add_up_to_most(way, divide(more, &none));
	return add_up_to_most(c->first, way);
}

/* Returns the time at that date, or 0 for a date before time 0. */
static struct wide
time_at(const struct clock *c, const struct date *d)
{
	bool back = d->sec < c->date.sec || (d->sec == c->date.sec && d->nsec < c->date.nsec);
	const struct date *early = back ? d : &c->date, *late = back ? &c->date : d;
	struct wide way = wide_mul((uint64_t)(late->sec - early->sec), NSEC);

	way = wide_sub(add_up_to_most(way, (struct wide){ 0, late->nsec }),
	    (struct wide){ 0, early->nsec });
	if (!back)
		return add_up_to_most(c->at, way);
	return wide_cmp(way, c->at) < 0 ? wide_sub(c->at, way) : (struct wide){ 0, 0 };
}

static struct wide
time_of(const struct clock *c, const struct moment *m)
{
	switch (m->type) {
	case MOMENT_TIME: return m->ns;
	case MOMENT_AFTER: return add_up_to_most(c->first, m->ns);
	case MOMENT_PERCENT: return part_of_way(c, m->percent);
	case MOMENT_DATE: return time_at(c, &m->date);
	default: return (struct wide){ 0, 0 };
	}
}

/* Returns the end of the window.  100% is just after the last event, so that it is not left out. */
static struct wide
end_of(const struct clock *c, const struct moment *to)
{
	struct wide end = time_of(c, to);

	if (to->type == MOMENT_PERCENT && to->percent == PERCENT_MAX)
		end = add_up_to_most(end, (struct wide){ 0, 1 });
	return end;
}

/* Computes the limits for a run when its first event is seen. */
static int
make_ready(struct window *w, struct clock *c, const struct ev *ev, struct err *e)
{
	static const char *const why[] = {
		[WINDOW_NO_RUN] = "no run line before its lines",
		[WINDOW_NO_WALL] = "no wall= in its run line",
		[WINDOW_BAD_WALL] =
		    "wall= in its run line is no time of day in seconds, year 0 to 9999",
		[WINDOW_BAD_TIME] = "the time of its run line is not a number",
	};

	c->ready = true;
	c->refused = uses(w, MOMENT_DATE) && c->dated != WINDOW_DATED;
	if (c->refused)
		return err_line(e, ev->number,
		    "run %.*s: its time of day is not known (%s), so none of its lines can be "
		    "chosen by date",
		    slice_shown(ev->col[EV_RUN], SHOWN_MAX), ev->col[EV_RUN].p, why[c->dated]);
	c->from = time_of(c, &w->from);
	c->to = end_of(c, &w->to);
	return 0;
}

static void
note_time(struct window *w, struct wide time)
{
	if (!w->timed || wide_cmp(time, w->least) < 0)
		w->least = time;
	if (!w->timed || wide_cmp(time, w->most) > 0)
		w->most = time;
	w->timed = true;
}

int
window_place(struct window *w, const struct ev *ev, enum window_place *place, struct err *e)
{
	struct slice text = ev->col[EV_TIME];
	struct clock *c = clock_of(w, ev);
	struct wide time;
	int rc = 0;

	*place = WINDOW_UNTIMED;
	if (c == NULL)
		return err_nomem(e);
	if (slice_is_nothing(text))
		return 0;
	*place = WINDOW_OUTSIDE;
	if (wide_get(text, &time) != WIDE_OK)
		return err_line(e, ev->number, "time is not a number below 2^128: '%.*s'",
		    slice_shown(text, SHOWN_MAX), text.p);
	if (!c->timed)
		c->first = c->last = time;
	c->timed = true;
	note_time(w, time);
	if (!c->ready)
		rc = make_ready(w, c, ev, e);
	if (c->refused)
		return rc;
	w->early += uses(w, MOMENT_AFTER) && wide_cmp(time, c->first) < 0;
	if ((w->from.type == MOMENT_OPEN || wide_cmp(time, c->from) >= 0) &&
	    (w->to.type == MOMENT_OPEN || wide_cmp(time, c->to) < 0))
		*place = WINDOW_INSIDE;
	return 0;
}

void
window_spell_seconds(char text[WINDOW_SECONDS_MAX], struct wide ns)
{
	uint32_t rest;
	struct wide sec = wide_divide(ns, (uint32_t)NSEC, &rest);
	char digits[WIDE_DIGITS + 1];

	digits[wide_put(digits, sec)] = '\0';
	(void)snprintf(text, WINDOW_SECONDS_MAX, "%s.%06" PRIu32 "s", digits, rest / 1000);
}

/*
 * Writes the window as if it began with the first event, if it ends before that event, which is
 * what people mean by 0,50ms.  Returns false if it does not.
 */
static bool
spell_after(const struct window *w, char *text, size_t size)
{
	const struct moment *from = &w->from, *to = &w->to;

	if (to->type != MOMENT_TIME || (from->type != MOMENT_TIME && from->type != MOMENT_OPEN) ||
	    wide_cmp(to->ns, w->least) > 0 || from->text.len + to->text.len > SHOWN_MAX)
		return false;
	(void)snprintf(text, size, "; did you mean --time %s%.*s,+%.*s, from the first event on?",
	    from->type == MOMENT_TIME ? "+" : "", (int)from->text.len, from->text.p,
	    (int)to->text.len, to->text.p);
	return true;
}

bool
window_explain(const struct window *w, char *text, size_t size)
{
	char least[WINDOW_SECONDS_MAX], most[WINDOW_SECONDS_MAX], after[128] = "";
	bool unitless = w->from.unitless || w->to.unitless;

	if (!uses(w, MOMENT_TIME) && !uses(w, MOMENT_AFTER))
		return false;
	window_spell_seconds(least, w->least);
	window_spell_seconds(most, w->most);
	if (!spell_after(w, after, sizeof after) && !unitless && uses(w, MOMENT_TIME))
		(void)snprintf(after, sizeof after, "; +1s counts from the first");
	(void)snprintf(text, size, "their times are from %s to %s%s%s", least, most,
	    unitless ? "; numbers without a unit are nanoseconds" : "", after);
	return true;
}

bool
window_cuts_nothing(const struct window *w, char *text, size_t size)
{
	const struct moment *from = &w->from;
	char least[WINDOW_SECONDS_MAX];

	if (!w->timed || from->type != MOMENT_TIME || w->to.type != MOMENT_OPEN ||
	    (from->ns.hi | from->ns.lo) == 0 || wide_cmp(from->ns, w->least) >= 0 ||
	    from->text.len > SHOWN_MAX)
		return false;
	window_spell_seconds(least, w->least);
	(void)snprintf(text, size,
	    "no line is before %.*s: their times begin at %s (--time +%.*s, counts from the first)",
	    (int)from->text.len, from->text.p, least, (int)from->text.len, from->text.p);
	return true;
}
