/* SPDX-License-Identifier: ISC */
/*
 * state.c - checks the text of states: values that are divided at random, written, and read back
 * in any order give the same text and the same results as all values at once.  Damaged text is
 * refused.
 */
#include "src/aggregate/state.h"

#include <stdlib.h>
#include <string.h>

#include "lib/buf.h"
#include "lib/num.h"
#include "src/aggregate/stats.h"
#include "t/unit/check.h"

#define PARTS 5
#define ROUNDS 1500
#define PIECES_MAX 4000

/* A group with its own memory. */
struct group {
	struct accumulator t;
	struct spread s;
	struct detail d;
};

static struct state
state_of(struct group *g)
{
	return (struct state){ &g->t, &g->s, &g->d };
}

static void
group_new(struct group *g)
{
	memset(g, 0, sizeof *g);
	g->s = SPREAD_EMPTY;
}

static void
group_free(struct group *g)
{
	struct state st = state_of(g);

	state_release(&st);
}

/* The settings of a round. */
static void
set_up(struct check *c, struct stats *x)
{
	static const char *const lists[] = {
		"count,sum,mean,min,max,stddev,var,pstddev,rate,share",
		"count,median,p99,iqr,mad,first,last,distinct,mode,hist,sum",
		"median,iqr,p0,p100,p99.9",
		"hist",
		"count",
		"first,max",
	};
	static const char *const bins[] = { "-5,0,1,2.5,1e300", "7", "0.125", "0.0009765625" };
	uint64_t r = check_random(c);
	struct err e;
	int rc;

	*x = (struct stats){ .n = 0 };
	rc = stats_set_list(x, lists[r % 6], &e);
	if (r % 6 == 2 && r / 6 % 2 == 0)
		rc |= stats_set_sketch(x, r / 12 % 2 == 0 ? "1%" : "33.34%", &e);
	if ((r % 6 == 1 || r % 6 == 3) && r / 6 % 3 != 0)
		rc |= stats_set_bins(x, bins[r / 36 % 4], &e);
	if (r / 144 % 3 == 0)
		stats_set_weighted(x);
	rc |= stats_ready(x, &e);
	CHECK(c, rc == 0, "%s", e.msg);
}

/* Stores the text of a random value.  SORT chooses what values are like. */
static struct slice
random_text(struct check *c, unsigned sort, char *text)
{
	static const char *const odd[] = { "inf", "-inf", "nan", "-0", "0", "1e17",
		"100000000000000000", "5e-324", "1.7976931348623157e308",
		"340282366920938463463374607431768211455",
		"-340282366920938463463374607431768211455" };
	uint64_t r = check_random(c);
	double v = (double)(int64_t)check_random(c);
	size_t n;

	if (sort >= 3 && r % 4 == 0) {
		n = (size_t)snprintf(text, 64, "%s",
		    odd[r / 4 % (sort == 4 ? 11 : 2) + (sort == 3 ? 3u : 0u)]);
		return (struct slice){ text, n };
	}
	if (sort == 0 || r % 3 == 0)
		return (struct slice){ text, num_put_i64(text, (int64_t)(r >> 8) % 50 - 20) };
	if (sort == 1)
		return (struct slice){ text, num_put_i64(text, (int64_t)r >> r % 60) };
	return (struct slice){ text, num_put_double(text, v / 9007199254740992.0) };
}

static void
add(struct check *c, const struct stats *x, struct group *g, struct slice text, uint64_t weight,
    const struct wide *time)
{
	struct state st = state_of(g);
	struct number v;
	struct err e;
	int64_t small;

	if ((x->keep.need & STATE_GENERAL) == 0 && number_small(text, &small)) {
		CHECK(c, state_add(&x->keep, &st, small), "no memory");
		return;
	}
	CHECK(c, number_get(text, &v, &e) == 0, "%s", e.msg);
	CHECK(c, state_add_number(&x->keep, &st, &v, weight, time, &e) == 0, "%s", e.msg);
}

/* Adds one tag after another.  Returns the first error. */
static int
take_line(const struct stats *x, struct group *g, struct slice line, struct err *e)
{
	struct state st = state_of(g);
	const char *p = line.p, *end = line.p + line.len;
	unsigned seen = 0;
	int rc = 0;

	while (rc == 0 && p < end) {
		const char *tab = memchr(p + 1, '\t', (size_t)(end - p - 1));
		const char *next = tab == NULL ? end : tab,
			   *is = memchr(p, '=', (size_t)(next - p));

		rc = state_take(&x->keep, &st, (struct slice){ p + 1, (size_t)(is - p - 1) },
		    (struct slice){ is + 1, (size_t)(next - is - 1) }, &seen, e);
		p = next;
	}
	return rc != 0 ? rc : state_taken(&x->keep, seen, e);
}

