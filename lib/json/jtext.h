/* SPDX-License-Identifier: ISC */
/*
 * jtext.h - the strings of a JSON text and the names in JSON pointers: converts their spelling to
 * bytes and back.  The bytes are UTF-8, except that a lone surrogate has three bytes.
 *
 * Functions that append return false if memory runs out.
 */
#ifndef AFPIPE_JSON_JTEXT_H
#define AFPIPE_JSON_JTEXT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/slice.h"

#define JTEXT_WORD_MAX ((size_t)32) /* bytes of a text that jtext_is compares with */

/* The bytes that are not plain in a string: controls, '"', '\\', DEL, and all beyond ASCII. */
extern const bool jtext_is_stop[UCHAR_MAX + 1];

/*
 * Appends the bytes of a string, given without its quotes.  They are never longer than its
 * spelling.
 */
bool jtext_undo(struct buf *out, struct slice inside) __attribute__((warn_unused_result));

/*
 * Returns true if a string, given without its quotes, means WORD, which has at most JTEXT_WORD_MAX
 * bytes.
 */
bool jtext_is(struct slice inside, struct slice word);

/* Appends bytes as a JSON string in ASCII, with quotes. */
bool jtext_quote(struct buf *out, struct slice s) __attribute__((warn_unused_result));

/* Append a name or an index to a pointer (RFC 6901): a slash, then ~0 and ~1 for ~ and /. */
bool jtext_push_name(struct buf *pointer, struct slice name) __attribute__((warn_unused_result));
bool jtext_push_index(struct buf *pointer, uint64_t index) __attribute__((warn_unused_result));

/* Appends the bytes of a name, given as it is spelled in a pointer. */
bool jtext_undo_name(struct buf *out, struct slice name) __attribute__((warn_unused_result));

#endif
