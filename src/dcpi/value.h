/* SPDX-License-Identifier: ISC */
/* value.h - the values of a header: digits, times, versions. */
#ifndef AFPIPE_DCPI_VALUE_H
#define AFPIPE_DCPI_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/slice.h"

/* The place of the first byte that is not a digit; s.len if all are. */
size_t dcpi_value_digits(struct slice s);
size_t dcpi_value_hex_digits(struct slice s);

/* Reads such digits, leading zeros included.  False if the number is 2^64 or more. */
bool dcpi_value_decimal(struct slice s, uint64_t *v);
bool dcpi_value_hex(struct slice s, uint64_t *v);

/* pdb-MAJOR.MINOR, digits of any number, without leading zeros ("0" for zero). */
struct value_version {
	struct slice major, minor;
};

/* False if it has another form; *rest is then what follows the valid part. */
bool dcpi_value_version(struct slice s, struct value_version *v, struct slice *rest);

enum value_epoch {
	EPOCH_DIGITS, /* not digits, or the wrong number of digits */
	EPOCH_RANGE, /* a part is out of range; *what names it */
	EPOCH_10, /* YYMMDDHHMM, 70 to 99 being 1970 to 1999 */
	EPOCH_12, /* YYYYMMDDHHMM, as later releases write it */
	EPOCH_14, /* YYYYMMDDHHMMSS */
};

/* Seconds since 1970. */
enum value_epoch dcpi_value_epoch(struct slice s, int64_t *seconds, const char **what);

#endif
