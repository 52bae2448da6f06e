/* SPDX-License-Identifier: ISC */
/* sha1.c - SHA-1 (FIPS 180-4, 6.1). */
#include "src/perun/write/sha1.h"

#include <string.h>

static uint32_t
rotate(uint32_t v, unsigned n)
{
	return v << n | v >> (32 - n);
}

void
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

void
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

void
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
