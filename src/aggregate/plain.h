/* SPDX-License-Identifier: ISC */
/* plain.h - writes a number of the stream as digits with an optional point and nothing else. */
#ifndef AFPIPE_PLAIN_H
#define AFPIPE_PLAIN_H

#include <stddef.h>

#include "lib/slice.h"

#define PLAIN_MAX 400 /* bytes that plain_put needs */

/*
 * Writes NUMBER, in the spelling of tally_put, without an exponent; returns the length.  0 if it
 * is below 0, infinite or not a number.
 */
size_t plain_put(char *dst, struct slice number);

#endif
