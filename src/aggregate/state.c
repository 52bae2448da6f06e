/* SPDX-License-Identifier: ISC */
/* state.c - all that is kept for a group, and its text. */
#include "src/aggregate/state.h"

#include <string.h>

#include "lib/hint.h"
#include "lib/num.h"

#define SHOWN_MAX 60 /* bytes of a text in a message */

void
state_release(const struct state *st)
{
	accumulator_free(st->t);
	if (st->d == NULL)
		return;
	values_free(&st->d->values);
	sketch_free(&st->d->sketch);
	pairs_free(&st->d->hist);
}

/* Kept out of the loop over lines, which is slower if it gets longer. */
HINT_APART bool
state_add_more(const struct keep *x, struct detail *d, int64_t v)
{
	if ((x->need & STATE_SKETCH) != 0 && !sketch_add_small(&d->sketch, x->sketch_bits, v))
		return false;
	if ((x->need & STATE_VALUES) != 0 && !pairs_add(&d->values.small, v, 1))
		return false;
	return (x->need & STATE_HIST) == 0 || pairs_add(&d->hist, bins_of_small(&x->bins, v), 1);
}

/*
 * Keeps the value with the earlier time, or the later one if WANTED is 1.  Of equal times it keeps
 * the smaller value, and of equal values the integer.
 */
static void
keep_moment(struct moment *best, const struct moment *m, int wanted)
{
	int c = best->set ? wide_cmp(m->time, best->time) : wanted;

	if (best->set && c == 0) {
		c = values_cmp(&m->value, &best->value);
		if (c > 0 || (c == 0 && m->value.kind != NUMBER_INTEGER))
			return;
		c = wanted;
	}
	if (c == wanted)
		*best = *m;
}

static bool
add_detail(const struct keep *x, struct detail *d, const struct number *v, uint64_t weight,
    const struct wide *time)
{
	if ((x->need & STATE_TIMES) != 0 && time != NULL) {
		struct moment m = { true, *time, *v };

		keep_moment(&d->first, &m, -1);
		keep_moment(&d->last, &m, 1);
	}
	if ((x->need & STATE_VALUES) != 0 && !values_add(&d->values, v, weight))
		return false;
	if ((x->need & STATE_SKETCH) != 0 && !sketch_add(&d->sketch, x->sketch_bits, v, weight))
		return false;
	return (x->need & STATE_HIST) == 0 || pairs_add(&d->hist, bins_of(&x->bins, v), weight);
}

static bool
join_sketch(const struct keep *x, struct sketch *s, struct sketch *from)
{
	int64_t at = -SKETCH_INF;
	struct pair b;
	bool range;

	sketch_settle(from);
	while (sketch_next(from, x->sketch_bits, &at, &b))
		if (!sketch_add_bucket(s, x->sketch_bits, b.value, b.count, &range))
			return false;
	return true;
}

static bool
join_detail(const struct keep *x, struct detail *d, struct detail *from)
{
	size_t i;

	(void)wide_add(d->weight, from->weight, &d->weight);
	if (from->first.set)
		keep_moment(&d->first, &from->first, -1);
	if (from->last.set)
		keep_moment(&d->last, &from->last, 1);
	for (i = 0; i < from->hist.n; i++)
		if (!pairs_add(&d->hist, from->hist.pair[i].value, from->hist.pair[i].count))
			return false;
	return values_join(&d->values, &from->values) &&
	    ((x->need & STATE_SKETCH) == 0 || join_sketch(x, &d->sketch, &from->sketch));
}

bool
state_join(const struct keep *x, const struct state *st, const struct state *from)
{
	bool spread = (x->need & ~(unsigned)ACCUMULATOR_SUM) != 0;

	return accumulator_join(st->t, spread ? st->s : NULL, x->need, from->t,
		   spread ? from->s : NULL) &&
	    ((x->need & STATE_DETAIL) == 0 || join_detail(x, st->d, from->d));
}

