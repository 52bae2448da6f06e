/* SPDX-License-Identifier: ISC */
/*
 * pytext.h - spells JSON values as Python's str() and json.dumps() do, and compares them as ==
 * does.
 */
#ifndef AFPIPE_PERUN_PYTEXT_H
#define AFPIPE_PERUN_PYTEXT_H

#include "lib/buf.h"
#include "lib/json/jscan.h"
#include "lib/json/jvalue.h"

#define PYTEXT_FLOAT_MAX 32

/*
 * Writes the repr() of a JSON number with a point or an exponent to dst, which has room for
 * PYTEXT_FLOAT_MAX bytes.  Returns the length.
 */
size_t pytext_str_float(char *dst, struct slice number);

/* Returns a number as a double.  Integers and the words are accepted, too. */
double pytext_double(struct slice number);

/*
 * Returns the str() of a token that is not a container.  It is borrowed from the text of the token
 * if possible, and otherwise from *out, which has room for the token's length plus
 * PYTEXT_FLOAT_MAX.
 */
struct slice pytext_str(struct buf *out, const char *text, const struct jscan_token *k);

/*
 * Takes the first character off a text that is not empty, of well-formed UTF-8 in which surrogates
 * have three bytes.
 */
uint32_t pytext_character(struct slice *s);

/*
 * Appends the value at token[INDEX] of a tape as json.dumps(json.loads(TEXT)) does: in ASCII, with
 * ", " and ": ", with a repeated name once, in its first position and with its last value.  Returns
 * false when memory runs out.
 */
bool pytext_dumps(struct buf *out, const char *text, const struct jscan_token *token,
    uint32_t index) __attribute__((warn_unused_result));

/* Appends a double as json.dumps spells it. */
bool pytext_dumps_double(struct buf *out, double d) __attribute__((warn_unused_result));

/* Appends the str() of the value, which may be a container.  Returns false when memory runs out. */
bool pytext_str_of(struct buf *out, const char *text, const struct jscan_token *token,
    uint32_t index) __attribute__((warn_unused_result));

/*
 * Appends a text that is equal for two values exactly if Python treats them as equal: 1, 1.0 and
 * true, dictionaries in any order, and here all NaNs.  Returns false when memory runs out.
 */
bool pytext_identity(struct buf *out, struct jvalue *v, uint32_t index)
    __attribute__((warn_unused_result));

#endif
