/* SPDX-License-Identifier: ISC */
/* durint.h - shared by the files that implement duration.h. */
#ifndef AFPIPE_DURINT_H
#define AFPIPE_DURINT_H

#include "lib/err.h"
#include "lib/evsort.h"
#include "lib/evwrite.h"
#include "lib/tab.h"
#include "lib/units.h"
#include "src/duration/open.h"
#include "src/duration/pauses.h"

/* The measures computed here. */
enum dur_measure { DUR_INCLUSIVE, DUR_SELF, DUR_UNION, DUR_MEASURES };

/*
 * Limits of texts that come once and are repeated on many lines, which could otherwise fill the
 * disk.
 */
/* for a stack; for a delta also for its label and its tags */
#define DUR_STACK_MAX ((size_t)64 * 1024)
#define DUR_PARENT_MAX ((size_t)4096)

/* Limits.  Data that exceed them are left out and counted. */
enum dur_limit {
	DUR_MANY_VALUES, /* measures of one interval */
	DUR_LONG_PARENT, /* DUR_PARENT_MAX */
	DUR_LONG_DELTA, /* DUR_STACK_MAX, the label or the tags of a delta */
	DUR_LIMITS
};

/* The last start or stop.  Further lines of the same start or stop may directly follow it. */
struct dur_group {
	/* if v is open, this is its start, otherwise its stop; NULL if no more lines can come */
	struct interval *v;
	uint64_t *what; /* hashes of the measures of its lines so far */
	size_t n, cap; /* n is 0 if its first line had no measure */
};

struct dur_run {
	struct wide now; /* time of the last start or stop */
	uint64_t described; /* its run lines: if there are several, they may be of several runs */
	uint64_t misfits; /* then: starts and stops that were left out, which are reported as one */
	bool defined[DUR_MEASURES]; /* its measure line has been written */
	struct interval *top, *bottom; /* the innermost open region, and the outermost */
	size_t regions; /* number of open regions */
	struct interval *fresh; /* the outermost of the regions that began at now */
	size_t nfresh;
	struct interval *waiting; /* intervals that ended at now, whose values may still come */
	struct buf stack; /* the labels of the outermost open regions, as a list */
	struct interval **stacked; /* the regions in stack; see region.c */
	size_t nstacked, stacked_cap;
	struct pauses pauses;
	/*
	 * Unless pauses are known before the durations, which needs one of the flags: the latest
	 * pause and the latest duration so far, which show whether any pauses are within
	 * durations.  { 0 } is none, since it has no length.
	 */
	struct pause late_pause, late_span;
	struct dur_group group;
};

/* A start, stop, pause or sample line. */
struct dur_line {
	const struct ev *ev;
	const char *file;
	uint32_t run;
	struct wide time;
	struct open_name name;
	struct slice scope, id, interval, start, mid, type; /* tags; empty if missing */
	struct slice unit; /* the same; "." is that of a value without one */
	struct slice utc; /* the utc tag, also empty if missing */
	struct slice others; /* its other tags, each with a TAB before it */
};

/* A list of labels.  It is empty if the last label alone is too long. */
struct dur_stack {
	struct slice text;
	size_t cut; /* number of labels left out */
};

struct duration {
	struct evwrite *w;
	size_t max_stack; /* in labels */
	struct dur_stack stack; /* the stack of the region that stops */
	struct buf cut; /* the text of that stack if it was cut */
	unsigned flags;
	struct tab runs;
	struct dur_run *run; /* indexed by number */
	size_t runs_cap;
	struct slice last_run; /* its name as stored in the table */
	uint32_t last;
	struct open open;
	uint64_t starts;
	uint64_t lines; /* lines so far, the current one included */
	/* which lines there were: starts or stops, spans, all other events */
	bool marks, spans, events;
	bool pauses_within; /* a pause was within a duration, and not deducted */
	struct buf others; /* other tags of the current line */
	/* the other tags of a start and of the line that ends it, and the number of that line */
	struct buf tags;
	uint64_t tags_line;
	struct buf what; /* the subject of the current line's measurement, as in struct snap */
	struct buf value;
	struct units units; /* from the measure lines */
	struct tab deltas; /* measures whose delta has been defined, by run and what */
	struct buf measure, key; /* the name and the key of such a measure */
	struct interval **unfinished;
	size_t nunfinished;
	size_t stacks_kept; /* bytes of stacks of intervals that have ended */
	/*
	 * Omitted values of starts and stops: those without one at the other end, with the names of
	 * their measures, and those that are not numbers.
	 */
	uint64_t lone, texts;
	struct buf lone_names;
	uint64_t strangers; /* intervals whose start and stop are of different threads */
	uint64_t guests; /* regions that are directly inside one of another thread */
	uint64_t exceeded[DUR_LIMITS]; /* number of omissions, by limit */
	/* stops of regions of one run and time that wait, or NULL; whether they wait no longer */
	struct evsort *late;
	bool late_due;
	uint32_t late_run;
	struct wide late_time;
};

