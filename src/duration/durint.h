/* SPDX-License-Identifier: ISC */
/* durint.h - what the parts of duration.h share. */
#ifndef AFPIPE_DURINT_H
#define AFPIPE_DURINT_H

#include "lib/tab.h"
#include "lib/units.h"
#include "src/duration/duration.h"
#include "src/duration/open.h"
#include "src/duration/pauses.h"

/* What is measured here. */
enum dur_measure { DUR_INCLUSIVE, DUR_SELF, DUR_UNION, DUR_MEASURES };

/* What the input has once and many lines repeat; without limits it could fill the disk. */
#define DUR_STACK_MAX ((size_t)64 * 1024) /* a stack; of a delta also its label and its tags */
#define DUR_PARENT_MAX ((size_t)4096)

/* Limits; what exceeds them is left out and counted. */
enum dur_limit {
	DUR_MANY_VALUES, /* measures of one interval */
	DUR_LONG_PARENT, /* DUR_PARENT_MAX */
	DUR_LONG_DELTA, /* DUR_STACK_MAX, the label or the tags of a delta */
	DUR_LIMITS
};

/* The last start or stop: more lines of it may come directly after it. */
struct dur_group {
	struct interval *v; /* open: its start; else its stop.  NULL: no more can come */
	uint64_t *what; /* hashes of what its lines have measured so far */
	size_t n, cap; /* n is 0 where its first line had no measure */
};

struct dur_run {
	struct wide now; /* of the last start or stop */
	bool defined[DUR_MEASURES]; /* its measure line is written */
	struct interval *top, *bottom; /* the innermost open region, and the outermost */
	size_t regions; /* open */
	struct interval *fresh; /* the outermost of those that began at now */
	size_t nfresh;
	struct interval *waiting; /* ended at now, values may still come */
	struct buf stack; /* labels of the outermost open regions, as a list, */
	struct interval **spelled; /* and which these are; see stack.c */
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
	struct slice scope, id, interval, start, mid, unit, type; /* tags; empty where not there */
	struct slice utc; /* the same: its time of day */
	struct slice others; /* its other tags, TABs before each */
};

/* A list of labels; empty where the last of them alone is too long. */
struct dur_stack {
	struct slice text;
	size_t cut; /* how many labels it lacks */
};

struct duration {
	struct evwrite *w;
	size_t max_stack; /* labels */
	struct dur_stack stack; /* of the region that stops */
	struct buf cut; /* its text where it was cut */
	unsigned flags;
	struct tab runs;
	struct dur_run *run; /* by number */
	size_t runs_cap;
	struct slice last_run; /* as the table has it */
	uint32_t last;
	struct open open;
	uint64_t starts;
	uint64_t lines; /* that were looked at so far, the one at hand included */
	struct buf others; /* of the line at hand */
	struct buf tags; /* others of a start, and of a line: of which ones */
	uint64_t tags_start, tags_line;
	struct buf what; /* as in struct snap: what the line at hand measures */
	struct buf value;
	struct units units; /* what the measure lines say */
	struct tab deltas; /* measures whose growth is defined: run and what */
	struct buf measure, key; /* of such a one */
	struct interval **unfinished;
	size_t nunfinished;
	size_t stacks_kept; /* bytes, of intervals that have ended */
	uint64_t lone, texts; /* values left out: without the other end, and no numbers */
	uint64_t exceeded[DUR_LIMITS]; /* what was left out, by limit */
};

static inline void
dur_exceed(struct duration *d, enum dur_limit which)
{
	d->exceeded[which]++;
	d->w->count[MARK_LEFT_OUT]++;
}

/* words.c.  ERR_DATA for a scope that is not known. */
int dur_words(struct duration *d, const struct ev *ev, struct dur_line *line, struct err *e);

/* A time of the line; WHAT is its name in the message. */
int dur_time(struct slice text, const char *what, struct wide *t, struct err *e);

#define DUR_SHOWN_MAX 160

/* The scope of what is of that enum open_kind. */
const char *dur_scope(unsigned kind);

/* The name, for messages, of what the line or the interval is of. */
const char *dur_describe(char text[DUR_SHOWN_MAX], const struct dur_line *line);
const char *dur_describe_open(char text[DUR_SHOWN_MAX], const struct interval *v);

/* interval.c: a new interval begins with the line; NULL when there is no memory. */
struct interval *dur_begin(struct duration *d, const struct dur_line *line);