/* The text of a state, in pieces. */
struct pieces {
	struct buf text;
	size_t n, end[PIECES_MAX];
};

static void
write_pieces(struct check *c, const struct stats *x, struct group *g, struct pieces *p)
{
	struct state st = state_of(g);
	struct state_piece at = { .part = 0 };
	struct err e = { .msg = "" };
	bool more = true;
	size_t from;

	CHECK(c, state_settle(&x->keep, &st, &e) == 0, "%s", e.msg);
	while (more && p->n < PIECES_MAX) {
		from = p->text.len;
		CHECK(c, state_write(&x->keep, &st, &at, &p->text, &more), "no memory");
		CHECK(c, p->text.len - from <= STATE_PIECE_MAX + 8192, "%zu bytes",
		    p->text.len - from);
		p->end[p->n++] = p->text.len;
	}
}

static struct slice
piece(const struct pieces *p, size_t i)
{
	size_t from = i == 0 ? 0 : p->end[i - 1];

	return (struct slice){ p->text.p + from, p->end[i] - from };
}

/* Takes the pieces in a random order. */
static void
take_pieces(struct check *c, const struct stats *x, struct group *g, const struct pieces *p)
{
	static size_t order[PIECES_MAX];
	struct err e = { .msg = "" };
	size_t i;

	for (i = 0; i < p->n; i++) {
		size_t k = (size_t)(check_random(c) % (i + 1));

		order[i] = order[k];
		order[k] = i;
	}
	for (i = 0; i < p->n; i++)
		CHECK(c, take_line(x, g, piece(p, order[i]), &e) == 0, "%s: %.*s", e.msg,
		    (int)piece(p, order[i]).len, piece(p, order[i]).p);
}

/* Appends all results. */
static void
put_results(const struct stats *x, struct group *g, struct buf *b)
{
	struct state st = state_of(g);
	const struct wide second = { 0, 1000000007 };
	struct stats_context context = { &second, &g->t, false };
	struct bin bin;
	char text[STATS_PUT_MAX];
	size_t i, at = 0;
	bool ok = true;

	for (i = 0; i < x->n; i++) {
		if (x->wanted[i].stat != STAT_HIST)
			ok = ok && buf_put(b, text, stats_put_value(text, x, i, &st, &context)) &&
			    buf_putc(b, '\n');
		else
			while (ok && state_next_bin(&x->keep, &st, &at, &bin))
				ok = buf_put(b, bin.lo, bin.lo_len) && buf_putc(b, ' ') &&
				    buf_put(b, bin.hi, bin.hi_len) && buf_putc(b, ' ') &&
				    buf_put(b, text, num_put_u64(text, bin.count)) &&
				    buf_putc(b, '\n');
	}
	if (!ok)
		abort();
}

/* Checks that two groups have the same text and the same results. */
static void
compare(struct check *c, const struct stats *x, struct group *a, struct group *b)
{
	static struct pieces one, two;
	struct buf first = { 0 }, second = { 0 };

	one.n = two.n = one.text.len = two.text.len = 0;
	write_pieces(c, x, a, &one);
	write_pieces(c, x, b, &two);
	CHECK(c, slice_eq(buf_slice(&one.text), buf_slice(&two.text)), "\n%.*s\n%.*s",
	    (int)one.text.len, one.text.p, (int)two.text.len, two.text.p);
	put_results(x, a, &first);
	put_results(x, b, &second);
	CHECK(c, slice_eq(buf_slice(&first), buf_slice(&second)), "\n%.*s\n%.*s", (int)first.len,
	    first.p, (int)second.len, second.p);
	buf_free(&first);
	buf_free(&second);
	buf_free(&one.text);
	buf_free(&two.text);
	memset(&one, 0, sizeof one);
	memset(&two, 0, sizeof two);
}

