/* SPDX-License-Identifier: ISC */
/*
 * decspan.c - do the regions of a run nest, whatever the order of their records?
 *
 * All that have stopped are kept and judged at the end of the file, for --check.
 */
#include <stdlib.h>

#include "src/afperf/decint.h"

enum dec
dec_span_add(struct afperf_decode *d, const struct dec_rec *r, struct dec_run *run,
    const struct ids_entry *e)
{
	if (run->nspans == run->spans_cap) {
		size_t cap = run->spans_cap == 0 ? 64 : run->spans_cap * 2;
		struct dec_span *p = realloc(run->span, cap * sizeof *p);

		if (p == NULL)
			return dec_nomem(d);
		run->span = p;
		run->spans_cap = cap;
	}
	run->span[run->nspans++] = (struct dec_span){ e, e->start, r->time, r->r.line };
	return DEC_DONE;
}

/* By start; of those that begin together the longest first. */
static int
compare(const void *a, const void *b)
{
	const struct dec_span *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->stop != y->stop)
		return x->stop > y->stop ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/*
 * The sorted ones are made the stack of those that are around the next, in place.  Each ends no
 * later than the one below it: the next crosses the uppermost if it crosses any.
 */
void
dec_span_judge(struct afperf_decode *d, struct dec_run *run)
{
	struct dec_span *s = run->span;
	size_t i, n = 0;

	if (run->nspans > 1)
		qsort(s, run->nspans, sizeof *s, compare);
	for (i = 0; i < run->nspans; i++) {
		for (; n > 0 && s[n - 1].stop < s[i].stop; n--) {
			struct dec_rec r = { .r = { .line = s[n - 1].line } };

			if (s[n - 1].stop > s[i].start)
				(void)dec_nest_crosses(d, &r, s[n - 1].region, s[i].region);
		}
		s[n++] = s[i];
	}
}
