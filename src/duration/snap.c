/* SPDX-License-Identifier: ISC */
/* snap.c - values at the start and at the stop, and their differences. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/buf.h"
#include "lib/num.h"
#include "lib/short.h"
#include "lib/slice.h"
#include "lib/vec.h"
#include "src/duration/durint.h"

/*
 * The number of digits that the smallest double needs after the point, and the largest before it.
 */
#define PLACES 1074
#define LARGEST 309
#define FIXED_MAX (2 + LARGEST + 1 + PLACES + 1) /* the sign, the point and the NUL are included */

#define EXACT_DIGITS 15 /* every integer of this many digits is exact as a double */

/* Returns whether the value is an integer of any length, or a double in range. */
static bool
delta_is_number(struct slice value)
{
	double d;

	if (num_is_integer(value))
		return true;
	return num_get_double(value, &d) && !num_is_out_of_range(value, d);
}

/* The digits of an integer, without its sign and leading zeros.  0 has no digits. */
struct digits {
	bool negative;
	struct slice s;
};

static struct digits
digits_of(struct slice value)
{
	struct digits d = { value.p[0] == '-', value };

	if (d.negative)
		d.s = (struct slice){ value.p + 1, value.len - 1 };
	while (d.s.len > 0 && d.s.p[0] == '0')
		d.s = (struct slice){ d.s.p + 1, d.s.len - 1 };
	return d;
}

/* Returns the digit for 10^place. */
static int
digit(struct slice s, size_t place)
{
	return place < s.len ? s.p[s.len - 1 - place] - '0' : 0;
}

/* Writes |a| + |b| or, if |a| is not smaller, |a| - |b|, as n digits at dst, the highest first. */
static void
combine(char *dst, size_t n, struct slice a, struct slice b, int sign)
{
	int carry = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		int sum = digit(a, i) + sign * digit(b, i) + carry;

		carry = sum > 9 ? 1 : sum < 0 ? -1 : 0;
		dst[n - 1 - i] = (char)('0' + sum - 10 * carry);
	}
}

static int
cmp_magnitude(struct slice a, struct slice b)
{
	return a.len != b.len ? (a.len < b.len ? -1 : 1) : slice_cmp(a, b);
}

/*
 * Writes a - b for integers.  It is computed with one spare place, and leading zeros are removed.
 */
static bool
put_integers(struct buf *out, struct slice left, struct slice right)
{
	struct digits a = digits_of(left), b = digits_of(right);
	size_t n = (a.s.len > b.s.len ? a.s.len : b.s.len) + 1, skip = 0;
	bool negative = a.negative, add = a.negative != b.negative;
	char *p;

	out->len = 0;
	if (!buf_room(out, n + 1))
		return false;
	p = out->p + 1;
	if (add || cmp_magnitude(a.s, b.s) >= 0) {
		combine(p, n, a.s, b.s, add ? 1 : -1);
	} else {
		combine(p, n, b.s, a.s, -1);
		negative = !negative;
	}
	while (skip + 1 < n && p[skip] == '0')
		skip++;
	if (p[skip] == '0')
		negative = false;
	out->p[0] = '-';
	memmove(out->p + negative, p + skip, n - skip);
	out->len = n - skip + negative;
	return true;
}

static bool
put_double(struct buf *out, double d)
{
	out->len = 0;
	if (!buf_room(out, NUM_MAX))
		return false;
	out->len = num_put_double(out->p, d);
	return true;
}

/*
 * Converts a value to a double.  An integer too large for one becomes the largest double, since it
 * is finite.
 */
static double
as_double(struct slice value)
{
	double d;

	if (num_get_double(value, &d) && !(isinf(d) && num_is_integer(value)))
		return d;
	return value.p[0] == '-' ? -DBL_MAX : DBL_MAX;
}

/* Writes a finite number times 10^PLACES, as an integer. */
static bool
scale(struct buf *out, struct slice value)
{
	char text[FIXED_MAX], *point;
	int n;

	out->len = 0;
	if (num_is_integer(value)) {
		memset(text, '0', PLACES);
		return buf_put(out, value.p, value.len) && buf_put(out, text, PLACES);
	}
	n = snprintf(text, sizeof text, "%.*f", PLACES, as_double(value));
	point = memchr(text, '.', (size_t)n);
	return buf_put(out, text, (size_t)(point - text)) && buf_put(out, point + 1, PLACES);
}

/*
 * Computes the difference of a long integer and a double.  Both are scaled to integers, so the
 * difference is rounded only once.
 */
