/* SPDX-License-Identifier: ISC */
/* members.h - the members of an object as in Python's dict. */
#ifndef AFPIPE_PERUN_MEMBERS_H
#define AFPIPE_PERUN_MEMBERS_H

#include <stdint.h>

#include "lib/buf.h"
#include "lib/json/jscan.h"

/* Indices of a member's name (its first occurrence) and value (the last occurrence). */
struct member {
	uint32_t name, value;
};

/* A stack of them.  { 0 } is empty. */
struct members {
	struct member *m;
	size_t n, cap;
	struct buf names; /* scratch */
};

void members_free(struct members *s);

/* Pushes the members of the object at token[index].  False without memory. */
bool members_push(struct members *s, const char *text, const struct jscan_token *token,
    uint32_t index) __attribute__((warn_unused_result));

/*
 * Is token[index] a list of dictionaries with only name and value, which newer versions of Perun
 * treat as a dictionary?  -1 without memory.
 */
int members_is_named(struct members *s, const char *text, const struct jscan_token *token,
    uint32_t index) __attribute__((warn_unused_result));

/* Pushes the members of that dictionary; a name need not be a string.  False without memory. */
bool members_push_named(struct members *s, const char *text, const struct jscan_token *token,
    uint32_t index) __attribute__((warn_unused_result));

#endif
