/* SPDX-License-Identifier: ISC */
/* records.c - splits the bytes of an AFPerf file into records, and records into fields. */
#include "src/afperf/records.h"

#include <string.h>

#include "lib/hint.h"
#include "lib/mem.h"

#define SLACK ((size_t)64) /* readable bytes after the bytes read */
#define BLOCK ((size_t)64)

/* The result of one pass over BLOCK bytes.  Bit i describes byte i. */
struct block {
	uint64_t commas, lf;
	bool special; /* there may be odd or high bytes */
};

/* odd means a quote, CR or NUL; high means above 7f */
struct specials {
	uint64_t odd, high;
};

/* There are two versions of the same functions.  CUT_PORTABLE selects the portable ones. */
#if defined(__SSE2__) && defined(__x86_64__) && !defined(CUT_PORTABLE)
#include <x86intrin.h>

static inline uint64_t
mask_of(__m128i v, unsigned place)
{
	return (uint64_t)(unsigned)_mm_movemask_epi8(v) << place;
}

static inline __m128i
sixteen(const char *text)
{
	return _mm_loadu_si128((const __m128i *)(const void *)text);
}

static inline __m128i
odd_of(__m128i v)
{
	return _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')),
	    _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('\r')),
		_mm_cmpeq_epi8(v, _mm_setzero_si128())));
}

/* Stores which of 16 bytes are commas and LFs, and adds to *special what there is of others. */
static inline void
look_at_part(const char *text, unsigned place, struct block *b, __m128i *special)
{
	__m128i v = sixteen(text + place);

	b->commas |= mask_of(_mm_cmpeq_epi8(v, _mm_set1_epi8(',')), place);
	b->lf |= mask_of(_mm_cmpeq_epi8(v, _mm_set1_epi8('\n')), place);
	*special = _mm_or_si128(*special, _mm_or_si128(v, odd_of(v)));
}

static inline struct block
look_at(const char *text)
{
	struct block b = { 0, 0, false };
	__m128i special = _mm_setzero_si128();

	look_at_part(text, 0, &b, &special);
	look_at_part(text, 16, &b, &special);
	look_at_part(text, 32, &b, &special);
	look_at_part(text, 48, &b, &special);
	b.special = _mm_movemask_epi8(special) != 0;
	return b;
}

static HINT_APART struct specials
look_closely(const char *text)
{
	struct specials s = { 0, 0 };
	unsigned i;

	for (i = 0; i < BLOCK; i += 16) {
		__m128i v = sixteen(text + i);

		s.odd |= mask_of(odd_of(v), i);
		s.high |= mask_of(v, i);
	}
	return s;
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
	struct block b = { 0, 0, true };
	unsigned i;

	for (i = 0; i < BLOCK; i++) {
		b.commas |= (uint64_t)(text[i] == ',') << i;
		b.lf |= (uint64_t)(text[i] == '\n') << i;
	}
	return b;
}

