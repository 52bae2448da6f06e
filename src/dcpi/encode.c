/* SPDX-License-Identifier: ISC */
/* encode.c - encodes the stream as a DCPI profile, line by line. */
#include "src/dcpi/encode.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/err.h"
#include "lib/esc.h"
#include "lib/ev.h"
#include "lib/kinds.h"
#include "lib/mem.h"
#include "lib/num.h"
#include "src/dcpi/header.h"
#include "src/dcpi/value.h"

struct merge {
	struct header head; /* the result */
	struct header next; /* the header being added */
	struct buf text; /* a word or value of that header */
	struct tab lines; /* lines of head, once there is more than one run */
	unsigned stride; /* 4 or 1; 0 before the first run */
	uint64_t runs; /* runs with a header */
	uint64_t differ[WORD_UNKNOWN]; /* by word: values dropped in favour of the first */
};

static void
dcpi_merge_free(struct merge *m)
{
	dcpi_header_free(&m->head);
	dcpi_header_free(&m->next);
	buf_free(&m->text);
	tab_free(&m->lines);
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Returns whether the bytes may be written to a header unchanged. */
static bool
is_line(struct slice word, struct slice value)
{
	size_t i;

	if (word.len == 0 || value.len == 0 || is_blank(value.p[0]) ||
	    memchr(value.p, '\n', value.len) != NULL || slice_eq(word, SLICE("samples")) ||
	    (word.len > 7 && memcmp(word.p, "samples\r", 8) == 0))
		return false;
	for (i = 0; i < word.len; i++)
		if (is_blank(word.p[i]) || word.p[i] == '\n' || word.p[i] == '\0')
			return false;
	return true;
}

/* Appends the header line of a tag to m->next. */
static int
take_tag(struct merge *m, struct slice key, struct slice text, uint64_t number, struct err *e)
{
	struct slice word, value;
	size_t at, n;
	char shown[HEADER_SHOWN];

	m->text.len = 0;
	/* in a key "." has no special meaning */
	if (slice_is_nothing(key) ? !buf_putc(&m->text, '.') : esc_undo(&m->text, key, &at) != 0)
		return err_nomem(e);
	n = m->text.len;
	if (esc_undo(&m->text, text, &at) != 0)
		return err_nomem(e);
	word = (struct slice){ m->text.p, n };
	value = (struct slice){ m->text.p + n, m->text.len - n };
	if (!is_line(word, value))
		return err_line(e, number, "not a line of a DCPI header: %s",
		    dcpi_header_shown(shown, word));
	return dcpi_header_add(&m->next, word, value, number, e);
}

static int
no_doubt(void *ctx, unsigned kind, const struct err *e)
{
	(void)ctx;
	(void)kind;
	(void)e;
	return 0;
}

static int
read_header(struct merge *m, const struct ev *ev, struct err *e)
{
	static const struct header_doubts doubts = { no_doubt, NULL };
	static const struct slice prefix = { "hdr.", 4 };
	struct slice rest = ev->tags;
	struct ev_tag tag;
	char shown[HEADER_SHOWN];
	size_t i;
	int rc = 0;

	dcpi_header_clear(&m->next);
	while (rc == 0 && ev_next_tag(&rest, &tag)) {
		if (tag.key.len <= prefix.len || memcmp(tag.key.p, prefix.p, prefix.len) != 0)
			continue;
		tag.key.p += prefix.len;
		tag.key.len -= prefix.len;
		rc = take_tag(m, tag.key, tag.value, ev->number, e);
	}
	if (m->next.count == 0)
		return rc;
	if (rc == 0)
		rc = dcpi_header_check_whole(&m->next, ev->number, e);
	if (rc == 0 && !dcpi_header_begins(dcpi_header_word(&m->next, 0)))
		rc = err_line(e, ev->number, "a DCPI header cannot begin with the word %s",
		    dcpi_header_shown(shown, dcpi_header_word(&m->next, 0)));
	for (i = 0; rc == 0 && i < m->next.count; i++)
		rc = dcpi_header_check_line(&m->next, i, &doubts, e);
	return rc;
}

/* Compares values.  Numbers are compared without regard to leading zeros and the case of digits. */
static bool
is_same(enum header_word word, struct slice a, struct slice b)
{
	uint64_t x, y;

	if (slice_eq(a, b))
		return true;
	if (word == WORD_TSTART)
		return dcpi_value_hex(a, &x) && dcpi_value_hex(b, &y) && x == y;
	if (word == WORD_TSIZE || word == WORD_PERIOD)
		return dcpi_value_decimal(a, &x) && dcpi_value_decimal(b, &y) && x == y;
	return false;
}

static int
check_agreement(struct merge *m, uint64_t number, struct err *e)
{
	static const enum header_word must[] = { WORD_IMAGE, WORD_TSTART, WORD_TSIZE, WORD_EVENT,
		WORD_PERIOD, WORD_PLATFORM };
	char ours[HEADER_SHOWN], theirs[HEADER_SHOWN];
	size_t i;

	for (i = 0; i < sizeof must / sizeof must[0]; i++) {
		struct slice a = dcpi_header_get(&m->head, must[i]),
			     b = dcpi_header_get(&m->next, must[i]);

		if (!is_same(must[i], a, b))
			return err_line(e, number, "profiles of different %s: %s and %s",
			    dcpi_header_name(must[i]).p, dcpi_header_shown(ours, a),
			    dcpi_header_shown(theirs, b));
	}
	return 0;
}

/* Writes the line to m->text.  No word contains a blank. */
static int
spell_line(struct merge *m, struct slice word, struct slice value, struct err *e)
{
	m->text.len = 0;
	if (!buf_put(&m->text, word.p, word.len) || !buf_putc(&m->text, ' ') ||
	    !buf_put(&m->text, value.p, value.len))
		return err_nomem(e);
	return 0;
}

/* Adds the line to the lines of head.  *fresh is set if it is new. */
static int
note_line(struct merge *m, struct slice word, struct slice value, bool *fresh, struct err *e)
{
	int rc = spell_line(m, word, value, e);

	if (rc == 0 && tab_add(&m->lines, buf_slice(&m->text), fresh) == TAB_NONE)
		rc = err_nomem(e);
	return rc;
}

static int
note_head(struct merge *m, struct err *e)
{
	bool fresh;
	size_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < m->head.count; i++)
		rc = note_line(m, dcpi_header_word(&m->head, i), dcpi_header_value(&m->head, i),
		    &fresh, e);
	return rc;
}

