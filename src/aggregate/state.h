/* SPDX-License-Identifier: ISC */
/*
 * state.h - all that is kept for a group, and its text, for partial results and for groups on disk.
 *
 * Only exact totals are kept, so the order of adding changes nothing, and neither does the way in
 * which the values were divided among partial results.
 */
#ifndef AFPIPE_STATE_H
#define AFPIPE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/err.h"
#include "lib/slice.h"
#include "lib/wide.h"
#include "src/aggregate/accumulator.h"
#include "src/aggregate/buckets.h"
#include "lib/number.h"
#include "src/aggregate/values.h"

/* What else may be needed besides enum accumulator_need. */
enum state_need {
	STATE_VALUES = 8,
	STATE_SKETCH = 16,
	STATE_HIST = 32,
	STATE_TIMES = 64, /* the first and the last value */
	STATE_WEIGHT = 128, /* values have weights */
};

#define STATE_DETAIL \
	((unsigned)(STATE_VALUES | STATE_SKETCH | STATE_HIST | STATE_TIMES | STATE_WEIGHT))
/* If any of these is needed, add with state_add_number. */
#define STATE_GENERAL ((unsigned)(STATE_TIMES | STATE_WEIGHT))

/* What is kept for each group, and how.  Set by stats_ready (src/aggregate/stats.h). */
struct keep {
	unsigned need; /* a sum of enum accumulator_need and enum state_need */
	unsigned sketch_bits;
	struct bins bins;
};

/* A value with its time. */
struct moment {
	bool set;
	struct wide time;
	struct number value;
};

/* All 0 is the detail of no values.  It may be moved. */
struct detail {
	struct wide weight; /* the sum of the weights; not used without weights */
	struct moment first, last;
	struct values values;
	struct sketch sketch;
	struct pairs hist; /* bins */
};

/*
 * A group's parts, which the caller owns, in arrays for instance.  s is needed if KEEP needs more
 * than ACCUMULATOR_SUM, d if it needs any of STATE_DETAIL, else they may be NULL.  A new group has
 * { 0 }, SPREAD_EMPTY and { 0 }.
 */
struct state {
	struct accumulator *t;
	struct spread *s;
	struct detail *d;
};

void state_release(const struct state *st);

/* For state_add only: adds v to what the accumulator does not have. */
bool state_add_more(const struct keep *x, struct detail *d, int64_t v)
    __attribute__((warn_unused_result));

/*
 * Adds a value from number_small, if KEEP needs nothing of STATE_GENERAL.  Returns false if memory
 * runs out.
 */
static inline bool
state_add(const struct keep *x, const struct state *st, int64_t v)
{
	if (!accumulator_add(st->t, st->s, x->need, v))
		return false;
	return (x->need & STATE_DETAIL) == 0 || state_add_more(x, st->d, v);
}

/*
 * Adds any value WEIGHT times; without STATE_WEIGHT, WEIGHT is 1.  A weight of 0 adds nothing.
 * TIME is NULL if the line has none.  Returns ERR_SYS if memory runs out, and ERR_DATA if the
 * weights of the group get too large, with nothing added: 2^128, or 2^64 with a histogram or a
 * sketch.
 */
int state_add_number(const struct keep *x, const struct state *st, const struct number *v,
    uint64_t weight, const struct wide *time, struct err *e) __attribute__((warn_unused_result));

/*
 * Adds all values of another state, which is of no use then.  Their weights fit together.  Returns
 * false if memory runs out.
 */
bool state_join(const struct keep *x, const struct state *st, const struct state *from)
    __attribute__((warn_unused_result));

/*
 * Call it after the last value, before all functions below and those of stats.h.  More may be added
 * later, followed by another call.  Returns ERR_SYS if memory runs out, and ERR_DATA if the parts
 * do not fit together, which happens only if text was read that nobody wrote in one piece: a line
 * is missing, or is duplicated, or was changed.
 */
int state_settle(const struct keep *x, const struct state *st, struct err *e)
    __attribute__((warn_unused_result));

/* Returns how many values there are: lines, or the sum of their weights. */
struct wide state_count(const struct keep *x, const struct state *st);

/* A bin of a group's histogram. */
struct bin {
	char lo[BINS_PUT_MAX], hi[BINS_PUT_MAX];
	size_t lo_len, hi_len;
	uint64_t count; /* above 0 */
};

/*
 * Steps to the next bin that is not empty, in ascending order.  *at is 0 at first.  Returns false
 * at the end.
 */
bool state_next_bin(const struct keep *x, const struct state *st, size_t *at, struct bin *bin);

/*
 * The text of a state: tags as KEY=VALUE, each after a TAB, as many as KEEP needs.
 *
 *	agg.n       the number of lines
 *	agg.w       the sum of the weights
 *	agg.sum     exact: INTEGER or INTEGERpEXP (bignum_put_exact)
 *	agg.sq      the sum of squares, likewise
 *	agg.min     the least value, or "." if there is none; infinities count, nans do not
 *	agg.max
 *	agg.odd     DOUBLES;-0S;INFS;-INFS;NANS: how many lines had such a value; not if all are 0
 *	agg.first   TIME:VALUE, or "." if no line had a time
 *	agg.last
 *	agg.values  VALUE*COUNT;..., ascending
 *	agg.sketch  BITS:BUCKET*COUNT;...  (lib/buckets.h)
 *	agg.hist    BINS:BIN*COUNT;...  BINS is "log2", "w" and the width, or "e" and the edges
 *
 * The last three may take several pieces.  The first piece has all others and all that fits; the
 * later ones have only what is left.
 */
struct state_piece {
	int part; /* 0 at first */
	struct values_at value;
	int64_t sketch;
	size_t hist;
};

#define STATE_PIECE_MAX ((size_t)256 << 10) /* bytes, and at most 2 KiB more */

/*
 * Appends the next piece of a settled state to b.  *at is { 0 } at first.  *more is false after the
 * last piece.  Returns false if memory runs out.
 */
bool state_write(const struct keep *x, const struct state *st, struct state_piece *at,
    struct buf *b, bool *more) __attribute__((warn_unused_result));

/* Returns true if a key begins with "agg.". */
static inline bool
state_is_tag(struct slice key)
{
	return key.len >= 4 && memcmp(key.p, "agg.", 4) == 0;
}

/*
 * Adds one tag of a piece.  *seen is 0 before the first tag of a line.  Tags that KEEP does not
 * need are checked only for their names.  Returns ERR_SYS if memory runs out, and ERR_DATA, with
 * the tag's name in the message, for an unknown tag, a second one of a line, a wrong spelling, or a
 * total that gets too large.  After ERR_DATA the state may have a part of the line, so that it is
 * of no use.
 */
int state_take(const struct keep *x, const struct state *st, struct slice key, struct slice value,
    unsigned *seen, struct err *e) __attribute__((warn_unused_result));

/*
 * Call it after the last tag of a line.  Returns ERR_DATA if the line is a first piece (it has
 * agg.n) that lacks a tag that KEEP needs, or another piece that has more than it may.
 */
int state_taken(const struct keep *x, unsigned seen, struct err *e)
    __attribute__((warn_unused_result));

#endif
