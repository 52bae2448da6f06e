/* SPDX-License-Identifier: ISC */
/* delta.h - the exact difference of two values. */
#ifndef AFPIPE_DELTA_H
#define AFPIPE_DELTA_H

#include <stdbool.h>

#include "lib/buf.h"
#include "lib/slice.h"

/* Is it an integer of any length, or a double in range? */
bool delta_is_number(struct slice value);

/*
 * Replaces the contents of out with a - b, both numbers.  For two integers it is their difference,
 * of any length; otherwise the double nearest to the exact difference (IEEE 754 if one of them is
 * infinite or nan).  False when there is no memory.
 */
bool delta_put(struct buf *out, struct slice a, struct slice b) __attribute__((warn_unused_result));

#endif
