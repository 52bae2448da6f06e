/* SPDX-License-Identifier: ISC */
/* value.h - a JSON value as Perun searches it: by a key path; and compared as in Python. */
#ifndef AFPIPE_PERUN_VALUE_H
#define AFPIPE_PERUN_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/err.h"
#include "lib/json/jvalue.h"

/*
 * Appends a text that is equal for two values exactly if Python treats them as equal: 1, 1.0 and
 * true, dictionaries in any order, and here all NaNs.  False without memory.
 */
bool value_identity(struct jvalue *v, uint32_t index, struct buf *out)
    __attribute__((warn_unused_result));

/* The result of a walk along a key path. */
struct value_path {
	uint32_t *found; /* tokens */
	size_t n, cap;
	bool scalar; /* it led into a scalar, or by a name into a list that has this name */
	bool no_memory;
};

/* Adds a token to found.  False, and no_memory, without memory. */
bool value_found(struct value_path *p, uint32_t index);

/*
 * Perun's all_key_values_of: names separated by ":", an empty one for each element of a list.
 * Adds to found.
 */
void value_walk(struct jvalue *v, uint32_t index, struct slice path, struct value_path *p);

#endif
