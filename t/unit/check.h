/* SPDX-License-Identifier: ISC */
/* check.h - reporting and counting for unit tests, each of which has a main of its own. */
#ifndef AFPIPE_UNIT_CHECK_H
#define AFPIPE_UNIT_CHECK_H

#include <stdint.h>
#include <stdio.h>

struct check {
	unsigned long done, failed;
	uint64_t seed;
};

/* Counts a check, and reports the place and the details of the first twenty failures. */
#define CHECK(c, cond, ...) \
	do { \
		(c)->done++; \
		if (!(cond) && (c)->failed++ < 20) { \
			fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #cond); \
			fprintf(stderr, __VA_ARGS__); \
			fputc('\n', stderr); \
		} \
	} while (0)

/* Returns a random number, the same on every machine: xorshift64* from a fixed seed. */
static inline uint64_t
check_random(struct check *c)
{
	if (c->seed == 0)
		c->seed = 0x9e3779b97f4a7c15u;
	c->seed ^= c->seed >> 12;
	c->seed ^= c->seed << 25;
	c->seed ^= c->seed >> 27;
	return c->seed * 0x2545f4914f6cdd1du;
}

/* Returns the exit status of the test. */
static inline int
check_end(const struct check *c)
{
	printf("%lu checks, %lu failed\n", c->done, c->failed);
	return c->failed != 0 || c->done == 0;
}

#endif
