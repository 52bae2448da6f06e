/* SPDX-License-Identifier: ISC */
/* pytext.h - JSON's scalars as Python's str() and json.dumps() spell them. */
#ifndef AFPIPE_PERUN_PYTEXT_H
#define AFPIPE_PERUN_PYTEXT_H

#include "lib/buf.h"
#include "src/perun/jscan.h"

#define PYTEXT_FLOAT_MAX 32

/*
 * repr() of the float that a JSON number with point or exponent stands for, to dst, which has
 * room for PYTEXT_FLOAT_MAX bytes; returns how many.  json.dumps: infinities in JSON's words.
 */
size_t pytext_str_float(char *dst, struct slice number);
size_t pytext_dumps_float(char *dst, struct slice number);

/* The double itself; of an integer too, and of the words. */
double pytext_double(struct slice number);

/*
 * str() of a token that is no container.  Borrowed from the token's text where it can be, else
 * from *out, which has room for as many bytes as the token has and PYTEXT_FLOAT_MAX.
 */
struct slice pytext_str(struct buf *out, const char *text, const struct jscan_token *k);

/*
 * Appends the value at token[INDEX] of a tape as json.dumps(json.loads(TEXT)): ASCII, ", " and
 * ": ", of a repeated name the first place and the last value.  False without memory.
 */
bool pytext_dumps(struct buf *out, const char *text, const struct jscan_token *token,
    uint32_t index) __attribute__((warn_unused_result));

/* Appends bytes (UTF-8, surrogates as three bytes) as a JSON string in ASCII, with quotes. */
bool pytext_quote(struct buf *out, struct slice s) __attribute__((warn_unused_result));

#endif
