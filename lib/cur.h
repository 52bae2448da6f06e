/* SPDX-License-Identifier: ISC */
/*
 * cur.h - a bounded cursor over untrusted bytes.
 *
 * A read past the end yields zero and sets bad, which is never cleared.  Decode a whole record,
 * then check cur_ok() once before using any of it.  The byte order is the writer's, not the host's.
 */
#ifndef AFPIPE_CUR_H
#define AFPIPE_CUR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cur {
	const unsigned char *p, *end;
	bool swap; /* the writer's byte order is not the host's */
	bool bad;
};

/* Returns true if the host is big-endian. */
static inline bool
cur_host_big(void)
{
	const uint16_t one = 1;
	unsigned char first;

	memcpy(&first, &one, 1);
	return first == 0;
}

/* Returns a cursor over n bytes at p, which may be NULL if n is 0. */
static inline struct cur
cur_over(const void *p, size_t n, bool big_endian)
{
	const unsigned char *start = n != 0 ? p : (const unsigned char *)"";

	return (struct cur){ start, start + n, big_endian != cur_host_big(), false };
}

static inline bool
cur_ok(const struct cur *c)
{
	return !c->bad;
}

static inline size_t
cur_left(const struct cur *c)
{
	return c->bad ? 0 : (size_t)(c->end - c->p);
}

static inline const unsigned char *
cur_take(struct cur *c, size_t n)
{
	const unsigned char *p = c->p;

	if (c->bad || (size_t)(c->end - c->p) < n) {
		c->bad = true;
		return NULL;
	}
	c->p += n;
	return p;
}

static inline uint16_t
cur_swap16(uint16_t v)
{
	return (uint16_t)(v >> 8 | v << 8);
}

static inline uint32_t
cur_swap32(uint32_t v)
{
	return v >> 24 | (v >> 8 & 0xff00) | (v << 8 & 0xff0000) | v << 24;
}

static inline uint64_t
cur_swap64(uint64_t v)
{
	return (uint64_t)cur_swap32((uint32_t)v) << 32 | cur_swap32((uint32_t)(v >> 32));
}

/* Read words at p.  The caller guarantees that there are enough bytes. */
static inline uint64_t
cur_word64(const unsigned char *p, bool swap)
{
	uint64_t v;

	memcpy(&v, p, sizeof v);
	return swap ? cur_swap64(v) : v;
}

static inline uint32_t
cur_word32(const unsigned char *p, bool swap)
{
	uint32_t v;

	memcpy(&v, p, sizeof v);
	return swap ? cur_swap32(v) : v;
}

static inline uint8_t
cur_u8(struct cur *c)
{
	const unsigned char *p = cur_take(c, 1);

	return p ? *p : 0;
}

static inline uint16_t
cur_u16(struct cur *c)
{
	const unsigned char *p = cur_take(c, 2);
	uint16_t v = 0;

	if (p)
		memcpy(&v, p, sizeof v);
	return c->swap ? cur_swap16(v) : v;
}

static inline uint32_t
cur_u32(struct cur *c)
{
	const unsigned char *p = cur_take(c, 4);
	uint32_t v = 0;

	if (p)
		memcpy(&v, p, sizeof v);
	return c->swap ? cur_swap32(v) : v;
}

static inline uint64_t
cur_u64(struct cur *c)
{
	const unsigned char *p = cur_take(c, 8);
	uint64_t v = 0;

	if (p)
		memcpy(&v, p, sizeof v);
	return c->swap ? cur_swap64(v) : v;
}

/*
 * Reads eight bytes of C bit-fields so that the first bit is the lowest.  Compilers lay them out
 * from the lowest bit on little-endian machines and from the highest on big-endian ones, so a bit
 * is found by its byte, in file order.
 */
static inline uint64_t
cur_bits64(struct cur *c)
{
	bool big = c->swap != cur_host_big();
	const unsigned char *p = cur_take(c, 8);
	uint64_t v = 0;
	unsigned i;

	for (i = 0; p != NULL && i < 64; i++) {
		unsigned bit = big ? 7 - i % 8 : i % 8;

		v |= (uint64_t)(p[i / 8] >> bit & 1) << i;
	}
	return v;
}

/* Returns a cursor over the next n bytes, and skips them in this one. */
static inline struct cur
cur_sub(struct cur *c, size_t n)
{
	const unsigned char *p = cur_take(c, n);

	return (struct cur){ p, p ? p + n : NULL, c->swap, p == NULL };
}

/*
 * Returns the string up to its NUL, and skips both.  If there is no NUL, returns NULL and makes the
 * cursor bad.
 */
static inline const char *
cur_string(struct cur *c, size_t *len)
{
	const char *s = (const char *)c->p;
	const char *nul = cur_left(c) == 0 ? NULL : memchr(s, 0, cur_left(c));

	*len = nul == NULL ? 0 : (size_t)(nul - s);
	if (nul == NULL)
		c->bad = true;
	return nul == NULL ? NULL : (const char *)cur_take(c, *len + 1);
}

/*
 * Returns a NUL-padded string that takes up the rest of the bytes.  It ends at the first NUL or at
 * the end.
 */
static inline const char *
cur_rest_string(struct cur *c, size_t *len)
{
	size_t n = cur_left(c);
	const char *s = (const char *)cur_take(c, n);
	const char *nul = s && n ? memchr(s, 0, n) : NULL;

	*len = s == NULL ? 0 : nul != NULL ? (size_t)(nul - s) : n;
	return s;
}

#endif
