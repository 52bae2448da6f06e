/* SPDX-License-Identifier: ISC */
/*
 * jscan.h - a JSON text, read as it comes: one token or one value at a time.
 *
 * What is taken is what Python's json.loads takes (RFC 8259, and NaN, Infinity, -Infinity,
 * integers of any size, lone surrogates, repeated keys), nested to JSCAN_DEPTH.  A value is
 * checked and copied without the white space between its tokens, otherwise byte for byte, and
 * has a tape of its tokens.  Memory is that of the window and of the value asked for.
 *
 * Calls return 0 or an error's code, which stays: errors of the text have the line, and the
 * column in characters in the message, both from 1.
 */
#ifndef AFPIPE_PERUN_JSCAN_H
#define AFPIPE_PERUN_JSCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/err.h"
#include "lib/slice.h"

#define JSCAN_DEPTH 900 /* containers in one another; Python gives up a little below 1000 */
#define JSCAN_VALUE_MAX ((size_t)16 * 1024 * 1024) /* the largest limit of a value */
#define JSCAN_TOKEN_MAX ((size_t)1024 * 1024) /* bytes of a number */
#define JSCAN_WORD_MAX ((size_t)32) /* of a text to compare with */
#define JSCAN_NAME_MAX ((size_t)256 * 1024) /* of a member's name that is cut out */

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
	uint32_t off, len; /* in the value's text; of a string what is between the quotes */
	uint32_t next; /* index of the token behind this one and all that it contains */
	uint8_t kind, flags;
};

struct jscan {
	/* Brings up to n bytes, *got = 0 at the end.  Set by the caller, with ctx. */
	int (*fill)(void *ctx, char *dst, size_t n, size_t *got, struct err *e);
	void *ctx;

	/*
	 * Takes a piece of a value that has grown beyond its limit: as many bytes as that.  Then
	 * all of it comes so, and there is no tape.  NULL: such a value is refused.
	 */
	int (*piece)(void *ctx, struct slice text, struct err *e);
	void *piece_ctx;

	/* The last value. */
	char *text; /* text_len bytes and a NUL */
	size_t text_len;
	struct jscan_token *token;
	size_t tokens;
	unsigned flags; /* of all its strings */
	bool in_pieces; /* all but the last piece, in text and not empty, has been handed out */

	unsigned depth; /* containers that the caller has opened and not closed */

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

/* Another text from its beginning, from the same or another source. */
void jscan_restart(struct jscan *j);
void jscan_close(struct jscan *j);

/* The next byte that is no white space, in *c; -1 at the end. */
int jscan_peek(struct jscan *j, int *c, struct err *e) __attribute__((warn_unused_result));

/* Passes what jscan_peek has shown. */
void jscan_pass(struct jscan *j);

/* An error at the next token: "expected WHAT", or that the text ends. */
int jscan_expected(struct jscan *j, const char *what, struct err *e);

/* The next value; beyond LIMIT bytes of text, at most JSCAN_VALUE_MAX, in pieces. */
int jscan_value(struct jscan *j, size_t limit, struct err *e) __attribute__((warn_unused_result));

/*
 * A member's name and its colon: appended to *name as the bytes that it stands for, lone
 * surrogates as three bytes each.
 */
int jscan_name(struct jscan *j, struct buf *name, struct err *e)
    __attribute__((warn_unused_result));

/*
 * Before the next element or member of a container that the caller has opened: passes the
 * comma, or the closing BRACKET, which makes *more false.  first: none has been read.
 */
int jscan_next(struct jscan *j, char bracket, bool *first, bool *more, struct err *e)
    __attribute__((warn_unused_result));

/* What has not been looked at yet of the window, to be read again from elsewhere. */
struct slice jscan_ahead(const struct jscan *j);

/*
 * Appends the bytes that the inside of a string stands for.  Room for as many bytes as it has
 * is enough.  False without memory.
 */
bool jscan_undo(struct buf *out, struct slice inside) __attribute__((warn_unused_result));

/* Does the string token stand for WORD, of at most JSCAN_WORD_MAX bytes, however it is spelled? */
bool jscan_is(const char *text, const struct jscan_token *k, struct slice word);

#endif
