/* SPDX-License-Identifier: ISC */
/*
 * state.c - fuzzes the reading of states of groups.
 *
 * The first byte chooses the settings, and each line is a piece of a state: tags after TABs.  If
 * the pieces fit together, all results can be written, and the text of the state can be read back,
 * to the same text and the same results.
 */
#include "src/aggregate/state.h"

#include <string.h>

#include "src/aggregate/stats.h"
#include "t/fuzz/fuzz.h"

struct group {
	struct accumulator t;
	struct spread s;
	struct detail d;
};

static void
set_up(struct stats *x, unsigned which)
{
	static const char *const lists[] = {
		"count,sum,mean,min,max,stddev,var,pstddev,rate,share,first,last",
		"count,median,p99,p33.3333333,iqr,mad,distinct,mode,hist,sum",
		"median,iqr,p0,p100,p99.9,hist",
		"median,stddev,hist,mad,mode,first,max",
	};
	static const char *const bins[] = { "-5,0,1,2.5,1e300", "7", "0.125", "0.0009765625" };
	struct err e;
	int rc;

	*x = (struct stats){ .n = 0 };
	rc = stats_set_list(x, lists[which % 4], &e);
	if (which % 4 == 2)
		rc |= stats_set_sketch(x, "1%", &e);
	if (which % 4 != 0 && which / 4 % 2 != 0)
		rc |= stats_set_bins(x, bins[which / 8 % 4], &e);
	if (which / 32 % 2 != 0)
		stats_set_weighted(x);
	check(rc == 0 && stats_ready(x, &e) == 0, "settings");
}

static int
take_line(const struct stats *x, const struct state *st, struct slice line)
{
	struct err e;
	unsigned seen = 0;
	int rc = 0;

	while (rc == 0 && line.len != 0) {
		const char *tab = memchr(line.p, '\t', line.len);
		size_t n = tab == NULL ? line.len : (size_t)(tab - line.p);
		const char *is = memchr(line.p, '=', n);
		struct slice key = { line.p, is == NULL ? n : (size_t)(is - line.p) };
		struct slice value = { is == NULL ? line.p + n : is + 1,
			is == NULL ? 0 : n - key.len - 1 };

		if (n != 0)
			rc = state_take(&x->keep, st, key, value, &seen, &e);
		line.p += n + (tab != NULL);
		line.len -= n + (tab != NULL);
	}
	if (rc == 0)
		rc = state_taken(&x->keep, seen, &e);
	if (rc != 0)
		check_error(&e);
	return rc;
}

/* Takes the pieces of a state.  Returns true if they fit together. */
static bool
take_all(const struct stats *x, struct group *g, struct slice text)
{
	struct state st = { &g->t, &g->s, &g->d };
	struct err e;
	int rc = 0;

	memset(g, 0, sizeof *g);
	g->s = SPREAD_EMPTY;
	while (rc == 0 && text.len != 0) {
		const char *end = memchr(text.p, '\n', text.len);
		size_t n = end == NULL ? text.len : (size_t)(end - text.p);

		rc = take_line(x, &st, (struct slice){ text.p, n });
		text.p += n + (end != NULL);
		text.len -= n + (end != NULL);
	}
	if (rc != 0)
		return false;
	rc = state_settle(&x->keep, &st, &e);
	if (rc != 0)
		check_error(&e);
	return rc == 0;
}

/* Appends the text of the state. */
static void
write_all(const struct stats *x, struct group *g, struct buf *b)
{
	struct state st = { &g->t, &g->s, &g->d };
	struct state_piece at = { .part = 0 };
	bool more = true;

	while (more)
		check(state_write(&x->keep, &st, &at, b, &more) && buf_putc(b, '\n'), "no memory");
}

/* Appends all results. */
static void
put_all(const struct stats *x, struct group *g, struct buf *b)
{
	struct state st = { &g->t, &g->s, &g->d };
	struct wide second = { 0, 1000000007 };
	struct stats_context context = { &second, &g->t, false };
	struct bin bin;
	size_t i, at = 0, n;
	char text[STATS_PUT_MAX];

	for (i = 0; i < x->n; i++) {
		n = stats_put_value(text, x, i, &st, &context);
		check(n <= STATS_PUT_MAX && (n != 0 || x->wanted[i].stat == STAT_HIST), "a length");
		check(buf_put(b, text, n) && buf_putc(b, '\n'), "no memory");
	}
	while ((x->keep.need & STATE_HIST) != 0 && state_next_bin(&x->keep, &st, &at, &bin)) {
		check(bin.count != 0 && bin.lo_len <= sizeof bin.lo && bin.hi_len <= sizeof bin.hi,
		    "a bin");
		check(buf_put(b, bin.lo, bin.lo_len) && buf_put(b, bin.hi, bin.hi_len),
		    "no memory");
	}
}

static bool
take(const uint8_t *data, size_t size)
{
	static struct stats x;
	struct group g, again;
	struct state st = { &g.t, &g.s, &g.d }, st_again = { &again.t, &again.s, &again.d };
	struct buf text = { 0 }, text_again = { 0 }, results = { 0 }, results_again = { 0 };
	bool ok;

	if (size == 0)
		return false;
	set_up(&x, data[0]);
	ok = take_all(&x, &g, (struct slice){ (const char *)data + 1, size - 1 });
	if (ok) {
		put_all(&x, &g, &results);
		write_all(&x, &g, &text);
		check(take_all(&x, &again, buf_slice(&text)), "its own text is refused");
		write_all(&x, &again, &text_again);
		check(slice_eq(buf_slice(&text), buf_slice(&text_again)), "another text");
		put_all(&x, &again, &results_again);
		check(slice_eq(buf_slice(&results), buf_slice(&results_again)), "other results");
		state_release(&st_again);
	}
	state_release(&st);
	buf_free(&text);
	buf_free(&text_again);
	buf_free(&results);
	buf_free(&results_again);
	return ok;
}

const struct fuzz_driver fuzz_driver = {
	.take = take,
	.meaning = SLICE_INIT("\t\n.;*:=-pe0123456789nfw"),
	.meaning_of_4 = 2,
};
