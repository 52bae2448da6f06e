/* SPDX-License-Identifier: ISC */
/* buckets.c - values counted in buckets: sketches, and the bins of histograms. */
#include "src/aggregate/buckets.h"

#include <math.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/num.h"
#include "lib/wide.h"
#include "src/aggregate/bignum.h"

#define FIRST 16 /* buckets of a new window */

/* Sketches. */

/* Makes the window contain the index.  Returns false if memory runs out. */
static bool
widen(struct window *w, unsigned bits, int32_t index)
{
	int32_t lowest = SKETCH_EXP_MIN * ((int32_t)1 << bits), highest = SKETCH_INDEX_MAX(bits);
	int32_t low = w->first, high = w->first + (int32_t)w->n - 1;
	int32_t more = w->n / 4 < FIRST ? FIRST : (int32_t)(w->n / 4);
	uint32_t *count;
	uint32_t n, below;

	/* grow by a part of the size on the side of the index, so that few calls are needed */
	if (w->n == 0 || index < low)
		low = index - lowest > more ? index - more : lowest;
	if (w->n == 0 || index > high)
		high = highest - index > more ? index + more : highest;
	n = (uint32_t)(high - low) + 1;
	below = w->n == 0 ? 0 : (uint32_t)(w->first - low);
	count = mem_resize(w->count, n * sizeof *count);
	if (count == NULL)
		return false;
	memmove(count + below, count, w->n * sizeof *count);
	memset(count, 0, below * sizeof *count);
	memset(count + below + w->n, 0, (n - below - w->n) * sizeof *count);
	*w = (struct window){ count, low, n };
	return true;
}

/* Returns the number of the bucket of any value. */
static int64_t
bucket_of(unsigned bits, const struct number *v)
{
	unsigned used = wide_bits(v->m);
	int32_t top = (int32_t)used - 1 + v->exp, index;
	int64_t bucket;

	if (v->kind == NUMBER_NAN)
		return SKETCH_NAN;
	if (v->kind == NUMBER_INFINITE)
		return v->negative ? -SKETCH_INF : SKETCH_INF;
	if (used == 0)
		return 0;
	/* the highest bit and those after it, where the highest one adds 1 to the exponent */
	index = (top - 1) * ((int32_t)1 << bits) +
	    (int32_t)(wide_shl(v->m, 128 - used).hi >> (63 - bits));
	bucket = (int64_t)index + SKETCH_ZERO(bits);
	return v->negative ? -bucket : bucket;
}

bool
sketch_is_bucket(unsigned bits, int64_t bucket)
{
	int64_t b = bucket < 0 ? -bucket : bucket;
	int64_t lowest = (int64_t)SKETCH_ZERO(bits) + SKETCH_EXP_MIN * ((int64_t)1 << bits);

	if (bucket < -SKETCH_INF || bucket > SKETCH_NAN)
		return false;
	return b == 0 || b >= SKETCH_INF ||
	    (b >= lowest && b <= (int64_t)SKETCH_ZERO(bits) + SKETCH_INDEX_MAX(bits));
}

/* Returns the count of a bucket that has no window, or NULL. */
static uint64_t *
single_count(struct sketch *s, int64_t bucket)
{
	if (bucket == 0)
		return &s->zeros;
	if (bucket == SKETCH_NAN)
		return &s->nans;
	if (bucket == SKETCH_INF)
		return &s->infs;
	return bucket == -SKETCH_INF ? &s->minus_infs : NULL;
}

/* Returns whether a window that contains the index would be too large. */
static bool
is_far(const struct window *w, int32_t index)
{
	int32_t high = w->first + (int32_t)w->n - 1;

	if (w->n == 0)
		return false;
	return (index < w->first ? high - index : index - w->first) >= (int32_t)SKETCH_WINDOW_MAX;
}

