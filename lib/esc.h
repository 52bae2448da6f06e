/* SPDX-License-Identifier: ISC */
/*
 * esc.h - converts any bytes to the stream's printable text, and back.
 *
 * The rules are those of afstream(5).  Escaped are the backslash, bytes 00-1f and 7f, U+0080 to
 * U+009F, the bidi controls U+202A-E and U+2066-9, and each byte that is not part of valid UTF-8.
 * The escapes are \\ \t \n \r, and \xhh in lower case for everything else.
 */
#ifndef AFPIPE_ESC_H
#define AFPIPE_ESC_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/buf.h"
#include "lib/slice.h"

/*
 * The context of a text, which changes the rules above.  The characters named here are escaped,
 * too, as \xhh.
 */
enum esc_as {
	ESC_COLUMN, /* no further characters; the text "." becomes "\." */
	ESC_ELEMENT, /* ';', in an element of a list */
	ESC_KEY, /* '=', in a key after its source's prefix, where "." is an ordinary text */
	ESC_MESSAGE, /* only for people to read: neither backslash nor "." is escaped */
};

#define ESC_BOM "\xef\xbb\xbf" /* the byte order mark of UTF-8 */

/* An escaped byte takes at most this many bytes. */
#define ESC_MAX_GROWTH 4

/* Returns true if no byte of the text needs to be escaped. */
bool esc_is_plain(const char *s, size_t n, enum esc_as as);

/* Appends the escaped form.  Returns false if memory runs out. */
bool esc_append(struct buf *out, const char *s, size_t n, enum esc_as as)
    __attribute__((warn_unused_result));

/*
 * Like esc_append, but writes to dst, which has room for n * ESC_MAX_GROWTH bytes.  Returns the
 * length.
 */
size_t esc_write(char *dst, const char *s, size_t n, enum esc_as as);

/*
 * Appends the bytes that an escaped column, tag value or element represents.  "." alone represents
 * no bytes.  Returns 0, or -1 for an unknown escape, whose offset in the text is then in *at, or -2
 * if memory runs out.
 */
int esc_undo(struct buf *out, struct slice text, size_t *at) __attribute__((warn_unused_result));

/*
 * Like esc_undo, but writes to dst, which has room for text.len bytes.  Returns the length, or
 * SIZE_MAX for an unknown escape, whose offset is then in *at.
 */
size_t esc_undo_to(char *dst, struct slice text, size_t *at);

/*
 * Appends an element of a list, escaped, as a column would spell it: with ';' itself.  Returns
 * false if memory runs out.
 */
bool esc_append_element(struct buf *out, struct slice element) __attribute__((warn_unused_result));

/*
 * Like esc_append_element, but writes to dst, which has room for element.len bytes.  Returns the
 * length.
 */
size_t esc_write_element(char *dst, struct slice element);

/*
 * Returns an element as a column would spell it: a borrowed part of the list, or a text in *room.
 * p is NULL if memory runs out.
 */
struct slice esc_element(struct slice element, struct buf *room);

/*
 * Appends a column, escaped, as an element of a list would spell it: without ';' itself.  Returns
 * false if memory runs out.
 */
bool esc_append_column(struct buf *out, struct slice column) __attribute__((warn_unused_result));

/*
 * Returns true if the text has the form in which a writer would have written it: only known
 * escapes, each of them needed, no raw control byte, valid UTF-8.  \x3b and \x3d are accepted
 * everywhere.  Otherwise *at is the offset of the first wrong byte.
 */
bool esc_is_canonical(const char *s, size_t n, size_t *at);

/*
 * Returns the length of the valid UTF-8 sequence at s, 1 to 4, or 0 if none starts there.  n is the
 * number of bytes left.
 */
size_t esc_utf8(const unsigned char *s, size_t n);

#endif
