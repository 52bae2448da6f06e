/* SPDX-License-Identifier: ISC */
/*
 * jscan.h - reads a JSON text as it arrives, one token or one value at a time.
 *
 * It accepts the texts that Python's json.loads accepts: RFC 8259, and also NaN, Infinity,
 * -Infinity, integers of any size, lone surrogates and repeated keys.  Containers may be nested
 * JSCAN_DEPTH deep.  A value is checked and copied byte for byte, but without the white space
 * between its tokens, and a tape lists its tokens.  Memory is needed only for the window and the
 * current value.
 *
 *	struct jscan j = { .fill = fill, .ctx = &in };		fill calls in_read (lib/in.h)
 *	if (!jscan_open(&j)) no memory
 *	rc = jscan_value(&j, limit, &e);	one value: j.text, and its tape j.token
 *	or: rc = jscan_peek(&j, &c, &e), then jscan_members or jscan_elements, which call back
 *	jscan_close(&j);
 *
 * Calls return 0 or an error code.  After an error in the text or from a callback set in *j, every
 * call returns the same error until jscan_restart.
 *
 * Errors in the text are ERR_DATA, and their place is the line of the offending byte (ERR_LINE).
 * The message begins with "column N: ", counted in characters.  Lines and columns start at 1.  The
 * place of a value is not kept: once jscan_value has returned, jscan_expected can only point past
 * the value.  To reject a value at its first byte, call jscan_peek and jscan_expected before
 * reading it.  A caller that rejects a value later must describe its place in another way.
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
#define JSCAN_NAME_MAX ((size_t)256 * 1024) /* bytes of a member's name that is decoded */

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

/* A token of a value.  Each member of an object is a string token followed by its value. */
struct jscan_token {
	uint32_t off, len; /* of its text in the value's text; for a string without its quotes */
	uint32_t next; /* index of the first token after this one and its contents */
	uint8_t kind, flags;
};

struct jscan {
	/* Reads up to n bytes; *got is 0 only at the end.  The caller sets fill and ctx. */
	int (*fill)(void *ctx, char *dst, size_t n, size_t *got, struct err *e);
	void *ctx;

	/*
	 * Receives a value that is longer than its limit, in pieces of exactly that many bytes.
	 * The last piece, which may be shorter, is left in text.  It has no tape.  If piece is
	 * NULL, such a value is an error.
	 */
	int (*piece)(void *ctx, struct slice text, struct err *e);
	void *piece_ctx;

	/* The last value.  Reading the next value or name overwrites its text and tape. */
	char *text; /* text_len bytes and a NUL */
	size_t text_len;
	struct jscan_token *token;
	size_t tokens;
	unsigned flags; /* of all its strings, combined */
	bool in_pieces; /* text is only the last piece, not empty; piece has received the rest */

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

/* *j must be zeroed apart from the callbacks.  Returns false if memory runs out. */
bool jscan_open(struct jscan *j) __attribute__((warn_unused_result));

/* Starts another text, from the same or another source. */
void jscan_restart(struct jscan *j);
void jscan_close(struct jscan *j);

/*
 * Peeks at the next byte that is not white space and stores it in *c without consuming it.  Stores
 * -1 at the end.
 */
int jscan_peek(struct jscan *j, int *c, struct err *e) __attribute__((warn_unused_result));

/*
 * Reports an error at the next token: "expected WHAT" or, at the end, "the text ends, expected
 * WHAT".  Call jscan_peek first, which skips the white space before that token.
 */
int jscan_expected(struct jscan *j, const char *what, struct err *e);

/*
 * Reads the next value.  A value of more than LIMIT bytes is returned in pieces.  LIMIT is at most
 * JSCAN_VALUE_MAX, unless the text is in memory anyway and no longer than LIMIT.
 */
int jscan_value(struct jscan *j, size_t limit, struct err *e) __attribute__((warn_unused_result));

/*
 * Passes over the next value several times as fast, and looks only for the end of its containers.
 * For text that will be read again, which then checks it: of damaged text it may pass over more or
 * less than a value.  It has no text and no tape.
 */
int jscan_skip(struct jscan *j, struct err *e) __attribute__((warn_unused_result));

/*
 * Reads a member's name and its colon, and appends the decoded name to *name.  A lone surrogate
 * becomes three bytes.
 */
int jscan_name(struct jscan *j, struct buf *name, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Call it before each element or member of a container that the caller has opened.  It skips the
 * comma, or else skips the closing BRACKET and sets *more to false.  *first is true before the
 * first call.
 */
int jscan_next(struct jscan *j, char bracket, bool *first, bool *more, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Read the object or array whose bracket jscan_peek has returned.  For each member they call TAKE
 * after the colon, with its decoded NAME, valid during the call.  For each element they call TAKE
 * with its index I, from 0.  TAKE must read the value.  If it returns anything but 0, the walk ends
 * and returns that code, which may also be a negative number of the caller's own.
 */
typedef int jscan_member(void *ctx, struct slice name, struct err *e);
typedef int jscan_element(void *ctx, uint64_t i, struct err *e);
int jscan_members(struct jscan *j, jscan_member *take, void *ctx, struct err *e)
    __attribute__((warn_unused_result));
int jscan_elements(struct jscan *j, jscan_element *take, void *ctx, struct err *e)
    __attribute__((warn_unused_result));

/* Returns the unread part of the window, for other code that reads it again. */
struct slice jscan_ahead(const struct jscan *j);

/* A fill function that reads from memory: ctx points to a struct slice, the rest of the text. */
int jscan_fill_text(void *ctx, char *dst, size_t n, size_t *got, struct err *e);

/* A piece function that discards the pieces. */
int jscan_drop(void *ctx, struct slice text, struct err *e);

/* Return the text of a token.  jscan_inside returns a string without its quotes. */
struct slice jscan_spelling(const char *text, const struct jscan_token *k);
struct slice jscan_inside(const char *text, const struct jscan_token *k);

/*
 * Returns true if the token is a string that means WORD, however it is escaped.  WORD has at most
 * JTEXT_WORD_MAX bytes.
 */
bool jscan_is(const char *text, const struct jscan_token *k, struct slice word);

#endif
