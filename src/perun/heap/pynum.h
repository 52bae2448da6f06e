/* SPDX-License-Identifier: ISC */
/*
 * pynum.h - computes with JSON's numbers as Python does: integers of any size, exactly; floats;
 * true and false, which are 1 and 0.
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
 * Reads the number of a token.  *n must not hold a number, as for all results here: free it first.
 * ERR_DATA: not a number; ERR_SYS: no memory.
 */
int pynum_read(struct pynum *n, const char *text, const struct jscan_token *k, struct err *e)
    __attribute__((warn_unused_result));

/* False without memory. */
bool pynum_copy(struct pynum *to, const struct pynum *from) __attribute__((warn_unused_result));

/* ERR_DATA: an integer is too large to become a float; ERR_SYS: no memory. */
int pynum_add(struct pynum *sum, const struct pynum *a, const struct pynum *b, struct err *e)
    __attribute__((warn_unused_result));
int pynum_sub(struct pynum *rest, const struct pynum *a, const struct pynum *b, struct err *e)
    __attribute__((warn_unused_result));

/* a < b */
bool pynum_less(const struct pynum *a, const struct pynum *b);

/* As Python's ==, across kinds, too; NaN is not equal even to itself. */
bool pynum_equal(const struct pynum *a, const struct pynum *b);

/* Equal numbers have the same hash. */
uint64_t pynum_hash(const struct pynum *n, uint64_t seed);

/* Appends it as json.dumps does.  False without memory. */
bool pynum_dumps(struct buf *out, const struct pynum *n) __attribute__((warn_unused_result));

#endif
