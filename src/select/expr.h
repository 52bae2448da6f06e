/* SPDX-License-Identifier: ISC */
/*
 * expr.h - conditions joined by && and ||, inverted by ! and grouped by parentheses.
 *
 *	any   = all *( "||" all )
 *	all   = one *( "&&" one )
 *	one   = "!" one / "(" any ")" / condition
 *	condition = key ["?"] ( "=" / "!=" / "~" / "!~" / "<" / "<=" / ">" / ">=" ) value
 *
 * Keys and values are words or quoted.  '...' is used as written; "..." may have the stream's
 * escapes, and \" as well.
 */
#ifndef AFPIPE_SELECT_EXPR_H
#define AFPIPE_SELECT_EXPR_H

#include "lib/buf.h"
#include "lib/err.h"
#include "lib/ev.h"
#include "lib/keys.h"
#include "lib/slice.h"
#include "lib/tab.h"
#include "lib/wide.h"
#include "src/select/condition.h"

#define EXPR_DEPTH_MAX 200 /* of ! and parentheses */
#define EXPR_CONDITIONS_MAX ((size_t)65536)

/* Exits without a target yet, linked through the conditions. */
struct expr_exits {
	size_t head, tail;
};

/* A part of the expression: its first condition, and its exits: no and yes. */
struct expr_part {
	size_t first;
	struct expr_exits exit[2];
};

/* { 0 } is an expression without conditions, which holds for each line. */
struct expr {
	struct condition *condition; /* in the order in which they were written */
	size_t count, cap;
	struct expr_part whole;
	bool unrecorded; /* some condition is */
	bool far; /* some condition is; then least is the earliest time seen, if timed is set */
	bool timed;
	struct wide least;
	bool of_run; /* after expr_ready: some condition is about the run or its tags */
	bool of_no_run; /* the same: some condition is about lines of several runs, or of none */
	struct tab texts;
	struct buf room; /* scratch */
};

enum expr_join { EXPR_AND, EXPR_OR };

void expr_free(struct expr *x);

/*
 * Adds the expression in TEXT, joined to everything added before, as if that were in parentheses.
 * Keys that must occur are added to KEYS.  Returns ERR_DATA for an invalid text, or ERR_SYS if
 * memory runs out; x can then only be freed.
 */
int expr_add(struct expr *x, enum expr_join join, struct slice text, struct keys *keys,
    struct err *e) __attribute__((warn_unused_result));

/* Call it after the last text and before the first line. */
void expr_ready(struct expr *x);

/*
 * Sees a line for expr_is_unrecorded and expr_is_far.  It need not be called if both of
 * x->unrecorded and x->far are false, as they usually are after the first line.
 */
void expr_see(struct expr *x, const struct ev *ev);

/*
 * Writes that condition N, of those that compare the time, is the first one whose number is far
 * below the times of all lines seen: it is probably not one of nanoseconds, and the condition has
 * the same result for each of them.  Returns false if it is not.
 */
bool expr_is_far(const struct expr *x, size_t n, char *text, size_t size);

/*
 * Sees a line for expr_advise: whether what the regions do not have is in the stacks.  Call it for
 * lines that are not chosen, as long as none is.  Returns -1 if memory runs out.
 */
int expr_see_frames(struct expr *x, const struct ev *ev) __attribute__((warn_unused_result));

/*
 * Returns true, and the key, if condition N is the first one about a value of that key, and no line
 * seen had a value.
 */
bool expr_is_unrecorded(const struct expr *x, size_t n, struct slice *key);

/*
 * Writes that condition N has compared its value with none that is equal, but with one that only
 * differs in the case of letters.  Returns false if that is not so, or if another condition asks
 * for that one.
 */
bool expr_has_other_case(const struct expr *x, size_t n, char *text, size_t size);

/*
 * For an expression that held for no line: writes what is often meant instead.  MEASURES are those
 * that the stream has.  Returns false if there is nothing to say.
 */
bool expr_advise(const struct expr *x, const struct tab *measures, char *text, size_t size);

/* Returns 1 if the expression holds for the line, otherwise 0, or -1 if memory runs out. */
int expr_holds(struct expr *x, const struct ev *ev);

/*
 * Returns 1 if it may hold for an event of the run that a line is about, 0 if it does not whatever
 * else the event has, or -1 if memory runs out.  The tags of the run are known if it is the run
 * line.
 */
int expr_may_hold(struct expr *x, const struct ev *ev);

/* Returns 1 if it may hold for the line if this were of another run, otherwise 0, or -1. */
int expr_may_hold_by_run(struct expr *x, const struct ev *ev);

#endif