/* A start of v, which is open: more of its values, or an error. */
int dur_start_again(struct duration *d, const struct dur_line *line, struct interval *v,
    struct err *e);

/* How long the run was paused from the start of v until now; nothing unless that is deducted. */
static inline struct wide
dur_paused(struct duration *d, const struct dur_line *line, const struct interval *v)
{
	if ((d->flags & DURATION_DEDUCT) == 0)
		return (struct wide){ 0, 0 };
	return wide_sub(pauses_until(&d->run[line->run].pauses, line->time), v->paused);
}

/* It has stopped: values that come at the same time are still taken. */
int dur_end(struct duration *d, const struct dur_line *line, struct interval *v, struct err *e);

/* Nothing more comes for what has ended in the run. */
void dur_forget_ended(struct duration *d, struct dur_run *run);

/* group.c */
/* Does the line name a region neither by an id nor by a label? */
bool dur_is_anonymous(const struct dur_line *line);
/* Did the stop of v, which has ended, name it as the line does, with the same id and interval? */
bool dur_stopped_so(const struct interval *v, const struct dur_line *line);
/*
 * To d->what: what the line measures, if anything.  *v: what the line is one more line of, at its
 * start or stop, or NULL.  ERR_SYS: no memory.
 */
int dur_group_take(struct duration *d, const struct dur_line *line, struct interval **v);
/* Has the line's measure been among those of the last start or stop, which is v's? */
bool dur_group_has(const struct duration *d, const struct dur_line *line, const struct interval *v);
/* The line is the first one of v's start or stop.  False when there is no memory. */
bool dur_group_begin(struct duration *d, const struct dur_line *line, struct interval *v)
    __attribute__((warn_unused_result));

/* region.c and section.c: the line of that kind. */
int dur_region_start(struct duration *d, const struct dur_line *line, struct err *e);
int dur_region_stop(struct duration *d, const struct dur_line *line, struct err *e);
int dur_section_start(struct duration *d, const struct dur_line *line, struct err *e);
int dur_section_stop(struct duration *d, const struct dur_line *line, struct err *e);

/* stack.c */
/* To d->stack: that of an open region whose depth is known.  False when there is no memory. */
bool dur_stack(struct duration *d, const struct interval *v) __attribute__((warn_unused_result));
/* The region is on top of all others now; so are those that follow on a call of dur_unspell. */
bool dur_spell_top(struct duration *d, struct interval *v) __attribute__((warn_unused_result));
/* From this region on inwards, the order of the open regions changes. */
void dur_unspell(struct dur_run *run, const struct interval *v);

/* Does the line measure anything? */
static inline bool
dur_has_measure(const struct dur_line *line)
{
	return !slice_is_nothing(line->ev->col[EV_MEASURE]);
}

/* snap.c: of starts and stops what is measured is in d->what already. */
/* What is measured, to d->what.  False when there is no memory. */
bool dur_snap_what(struct duration *d, const struct dur_line *line)
    __attribute__((warn_unused_result));
/* The value of a start line.  False when there is no memory. */
bool dur_snap_start(struct duration *d, const struct dur_line *line, struct interval *v);
/* The value of a stop line, or of a sample at the time of the stop. */
bool dur_snap_stop(struct duration *d, const struct dur_line *line, struct interval *v);
/* Samples that came before the stop and at its time. */
bool dur_snap_samples(struct duration *d, const struct dur_line *line, struct interval *v);
/* The sample's value may be that of a start or of a stop. */
bool dur_snap_sample(struct duration *d, const struct dur_line *line);
/* Does v, which has ended, wait for the line's measure? */
bool dur_snap_waits(const struct duration *d, const struct dur_line *line, struct interval *v);
/* Has it had that already? */
bool dur_snap_is_done(const struct duration *d, struct interval *v);
/* Is the line one more value of the start of v? */
bool dur_snap_is_more(const struct duration *d, const struct dur_line *line, struct interval *v);
/* v will have no more values: counts those that lack one. */
void dur_snap_drop(struct duration *d, struct interval *v);

/* span.c: all at the time of the line. */
void dur_span(struct duration *d, const struct dur_line *line, const struct interval *v,
    enum dur_measure which, struct wide elapsed, struct wide paused);
/* what: as in struct snap */
/* False when there is no memory. */
bool dur_span_delta(struct duration *d, const struct dur_line *line, const struct interval *v,
    struct slice what, struct slice value);

#endif
