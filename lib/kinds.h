/* SPDX-License-Identifier: ISC */
/* kinds.h - the kinds of lines in afstream(5), and how programs treat them. */
#ifndef AFPIPE_KINDS_H
#define AFPIPE_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/slice.h"
#include "lib/tab.h"

struct kind {
	const char *name;
	bool outlives; /* an aggregation passes it on; all other kinds describe single events */
	bool about; /* it describes what other lines refer to, so nobody misses it as a line */
	bool stays; /* it changes the durations of other lines, so a selection keeps it */
	bool result; /* it is about many events, with the time of the last one */
};

/*
 * All kinds; the last entry has no name.  A kind that is missing here is passed on as unknown, so
 * afagg would repeat single events that it has already counted.
 */
extern const struct kind kinds[];

/* The error of a program that cannot use lines of kind part. */
#define KINDS_PARTS "the input has partial results; merge them with afagg first"

/* The error of a program whose output would be empty, since it can use none of the lines. */
#define KINDS_NOTHING "there is nothing to write: all lines were left out"

/*
 * The error of a program that needs lines in order of time, for a run that several run lines
 * describe: a format for the run's id, as for %.*s, and for a uint64_t, the lines left out.
 */
#define KINDS_MIXED \
	"several runs have the id %.*s, so lines were left out: %" PRIu64 \
	" (give each run its own id: see \"Runs with the same id\" in afpipe-cookbook(7))"

/* Returns NULL for a kind not listed in afstream(5).  Programs pass such lines on unchanged. */
const struct kind *kind_named(struct slice name);

/* Returns true if lines of that kind are single events.  Unknown kinds are not. */
bool kind_is_event(struct slice name);

/* Returns true if lines of that kind are results: aggregates, partial ones too, and changes. */
bool kind_is_result(struct slice name);

/*
 * Returns true if there are no kinds, which means those of events, or some are of single events.
 * Only the lines of these lack the tags that a decoder has left out (--tags).
 */
bool kinds_have_events(const struct slice *kind, size_t n);

/* Returns true if lines of that kind say which events are missing, or not complete. */
bool kind_tells_loss(struct slice name);

/*
 * Returns true if a line of kind lost tells of losses that no line before it has counted, and
 * stores their number, or 0 if it is not known.  What a filter has dropped, as requested, is no
 * loss.
 */
bool kinds_loss(const struct ev *ev, uint64_t *n);

/* Returns how many of the losses of a line other lines have counted before it (again=). */
uint64_t kinds_counted_again(const struct ev *ev);

/* Returns true if lines of that kind describe what others refer to: they are dropped silently. */
bool kind_is_about(struct slice name);

/*
 * The lines that a program leaves out, counted by kind.  { 0 } is empty.  Kinds beyond the first
 * KINDS_LEFT are counted together, as are those that there is no memory for.
 */
#define KINDS_LEFT ((size_t)96)
struct kinds_left {
	struct tab kinds;
	uint64_t n[KINDS_LEFT + 1]; /* the last one is that of all further kinds */
	uint64_t large; /* resources, see kinds_leave_line */
};

void kinds_left_free(struct kinds_left *k);
void kinds_leave(struct kinds_left *k, struct slice kind, uint64_t lines);

/*
 * Counts one line.  A resource that is too large for a line (ev_is_large_resource) is counted as
 * such, too, since its lines are of a kind that is not in the note.
 */
void kinds_leave_line(struct kinds_left *k, const struct ev *ev);

/* Keeps a kind out of kinds_left_note, because the program reports its lines in other words. */
void kinds_left_told(struct kinds_left *k, struct slice kind);

/*
 * Puts a sentence such as "left out lines of other kinds: 12 mmap, 3 comm" into text, with what for
 * "other kinds", and without kinds that are told or describe others (kind_is_about).  Returns false
 * if there are none; text is of no use then.  size is at least 120 more than the length of what;
 * long names are cut, and a long list ends with dots.  What to do with starts follows a short one.
 */
bool kinds_left_note(const struct kinds_left *k, const char *what, char *text, size_t size);

/* Puts the names of all kinds into text, "a, b", as far as there is room.  "" if there are none. */
void kinds_left_names(const struct kinds_left *k, char *text, size_t size);

/*
 * For a program that counts the lines it has taken: puts such a list after the words BEGUN and a
 * colon into text, if the lines are of several kinds.
 */
bool kinds_several_note(const struct kinds_left *k, const char *begun, char *text, size_t size);

/* Returns true if lines of that kind were left out. */
bool kinds_left_has(const struct kinds_left *k, struct slice kind);

/*
 * For a program that adds up events and has taken none: returns ERR_DATA if it left out results,
 * with what to do with aggregates, and else 0.
 */
int kinds_left_results(const struct kinds_left *k, const char *advice, struct err *e)
    __attribute__((warn_unused_result));

#endif
