/* SPDX-License-Identifier: ISC */
/* parts.h - what the files of libafpipe share: between its types and those of lib. */
#ifndef AFPIPE_AFPIPE_PARTS_H
#define AFPIPE_AFPIPE_PARTS_H

#include <locale.h>
#include <stdbool.h>

#include "lib/err.h"
#include "lib/marks.h"
#include "lib/slice.h"
#include "src/afpipe/afpipe.h"

static inline struct slice
slice_in(struct afpipe_slice s)
{
	return (struct slice){ s.p, s.len };
}

static inline struct afpipe_slice
slice_out(struct slice s)
{
	return (struct afpipe_slice){ s.p, s.len };
}

/* Copies an error to one of the caller's, unless that is NULL.  Returns the code. */
int api_error(struct afpipe_error *to, const struct err *e);

/* Does the same for a call that is wrong. */
int api_usage(struct afpipe_error *to, const char *message);

/*
 * The thread's own locale, which decides how printf and strtod spell a decimal point.  Our code
 * runs in the locale C, and callbacks run in their own.
 */
struct api_locale {
	locale_t c, before;
};

bool api_locale_enter(struct api_locale *l); /* false if memory runs out */
void api_locale_leave(struct api_locale *l);

/* Returns a count of the end marks that r has read, and of what r found by itself. */
uint64_t reader_count(const struct afpipe_reader *r, enum mark_count which);

#endif
