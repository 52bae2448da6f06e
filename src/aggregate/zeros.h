/* SPDX-License-Identifier: ISC */
/*
 * zeros.h - results of 0 for the groups that no line has, but that a mean over them must count.
 *
 * The keys are divided into two sets: those of --zeros, whose texts are the values of a group, and
 * all others, whose texts are its context.  For each measure, each context that occurs gets a
 * result for each value that occurs.
 *
 *	z = zeros_new();
 *	for each group: zeros_see(z, a, keys, measure, &group)
 *	zeros_ready(z, a, r, &e);
 *	for each group, in order: zeros_put(a, r, out, &placed, &e), with out->zeros set to z
 *	zeros_put_rest(a, r, out, &e);
 *	zeros_free(z);
 *
 * The memory is that of the contexts and of the values; their combinations are made one by one.
 */
#ifndef AFPIPE_AGGREGATE_ZEROS_H
#define AFPIPE_AGGREGATE_ZEROS_H

#include <stdbool.h>
#include <stdint.h>

#include "src/aggregate/aggint.h"
#include "src/aggregate/result.h"

#define ZEROS_MAX UINT64_C(100000000) /* combinations, with those that have lines */

struct zeros;

/* Returns NULL if memory runs out. */
struct zeros *zeros_new(void);
void zeros_free(struct zeros *z);

/* Notes a group that has lines.  Returns false if memory runs out. */
bool zeros_see(struct zeros *z, const struct aggregate *a, struct slice keys, uint32_t measure,
    const struct group *g) __attribute__((warn_unused_result));

/*
 * Call it after the last group.  Returns ERR_DATA if there are more than ZEROS_MAX combinations,
 * and ERR_SYS if memory runs out.
 */
int zeros_ready(struct zeros *z, const struct aggregate *a, const struct results *r, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Writes a group like results_put, and before it the zeros that come before it in the order of all
 * results; and those that come after the last group.
 */
int zeros_put(const struct aggregate *a, const struct results *r, struct results_out *out,
    const struct placed *p, struct err *e) __attribute__((warn_unused_result));
int zeros_put_rest(const struct aggregate *a, const struct results *r, struct results_out *out,
    struct err *e) __attribute__((warn_unused_result));

#endif
