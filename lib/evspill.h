/* SPDX-License-Identifier: ISC */
/*
 * evspill.h - sorted pieces of lines in an unlinked temporary file, and their merge; for evsort.h.
 */
#ifndef AFPIPE_EVSPILL_H
#define AFPIPE_EVSPILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/in.h"
#include "lib/out.h"
#include "lib/slice.h"
#include "lib/wide.h"

/* Before each line, in the machine's own layout: the file never leaves the process. */
struct evspill_head {
	struct wide time;
	uint64_t number;
	const char *file;
	uint32_t len; /* of the line after it */
	uint32_t run_at, run_len; /* in the line */
};

static inline struct evspill_head
evspill_head(const char *line)
{
	struct evspill_head h;

	memcpy(&h, line, sizeof h);
	return h;
}

/* By run, then by time.  Both point to heads. */
int evspill_compare(const char *a, const char *b);

/* This many pieces of a level are merged into one of the next, which is written after them. */
#define EVSPILL_PIECES ((size_t)16)
#define EVSPILL_PIECES_MAX (EVSPILL_PIECES * 12) /* disks are full before that */

struct evspill_piece {
	uint64_t at, end; /* in the file, of what is not yet in buf */
	unsigned level;
	char *buf;
	size_t used, len, cap; /* the line at buf + used is complete in buf */
};

struct evspill {
	struct in file;
	struct out out; /* to it */
	uint64_t length; /* of it */
	struct evspill_piece piece[EVSPILL_PIECES_MAX];
	size_t pieces;
	size_t heap[EVSPILL_PIECES_MAX], heaped; /* pieces being merged, the first line on top */
	bool given; /* the top's line was returned */
};

/* ERR_SYS if no temporary file can be made. */
int evspill_open(struct evspill *s, struct err *e) __attribute__((warn_unused_result));
void evspill_close(struct evspill *s);

/* Adds a piece: the lines, each with its head before it, in their order. */
int evspill_add(struct evspill *s, char *const *line, size_t count, struct err *e)
    __attribute__((warn_unused_result));

/* Begins to merge all pieces. */
int evspill_merge(struct evspill *s, struct err *e) __attribute__((warn_unused_result));

/* The next line of the merge, valid until the next call, or NULL at the end.  ERR_SYS. */
int evspill_next(struct evspill *s, const char **line, struct err *e)
    __attribute__((warn_unused_result));

#endif
