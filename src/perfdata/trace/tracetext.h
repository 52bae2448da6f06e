/* SPDX-License-Identifier: ISC */
/*
 * tracetext.h - checks the text that describes a tracepoint before a library reads it.
 *
 * libtraceevent trusts that the kernel wrote the text: with any other text it may leak memory or
 * read through NULL.
 */
#ifndef AFPIPE_PERFDATA_TRACETEXT_H
#define AFPIPE_PERFDATA_TRACETEXT_H

#include <stddef.h>

#include "lib/buf.h"
#include "lib/slice.h"

/* The maximum length of a text's fields; the kernel's own are shorter than 8 KiB. */
#define TRACE_TEXT_MAX ((size_t)64 * 1024)
#define TRACE_LINE_MAX ((size_t)1024)

/* Up to the fields; the two groups of fields, each ended by an empty line; what follows. */
enum trace_part {
	TRACE_TEXT_HEAD,
	TRACE_TEXT_COMMON,
	TRACE_TEXT_OWN,
	TRACE_TEXT_BEHIND,
};

/* The text for the library, and how many fields it has to find there. */
struct trace_text {
	struct buf text;
	size_t fields;
	enum trace_part part;
};

/*
 * Rewrites a text in the form that the library can read safely: a fixed head, then the lines of
 * the fields, checked and without attributes.  What follows "print fmt:" is an expression for
 * printing; it is not needed here, and the library would parse it with a recursion as deep as the
 * text demands.  *t is { 0 } before; the caller frees t->text.  0, ERR_DATA (t->fields is the
 * number of the bad field) or ERR_SYS.
 */
int trace_text_clean(struct trace_text *t, struct slice text) __attribute__((warn_unused_result));

#endif
