/* SPDX-License-Identifier: ISC */
/*
 * window.h - an interval of time, from one moment up to but not including another, and the lines in
 * it.
 *
 * Each run has a clock of its own, so a moment that is not a number of nanoseconds is a different
 * time in each run.
 */
#ifndef AFPIPE_SELECT_WINDOW_H
#define AFPIPE_SELECT_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/tab.h"
#include "lib/wide.h"

enum moment_type {
	MOMENT_OPEN, /* no limit */
	MOMENT_TIME, /* nanoseconds of the run's clock */
	MOMENT_AFTER, /* nanoseconds after the run's first event; after a date: see window_set */
	MOMENT_PERCENT, /* of the time from the run's first event to its last one */
	MOMENT_DATE, /* the time of day */
};

struct date {
	int64_t sec; /* since 1970 */
	uint32_t nsec;
};

struct moment {
	enum moment_type type;
	bool unitless; /* nanoseconds, because no unit was given, and not 0 */
	struct slice text; /* as it was given; borrowed */
	struct wide ns;
	uint64_t percent; /* in units of 10^-9 percent */
	struct date date;
};

/* Whether the time of day of a run is known, and if not, why. */
enum window_dated {
	WINDOW_NO_RUN,
	WINDOW_NO_WALL,
	WINDOW_BAD_WALL,
	WINDOW_BAD_TIME,
	WINDOW_DATED /* at and date are set */
};

/* The clock of a run, as far as it is known. */
struct clock {
	struct wide first, last; /* times of its events */
	struct wide from, to;
	struct wide at; /* the time at which it was DATE */
	struct date date;
	bool timed; /* first and last are set */
	enum window_dated dated;
	bool ready, refused; /* from and to are set; they cannot be, which has been reported */
};

/* { 0 } is a window without limits. */
struct window {
	struct moment from, to;
	bool given;
	struct tab runs;
	struct clock *clock; /* by run */
	size_t cap, last;
	struct clock every; /* if all runs have the same limits */
	uint64_t early; /* lines before the first line of their run */
	struct wide least, most; /* times of all events */
	bool timed; /* these are set */
};

void window_free(struct window *w);

/*
 * Sets the limits from "FROM,TO", which is borrowed.  Either may be empty.  If FROM is a date, +N
 * as TO is that long after it.  Returns ERR_DATA for an invalid text, or if no time can be between
 * them.
 */
int window_set(struct window *w, const char *text, struct err *e)
    __attribute__((warn_unused_result));

/* Returns true if the text is a moment, such as 5s, +5s, 5% or a date. */
bool window_is_moment(struct slice s);

/* Returns true if all events must be passed to window_foresee before the first line is tested. */
bool window_looks_ahead(const struct window *w);

/* These two return ERR_SYS if memory runs out.  Other errors are left to window_place. */
int window_foresee(struct window *w, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));
/* Stores the time of day if the line is of kind run.  Otherwise does nothing. */
int window_run(struct window *w, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

enum window_place { WINDOW_INSIDE, WINDOW_OUTSIDE, WINDOW_UNTIMED };

/*
 * Stores the place of an event.  Every event must be passed, even if it will not be kept, because
 * it may be the first of its run.  Returns ERR_DATA, with the line as its place, if the time is not
 * a number or, once for each run, if the time of day is not known.
 */
int window_place(struct window *w, const struct ev *ev, enum window_place *place, struct err *e)
    __attribute__((warn_unused_result));

/* Writes nanoseconds as seconds, without the digits after microseconds. */
#define WINDOW_SECONDS_MAX (WIDE_DIGITS + 32)
void window_spell_seconds(char text[WINDOW_SECONDS_MAX], struct wide ns);

/*
 * For a selection without a line that has left out some event for its time: writes the times that
 * events have, and how limits are written, if the limits are times.  Returns false if there is
 * nothing to say.
 */
bool window_explain(const struct window *w, char *text, size_t size);

/*
 * For a window from a time on that all events are after, as they are after 5s if the clock counts
 * from when the machine was started: writes that.  Returns false for any other.
 */
bool window_cuts_nothing(const struct window *w, char *text, size_t size);

#endif
