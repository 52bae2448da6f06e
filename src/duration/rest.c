/* SPDX-License-Identifier: ISC */
/* rest.c - what is reported at the end: what is still open, and what was left out. */
#include <inttypes.h>
#include <stdlib.h>

#include "lib/mem.h"
#include "src/duration/durint.h"

#define NOTES 2 /* of what was left out, after the limits */

static int
cmp_order(const void *a, const void *b)
{
	const struct interval *x = *(struct interval *const *)a, *y = *(struct interval *const *)b;

	return (x->order > y->order) - (x->order < y->order);
}

/* Collects all open ones, in the order of their starts.  False when there is no memory. */
static bool
collect(struct duration *d)
{
	struct interval *v;
	size_t n = 0, i;

	for (i = 0; i < d->runs.count && i < d->runs_cap; i++)
		dur_forget_ended(d, &d->run[i]);
	for (v = d->open.all; v != NULL; v = v->older)
		n += v->open;
	d->unfinished = mem_alloc((n + 1) * sizeof(struct interval *));
	if (d->unfinished == NULL)
		return false;
	for (v = d->open.all; v != NULL; v = v->older)
		if (v->open) {
			dur_snap_drop(d, v);
			d->unfinished[d->nunfinished++] = v;
		}
	qsort(d->unfinished, n, sizeof(struct interval *), cmp_order);
	return true;
}

/* What was left out and why: an error if a limit was exceeded, else a note.  False: none. */
static bool
left_out(const struct duration *d, size_t which, struct duration_rest *rest)
{
	static const char *const what[DUR_LIMITS + NOTES] = {
		"values of more than 1024 measures of one interval",
		"parents of more than 4 KiB",
		"labels and tags of more than 64 KiB of deltas",
		"values of starts and stops without one at the other end",
		"values of start and stop lines that are no numbers",
	};
	const uint64_t count[DUR_LIMITS + NOTES] = { d->exceeded[DUR_MANY_VALUES],
		d->exceeded[DUR_LONG_PARENT], d->exceeded[DUR_LONG_DELTA], d->lone, d->texts };

	if (count[which] == 0)
		return false;
	rest->note = which >= DUR_LIMITS;
	err_data(&rest->e, "left out %s: %" PRIu64, what[which], count[which]);
	return true;
}

static bool
cut_stacks(const struct duration *d, struct err *e)
{
	uint64_t n = d->w->count[MARK_CUT_STACKS];

	if (n == 0)
		return false;
	err_data(e, "cut stacks of more than %zu regions or 64 KiB (see --max-stack): %" PRIu64,
	    d->max_stack, n);
	return true;
}

bool
duration_rest(struct duration *d, size_t *at, struct duration_rest *rest)
{
	char text[DUR_SHOWN_MAX];
	size_t next;

	rest->note = false;
	rest->file = NULL;
	if (d->unfinished == NULL && !collect(d)) {
		err_nomem(&rest->e);
		return (*at)++ == 0;
	}
	while ((next = (*at)++) < d->nunfinished + 1 + DUR_LIMITS + NOTES) {
		if (next < d->nunfinished) {
			const struct interval *v = d->unfinished[next];

			rest->file = v->file;
			err_line(&rest->e, v->line, "start of %s, which is never stopped",
			    dur_describe_open(text, v));
			return true;
		}
		next -= d->nunfinished;
		if (next == 0 ? cut_stacks(d, &rest->e) : left_out(d, next - 1, rest))
			return true;
	}
	return false;
}
