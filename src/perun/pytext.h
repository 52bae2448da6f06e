/* SPDX-License-Identifier: ISC */
/* pytext.h - spells JSON's values as Python's str() and json.dumps(), and compares them as ==. */
#ifndef AFPIPE_PERUN_PYTEXT_H
#define AFPIPE_PERUN_PYTEXT_H

#include "lib/buf.h"
#include "lib/json/jscan.h"
#include "lib/json/jvalue.h"

#define PYTEXT_FLOAT_MAX 32

/*
 * Writes repr() of the float of a JSON number with point or exponent to dst, which has room for
 * PYTEXT_FLOAT_MAX bytes; returns the length.
 */
size_t pytext_str_float(char *dst, struct slice number);

/* The double itself; accepts integers and the words, too. */
double pytext_double(struct slice number);

/*
 * str() of a token that is not a container.  Borrowed from the token's text if possible, else from
 * *out, which has room for the token's length plus PYTEXT_FLOAT_MAX.
 */
struct slice pytext_str(struct buf *out, const char *text, const struct jscan_token *k);

/*
 * Appends the value at token[INDEX] of a tape as json.dumps(json.loads(TEXT)): ASCII, ", " and
 * ": ", and for a repeated name the first place and the last value.  False without memory.
 */
bool pytext_dumps(struct buf *out, const char *text, const struct jscan_token *token,
    uint32_t index) __attribute__((warn_unused_result));

/* The same for a double, as json.dumps spells it. */
bool pytext_dumps_double(struct buf *out, double d) __attribute__((warn_unused_result));

/* Appends str() of the value, which may be a container.  False without memory. */
bool pytext_str_of(struct buf *out, const char *text, const struct jscan_token *token,
    uint32_t index) __attribute__((warn_unused_result));

/*
 * Appends a text that is equal for two values exactly if Python treats them as equal: 1, 1.0 and
 * true, dictionaries in any order, and here all NaNs.  False without memory.
 */
bool pytext_identity(struct buf *out, struct jvalue *v, uint32_t index)
    __attribute__((warn_unused_result));

#endif
