/* SPDX-License-Identifier: ISC */
/* pauses.c - the pauses of one run. */
#include "src/duration/pauses.h"

#include <stdlib.h>

#include "lib/mem.h"
#include "lib/vec.h"

void
pauses_free(struct pauses *p)
{
	mem_free(p->at);
	*p = (struct pauses){ 0 };
}

bool
pauses_add(struct pauses *p, struct wide start, struct wide end)
{
	if (!vec_room(p->at, p->n, p->cap))
		return false;
	p->at[p->n++] = (struct pause){ .start = start, .end = end };
	return true;
}

static int
cmp_starts(const void *a, const void *b)
{
	const struct pause *x = a, *y = b;

	return wide_cmp(x->start, y->start);
}

/* Sorts the pauses, joins those that touch, and adds them up. */
static void
settle(struct pauses *p)
{
	struct wide before = { 0, 0 };
	size_t i, n = 0;

	if (p->n != 0)
		qsort(p->at, p->n, sizeof *p->at, cmp_starts);
	for (i = 0; i < p->n; i++) {
		if (n == 0 || wide_cmp(p->at[i].start, p->at[n - 1].end) > 0)
			p->at[n++] = p->at[i];
		else if (wide_cmp(p->at[i].end, p->at[n - 1].end) > 0)
			p->at[n - 1].end = p->at[i].end;
	}
	for (i = 0; i < n; i++) {
		p->at[i].before = before;
		(void)wide_add(before, wide_sub(p->at[i].end, p->at[i].start), &before);
	}
	p->n = n;
	p->settled = true;
}

struct wide
pauses_until(struct pauses *p, struct wide t)
{
	struct wide sum = { 0, 0 };
	const struct pause *last;

	if (!p->settled)
		settle(p);
	while (p->next < p->n && wide_cmp(p->at[p->next].end, t) <= 0)
		p->next++;
	if (p->next < p->n && wide_cmp(p->at[p->next].start, t) < 0) {
		(void)wide_add(p->at[p->next].before, wide_sub(t, p->at[p->next].start), &sum);
	} else if (p->next > 0) {
		last = &p->at[p->next - 1];
		(void)wide_add(last->before, wide_sub(last->end, last->start), &sum);
	}
	return sum;
}
