/* SPDX-License-Identifier: ISC */
/*
 * csv.h - a field of a comma-separated record, quoted as RFC 4180 has it.
 *
 * A thin face on libcsv: nobody else includes its header.
 */
#ifndef AFPIPE_CSV_H
#define AFPIPE_CSV_H

#include <stddef.h>

#include "lib/out.h"

/* Appends the field, quoted only where it has to be; a failure is kept in o->error. */
void csv_field_put(struct out *o, const char *s, size_t n);

#endif
