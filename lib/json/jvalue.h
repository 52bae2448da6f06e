/* SPDX-License-Identifier: ISC */
/* jvalue.h - a JSON value in memory, and what is in it. */
#ifndef AFPIPE_JSON_JVALUE_H
#define AFPIPE_JSON_JVALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/err.h"
#include "lib/json/jdict.h"
#include "lib/json/jscan.h"

#define JVALUE_NONE UINT32_MAX
#define JVALUE_NO_MEMORY (UINT32_MAX - 1)

/* j.text and j.token are the text and its tape; a value in it is the index of its token. */
struct jvalue {
	struct jscan j;
	struct jdict members; /* for callers: members that they push, and pop */

	/* Internal. */
	struct slice left;
	struct buf name;
};

/* False without memory.  { 0 } may be closed. */
bool jvalue_open(struct jvalue *v) __attribute__((warn_unused_result));
void jvalue_close(struct jvalue *v);

/*
 * Reads one JSON text with nothing after it, of at most JSCAN_VALUE_MAX bytes; jvalue_read_long one
 * of any length.  ERR_DATA, without a place: it is not that.
 */
int jvalue_read(struct jvalue *v, struct slice json, struct err *e)
    __attribute__((warn_unused_result));
int jvalue_read_long(struct jvalue *v, struct slice json, struct err *e)
    __attribute__((warn_unused_result));

/* The text of a value: all of it, or a string without its quotes. */
struct slice jvalue_spelling(const struct jvalue *v, uint32_t index);
struct slice jvalue_inside(const struct jvalue *v, uint32_t index);

/*
 * The member with that name of the object at INDEX; if repeated, the last.  JVALUE_NONE if there is
 * none, or JVALUE_NO_MEMORY.
 */
uint32_t jvalue_member(struct jvalue *v, uint32_t index, struct slice name);

/* The same in *member.  ERR_DATA, "OF has no NAME", if there is none; ERR_SYS. */
int jvalue_need(struct jvalue *v, uint32_t index, const char *of, const char *name,
    uint32_t *member, struct err *e) __attribute__((warn_unused_result));

/* Does the string at INDEX mean that text?  -1 without memory. */
int jvalue_is(struct jvalue *v, uint32_t index, struct slice text);

#endif
