/* SPDX-License-Identifier: ISC */
/* csv.c - comma-separated records, using libcsv. */
#include "lib/csv.h"

#include <csv.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/short.h"
#include "lib/vec.h"

bool
csv_style_delimiter(struct csv_style *s, const char *text)
{
	if (strcmp(text, "tab") == 0 || strcmp(text, "\\t") == 0)
		text = "\t";
	s->delimiter = text[0];
	return text[0] != '\0' && text[1] == '\0' && strchr(",;:|\t", text[0]) != NULL;
}

/* Returns true if the field needs quotes, because it has a comma, a quote or a control byte. */
static bool
is_special(const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if ((unsigned char)s[i] < 0x20 || s[i] == ',' || s[i] == '"')
			return true;
	return false;
}

size_t
csv_quote(char *dst, const char *s, size_t n)
{
	return csv_write2(dst, CSV_FIELD_MAX(n), s, n, '"');
}

#define ONES UINT64_C(0x0101010101010101)

/*
 * Returns a word that is not 0 if one of eight bytes is a control byte, a quote or the delimiter,
 * DELIMITERS being eight of these.  A borrow between bytes begins only where there is one.
 */
static inline uint64_t
special_bytes(uint64_t word, uint64_t delimiters)
{
	return ((word - 0x20 * ONES) | ((word ^ '"' * ONES) - ONES) |
		   ((word ^ delimiters) - ONES)) &
	    ~word & 0x80 * ONES;
}

/* Copies n bytes, eight at a time or fewer, and returns whether one of them is special. */
static inline bool
copy_and_check(char *dst, const char *s, size_t n, char delimiter)
{
	uint64_t delimiters = (unsigned char)delimiter * ONES, found = 0, word;
	size_t i;

	if (n >= 8) {
		for (i = 0; i < n; i += 8) {
			i = i + 8 <= n ? i : n - 8;
			word = short_word(s + i);
			found |= special_bytes(word, delimiters);
			memcpy(dst + i, &word, 8);
		}
		return found != 0;
	}
	/* the bytes after the copied ones are not special */
	word = ('0' * ONES);
	if (n >= 4) {
		memcpy(&word, s, 4);
		memcpy((char *)&word + 4, s + n - 4, 4);
		memcpy(dst, &word, 4);
		memcpy(dst + n - 4, (char *)&word + 4, 4);
	} else {
		for (i = 0; i < n; i++)
			dst[i] = ((char *)&word)[i] = s[i];
	}
	return special_bytes(word, delimiters) != 0;
}

char *
csv_put(char *dst, const char *s, size_t n, char delimiter)
{
	if (n == 0)
		return dst;
	if (copy_and_check(dst, s, n, delimiter) || s[0] == ' ' || s[n - 1] == ' ')
		return dst + csv_quote(dst, s, n);
	return dst + n;
}

void
csv_field_put(struct out *o, const char *s, size_t n)
{
	char *p;

	if (n == 0)
		return;
	if (!is_special(s, n)) {
		out_put(o, s, n);
		return;
	}
	p = out_room(o, CSV_FIELD_MAX(n));
	if (p != NULL)
		out_commit(o, csv_quote(p, s, n));
}

bool
csv_ends_grow(struct csv_ends *e)
{
	return vec_room(e->end, e->cap, e->cap);
}

void
csv_ends_free(struct csv_ends *e)
{
	mem_free(e->end);
	*e = (struct csv_ends){ 0 };
}

struct csv_reader {
	struct csv_parser parser;
	struct buf *text;
	struct csv_ends *ends;
	unsigned rows; /* number of record ends in this record's lines; CR LF counts as two */
	bool bare; /* one of them was a CR without its LF */
	bool cr; /* the last was a CR */
	bool nomem;
};

#define READER_BLOCK ((size_t)64 * 1024)

static int
nothing_is_space(unsigned char c)
{
	(void)c;
	return 0;
}

static bool
start_parser(struct csv_reader *r)
{
	if (csv_init(&r->parser, CSV_STRICT | CSV_STRICT_FINI | CSV_REPALL_NL) != 0)
		return false;
	csv_set_space_func(&r->parser, nothing_is_space);
	csv_set_blk_size(&r->parser, READER_BLOCK);
	return true;
}

struct csv_reader *
csv_reader_open(struct buf *text, struct csv_ends *ends)
{
	struct csv_reader *r = mem_zero(1, sizeof *r);

	if (r == NULL || !start_parser(r)) {
		mem_free(r);
		return NULL;
	}
	r->text = text;
	r->ends = ends;
	return r;
}

void
csv_reader_close(struct csv_reader *r)
{
	if (r == NULL)
		return;
	csv_free(&r->parser);
	mem_free(r);
}

static void
take_field(void *s, size_t n, void *ctx)
{
	struct csv_reader *r = ctx;

	r->bare |= r->rows != 0; /* a CR has ended a record in the middle of its line */
	if (!buf_put(r->text, s, n) || !csv_ends_add(r->ends, r->text->len) ||
	    !buf_putc(r->text, ','))
		r->nomem = true;
}

static void
take_row(int c, void *ctx)
{
	struct csv_reader *r = ctx;

	r->bare |= r->rows != 0 && !(r->cr && c == CSV_LF);
	r->rows++;
	r->cr = c == CSV_CR;
}

/* Returns the result, once a record has ended or turned out to be broken. */
static enum csv_state
judge(struct csv_reader *r, enum csv_state state)
{
	if (r->nomem)
		state = CSV_READ_NOMEM;
	else if (state == CSV_READ_RECORD && (r->bare || r->cr))
		state = CSV_READ_BAD_CR;
	if (state != CSV_READ_RECORD) {
		csv_free(&r->parser);
		if (!start_parser(r))
			state = CSV_READ_NOMEM;
	}
	r->rows = 0;
	r->cr = r->bare = r->nomem = false;
	return state;
}

enum csv_state
csv_reader_line(struct csv_reader *r, const char *s, size_t n)
{
	if (csv_parse(&r->parser, s, n, take_field, take_row, r) != n) {
		r->nomem |= csv_error(&r->parser) != CSV_EPARSE;
		return judge(r, r->rows != 0 ? CSV_READ_BAD_CR : CSV_READ_BAD_QUOTE);
	}
	if (r->nomem)
		return judge(r, CSV_READ_NOMEM);
	return r->rows == 0 ? CSV_READ_MORE : judge(r, CSV_READ_RECORD);
}

enum csv_state
csv_reader_last(struct csv_reader *r)
{
	if (csv_fini(&r->parser, take_field, take_row, r) != 0)
		return judge(r, CSV_READ_OPEN);
	return judge(r, CSV_READ_RECORD);
}