/* One random input, in one piece and in several. */
static void
round_trip(struct check *c)
{
	static struct stats x;
	static struct pieces p;
	struct group whole, part[PARTS], merged;
	unsigned sort = (unsigned)(check_random(c) % 5);
	size_t n = (size_t)(check_random(c) % (check_random(c) % 4 == 0 ? 300 : 12)), i;
	char text[64];

	set_up(c, &x);
	group_new(&whole);
	group_new(&merged);
	for (i = 0; i < PARTS; i++)
		group_new(&part[i]);
	for (i = 0; i < n; i++) {
		struct slice s = random_text(c, sort, text);
		uint64_t r = check_random(c);
		uint64_t weight = (x.keep.need & STATE_WEIGHT) == 0    ? 1
		    : (x.keep.need & (STATE_SKETCH | STATE_HIST)) != 0 ? r >> 40
								       : r >> r % 64;
		struct wide time = { 0, r % 7 };
		const struct wide *when = r % 5 == 0 ? NULL : &time;

		add(c, &x, &whole, s, weight, when);
		add(c, &x, &part[r % PARTS], s, weight, when);
	}
	for (i = 0; i < PARTS; i++) {
		write_pieces(c, &x, &part[i], &p);
		/* now and then merge what was merged */
		if (i == 2 && n % 2 == 0) {
			struct group again;

			group_new(&again);
			take_pieces(c, &x, &again, &p);
			p.n = p.text.len = 0;
			write_pieces(c, &x, &again, &p);
			group_free(&again);
		}
		group_free(&part[i]);
	}
	take_pieces(c, &x, &merged, &p);
	compare(c, &x, &whole, &merged);
	p.n = p.text.len = 0;
	buf_free(&p.text);
	group_free(&whole);
	group_free(&merged);
}

/* A state of several pieces.  If one is missing or is there twice, the state is refused. */
static void
long_state(struct check *c)
{
	static struct stats x;
	static struct pieces p;
	struct group whole, merged, damaged;
	struct state st;
	struct err e;
	size_t i, k;
	char text[64];

	x = (struct stats){ .n = 0 };
	CHECK(c, stats_set_list(&x, "count,median,hist", &e) == 0, "%s", e.msg);
	CHECK(c, stats_set_bins(&x, "0.0009765625", &e) == 0 && stats_ready(&x, &e) == 0, "%s",
	    e.msg);
	group_new(&whole);
	group_new(&merged);
	for (i = 0; i < 60000; i++)
		add(c, &x, &whole, random_text(c, 2, text), 1, NULL);
	write_pieces(c, &x, &whole, &p);
	CHECK(c, p.n > 4, "%zu pieces", p.n);
	take_pieces(c, &x, &merged, &p);
	compare(c, &x, &whole, &merged);
	for (k = 0; k < 2 * p.n; k++) {
		group_new(&damaged);
		for (i = 0; i < p.n; i++)
			if (k != i)
				CHECK(c, take_line(&x, &damaged, piece(&p, i), &e) == 0, "%s",
				    e.msg);
		if (k >= p.n)
			CHECK(c, take_line(&x, &damaged, piece(&p, k - p.n), &e) == 0, "%s", e.msg);
		st = state_of(&damaged);
		CHECK(c, state_settle(&x.keep, &st, &e) == ERR_DATA || (k > p.n && k == 2 * p.n),
		    "piece %zu", k);
		group_free(&damaged);
	}
	buf_free(&p.text);
	memset(&p, 0, sizeof p);
	group_free(&whole);
	group_free(&merged);
}

/* Pieces of which one has as many bytes as it may have, and the next value is in another. */
static void
full_piece(struct check *c)
{
	static struct stats x;
	static struct pieces p;
	struct err e = { .msg = "" };
	bool full = false;
	size_t shorter, i;
	char text[NUM_MAX];

	x = (struct stats){ .n = 0 };
	CHECK(c, stats_set_list(&x, "count,median", &e) == 0 && stats_ready(&x, &e) == 0, "%s",
	    e.msg);
	/* a value of five digits is followed by "*1;", and one of four makes the text shorter */
	for (shorter = 0; shorter < 8; shorter++) {
		struct group whole, merged;

		group_new(&whole);
		group_new(&merged);
		for (i = 10000 - shorter; i < 50000; i++)
			add(c, &x, &whole, (struct slice){ text, num_put_u64(text, i) }, 1, NULL);
		write_pieces(c, &x, &whole, &p);
		full |= p.end[0] == STATE_PIECE_MAX;
		take_pieces(c, &x, &merged, &p);
		compare(c, &x, &whole, &merged);
		p.n = p.text.len = 0;
		group_free(&whole);
		group_free(&merged);
	}
	CHECK(c, full, "no piece is full");
	buf_free(&p.text);
	memset(&p, 0, sizeof p);
}