/* Adds to the sum of the weights. */
static int
add_weight(const struct keep *x, struct detail *d, struct wide weight, struct err *e)
{
	struct wide sum;

	if (!wide_add(d->weight, weight, &sum))
		return err_data(e, "the weights of the group add up to more than 128 bits");
	if (sum.hi != 0 && (x->need & (STATE_SKETCH | STATE_HIST)) != 0)
		return err_data(e,
		    "the weights of the group add up to more than the 64 bits of a bucket");
	d->weight = sum;
	return 0;
}

int
state_add_number(const struct keep *x, const struct state *st, const struct number *v,
    uint64_t weight, const struct wide *time, struct err *e)
{
	int rc;

	if (weight == 0)
		return 0;
	if ((x->need & STATE_WEIGHT) != 0 &&
	    (rc = add_weight(x, st->d, (struct wide){ 0, weight }, e)) != 0)
		return rc;
	if (!accumulator_add_number(st->t, st->s, x->need, v, weight) ||
	    ((x->need & STATE_DETAIL) != 0 && !add_detail(x, st->d, v, weight, time)))
		return err_nomem(e);
	return 0;
}

struct wide
state_count(const struct keep *x, const struct state *st)
{
	return (x->need & STATE_WEIGHT) != 0 ? st->d->weight : (struct wide){ 0, st->t->n };
}

/* Checking that the parts of a state fit together. */

static bool
fits_odd(const struct accumulator *t)
{
	uint64_t doubles = accumulator_odd(t, ODD_DOUBLE), left = doubles, n;
	int i;

	for (i = ODD_MINUS_ZERO; i < ODDS; i++) {
		n = accumulator_odd(t, (enum odd)i);
		if (n > left)
			return false;
		left -= n;
	}
	return doubles <= t->n;
}

static bool
fits_extremes(const struct accumulator *t, const struct spread *s)
{
	struct number min, max;
	bool has = accumulator_min(t, s, &min) && accumulator_max(t, s, &max);

	if (has != (t->n != accumulator_odd(t, ODD_NAN)))
		return false;
	return !has ||
	    (number_cmp(&min, &max) <= 0 &&
		(min.kind == NUMBER_INFINITE && min.negative) ==
		    (accumulator_odd(t, ODD_MINUS_INF) != 0) &&
		(max.kind == NUMBER_INFINITE && !max.negative) ==
		    (accumulator_odd(t, ODD_INF) != 0));
}

/* The sum of integers is an integer, and not longer than their number allows. */
static bool
fits_sum(const struct accumulator *t, struct wide count)
{
	struct bignum sum;

	accumulator_sum(t, &sum);
	if (sum.n == 0)
		return true;
	return t->n != 0 &&
	    (accumulator_odd(t, ODD_DOUBLE) != 0 ||
		(bignum_is_integer(&sum) && bignum_bits(&sum) <= 128 + (int)wide_bits(count)));
}

/* n * squares >= sum^2 */
static bool
fits_squares(const struct accumulator *t, const struct spread *s, struct wide count)
{
	struct bignum sum, squares, n, product, square;

	accumulator_sum(t, &sum);
	accumulator_squares(t, s, &squares);
	bignum_set(&n, count);
	bignum_mul(&product, &squares, &n);
	bignum_mul(&square, &sum, &sum);
	return bignum_cmp(&product, &square) >= 0;
}

static bool
fits_values(const struct accumulator *t, const struct values *v, struct wide count)
{
	struct values_at at = { v->small.n, v->n };
	struct values_run run;
	struct wide n;
	bool nan = values_back(v, &at, &run) && run.value.kind == NUMBER_NAN;

	return values_total(v, &n) && wide_cmp(n, count) == 0 &&
	    nan == (accumulator_odd(t, ODD_NAN) != 0);
}

/* Adds up counts, whose sum must be n. */
static bool
fits_counts(uint64_t *left, uint64_t count)
{
	if (count > *left)
		return false;
	*left -= count;
	return true;
}

static bool
fits_sketch(const struct keep *x, const struct state *st, struct wide count)
{
	const struct sketch *s = &st->d->sketch;
	int64_t at = -SKETCH_INF;
	uint64_t left = count.lo;
	struct pair b;

	while (sketch_next(s, x->sketch_bits, &at, &b))
		if (!fits_counts(&left, b.count))
			return false;
	return left == 0 && (s->nans != 0) == (accumulator_odd(st->t, ODD_NAN) != 0);
}