static bool
put_mixed(struct buf *out, struct slice a, struct slice b)
{
	struct buf x = { 0 }, y = { 0 };
	char tail[sizeof "e-1074"];
	bool ok = scale(&x, a) && scale(&y, b) &&
	    put_integers(out, (struct slice){ x.p, x.len }, (struct slice){ y.p, y.len });

	buf_free(&x);
	buf_free(&y);
	if (!ok)
		return false;
	snprintf(tail, sizeof tail, "e-%d", PLACES);
	return buf_put(out, tail, sizeof tail) && put_double(out, strtod(out->p, NULL));
}

static bool
is_long(struct slice value)
{
	return num_is_integer(value) && digits_of(value).s.len > EXACT_DIGITS;
}

/*
 * Replaces the contents of out with a - b, which must be numbers.  The result for two integers is
 * their difference, of any length.  Otherwise it is the double nearest to the exact difference (by
 * IEEE 754 if one of them is infinite or nan), and never -0.  Returns false when memory runs out.
 */
static bool
delta_put(struct buf *out, struct slice a, struct slice b)
{
	int64_t x, y;
	double left, right;

	if (num_get_i64(a, &x) && num_get_i64(b, &y) && x > INT64_MIN / 2 && x < INT64_MAX / 2 &&
	    y > INT64_MIN / 2 && y < INT64_MAX / 2) {
		out->len = 0;
		if (!buf_room(out, NUM_MAX))
			return false;
		out->len = num_put_i64(out->p, x - y);
		return true;
	}
	if (num_is_integer(a) && num_is_integer(b))
		return put_integers(out, a, b);
	left = as_double(a);
	right = as_double(b);
	if ((is_long(a) && isfinite(right)) || (is_long(b) && isfinite(left)) ||
	    (FLT_EVAL_METHOD != 0 && isfinite(left) && isfinite(right)))
		return put_mixed(out, a, b);
	return put_double(out, left - right + 0.0);
}

#define SNAPS_MAX 1024 /* values per interval; each is compared with all others */

/* Returns the unit tag, but nothing for unit=. if the measure has no unit either. */
static struct slice
unit_of(struct duration *d, const struct dur_line *line)
{
	const struct slice *col = line->ev->col;

	if (slice_is_nothing(line->unit) &&
	    slice_is_nothing(units_said(&d->units, col[EV_RUN], col[EV_MEASURE])))
		return SLICE("");
	return line->unit;
}

bool
dur_snap_what(struct duration *d, const struct dur_line *line)
{
	struct slice measure = line->ev->col[EV_MEASURE], unit = unit_of(d, line);
	struct buf *b = &d->what;

	b->len = 0;
	return buf_put(b, measure.p, measure.len) && buf_putc(b, '\t') &&
	    buf_put(b, line->mid.p, line->mid.len) && buf_putc(b, '\t') &&
	    buf_put(b, unit.p, unit.len) && buf_putc(b, '\t') &&
	    buf_put(b, line->type.p, line->type.len);
}

/*
 * Returns whether values of the datatype are quantities.  Other values are not, whatever they look
 * like.
 */
static bool
is_quantity(struct slice type)
{
	return !slice_eq(type, SLICE("text")) && !slice_eq(type, SLICE("string")) &&
	    !slice_eq(type, SLICE("enum")) && !slice_eq(type, SLICE("bool"));
}

static bool
is_number(const struct dur_line *line)
{
	return is_quantity(line->type) && delta_is_number(line->ev->col[EV_VALUE]);
}

/* Returns the value for d->what, or NULL. */
static struct snap *
find(const struct duration *d, struct interval *v)
{
	struct slice what = buf_slice(&d->what);
	size_t i;

	for (i = 0; i < v->snaps; i++)
		if (short_eq(open_text(v, v->snap[i].what), what))
			return &v->snap[i];
	return NULL;
}

/* Adds the first value for d->what.  SAMPLED: the line is a sample. */
static bool
add(struct duration *d, const struct dur_line *line, struct interval *v, bool sampled)
{
	struct slice value = line->ev->col[EV_VALUE];
	struct buf last;

	if (v->snaps == SNAPS_MAX) {
		dur_exceed(d, DUR_MANY_VALUES);
		return true;
	}
	if (!vec_room_zero(v->snap, v->snaps, v->snaps_cap))
		return false;
	last = v->snap[v->snaps].last;
	last.len = 0;
	v->snap[v->snaps] = (struct snap){ .what = { v->text.len, d->what.len },
		.value = { v->text.len + d->what.len, value.len },
		.last = last,
		.sampled = sampled };
	v->snaps++;
	return buf_put(&v->text, d->what.p, d->what.len) && buf_put(&v->text, value.p, value.len);
}

