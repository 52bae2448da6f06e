/* SPDX-License-Identifier: ISC */
/*
 * select.h - chooses lines of a stream by kind, time and conditions.
 *
 *	s = select_new();
 *	select_kinds(s, "sample,span", &e), select_time(s, "+1s,+2s", &e),
 *	    select_where(s, EXPR_AND, "comm=postgres && cpu<4", &e) ...		settings
 *	select_ready(s);
 *	if (select_looks_ahead(s)) for each line: select_foresee(s, &ev, &e);
 *	for each line: select_line(s, &ev, &keep, &e);
 *	while (select_rest(s, &at, &rest)) report it
 *	select_free(s);
 */
#ifndef AFPIPE_SELECT_SELECT_H
#define AFPIPE_SELECT_SELECT_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/evwrite.h"
#include "lib/marks.h"
#include "src/select/expr.h"
#include "src/select/frames.h"

struct select;

/* Returns NULL if memory runs out. */
struct select *select_new(void);
void select_free(struct select *s);

/*
 * Settings.  Each returns ERR_DATA for an invalid text, or ERR_SYS if memory runs out.  Without
 * kinds, all lines that are events are tested, and all others are kept (lib/kinds.h).  The text of
 * select_time is borrowed.
 */
int select_kinds(struct select *s, const char *list, struct err *e)
    __attribute__((warn_unused_result));
int select_time(struct select *s, const char *window, struct err *e)
    __attribute__((warn_unused_result));
/* Adds conditions (src/select/expr.h), joined to those before. */
int select_where(struct select *s, enum expr_join join, const char *text, struct err *e)
    __attribute__((warn_unused_result));
/* Chooses the samples of a measure: sets the kind, and adds a condition. */
int select_measure(struct select *s, const char *name, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Chooses frames: select_write then writes lines of events with these alone (src/select/frames.h).
 * Fails like select_where.
 */
int select_frames(struct select *s, enum frames_which which, const char *regex, struct err *e)
    __attribute__((warn_unused_result));
bool select_has_frames(const struct select *s);

/*
 * The lines that are kept are passed on as a stream, so those about a run are left out if no event
 * of it can match.  select_rest reports it if only some starts and stops of a run are among them,
 * since durations are computed from all, or only some results of a measure, since percentages are.
 */
void select_passes_on(struct select *s);

/* Call it after the settings. */
void select_ready(struct select *s);

/* Returns true if lines of single events are among those tested. */
bool select_tests_events(const struct select *s);

/* Passes on the columns and tags that the conditions read. */
void select_reads(const struct select *s, ev_key_sink *sink, void *ctx);

/* Passes on the columns and tags that the conditions name, even tags that lines may lack. */
void select_names(const struct select *s, ev_key_sink *sink, void *ctx);

/* Returns true if all lines must be passed to select_foresee first. */
bool select_looks_ahead(const struct select *s);
int select_foresee(struct select *s, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Stores whether a line is kept.  Returns ERR_DATA, with the line as its place, for a line that
 * cannot be tested, which is not kept.  Returns ERR_SYS if memory runs out.
 */
int select_line(struct select *s, const struct ev *ev, bool *keep, struct err *e)
    __attribute__((warn_unused_result));

/* Writes a line that is kept, after select_line.  Fails only if memory runs out. */
int select_write(struct select *s, const struct ev *ev, struct evwrite *w, struct err *e)
    __attribute__((warn_unused_result));

/*
 * After select_passes_on: returns how many events were lost or incomplete in runs whose lines were
 * left out.  The end marks of the input count them.
 */
uint64_t select_rejected(const struct select *s, enum mark_count which);

/*
 * Stores the next item to report after the last line: errors (keys that no line has), doubts
 * (ERR_DOUBT) and notes, which have the code ERR_NONE.  *at is 0 at first.  Returns false when
 * there is nothing more.
 */
bool select_rest(const struct select *s, size_t *at, struct err *e);

#endif