static bool
fits_hist(const struct pairs *hist, struct wide count)
{
	uint64_t left = count.lo;
	size_t i;

	for (i = 0; i < hist->n; i++)
		if (!fits_counts(&left, hist->pair[i].count))
			return false;
	return left == 0;
}

static bool
fits_detail(const struct keep *x, const struct state *st, struct wide count)
{
	const struct detail *d = st->d;

	if ((x->need & STATE_WEIGHT) != 0 &&
	    (wide_cmp(d->weight, (struct wide){ 0, st->t->n }) < 0 ||
		(st->t->n == 0 && (d->weight.hi | d->weight.lo) != 0)))
		return false;
	if ((x->need & STATE_TIMES) != 0 &&
	    (d->first.set != d->last.set ||
		(d->first.set && wide_cmp(d->first.time, d->last.time) > 0)))
		return false;
	/* with buckets or bins the count has at most 64 bits: see add_weight */
	return ((x->need & STATE_VALUES) == 0 || fits_values(st->t, &d->values, count)) &&
	    ((x->need & STATE_SKETCH) == 0 || fits_sketch(x, st, count)) &&
	    ((x->need & STATE_HIST) == 0 || fits_hist(&d->hist, count));
}

static bool
fits(const struct keep *x, const struct state *st)
{
	struct wide count = state_count(x, st);

	/* without a big there are only small values, and none were read from text */
	if (st->t->big != NULL && !fits_odd(st->t))
		return false;
	if ((x->need & ACCUMULATOR_EXTREMES) != 0 && !fits_extremes(st->t, st->s))
		return false;
	if ((x->need & ACCUMULATOR_SUM) != 0 && st->t->big != NULL && !fits_sum(st->t, count))
		return false;
	if ((x->need & ACCUMULATOR_SQUARES) != 0 && st->t->big != NULL &&
	    !fits_squares(st->t, st->s, count))
		return false;
	return (x->need & STATE_DETAIL) == 0 || fits_detail(x, st, count);
}

int
state_settle(const struct keep *x, const struct state *st, struct err *e)
{
	bool spread = (x->need & ~(unsigned)ACCUMULATOR_SUM) != 0;

	if (!accumulator_settle(st->t, spread ? st->s : NULL))
		return err_nomem(e);
	if ((x->need & STATE_VALUES) != 0)
		values_settle(&st->d->values);
	if ((x->need & STATE_SKETCH) != 0)
		sketch_settle(&st->d->sketch);
	if ((x->need & STATE_HIST) != 0)
		pairs_settle(&st->d->hist);
	if (!fits(x, st))
		return err_data(e,
		    "the parts of a partial result do not fit together: a line is missing, is "
		    "duplicated, or was changed");
	return 0;
}

bool
state_next_bin(const struct keep *x, const struct state *st, size_t *at, struct bin *bin)
{
	const struct pairs *hist = &st->d->hist;
	int64_t number;

	if (*at == hist->n)
		return false;
	number = hist->pair[*at].value;
	bin->lo_len = bins_put_lo(bin->lo, &x->bins, number);
	bin->hi_len = bins_put_hi(bin->hi, &x->bins, number);
	bin->count = hist->pair[(*at)++].count;
	return true;
}

/* Writing the text. */

enum part { PART_TOTALS, PART_VALUES, PART_SKETCH, PART_HIST, PART_END };

static bool
put_key(struct buf *b, const char *key)
{
	return buf_putc(b, '\t') && buf_puts(b, key) && buf_putc(b, '=');
}

static bool
put_u64(struct buf *b, uint64_t v)
{
	char text[NUM_MAX];

	return buf_put(b, text, num_put_u64(text, v));
}

static bool
put_wide(struct buf *b, struct wide v)
{
	char text[WIDE_DIGITS];

	return buf_put(b, text, wide_put(text, v));
}

static bool
put_number(struct buf *b, const struct number *v)
{
	char text[NUMBER_PUT_MAX];

	return buf_put(b, text, number_put(text, v));
}

