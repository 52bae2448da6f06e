/* SPDX-License-Identifier: ISC */
/*
 * text.h - converts text of the stream to fields and tags of AFPerf, and back.
 *
 * AFPerf is UTF-8 and has no escapes of its own, so the stream's escapes are undone.  Bytes that
 * AFPerf cannot hold are spelled \x{hh}: bytes that are not valid UTF-8, control bytes other than
 * TAB, LF and CR, and the separators inside a tag.  The stream's own \xhh would not do: in files of
 * other programs it is part of paths, such as D:\x86.  Backslashes directly before such a spelling,
 * or before text that looks like one, are doubled; all others stay single.  So an odd number of
 * backslashes before x{hh} means the byte, and an even number means half as many backslashes and
 * the text x{hh}.  Nothing is ambiguous.
 */
#ifndef AFPIPE_AFPERF_TEXT_H
#define AFPIPE_AFPERF_TEXT_H

#include <stdbool.h>

#include "lib/buf.h"
#include "lib/out.h"
#include "lib/slice.h"

enum text_as {
	TEXT_FIELD,
	TEXT_TAG_KEY, /* ';' and '=' are separators */
	TEXT_TAG_VALUE, /* ';' is a separator */
};

/*
 * Appends the decoded text of the stream, not yet quoted.  "." appends nothing.  Returns false when
 * memory runs out.
 */
bool text_append(struct buf *to, struct slice text, enum text_as as)
    __attribute__((warn_unused_result));

/*
 * Appends "key=value", after a ';' if tags is not empty.  AFPerf has no tags without a name, so the
 * value of such a tag becomes its name.  Returns false when memory runs out.
 */
bool text_append_tag(struct buf *tags, struct slice key, struct slice value)
    __attribute__((warn_unused_result));

/*
 * Like text_append_tag, but keeps the escapes of the stream, so that a list remains one.  A value
 * "." is empty.
 */
bool text_append_own_tag(struct buf *tags, struct slice key, struct slice value)
    __attribute__((warn_unused_result));

/*
 * Removes the prefix "tag.", which marks AFPerf's tags in the stream.  Returns false if the key
 * does not have it.
 */
bool text_cut_tag(struct slice *key);

/*
 * Does the reverse of text_append: appends the bytes that a text of AFPerf represents.  A text
 * without a backslash is unchanged.  Returns false when memory runs out.
 */
bool text_bytes(struct buf *to, struct slice text, enum text_as as)
    __attribute__((warn_unused_result));

/*
 * Writes the text as a field, quoted if necessary.  A failure is kept in o->error;
 * scratch is used only during the call.
 */
void text_put(struct out *o, struct buf *scratch, struct slice text);

#endif
