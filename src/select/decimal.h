/* SPDX-License-Identifier: ISC */
/* decimal.h - compares numbers as the stream spells them, of any length and exactly. */
#ifndef AFPIPE_SELECT_DECIMAL_H
#define AFPIPE_SELECT_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/num.h"
#include "lib/slice.h"

enum decimal_class { DECIMAL_FINITE, DECIMAL_INFINITE, DECIMAL_NAN };

/* May be copied.  The text from which it was read must outlive it. */
struct decimal {
	enum decimal_class class;
	bool negative;
	int64_t point; /* it is 0.DIGITS * 10^point */
	struct slice digits; /* the first is not 0; there may be a '.'; empty for 0 */
	char hex[NUM_MAX]; /* the digits of a number that was hexadecimal, if digits.p is NULL */
};

/*
 * Reads decimal digits with an optional sign '-', point and exponent (of at most nine digits), 0x
 * with up to 16 hexadecimal digits, inf, -inf or nan.  Returns false for any other text.
 */
bool decimal_read(struct decimal *n, struct slice s);

/* Returns a number below, equal to or above 0, as a is to b.  Neither is a nan. */
int decimal_cmp(const struct decimal *a, const struct decimal *b);

#endif