/* Keeps the line with the earlier epoch, as it is spelled there. */
static int
take_epoch(struct merge *m, struct slice value, bool *changed, struct err *e)
{
	const struct header_line *l = dcpi_header_find(&m->head, WORD_EPOCH);
	size_t i = (size_t)(l - m->head.line);
	int64_t ours, theirs;
	const char *what;

	(void)dcpi_value_epoch(dcpi_header_value(&m->head, i), &ours, &what);
	(void)dcpi_value_epoch(value, &theirs, &what);
	if (theirs >= ours)
		return 0;
	*changed = true;
	return dcpi_header_replace(&m->head, i, value, e);
}

/* Counts a differing value for a word that head already has. */
static int
compare_line(struct merge *m, enum header_word known, struct slice word, struct slice value,
    struct err *e)
{
	int rc = spell_line(m, word, value, e);

	if (rc == 0 && tab_find(&m->lines, buf_slice(&m->text)) == TAB_NONE)
		m->differ[known] += !is_same(known, dcpi_header_get(&m->head, known), value);
	return rc;
}

/* Merges line i of the header being added. */
static int
unite_line(struct merge *m, size_t i, bool *changed, struct err *e)
{
	const struct header_line *l = &m->next.line[i];
	struct slice word = dcpi_header_word(&m->next, i), value = dcpi_header_value(&m->next, i);

	bool fresh;
	int rc;

	if (l->known == WORD_EPOCH)
		return take_epoch(m, value, changed, e);
	if (l->known < WORD_PATH && dcpi_header_find(&m->head, l->known) != NULL)
		return compare_line(m, l->known, word, value, e);
	rc = note_line(m, word, value, &fresh, e);
	if (rc != 0 || !fresh)
		return rc;
	*changed = true;
	return dcpi_header_add(&m->head, word, value, l->number, e);
}

