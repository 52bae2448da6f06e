/* SPDX-License-Identifier: ISC */
/*
 * report.h - whom a decoder tells what it finds, since only filters print.
 */
#ifndef AFPIPE_REPORT_H
#define AFPIPE_REPORT_H

#include "lib/err.h"

struct reporter {
	/*
	 * Each thing that is wrong with the input (ERR_DATA, ERR_SYS), and each that is doubtful
	 * (ERR_DOUBT); decoding goes on where it can.  FILE is the path of the file of a folder
	 * that it is about, NULL for the operand itself.  NULL: nobody wants to know.
	 */
	void (*error)(void *ctx, const char *file, const struct err *e);
	/* What the user should know that is about no place in the input.  NULL: nobody wants to. */
	void (*note)(void *ctx, const char *text);
	void *ctx;
};

static inline void
report_error(const struct reporter *r, const char *file, const struct err *e)
{
	if (r->error != NULL)
		r->error(r->ctx, file, e);
}

/* The same error as a doubt. */
static inline void
report_doubt(const struct reporter *r, const char *file, const struct err *e)
{
	struct err doubt = *e;

	doubt.code = ERR_DOUBT;
	report_error(r, file, &doubt);
}

static inline void
report_note(const struct reporter *r, const char *text)
{
	if (r->note != NULL)
		r->note(r->ctx, text);
}

#endif
