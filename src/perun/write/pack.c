/* SPDX-License-Identifier: ISC */
/* pack.c - Perun's object of a document, and its name. */
#include "src/perun/write/pack.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "lib/in.h"
#include "src/perun/write/sha1.h"

#define CHUNK ((size_t)64 * 1024)
#define LABEL_MAX 64

/* Takes the object's bytes in their order; last: there are no more. */
typedef int take_bytes(void *ctx, const void *data, size_t n, bool last, struct err *e);

/* The label with its NUL, then the document. */
static int
each_chunk(int fd, uint64_t len, struct slice type, take_bytes *take, void *ctx, struct err *e)
{
	struct in in = { .fd = fd, .seekable = true };
	char label[LABEL_MAX], chunk[CHUNK];
	int n = snprintf(label, sizeof label, "profile %.*s %llu", (int)type.len, type.p,
	    (unsigned long long)len);
	uint64_t at = 0;
	size_t got = 1;
	int rc = take(ctx, label, (size_t)n + 1, false, e);

	while (rc == 0 && at < len) {
		size_t want = len - at < CHUNK ? (size_t)(len - at) : CHUNK;

		rc = in_read_at(&in, at, chunk, want, &got, e);
		if (rc == 0 && got != want)
			rc = err_data(e, "the temporary file has become shorter");
		at += got;
		if (rc == 0)
			rc = take(ctx, chunk, got, at == len, e);
	}
	return rc;
}

struct packer {
	z_stream z;
	struct out *o;
};

static int
take_zlib(void *ctx, const void *data, size_t n, bool last, struct err *e)
{
	struct packer *p = ctx;
	unsigned char input[CHUNK];
	char *room;

	memcpy(input, data, n);
	p->z.next_in = input;
	p->z.avail_in = (uInt)n;
	do {
		room = out_room(p->o, CHUNK);
		if (room == NULL)
			return err_nomem(e);
		p->z.next_out = (unsigned char *)room;
		p->z.avail_out = CHUNK;
		if (deflate(&p->z, last ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_ERROR)
			return err_data(e, "zlib refuses to go on");
		out_commit(p->o, CHUNK - p->z.avail_out);
	} while (p->z.avail_out == 0);
	return 0;
}

int
pack_object(struct out *o, int fd, uint64_t len, struct slice type, struct err *e)
{
	struct packer p = { .o = o };
	int rc;

	if (deflateInit(&p.z, Z_DEFAULT_COMPRESSION) != Z_OK)
		return err_nomem(e);
	rc = each_chunk(fd, len, type, take_zlib, &p, e);
	(void)deflateEnd(&p.z);
	return rc;
}

static int
take_sha1(void *ctx, const void *data, size_t n, bool last, struct err *e)
{
	(void)last;
	(void)e;
	sha1_add(ctx, data, n);
	return 0;
}

int
pack_name(struct out *o, int fd, uint64_t len, struct slice type, struct err *e)
{
	unsigned char digest[SHA1_BYTES];
	char text[2 * SHA1_BYTES + 2];
	struct sha1 s;
	int rc, i;

	sha1_begin(&s);
	rc = each_chunk(fd, len, type, take_sha1, &s, e);
	if (rc != 0)
		return rc;
	sha1_end(&s, digest);
	for (i = 0; i < SHA1_BYTES; i++)
		snprintf(text + 2 * i, 3, "%02x", digest[i]);
	text[2 * SHA1_BYTES] = '\n';
	out_put(o, text, 2 * SHA1_BYTES + 1);
	return 0;
}
