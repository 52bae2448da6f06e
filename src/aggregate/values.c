/* SPDX-License-Identifier: ISC */
/* values.c - all values of a group, each with the number of times that it occurs. */
#include "src/aggregate/values.h"

#include <stdlib.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/vec.h"

#define FIRST ((size_t)8)

static int
cmp_pairs(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

/*
 * Adds the next count of a sorted array to *last.  Returns true if the value needs one more place,
 * with the rest of the count, because *last is full.
 */
static bool
add_count(uint64_t *last, uint64_t *next)
{
	uint64_t room = UINT64_MAX - *last;

	if (*next <= room) {
		*last += *next;
		return false;
	}
	*last = UINT64_MAX;
	*next -= room;
	return true;
}

static bool
is_sorted(const struct pairs *p)
{
	size_t i;

	for (i = 1; i < p->n; i++)
		if (p->pair[i - 1].value >= p->pair[i].value)
			return false;
	return true;
}

void
pairs_settle(struct pairs *p)
{
	size_t from, n = 0;

	if (is_sorted(p))
		return;
	qsort(p->pair, p->n, sizeof *p->pair, cmp_pairs);
	for (from = 0; from < p->n; from++)
		if (n == 0 || p->pair[n - 1].value != p->pair[from].value ||
		    add_count(&p->pair[n - 1].count, &p->pair[from].count))
			p->pair[n++] = p->pair[from];
	p->n = n;
}

bool
pairs_push(struct pairs *p, int64_t value, uint64_t count)
{
	if (p->n == p->cap)
		pairs_settle(p);
	/* if half of it is different values, settling again soon would take too long */
	if (p->n >= p->cap / 2) {
		size_t cap = p->cap == 0 ? FIRST : p->cap * 2;
		struct pair *more = cap > SIZE_MAX / 2 / sizeof *more
		    ? NULL
		    : mem_resize(p->pair, cap * sizeof *more);

		if (more == NULL)
			return false;
		p->pair = more;
		p->cap = cap;
	}
	p->pair[p->n++] = (struct pair){ value, count };
	return true;
}

void
pairs_free(struct pairs *p)
{
	mem_free(p->pair);
	*p = (struct pairs){ 0 };
}

int
values_cmp(const struct number *a, const struct number *b)
{
	if (a->kind == NUMBER_NAN || b->kind == NUMBER_NAN)
		return (a->kind == NUMBER_NAN) - (b->kind == NUMBER_NAN);
	return number_cmp(a, b);
}

/* Compares values, and puts the integer before doubles of the same value. */
static int
cmp_tallies(const void *a, const void *b)
{
	const struct tally *x = a, *y = b;
	int c = values_cmp(&x->value, &y->value);

	return c != 0 ? c : (x->value.kind != NUMBER_INTEGER) - (y->value.kind != NUMBER_INTEGER);
}

static void
settle_other(struct values *v)
{
	size_t from, n = 0;

	if (v->n > 1)
		qsort(v->other, v->n, sizeof *v->other, cmp_tallies);
	for (from = 0; from < v->n; from++) {
		struct tally *next = v->other + from;

		if (n != 0 && values_cmp(&v->other[n - 1].value, &next->value) == 0) {
			next->value = v->other[n - 1].value;
			if (!add_count(&v->other[n - 1].count, &next->count))
				continue;
		}
		v->other[n++] = *next;
	}
	v->n = n;
}

bool
values_add(struct values *v, const struct number *value, uint64_t count)
{
	int64_t small;

	if (number_is_small(value, &small))
		return pairs_add(&v->small, small, count);
	if (v->n == v->cap) {
		settle_other(v);
		if (v->n + 1 > v->cap / 2 && !vec_grow(&v->other, v->n, &v->cap, sizeof *v->other))
			return false;
	}
	v->other[v->n++] = (struct tally){ *value, count };
	return true;
}

bool
values_join(struct values *v, const struct values *from)
{
	size_t i;

	for (i = 0; i < from->small.n; i++)
		if (!pairs_add(&v->small, from->small.pair[i].value, from->small.pair[i].count))
			return false;
	for (i = 0; i < from->n; i++)
		if (!values_add(v, &from->other[i].value, from->other[i].count))
			return false;
	return true;
}

void
values_settle(struct values *v)
{
	pairs_settle(&v->small);
	settle_other(v);
}

void
values_free(struct values *v)
{
	pairs_free(&v->small);
	mem_free(v->other);
	*v = (struct values){ 0 };
}

/*
 * Adds a count to the run.  Its value needs no change: it was taken from the small integers if they
 * have it.
 */
static void
join(struct values_run *run, uint64_t count)
{
	(void)wide_add(run->count, (struct wide){ 0, count }, &run->count);
}

bool
values_next(const struct values *v, struct values_at *at, struct values_run *run)
{
	struct number small;

	if (at->small == v->small.n && at->other == v->n)
		return false;
	run->count = (struct wide){ 0, 0 };
	if (at->small < v->small.n)
		run->value = small = number_of(v->small.pair[at->small].value);
	if (at->small == v->small.n ||
	    (at->other < v->n && values_cmp(&v->other[at->other].value, &small) < 0))
		run->value = v->other[at->other].value;
	while (at->small < v->small.n &&
	    (small = number_of(v->small.pair[at->small].value),
		values_cmp(&small, &run->value) == 0))
		join(run, v->small.pair[at->small++].count);
	for (; at->other < v->n && values_cmp(&v->other[at->other].value, &run->value) == 0;
	     at->other++)
		join(run, v->other[at->other].count);
	return true;
}

bool
values_back(const struct values *v, struct values_at *at, struct values_run *run)
{
	struct number small;

	if (at->small == 0 && at->other == 0)
		return false;
	run->count = (struct wide){ 0, 0 };
	if (at->small > 0)
		run->value = small = number_of(v->small.pair[at->small - 1].value);
	if (at->small == 0 ||
	    (at->other > 0 && values_cmp(&v->other[at->other - 1].value, &small) > 0))
		run->value = v->other[at->other - 1].value;
	while (at->small > 0 &&
	    (small = number_of(v->small.pair[at->small - 1].value),
		values_cmp(&small, &run->value) == 0))
		join(run, v->small.pair[--at->small].count);
	while (at->other > 0 && values_cmp(&v->other[at->other - 1].value, &run->value) == 0) {
		at->other--;
		join(run, v->other[at->other].count);
	}
	return true;
}

bool
values_total(const struct values *v, struct wide *n)
{
	size_t i;
	bool ok = true;

	*n = (struct wide){ 0, 0 };
	for (i = 0; i < v->small.n; i++)
		ok &= wide_add(*n, (struct wide){ 0, v->small.pair[i].count }, n);
	for (i = 0; i < v->n; i++)
		ok &= wide_add(*n, (struct wide){ 0, v->other[i].count }, n);
	return ok;
}