static int
take_stride(struct merge *m, const struct ev *ev, struct err *e)
{
	struct slice text;
	unsigned stride = 4;

	if (ev_tag(ev, SLICE("stride"), &text)) {
		if (!slice_eq(text, SLICE("4")) && !slice_eq(text, SLICE("1")))
			return err_line(e, ev->number, "stride is not 4 or 1");
		stride = (unsigned)(text.p[0] - '0');
	}
	if (m->stride != 0 && m->stride != stride)
		return err_line(e, ev->number, "profiles of different stride: %u and %u", m->stride,
		    stride);
	m->stride = stride;
	return 0;
}

/*
 * Merges the tags hdr.* of a run line.  *has is set if there were any, and *changed if the merged
 * header has changed.  Returns ERR_DATA if the tags are not the header of a version 0.x profile, or
 * differ from earlier ones in image, tstart, tsize, event, period, platform or stride.
 */
static int
dcpi_merge_run(struct merge *m, const struct ev *ev, bool *has, bool *changed, struct err *e)
{
	struct header first;
	size_t i;
	int rc = read_header(m, ev, e);

	*changed = false;
	*has = rc != 0 || m->next.count != 0;
	if (rc != 0 || !*has)
		return rc;
	rc = take_stride(m, ev, e);
	if (rc != 0)
		return rc;
	m->runs++;
	if (m->head.count == 0) {
		first = m->head;
		m->head = m->next;
		m->next = first;
		*changed = true;
		return 0;
	}
	rc = check_agreement(m, ev->number, e);
	if (rc == 0 && m->lines.count == 0)
		rc = note_head(m, e);
	for (i = 0; rc == 0 && i < m->next.count; i++)
		rc = unite_line(m, i, changed, e);
	return rc;
}

#define ZEROS_MAX 2 /* slots; the header of a chunk is as long as two counts */
#define COUNT ((size_t)4)
#define OFFSET_TEXT 18 /* 0x and 16 digits */
/* the largest offset, since the chunk that contains it is in memory */
#define FAR_MAX (UINT32_MAX + ((uint64_t)1 << 26))

struct dcpi_encode {
	struct out *out;
	struct merge merge;
	bool begun; /* the header has been written */
	bool refused;
	uint64_t tstart;
	struct buf event, image; /* in the stream's spelling */
	struct buf chunk; /* counts, little-endian */
	uint64_t offset; /* the chunk's offset */
	uint64_t next; /* offset after the last count */
	uint64_t addresses, samples;
	struct kinds_left left; /* for agg lines, their stat */
};

struct dcpi_encode *
dcpi_encode_open(struct out *o)
{
	struct dcpi_encode *x = mem_zero(1, sizeof *x);

	if (x != NULL)
		x->out = o;
	return x;
}

void
dcpi_encode_close(struct dcpi_encode *x)
{
	if (x == NULL)
		return;
	dcpi_merge_free(&x->merge);
	buf_free(&x->event);
	buf_free(&x->image);
	buf_free(&x->chunk);
	kinds_left_free(&x->left);
	mem_free(x);
}

bool
dcpi_encode_refused(const struct dcpi_encode *x)
{
	return x->refused;
}

/* Records that no profile can be made from the input. */
static int
refuse(struct dcpi_encode *x, int rc)
{
	x->refused = true;
	return rc;
}

/* Truncates text of the stream, which is escaped, for a message. */
static const char *
shown_text(char *dst, struct slice s)
{
	size_t n = s.len < HEADER_SHOWN_MAX ? s.len : HEADER_SHOWN_MAX;

	if (n != 0)
		memcpy(dst, s.p, n);
	dst[n] = '\0';
	return dst;
}

