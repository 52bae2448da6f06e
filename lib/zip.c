/* SPDX-License-Identifier: ISC */
/* zip.c - compresses to an output, by zlib. */
#include "lib/zip.h"

#include <string.h>

#define PART ((size_t)64 * 1024)
#define WINDOW_BITS 15
#define GZIP_BITS 16 /* added to them: zlib's sign for gzip */
#define MEMORY_LEVEL 8

int
zip_open(struct zip *z, struct out *o, enum zip_format format, struct err *e)
{
	int bits = format == ZIP_GZIP ? WINDOW_BITS + GZIP_BITS : WINDOW_BITS;

	*z = (struct zip){ .o = o };
	return deflateInit2(&z->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, bits, MEMORY_LEVEL,
		   Z_DEFAULT_STRATEGY) == Z_OK
	    ? 0
	    : err_nomem(e);
}

/* Compresses a part of at most PART bytes.  zlib's input is not const, so it is copied. */
static int
put_part(struct zip *z, const void *data, size_t n, int flush, struct err *e)
{
	unsigned char input[PART];
	char *room;

	if (n != 0)
		memcpy(input, data, n);
	z->z.next_in = input;
	z->z.avail_in = (uInt)n;
	do {
		room = out_room(z->o, PART);
		if (room == NULL)
			return err_nomem(e);
		z->z.next_out = (unsigned char *)room;
		z->z.avail_out = PART;
		if (deflate(&z->z, flush) == Z_STREAM_ERROR)
			return err_data(e, "zlib failed");
		out_commit(z->o, PART - z->z.avail_out);
	} while (z->z.avail_out == 0);
	return 0;
}

int
zip_put(struct zip *z, const void *data, size_t n, bool last, struct err *e)
{
	const char *p = data;
	int rc;

	for (; n > PART; p += PART, n -= PART)
		if ((rc = put_part(z, p, PART, Z_NO_FLUSH, e)) != 0)
			return rc;
	return put_part(z, p, n, last ? Z_FINISH : Z_NO_FLUSH, e);
}

void
zip_close(struct zip *z)
{
	(void)deflateEnd(&z->z);
}
