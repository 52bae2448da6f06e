/* SPDX-License-Identifier: ISC */
/*
 * evread.h - the one reader of the stream, afstream(5).
 *
 *	r = evread_open(names, n, 0);
 *	while ((rc = evread_next(r, &ev, &e)) != 0)
 *		if (rc < 0) say what is in e, go on; else use ev;
 *	evread_close(r);
 *
 * It checks what it hands out: escapes, control bytes, number of columns, length
 * of lines, marks.  Lines that begin with '#' are taken here and not handed out.
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

enum evread_flags {
	EVREAD_NO_MARKS = 1, /* take the input as whole, whatever its marks say */
	EVREAD_WHOLE = 2, /* look closer at the marks (lib/marks.h); not with the above */
};

struct evread;

/*
 * names[0..n) are read in order, "-" is standard input; n = 0 means standard input.
 * Both are borrowed.  NULL when there is no memory.
 */
struct evread *evread_open(char *const *names, size_t n, unsigned flags);
void evread_close(struct evread *r);

/*
 * How operand I, called NAME, is opened, where in_open will not do (lib/twice.h).  The
 * reader closes what it gets.  Call before the first line is read.
 */
typedef int evread_opener(void *ctx, size_t i, const char *name, struct in *in, struct err *e);
void evread_set_opener(struct evread *r, evread_opener *open, void *ctx);

/* Output to be flushed before a read has to wait, so that live pipes stay live. */
void evread_set_idle(struct evread *r, struct out *idle);

/*
 * 1: *ev is the next line, valid until the next call.  0: the end of all inputs.
 * -1: something is wrong and stands in *e; the line or the input is left out, and
 * reading goes on with the next call.  The place in e is a line of the input that
 * evread_name names.  After ERR_STOP (a signal) only 0 follows.  With ERR_DOUBT nothing is
 * left out.
 */
int evread_next(struct evread *r, struct ev *ev, struct err *e) __attribute__((warn_unused_result));

/* The input that is being read, for messages. */
const char *evread_name(const struct evread *r);

/* All operands, parted by blanks, as SOURCE of the reader's own marks.  Lives as long as r. */
const char *evread_source(const struct evread *r);

/* The sum of that word over the end marks read so far. */
uint64_t evread_count(const struct evread *r, enum mark_count which);

/* How many runs have come from two sources here; each was reported. */
uint64_t evread_twice(const struct evread *r);

#endif
