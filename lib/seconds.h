/* SPDX-License-Identifier: ISC */
/*
 * seconds.h - the times of a column, in nanoseconds, as seconds for people; texts of seconds.
 *
 *	for each time: if (!seconds_see(time, &decimals)) show the column as it is
 *	for each time that is not ".": seconds_put(text, time, decimals)
 */
#ifndef AFPIPE_SECONDS_H
#define AFPIPE_SECONDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/slice.h"

#define SECONDS_MAX 80 /* bytes of a time as seconds */

/*
 * Raises *decimals, 0 at first, to what a time in nanoseconds needs: 0, 3, 6 or 9.  Returns false
 * if it is neither a time nor ".".
 */
bool seconds_see(struct slice ns, int *decimals) __attribute__((warn_unused_result));

/* Writes such a time, which is not ".", as seconds.  Returns its length. */
size_t seconds_put(char text[SECONDS_MAX], struct slice ns, int decimals);

/*
 * Reads a decimal number of seconds, with an optional sign, point and exponent; .5 and 5. are
 * numbers, too.  Rounds to the nearest nanosecond, and half a nanosecond up.  Returns false if the
 * text is anything else, below 0, or too large.
 */
bool seconds_get(struct slice s, uint64_t *ns) __attribute__((warn_unused_result));

/* The years 0000 to 9999, in seconds since 1970. */
#define SECONDS_DAY INT64_C(86400)
#define SECONDS_WALL_MIN (INT64_C(-719528) * SECONDS_DAY)
#define SECONDS_WALL_MAX (INT64_C(2932897) * SECONDS_DAY - 1)

/*
 * Reads a time of day (tag wall of a run), in the same spellings, also below 0.  Digits beyond
 * nanoseconds are dropped.  *ns counts from the second below, so it is 0 to 999999999.  Returns
 * false if the text is anything else, or not in those years.
 */
bool seconds_get_wall(struct slice s, int64_t *sec, uint32_t *ns)
    __attribute__((warn_unused_result));

#endif
