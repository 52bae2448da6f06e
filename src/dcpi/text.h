/* SPDX-License-Identifier: ISC */
/* text.h - dcpicat's text: shared by text.c (lines) and texthead.c (headers). */
#ifndef AFPIPE_DCPI_TEXT_H
#define AFPIPE_DCPI_TEXT_H

#include "src/dcpi/event.h"
#include "src/dcpi/profile.h"

#define TEXT_EVENTS_MAX ((size_t)256)

enum text_state {
	TEXT_HEADER, /* of a profile */
	TEXT_ROWS,
	TEXT_SKIP, /* the rest of a damaged profile */
};

/* One event of the profile: a column of the rows. */
struct text_column {
	struct line line;
	uint64_t number; /* of its event line */
	uint64_t weight, sum;
};

struct text {
	struct profile *p;
	enum text_state state;
	uint64_t number; /* of the line, from 1 */
	size_t event[TEXT_EVENTS_MAX], events; /* the numbers of these lines in the header */
	struct text_column *column;
	size_t columns, cap; /* cap: the number to close */
	uint64_t start, size; /* of the text section */
	uint64_t last; /* address of the previous row */
	bool any; /* there was a previous row */
};

/* At the end of the header: checks it, prints its run and measures, opens the columns. */
int dcpi_text_begin_rows(struct text *t, struct err *e) __attribute__((warn_unused_result));

#endif
