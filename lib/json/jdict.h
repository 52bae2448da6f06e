/* SPDX-License-Identifier: ISC */
/* jdict.h - the members of a JSON object as a dictionary, as Python would build it. */
#ifndef AFPIPE_JSON_JDICT_H
#define AFPIPE_JSON_JDICT_H

#include <stdint.h>

#include "lib/buf.h"
#include "lib/json/jscan.h"

/* Two tokens: a member's name (its first occurrence) and its value (the last occurrence). */
struct jdict_member {
	uint32_t name, value;
};

/* A stack of members.  { 0 } is empty.  To pop members, the caller reduces n. */
struct jdict {
	struct jdict_member *m;
	size_t n, cap;
	struct buf names; /* scratch */
};

void jdict_free(struct jdict *d);

/* Pushes the members of the object at token[index].  Returns false if memory runs out. */
bool jdict_push(struct jdict *d, const char *text, const struct jscan_token *token, uint32_t index)
    __attribute__((warn_unused_result));

/*
 * Do the same in two steps, for members from elsewhere.  jdict_add adds one member.  jdict_unite
 * then merges members with equal names, starting at m[FROM]: the first one gets the value of the
 * last one, and the others are removed.  Both return false if memory runs out.
 */
bool jdict_add(struct jdict *d, struct jdict_member m) __attribute__((warn_unused_result));
bool jdict_unite(struct jdict *d, size_t from, const char *text, const struct jscan_token *token)
    __attribute__((warn_unused_result));

#endif
