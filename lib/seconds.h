/* SPDX-License-Identifier: ISC */
/*
 * seconds.h - the times of a column, in nanoseconds, as seconds for people.
 *
 *	for each time: if (!seconds_see(time, &decimals)) show the column as it is
 *	for each time that is not ".": seconds_put(text, time, decimals)
 */
#ifndef AFPIPE_SECONDS_H
#define AFPIPE_SECONDS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/slice.h"

#define SECONDS_MAX 80 /* bytes of a time as seconds */

/*
 * Raises *decimals, 0 at first, to what a time in nanoseconds needs: 0, 3, 6 or 9.  Returns false
 * if it is neither a time nor ".".
 */
bool seconds_see(struct slice ns, int *decimals) __attribute__((warn_unused_result));

/* Writes such a time, which is not ".", as seconds.  Returns its length. */
size_t seconds_put(char text[SECONDS_MAX], struct slice ns, int decimals);

#endif
