/* SPDX-License-Identifier: ISC */
/*
 * jvalue.h - a JSON value in memory, and access to its parts.
 *
 * A read copies the value, so the caller may free or change the JSON text afterwards.  The copy and
 * its tape belong to the jvalue.  Token indices, and slices that point into the copy, are valid
 * until the next read, even if that fails, or until jvalue_close.  A caller that needs a part for
 * longer must copy it.  An open jvalue must not be moved, since its scanner points into it.
 */
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

/* j.text is the text and j.token its tape.  A value is the index of its token; the root is 0. */
struct jvalue {
	struct jscan j;
	struct jdict members; /* for callers, which push members and pop them again */

	/* Internal. */
	struct slice left;
	struct buf name;
};

/* jvalue_open returns false if memory runs out.  jvalue_close also accepts { 0 }. */
bool jvalue_open(struct jvalue *v) __attribute__((warn_unused_result));
void jvalue_close(struct jvalue *v);

/*
 * Reads one JSON text with nothing after it, of at most JSCAN_VALUE_MAX bytes.  jvalue_read_long
 * reads one of any length.  Both return ERR_DATA for anything else, without a place, though the
 * message still begins with the column.
 */
int jvalue_read(struct jvalue *v, struct slice json, struct err *e)
    __attribute__((warn_unused_result));
int jvalue_read_long(struct jvalue *v, struct slice json, struct err *e)
    __attribute__((warn_unused_result));

/* Return the text of a value.  jvalue_inside returns a string without its quotes. */
struct slice jvalue_spelling(const struct jvalue *v, uint32_t index);
struct slice jvalue_inside(const struct jvalue *v, uint32_t index);

/*
 * Returns the value of the member with that name in the object at INDEX, the last one if there are
 * several.  Returns JVALUE_NONE if there is none, or JVALUE_NO_MEMORY.
 */
uint32_t jvalue_member(struct jvalue *v, uint32_t index, struct slice name);

/*
 * Stores the same value in *member.  If there is none, returns ERR_DATA with "OF has no NAME".
 * Returns ERR_SYS if memory runs out.
 */
int jvalue_need(struct jvalue *v, uint32_t index, const char *of, const char *name,
    uint32_t *member, struct err *e) __attribute__((warn_unused_result));

/* Returns 1 if the string at INDEX means that text, 0 if not, and -1 if memory runs out. */
int jvalue_is(struct jvalue *v, uint32_t index, struct slice text);

#endif
