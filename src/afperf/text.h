/* SPDX-License-Identifier: ISC */
/*
 * text.h - text of the stream as fields and tags of AFPerf.
 *
 * AFPerf is UTF-8 and has no escapes of its own, so the stream's are undone.  What
 * cannot be said stays spelled \xhh: bytes that are not valid UTF-8, control bytes
 * other than TAB, LF and CR, and the separators inside a tag.  Backslashes that
 * stand directly before such a spelling, or before text that looks like one, are
 * doubled; all others stay single.  So an odd number of them before xhh means the
 * byte, an even number means half as many backslashes, and nothing is ambiguous.
 */
#ifndef AFPIPE_AFPERF_TEXT_H
#define AFPIPE_AFPERF_TEXT_H

#include <stdbool.h>

#include "lib/buf.h"
#include "lib/out.h"
#include "lib/slice.h"

enum afperf_as {
	AFPERF_FIELD,
	AFPERF_TAG_KEY, /* ';' and '=' are separators */
	AFPERF_TAG_VALUE, /* ';' is one */
};

/*
 * Appends what the stream's text stands for, not yet quoted.  "." gives nothing.
 * False when there is no memory.
 */
bool afperf_text(struct buf *to, struct slice text, enum afperf_as as)
    __attribute__((warn_unused_result));

/*
 * Appends "key=value", after a ';' where tags is not empty.  AFPerf has no tag without
 * a name: a tag that has only a value becomes a name.  False when there is no memory.
 */
bool afperf_tag(struct buf *tags, struct slice key, struct slice value)
    __attribute__((warn_unused_result));

/*
 * The way back: appends the bytes that a text of AFPerf stands for.  One without a backslash
 * stands for itself.  False when there is no memory.
 */
bool afperf_bytes(struct buf *to, struct slice text, enum afperf_as as)
    __attribute__((warn_unused_result));

/*
 * Appends the text as a field, quoted where it has to be.  A failure is kept in
 * o->error; scratch is used up to the return.
 */
void afperf_put_text(struct out *o, struct buf *scratch, struct slice text);

#endif
