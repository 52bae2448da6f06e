/* SPDX-License-Identifier: ISC */
/*
 * jwrite.h - writes parts of a JSON text.  The caller writes the punctuation (jwrite_raw).
 *
 * Failures are kept in the output: lack of memory as ENOMEM in out.error.
 */
#ifndef AFPIPE_JSON_JWRITE_H
#define AFPIPE_JSON_JWRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/out.h"
#include "lib/slice.h"

struct jwrite {
	struct out *out; /* borrowed */
	struct buf text, quoted; /* scratch */
};

void jwrite_free(struct jwrite *j);

/* Writes a constant as it is. */
void jwrite_raw(struct jwrite *j, const char *s);

/* Writes any bytes as a string, in ASCII (jtext_quote). */
void jwrite_text(struct jwrite *j, struct slice s);

/* Writes an element of a list of the stream, or a column, as a string: ';' is never escaped. */
void jwrite_element(struct jwrite *j, struct slice s);

void jwrite_u64(struct jwrite *j, uint64_t v);

/* Writes v / 10^decimals exactly, without zeros at the end.  There are fewer than 20 decimals. */
void jwrite_decimal(struct jwrite *j, uint64_t v, unsigned decimals);

/*
 * Stores the JSON number for a value of the stream: an integer with all its digits, or the shortest
 * digits of a double.  room has NUM_MAX bytes.  Returns false for anything else, such as inf or
 * -007.
 */
bool jwrite_number(struct slice value, char *room, struct slice *number)
    __attribute__((warn_unused_result));

#endif
