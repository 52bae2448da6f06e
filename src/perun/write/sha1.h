/* SPDX-License-Identifier: ISC */
/* sha1.h - SHA-1 (FIPS 180-4, 6.1), by which Perun names its objects. */
#ifndef AFPIPE_PERUN_WRITE_SHA1_H
#define AFPIPE_PERUN_WRITE_SHA1_H

#include <stddef.h>
#include <stdint.h>

#define SHA1_BYTES 20

struct sha1 {
	uint32_t h[5];
	uint64_t len;
	unsigned char block[64];
};

void sha1_begin(struct sha1 *s);
void sha1_add(struct sha1 *s, const void *data, size_t n);
void sha1_end(struct sha1 *s, unsigned char digest[SHA1_BYTES]);

#endif