static bool
put_exact(struct buf *b, const char *key, const struct bignum *v)
{
	char text[BIGNUM_EXACT_MAX];

	return put_key(b, key) && buf_put(b, text, bignum_put_exact(text, v));
}

static bool
put_extreme(struct buf *b, const char *key, bool has, const struct number *v)
{
	return put_key(b, key) && (has ? put_number(b, v) : buf_putc(b, '.'));
}

static bool
put_moment(struct buf *b, const char *key, const struct moment *m)
{
	if (!put_key(b, key))
		return false;
	if (!m->set)
		return buf_putc(b, '.');
	return put_wide(b, m->time) && buf_putc(b, ':') && put_number(b, &m->value);
}

static bool
put_odd(struct buf *b, const struct accumulator *t)
{
	int i;

	if (accumulator_odd(t, ODD_DOUBLE) == 0)
		return true;
	if (!put_key(b, "agg.odd"))
		return false;
	for (i = 0; i < ODDS; i++)
		if ((i > 0 && !buf_putc(b, ';')) || !put_u64(b, accumulator_odd(t, (enum odd)i)))
			return false;
	return true;
}

static bool
put_totals(const struct keep *x, const struct state *st, struct buf *b)
{
	struct bignum v;
	struct number n;
	bool has;

	if (!put_key(b, "agg.n") || !put_u64(b, st->t->n))
		return false;
	if ((x->need & STATE_WEIGHT) != 0 && (!put_key(b, "agg.w") || !put_wide(b, st->d->weight)))
		return false;
	if ((x->need & ACCUMULATOR_SUM) != 0) {
		accumulator_sum(st->t, &v);
		if (!put_exact(b, "agg.sum", &v))
			return false;
	}
	if ((x->need & ACCUMULATOR_SQUARES) != 0) {
		accumulator_squares(st->t, st->s, &v);
		if (!put_exact(b, "agg.sq", &v))
			return false;
	}
	if ((x->need & ACCUMULATOR_EXTREMES) != 0) {
		has = accumulator_min(st->t, st->s, &n);
		if (!put_extreme(b, "agg.min", has, &n))
			return false;
		has = accumulator_max(st->t, st->s, &n);
		if (!put_extreme(b, "agg.max", has, &n))
			return false;
	}
	if (!put_odd(b, st->t))
		return false;
	return (x->need & STATE_TIMES) == 0 ||
	    (put_moment(b, "agg.first", &st->d->first) && put_moment(b, "agg.last", &st->d->last));
}

/* Appends one element of a list, after KEY if it is the first one of this piece. */
static bool
put_element(struct buf *b, const char *key, bool *first)
{
	bool ok = *first ? put_key(b, key) : buf_putc(b, ';');

	*first = false;
	return ok;
}

static bool
put_values(const struct values *v, struct values_at *at, struct buf *b, size_t end)
{
	struct values_run run;
	bool first = true;

	while (b->len < end && values_next(v, at, &run))
		while ((run.count.hi | run.count.lo) != 0) {
			struct wide part = { 0, run.count.hi != 0 ? UINT64_MAX : run.count.lo };

			if (!put_element(b, "agg.values", &first) || !put_number(b, &run.value) ||
			    !buf_putc(b, '*') || !put_u64(b, part.lo))
				return false;
			run.count = wide_sub(run.count, part);
		}
	return true;
}

static bool
put_pair(struct buf *b, const struct pair *p)
{
	struct number bucket = number_of(p->value);

	return put_number(b, &bucket) && buf_putc(b, '*') && put_u64(b, p->count);
}

static bool
put_sketch(const struct keep *x, const struct sketch *s, int64_t *at, struct buf *b, size_t end)
{
	struct pair p;
	bool first = true;

	while (b->len < end && sketch_next(s, x->sketch_bits, at, &p)) {
		bool head = first;

		if (!put_element(b, "agg.sketch", &first) ||
		    (head && (!put_u64(b, x->sketch_bits) || !buf_putc(b, ':'))) ||
		    !put_pair(b, &p))
			return false;
	}
	return true;
}

