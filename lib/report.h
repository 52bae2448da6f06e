/* SPDX-License-Identifier: ISC */
/*
 * report.h - how a decoder reports errors and notes, since only filters print.
 */
#ifndef AFPIPE_REPORT_H
#define AFPIPE_REPORT_H

#include "lib/err.h"

struct reporter {
	/*
	 * Receives each error in the input (ERR_DATA, ERR_SYS) and each doubt (ERR_DOUBT).
	 * Decoding continues where it can.  FILE is the path of a file if the operand is a
	 * directory, or NULL for the operand itself.  If error is NULL, errors are not reported.
	 */
	void (*error)(void *ctx, const char *file, const struct err *e);
	/*
	 * Receives other information for the user that is not about a place in the input.  May be
	 * NULL.
	 */
	void (*note)(void *ctx, const char *text);
	/* Receives each line of a list that the user asked for.  May be NULL. */
	void (*list)(void *ctx, const char *text);
	void *ctx;
};

static inline void
report_error(const struct reporter *r, const char *file, const struct err *e)
{
	if (r->error != NULL)
		r->error(r->ctx, file, e);
}

/* Reports e as a doubt. */
static inline void
report_doubt(const struct reporter *r, const char *file, const struct err *e)
{
	struct err doubt = *e;

	doubt.code = ERR_DOUBT;
	report_error(r, file, &doubt);
}

static inline void
report_list(const struct reporter *r, const char *text)
{
	if (r->list != NULL)
		r->list(r->ctx, text);
}

static inline void
report_note(const struct reporter *r, const char *text)
{
	if (r->note != NULL)
		r->note(r->ctx, text);
}

#endif
