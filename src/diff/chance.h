/* SPDX-License-Identifier: ISC */
/*
 * chance.h - what may be chance in the difference of two samples.
 *
 * All intervals are symmetric studentised ones: the distances of the drawn estimates, in standard
 * errors, give how many standard errors of the samples an interval reaches to either side.  If all
 * values of both samples have the same sign, the estimate is the logarithm of the quotient of the
 * means, whose standard error hardly depends on the means.  For skewed values that is what keeps
 * the promise: t/afdiff.bats.  If too many of the draws have nearly equal values, Student's t
 * distribution gives the number of standard errors instead.
 *
 * Samples must be sorted, so that their order does not matter.  Logarithms may differ between
 * machines in the last bits, so results have to be rounded.
 */
#ifndef AFPIPE_DIFF_CHANCE_H
#define AFPIPE_DIFF_CHANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sample {
	double *v; /* ascending */
	size_t n;
};

struct interval {
	double lo, hi;
};

/* What the Mann-Whitney test finds. */
struct ranks {
	double above; /* the part of all pairs in which after is larger; equal ones are a half */
	double p; /* two-sided */
};

struct chance;

/* Returns NULL if memory runs out.  CONFIDENCE is 0.5 to 0.999. */
struct chance *chance_new(double confidence, uint64_t seed);
void chance_free(struct chance *c);

double chance_mean(const struct sample *s);

/*
 * Draws resamples of both samples, each with at least two values of at most 1e300.  The functions
 * below, which return intervals, are then about these two.  The generator starts from the seed each
 * time, so that other groups do not matter.  Returns false if memory runs out.
 */
bool chance_draw(struct chance *c, const struct sample *before, const struct sample *after)
    __attribute__((warn_unused_result));

/*
 * Returns the interval of mean(after) - FACTOR * mean(before).  With logarithms it is made from the
 * intervals of both means, by the method of variance estimates recovery of Zou and Donner.  It then
 * contains 0 if and, up to a few cases in a thousand, only if that of the change does.
 */
struct interval chance_difference(struct chance *c, double factor);

/*
 * The same of (mean(after) - mean(before)) / |mean(before)|.  All values of before must have the
 * same sign and not be 0.  If no value of after has the other sign, nothing can shrink by more than
 * 100%, and the interval ends there.
 */
struct interval chance_change(struct chance *c);

/*
 * Does the two-sided Mann-Whitney test.  p is exact if there are up to 20 values in each sample,
 * or fewer than 50 and no equal ones; otherwise it is the normal approximation, corrected for ties
 * and for continuity.  If all values are equal it is 1.  Returns false if memory runs out.
 */
bool chance_ranks(struct chance *c, const struct sample *before, const struct sample *after,
    struct ranks *r) __attribute__((warn_unused_result));

#endif