static void
put_u32(struct out *o, uint64_t v)
{
	unsigned char b[4] = { (unsigned char)v, (unsigned char)(v >> 8), (unsigned char)(v >> 16),
		(unsigned char)(v >> 24) };

	out_put(o, b, sizeof b);
}

static bool
keep_spelling(struct buf *b, struct slice text)
{
	b->len = 0;
	return esc_append(b, text.p, text.len, ESC_COLUMN);
}

/* Writes the header, and blanks to align the binary part to a multiple of four. */
static int
begin(struct dcpi_encode *x, struct err *e)
{
	const struct header *h = &x->merge.head;
	size_t length = dcpi_header_size(h) + 2 * h->count + sizeof "samples\n" - 1, i;

	if (h->count == 0)
		return refuse(x,
		    err_data(e,
			"no run line with the header of a DCPI profile before the samples"));
	if (length > HEADER_MAX)
		return refuse(x, err_data(e, "header longer than %zu bytes", HEADER_MAX));
	if (!dcpi_value_hex(dcpi_header_get(h, WORD_TSTART), &x->tstart))
		return refuse(x, err_data(e, "tstart is too big: an address has 64 bits"));
	if (!keep_spelling(&x->event, dcpi_header_get(h, WORD_EVENT)) ||
	    !keep_spelling(&x->image, dcpi_header_get(h, WORD_IMAGE)))
		return err_nomem(e);
	x->begun = true;
	for (i = 0; i < h->count; i++) {
		struct slice word = dcpi_header_word(h, i), value = dcpi_header_value(h, i);

		out_put(x->out, word.p, word.len);
		out_put(x->out, " ", 1);
		out_put(x->out, value.p, value.len);
		out_put(x->out, "\n", 1);
	}
	out_put(x->out, "samples", 7);
	out_put(x->out, "   ", (4 - length % 4) % 4);
	out_put(x->out, "\n", 1);
	return 0;
}

static void
end_chunk(struct dcpi_encode *x)
{
	if (x->chunk.len == 0)
		return;
	put_u32(x->out, x->offset);
	put_u32(x->out, x->chunk.len / COUNT);
	out_put(x->out, x->chunk.p, x->chunk.len);
	x->chunk.len = 0;
}

#define NOWHERE UINT64_MAX

/*
 * Returns the start of the chunk for a slot at off.  This is the start of the open chunk if that
 * has such a slot.  Otherwise it is as late as possible, which for an offset beyond 32 bits is the
 * last slot that 32 bits can reach.  Returns NOWHERE if a chunk with other slots uses that place.
 */
static uint64_t
chunk_start(const struct dcpi_encode *x, uint64_t off)
{
	uint64_t stride = x->merge.stride, gap = off - x->next, start = off;
	bool fits = x->chunk.len != 0 && gap % stride == 0;

	if (fits && gap / stride <= ZEROS_MAX)
		return x->offset;
	if (off > UINT32_MAX)
		start = UINT32_MAX - (UINT32_MAX - off % stride) % stride;
	if (x->addresses == 0 || start >= x->next)
		return start;
	return fits ? x->offset : NOWHERE;
}

static bool
put_zeros(struct dcpi_encode *x, size_t n)
{
	if (n != 0 && !buf_room(&x->chunk, n * COUNT))
		return false;
	if (n != 0)
		memset(x->chunk.p + x->chunk.len, 0, n * COUNT);
	x->chunk.len += n * COUNT;
	return true;
}

