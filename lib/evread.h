/* SPDX-License-Identifier: ISC */
/*
 * evread.h - the one reader of the stream, afstream(5).
 *
 *	r = evread_open(names, n, 0);
 *	while ((rc = evread_next(r, &ev, &e)) != 0)
 *		if (rc < 0) report e, go on; else use ev;
 *	evread_close(r);
 *
 * It checks the lines that it returns (escapes, control bytes, number of columns, length) and the
 * marks.  Lines that begin with '#' are handled here and not returned.
 */
#ifndef AFPIPE_EVREAD_H
#define AFPIPE_EVREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/ev.h"
#include "lib/in.h"
#include "lib/marks.h"
#include "lib/out.h"
#include "lib/tab.h"

enum evread_flags {
	EVREAD_NO_MARKS = 1, /* treat the input as complete, whatever its marks say */
	EVREAD_WHOLE = 2, /* check the marks more closely (lib/marks.h); not with EVREAD_NO_MARKS */
};

struct evread;

/*
 * Reads names[0..n) in order.  "-" is standard input, which is also read if n is 0.  The array and
 * the names are borrowed.  Returns NULL if memory runs out.
 */
struct evread *evread_open(char *const *names, size_t n, unsigned flags);
void evread_close(struct evread *r);

/*
 * Opens operand I, called NAME, where in_open is not enough (lib/twice.h).  The reader closes the
 * input.  Set the opener before the first line is read.
 */
typedef int evread_opener(void *ctx, size_t i, const char *name, struct in *in, struct err *e);
void evread_set_opener(struct evread *r, evread_opener *open, void *ctx);

/*
 * Sets a function that receives each line that begins with '#', in order with all others, unless
 * EVREAD_NO_MARKS is set.  Set it before the first line is read.
 */
typedef void evread_hashed(void *ctx, struct slice line);
void evread_set_hashed(struct evread *r, evread_hashed *take, void *ctx);

/*
 * Passes interim results on, which otherwise are comments: each line, and after its last line the
 * number of the result.  A result whose end is missing or has another number, or that lacks lines,
 * has no end here; the next one begins anew.  Their failures are returned by evread_next, with the
 * line as the place.
 */
struct evread_interim {
	void *ctx;
	int (*begin)(void *ctx, struct err *e);
	int (*line)(void *ctx, const struct ev *ev, struct err *e);
	int (*end)(void *ctx, uint64_t number, struct err *e);
};

void evread_set_interim(struct evread *r, const struct evread_interim *x);

/*
 * Sets the tags that the caller reads; "*" stands for all.  A run line that says that one of them
 * was left out (afstream(5), the tag tags) is an error, and is then returned.  The table is
 * borrowed.
 */
void evread_set_required(struct evread *r, const struct tab *tags);

/*
 * Sets the tags of run lines that lines of events are to have, too (lib/ofrun.h).  Set them before
 * the first line is read.  The table is borrowed.
 */
void evread_set_of_run(struct evread *r, const struct tab *keys);

/* Sets what is to be done regularly while lines are read, or waited for (lib/in.h). */
void evread_set_timer(struct evread *r, struct in_timer *timer);

/* Sets the output to flush before a read has to wait, so that live pipes stay live. */
void evread_set_idle(struct evread *r, struct out *idle);

/*
 * Returns 1 if *ev is the next line, valid until the next call, and 0 at the end of all inputs.
 * Returns -1 for an error, described in *e: the line or the input is skipped, and the next call
 * continues after it.  The place in *e is a line of the input that evread_name returns.  ERR_DOUBT
 * skips nothing.  After ERR_STOP (a signal) all calls return 0.
 */
int evread_next(struct evread *r, struct ev *ev, struct err *e) __attribute__((warn_unused_result));

/*
 * Stores up to MAX further lines after one that evread_next has returned, and returns how many:
 * those that are in memory already and need no report.  They and that line are valid until the next
 * call of evread_next.
 */
size_t evread_more(struct evread *r, struct ev *ev, size_t max);

/*
 * Blocks of whole lines, for programs that have several threads read them:
 *
 *	while ((rc = evread_fetch(r, &b, &e)) > 0) {
 *		evread_enter(of_thread, &b, b.len, &e);		in any thread that has a reader
 *		while ((n = evread_more(of_thread, ev, max)) != 0) use them;
 *		evread_leave(of_thread, &b);
 *		evread_skip(r, lines);
 *		if (b.at != b.len) evread_enter(r, &b, b.len, &e), and evread_next for the rest
 *	}
 *
 * Each reader and each block is used by one thread at a time.
 */
struct evread_block {
	char *p; /* bytes [at, len) have not been returned yet */
	size_t at, len, cap;
};

/*
 * Moves lines that have not been read yet to the block, whose p and cap the caller has set: those
 * that can be had without waiting.  Returns 1, or 0 if these are few, or none, or not whole; the
 * caller then continues with evread_next.  Returns -1 if memory runs out.
 */
int evread_fetch(struct evread *r, struct evread_block *b, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Makes r read the lines of a block up to END until evread_leave.  evread_next then returns 0 at
 * the end of the block.  A reader of a thread need not have an input: only evread_more is called,
 * which stops before a line that is to be reported or checked further.  Returns ERR_SYS if memory
 * runs out; the block has then been left.
 */
int evread_enter(struct evread *r, struct evread_block *b, size_t end, struct err *e)
    __attribute__((warn_unused_result));

/* What has not been returned remains in the block, unless the rest of the input is ignored. */
void evread_leave(struct evread *r, struct evread_block *b);

/* Returns how many bytes have been read, but not returned. */
size_t evread_left(const struct evread *r);

/* Makes a line that evread_more has returned the next one again. */
void evread_again(struct evread *r, const struct ev *ev);

/* Returns the number of lines of this input so far, and counts lines that others have read. */
uint64_t evread_lines(const struct evread *r);
void evread_skip(struct evread *r, uint64_t lines);

/*
 * Returns the name of the input that a message of evread_next is about, or that is being read.
 */
const char *evread_name(const struct evread *r);

/*
 * Returns all operands, separated by blanks: the SOURCE for the caller's own marks.  Valid as long
 * as r is.
 */
const char *evread_source(const struct evread *r);

/* Returns the sum of that count over the end marks read so far. */
uint64_t evread_count(const struct evread *r, enum mark_count which);

/* Returns the number of runs that came from two sources.  Each has been reported. */
uint64_t evread_twice(const struct evread *r);

/*
 * Returns from how many sources a run has come, by its run lines: those of all streams or, unless
 * ALL is set, the most that one has, into which others were merged.  0: it has none.
 */
uint64_t evread_sources(const struct evread *r, struct slice run, bool all);

#endif
