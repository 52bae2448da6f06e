/* SPDX-License-Identifier: ISC */
/*
 * run.h - one recording as a run of the stream: its id, the lines that all others refer to, and the
 * data needed for every line.
 */
#ifndef AFPIPE_PERFDATA_RUN_H
#define AFPIPE_PERFDATA_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/evwrite.h"
#include "lib/slice.h"
#include "lib/tab.h"
#include "src/perfdata/attr/attr.h"
#include "src/perfdata/input/input.h"
#include "src/perfdata/options.h"
#include "src/perfdata/state/state.h"

/* The letters of modes, in the order of enum cpumode.  MODE_UNKNOWN has no letter of its own. */
#define MODE_LETTERS "?kuhgG"

/* Data from the header about the whole recording: escaped, empty if not given. */
struct origin {
	struct buf host, os, version, arch, cmdline;
	uint32_t cpus; /* number of available ones; 0: not known */
	bool has_clock; /* CLOCK_DATA: wall clock and event clock at the same moment */
	uint64_t wall_ns, clock_ns;
};

/* Everything up to state is borrowed.  Lines go to w, whose failure is checked once per record. */
struct run {
	struct evwrite *w;
	const struct perf_options *opt;
	struct input *input;
	struct events *events;
	struct state *state;
	struct origin origin;
	bool known; /* the id is known, and the run line has been written */
	bool counting; /* there are counters of perf stat record */
	bool counted; /* there are lines with the values of counters */
	bool late; /* the current record is older than records already printed */
	bool first_seen;
	uint64_t first_time; /* of the first record with a time */
	struct buf id; /* as a column; until it is known, a placeholder of the same length */
	struct buf column; /* the id between two TABs */
	struct buf tags; /* those added to events, if the host is one of them */
	uint64_t shift; /* what is added to times, or 0 */
	bool timeless; /* times are not printed, because the time of day is not known */
	struct tab names; /* of events whose measure lines have been written */
	uint32_t *named; /* by number of name: the first event with it */
	size_t named_cap;
};

/*
 * Holds further lines in memory, with a placeholder for the id.  The borrowed members of *r must be
 * set.
 */
void run_hold(struct run *r);
/* After a failure: drops the lines held, and holds no more. */
void run_drop(struct run *r);
void run_free(struct run *r);

/* Adds the host to the tags of events, if wanted.  It is called again when the host is known. */
void run_tag_host(struct run *r);

/* Writes a time as the second column of a line. */
void run_put_time(struct run *r, uint64_t time);

/* The first sample, from which the id is made.  Missing values are 0. */
struct first_sample {
	uint64_t time, ip;
	uint32_t pid, tid, cpu;
};

/*
 * Makes the id, writes the run line and the events' lines, and releases the held lines, unless that
 * has been done already.  first is NULL if not even a time is known.
 */
void run_begin(struct run *r, const struct first_sample *first);
/* Does the same for a counter that becomes a sample.  All of T may be 0. */
void run_begin_counter(struct run *r, const struct trailer *t, uint64_t count);
/* Does the same without a sample: the id is made from the time of the first record that has one. */
void run_begin_without_sample(struct run *r);
/* Begins the run without a sample if too many lines are held. */
void run_hold_less(struct run *r);

/*
 * Writes the measure line of an event, unless the run has not begun: then run_begin writes it.
 */
void run_put_measure(struct run *r, struct event *event);

/* Notes that events have the same name, since their values would be added up. */
void run_note_same_names(const struct run *r);

/*
 * Writes the number of the event as a tag, if another one has the same name, and its unit, if
 * theirs are not the same: the measure line of a name tells only one.
 */
void run_put_number(struct run *r, const struct event *event);

/* Writes the columns and the first four tags of a line.  value is NULL for none. */
void run_put_head(struct run *r, struct slice kind, const struct trailer *t, struct slice measure,
    const uint64_t *value);
/* Writes the last tag and ends the line. */
void run_put_end(struct run *r);

#endif