static int
put_count(struct dcpi_encode *x, uint64_t off, uint64_t count, struct err *e)
{
	uint64_t stride = x->merge.stride, start = chunk_start(x, off), from;
	unsigned char b[COUNT] = { (unsigned char)count, (unsigned char)(count >> 8),
		(unsigned char)(count >> 16), (unsigned char)(count >> 24) };

	from = x->chunk.len != 0 && start == x->offset ? x->next : start;
	if (start == NOWHERE)
		return err_data(e, "0x%" PRIx64 " lies beyond the reach of a 32-bit offset", off);
	if (x->chunk.len != 0 && start != x->offset)
		end_chunk(x);
	x->offset = start;
	if (!put_zeros(x, (size_t)((off - from) / stride)) || !buf_put(&x->chunk, b, COUNT))
		return err_nomem(e);
	x->next = off + stride;
	x->addresses++;
	x->samples += count;
	return 0;
}

static bool
get_hex(struct slice s, uint64_t *v)
{
	struct slice digits = { s.p + 2, s.len - 2 };

	return s.len > 2 && s.len <= OFFSET_TEXT && memcmp(s.p, "0x", 2) == 0 &&
	    dcpi_value_hex_digits(digits) == digits.len && dcpi_value_hex(digits, v);
}

/* Finds the offset of the count from its address or, if that is not known, from its off tag. */
static int
get_offset(struct dcpi_encode *x, const struct ev *ev, uint64_t *off, struct err *e)
{
	struct slice text = ev_get(ev, SLICE("addr"));
	char shown[HEADER_SHOWN];
	uint64_t addr;

	if (slice_is_nothing(text)) {
		text = ev_get(ev, SLICE("off"));
		if (slice_is_nothing(text))
			return err_line(e, ev->number, "a sample without addr=");
		if (!get_hex(text, off))
			return err_line(e, ev->number, "not an offset: %s",
			    shown_text(shown, text));
	} else {
		if (!get_hex(text, &addr))
			return err_line(e, ev->number, "not an address: %s",
			    shown_text(shown, text));
		if (addr < x->tstart)
			return err_line(e, ev->number, "address %s lies before tstart",
			    shown_text(shown, text));
		*off = addr - x->tstart;
	}
	if (*off > FAR_MAX)
		return err_line(e, ev->number, "%s lies beyond the reach of a 32-bit offset",
		    shown_text(shown, text));
	return 0;
}

/* Checks that the line belongs to this profile.  If not, the input needs more than one file. */
static int
check_line(struct dcpi_encode *x, const struct ev *ev, struct err *e)
{
	char ours[HEADER_SHOWN], theirs[HEADER_SHOWN];
	struct slice image = ev_get(ev, SLICE("image"));

	if (!slice_eq(ev->col[EV_MEASURE], buf_slice(&x->event)))
		return err_line(e, ev->number, "two events, %s and %s: a profile holds one",
		    shown_text(ours, buf_slice(&x->event)),
		    shown_text(theirs, ev->col[EV_MEASURE]));
	if (!slice_is_nothing(image) && !slice_eq(image, buf_slice(&x->image)))
		return err_line(e, ev->number, "two images, %s and %s: a profile is for one",
		    shown_text(ours, buf_slice(&x->image)), shown_text(theirs, image));
	return 0;
}

static int
check_order(struct dcpi_encode *x, const struct ev *ev, uint64_t off, uint64_t count, struct err *e)
{
	uint64_t last = x->next - x->merge.stride;
	char shown[HEADER_SHOWN];

	if (x->addresses != 0 && off < x->next && off > last)
		return err_line(e, ev->number,
		    "offset 0x%" PRIx64 " after 0x%" PRIx64 ": the counts would overlap, with "
		    "stride=%u bytes for each",
		    off, last, x->merge.stride);
	if (x->addresses != 0 && off < x->next)
		return err_line(e, ev->number,
		    "descending addresses: offset 0x%" PRIx64 " after 0x%" PRIx64
		    " (merge with afagg --by addr,image --stat sum)",
		    off, last);
	if (count > UINT32_MAX || x->samples + count > UINT32_MAX)
		return err_line(e, ev->number, "a sum over 32 bits: %" PRIu64 " samples and %s",
		    x->samples, shown_text(shown, ev->col[EV_VALUE]));
	return 0;
}