static inline void
dur_exceed(struct duration *d, enum dur_limit which)
{
	d->exceeded[which]++;
	d->w->count[MARK_LEFT_OUT]++;
}

#define DUR_SHOWN_MAX 160

/* Returns the name of the scope for an enum open_kind. */
const char *dur_scope(unsigned kind);

/* Return the name, for messages, of the subject of the line or the interval. */
const char *dur_describe(char text[DUR_SHOWN_MAX], const struct dur_line *line);
const char *dur_describe_open(char text[DUR_SHOWN_MAX], const struct interval *v);

/* span.c: returns true if these tags of two lines say that they are of different threads. */
bool dur_are_strangers(struct slice one, struct slice other);

/* interval.c: begins a new interval with the line.  Returns NULL when memory runs out. */
struct interval *dur_begin(struct duration *d, const struct dur_line *line);

/*
 * Processes another start line of the open interval v.  The line has further values for v, or it is
 * an error.
 */
int dur_start_again(struct duration *d, const struct dur_line *line, struct interval *v,
    struct err *e);

/*
 * Returns how long the run was paused from the start of v until now, or 0 unless pauses are
 * deducted.
 */
struct wide dur_paused(struct duration *d, const struct dur_line *line, const struct interval *v);

/* Notes a pause of the line's run, from START to the line's time, for pauses_within. */
void dur_note_pause(struct duration *d, const struct dur_line *line, struct wide start);

/* Ends v, which has stopped.  Values that come at the same time are still accepted. */
int dur_end(struct duration *d, const struct dur_line *line, struct interval *v, struct err *e);

/*
 * Forgets the regions and intervals of the run that have ended and for which nothing more will
 * come.
 */
void dur_forget_ended(struct duration *d, struct dur_run *run);

/* duration.c */
/* Returns whether the line names a region neither by an id nor by a label. */
bool dur_is_anonymous(const struct dur_line *line);
/*
 * Records that the line is the first one of the start or stop of v.  Returns false when memory runs
 * out.
 */
bool dur_group_begin(struct duration *d, const struct dur_line *line, struct interval *v)
    __attribute__((warn_unused_result));

/* Returns whether stops may wait for others at their time. */
bool dur_may_wait(const struct duration *d);

/* Lets the line wait, which stops v. */
int dur_wait(struct duration *d, const struct dur_line *line, struct interval *v, struct err *e);

/* region.c */
int dur_region_start(struct duration *d, const struct dur_line *line, struct err *e);
int dur_region_stop(struct duration *d, const struct dur_line *line, struct err *e);

/* Returns whether the line has a measure. */
static inline bool
dur_has_measure(const struct dur_line *line)
{
	return !slice_is_nothing(line->ev->col[EV_MEASURE]);
}

/* snap.c: for starts and stops, d->what has already been set. */
/* Sets d->what to the subject of the measurement.  Returns false when memory runs out. */
bool dur_snap_what(struct duration *d, const struct dur_line *line)
    __attribute__((warn_unused_result));
/*
 * Stores the value of a start line.  Returns false when memory runs out, like the next functions.
 */
bool dur_snap_start(struct duration *d, const struct dur_line *line, struct interval *v);
/* Processes the value of a stop line, or of a sample at the time of the stop. */
bool dur_snap_stop(struct duration *d, const struct dur_line *line, struct interval *v);
/* Processes samples that came before the stop line but have the same time. */
bool dur_snap_samples(struct duration *d, const struct dur_line *line, struct interval *v);
/* Processes a sample, whose value may belong to a start or to a stop. */
bool dur_snap_sample(struct duration *d, const struct dur_line *line);
/* Returns whether v, which has ended, is waiting for the measure of the line. */
bool dur_snap_waits(const struct duration *d, const struct dur_line *line, struct interval *v);
/* Returns whether that measure has already come. */
bool dur_snap_is_done(const struct duration *d, struct interval *v);
/* Returns whether the line has one more value of the start of v. */
bool dur_snap_is_more(const struct duration *d, const struct dur_line *line, struct interval *v);
/* Counts the values of the start of v that have no delta, when v gets no more values. */
void dur_snap_drop(struct duration *d, struct interval *v);

/* span.c: these functions use the time of the line. */
void dur_span(struct duration *d, const struct dur_line *line, const struct interval *v,
    enum dur_measure which, struct wide elapsed, struct wide paused);
/*
 * Leaves a union only those of its tags that these, of a start of the section, contain.  Returns
 * false when memory runs out.
 */
bool dur_keep_shared(struct interval *u, struct slice tags) __attribute__((warn_unused_result));
/* WHAT is as in struct snap.  Removes and returns its first part. */
struct slice dur_next_part(struct slice *what);
/* Returns false when memory runs out. */
bool dur_span_delta(struct duration *d, const struct dur_line *line, const struct interval *v,
    struct slice what, struct slice value);

#endif