/* Checks that a line, with spaces for TABs, is refused, with TEXT in the message. */
static void
refused(struct check *c, const struct stats *x, const char *line, const char *text)
{
	struct group g;
	struct state st;
	struct err e = { .msg = "" };
	char copy[4096];
	size_t i, n = (size_t)snprintf(copy, sizeof copy, " %s", line);
	int rc;

	for (i = 0; i < n; i++)
		if (copy[i] == ' ')
			copy[i] = '\t';
	group_new(&g);
	st = state_of(&g);
	rc = take_line(x, &g, (struct slice){ copy, n }, &e);
	if (rc == 0)
		rc = state_settle(&x->keep, &st, &e);
	CHECK(c, rc == ERR_DATA && strstr(e.msg, text) != NULL, "%d, \"%s\" for %s", rc, e.msg,
	    line);
	group_free(&g);
}

static void
refusals(struct check *c)
{
	static const char *const cases[][2] = {
		{ "agg.foo=1", "agg.foo" },
		{ "agg.n=1 agg.n=1", "twice" },
		{ "agg.n=", "agg.n: \"\" is empty" },
		{ "agg.n=01", "agg.n" },
		{ "agg.n=-1", "agg.n" },
		{ "agg.n=18446744073709551616", "agg.n" },
		{ "agg.w=5", "agg.w" },
		{ "agg.sum=5p0", "agg.sum" },
		{ "agg.sum=2p-1", "agg.sum" },
		{ "agg.sum=1p-1075", "agg.sum" },
		{ "agg.sum=1p1152", "agg.sum" },
		{ "agg.sum=1p99999999999999999999", "agg.sum" },
		{ "agg.sum=-0", "agg.sum" },
		{ "agg.sum=05", "agg.sum" },
		{ "agg.sum=-", "agg.sum" },
		{ "agg.sum=p5", "agg.sum" },
		{ "agg.sum=1e5", "agg.sum" },
		{ "agg.sq=-1", "agg.sq" },
		{ "agg.sq=1p-2149", "agg.sq" },
		{ "agg.min=nan", "agg.min" },
		{ "agg.min=1.50", "agg.min" },
		{ "agg.max=340282366920938463463374607431768211456", "agg.max" },
		{ "agg.odd=1;2;3;4", "agg.odd" },
		{ "agg.odd=1;2;3;4;5;6", "agg.odd" },
		{ "agg.odd=1;2;3;4;5;", "agg.odd" },
		{ "agg.first=5", "agg.first" },
		{ "agg.first=05:1", "agg.first" },
		{ "agg.last=5:x", "agg.last" },
		{ "agg.values=5", "agg.values" },
		{ "agg.values=5*0", "agg.values" },
		{ "agg.values=5*1;", "agg.values" },
		{ "agg.values=;5*1", "agg.values" },
		{ "agg.values=5*18446744073709551616", "agg.values" },
		{ "agg.hist=w7:0*1", "agg.hist" },
		{ "agg.hist=log2", "agg.hist" },
		{ "agg.hist=log2:1.5*1", "agg.hist" },
		{ "agg.hist=log2:5000*1", "agg.hist" },
		{ "agg.hist=log2:-5000*1", "agg.hist" },
		{ "agg.sum=5", "lacks agg.n" },
		{ "agg.n=1", "lacks agg.sum" },
		{ "agg.n=1 agg.sum=1 agg.sq=1 agg.min=1 agg.max=1 agg.first=.", "lacks agg.last" },
	};
	static struct stats x;
	struct err e;
	size_t i;

	x = (struct stats){ .n = 0 };
	CHECK(c, stats_set_list(&x, "stddev,min,hist,median,first", &e) == 0, "%s", e.msg);
	CHECK(c, stats_ready(&x, &e) == 0, "%s", e.msg);
	for (i = 0; i < sizeof cases / sizeof cases[0]; i++)
		refused(c, &x, cases[i][0], cases[i][1]);
}

