/* SPDX-License-Identifier: ISC */
/* value.h - the values of a header: digits, times, versions. */
#ifndef AFPIPE_DCPI_VALUE_H
#define AFPIPE_DCPI_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/slice.h"

/* Return the index of the first byte that is not a digit, or s.len if all bytes are digits. */
size_t dcpi_value_digits(struct slice s);
size_t dcpi_value_hex_digits(struct slice s);

/* Read such digits, including leading zeros.  Return false if the number is 2^64 or more. */
bool dcpi_value_decimal(struct slice s, uint64_t *v);
bool dcpi_value_hex(struct slice s, uint64_t *v);

/* pdb-MAJOR.MINOR: any number of digits without leading zeros ("0" for zero). */
struct value_version {
	struct slice major, minor;
};

/* Returns false if the text has a different form.  *rest is then the text after the valid part. */
bool dcpi_value_version(struct slice s, struct value_version *v, struct slice *rest);

enum value_epoch {
	EPOCH_DIGITS, /* not digits, or the wrong number of digits */
	EPOCH_RANGE, /* a part is out of range, and *what names it */
	EPOCH_10, /* YYMMDDHHMM, where 70 to 99 mean 1970 to 1999 */
	EPOCH_12, /* YYYYMMDDHHMM, written by later releases */
	EPOCH_14, /* YYYYMMDDHHMMSS */
};

/* Converts a time to seconds since 1970. */
enum value_epoch dcpi_value_epoch(struct slice s, int64_t *seconds, const char **what);

#endif
