/* SPDX-License-Identifier: ISC */
/* plain.h - a number of the stream as digits with a point and nothing else. */
#ifndef AFPIPE_PLAIN_H
#define AFPIPE_PLAIN_H

#include <stddef.h>

#include "lib/slice.h"

#define PLAIN_MAX 400 /* bytes that plain_put needs */

/*
 * NUMBER, as tally_put spells it, without an exponent; returns how many bytes it took.  0 for
 * what is below 0, infinite or no number.
 */
size_t plain_put(char *dst, struct slice number);

#endif
