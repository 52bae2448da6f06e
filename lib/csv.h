/* SPDX-License-Identifier: ISC */
/*
 * csv.h - a field of a comma-separated record, quoted as RFC 4180 has it.
 *
 * A thin face on libcsv: nobody else includes its header.
 */
#ifndef AFPIPE_CSV_H
#define AFPIPE_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/out.h"

/* A field of n bytes takes at most this many. */
#define CSV_FIELD_MAX(n) (2 * (n) + 2)

/* True when the field has to be quoted: it holds a comma, a quote or a control byte. */
bool csv_field_is_special(const char *s, size_t n);

/* Writes the field to dst, which has room for CSV_FIELD_MAX(n), quoted; returns its length. */
size_t csv_field_quote(char *dst, const char *s, size_t n);

/* Appends the field, quoted only where it has to be; a failure is kept in o->error. */
void csv_field_put(struct out *o, const char *s, size_t n);

#endif
