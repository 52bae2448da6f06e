/* SPDX-License-Identifier: ISC */
/* durint.h - shared by the parts of duration.h. */
#ifndef AFPIPE_DURINT_H
#define AFPIPE_DURINT_H

#include "lib/err.h"
#include "lib/evwrite.h"
#include "lib/tab.h"
#include "lib/units.h"
#include "src/duration/open.h"
#include "src/duration/pauses.h"

/* The measures computed here. */
enum dur_measure { DUR_INCLUSIVE, DUR_SELF, DUR_UNION, DUR_MEASURES };

/* Limits of texts that come once and are repeated on many lines, or they could fill the disk. */
#define DUR_STACK_MAX ((size_t)64 * 1024) /* a stack; for a delta also its label and its tags */
#define DUR_PARENT_MAX ((size_t)4096)

/* Limits; what exceeds them is left out and counted. */
enum dur_limit {
	DUR_MANY_VALUES, /* measures of one interval */
	DUR_LONG_PARENT, /* DUR_PARENT_MAX */
	DUR_LONG_DELTA, /* DUR_STACK_MAX, the label or the tags of a delta */
	DUR_LIMITS
};

/* The last start or stop: more lines of it may directly follow it. */
struct dur_group {
	struct interval *v; /* open: its start; else its stop.  NULL: no more lines can come */
	uint64_t *what; /* hashes of the measures of its lines so far */
	size_t n, cap; /* n is 0 if its first line had no measure */
};

struct dur_run {
	struct wide now; /* time of the last start or stop */
	bool defined[DUR_MEASURES]; /* its measure line has been written */
	struct interval *top, *bottom; /* the innermost open region, and the outermost */
	size_t regions; /* open */
	struct interval *fresh; /* the outermost of those that began at now */
	size_t nfresh;
	struct interval *waiting; /* ended at now; values may still come */
	struct buf stack; /* labels of the outermost open regions, as a list, */
	struct interval **spelled; /* and these regions; see stack.c */
	size_t nspelled, spelled_cap;
	struct pauses pauses;
	struct dur_group group;
};

/* A start, stop, pause or sample line. */
struct dur_line {
	const struct ev *ev;
	const char *file;
	uint32_t run;
	struct wide time;
	struct open_name name;
	struct slice scope, id, interval, start, mid, unit, type; /* tags; empty if missing */
	struct slice utc; /* the same: its time of day */
	struct slice others; /* its other tags, each with a TAB before it */
};

/* A list of labels; empty if the last of them alone is too long. */
struct dur_stack {
	struct slice text;
	size_t cut; /* how many labels are left out */
};

struct duration {
	struct evwrite *w;
	size_t max_stack; /* labels */
	struct dur_stack stack; /* of the region that stops */
	struct buf cut; /* its text if it was cut */
	unsigned flags;
	struct tab runs;
	struct dur_run *run; /* by number */
	size_t runs_cap;
	struct slice last_run; /* as stored in the table */
	uint32_t last;
	struct open open;
	uint64_t starts;
	uint64_t lines; /* lines so far, the current one included */
	struct buf others; /* of the current line */
	struct buf tags; /* others of a start and of a line: the numbers of these lines */
	uint64_t tags_start, tags_line;
	struct buf what; /* as in struct snap: what the current line measures */
	struct buf value;
	struct units units; /* from the measure lines */
	struct tab deltas; /* measures whose delta is defined: run and what */
	struct buf measure, key; /* of such a measure */
	struct interval **unfinished;
	size_t nunfinished;
	size_t stacks_kept; /* bytes, of intervals that have ended */
	uint64_t lone, texts; /* values left out: without the other end, and not numbers */
	uint64_t exceeded[DUR_LIMITS]; /* what was left out, by limit */
};

static inline void
dur_exceed(struct duration *d, enum dur_limit which)
{
	d->exceeded[which]++;
	d->w->count[MARK_LEFT_OUT]++;
}

#define DUR_SHOWN_MAX 160

/* The scope for an enum open_kind. */
const char *dur_scope(unsigned kind);

/* The name, for messages, of the subject of the line or the interval. */
const char *dur_describe(char text[DUR_SHOWN_MAX], const struct dur_line *line);
const char *dur_describe_open(char text[DUR_SHOWN_MAX], const struct interval *v);

/* interval.c: a new interval begins with the line; NULL when there is no memory. */
struct interval *dur_begin(struct duration *d, const struct dur_line *line);

/* Another start line of v, which is open: more of its values, or an error. */
int dur_start_again(struct duration *d, const struct dur_line *line, struct interval *v,
    struct err *e);

/* How long the run was paused from the start of v until now; 0 unless that is deducted. */
struct wide dur_paused(struct duration *d, const struct dur_line *line, const struct interval *v);

/* v has stopped: values that come at the same time are still taken. */
int dur_end(struct duration *d, const struct dur_line *line, struct interval *v, struct err *e);

/* Nothing more comes for regions and intervals that have ended in the run. */
void dur_forget_ended(struct duration *d, struct dur_run *run);

/* duration.c */
/* Does the line name a region neither by an id nor by a label? */
bool dur_is_anonymous(const struct dur_line *line);
/* The line is the first one of v's start or stop.  False when there is no memory. */
bool dur_group_begin(struct duration *d, const struct dur_line *line, struct interval *v)
    __attribute__((warn_unused_result));

/* region.c */
int dur_region_start(struct duration *d, const struct dur_line *line, struct err *e);
int dur_region_stop(struct duration *d, const struct dur_line *line, struct err *e);

/* Does the line measure anything? */
static inline bool
dur_has_measure(const struct dur_line *line)
{
	return !slice_is_nothing(line->ev->col[EV_MEASURE]);
}

/* snap.c: for starts and stops d->what has already been set. */
/* Sets d->what to what is measured.  False when there is no memory. */
bool dur_snap_what(struct duration *d, const struct dur_line *line)
    __attribute__((warn_unused_result));
/* Takes the value of a start line.  False when there is no memory. */
bool dur_snap_start(struct duration *d, const struct dur_line *line, struct interval *v);
/* Takes the value of a stop line, or of a sample at the time of the stop. */
bool dur_snap_stop(struct duration *d, const struct dur_line *line, struct interval *v);
/* Takes samples that came before the stop and at its time. */
bool dur_snap_samples(struct duration *d, const struct dur_line *line, struct interval *v);
/* The sample's value may be that of a start or of a stop. */
bool dur_snap_sample(struct duration *d, const struct dur_line *line);
/* Is v, which has ended, waiting for the line's measure? */
bool dur_snap_waits(const struct duration *d, const struct dur_line *line, struct interval *v);
/* Has that measure already come? */
bool dur_snap_is_done(const struct duration *d, struct interval *v);
/* Is the line one more value of the start of v? */
bool dur_snap_is_more(const struct duration *d, const struct dur_line *line, struct interval *v);
/* v gets no more values: counts those that lack one end. */
void dur_snap_drop(struct duration *d, struct interval *v);

/* span.c: all use the time of the line. */
void dur_span(struct duration *d, const struct dur_line *line, const struct interval *v,
    enum dur_measure which, struct wide elapsed, struct wide paused);
/* what: as in struct snap */
/* False when there is no memory. */
bool dur_span_delta(struct duration *d, const struct dur_line *line, const struct interval *v,
    struct slice what, struct slice value);

#endif
