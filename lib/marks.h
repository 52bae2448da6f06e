/* SPDX-License-Identifier: ISC */
/*
 * marks.h - the marks of a stream: whether it is complete, and the counts that they report.
 *
 * The rule of afstream(5): each pair of producer and source has as many ends as openings,
 * anywhere in the stream, and no end is partial.  If whole is set, openings and ends must also
 * alternate, and each end must give the number of lines since its opening.
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
	MARK_INCOMPLETE,
	MARK_CUT_STACKS,
	MARK_LEFT_OUT,
	MARK_TWICE,
	MARK_UNPAIRED,
	MARK_COUNTS
};

struct mark_word {
	struct slice key;
	bool doubt; /* an error with --strict */
	const char *before, *after; /* the texts around the count in messages; NULL: not reported */
};

extern const struct mark_word mark_words[MARK_COUNTS];

struct marks_pair {
	uint64_t open; /* openings less ends, modulo 2^64 */
	uint64_t before; /* the same of the inputs before the current one */
	bool here; /* the current input has marks of the pair */
	size_t cut; /* 1 + the last of its cuts that is not balanced, or 0 */
};

/* An input that has not as many ends of a pair as openings. */
struct marks_cut {
	size_t pair;
	const char *input; /* its name, borrowed */
	int64_t open; /* openings less ends; 0 once later inputs have balanced them */
	size_t earlier; /* the pair's cut before, as in struct marks_pair */
};

struct marks_run {
	uint64_t from; /* 1 + the stream where it was first seen; 0 once it is counted as twice */
	uint64_t last; /* 1 + the stream where it was last seen */
	uint64_t again; /* 1 + the last stream that has it more than once, or 0 */
	/* Its run lines: in the stream where it was last seen, the most in any one, and all. */
	uint64_t here, most, all;
};

struct marks {
	struct tab pair; /* "PRODUCER\tSOURCE", escaped */
	struct marks_pair *state; /* by pair */
	size_t cap;
	struct marks_cut *cut; /* in the order of the inputs */
	size_t cuts, cut_cap;
	bool whole; /* set by the caller for the stricter check of --whole */
	bool partial; /* an end was partial */
	bool refused; /* another version of the stream: the rest of that input is ignored */
	/*
	 * Summed over all ends.  A merged stream has all lines of a run that it counts as twice, so
	 * a run that several merged streams count is counted once.
	 */
	uint64_t count[MARK_COUNTS];
	uint64_t twice; /* runs that marks_run has reported */
	struct tab run; /* run ids */
	struct marks_run *seen; /* by run */
	size_t seen_cap;
	uint64_t stream; /* the number of the current stream, over all inputs */
	size_t *again; /* the runs that it has more than once, up to its end mark */
	size_t nagain, again_cap;
	/* For the current input. */
	size_t *here; /* the pairs that have marks in it */
	size_t nhere, here_cap;
	size_t inside; /* 1 + the pair whose opening has no end yet */
	uint64_t counted; /* lines up to the last mark */
	bool opened; /* there has been an opening */
};

/* { 0 } is a valid empty struct. */
void marks_free(struct marks *m);

/*
 * Handles a line that begins with '#', after LINES other lines of this input.  A line that is not a
 * mark is a comment.  Returns ERR_DATA for another version of the stream, for a mark that lacks
 * words, for a partial end and, in the stricter check, for too many or too few lines.  Returns
 * ERR_SYS if memory runs out.
 */
int marks_take(struct marks *m, struct slice line, uint64_t lines, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Handles the id of a line of kind run.  If the same id has come from another stream, returns
 * ERR_DOUBT, or ERR_DATA in the stricter check, but only once for each run.  Returns ERR_SYS if
 * memory runs out.
 */
int marks_run(struct marks *m, struct slice id, struct err *e) __attribute__((warn_unused_result));

/*
 * Returns from how many sources the run has come, by its run lines: those of all streams or, unless
 * ALL is set, the most that one has.  0: it has none.
 */
uint64_t marks_sources(const struct marks *m, struct slice id, bool all);

/*
 * Call it when the input NAME ends after LINES lines; another input may follow.  Returns ERR_DATA
 * if the stricter check fails, or ERR_SYS if memory runs out.  The name is borrowed until
 * marks_free.
 */
int marks_end_input(struct marks *m, const char *name, uint64_t lines, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Call it at the end of all input, with *at = 0 at first, until it returns 0.  Each call reports
 * one producer without an end mark, or with too many, as an error.  *input is the name of the input
 * that lacks the mark, or NULL if it returns 0.
 */
int marks_missing(const struct marks *m, size_t *at, const char **input, struct err *e)
    __attribute__((warn_unused_result));

#endif