static bool
put_hist(const struct keep *x, const struct pairs *hist, size_t *at, struct buf *b, size_t end)
{
	bool first = true;

	for (; b->len < end && *at < hist->n; ++*at) {
		bool head = first;

		if (!put_element(b, "agg.hist", &first) ||
		    (head && (!bins_put_name(&x->bins, b) || !buf_putc(b, ':'))) ||
		    !put_pair(b, &hist->pair[*at]))
			return false;
	}
	return true;
}

bool
state_write(const struct keep *x, const struct state *st, struct state_piece *at, struct buf *b,
    bool *more)
{
	size_t end = b->len + STATE_PIECE_MAX;

	if (at->part == PART_TOTALS) {
		at->sketch = -SKETCH_INF;
		if (!put_totals(x, st, b))
			return false;
	}
	for (at->part += at->part == PART_TOTALS; at->part < PART_END; at->part++) {
		if (at->part == PART_VALUES && (x->need & STATE_VALUES) != 0 &&
		    !put_values(&st->d->values, &at->value, b, end))
			return false;
		if (at->part == PART_SKETCH && (x->need & STATE_SKETCH) != 0 &&
		    !put_sketch(x, &st->d->sketch, &at->sketch, b, end))
			return false;
		if (at->part == PART_HIST && (x->need & STATE_HIST) != 0 &&
		    !put_hist(x, &st->d->hist, &at->hist, b, end))
			return false;
		if (b->len >= end)
			break;
	}
	*more = at->part < PART_END;
	return true;
}

/* Reading the text. */

struct take {
	const struct keep *x;
	const struct state *st;
	struct slice key;
	struct err *e;
};

static int
refuse(const struct take *k, struct slice text, const char *why)
{
	return err_data(k->e, "%.*s: \"%.*s\" %s", slice_shown(k->key, SHOWN_MAX), k->key.p,
	    slice_shown(text, SHOWN_MAX), text.p, why);
}

/* Returns 0, or the error for a failed addition. */
static int
added(const struct take *k, struct slice text, bool ok, const bool *range)
{
	if (ok)
		return 0;
	return *range ? refuse(k, text, "makes a total too large") : err_nomem(k->e);
}

/* Reads a number in the spelling that number_put gives it. */
static bool
get_number(struct slice s, struct number *v)
{
	char again[NUMBER_PUT_MAX];
	struct err e;

	return s.len < NUMBER_PUT_MAX && number_get(s, v, &e) == 0 &&
	    slice_eq(s, (struct slice){ again, number_put(again, v) });
}

static bool
get_wide(struct slice s, struct wide *v)
{
	return s.len <= WIDE_DIGITS && wide_get(s, v) == WIDE_OK && (s.len == 1 || s.p[0] != '0');
}

static int
take_n(const struct take *k, struct slice s)
{
	uint64_t n;

	if (!num_get_u64(s, &n))
		return refuse(k, s, "is not a count");
	if (n > UINT64_MAX - k->st->t->n)
		return refuse(k, s, "makes a total too large");
	k->st->t->n += n;
	return 0;
}

static int
take_weight(const struct take *k, struct slice s)
{
	struct wide w;

	if ((k->x->need & STATE_WEIGHT) == 0)
		return refuse(k, s, "needs --weight, as the values have weights");
	if (!get_wide(s, &w))
		return refuse(k, s, "is not a sum of weights");
	return add_weight(k->x, k->st->d, w, k->e);
}

static int
take_sum(const struct take *k, struct slice s)
{
	struct bignum v;
	bool range;

	if (!bignum_get_exact(s, ACCUMULATOR_SUM_LOWEST, ACCUMULATOR_SUM_HIGHEST, &v))
		return refuse(k, s, "is not a sum");
	return added(k, s, accumulator_take_sum(k->st->t, &v, &range), &range);
}

static int
take_squares(const struct take *k, struct slice s)
{
	struct bignum v;
	bool range;

	if (!bignum_get_exact(s, ACCUMULATOR_SQUARES_LOWEST, ACCUMULATOR_SQUARES_HIGHEST, &v) ||
	    v.negative)
		return refuse(k, s, "is not a sum of squares");
	return added(k, s, accumulator_take_squares(k->st->t, &v, &range), &range);
}