/* Checks that totals that do not fit together are refused. */
static void
unfit(struct check *c)
{
	/* the first one fits */
	static const char *const totals[][6] = {
		{ "2", "5", "13", "2", "3", "2*1;3*1" },
		{ "0", "5", "13", "2", "3", "2*1;3*1" },
		{ "3", "5", "13", "2", "3", "2*1;3*1" },
		{ "2", "5", "12", "2", "3", "2*1;3*1" },
		{ "2", "1p-1", "13", "2", "3", "2*1;3*1" },
		{ "2", "1p300", "13", "2", "3", "2*1;3*1" },
		{ "2", "5", "13", "3", "2", "2*1;3*1" },
		{ "2", "5", "13", ".", "3", "2*1;3*1" },
		{ "2", "5", "13", "-inf", "3", "2*1;3*1" },
		{ "2", "5", "13", "2", "3", "2*1;nan*1" },
		{ "2", "5", "13", "2", "3", "2*2;3*18446744073709551615;4*1" },
		{ "2", "5", "13", "2", "3", "2*2;3*1" },
	};
	static struct stats x;
	struct err e;
	char line[1024];
	size_t i;

	x = (struct stats){ .n = 0 };
	CHECK(c, stats_set_list(&x, "stddev,min,hist,median,first", &e) == 0, "%s", e.msg);
	CHECK(c, stats_ready(&x, &e) == 0, "%s", e.msg);
	for (i = 0; i < sizeof totals / sizeof totals[0]; i++) {
		struct group g;
		struct state st;
		int n = snprintf(line, sizeof line,
		    "\tagg.n=%s\tagg.sum=%s\tagg.sq=%s\tagg.min=%s\tagg.max=%s\tagg.first=.\t"
		    "agg.last=.\tagg.values=%s\tagg.hist=log2:1076*2",
		    totals[i][0], totals[i][1], totals[i][2], totals[i][3], totals[i][4],
		    totals[i][5]);
		int rc;

		group_new(&g);
		st = state_of(&g);
		rc = take_line(&x, &g, (struct slice){ line, (size_t)n }, &e);
		CHECK(c, rc == 0, "%s", e.msg);
		rc = state_settle(&x.keep, &st, &e);
		CHECK(c, (rc == 0) == (i == 0), "%s", line);
		group_free(&g);
	}
}

/* Checks that the carries have been propagated, unless nothing was added, and asks for it again. */
static void
carry_often(struct check *c, struct superaccumulator *x)
{
	uint32_t i;

	CHECK(c, x->carried < 16 || x->carried == UINT32_C(1) << 30, "%u", (unsigned)x->carried);
	for (i = 0; i < x->n; i++)
		CHECK(c, llabs(x->limb[i]) >> 36 == 0, "%lld", (long long)x->limb[i]);
	x->carried = UINT32_C(1) << 30;
}

/*
 * Sums whose carries are propagated at each addition, as otherwise only after 2^30 of them, are the
 * same.
 */
static void
carries(struct check *c)
{
	static char text[2][BIGNUM_EXACT_MAX], spelled[64];
	struct accumulator t[2] = { { 0 }, { 0 } };
	struct spread s[2] = { SPREAD_EMPTY, SPREAD_EMPTY };
	unsigned need = ACCUMULATOR_SUM | ACCUMULATOR_SQUARES, sort = check_random(c) % 4;
	uint64_t weight;
	struct bignum sum;
	struct number v;
	struct err e;
	size_t i, k, n[2];

	for (i = 0; i < 50; i++) {
		CHECK(c, number_get(random_text(c, sort, spelled), &v, &e) == 0, "%s", e.msg);
		weight = check_random(c) >> check_random(c) % 64;
		for (k = 0; k < 2; k++)
			CHECK(c, accumulator_add_number(&t[k], &s[k], need, &v, weight | 1),
			    "no memory");
		if (t[1].big == NULL)
			continue;
		carry_often(c, &t[1].big->sum);
		carry_often(c, &t[1].big->squares);
	}
	for (i = 0; i < 2; i++) {
		for (k = 0; k < 2; k++) {
			CHECK(c, accumulator_settle(&t[k], &s[k]), "no memory");
			if (i == 0)
				accumulator_sum(&t[k], &sum);
			else
				accumulator_squares(&t[k], &s[k], &sum);
			n[k] = bignum_put_exact(text[k], &sum);
		}
		CHECK(c, n[0] == n[1] && memcmp(text[0], text[1], n[0]) == 0, "%.*s, not %.*s",
		    (int)n[1], text[1], (int)n[0], text[0]);
	}
	accumulator_free(&t[0]);
	accumulator_free(&t[1]);
}

int
main(void)
{
	struct check c = { 0 };
	int i;

	for (i = 0; i < ROUNDS; i++)
		round_trip(&c);
	for (i = 0; i < 400; i++)
		carries(&c);
	long_state(&c);
	full_piece(&c);
	refusals(&c);
	unfit(&c);
	return check_end(&c);
}
