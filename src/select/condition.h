/* SPDX-License-Identifier: ISC */
/*
 * condition.h - one condition, KEY OPERATOR VALUE, and whether it holds for a line.
 *
 * A tag that a line does not have counts as ".", the empty text, which is not a number.  Two keys
 * are computed as in afagg: "frame" is any frame of the stack or, in results grouped by frame, the
 * group's frame; "pcomm" is the tag pcomm, or else comm if the line's thread is the first of its
 * process.
 */
#ifndef AFPIPE_SELECT_CONDITION_H
#define AFPIPE_SELECT_CONDITION_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/err.h"
#include "lib/ev.h"
#include "lib/pattern.h"
#include "lib/tab.h"
#include "src/select/decimal.h"

enum condition_op {
	CONDITION_EQUAL,
	CONDITION_MATCHES,
	CONDITION_LESS,
	CONDITION_AT_MOST,
	CONDITION_MORE,
	CONDITION_AT_LEAST,
};

struct condition {
	enum condition_op op;
	enum ev_column column; /* EV_COLUMNS for a tag */
	bool elements; /* the tag is a list, and one of its elements is enough */
	bool frame; /* it is the stack, unless the line is of a group by frame */
	bool process; /* the key is pcomm */
	struct slice tag; /* the tag's key, as in the stream */
	struct slice text; /* EQUAL: the value, as in the stream */
	bool inverted; /* != or !~; the exits of the expression heed it */
	struct pattern *pattern; /* MATCHES, or NULL */
	/* EQUAL: the bytes of the value if a reader accepts several spellings, or none. */
	struct slice plain;
	bool equalled; /* EQUAL: some value was equal */
	/*
	 * EQUAL, until then: NULL, or a value that would be equal if its letters had the other
	 * case.  It is as long as text.
	 */
	char *other;
	struct decimal number; /* other operators */
	struct condition *framed; /* of a region that is equal or matches: the same about frames */
	uint64_t frames; /* for expr.c: lines for which that holds, but not this */
	bool met; /* for expr.c: it held for a line, although none was chosen */
	uint64_t odd; /* values that were compared as numbers but are not numbers */
	bool unrecorded; /* for expr.c: no line has had a value, although one is expected */
	bool far; /* for expr.c: the number is far below each time seen, and above 0 */
	bool reached; /* for expr.c: some event of a run may lead to it */
	size_t on[2]; /* for expr.c: the next condition if it does not hold, and if it does */
};

/* A text that the user gave, as bytes. */
struct condition_words {
	struct slice key, value;
	enum condition_op op;
	bool quoted; /* the value was quoted; otherwise "." means nothing */
};

/*
 * Makes a condition.  Its texts are stored in TEXTS, which must outlive it.  Returns ERR_DATA for
 * an operator that the key does not have, a value that is not a number, or an error in a regular
 * expression.  Returns ERR_SYS if memory runs out.  The condition is to be released in any case.
 */
int condition_make(struct condition *c, const struct condition_words *words, struct tab *texts,
    struct err *e) __attribute__((warn_unused_result));
void condition_free(struct condition *c);

/* Returns true if the line is a result for one frame, and stores it in the stream's spelling. */
bool condition_group_frame(const struct ev *ev, struct slice *frame);

/* Returns what the line has for the key, in the stream's spelling: "." if nothing. */
struct slice condition_value(const struct condition *c, const struct ev *ev);

/*
 * Returns true if the number is above 0, and far below TIME, an integer, as seconds are below
 * nanoseconds.
 */
bool condition_is_far(const struct condition *c, struct slice time);

/*
 * Returns 1 if it holds for the line, otherwise 0, or -1 if memory runs out.  ROOM is used for
 * values without their escapes.
 */
int condition_holds(struct condition *c, const struct ev *ev, struct buf *room);

/* Returns true if the key is the run or a tag of its run line (EV_OF_RUN). */
bool condition_is_of_run(const struct condition *c);

/* Returns true if it is run=. or run!=., which is about lines of several runs, or of none. */
bool condition_is_of_no_run(const struct condition *c);

/* Does the same as condition_holds, but returns 2 if the key is the run or a tag of its line. */
int condition_holds_beside_run(const struct condition *c, const struct ev *ev, struct buf *room);

/*
 * Does the same as condition_holds for all events of the run that a line is about, and returns 2 if
 * they may differ.  The tags of the run are known if it is the run line.  Values that are not
 * numbers are not counted.
 */
int condition_holds_for_run(const struct condition *c, const struct ev *ev, struct buf *room);

#endif
