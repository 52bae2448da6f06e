/* SPDX-License-Identifier: ISC */
/*
 * marks.h - does every producer of a stream say that it came to its end?
 *
 * The rule of afstream(5): for each pair of producer and source at least as many
 * ends as openings, wherever they stand, and no end that says partial.
 */
#ifndef AFPIPE_MARKS_H
#define AFPIPE_MARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/slice.h"
#include "lib/tab.h"

struct marks {
	struct tab pair; /* "PRODUCER\tSOURCE", escaped */
	int64_t *open; /* openings less ends, by pair */
	size_t cap;
	bool partial; /* an end said so */
	bool refused; /* another version: the rest of that input is not for us */
	uint64_t lost, late; /* summed over all ends */
};

void marks_free(struct marks *m);

/*
 * Takes a line that begins with '#'.  Anything but a mark is a comment.  ERR_DATA
 * for another version of the stream, for a mark without its words, and for an end
 * that says partial; ERR_SYS without memory.
 */
int marks_take(struct marks *m, struct slice line, struct err *e)
    __attribute__((warn_unused_result));

/*
 * At the end of all input: the next producer that has no end, as an error, or 0.
 * Start with *at = 0 and call until it returns 0.
 */
int marks_missing(const struct marks *m, size_t *at, struct err *e)
    __attribute__((warn_unused_result));

#endif
