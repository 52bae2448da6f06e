/* SPDX-License-Identifier: ISC */
/* scan.c - finds the TABs and LFs in a text. */
#include "lib/scan.h"

#include <string.h>

#include "lib/hint.h"
#include "lib/mem.h"

#define BLOCK 64
#define STRETCH ((size_t)4096) /* bytes, whole blocks, after which the room for LFs is checked */

/* The result of one pass over BLOCK bytes. */
struct block {
	uint64_t found; /* bit i is set if byte i is TAB or LF */
	uint64_t lf; /* likewise LF */
	unsigned count; /* number of these bits */
	bool odd; /* not clean */
};

/*
 * The same is done in several ways.  SCAN_MOST is the last one that may be used: 0 portable code, 1
 * SSE2 or NEON, and, where the processor has them, 2 AVX2 and 3 AVX-512.
 */
#ifndef SCAN_MOST
#define SCAN_MOST 3
#endif
#if defined(__SSE2__) && defined(__x86_64__) && SCAN_MOST > 0
#include <x86intrin.h>

static inline uint64_t
mask_of(__m128i cut, unsigned place)
{
	return (uint64_t)(unsigned)_mm_movemask_epi8(cut) << place;
}

/*
 * Compares 16 bytes with TAB and LF.  *clean keeps the clean ones, and *slash collects backslashes.
 */
static inline __m128i
scan_part(const char *text, unsigned place, uint64_t *lf, __m128i *clean, __m128i *slash)
{
	__m128i v = _mm_loadu_si128((const __m128i *)(const void *)(text + place));
	__m128i end = _mm_cmpeq_epi8(v, _mm_set1_epi8('\n'));
	__m128i cut = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('\t')), end);
	/* compared as signed, so DEL plus one and everything above are below the blank, too */
	__m128i plain = _mm_cmpgt_epi8(_mm_add_epi8(v, _mm_set1_epi8(1)), _mm_set1_epi8(' '));

	*clean = _mm_and_si128(*clean, _mm_or_si128(plain, cut));
	*slash = _mm_or_si128(*slash, _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));
	*lf |= mask_of(end, place);
	return cut;
}

static HINT_INLINE struct block
scan_block(const char *text)
{
	__m128i zero = _mm_setzero_si128(), clean = _mm_set1_epi8(-1), slash = zero;
	uint64_t lf = 0;
	__m128i c0 = scan_part(text, 0, &lf, &clean, &slash);
	__m128i c1 = scan_part(text, 16, &lf, &clean, &slash);
	__m128i c2 = scan_part(text, 32, &lf, &clean, &slash);
	__m128i c3 = scan_part(text, 48, &lf, &clean, &slash);
	/* each hit is -1 */
	__m128i hits = _mm_sub_epi8(zero, _mm_add_epi8(_mm_add_epi8(c0, c1), _mm_add_epi8(c2, c3)));
	__m128i sums = _mm_sad_epu8(hits, zero);

	return (struct block){
		.found = mask_of(c0, 0) | mask_of(c1, 16) | mask_of(c2, 32) | mask_of(c3, 48),
		.lf = lf,
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

#elif defined(__aarch64__) && SCAN_MOST > 0
#include <arm_neon.h>

/* Returns a bit for each byte of four vectors, all of which are 0 or 255. */
static inline uint64_t
mask_of(const uint8x16_t v[4])
{
	static const uint8_t places[16] = { 1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64,
		128 };
	uint8x16_t bit = vld1q_u8(places);
	uint8x16_t low = vpaddq_u8(vandq_u8(v[0], bit), vandq_u8(v[1], bit));
	uint8x16_t high = vpaddq_u8(vandq_u8(v[2], bit), vandq_u8(v[3], bit));

	low = vpaddq_u8(low, high);
	return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(low, low)), 0);
}

static HINT_INLINE struct block
scan_block(const char *text)
{
	uint8x16_t cut[4], lf[4], odd = vdupq_n_u8(0);
	struct block b;
	int i;

	for (i = 0; i < 4; i++) {
		uint8x16_t v = vld1q_u8((const uint8_t *)text + 16 * i);
		uint8x16_t above = vcgtq_u8(v, vdupq_n_u8(0x7e));

		lf[i] = vceqq_u8(v, vdupq_n_u8('\n'));
		cut[i] = vorrq_u8(vceqq_u8(v, vdupq_n_u8('\t')), lf[i]);
		odd = vorrq_u8(odd, vbicq_u8(vcltq_u8(v, vdupq_n_u8(' ')), cut[i]));
		odd = vorrq_u8(odd, vorrq_u8(above, vceqq_u8(v, vdupq_n_u8('\\'))));
	}
	b.found = mask_of(cut);
	b.lf = mask_of(lf);
	b.count = vaddv_u8(vcnt_u8(vcreate_u8(b.found)));
	b.odd = vmaxvq_u8(odd) != 0;
	return b;
}