bool
sketch_add_bucket(struct sketch *s, unsigned bits, int64_t bucket, uint64_t count, bool *range)
{
	struct window *w = bucket < 0 ? &s->negative : &s->positive;
	uint64_t *single = single_count(s, bucket);
	int32_t index;
	uint32_t *place;

	*range = single != NULL && count > UINT64_MAX - *single;
	if (single != NULL) {
		*single += *range ? 0 : count;
		return !*range;
	}
	index = (int32_t)((bucket < 0 ? -bucket : bucket) - SKETCH_ZERO(bits));
	if ((uint32_t)index - (uint32_t)w->first >= w->n) {
		bool *full = &s->full[bucket < 0];

		*full = *full || is_far(w, index);
		if (*full)
			return pairs_add(&s->more, bucket, count);
		if (!widen(w, bits, index))
			return false;
	}
	place = &w->count[(uint32_t)index - (uint32_t)w->first];
	if (count <= UINT32_MAX - *place) {
		*place += (uint32_t)count;
		return true;
	}
	/* the count in the window stays above 0 */
	if (!pairs_add(&s->more, bucket, count - (*place == 0)))
		return false;
	*place += *place == 0;
	return true;
}

bool
sketch_add(struct sketch *s, unsigned bits, const struct number *v, uint64_t count)
{
	bool range;

	return sketch_add_bucket(s, bits, bucket_of(bits, v), count, &range);
}

void
sketch_settle(struct sketch *s)
{
	pairs_settle(&s->more);
}

/* Finds the first count that is not 0 at index FROM or above it.  Returns false if none is. */
static bool
find_above(const struct window *w, int64_t from, int32_t *index)
{
	uint32_t i = from <= w->first ? 0 : (uint32_t)(from - w->first);

	for (; i < w->n; i++)
		if (w->count[i] != 0) {
			*index = w->first + (int32_t)i;
			return true;
		}
	return false;
}

static bool
find_below(const struct window *w, int64_t from, int32_t *index)
{
	int64_t i = from - w->first;

	if (i >= (int64_t)w->n)
		i = (int64_t)w->n - 1;
	for (; i >= 0; i--)
		if (w->count[i] != 0) {
			*index = w->first + (int32_t)i;
			return true;
		}
	return false;
}

/* Stores the next bucket, if its count is not 0. */
static bool
step_to(int64_t *at, int64_t bucket, uint64_t count, struct pair *out)
{
	if (*at > bucket || count == 0)
		return false;
	*out = (struct pair){ bucket, count };
	*at = bucket + 1;
	return true;
}