static struct specials
look_closely(const char *text)
{
	struct specials s = { 0, 0 };
	unsigned i;

	for (i = 0; i < BLOCK; i++) {
		unsigned char c = (unsigned char)text[i];

		s.odd |= (uint64_t)(c == '"' || c == '\r' || c == '\0') << i;
		s.high |= (uint64_t)(c >> 7) << i;
	}
	return s;
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

/* Splits a record with odd bytes.  This is the slow path. */
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

/*
 * Splits a record without odd bytes, which ends before the first LF or after n bytes.  Stores its
 * length in *size, which is n if there is no LF.  Returns CSV_READ_RECORD, NOMEM or, if there is an
 * odd byte, MORE.
 */
static enum csv_state
cut(const char *s, size_t n, struct csv_ends *ends, struct record *r, size_t *size)
{
	uint64_t high = 0;
	size_t i, end = n;

	ends->n = 0;
	r->nul = r->high = false;
	for (i = 0; i < end; i += BLOCK) {
		struct block b = look_at(s + i);
		uint64_t here = n - i >= BLOCK ? UINT64_MAX : (UINT64_C(1) << (n - i)) - 1;

		b.lf &= here;
		if (b.lf != 0) {
			end = i + lowest_bit(b.lf);
			here = (b.lf ^ (b.lf - 1)) >> 1;
		}
		if (b.special) {
			struct specials special = look_closely(s + i);

			special.odd &= here;
			/* a CR before the LF is part of the end of the record */
			if (special.odd != 0 && b.lf != 0 && special.odd == (here ^ here >> 1) &&
			    s[end - 1] == '\r') {
				end--;
			} else if (special.odd != 0) {
				return CSV_READ_MORE;
			}
			high |= special.high & here;
		}
		while (ends->cap - ends->n <= BLOCK)
			if (!csv_ends_grow(ends))
				return CSV_READ_NOMEM;
		for (b.commas &= here; b.commas != 0; b.commas &= b.commas - 1)
			ends->end[ends->n++] = (uint32_t)(i + lowest_bit(b.commas));
	}
	if (!csv_ends_add(ends, end))
		return CSV_READ_NOMEM;
	r->high = high != 0;
	set_record(s, end, ends, r);
	*size = end;
	return CSV_READ_RECORD;
}

#define READ_SIZE ((size_t)256 * 1024)

bool
records_open(struct records *x, struct in in, size_t max)
{
	*x = (struct records){ .in = in, .max = max };
	x->csv = csv_reader_open(&x->text, &x->ends);
	return x->csv != NULL;
}

void
records_close(struct records *x)
{
	csv_reader_close(x->csv);
	buf_free(&x->text);
	csv_ends_free(&x->ends);
	mem_free(x->p);
}

/* Appends more input to the buffer. */
static int
read_more(struct records *x, struct err *e)
{
	size_t got;
	int rc;

	if (x->from > 0) {
		memmove(x->p, x->p + x->from, x->to - x->from);
		x->to -= x->from;
		x->from = 0;
	}
	if (x->cap - x->to < READ_SIZE) {
		size_t cap = x->cap == 0 ? READ_SIZE * 2 : x->cap * 2;
		char *p = mem_resize(x->p, cap + SLACK);

		if (p == NULL)
			return err_nomem(e);
		x->p = p;
		x->cap = cap;
	}
	rc = in_read(&x->in, x->p + x->to, x->cap - x->to, &got, e);
	x->to += rc == 0 ? got : 0;
	memset(x->p + x->to, 0, SLACK);
	x->ended = rc == 0 && got == 0;
	return rc;
}

int
records_peek(struct records *x, size_t n, struct slice *head, struct err *e)
{
	int rc = 0;

	while (rc == 0 && x->to - x->from < n && !x->ended)
		rc = read_more(x, e);
	*head = (struct slice){ x->p + x->from, x->to - x->from < n ? x->to - x->from : n };
	return rc;
}

void
records_skip(struct records *x, size_t n)
{
	x->from += n;
	x->lines++;
}

enum line { LINE_WHOLE, LINE_LAST, LINE_LONG, LINE_NONE, LINE_FAILED };

/*
 * Returns the next line with its LF, without consuming it.  If it returns LINE_LONG, *line contains
 * only the first bytes, and the rest is returned as further lines.
 */
static enum line
next_line(struct records *x, struct slice *line, struct err *e)
{
	size_t seen = 0;
	const char *lf;

	for (;;) {
		size_t n = x->to - x->from;

		lf = n == seen ? NULL : memchr(x->p + x->from + seen, '\n', n - seen);
		*line = (struct slice){ x->p + x->from,
			lf == NULL ? n : (size_t)(lf - (x->p + x->from)) + 1 };
		if (line->len > x->max + 2)
			return LINE_LONG;
		if (lf != NULL)
			return LINE_WHOLE;
		if (x->ended)
			return n == 0 ? LINE_NONE : LINE_LAST;
		seen = n;
		if (read_more(x, e) != 0)
			return LINE_FAILED;
	}
}

static struct slice
without_end(struct slice line)
{
	if (line.len > 0 && line.p[line.len - 1] == '\n') {
		line.len--;
		if (line.len > 0 && line.p[line.len - 1] == '\r')
			line.len--;
	}
	return line;
}

static void
use(struct records *x, struct slice line)
{
	x->from += line.len;
	x->lines++;
	x->unterminated = line.len > 0 && line.p[line.len - 1] != '\n';
}

/* Skips a line that is too long. */
static enum records_next
skip_line(struct records *x, enum afperf_rule *rule, struct err *e)
{
	struct slice line;
	const char *lf;
	uint64_t number = x->lines + 1;

	for (;;) {
		size_t n = x->to - x->from;

		lf = n == 0 ? NULL : memchr(x->p + x->from, '\n', n);
		if (lf != NULL || (n == 0 && x->ended))
			break;
		x->from = x->to;
		if (!x->ended && read_more(x, e) != 0)
			return RECORDS_FAILED;
	}
	line = (struct slice){ x->p + x->from, lf == NULL ? 0 : (size_t)(lf - x->p) + 1 - x->from };
	use(x, line);
	x->unterminated = lf == NULL;
	*rule = RULE_SIZE;
	err_line(e, number, "record longer than %zu bytes", x->max);
	return RECORDS_BROKEN;
}

static bool
is_blank(struct slice s)
{
	size_t i;

	for (i = 0; i < s.len; i++)
		if (s.p[i] != ' ' && s.p[i] != '\t')
			return false;
	return true;
}

static enum records_next
broken(const struct record *r, enum csv_state state, enum afperf_rule *rule, struct err *e)
{
	*rule = state == CSV_READ_BAD_CR ? RULE_RECORD_END : RULE_QUOTING;
	switch (state) {
	case CSV_READ_BAD_CR:
		err_line(e, r->line, "field %u: carriage return without a line feed, not quoted",
		    r->n + 1);
		return RECORDS_BROKEN;
	case CSV_READ_BAD_QUOTE:
		err_line(e, r->line,
		    "field %u: quote inside an unquoted field, or text after a closing quote",
		    r->n + 1);
		return RECORDS_BROKEN;
	case CSV_READ_OPEN:
		err_line(e, r->line, "field %u: a quote is opened and never closed", r->n + 1);
		return RECORDS_LOST;
	default: err_nomem(e); return RECORDS_FAILED;
	}
}

/* Reads a record with quotes, line by line, until libcsv finds its end. */
static enum records_next
quoted(struct records *x, struct slice line, struct record *r, enum afperf_rule *rule,
    struct err *e)
{
	enum csv_state state;
	enum line kind = LINE_WHOLE;
	size_t size = 0;

	x->text.len = x->ends.n = 0;
	for (;;) {
		size += line.len;
		state = csv_reader_line(x->csv, line.p, line.len);
		use(x, line);
		if (state != CSV_READ_MORE)
			break;
		kind = next_line(x, &line, e);
		if (kind == LINE_FAILED)
			return RECORDS_FAILED;
		if (kind == LINE_NONE) {
			state = csv_reader_last(x->csv);
			break;
		}
		if (kind == LINE_LONG || size + without_end(line).len > x->max) {
			*rule = RULE_SIZE;
			err_line(e, r->line, "record longer than %zu bytes, inside quotes", x->max);
			return RECORDS_LOST;
		}
	}
	r->n = (uint32_t)x->ends.n;
	if (state != CSV_READ_RECORD)
		return broken(r, state, rule, e);
	r->text = (struct slice){ x->text.p, x->text.len };
	r->end = x->ends.end;
	r->nul = memchr(x->text.p, '\0', x->text.len) != NULL;
	r->high = true; /* it needs a closer look */
	return RECORDS_RECORD;
}

/*
 * Returns the next record if its line is in memory, not too long, and has no odd bytes, as nearly
 * all have.  Looks at each byte once.
 */
static bool
next_usual(struct records *x, struct record *r)
{
	const char *s = x->p + x->from;
	size_t left = x->to - x->from, size;

	if (left > x->max)
		left = x->max;
	if (left == 0 || *s == '#' || *s == ' ' || *s == '\t' || *s == '\n' || *s == '\r' ||
	    cut(s, left, &x->ends, r, &size) != CSV_READ_RECORD || size == left)
		return false;
	r->line = x->lines + 1;
	use(x, (struct slice){ s, size + (s[size] == '\r') + 1 });
	return true;
}

enum records_next
records_next(struct records *x, struct record *r, enum afperf_rule *rule, struct err *e)
{
	struct slice line, body;
	enum csv_state state;
	size_t size;

	r->cut = false;
	if (next_usual(x, r))
		return RECORDS_RECORD;
	for (;;) {
		switch (next_line(x, &line, e)) {
		case LINE_NONE: return RECORDS_END;
		case LINE_FAILED: return RECORDS_FAILED;
		case LINE_LONG: return skip_line(x, rule, e);
		case LINE_LAST: r->cut = true; break;
		case LINE_WHOLE: break;
		}
		body = without_end(line);
		if (body.len > x->max)
			return skip_line(x, rule, e);
		r->line = x->lines + 1;
		if (body.len > 0 && body.p[0] == '#') {
			use(x, line);
			x->unterminated = false;
			r->text = body;
			r->text.len -= r->cut && body.p[body.len - 1] == '\r';
			return RECORDS_COMMENT;
		}
		if (!is_blank(body))
			break;
		use(x, line);
		x->unterminated = false;
	}
	state = cut(body.p, body.len, &x->ends, r, &size);
	if (state == CSV_READ_MORE)
		state = cut_slowly(body.p, body.len, &x->ends, r);
	if (state == CSV_READ_MORE)
		return quoted(x, line, r, rule, e);
	use(x, line);
	r->n = (uint32_t)x->ends.n;
	return state == CSV_READ_RECORD ? RECORDS_RECORD : broken(r, state, rule, e);
}
