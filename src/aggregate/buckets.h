/* SPDX-License-Identifier: ISC */
/*
 * buckets.h - values counted in buckets: sketches, for percentiles with a bounded error, and the
 * bins of histograms.
 */
#ifndef AFPIPE_BUCKETS_H
#define AFPIPE_BUCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/err.h"
#include "src/aggregate/number.h"
#include "src/aggregate/values.h"

/*
 * A sketch.  Each power of 2 is divided into 2^BITS buckets of equal width.  The index of a value
 * m * 2^exp is its binary exponent, followed by the first BITS bits after the highest one.  The
 * number of the bucket is SKETCH_ZERO more, and negated for a negative value.  0 has number 0.
 */
#define SKETCH_BITS_MAX 13
#define SKETCH_WINDOW_MAX ((uint32_t)1 << 18) /* buckets: 1 MiB */
#define SKETCH_EXP_MIN (-1074) /* binary exponents of a double */
#define SKETCH_EXP_MAX 1023
#define SKETCH_ZERO(bits) ((1 - SKETCH_EXP_MIN) * ((int32_t)1 << (bits)))
#define SKETCH_INDEX_MAX(bits) ((SKETCH_EXP_MAX + 1) * ((int32_t)1 << (bits)) - 1)
/* The numbers of the infinities, which are beyond all others, and of nan. */
#define SKETCH_INF ((int64_t)1 << 32)
#define SKETCH_NAN (SKETCH_INF + 1)

/*
 * The counts of the buckets from index first.  All 0 is none.  Counts are short, because many
 * groups have many buckets; what does not fit is in struct sketch, and so are all buckets outside
 * the window when it has grown to SKETCH_WINDOW_MAX.
 */
struct window {
	uint32_t *count;
	int32_t first;
	uint32_t n;
};

/* All 0 is an empty sketch. */
struct sketch {
	struct window positive, negative;
	uint64_t zeros, infs, minus_infs, nans;
	struct pairs more; /* by bucket: counts in addition to those in the windows */
	bool full[2]; /* whether the windows grow no further: positive, negative */
};

/*
 * The slow part of sketch_add_small: adds to any bucket, where *range is true if it fails because
 * the count overflows.  The number of the bucket is valid.  Returns false if memory runs out.
 */
bool sketch_add_bucket(struct sketch *s, unsigned bits, int64_t bucket, uint64_t count, bool *range)
    __attribute__((warn_unused_result));

static inline unsigned
sketch_log2(uint64_t v)
{
#if defined __GNUC__
	return 63u - (unsigned)__builtin_clzll(v);
#else
	return wide_bits((struct wide){ 0, v }) - 1;
#endif
}

/* Adds an integer once.  Returns false if memory runs out. */
static inline bool
sketch_add_small(struct sketch *s, unsigned bits, int64_t v)
{
	struct window *w = v < 0 ? &s->negative : &s->positive;
	uint64_t m = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
	unsigned exp;
	int32_t index;
	uint32_t at;
	bool range;

	if (m == 0) {
		s->zeros++;
		return true;
	}
	exp = sketch_log2(m);
	index =
	    (int32_t)((exp << bits) + (unsigned)(m << (63 - exp) >> (63 - bits)) - (1u << bits));
	at = (uint32_t)index - (uint32_t)w->first;
	if (at >= w->n || w->count[at] == UINT32_MAX)
		return sketch_add_bucket(s, bits,
		    v < 0 ? -((int64_t)index + SKETCH_ZERO(bits))
			  : (int64_t)index + SKETCH_ZERO(bits),
		    1, &range);
	w->count[at]++;
	return true;
}

/*
 * Adds a value COUNT times.  The caller makes sure that no more than UINT64_MAX are added in all.
 * Returns false if memory runs out.
 */
bool sketch_add(struct sketch *s, unsigned bits, const struct number *v, uint64_t count)
    __attribute__((warn_unused_result));

/* The number of a bucket is valid if it is one of these, for the bits. */
bool sketch_is_bucket(unsigned bits, int64_t bucket);
/* Call it after the last value, before the functions below.  Values may be added later. */
void sketch_settle(struct sketch *s);

/*
 * Steps to the next bucket that is not empty, in ascending order; start with *at = -SKETCH_INF.
 * Returns false at the end.
 */
bool sketch_next(const struct sketch *s, unsigned bits, int64_t *at, struct pair *bucket);

/*
 * Returns the number that stands for a bucket: the harmonic middle of its bounds, so that the
 * relative error is at most 1 / (2^(bits+1) + 1).  If all values are INTEGERS, and the bucket has
 * only one of them, it is that one.
 */
double sketch_value(unsigned bits, int64_t bucket, bool integers);
void sketch_free(struct sketch *s);

/* The bins of a histogram. */
enum bins_kind {
	BINS_LOG2, /* [2^k, 2^(k+1)), mirrored for negatives; 0, inf and nan have their own */
	BINS_EDGES,
	BINS_WIDTH, /* [k * width, (k+1) * width) */
};

#define BINS_MAX 256 /* edges */
/* Of BINS_WIDTH, k is in [-BINS_K_MAX, BINS_K_MAX).  Each end has one bin for all beyond. */
#define BINS_K_MAX ((int64_t)1 << 62)
#define BINS_NAN INT64_MAX

struct bins {
	enum bins_kind kind;
	size_t n;
	struct number edge[BINS_MAX]; /* or the width alone */
};

/*
 * Reads EDGE,EDGE,... or WIDTH.  Returns ERR_DATA if an edge is not a finite number or not above
 * the one before, if a width is not above 0 or has no exact value in binary, or if there are too
 * many.
 */
int bins_set(struct bins *b, const char *text, struct err *e) __attribute__((warn_unused_result));

/* Return the number of the bin that a value is in.  Numbers ascend with the values. */
int64_t bins_of_small(const struct bins *b, int64_t v);
int64_t bins_of(const struct bins *b, const struct number *v);
bool bins_is_bin(const struct bins *b, int64_t bin);

#define BINS_PUT_MAX 96 /* bytes that each bound of a bin needs */

/* Write the lower and the upper bound of a bin.  Return the length. */
size_t bins_put_lo(char *dst, const struct bins *b, int64_t bin);
size_t bins_put_hi(char *dst, const struct bins *b, int64_t bin);

/*
 * Appends a text that only equal bins have: "log2", "w" and the width, or "e" and the edges.
 * Returns false if memory runs out.
 */
bool bins_put_name(const struct bins *b, struct buf *text) __attribute__((warn_unused_result));

#endif
