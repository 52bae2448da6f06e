/* SPDX-License-Identifier: ISC */
/* scan.c - finds the TABs and LFs in a text. */
#include "lib/scan.h"

#include <string.h>

#include "lib/hint.h"
#include "lib/mem.h"

#define BLOCK 64

/* The result of one pass over BLOCK bytes. */
struct block {
	uint64_t found; /* bit i is set if byte i is TAB or LF */
	unsigned count; /* number of these bits */
	bool odd; /* not clean */
};

/* There are two versions of the same two functions.  SCAN_PORTABLE selects the portable ones. */
#if defined(__SSE2__) && defined(__x86_64__) && !defined(SCAN_PORTABLE)
#include <x86intrin.h>

/*
 * Compares 16 bytes with TAB and LF.  *clean keeps the clean ones, and *slash collects backslashes.
 */
static inline __m128i
scan_part(const char *text, __m128i *clean, __m128i *slash)
{
	__m128i v = _mm_loadu_si128((const __m128i *)(const void *)text);
	__m128i cut = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('\t')),
	    _mm_cmpeq_epi8(v, _mm_set1_epi8('\n')));
	/* compared as signed, so DEL plus one and everything above are below the blank, too */
	__m128i plain = _mm_cmpgt_epi8(_mm_add_epi8(v, _mm_set1_epi8(1)), _mm_set1_epi8(' '));

	*clean = _mm_and_si128(*clean, _mm_or_si128(plain, cut));
	*slash = _mm_or_si128(*slash, _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));
	return cut;
}

static inline uint64_t
mask_of(__m128i cut, unsigned place)
{
	return (uint64_t)(unsigned)_mm_movemask_epi8(cut) << place;
}

static HINT_INLINE struct block
scan_block(const char *text)
{
	__m128i zero = _mm_setzero_si128(), clean = _mm_set1_epi8(-1), slash = zero;
	__m128i c0 = scan_part(text, &clean, &slash), c1 = scan_part(text + 16, &clean, &slash);
	__m128i c2 = scan_part(text + 32, &clean, &slash),
		c3 = scan_part(text + 48, &clean, &slash);
	/* each hit is -1 */
	__m128i hits = _mm_sub_epi8(zero, _mm_add_epi8(_mm_add_epi8(c0, c1), _mm_add_epi8(c2, c3)));
	__m128i sums = _mm_sad_epu8(hits, zero);

	return (struct block){
		.found = mask_of(c0, 0) | mask_of(c1, 16) | mask_of(c2, 32) | mask_of(c3, 48),
		.count = (unsigned)_mm_cvtsi128_si32(
		    _mm_add_epi32(sums, _mm_unpackhi_epi64(sums, sums))),
		.odd = _mm_movemask_epi8(_mm_andnot_si128(slash, clean)) != 0xffff,
	};
}

/* Returns a bit for each of the 64 bytes that is an LF before a byte A or B. */
static inline uint64_t
line_starts(const char *text, char a, char b)
{
	__m128i lf = _mm_set1_epi8('\n'), va = _mm_set1_epi8(a), vb = _mm_set1_epi8(b);
	uint64_t found = 0;
	unsigned i;

	for (i = 0; i < BLOCK; i += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)(text + i));
		__m128i w = _mm_loadu_si128((const __m128i *)(const void *)(text + i + 1));
		__m128i c = _mm_or_si128(_mm_cmpeq_epi8(w, va), _mm_cmpeq_epi8(w, vb));

		found |= mask_of(_mm_and_si128(c, _mm_cmpeq_epi8(v, lf)), i);
	}
	return found;
}

/* Returns the position of the lowest 1 bit; undefined for 0. */
static inline uint32_t
lowest_bit(uint64_t v)
{
	return (uint32_t)__bsfq((long long)(v | (uint64_t)1 << (BLOCK - 1)));
}

#else

/* Loads eight bytes.  The first byte is the lowest on every machine. */
static inline uint64_t
eight_bytes(const unsigned char *s)
{
	return (uint64_t)s[0] | (uint64_t)s[1] << 8 | (uint64_t)s[2] << 16 | (uint64_t)s[3] << 24 |
	    (uint64_t)s[4] << 32 | (uint64_t)s[5] << 40 | (uint64_t)s[6] << 48 |
	    (uint64_t)s[7] << 56;
}

/* Scans one block.  It is written so that compilers vectorize the first loop. */
static HINT_INLINE struct block
scan_block(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	unsigned char cut[BLOCK], bad = 0;
	struct block b = { 0, 0, false };
	int i;

	for (i = 0; i < BLOCK; i++) {
		cut[i] = (unsigned char)((s[i] == '\t') | (s[i] == '\n'));
		bad |= (unsigned char)(((s[i] < ' ') & !cut[i]) | (s[i] == '\\') | (s[i] > 0x7e));
	}
	for (i = 0; i < BLOCK; i += 8) {
		uint64_t w = eight_bytes(cut + i);

		/* each product collects eight bytes, each 0 or 1, in its highest byte */
		b.found |= (w * 0x0102040810204080u >> 56) << i;
		b.count += (unsigned)(w * 0x0101010101010101u >> 56);
	}
	b.odd = bad != 0;
	return b;
}

