/* SPDX-License-Identifier: ISC */
/* pprofint.h - what has been collected for a profile; for the files of this directory. */
#ifndef AFPIPE_PPROF_PPROFINT_H
#define AFPIPE_PPROF_PPROFINT_H

#include "lib/buf.h"
#include "lib/tab.h"
#include "lib/wide.h"
#include "src/pprof/pprof.h"

/* What is added up for a sample: the number of its events, and their values. */
enum pprof_column { COLUMN_COUNT, COLUMN_VALUE, COLUMNS };

/*
 * A measure and its columns.  Sums are exact, in units of 10^-scale, in two's complement.
 */
struct measure {
	struct buf name, unit; /* as in the stream */
	struct wide (*sum)[COLUMNS]; /* by sample; those from cap on are 0 */
	size_t cap;
	unsigned scale[COLUMNS];
	bool used[COLUMNS];
	bool bytes; /* the values are written in bytes, whatever the unit */
};

/* Makes the units finer, so that a column, whose sums have at most 64 bits, has more decimals. */
void measure_rescale(struct measure *m, enum pprof_column c, unsigned scale);

/* A sample: its numbers in pprof.stacks and pprof.sets. */
struct sample {
	uint32_t stack, set;
};

/* Samples, and a table of them.  { 0 } is valid and empty. */
struct samples {
	struct sample *item; /* by number */
	uint32_t *slot; /* 1 + the number of a sample, or 0; open addressing */
	size_t count, cap, mask;
	unsigned shift;
	uint64_t seed;
};

#define SAMPLES_NONE ((size_t)-1)

void pprof_samples_free(struct samples *s);

/* Returns the number of a sample, and adds it if it is new, or SAMPLES_NONE if memory runs out. */
size_t pprof_samples_add(struct samples *s, struct sample sample);

/* The times of a run's events, in nanoseconds on its clock. */
struct clock {
	struct wide first, last, at;
	int64_t wall; /* the time of day at `at`, in nanoseconds since 1970 */
	bool timed, dated;
};

#define RECENT 32 /* a power of 2 */

/* A stack as the stream spells it. */
struct shape {
	uint32_t stack; /* its number in pprof.stacks */
	bool fits; /* its places and lines are used */
};

/* The tags that lines are searched for, besides those of labels. */
enum pprof_tag { TAG_STAT, TAG_START, TAG_LINE, TAG_LINES, TAG_FRAMES, TAG_INLINED, TAGS };

struct pprof {
	struct slice label[PPROF_LABELS_MAX]; /* parts of label_text */
	size_t labels;
	struct buf label_text;
	bool named; /* the user has named them, so some line must have each */
	struct keys keys;

	struct measure *measure[PPROF_COLUMNS_MAX]; /* NULL: not used */
	size_t measures;
	size_t foremost; /* the number of the one to show by default */

	/*
	 * A location is PLACE TAB NAME TAB LINE [TAB NAME TAB LINE]...: the functions at a place,
	 * from the outermost to the innermost inlined one.  PLACE is an element of frames, or "."
	 * if it is not known; LINE is an element of lines, or "?".
	 */
	struct tab locations;
	struct tab values; /* of labels: NUMBER TAB TEXT; NUMBER is that of the label, one byte */
	/*
	 * Numbers in the tables above, as bytes of uint32_t: the locations of a stack, from the
	 * innermost outwards, and a set of values, in the order of the labels.
	 */
	struct tab stacks, sets;
	struct samples samples;
	struct buf text, words; /* scratch */

	/* so that a text that comes again is not taken apart again */
	struct tab shapes; /* a stack tag, or (put_shape) whatever determines the locations */
	struct shape *shape; /* by number in shapes */
	size_t shape_cap, last_shape, last_set;
	uint32_t recent[PPROF_LABELS_MAX][RECENT]; /* numbers in values; see put_label */

	/* the tags of the current line */
	struct ev_keys wanted; /* those of enum pprof_tag, then those of labels */
	size_t process; /* the number of pcomm there, or EV_KEYS_MAX */
	size_t place[PPROF_LABELS_MAX]; /* of each label: its column, or EV_COLUMNS + its key */
	struct slice tag[TAGS + PPROF_LABELS_MAX]; /* by number in wanted; p is NULL for none */
	bool repeated; /* a tag is there twice */

	struct tab runs;
	struct clock *clock; /* by run */
	size_t clock_cap, last_run;
	struct buf comments; /* each ends in NUL */
	uint64_t unplaced, rounded, fractions;
	bool full; /* a value did not fit, so there can be no profile */
};

/* A reader of the words of a stack or a set. */
static inline uint32_t
pprof_word(struct slice words, size_t i)
{
	uint32_t v;

	memcpy(&v, words.p + i * sizeof v, sizeof v);
	return v;
}

#endif