/* Reads an extreme. */
static int
get_extreme(const struct take *k, struct slice s, struct number *v)
{
	if (!get_number(s, v) || v->kind == NUMBER_NAN)
		return refuse(k, s, "is not a number as the stream spells it");
	return 0;
}

static int
take_min(const struct take *k, struct slice s)
{
	struct number v;
	int rc = slice_is_nothing(s) ? 0 : get_extreme(k, s, &v);

	if (rc != 0 || slice_is_nothing(s))
		return rc;
	return accumulator_take_min(k->st->t, k->st->s, &v) ? 0 : err_nomem(k->e);
}

static int
take_max(const struct take *k, struct slice s)
{
	struct number v;
	int rc = slice_is_nothing(s) ? 0 : get_extreme(k, s, &v);

	if (rc != 0 || slice_is_nothing(s))
		return rc;
	return accumulator_take_max(k->st->t, k->st->s, &v) ? 0 : err_nomem(k->e);
}

static struct slice
next_part(struct slice *s, char end)
{
	const char *p = s->len == 0 ? NULL : memchr(s->p, end, s->len);
	struct slice part = { s->p, p == NULL ? s->len : (size_t)(p - s->p) };

	s->p += part.len + (p != NULL);
	s->len -= part.len + (p != NULL);
	return part;
}

static int
take_odd(const struct take *k, struct slice s)
{
	struct slice rest = s;
	uint64_t odd[ODDS];
	bool range;
	int i;

	for (i = 0; i < ODDS; i++)
		if (!num_get_u64(next_part(&rest, ';'), &odd[i]))
			return refuse(k, s, "is not five counts");
	if (rest.len != 0 || s.p[s.len - 1] == ';')
		return refuse(k, s, "is not five counts");
	return added(k, s, accumulator_take_odd(k->st->t, odd, &range), &range);
}

static int
take_moment(const struct take *k, struct slice s, struct moment *best, int wanted)
{
	struct moment m = { .set = true };
	struct slice rest = s, time = next_part(&rest, ':');

	if (slice_is_nothing(s))
		return 0;
	if (!get_wide(time, &m.time) || !get_number(rest, &m.value))
		return refuse(k, s, "is not a time and a value");
	keep_moment(best, &m, wanted);
	return 0;
}

static int
take_first(const struct take *k, struct slice s)
{
	return take_moment(k, s, &k->st->d->first, -1);
}

static int
take_last(const struct take *k, struct slice s)
{
	return take_moment(k, s, &k->st->d->last, 1);
}

/* Reads the next VALUE*COUNT of a list. */
static bool
get_element(struct slice *rest, struct slice *element, struct number *v, uint64_t *count)
{
	struct slice part;
	bool last = memchr(rest->p, ';', rest->len) == NULL;

	*element = part = next_part(rest, ';');
	return (last || rest->len != 0) && get_number(next_part(&part, '*'), v) &&
	    num_get_u64(part, count) && *count != 0;
}

static int
take_values(const struct take *k, struct slice s)
{
	struct slice element;
	struct number v;
	uint64_t count;

	do {
		if (!get_element(&s, &element, &v, &count))
			return refuse(k, element, "is not a value and a count");
		if (!values_add(&k->st->d->values, &v, count))
			return err_nomem(k->e);
	} while (s.len != 0);
	return 0;
}

/* Reads the next BUCKET*COUNT. */
static bool
get_pair(struct slice *rest, struct slice *element, struct pair *p)
{
	struct number v;

	return get_element(rest, element, &v, &p->count) && v.kind == NUMBER_INTEGER &&
	    num_get_i64((struct slice){ element->p,
			    (size_t)((const char *)memchr(element->p, '*', element->len) -
				element->p) },
		&p->value);
}

