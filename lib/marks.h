/* SPDX-License-Identifier: ISC */
/*
 * marks.h - the marks of a stream: is it whole, and what do they say of it?
 *
 * The rule of afstream(5): for each pair of producer and source at least as many
 * ends as openings, wherever they are, and no end that says partial.  With MARKS_WHOLE
 * more: openings and ends alternate, and each end has counted the lines since its opening.
 */
#ifndef AFPIPE_MARKS_H
#define AFPIPE_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/slice.h"
#include "lib/tab.h"

/* The words KEY=COUNT of an end mark.  Whoever reads a stream adds them up and passes them on. */
enum mark_count {
	MARK_LOST,
	MARK_LATE,
	MARK_UNTERMINATED,
	MARK_NOT_UNWOUND,
	MARK_CUT_STACKS,
	MARK_LEFT_OUT,
	MARK_TWICE,
	MARK_COUNTS
};

struct mark_word {
	struct slice key;
	bool doubt; /* with --strict it is an error */
	const char
	    *text; /* for people, a colon and the count follow; NULL: nothing they can act on */
};

extern const struct mark_word mark_words[MARK_COUNTS];

struct marks {
	struct tab pair; /* "PRODUCER\tSOURCE", escaped */
	uint64_t *open; /* openings less ends, by pair, modulo 2^64 */
	size_t cap;
	bool whole; /* set it for the closer look */
	bool partial; /* an end said so */
	bool refused; /* another version: the rest of that input is not for us */
	uint64_t count[MARK_COUNTS]; /* summed over all ends */
	uint64_t twice; /* runs that marks_run has reported */
	struct tab run; /* ids of runs */
	uint64_t *from; /* by run: the stream that it came from first; 0 once that was reported */
	size_t from_cap;
	/* Of the input that is being read. */
	uint64_t stream; /* its number, over all inputs */
	size_t inside; /* pair of the opening that has no end yet, plus 1 */
	uint64_t counted; /* lines up to the last mark */
	bool opened; /* it has had an opening */
};

/* { 0 } is a valid empty one. */
void marks_free(struct marks *m);

/*
 * Takes a line that begins with '#', after LINES lines of this input that do not.  Anything
 * but a mark is a comment.  ERR_DATA for another version of the stream, for a mark without
 * its words, for an end that says partial and, in the closer look, for lines that are too many
 * or too few; ERR_SYS without memory.
 */
int marks_take(struct marks *m, struct slice line, uint64_t lines, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Takes the id of a line of kind run.  ERR_DOUBT, or ERR_DATA in the closer look, where the same
 * id has come from another stream; said once for each run.  ERR_SYS without memory.
 */
int marks_run(struct marks *m, struct slice id, struct err *e) __attribute__((warn_unused_result));

/* An input ends after LINES lines, and another one may follow.  ERR_DATA in the closer look. */
int marks_end_input(struct marks *m, uint64_t lines, struct err *e)
    __attribute__((warn_unused_result));

/*
 * At the end of all input: the next producer that has no end, as an error, or 0.
 * Start with *at = 0 and call until it returns 0.
 */
int marks_missing(const struct marks *m, size_t *at, struct err *e)
    __attribute__((warn_unused_result));

#endif
