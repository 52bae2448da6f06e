/* SPDX-License-Identifier: ISC */
/*
 * grouping.h - the keys that divide lines into groups, and their texts on each line.
 *
 * A key is a column, a tag, or a text that is computed from the line:
 *
 *	frame		each function of the stack, once; the line is then in several groups
 *	leaf caller root	the innermost function, the one that called it, the outermost one
 *	caller:NAME caller~REGEX	the caller of a function anywhere in the stack, or of those
 *	callee:NAME callee~REGEX	that match, or its callee (neighbour.h); the tag is caller
 *				or callee
 *	stack:N stack:-N	the N outermost or innermost functions, as a list; the tag is stack
 *	pcomm		the tag pcomm, or else comm if the line's thread is the first of its process
 *	kind time value	the column or, if a result has it, the tag of that name
 *	window		the start of the time window; of several if windows overlap; a time of the
 *			run's clock, or since the run began
 *
 * If a line has a tag with the name of a computed key, as the results of afagg do, the tag is used,
 * but not for those with a NAME, a REGEX or an N.  A line without that function is left out.
 */
#ifndef AFPIPE_AGGREGATE_GROUPING_H
#define AFPIPE_AGGREGATE_GROUPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/err.h"
#include "lib/esc.h"
#include "lib/ev.h"
#include "lib/keys.h"
#include "lib/slice.h"
#include "lib/tab.h"
#include "src/aggregate/neighbour.h"

#define GROUPING_KEYS_MAX 64
#define GROUPING_TAGS_MAX (GROUPING_KEYS_MAX + 32)
#define GROUPING_NONE ((size_t)-1)

enum key_source {
	KEY_PLACE, /* a column or a tag */
	KEY_TAGGED, /* a column, or on results the tag of that name */
	KEY_PCOMM,
	KEY_FRAME,
	KEY_LEAF,
	KEY_CALLER,
	KEY_ROOT,
	KEY_NEIGHBOUR,
	KEY_STACK,
	KEY_WINDOW,
};

struct key {
	struct slice name; /* as the user spelled it, but escaped and without '?' */
	struct slice tag; /* its name as a tag of the results */
	enum ev_column column; /* that has this name, or EV_COLUMNS */
	enum key_source source;
	int depth; /* of KEY_STACK: N */
	struct neighbour *neighbour; /* of KEY_NEIGHBOUR */
	bool optional; /* KEY? */
	bool recorded; /* some line has a text other than ".", or the function of KEY_NEIGHBOUR */
	bool zeros; /* its texts are values, not a part of the context (src/aggregate/zeros.h) */
};

/* Windows of SIZE nanoseconds begin at FROM, FROM + STEP, FROM - STEP ... */
struct time_window {
	uint64_t size, step, from; /* size is 0 if there are no windows */
	bool from_first; /* times count from the first line of their run; from is 0 */
};

/* The places of a line: 0 to EV_COLUMNS - 1 are its columns, and later ones are tags. */
struct grouping {
	size_t nkeys;
	struct key key[GROUPING_KEYS_MAX];
	size_t place[GROUPING_KEYS_MAX]; /* of each key; see grouping_text */
	struct time_window window;
	struct keys wanted; /* the keys that some line must have */
	bool unrecorded; /* some key has not been recorded yet */
	size_t frame, windowed; /* indices of those keys, or GROUPING_NONE */
	uint64_t stackless; /* lines without a stack, if a key is computed from it */
	uint64_t left_out; /* lines without the function of a key */
	/* Internal. */
	struct tab names; /* owns the spelling of keys */
	struct ev_keys tags; /* at most GROUPING_TAGS_MAX; those without a name are own places */
	size_t stack, comm, pid, tid; /* places, if a key is computed from them */
	bool computes;
	struct tab runs; /* for from_first: the runs, and by number the time at which they begin */
	uint64_t *run_from;
	size_t runs_cap;
	struct buf text[GROUPING_KEYS_MAX];
};

/* A text that stands for "the line has no such tag".  Compare the pointer. */
extern const char grouping_nothing[];

void grouping_free(struct grouping *g);

/*
 * Sets the keys from a list separated by commas.  Returns ERR_DATA for an empty, repeated or
 * impossible key.
 */
