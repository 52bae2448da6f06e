/* SPDX-License-Identifier: ISC */
/*
 * zip.h - compresses to an output, by zlib.
 *
 *	rc = zip_open(&z, &out, ZIP_GZIP, &e);
 *	rc = zip_put(&z, data, n, last, &e); ...
 *	zip_close(&z);			after zip_open has succeeded
 */
#ifndef AFPIPE_ZIP_H
#define AFPIPE_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <zlib.h>

#include "lib/err.h"
#include "lib/out.h"

enum zip_format { ZIP_ZLIB, ZIP_GZIP }; /* RFC 1950; RFC 1952, without a name and a time */

struct zip {
	z_stream z;
	struct out *o;
};

/* Fails only if memory runs out. */
int zip_open(struct zip *z, struct out *o, enum zip_format format, struct err *e)
    __attribute__((warn_unused_result));

/* Compresses n bytes; last is set with the final ones.  A failure to write is in o->error. */
int zip_put(struct zip *z, const void *data, size_t n, bool last, struct err *e)
    __attribute__((warn_unused_result));

void zip_close(struct zip *z);

#endif
