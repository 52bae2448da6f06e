/* SPDX-License-Identifier: ISC */
/* delta.h - one value less another, exactly. */
#ifndef AFPIPE_DELTA_H
#define AFPIPE_DELTA_H

#include <stdbool.h>

#include "lib/buf.h"
#include "lib/slice.h"

/* An integer of any length, or a double that is not too large for one. */
bool delta_is_number(struct slice value);

/*
 * Replaces what is in out by a - b, both numbers.  Of two integers it is their difference, of any
 * length; otherwise the double that is nearest to the exact difference (IEEE 754 where one of them
 * is infinite or nan).  False when there is no memory.
 */
bool delta_put(struct buf *out, struct slice a, struct slice b) __attribute__((warn_unused_result));

#endif