bool
dur_snap_start(struct duration *d, const struct dur_line *line, struct interval *v)
{
	if (!dur_has_measure(line))
		return true;
	if (!is_number(line)) {
		d->texts += !slice_is_nothing(line->ev->col[EV_VALUE]);
		return true;
	}
	return add(d, line, v, false);
}

bool
dur_snap_is_more(const struct duration *d, const struct dur_line *line, struct interval *v)
{
	struct slice label = line->ev->col[EV_REGION];

	if (!dur_has_measure(line) || wide_cmp(line->time, v->start) != 0)
		return false;
	if (!slice_is_nothing(label) && !short_eq(label, open_text(v, v->label)))
		return false;
	return find(d, v) == NULL;
}

bool
dur_snap_waits(const struct duration *d, const struct dur_line *line, struct interval *v)
{
	const struct snap *s = is_number(line) ? find(d, v) : NULL;

	return s != NULL && !s->done;
}

bool
dur_snap_is_done(const struct duration *d, struct interval *v)
{
	const struct snap *s = find(d, v);

	return s != NULL && s->done;
}

static bool
finish(struct duration *d, const struct dur_line *line, struct interval *v, struct snap *s,
    struct slice value)
{
	s->done = true;
	if (!delta_put(&d->value, value, open_text(v, s->value)))
		return false;
	return dur_span_delta(d, line, v, open_text(v, s->what), buf_slice(&d->value));
}

/* Counts a value of a start or a stop that has no delta.  WHAT is as in struct snap. */
static void
miss(struct duration *d, struct slice what)
{
	struct slice measure = dur_next_part(&what), mid = dur_next_part(&what),
		     unit = dur_next_part(&what);

	(void)mid;
	units_name(&d->lone_names, measure, unit.len == 0 ? SLICE(".") : unit);
	d->lone++;
}

bool
dur_snap_stop(struct duration *d, const struct dur_line *line, struct interval *v)
{
	struct snap *s;

	if (!is_number(line)) {
		d->texts += !slice_is_nothing(line->ev->col[EV_VALUE]);
		return true;
	}
	s = find(d, v);
	if (s == NULL || s->done) {
		miss(d, buf_slice(&d->what));
		return true;
	}
	return finish(d, line, v, s, line->ev->col[EV_VALUE]);
}

bool
dur_snap_samples(struct duration *d, const struct dur_line *line, struct interval *v)
{
	size_t i;

	for (i = 0; i < v->snaps; i++) {
		struct snap *s = &v->snap[i];

		if (s->last.len == 0 || wide_cmp(s->last_at, line->time) != 0)
			continue;
		if (!finish(d, line, v, s, buf_slice(&s->last)))
			return false;
	}
	return true;
}

/*
 * Processes a value in an open interval.  At the start the first value is used, at the stop the
 * last one.
 */
static bool
see(struct duration *d, const struct dur_line *line, struct interval *v)
{
	struct slice value = line->ev->col[EV_VALUE];
	struct snap *s = find(d, v);

	if (s == NULL)
		return wide_cmp(line->time, v->start) != 0 || add(d, line, v, true);
	s->last.len = 0;
	s->last_at = line->time;
	return buf_put(&s->last, value.p, value.len);
}

bool
dur_snap_sample(struct duration *d, const struct dur_line *line)
{
	struct open_name name = line->name;
	struct interval *v;
	struct snap *s;

	if (line->scope.len == 0 || !is_number(line))
		return true;
	if (!dur_snap_what(d, line))
		return false;
	name.kind |= OPEN_ENDED;
	v = open_find(&d->open, &name);
	if (v != NULL && wide_cmp(line->time, d->run[line->run].now) == 0) {
		s = find(d, v);
		if (s != NULL && !s->done && !finish(d, line, v, s, line->ev->col[EV_VALUE]))
			return false;
	}
	/*
	 * the next interval with that name may have started at the same time and then also gets the
	 * value
	 */
	v = open_find(&d->open, &line->name);
	return v == NULL || see(d, line, v);
}

void
dur_snap_drop(struct duration *d, struct interval *v)
{
	size_t i;

	for (i = 0; i < v->snaps; i++)
		if (!v->snap[i].done && !v->snap[i].sampled)
			miss(d, open_text(v, v->snap[i].what));
	v->snaps = 0;
}
