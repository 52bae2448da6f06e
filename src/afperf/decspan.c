/* SPDX-License-Identifier: ISC */
/*
 * decspan.c - checks that the regions of a run nest, whatever the order of their records.
 *
 * For --check all regions that have stopped are kept and checked at the end of the file.
 */

#include "lib/vec.h"
#include "src/afperf/decint.h"

enum dec
dec_span_add(struct afperf_decode *d, const struct dec_rec *r, struct dec_run *run,
    const struct ids_entry *e)
{
	if (!vec_room(run->span, run->nspans, run->spans_cap))
		return dec_nomem(d);
	run->span[run->nspans++] = (struct dec_span){ e, e->start, r->time, r->r.line };
	return DEC_DONE;
}

/* By start; of those with the same start the longest first. */
static int
compare(const struct dec_span *x, const struct dec_span *y)
{
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->stop != y->stop)
		return x->stop > y->stop ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/* Sifts the top of the heap down to its place; the top is the last in order. */
static void
sink(struct dec_span *s, size_t n, size_t at)
{
	struct dec_span self = s[at];
	size_t child;

	for (; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && compare(&s[child], &s[child + 1]) < 0)
			child++;
		if (compare(&self, &s[child]) >= 0)
			break;
		s[at] = s[child];
	}
	s[at] = self;
}

/* A sort in place, since there may be many: qsort() may make a copy. */
static void
sort(struct dec_span *s, size_t n)
{
	size_t i;

	for (i = n / 2; i-- > 0;)
		sink(s, n, i);
	for (i = n; i-- > 1;) {
		struct dec_span first = s[0];

		s[0] = s[i];
		s[i] = first;
		sink(s, i, 0);
	}
}

/*
 * The sorted regions become, in place, the stack of those around the next one.  Each ends no later
 * than the one below it, so the next crosses the topmost if it crosses any.
 */
void
dec_span_judge(struct afperf_decode *d, struct dec_run *run)
{
	struct dec_span *s = run->span;
	size_t i, n = 0;

	sort(s, run->nspans);
	for (i = 0; i < run->nspans; i++) {
		for (; n > 0 && s[n - 1].stop < s[i].stop; n--) {
			struct dec_rec r = { .r = { .line = s[n - 1].line } };

			if (s[n - 1].stop > s[i].start)
				(void)dec_nest_crosses(d, &r, s[n - 1].region, s[i].region);
		}
		s[n++] = s[i];
	}
}
