/* SPDX-License-Identifier: ISC */
/* cut.c - a record without quotes, cut at its commas: a pass over every byte of a file. */
#include "src/afperf/records.h"

#define BLOCK ((size_t)64)

/* The result of one pass over BLOCK bytes: bit i is byte i. */
struct block {
	uint64_t commas, odd, high; /* odd: a quote, CR or NUL; high: above 7f */
};

/* Two versions of the same two functions.  CUT_PORTABLE selects the portable ones. */
#if defined(__SSE2__) && defined(__x86_64__) && !defined(CUT_PORTABLE)
#include <x86intrin.h>

static inline uint64_t
mask_of(__m128i v, unsigned place)
{
	return (uint64_t)(unsigned)_mm_movemask_epi8(v) << place;
}

static inline struct block
look_at(const char *text)
{
	struct block b = { 0, 0, 0 };
	unsigned i;

	for (i = 0; i < BLOCK; i += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)(text + i));
		__m128i odd = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')),
		    _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('\r')),
			_mm_cmpeq_epi8(v, _mm_setzero_si128())));

		b.commas |= mask_of(_mm_cmpeq_epi8(v, _mm_set1_epi8(',')), i);
		b.odd |= mask_of(odd, i);
		b.high |= mask_of(v, i);
	}
	return b;
}

static inline unsigned
lowest_bit(uint64_t v)
{
	return (unsigned)__bsfq((long long)v);
}

#else

static inline struct block
look_at(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	struct block b = { 0, 0, 0 };
	unsigned i;

	for (i = 0; i < BLOCK; i++) {
		b.commas |= (uint64_t)(s[i] == ',') << i;
		b.odd |= (uint64_t)(s[i] == '"' || s[i] == '\r' || s[i] == '\0') << i;
		b.high |= (uint64_t)(s[i] >> 7) << i;
	}
	return b;
}

static inline unsigned
lowest_bit(uint64_t v)
{
	unsigned n = 0;

	for (; (v & 0xff) == 0; v >>= 8)
		n += 8;
	for (; (v & 1) == 0; v >>= 1)
		n++;
	return n;
}

#endif

static inline void
set_record(const char *s, size_t n, const struct csv_ends *ends, struct record *r)
{
	r->text = (struct slice){ s, n };
	r->end = ends->end;
	r->n = (uint32_t)ends->n;
}

/* The slow path, with odd bytes. */
static enum csv_state
cut_slowly(const char *s, size_t n, struct csv_ends *ends, struct record *r)
{
	enum csv_state state = CSV_READ_RECORD;
	size_t i;

	if (memchr(s, '"', n) != NULL)
		return CSV_READ_MORE;
	ends->n = 0;
	for (i = 0; i < n && state == CSV_READ_RECORD; i++) {
		if (s[i] == ',')
			state = csv_ends_add(ends, i) ? CSV_READ_RECORD : CSV_READ_NOMEM;
		else if (s[i] == '\r')
			state = CSV_READ_BAD_CR;
		r->high |= (s[i] & 0x80) != 0;
	}
	r->nul = true;
	if (state == CSV_READ_RECORD && !csv_ends_add(ends, n))
		state = CSV_READ_NOMEM;
	set_record(s, n, ends, r);
	return state;
}

enum csv_state
records_cut(const char *s, size_t n, struct csv_ends *ends, struct record *r)
{
	uint64_t high = 0;
	size_t i;

	ends->n = 0;
	r->nul = r->high = false;
	for (i = 0; i < n; i += BLOCK) {
		struct block b = look_at(s + i);
		uint64_t here = n - i >= BLOCK ? UINT64_MAX : (UINT64_C(1) << (n - i)) - 1;

		if ((b.odd & here) != 0)
			return cut_slowly(s, n, ends, r);
		high |= b.high & here;
		while (ends->cap - ends->n <= BLOCK)
			if (!csv_ends_grow(ends))
				return CSV_READ_NOMEM;
		for (b.commas &= here; b.commas != 0; b.commas &= b.commas - 1)
			ends->end[ends->n++] = (uint32_t)(i + lowest_bit(b.commas));
	}
	if (!csv_ends_add(ends, n))
		return CSV_READ_NOMEM;
	r->high = high != 0;
	set_record(s, n, ends, r);
	return CSV_READ_RECORD;
}
