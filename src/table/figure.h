/* SPDX-License-Identifier: ISC */
/* figure.h - numbers for people: digits and a unit. */
#ifndef AFPIPE_TABLE_FIGURE_H
#define AFPIPE_TABLE_FIGURE_H

#include <stddef.h>

#include "lib/slice.h"

/* The functions write to dst, which has room for FIGURE_MAX bytes, and return the length. */
#define FIGURE_MAX 400

/* Writes a number with that many decimals, at most 9. */
size_t figure_fixed(char *dst, double v, int decimals);

#define FIGURE_EXACT 9007199254740992.0 /* doubles from here on have no fractions */

/* Writes a part as a percentage with a sign, such as +5.00%, with an exponent if it is large. */
size_t figure_percent(char *dst, double v);

/* The same, but with as many digits as it takes to see that a part is not 0. */
size_t figure_percent_sided(char *dst, double v);

/*
 * Writes three digits and a suitable prefix or unit.  unit is the unit of the measure, empty for a
 * plain count.
 */
size_t figure_human(char *dst, double v, struct slice unit);

/* Returns the number of decimals for a column whose largest magnitude is max. */
int figure_decimals(double max);

#endif
