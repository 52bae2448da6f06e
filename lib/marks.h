/* SPDX-License-Identifier: ISC */
/*
 * marks.h - the marks of a stream: is it complete, and what do they report?
 *
 * The rule of afstream(5): each pair of producer and source has at least as many
 * ends as openings, wherever they are, and no end is partial.  With whole set, also:
 * openings and ends alternate, and each end gives the number of lines since its opening.
 */
#ifndef AFPIPE_MARKS_H
#define AFPIPE_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/slice.h"
#include "lib/tab.h"

/* The words KEY=COUNT of an end mark.  Programs that read a stream add them up and pass them on. */
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
	bool doubt; /* an error with --strict */
	const char *text; /* for messages, followed by a colon and the count; NULL: not reported */
};

extern const struct mark_word mark_words[MARK_COUNTS];

struct marks {
	struct tab pair; /* "PRODUCER\tSOURCE", escaped */
	uint64_t *open; /* openings less ends, by pair, modulo 2^64 */
	size_t cap;
	bool whole; /* set by the caller for the closer check */
	bool partial; /* an end was partial */
	bool refused; /* another version: the rest of that input is ignored */
	uint64_t count[MARK_COUNTS]; /* summed over all ends */
	uint64_t twice; /* runs that marks_run has reported */
	struct tab run; /* ids of runs */
	uint64_t *from; /* by run: the stream that it first came from; 0 once reported */
	size_t from_cap;
	/* For the current input. */
	uint64_t stream; /* its number, over all inputs */
	size_t inside; /* 1 + the pair whose opening has no end yet */
	uint64_t counted; /* lines up to the last mark */
	bool opened; /* there has been an opening */
};

/* { 0 } is a valid empty one. */
void marks_free(struct marks *m);

/*
 * Takes a line that begins with '#', after LINES other lines of this input.  A line that is not a
 * mark is a comment.  ERR_DATA for another version of the stream, for a mark without its words, for
 * a partial end and, in the closer check, for too many or too few lines; ERR_SYS when there is no
 * memory.
 */
int marks_take(struct marks *m, struct slice line, uint64_t lines, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Takes the id of a line of kind run.  ERR_DOUBT, or ERR_DATA in the closer check, if the same
 * id has come from another stream; only once for each run.  ERR_SYS when there is no memory.
 */
int marks_run(struct marks *m, struct slice id, struct err *e) __attribute__((warn_unused_result));

/* An input ends after LINES lines; another one may follow.  ERR_DATA in the closer check. */
int marks_end_input(struct marks *m, uint64_t lines, struct err *e)
    __attribute__((warn_unused_result));

/*
 * At the end of all input: reports the next producer without an end mark as an error, or
 * returns 0.  Start with *at = 0 and call until it returns 0.
 */
int marks_missing(const struct marks *m, size_t *at, struct err *e)
    __attribute__((warn_unused_result));

#endif
