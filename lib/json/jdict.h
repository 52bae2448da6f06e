/* SPDX-License-Identifier: ISC */
/* jdict.h - the members of a JSON object as a dictionary, such as Python's. */
#ifndef AFPIPE_JSON_JDICT_H
#define AFPIPE_JSON_JDICT_H

#include <stdint.h>

#include "lib/buf.h"
#include "lib/json/jscan.h"

/* Tokens: a member's name (its first occurrence) and value (the last occurrence). */
struct jdict_member {
	uint32_t name, value;
};

/* A stack of them.  { 0 } is empty.  To pop, the caller sets n back. */
struct jdict {
	struct jdict_member *m;
	size_t n, cap;
	struct buf names; /* scratch */
};

void jdict_free(struct jdict *d);

/* Pushes the members of the object at token[index].  False without memory. */
bool jdict_push(struct jdict *d, const char *text, const struct jscan_token *token, uint32_t index)
    __attribute__((warn_unused_result));

/*
 * The same in two steps, for members from elsewhere: each is added, then of equal names among those
 * from m[FROM] on the first gets the last one's value, and the others go.  False without memory.
 */
bool jdict_add(struct jdict *d, struct jdict_member m) __attribute__((warn_unused_result));
bool jdict_unite(struct jdict *d, size_t from, const char *text, const struct jscan_token *token)
    __attribute__((warn_unused_result));

#endif
