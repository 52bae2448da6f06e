/* SPDX-License-Identifier: ISC */
/*
 * tracetext.h - checks the text that describes a tracepoint before a library reads it.
 *
 * libtraceevent trusts what the kernel writes: it leaks memory, or reads through NULL, where a
 * text is not of that kind.
 */
#ifndef AFPIPE_PERFDATA_TRACETEXT_H
#define AFPIPE_PERFDATA_TRACETEXT_H

#include <stddef.h>

#include "lib/buf.h"
#include "lib/slice.h"

/* A text's fields; the kernel's own have less than 8 KiB of them. */
#define TRACE_TEXT_MAX ((size_t)64 * 1024)
#define TRACE_LINE_MAX ((size_t)1024)

/* Up to the fields; the two groups of fields, each ended by an empty line; what follows. */
enum trace_part {
	TRACE_TEXT_HEAD,
	TRACE_TEXT_COMMON,
	TRACE_TEXT_OWN,
	TRACE_TEXT_BEHIND,
};

/* What the library is given, and how many fields it has to find there. */
struct trace_text {
	struct buf text;
	size_t fields;
	enum trace_part part;
};

/*
 * Brings a text into the one shape that the library takes: a head that is always the same, then
 * the lines of the fields, checked and without attributes.  What follows "print fmt:" is an
 * expression for printing; nothing here needs it, and the library takes it apart with a recursion
 * as deep as the text wants.  *t is { 0 } before; the caller frees t->text.  0, ERR_DATA (t->fields
 * is the number of the field that is none) or ERR_SYS.
 */
int trace_text_clean(struct trace_text *t, struct slice text) __attribute__((warn_unused_result));

#endif