int grouping_set_keys(struct grouping *g, const char *list, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Sets the windows from SIZE or SIZE/STEP, such as "100ms" or "1s/100ms", and the time at which one
 * begins, which may be "first".  Returns ERR_DATA for an invalid duration, or if STEP does not
 * divide SIZE or there would be more than GROUPING_OVERLAP_MAX windows at a time.
 */
#define GROUPING_OVERLAP_MAX 10000
int grouping_set_window(struct grouping *g, const char *text, struct err *e)
    __attribute__((warn_unused_result));
int grouping_set_from(struct grouping *g, const char *text, struct err *e)
    __attribute__((warn_unused_result));

/* Passes on the tags that the keys are read from, save optional ones of the line itself. */
void grouping_reads(const struct grouping *g, ev_key_sink *sink, void *ctx);

/* Returns true if a key has that tag. */
bool grouping_has(const struct grouping *g, struct slice tag);

/* Returns the index of the key that the user spelled so, or that has that tag, or GROUPING_NONE. */
size_t grouping_find_key(const struct grouping *g, struct slice name);

/*
 * Stores the escaped form of a word in a table, which owns it.  Returns ERR_DATA if the word is
 * empty, or if it is there already; *out is then set, too.
 */
int grouping_intern(struct tab *tab, struct slice word, enum esc_as as, struct slice *out,
    struct err *e) __attribute__((warn_unused_result));

/* Returns the place of a column or tag.  From now on, lines are searched for the tag. */
size_t grouping_place(struct grouping *g, struct slice name);

/* Returns a place of its own, whose text is "." unless it is replaced. */
size_t grouping_own_place(struct grouping *g);

/*
 * Adds an optional key, even one of the tags that users cannot name.  Call it before
 * grouping_ready_for_events, and only if there are less than GROUPING_KEYS_MAX keys.
 */
void grouping_add_tag(struct grouping *g, struct slice name);

/*
 * Finds the places of the keys.  Call one of these once after the settings: for events, for lines
 * of which some are results, or for the results that part lines repeat.  Of results, only the
 * columns run, region and measure are keys; the others are in tags.  They return false if memory
 * runs out.
 */
bool grouping_ready_for_events(struct grouping *g) __attribute__((warn_unused_result));
bool grouping_ready_for_mixed(struct grouping *g) __attribute__((warn_unused_result));
bool grouping_ready_for_results(struct grouping *g) __attribute__((warn_unused_result));

/* Finds all tags in one pass over the line.  tag has room for GROUPING_TAGS_MAX. */
void grouping_find_tags(const struct grouping *g, const struct ev *ev, struct slice *tag);

/* Returns the text at a place of the line: a column, or one of the tags found. */
static inline struct slice
grouping_text(const struct ev *ev, const struct slice *tag, size_t place)
{
	return place < EV_COLUMNS ? ev->col[place] : tag[place - EV_COLUMNS];
}

/*
 * Computes the texts of the computed keys and stores them in tag, except for frame and window,
 * which may have several: see grouping_next_window and ev_next_element.  *left_out is set, and the
 * line counted, if it does not have the function of a key.  Fails only if memory runs out.
 */
int grouping_compute(struct grouping *g, const struct ev *ev, struct slice *tag, bool *left_out,
    struct err *e) __attribute__((warn_unused_result));

/* Updates what is known about the keys.  Only needed if grouping_is_settled returns false. */
void grouping_see(struct grouping *g, const struct ev *ev, const struct slice *tag);

static inline bool
grouping_is_settled(const struct grouping *g)
{
	return !g->unrecorded && keys_done(&g->wanted);
}

/*
 * The windows of a line: they begin AGO nanoseconds before TIME, AGO + STEP ..., below SIZE.  TIME
 * is a time of the run's clock, or since its run began, or until that if BEFORE is set.
 */
struct windows {
	uint64_t time, ago, step, size;
	bool untimed, before;
};

/* In groups, the text of a window sorts by time: the number of digits comes first, as a letter. */
#define GROUPING_WINDOW_MAX 24

/*
 * Notes when a run began, if this is a run line and the times of windows count from there.  Returns
 * ERR_SYS if memory runs out.
 */
int grouping_see_run(struct grouping *g, const struct ev *ev, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Finds the windows of the line.  Returns ERR_DATA if its time is too large.  grouping_next_window
 * then returns the text of each window, in text or static, and false at the end.  A line without a
 * time is in one window, whose text is "."; but a result without one, as of --zeros, is in those of
 * the window that it is of, or ERR_DATA is returned if that does not tell which these are.
 */
int grouping_windows(struct grouping *g, const struct ev *ev, struct windows *w, struct err *e)
    __attribute__((warn_unused_result));
bool grouping_next_window(struct windows *w, char text[GROUPING_WINDOW_MAX], struct slice *out);

/*
 * Returns whether the oldest of the windows ends up to TIME, which is not 0.  Call it before
 * grouping_next_window.
 */
bool grouping_windows_ended(const struct windows *w, uint64_t time);

/*
 * Returns whether the window of that text, as in groups, ends after FROM and up to UPTO.  One that
 * ends at 0 or before does if FROM is 0 and UPTO is not.
 */
bool grouping_window_ends(const struct grouping *g, struct slice text, uint64_t from,
    uint64_t upto);

/* Return such a text as the results show it (-?[0-9]+ or "."), and back (false: it is neither). */
struct slice grouping_window_shown(struct slice text, char room[GROUPING_WINDOW_MAX]);
bool grouping_window_read(struct slice shown, char room[GROUPING_WINDOW_MAX], struct slice *text)
    __attribute__((warn_unused_result));

/*
 * Describes the next key that the lines have, but that is "." on all of them, for a note.  *at is 0
 * at first.  Returns false at the end.
 */
bool grouping_note(const struct grouping *g, size_t *at, char *text, size_t size);

/*
 * Describes the next key whose function no line has had.  *at is 0 at first.  Returns ERR_DATA, or
 * 0 at the end.
 */
int grouping_missing(const struct grouping *g, size_t *at, struct err *e)
    __attribute__((warn_unused_result));

/* Writes which function the lines that are left out lack, for a note; of several, the first. */
struct slice grouping_lacking(const struct grouping *g, char *room, size_t size);

#endif