/* Returns the place of the first additional count at a bucket or above it. */
static size_t
find_more(const struct pairs *more, int64_t bucket)
{
	size_t low = 0, high = more->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (more->pair[middle].value < bucket)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Returns the first bucket at AT or above it that has a count in a window, and 0 without one. */
static struct pair
next_in_windows(const struct sketch *s, int64_t zero, int64_t at)
{
	int32_t i;

	if (at < 0 && find_below(&s->negative, -at - zero, &i))
		return (struct pair){ -(i + zero), s->negative.count[i - s->negative.first] };
	if (find_above(&s->positive, (at < 0 ? 0 : at) - zero, &i))
		return (struct pair){ i + zero, s->positive.count[i - s->positive.first] };
	return (struct pair){ 0, 0 };
}

/* Returns whether no bucket of a window that is at AT or above it is below BUCKET. */
static bool
is_before_windows(const struct sketch *s, int64_t zero, int64_t at, int64_t bucket)
{
	const struct window *p = &s->positive, *n = &s->negative;
	int64_t lowest = -((int64_t)n->first + (int64_t)n->n - 1 + zero);

	if (n->n != 0 && at <= -(n->first + zero))
		return bucket < lowest;
	return p->n == 0 || at > p->first + (int64_t)p->n - 1 + zero || bucket < p->first + zero;
}

/* Finds the next bucket of a sign, in the windows or with an additional count. */
static bool
next_of_sign(const struct sketch *s, int64_t zero, int64_t *at, int64_t below, struct pair *out)
{
	size_t k = find_more(&s->more, *at);
	bool more = k < s->more.n && s->more.pair[k].value < below;
	struct pair in = { 0, 0 };

	/* do not search a window again for each bucket that is before it */
	if (!more || !is_before_windows(s, zero, *at, s->more.pair[k].value))
		in = next_in_windows(s, zero, *at);
	if (in.count != 0 && in.value >= below)
		in.count = 0;
	if (!more || (in.count != 0 && in.value < s->more.pair[k].value))
		return step_to(at, in.value, in.count, out);
	if (in.count == 0 || in.value != s->more.pair[k].value)
		return step_to(at, s->more.pair[k].value, s->more.pair[k].count, out);
	/* only text that nobody wrote makes more, which the check of the totals finds */
	in.count = num_plus(in.count, s->more.pair[k].count);
	return step_to(at, in.value, in.count, out);
}

bool
sketch_next(const struct sketch *s, unsigned bits, int64_t *at, struct pair *out)
{
	int64_t zero = SKETCH_ZERO(bits);

	return step_to(at, -SKETCH_INF, s->minus_infs, out) ||
	    (*at < 0 && next_of_sign(s, zero, at, 0, out)) || step_to(at, 0, s->zeros, out) ||
	    (*at < SKETCH_INF && next_of_sign(s, zero, at, SKETCH_INF, out)) ||
	    step_to(at, SKETCH_INF, s->infs, out) || step_to(at, SKETCH_NAN, s->nans, out);
}

double
sketch_value(unsigned bits, int64_t bucket, bool integers)
{
	int64_t index = (bucket < 0 ? -bucket : bucket) - SKETCH_ZERO(bits);
	int64_t width = (int64_t)1 << bits;
	int64_t exp = (index - SKETCH_EXP_MIN * width) / width + SKETCH_EXP_MIN;
	uint64_t m = (uint64_t)(width + (index - exp * width));
	struct bignum low, both, middle, divisor;
	double v;

	if (bucket == 0)
		return 0;
	if (bucket == SKETCH_NAN)
		return (double)NAN;
	if (bucket == SKETCH_INF || bucket == -SKETCH_INF)
		return bucket < 0 ? -HUGE_VAL : HUGE_VAL;
	exp -= (int64_t)bits;
	if (integers && exp <= 0) {
		/* the only integer of the bucket is its lower end, rounded up */
		v = ceil(ldexp((double)m, (int)exp));
	} else {
		bignum_set(&low, (struct wide){ 0, 2 * m });
		bignum_set(&both, (struct wide){ 0, m + 1 });
		bignum_mul(&middle, &low, &both);
		middle.exp += (int)exp;
		bignum_set(&divisor, (struct wide){ 0, 2 * m + 1 });
		v = bignum_ratio(&middle, &divisor);
	}
	return bucket < 0 ? -v : v;
}

void
sketch_free(struct sketch *s)
{
	mem_free(s->positive.count);
	mem_free(s->negative.count);
	pairs_free(&s->more);
	*s = (struct sketch){ 0 };
}

/* Bins. */

#define EXACT_DIGITS 16 /* and the point: fewer than a double distinguishes */
#define BEYOND (BINS_K_MAX) /* the bin above the last k; the one below the first is -BEYOND - 1 */

static int
add_edge(struct bins *b, struct slice text, struct err *e)
{
	struct number v;
	char advice[WIDE_ADVICE_MAX];

	if (number_get(text, &v, e) != 0) {
		wide_advise(text, advice);
		return err_add(e, "%s", advice);
	}
	if (v.kind > NUMBER_DOUBLE)
		return err_data(e, "an edge that is not finite");
	if (b->n == BINS_MAX)
		return err_data(e, "more than %d edges", BINS_MAX);
	if ((v.m.hi | v.m.lo) == 0)
		v = number_of(0);
	if (b->n != 0 && number_cmp(&b->edge[b->n - 1], &v) >= 0)
		return err_data(e, "edge %.*s is not above the one before", slice_shown(text, 60),
		    text.p);
	b->edge[b->n++] = v;
	return 0;
}

/*
 * Returns whether a double is exactly what its text, of digits and perhaps a point, says, as 0.25
 * is and 0.1 is not: a binary fraction of j bits has at least j decimal places.
 */
static bool
is_exact(const char *text, const struct number *v)
{
	const char *point = strchr(text, '.');
	size_t places = point == NULL ? 0 : strlen(point + 1), bits = 0;
	uint64_t m = v->m.lo;

	while (m != 0 && m % 2 == 0 && v->exp + (int)bits < 0) {
		m /= 2;
		bits++;
	}
	return v->exp + (int)bits >= -(int)places;
}

static int
check_width(const char *text, const struct number *v, struct err *e)
{
	struct number zero = number_of(0);

	if (number_cmp(v, &zero) <= 0)
		return err_data(e, "a width must be above 0");
	if (v->kind == NUMBER_INTEGER)
		return 0;
	if (strlen(text) > EXACT_DIGITS || strspn(text, "0123456789.") != strlen(text))
		return err_data(e,
		    "a width is an integer, or a decimal of up to %d digits without an "
		    "exponent: %.40s is neither",
		    EXACT_DIGITS - 1, text);
	if (!is_exact(text, v))
		return err_data(e,
		    "a width of %s has no exact value in binary, so the bounds of bins would be "
		    "wrong; give edges, or a width such as 1 or 0.25",
		    text);
	return 0;
}

int
bins_set(struct bins *b, const char *text, struct err *e)
{
	const char *width = text;

	b->n = 0;
	b->kind = strchr(text, ',') == NULL ? BINS_WIDTH : BINS_EDGES;
	while (text != NULL) {
		size_t n = strcspn(text, ",");
		int rc = add_edge(b, (struct slice){ text, n }, e);

		if (rc != 0)
			return rc;
		text = text[n] == ',' ? text + n + 1 : NULL;
	}
	return b->kind == BINS_WIDTH ? check_width(width, &b->edge[0], e) : 0;
}

/* Returns k for a finite value in [k * width, (k+1) * width). */
static int64_t
bin_of_width(const struct number *width, const struct number *v)
{
	struct bignum a, b;
	int64_t k;

	if (v->kind == NUMBER_INFINITE)
		return v->negative ? -BEYOND - 1 : BEYOND;
	bignum_set_number(&a, v);
	bignum_set_number(&b, width);
	if (bignum_floor(&a, &b, BINS_K_MAX, &k))
		return k;
	return v->negative ? -BEYOND - 1 : BEYOND;
}

/* Returns how many edges are not above v. */
static int64_t
bin_of_edges(const struct bins *b, const struct number *v)
{
	size_t low = 0, high = b->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (number_cmp(&b->edge[middle], v) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return (int64_t)low;
}

int64_t
bins_of(const struct bins *b, const struct number *v)
{
	struct number zero = number_of(0);

	if (v->kind == NUMBER_NAN)
		return BINS_NAN;
	if (b->kind == BINS_LOG2)
		return bucket_of(0, v);
	if (v->kind == NUMBER_DOUBLE && (v->m.hi | v->m.lo) == 0)
		v = &zero; /* -0 */
	return b->kind == BINS_WIDTH ? bin_of_width(&b->edge[0], v) : bin_of_edges(b, v);
}

int64_t
bins_of_small(const struct bins *b, int64_t v)
{
	struct number n = number_of(v);
	int64_t width;

	if (b->kind == BINS_WIDTH && number_is_small(&b->edge[0], &width))
		return v / width - (v % width < 0);
	return bins_of(b, &n);
}

bool
bins_is_bin(const struct bins *b, int64_t bin)
{
	if (bin == BINS_NAN)
		return true;
	if (b->kind == BINS_LOG2)
		return bin != SKETCH_NAN && sketch_is_bucket(0, bin);
	if (b->kind == BINS_EDGES)
		return bin >= 0 && bin <= (int64_t)b->n;
	return bin >= -BEYOND - 1 && bin <= BEYOND;
}

static size_t
put_inf(char *dst, bool negative)
{
	return num_put_double(dst, negative ? -HUGE_VAL : HUGE_VAL);
}

/* Writes 2^exp, negated if NEGATIVE: an integer if it is one of up to 128 bits. */
static size_t
put_power(char *dst, int64_t exp, bool negative)
{
	struct number v = { .kind = NUMBER_DOUBLE, .negative = negative, .exp = (int)exp };

	v.m.lo = 1;
	if (exp >= 0 && exp < 128) {
		v.kind = NUMBER_INTEGER;
		v.m = wide_shl(v.m, (unsigned)exp);
		v.exp = 0;
	}
	return number_put(dst, &v);
}

/* Writes the bound of a bin of BINS_LOG2 that is nearer to 0, or the other one. */
static size_t
put_log2(char *dst, int64_t bin, int outer)
{
	int64_t b = bin < 0 ? -bin : bin;

	if (bin == 0) {
		*dst = '0';
		return 1;
	}
	if (b == SKETCH_INF)
		return put_inf(dst, bin < 0);
	return put_power(dst, b - SKETCH_ZERO(0) + outer, bin < 0);
}

/* Writes n / 2^places with all its digits. */
static size_t
put_fraction(char *dst, struct wide n, unsigned places, bool negative)
{
	const uint64_t mask = ((uint64_t)1 << places) - 1;
	uint64_t rest = n.lo & mask;
	char *p = dst;

	if (negative)
		*p++ = '-';
	if (places != 0)
		n = (struct wide){ n.hi >> places, n.lo >> places | n.hi << (64 - places) };
	p += wide_put(p, n);
	if (rest != 0)
		*p++ = '.';
	for (; rest != 0; rest &= mask) {
		rest *= 10;
		*p++ = (char)('0' + (rest >> places));
	}
	return (size_t)(p - dst);
}

/* Does the same with k * width, for a width below 2^53 that has few places (is_exact). */
static size_t
put_fractions(char *dst, const struct number *width, int64_t k)
{
	uint64_t m = width->m.lo;
	unsigned places = (unsigned)-width->exp;
	struct wide n;

	for (; places > 0 && m % 2 == 0; places--)
		m /= 2;
	n = wide_mul(m, k < 0 ? -(uint64_t)k : (uint64_t)k);
	for (; places > 0 && n.lo % 2 == 0; places--)
		n = (struct wide){ n.hi >> 1, n.lo >> 1 | n.hi << 63 };
	return put_fraction(dst, n, places, k < 0);
}

/* Writes k * width, exactly. */
static size_t
put_multiple(char *dst, const struct number *width, int64_t k)
{
	struct number factor = number_of(k);
	struct bignum a, b, product;

	if (width->kind != NUMBER_INTEGER)
		return put_fractions(dst, width, k);
	bignum_set_number(&a, width);
	bignum_set_number(&b, &factor);
	bignum_mul(&product, &a, &b);
	return bignum_put(dst, &product);
}

size_t
bins_put_lo(char *dst, const struct bins *b, int64_t bin)
{
	if (bin == BINS_NAN)
		return num_put_double(dst, (double)NAN);
	if (b->kind == BINS_LOG2)
		return put_log2(dst, bin, bin < 0 ? 1 : 0);
	if (b->kind == BINS_WIDTH)
		return bin < -BEYOND ? put_inf(dst, true) : put_multiple(dst, &b->edge[0], bin);
	return bin == 0 ? put_inf(dst, true) : number_put(dst, &b->edge[bin - 1]);
}

size_t
bins_put_hi(char *dst, const struct bins *b, int64_t bin)
{
	if (bin == BINS_NAN)
		return num_put_double(dst, (double)NAN);
	if (b->kind == BINS_LOG2)
		return put_log2(dst, bin, bin < 0 ? 0 : 1);
	if (b->kind == BINS_WIDTH)
		return bin >= BEYOND ? put_inf(dst, false)
				     : put_multiple(dst, &b->edge[0], bin + 1);
	return bin == (int64_t)b->n ? put_inf(dst, false) : number_put(dst, &b->edge[bin]);
}

bool
bins_put_name(const struct bins *b, struct buf *text)
{
	char edge[NUMBER_PUT_MAX];
	size_t i;

	if (b->kind == BINS_LOG2)
		return buf_puts(text, "log2");
	if (!buf_putc(text, b->kind == BINS_WIDTH ? 'w' : 'e'))
		return false;
	for (i = 0; i < b->n; i++)
		if ((i > 0 && !buf_putc(text, ',')) ||
		    !buf_put(text, edge, number_put(edge, &b->edge[i])))
			return false;
	return true;
}
