/* SPDX-License-Identifier: ISC */
/* members.h - the members of an object as Python's dict has them. */
#ifndef AFPIPE_PERUN_MEMBERS_H
#define AFPIPE_PERUN_MEMBERS_H

#include <stdint.h>

#include "lib/buf.h"
#include "src/perun/jscan.h"

/* Indices of a member's name (where it stands first) and value (where it stands last). */
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

/* Pushes those of the object at token[index].  False without memory. */
bool members_push(struct members *s, const char *text, const struct jscan_token *token,
    uint32_t index) __attribute__((warn_unused_result));

/*
 * Is the list at token[index] one of dictionaries with name and value alone, which newer versions
 * of Perun take for a dictionary?  -1 without memory.
 */
int members_is_named(struct members *s, const char *text, const struct jscan_token *token,
    uint32_t index) __attribute__((warn_unused_result));

/* Pushes the members of that dictionary; a name may be no string.  False without memory. */
bool members_push_named(struct members *s, const char *text, const struct jscan_token *token,
    uint32_t index) __attribute__((warn_unused_result));

#endif
