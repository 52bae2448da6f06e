/* SPDX-License-Identifier: ISC */
/*
 * values.h - all values of a group, each with the number of times that it occurs.
 *
 * Equal values (number_cmp) are one value, in the spelling of the integer if one of them is an
 * integer.  All nans are one value, above all others.  So the order of adding does not matter.
 * Memory grows with the number of different values.
 */
#ifndef AFPIPE_VALUES_H
#define AFPIPE_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/wide.h"
#include "lib/number.h"

/* Small integers with their counts.  All 0 is none. */
struct pair {
	int64_t value;
	uint64_t count;
};

struct pairs {
	struct pair *pair;
	size_t n, cap;
};

/* The slow part of pairs_add: makes room.  Returns false if memory runs out. */
bool pairs_push(struct pairs *p, int64_t value, uint64_t count) __attribute__((warn_unused_result));

/* Adds a value that occurs COUNT times, above 0.  Returns false if memory runs out. */
static inline bool
pairs_add(struct pairs *p, int64_t value, uint64_t count)
{
	struct pair *last;

	if (p->n == 0 || p->n == p->cap)
		return pairs_push(p, value, count);
	last = p->pair + p->n - 1;
	if (last->value == value && last->count <= UINT64_MAX - count) {
		last->count += count;
		return true;
	}
	last[1] = (struct pair){ value, count };
	p->n++;
	return true;
}

/*
 * Sorts the pairs, with one for each value.  Only if a count exceeds 64 bits is there another one,
 * and all but the last are then UINT64_MAX.
 */
void pairs_settle(struct pairs *p);
void pairs_free(struct pairs *p);

struct tally {
	struct number value;
	uint64_t count;
};

/* All 0 is no values. */
struct values {
	struct pairs small; /* from number_small */
	struct tally *other; /* all others, sorted like pairs */
	size_t n, cap; /* of other */
};

/* Adds a value that occurs COUNT times, above 0.  Returns false if memory runs out. */
bool values_add(struct values *v, const struct number *value, uint64_t count)
    __attribute__((warn_unused_result));

/* Adds all values of another one.  Returns false if memory runs out. */
bool values_join(struct values *v, const struct values *from) __attribute__((warn_unused_result));

/* Call it after the last value, before the functions below.  Values may be added later. */
void values_settle(struct values *v);
void values_free(struct values *v);

/* A value, and how often it occurs. */
struct values_run {
	struct number value;
	struct wide count;
};

/* A place between two values.  { 0, 0 } is the first place. */
struct values_at {
	size_t small, other;
};

/* Steps over the next value, or back over the one before.  Returns false at the end. */
bool values_next(const struct values *v, struct values_at *at, struct values_run *run);
bool values_back(const struct values *v, struct values_at *at, struct values_run *run);

/* Returns how many values there are in all, or false if they are 2^128 or more. */
bool values_total(const struct values *v, struct wide *n);

/* Compares two values, where nan is above all others. */
int values_cmp(const struct number *a, const struct number *b);

#endif
