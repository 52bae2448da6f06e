/* SPDX-License-Identifier: ISC */
/* pprofint.h - what has been collected for a profile; for the files of this directory. */
#ifndef AFPIPE_PPROF_PPROFINT_H
#define AFPIPE_PPROF_PPROFINT_H

#include "lib/buf.h"
#include "lib/tab.h"
#include "lib/wide.h"
#include "src/pprof/pprof.h"

/*
 * A sum for each sample, exact, in units of 10^-scale.  Each is a number of 128 bits in two's
 * complement.
 */
struct column {
	struct wide *sum; /* by sample; those from cap on are 0 */
	size_t cap;
	unsigned scale;
	bool used;
};

/*
 * Makes the units finer, so that a column has more decimals.  Returns false if a sum does not fit
 * into 64 bits then.
 */
bool column_rescale(struct column *c, unsigned scale) __attribute__((warn_unused_result));

/* A measure and its two columns. */
struct measure {
	struct buf name, unit; /* as in the stream */
	struct column value, count;
};

/* The times of a run's events, in nanoseconds on its clock. */
struct clock {
	struct wide first, last, at;
	int64_t wall; /* the time of day at `at`, in nanoseconds since 1970 */
	bool timed, dated;
};

/* The words of a stack, in pprof.words: the beginning of the samples that have it. */
struct shape {
	size_t from, bytes;
	bool fits; /* its places and lines are used */
};

struct pprof {
	struct slice label[PPROF_LABELS_MAX]; /* parts of label_text */
	size_t labels;
	struct buf label_text;
	bool named; /* the user has named them, so some line must have each */
	struct keys keys;

	struct measure *measure[PPROF_COLUMNS_MAX]; /* NULL: not used */
	size_t measures;

	/*
	 * A location is PLACE TAB NAME TAB LINE [TAB NAME TAB LINE]...: the functions at a place,
	 * from the outermost to the innermost inlined one.  PLACE is an element of frames, or "."
	 * if it is not known; LINE is an element of lines, or "?".
	 */
	struct tab locations;
	struct tab values; /* of labels: NUMBER TAB TEXT; NUMBER is that of the label, one byte */
	size_t last_value[PPROF_LABELS_MAX]; /* of each label, which the next line often repeats */
	/*
	 * A sample is the number of its locations, these from the innermost outwards, then its
	 * labels: numbers in the tables above, as bytes of uint32_t.
	 */
	struct tab samples;
	struct buf text, sample; /* scratch */

	/* so that a stack that comes again is not taken apart again */
	struct tab shapes; /* stack, lines, frames and inlined as in the stream */
	struct shape *shape; /* by number in shapes */
	size_t shape_cap;
	struct buf words;
	struct ev_tag *tag; /* those of the current line */
	size_t tags, tag_cap;

	struct tab runs;
	struct clock *clock; /* by run */
	size_t clock_cap, last_run;
	struct buf comments; /* each ends in NUL */
	uint64_t unplaced, rounded;
	bool full; /* a value did not fit, so there can be no profile */
};

/* A reader of the words of a sample. */
static inline uint32_t
pprof_word(struct slice sample, size_t i)
{
	uint32_t v;

	memcpy(&v, sample.p + i * sizeof v, sizeof v);
	return v;
}

#endif
