/* SPDX-License-Identifier: ISC */
/*
 * jscan.h - reads a JSON text as it comes, one token or one value at a time.
 *
 * It accepts what Python's json.loads accepts (RFC 8259, and NaN, Infinity, -Infinity,
 * integers of any size, lone surrogates, repeated keys), nested to JSCAN_DEPTH.  A value is
 * checked and copied without the white space between its tokens, otherwise byte for byte, and
 * has a tape of its tokens.  Memory is needed for the window and the current value.
 *
 *	struct jscan j = { .fill = fill, .ctx = &in };		fill calls in_read (lib/in.h)
 *	if (!jscan_open(&j)) no memory
 *	rc = jscan_value(&j, limit, &e);	one value: j.text, and its tape j.token
 *	or: rc = jscan_peek(&j, &c, &e), then jscan_members or jscan_elements, which call back
 *	jscan_close(&j);
 *
 * Calls return 0 or an error code, and after an error always that code.  Errors of the text have
 * the line, and in the message the column in characters, both from 1.
 */
#ifndef AFPIPE_JSON_JSCAN_H
#define AFPIPE_JSON_JSCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/err.h"
#include "lib/slice.h"

#define JSCAN_DEPTH 900 /* nested containers; Python's limit is slightly below 1000 */
#define JSCAN_VALUE_MAX ((size_t)16 * 1024 * 1024) /* the largest limit of a value */
#define JSCAN_TOKEN_MAX ((size_t)1024 * 1024) /* bytes of a number */
#define JSCAN_NAME_MAX ((size_t)256 * 1024) /* of a member's name that is extracted */

enum jscan_kind {
	JSCAN_OBJECT,
	JSCAN_ARRAY,
	JSCAN_STRING,
	JSCAN_INTEGER, /* -?[0-9]+ of any length */
	JSCAN_FLOAT, /* with a point or an exponent */
	JSCAN_WORD, /* true false null NaN Infinity -Infinity */
};

enum jscan_flag {
	JSCAN_ESCAPED = 1, /* a string with backslashes */
	JSCAN_ODD = 2, /* a string with DEL or bytes above ASCII */
};

/* A token of a value.  An object's members are a string and a value each. */
struct jscan_token {
	uint32_t off, len; /* in the value's text; for a string without its quotes */
	uint32_t next; /* index of the token after this one and all that it contains */
	uint8_t kind, flags;
};

struct jscan {
	/* Reads up to n bytes, *got = 0 at the end.  Set by the caller, with ctx. */
	int (*fill)(void *ctx, char *dst, size_t n, size_t *got, struct err *e);
	void *ctx;

	/*
	 * Takes a piece of a value longer than its limit; a piece has as many bytes as the limit.
	 * All of such a value comes in pieces, and there is no tape.  NULL: it is refused.
	 */
	int (*piece)(void *ctx, struct slice text, struct err *e);
	void *piece_ctx;

	/* The last value. */
	char *text; /* text_len bytes and a NUL */
	size_t text_len;
	struct jscan_token *token;
	size_t tokens;
	unsigned flags; /* of all its strings */
	bool in_pieces; /* all has been given to piece but the last one, in text, not empty */

	unsigned depth; /* containers that the caller has opened but not closed */

	/* Internal. */
	char *window;
	size_t pos, len;
	bool ended;
	uint64_t line, column; /* of window[0] */
	size_t text_cap, token_cap, limit;
	int rc;
	struct err err;
};

/* False without memory. */
bool jscan_open(struct jscan *j) __attribute__((warn_unused_result));

/* Starts another text, from the same or another source. */
void jscan_restart(struct jscan *j);
void jscan_close(struct jscan *j);

/* The next byte that is not white space, in *c; -1 at the end. */
int jscan_peek(struct jscan *j, int *c, struct err *e) __attribute__((warn_unused_result));

/* An error at the next token: "expected WHAT", or the end of the text. */
int jscan_expected(struct jscan *j, const char *what, struct err *e);

/* The next value; beyond LIMIT bytes of text, at most JSCAN_VALUE_MAX, in pieces. */
int jscan_value(struct jscan *j, size_t limit, struct err *e) __attribute__((warn_unused_result));

/*
 * Reads a member's name and its colon, and appends the decoded name to *name, lone surrogates
 * as three bytes each.
 */
int jscan_name(struct jscan *j, struct buf *name, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Before the next element or member of a container that the caller has opened: skips the
 * comma, or the closing BRACKET, which makes *more false.  first: none has been read.
 */
int jscan_next(struct jscan *j, char bracket, bool *first, bool *more, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Reads the object, or the list, whose bracket jscan_peek has returned.  Calls TAKE for each member
 * after its colon, NAME being valid until then, or for each element, I counting from 0; TAKE reads
 * the value.  What TAKE returns, unless it is 0, ends the walk and is returned; it may also be a
 * number of its own, below 0.
 */
typedef int jscan_member(void *ctx, struct slice name, struct err *e);
typedef int jscan_element(void *ctx, uint64_t i, struct err *e);
int jscan_members(struct jscan *j, jscan_member *take, void *ctx, struct err *e)
    __attribute__((warn_unused_result));
int jscan_elements(struct jscan *j, jscan_element *take, void *ctx, struct err *e)
    __attribute__((warn_unused_result));

/* The unread part of the window, to be read again by other code. */
struct slice jscan_ahead(const struct jscan *j);

/* A fill that reads from memory: ctx is a struct slice, the rest of the text. */
int jscan_fill_text(void *ctx, char *dst, size_t n, size_t *got, struct err *e);

/* A piece that goes nowhere. */
int jscan_drop(void *ctx, struct slice text, struct err *e);

/* The text of a token: all of it, or a string without its quotes. */
struct slice jscan_spelling(const char *text, const struct jscan_token *k);
struct slice jscan_inside(const char *text, const struct jscan_token *k);

/* Is the token a string that means WORD, of at most JTEXT_WORD_MAX bytes, in any spelling? */
bool jscan_is(const char *text, const struct jscan_token *k, struct slice word);

#endif
