/* SPDX-License-Identifier: ISC */
/*
 * typeunits.h - the units of a Perun profile's resources: the member units of its header.
 *
 * It maps types, or types with subtypes, to units: {"memory": "B", "mixed(time delta)": "us"}; see
 * the Perun documentation, Profile Format, header.  Perun itself does not enforce the form.
 */
#ifndef AFPIPE_PERUN_READ_TYPEUNITS_H
#define AFPIPE_PERUN_READ_TYPEUNITS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/err.h"
#include "lib/json/jscan.h"
#include "lib/slice.h"
#include "lib/tab.h"

#define TYPEUNITS_NAME_MAX ((size_t)4096) /* bytes of TYPE(SUBTYPE); longer ones have no unit */
#define TYPEUNITS_TEXT_MAX ((size_t)256) /* bytes; whatever is longer is no unit */

/* { 0 } has no units. */
struct typeunits {
	struct tab names; /* TYPE or TYPE(SUBTYPE) */
	struct tab texts;
	uint32_t *text; /* by name: the number of its unit in texts, plus 1; 0: none */
	size_t cap;
	struct buf scratch;
};

void typeunits_free(struct typeunits *u);

/*
 * Stores the units in a header, whose tokens these are.  If a name is repeated, the last value is
 * used, as in Python.  Fails only if memory runs out.
 */
int typeunits_add(struct typeunits *u, const char *text, const struct jscan_token *header,
    struct err *e) __attribute__((warn_unused_result));

/*
 * Finds the unit of a resource, as raw bytes which live as long as u: that of its type and subtype,
 * otherwise that of its type.  It is empty if there is none.  A subtype may be empty.  Returns
 * false if memory runs out.
 */
bool typeunits_find(struct typeunits *u, struct slice type, struct slice subtype,
    struct slice *unit) __attribute__((warn_unused_result));

#endif