static inline uint64_t
line_starts(const char *text, char a, char b)
{
	uint8x16_t start[4];
	int i;

	for (i = 0; i < 4; i++) {
		uint8x16_t v = vld1q_u8((const uint8_t *)text + 16 * i);
		uint8x16_t w = vld1q_u8((const uint8_t *)text + 16 * i + 1);
		uint8x16_t is_a = vceqq_u8(w, vdupq_n_u8((uint8_t)a));

		start[i] = vandq_u8(vceqq_u8(v, vdupq_n_u8('\n')),
		    vorrq_u8(is_a, vceqq_u8(w, vdupq_n_u8((uint8_t)b))));
	}
	return mask_of(start);
}

/* Returns the position of the lowest 1 bit, or 63 for 0. */
static inline uint32_t
lowest_bit(uint64_t v)
{
	return (uint32_t)__builtin_ctzll(v | (uint64_t)1 << (BLOCK - 1));
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
	unsigned char cut[BLOCK], lf[BLOCK], bad = 0;
	struct block b = { 0, 0, 0, false };
	int i;

	for (i = 0; i < BLOCK; i++) {
		lf[i] = s[i] == '\n';
		cut[i] = (unsigned char)((s[i] == '\t') | lf[i]);
		bad |= (unsigned char)(((s[i] < ' ') & !cut[i]) | (s[i] == '\\') | (s[i] > 0x7e));
	}
	for (i = 0; i < BLOCK; i += 8) {
		uint64_t w = eight_bytes(cut + i);

		/* each product collects eight bytes, each 0 or 1, in its highest byte */
		b.found |= (w * 0x0102040810204080u >> 56) << i;
		b.lf |= (eight_bytes(lf + i) * 0x0102040810204080u >> 56) << i;
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
	mem_free(s->line);
	*s = (struct scan){ 0 };
}

#define AHEAD 16 /* number of offsets that may be written at once, even if there are fewer */

/*
 * Writes eight offsets at a time, because the end of a loop over the offsets is mispredicted too
 * often.
 */
static HINT_INLINE void
put_places(uint32_t *p, struct block b, uint32_t base)
{
	uint64_t f = b.found;
	uint32_t *end = p + b.count;

	do {
		p[0] = base + lowest_bit(f), f &= f - 1;
		p[1] = base + lowest_bit(f), f &= f - 1;
		p[2] = base + lowest_bit(f), f &= f - 1;
		p[3] = base + lowest_bit(f), f &= f - 1;
		p[4] = base + lowest_bit(f), f &= f - 1;
		p[5] = base + lowest_bit(f), f &= f - 1;
		p[6] = base + lowest_bit(f), f &= f - 1;
		p[7] = base + lowest_bit(f), f &= f - 1;
		p += 8;
	} while (p < end);
}

/* Returns the number of 1 bits, in a way that compilers turn into one instruction. */
static HINT_INLINE uint32_t
count_bits(uint64_t v)
{
	v -= v >> 1 & UINT64_C(0x5555555555555555);
	v = (v & UINT64_C(0x3333333333333333)) + (v >> 2 & UINT64_C(0x3333333333333333));
	v = (v + (v >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (uint32_t)(v * UINT64_C(0x0101010101010101) >> 56);
}

/* Adds the LFs of a block, before its offsets are added.  One more may be written than there is. */
static HINT_INLINE void
put_lines(struct scan *s, struct block b)
{
	do {
		s->line[s->lines] =
		    (uint32_t)s->n + count_bits(b.found & ((b.lf & (0 - b.lf)) - 1));
		s->lines += b.lf != 0;
		b.lf &= b.lf - 1;
	} while (b.lf != 0);
}

/* Ends the block at FROM, whose LFs and offsets have been written. */
static HINT_INLINE void
end_block(struct scan *s, struct block b, size_t from)
{
	s->n += b.count;
	if (b.odd)
		s->odd_end = from + BLOCK;
}

/* Adds the block at FROM. */
static HINT_INLINE void
put_block(struct scan *s, struct block b, size_t from)
{
	put_lines(s, b);
	put_places(s->at + s->n, b, (uint32_t)from);
	end_block(s, b, from);
}

/* Makes room for N entries, or for MORE than that if there is not enough. */
static bool
make_room(uint32_t **list, size_t *cap, size_t n, size_t more)
{
	uint32_t *p;

	if (n <= *cap)
		return true;
	n += more;
	p = mem_resize(*list, n * sizeof *p);
	if (p == NULL)
		return false;
	*list = p;
	*cap = n;
	return true;
}

/* Adds whole blocks. */
typedef void add_blocks(struct scan *s, const char *text, size_t from, size_t to);

static void
add_one_way(struct scan *s, const char *text, size_t from, size_t to)
{
	for (; from < to; from += BLOCK)
		put_block(s, scan_block(text + from), from);
}

#if defined(__SSE2__) && defined(__x86_64__) && SCAN_MOST > 1

#define FOR_AVX2 __attribute__((target("avx2,bmi,popcnt")))
#define FOR_AVX512 __attribute__((target("avx512f,avx512bw,avx512vbmi2,popcnt")))

/* Scans 32 bytes, and shifts the bits of the other half. */
static inline FOR_AVX2 void
scan_half(const char *text, struct block *b)
{
	__m256i v = _mm256_loadu_si256((const __m256i *)(const void *)text);
	__m256i lf = _mm256_cmpeq_epi8(v, _mm256_set1_epi8('\n'));
	__m256i cut = _mm256_or_si256(_mm256_cmpeq_epi8(v, _mm256_set1_epi8('\t')), lf);
	__m256i plain =
	    _mm256_cmpgt_epi8(_mm256_add_epi8(v, _mm256_set1_epi8(1)), _mm256_set1_epi8(' '));
	__m256i clean = _mm256_andnot_si256(_mm256_cmpeq_epi8(v, _mm256_set1_epi8('\\')),
	    _mm256_or_si256(plain, cut));

	b->found = b->found << BLOCK / 2 | (uint32_t)_mm256_movemask_epi8(cut);
	b->lf = b->lf << BLOCK / 2 | (uint32_t)_mm256_movemask_epi8(lf);
	b->odd |= _mm256_movemask_epi8(clean) != -1;
}

static FOR_AVX2 void
add_avx2(struct scan *s, const char *text, size_t from, size_t to)
{
	for (; from < to; from += BLOCK) {
		struct block b = { 0, 0, 0, false };

		scan_half(text + from + BLOCK / 2, &b);
		scan_half(text + from, &b);
		b.count = (unsigned)_mm_popcnt_u64(b.found);
		put_block(s, b, from);
	}
}

/* Writes up to 16 offsets with one instruction, which moves the numbers of the bytes together. */
static FOR_AVX512 void
add_avx512(struct scan *s, const char *text, size_t from, size_t to)
{
	static const unsigned char numbers[BLOCK] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
		14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34,
		35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55,
		56, 57, 58, 59, 60, 61, 62, 63 };
	const __m512i number = _mm512_loadu_si512(numbers), tab = _mm512_set1_epi8('\t');
	const __m512i lf = _mm512_set1_epi8('\n'), slash = _mm512_set1_epi8('\\');

	for (; from < to; from += BLOCK) {
		__m512i v = _mm512_loadu_si512(text + from), found;
		uint64_t plain = _mm512_cmpgt_epi8_mask(_mm512_add_epi8(v, _mm512_set1_epi8(1)),
		    _mm512_set1_epi8(' '));
		struct block b = { .lf = _mm512_cmpeq_epi8_mask(v, lf) };

		b.found = _mm512_cmpeq_epi8_mask(v, tab) | b.lf;
		b.count = (unsigned)_mm_popcnt_u64(b.found);
		b.odd = (~(plain | b.found) | _mm512_cmpeq_epi8_mask(v, slash)) != 0;
		if (b.count > 16) {
			put_block(s, b, from);
			continue;
		}
		put_lines(s, b);
		found = _mm512_maskz_compress_epi8(b.found, number);
		found = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(found));
		found = _mm512_add_epi32(found, _mm512_set1_epi32((int)from));
		_mm512_storeu_si512(s->at + s->n, found);
		end_block(s, b, from);
	}
}

static add_blocks *
best_way(void)
{
	if (SCAN_MOST > 2 && __builtin_cpu_supports("avx512bw") &&
	    __builtin_cpu_supports("avx512vbmi2"))
		return add_avx512;
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi"))
		return add_avx2;
	return add_one_way;
}

#else

static add_blocks *
best_way(void)
{
	return add_one_way;
}

#endif

bool
scan_add(struct scan *s, const char *text, size_t from, size_t to)
{
	size_t whole = from + (to - from) / BLOCK * BLOCK, end;
	add_blocks *add = best_way();
	char last[BLOCK];

	if (!make_room(&s->at, &s->cap, s->n + (to - from) + AHEAD, 0))
		return false;
	/* few bytes are LFs, so the room for these grows as needed */
	for (; from < to; from = end) {
		if (!make_room(&s->line, &s->line_cap, s->lines + STRETCH + 1, s->lines))
			return false;
		end = whole - from < STRETCH ? whole : from + STRETCH;
		if (from < whole) {
			add(s, text, from, end);
			continue;
		}
		memset(last, ' ', sizeof last);
		put_block(s, scan_block(memcpy(last, text + whole, to - whole)), whole);
		end = to;
	}
	return true;
}

void
scan_shift(struct scan *s, size_t done, size_t gone)
{
	size_t i, lines = 0;

	s->n -= done;
	for (i = 0; i < s->n; i++)
		s->at[i] = s->at[i + done] - (uint32_t)gone;
	for (i = 0; i < s->lines; i++)
		if (s->line[i] >= done)
			s->line[lines++] = s->line[i] - (uint32_t)done;
	s->lines = lines;
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