static inline uint64_t
line_starts(const char *text, char a, char b)
{
	uint64_t found = 0;
	unsigned i;

	for (i = 0; i < BLOCK; i++)
		found |= (uint64_t)(text[i] == '\n' && (text[i + 1] == a || text[i + 1] == b)) << i;
	return found;
}

/* Does the same.  In a de Bruijn sequence every 6 bits occur at one place only. */
static inline uint32_t
lowest_bit(uint64_t v)
{
	static const unsigned char place[64] = {
		0,
		1,
		2,
		53,
		3,
		7,
		54,
		27,
		4,
		38,
		41,
		8,
		34,
		55,
		48,
		28,
		62,
		5,
		39,
		46,
		44,
		42,
		22,
		9,
		24,
		35,
		59,
		56,
		49,
		18,
		29,
		11,
		63,
		52,
		6,
		26,
		37,
		40,
		33,
		47,
		61,
		45,
		43,
		21,
		23,
		58,
		17,
		10,
		51,
		25,
		36,
		32,
		60,
		20,
		57,
		16,
		50,
		31,
		19,
		15,
		30,
		14,
		13,
		12,
	};

	return place[((v & (0 - v)) * 0x022fdd63cc95386du) >> 58];
}

#endif

void
scan_free(struct scan *s)
{
	mem_free(s->at);
	*s = (struct scan){ 0 };
}

#define AHEAD 8 /* number of offsets written at once, even if there are fewer */

/*
 * Writes eight offsets at a time, because the end of a loop over the offsets is mispredicted too
 * often.
 */
static inline uint32_t *
put_places(uint32_t *at, struct block b, uint32_t base)
{
	uint64_t f = b.found;
	uint32_t *p = at, *end = at + b.count;

	do {
		p[0] = base + lowest_bit(f), f &= f - 1;
		p[1] = base + lowest_bit(f), f &= f - 1;
		p[2] = base + lowest_bit(f), f &= f - 1;
		p[3] = base + lowest_bit(f), f &= f - 1;
		p[4] = base + lowest_bit(f), f &= f - 1;
		p[5] = base + lowest_bit(f), f &= f - 1;
		p[6] = base + lowest_bit(f), f &= f - 1;
		p[7] = base + lowest_bit(f), f &= f - 1;
		p += AHEAD;
	} while (p < end);
	return end;
}

static bool
make_room(struct scan *s, size_t n)
{
	size_t cap = s->n + n;
	uint32_t *at;

	if (cap <= s->cap)
		return true;
	at = mem_resize(s->at, cap * sizeof *at);
	if (at == NULL)
		return false;
	s->at = at;
	s->cap = cap;
	return true;
}

bool
scan_add(struct scan *s, const char *text, size_t from, size_t to)
{
	char last[BLOCK];
	struct block b;
	uint32_t *at;

	if (!make_room(s, to - from + AHEAD))
		return false;
	at = s->at + s->n;
	for (; from < to; from += BLOCK) {
		const char *p = text + from;

		if (to - from < BLOCK) {
			memset(last, ' ', sizeof last);
			p = memcpy(last, p, to - from);
		}
		b = scan_block(p);
		at = put_places(at, b, (uint32_t)from);
		if (b.odd)
			s->odd_end = from + BLOCK;
	}
	s->n = (size_t)(at - s->at);
	return true;
}

void
scan_shift(struct scan *s, size_t done, size_t gone)
{
	size_t i;

	s->n -= done;
	for (i = 0; i < s->n; i++)
		s->at[i] = s->at[i + done] - (uint32_t)gone;
	s->odd_end = s->odd_end > gone ? s->odd_end - gone : 0;
}

bool
scan_is_clean(const char *text, size_t n)
{
	char last[BLOCK];
	size_t i;

	for (i = 0; i < n; i += BLOCK) {
		const char *p = text + i;

		if (n - i < BLOCK) {
			memset(last, ' ', sizeof last);
			p = memcpy(last, p, n - i);
		}
		if (scan_block(p).odd)
			return false;
	}
	return true;
}

size_t
scan_line(const char *text, size_t from, size_t to, char a, char b)
{
	size_t i;

	for (i = from; to - i > BLOCK; i += BLOCK) {
		uint64_t found = line_starts(text + i, a, b);

		if (found != 0)
			return i + lowest_bit(found) + 1;
	}
	for (; i + 1 < to; i++)
		if (text[i] == '\n' && (text[i + 1] == a || text[i + 1] == b))
			return i + 1;
	return to;
}