static int
take_sketch(const struct take *k, struct slice s)
{
	unsigned bits = k->x->sketch_bits;
	struct slice element = next_part(&s, ':');
	uint64_t written;
	struct pair p;
	bool range;
	int rc;

	if (!num_get_u64(element, &written) || written != bits)
		return refuse(k, element, "is not the precision of --sketch");
	do {
		if (s.len == 0 || !get_pair(&s, &element, &p) || !sketch_is_bucket(bits, p.value))
			return refuse(k, element, "is not a bucket and a count");
		rc = added(k, element,
		    sketch_add_bucket(&k->st->d->sketch, bits, p.value, p.count, &range), &range);
	} while (rc == 0 && s.len != 0);
	return rc;
}

static int
take_hist(const struct take *k, struct slice s)
{
	struct slice element = next_part(&s, ':');
	struct buf name = { 0 };
	bool ok = bins_put_name(&k->x->bins, &name), same = slice_eq(element, buf_slice(&name));
	struct pair p;

	buf_free(&name);
	if (!ok)
		return err_nomem(k->e);
	if (!same)
		return refuse(k, element, "is not the bins of --bins");
	do {
		if (s.len == 0 || !get_pair(&s, &element, &p) || !bins_is_bin(&k->x->bins, p.value))
			return refuse(k, element, "is not a bin and a count");
		if (!pairs_add(&k->st->d->hist, p.value, p.count))
			return err_nomem(k->e);
	} while (s.len != 0);
	return 0;
}

/* The tags: which data need them, and whether every first piece has them if these are needed. */
static const struct tag {
	struct slice key;
	unsigned need; /* 0: always */
	bool required;
	bool further; /* may be in later pieces */
	int (*take)(const struct take *k, struct slice s);
} tags[] = {
	{ SLICE_INIT("agg.n"), 0, true, false, take_n },
	{ SLICE_INIT("agg.w"), 0, false, false, take_weight },
	{ SLICE_INIT("agg.sum"), ACCUMULATOR_SUM, true, false, take_sum },
	{ SLICE_INIT("agg.sq"), ACCUMULATOR_SQUARES, true, false, take_squares },
	{ SLICE_INIT("agg.min"), ACCUMULATOR_EXTREMES, true, false, take_min },
	{ SLICE_INIT("agg.max"), ACCUMULATOR_EXTREMES, true, false, take_max },
	{ SLICE_INIT("agg.odd"), 0, false, false, take_odd },
	{ SLICE_INIT("agg.first"), STATE_TIMES, true, false, take_first },
	{ SLICE_INIT("agg.last"), STATE_TIMES, true, false, take_last },
	{ SLICE_INIT("agg.values"), STATE_VALUES, false, true, take_values },
	{ SLICE_INIT("agg.sketch"), STATE_SKETCH, false, true, take_sketch },
	{ SLICE_INIT("agg.hist"), STATE_HIST, false, true, take_hist },
};

#define TAGS (sizeof tags / sizeof tags[0])
#define TAG_N 0 /* the places of two of them */
#define TAG_WEIGHT 1

int
state_take(const struct keep *x, const struct state *st, struct slice key, struct slice value,
    unsigned *seen, struct err *e)
{
	struct take k = { x, st, key, e };
	size_t i = 0;

	while (i < TAGS && !slice_eq(key, tags[i].key))
		i++;
	if (i == TAGS)
		return refuse(&k, value, "is not part of a partial result that this program knows");
	if ((*seen >> i & 1) != 0)
		return refuse(&k, value, "appears twice");
	*seen |= 1u << i;
	if (value.len == 0)
		return refuse(&k, value, "is empty");
	return tags[i].need != 0 && (x->need & tags[i].need) == 0 ? 0 : tags[i].take(&k, value);
}

int
state_taken(const struct keep *x, unsigned seen, struct err *e)
{
	size_t i;

	for (i = 0; i < TAGS; i++) {
		bool needed = tags[i].need == 0 || (x->need & tags[i].need) != 0;
		bool required = (tags[i].required && needed) ||
		    (i == TAG_WEIGHT && (x->need & STATE_WEIGHT) != 0);
		bool has = (seen >> i & 1) != 0;

		if ((seen & 1u << TAG_N) != 0 ? required && !has : has && !tags[i].further)
			return err_data(e, "a partial result %s %s",
			    has ? "lacks agg.n but has" : "lacks", tags[i].key.p);
	}
	return 0;
}
