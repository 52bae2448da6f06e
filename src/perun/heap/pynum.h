/* SPDX-License-Identifier: ISC */
/*
 * pynum.h - computes with the numbers of JSON as Python does: with integers of any size, exactly;
 * with floats; with true and false, which are 1 and 0.
 *
 * An integer and a float are compared exactly and added as floats.  NaN is not less than any
 * number, and no number is less than it.
 */
#ifndef AFPIPE_PERUN_PYNUM_H
#define AFPIPE_PERUN_PYNUM_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/err.h"
#include "lib/json/jscan.h"

enum pynum_kind {
	PYNUM_INT,
	PYNUM_BOOL, /* i is 0 or 1 */
	PYNUM_BIG, /* an integer beyond 64 bits */
	PYNUM_FLOAT,
};

struct pynum {
	enum pynum_kind kind;
	union {
		int64_t i;
		double f;
		char *big; /* owned: -?[1-9][0-9]* and NUL */
	} as;
};

#define PYNUM(integer) ((struct pynum){ .kind = PYNUM_INT, .as.i = (integer) })

void pynum_free(struct pynum *n);

/*
 * Reads the number of a token.  *n must not hold a number: free it first, as for all results here.
 * Returns ERR_DATA if the token is not a number, and ERR_SYS if memory runs out.
 */
int pynum_read(struct pynum *n, const char *text, const struct jscan_token *k, struct err *e)
    __attribute__((warn_unused_result));

/* Returns false when memory runs out. */
bool pynum_copy(struct pynum *to, const struct pynum *from) __attribute__((warn_unused_result));

/*
 * Add or subtract two numbers.  Return ERR_DATA if an integer is too large to become a float, and
 * ERR_SYS if memory runs out.
 */
int pynum_add(struct pynum *sum, const struct pynum *a, const struct pynum *b, struct err *e)
    __attribute__((warn_unused_result));
int pynum_sub(struct pynum *rest, const struct pynum *a, const struct pynum *b, struct err *e)
    __attribute__((warn_unused_result));

/* Returns whether a < b. */
bool pynum_less(const struct pynum *a, const struct pynum *b);

/* Compares like Python's ==, even numbers of different kinds.  NaN is not equal even to itself. */
bool pynum_equal(const struct pynum *a, const struct pynum *b);

/* Returns a hash, which is the same for equal numbers. */
uint64_t pynum_hash(const struct pynum *n, uint64_t seed);

/* Appends the number as json.dumps spells it.  Returns false when memory runs out. */
bool pynum_dumps(struct buf *out, const struct pynum *n) __attribute__((warn_unused_result));

#endif
