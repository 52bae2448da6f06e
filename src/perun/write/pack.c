/* SPDX-License-Identifier: ISC */
/* pack.c - Perun's object for a document, and its name. */
#include "src/perun/write/pack.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/zip.h"

#define CHUNK ((size_t)64 * 1024)
#define LABEL_MAX 64
#define SHA1_BYTES 20

/* SHA-1 (FIPS 180-4, 6.1). */
struct sha1 {
	uint32_t h[5];
	uint64_t len;
	unsigned char block[64];
};

static uint32_t
rotate(uint32_t v, unsigned n)
{
	return v << n | v >> (32 - n);
}

static void
sha1_begin(struct sha1 *s)
{
	*s = (struct sha1){ .h = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0 } };
}

static void
take_block(struct sha1 *s)
{
	static const uint32_t k[4] = { 0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6 };
	uint32_t w[80], a = s->h[0], b = s->h[1], c = s->h[2], d = s->h[3], e = s->h[4], f, next;
	const unsigned char *p = s->block;
	unsigned i;

	for (i = 0; i < 16; i++, p += 4)
		w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
	for (; i < 80; i++)
		w[i] = rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
	for (i = 0; i < 80; i++) {
		f = i < 20              ? (b & c) | (~b & d)
		    : i < 40 || i >= 60 ? b ^ c ^ d
					: (b & c) | (b & d) | (c & d);
		next = rotate(a, 5) + f + e + k[i / 20] + w[i];
		e = d;
		d = c;
		c = rotate(b, 30);
		b = a;
		a = next;
	}
	s->h[0] += a;
	s->h[1] += b;
	s->h[2] += c;
	s->h[3] += d;
	s->h[4] += e;
}

static void
sha1_add(struct sha1 *s, const void *data, size_t n)
{
	const unsigned char *p = data;

	while (n > 0) {
		size_t have = s->len % 64, part = 64 - have < n ? 64 - have : n;

		memcpy(s->block + have, p, part);
		s->len += part;
		p += part;
		n -= part;
		if (s->len % 64 == 0)
			take_block(s);
	}
}

static void
sha1_end(struct sha1 *s, unsigned char digest[SHA1_BYTES])
{
	static const unsigned char pad[64] = { 0x80 };
	uint64_t bits = s->len * 8;
	unsigned char length[8];
	unsigned i;

	for (i = 0; i < 8; i++)
		length[i] = (unsigned char)(bits >> (56 - 8 * i));
	sha1_add(s, pad, 1 + (119 - s->len % 64) % 64);
	sha1_add(s, length, sizeof length);
	for (i = 0; i < SHA1_BYTES; i++)
		digest[i] = (unsigned char)(s->h[i / 4] >> (24 - 8 * (i % 4)));
}

/* Receives the bytes of the object in order.  last is set if there are no more. */
typedef int take_bytes(void *ctx, const void *data, size_t n, bool last, struct err *e);

/* Passes on the label with its NUL, then the document. */
static int
each_chunk(struct spool *doc, struct slice type, take_bytes *take, void *ctx, struct err *e)
{
	char label[LABEL_MAX], chunk[CHUNK];
	int rc = spool_rewind(doc, e), n;
	off_t len, at;
	size_t got = 1;

	if (rc != 0)
		return rc;
	len = lseek(doc->file.fd, 0, SEEK_END);
	if (len < 0)
		return err_sys(e, EIO, "cannot read the temporary file");
	n = snprintf(label, sizeof label, "profile %.*s %llu", (int)type.len, type.p,
	    (unsigned long long)len);
	rc = take(ctx, label, (size_t)n + 1, false, e);
	for (at = 0; rc == 0 && at < len; at += (off_t)got) {
		rc = spool_read(doc, chunk, CHUNK, &got, e);
		if (rc == 0 && got == 0)
			rc = err_data(e, "the temporary file has become shorter");
		if (rc == 0)
			rc = take(ctx, chunk, got, at + (off_t)got == len, e);
	}
	return rc;
}

static int
take_zlib(void *ctx, const void *data, size_t n, bool last, struct err *e)
{
	return zip_put(ctx, data, n, last, e);
}

int
pack_object(struct out *o, struct spool *doc, struct slice type, struct err *e)
{
	struct zip z;
	int rc = zip_open(&z, o, ZIP_ZLIB, e);

	if (rc != 0)
		return rc;
	rc = each_chunk(doc, type, take_zlib, &z, e);
	zip_close(&z);
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
pack_name(struct out *o, struct spool *doc, struct slice type, struct err *e)
{
	unsigned char digest[SHA1_BYTES];
	char text[2 * SHA1_BYTES + 2];
	struct sha1 s;
	int rc, i;

	sha1_begin(&s);
	rc = each_chunk(doc, type, take_sha1, &s, e);
	if (rc != 0)
		return rc;
	sha1_end(&s, digest);
	for (i = 0; i < SHA1_BYTES; i++)
		snprintf(text + 2 * i, 3, "%02x", digest[i]);
	text[2 * SHA1_BYTES] = '\n';
	out_put(o, text, 2 * SHA1_BYTES + 1);
	return 0;
}