static int
take_sample(struct dcpi_encode *x, const struct ev *ev, struct err *e)
{
	uint64_t off, count;
	char shown[HEADER_SHOWN];
	int rc = x->begun ? 0 : begin(x, e);

	if (rc == ERR_DATA)
		(void)err_at_line(e, ev->number);
	if (rc != 0)
		return rc;
	if (num_is_integer(ev->col[EV_VALUE]) && ev->col[EV_VALUE].p[0] >= '1' &&
	    !num_get_u64(ev->col[EV_VALUE], &count))
		count = UINT64_MAX; /* or more; the sum is rejected later */
	else if (!num_get_u64(ev->col[EV_VALUE], &count))
		return err_line(e, ev->number, "not a count: %s",
		    shown_text(shown, ev->col[EV_VALUE]));
	rc = check_line(x, ev, e);
	if (rc != 0)
		return refuse(x, rc);
	rc = get_offset(x, ev, &off, e);
	if (rc != 0 || count == 0)
		return rc;
	rc = check_order(x, ev, off, count, e);
	if (rc != 0)
		return refuse(x, rc);
	rc = put_count(x, off, count, e);
	return rc == 0 ? 0 : err_at_line(e, ev->number);
}

static int
take_run(struct dcpi_encode *x, const struct ev *ev, struct err *e)
{
	bool has, changed;
	int rc = dcpi_merge_run(&x->merge, ev, &has, &changed, e);

	if (rc == ERR_DATA)
		return refuse(x, rc);
	if (rc != 0)
		return rc;
	if (!has) {
		kinds_leave(&x->left, ev->col[EV_KIND], 1);
		return 0;
	}
	if (changed && x->begun)
		return refuse(x,
		    err_line(e, ev->number,
			"another profile's header after the first samples (merge with afagg "
			"--by addr,image --stat sum)"));
	return 0;
}

int
dcpi_encode_line(struct dcpi_encode *x, const struct ev *ev, struct err *e)
{
	struct slice kind = ev->col[EV_KIND], stat, of;
	char shown[HEADER_SHOWN];

	if (slice_eq(kind, SLICE("sample")))
		return take_sample(x, ev, e);
	stat = slice_eq(kind, SLICE("agg")) ? ev_get(ev, SLICE("stat")) : SLICE("");
	if (slice_eq(stat, SLICE("sum")) && ev_tag(ev, SLICE("of"), &of))
		return refuse(x,
		    err_line(e, ev->number,
			"a sum of %s (afagg --of), which is no count of samples",
			shown_text(shown, of)));
	if (slice_eq(stat, SLICE("sum")))
		return take_sample(x, ev, e);
	if (slice_eq(kind, SLICE("run")))
		return take_run(x, ev, e);
	if (!slice_eq(kind, SLICE("measure")))
		kinds_leave(&x->left, stat.len != 0 ? stat : kind, 1);
	return 0;
}

int
dcpi_encode_end(struct dcpi_encode *x, struct err *e)
{
	int rc = x->begun ? 0 : begin(x, e);

	if (rc != 0)
		return rc;
	end_chunk(x);
	put_u32(x->out, x->addresses);
	put_u32(x->out, x->samples);
	return 0;
}

bool
dcpi_encode_note(const struct dcpi_encode *x, size_t *at, char *text, size_t size)
{
	char shown[HEADER_SHOWN];
	size_t i;

	if (*at == 0) {
		++*at;
		if (kinds_left_note(&x->left, "other kinds or statistics", text, size))
			return true;
	}
	for (i = *at - 1; i < WORD_UNKNOWN; i++) {
		if (x->merge.differ[i] == 0)
			continue;
		snprintf(text, size, "left out %s of %" PRIu64 " profiles: the first has %.100s",
		    dcpi_header_name((enum header_word)i).p, x->merge.differ[i],
		    dcpi_header_shown(shown, dcpi_header_get(&x->merge.head, (enum header_word)i)));
		*at = i + 2;
		return true;
	}
	return false;
}
