/* SPDX-License-Identifier: ISC */
/* binary.c - a profile in its binary form: the header's lines, then the samples. */
#include <inttypes.h>

#include "lib/cur.h"
#include "lib/esc.h"
#include "src/dcpi/images.h"
#include "src/dcpi/profile.h"
#include "src/dcpi/value.h"

#define PAIR ((size_t)8) /* the header of a chunk, or the footer */
#define COUNT ((size_t)4)

struct chunks {
	struct profile *p;
	uint64_t tstart, tsize;
	bool has_tstart, has_tsize; /* the values fit in 64 bits */
	uint64_t addresses, samples; /* so far */
	uint64_t last, next; /* offsets of the last chunk and of its end */
	bool any;
	bool matched; /* the bytes at match could be the footer if nothing followed them */
	uint64_t match;
};

struct chunk {
	uint64_t at; /* offset of its header in the file */
	uint64_t offset, number;
};

static int
check_place(const struct chunks *c, const struct chunk *k, struct err *e)
{
	uint64_t stride = c->p->opt->stride, end = k->offset + k->number * stride;
	int rc = 0;

	if (c->has_tsize && end > c->tsize) {
		err_byte(e, k->at,
		    "chunk at offset %" PRIu64 " ends at %" PRIu64 ", outside the text of %" PRIu64
		    " bytes",
		    k->offset, end, c->tsize);
		rc = dcpi_profile_doubt(c->p, DOUBT_SIZE, e);
	}
	if (rc == 0 && c->has_tstart && end - stride > UINT64_MAX - c->tstart) {
		err_byte(e, k->at, "chunk at offset %" PRIu64 " has addresses past 2^64",
		    k->offset);
		rc = dcpi_profile_doubt(c->p, DOUBT_WRAP, e);
	}
	return rc;
}

static int
check_order(const struct chunks *c, const struct chunk *k, struct err *e)
{
	uint64_t stride = c->p->opt->stride;

	if (k->number == 0)
		return err_byte(e, k->at, "empty chunk: a chunk has at least one count");
	if (c->any && k->offset <= c->last)
		return err_byte(e, k->at,
		    "chunk offset %" PRIu64 " after %" PRIu64 ": offsets must increase", k->offset,
		    c->last);
	if (c->any && k->offset < c->next)
		return err_byte(e, k->at,
		    "chunk at offset %" PRIu64
		    " overlaps the previous chunk, which ends at %" PRIu64 "%s",
		    k->offset, c->next, stride > 1 ? " with 4 bytes a count (see --stride)" : "");
	return 0;
}

static int
runs_past(const struct chunk *k, struct err *e)
{
	return err_byte(e, k->at, "file cut short: chunk of %" PRIu64 " counts runs past its end",
	    k->number);
}

/*
 * Checks the size of a chunk.  A file has a known size, so an incomplete chunk is not used at all.
 */
static int
check_size(const struct chunks *c, const struct chunk *k, struct err *e)
{
	const struct in *in = &c->p->src.in;
	uint64_t size = in->size;

	if (!in->seekable || size < k->at + 2 * PAIR)
		return 0;
	return k->number <= (size - k->at - 2 * PAIR) / COUNT ? 0 : runs_past(k, e);
}

/*
 * Returns how many consecutive counts of p[0..n), starting at i, are zero.  Examines two at a time.
 */
static size_t
skip_zeros(const unsigned char *p, size_t i, size_t n)
{
	while (i + 2 <= n && cur_word64(p + i * COUNT, false) == 0)
		i += 2;
	while (i < n && cur_word32(p + i * COUNT, false) == 0)
		i++;
	return i;
}

/* Writes n counts that have been read, the first at offset off. */
static void
put_counts(struct chunks *c, struct cur *counts, uint64_t off)
{
	struct profile *p = c->p;
	size_t n = cur_left(counts) / COUNT, i;
	const unsigned char *at = cur_take(counts, n * COUNT);
	uint64_t stride = p->opt->stride;
	struct line_sample s = { .has_off = true };

	for (i = 0; i < n; i++) {
		if (!p->opt->zeros && (i = skip_zeros(at, i, n)) == n)
			break;
		s.count = cur_word32(at + i * COUNT, counts->swap);
		s.off = off + i * stride;
		s.has_addr = c->has_tstart && s.off <= UINT64_MAX - c->tstart;
		s.addr = c->tstart + s.off;
		c->addresses += s.count != 0;
		c->samples += s.count;
		dcpi_line_put(&p->line, p->w, &s);
	}
}

static int
take_counts(struct chunks *c, const struct chunk *k, struct err *e)
{
	struct source *src = &c->p->src;
	uint64_t off = k->offset, left = k->number;
	struct cur counts;
	size_t n;
	int rc;

	while (left > 0 && !evw_failed(c->p->w)) {
		rc = dcpi_source_want(src, COUNT + PAIR, e);
		if (rc != 0)
			return rc;
		if (dcpi_source_left(src) < COUNT + PAIR)
			return runs_past(k, e);
		n = (dcpi_source_left(src) - PAIR) / COUNT;
		if (n > left)
			n = (size_t)left;
		counts = cur_over(src->p + src->at, n * COUNT, false);
		put_counts(c, &counts, off);
		src->at += n * COUNT;
		off += n * c->p->opt->stride;
		left -= n;
	}
	return 0;
}

static int
check_footer(const struct chunks *c, const struct chunk *k, struct err *e)
{
	if (k->offset != c->addresses)
		return err_byte(e, k->at,
		    "footer gives %" PRIu64 " addresses, chunks have %" PRIu64, k->offset,
		    c->addresses);
	if (k->number != c->samples)
		return err_byte(e, k->at + COUNT,
		    "footer gives %" PRIu64 " samples, chunks have %" PRIu64, k->number,
		    c->samples);
	return 0;
}

static int
no_footer(const struct chunks *c, struct err *e)
{
	const struct source *src = &c->p->src;

	if (dcpi_source_left(src) == 0)
		return err_byte(e, dcpi_source_offset(src), "file cut short: footer missing");
	return err_byte(e, dcpi_source_offset(src), "file cut short: footer of %zu of 8 bytes",
	    dcpi_source_left(src));
}

/* Reads the next chunk, or the footer, after which *end is true. */
static int
take_pair(struct chunks *c, bool *end, struct err *e)
{
	struct source *src = &c->p->src;
	struct chunk k;
	struct cur pair;
	int rc = dcpi_source_want(src, PAIR + 1, e);

	if (rc != 0)
		return rc;
	if (dcpi_source_left(src) < PAIR)
		return no_footer(c, e);
	pair = cur_over(src->p + src->at, PAIR, false);
	k.at = dcpi_source_offset(src);
	k.offset = cur_u32(&pair);
	k.number = cur_u32(&pair);
	*end = dcpi_source_left(src) == PAIR;
	if (*end)
		return check_footer(c, &k, e);
	if (k.offset == c->addresses && k.number == c->samples) {
		c->matched = true;
		c->match = k.at;
	}
	rc = check_order(c, &k, e);
	if (rc == 0)
		rc = check_size(c, &k, e);
	if (rc == 0)
		rc = check_place(c, &k, e);
	if (rc != 0)
		return rc;
	src->at += PAIR;
	c->any = true;
	c->last = k.offset;
	c->next = k.offset + k.number * c->p->opt->stride;
	return take_counts(c, &k, e);
}

/*
 * Reports damage after a possible footer as surplus bytes, since these were most likely appended.
 */
static int
blame_the_rest(struct chunks *c, struct err *e)
{
	char why[sizeof e->msg];
	struct err read;
	uint64_t rest;
	int rc = dcpi_source_drain(&c->p->src, &rest, &read);

	if (rc != 0) {
		*e = read;
		return rc;
	}
	rest = c->p->src.base + c->p->src.len - (c->match + PAIR);
	memcpy(why, e->msg, sizeof why);
	return err_byte(e, c->match,
	    "this looks like the footer, but has %" PRIu64 " bytes after it (0x%" PRIx64
	    ": %.120s)",
	    rest, e->pos, why);
}

/* Decodes the binary part, after the header.  Errors are stored in *e but not reported. */
static int
dcpi_profile_chunks(struct profile *p, struct err *e)
{
	struct chunks c = { .p = p };
	bool end = false;
	int rc = 0;

	c.has_tstart = dcpi_value_hex(dcpi_header_get(&p->head, WORD_TSTART), &c.tstart);
	c.has_tsize = dcpi_value_decimal(dcpi_header_get(&p->head, WORD_TSIZE), &c.tsize);
	while (rc == 0 && !end && !evw_failed(p->w))
		rc = take_pair(&c, &end, e);
	return rc == ERR_DATA && c.matched ? blame_the_rest(&c, e) : rc;
}

#define BOM_BYTES (sizeof ESC_BOM - 1)

/*
 * Returns 1 if the line ends the header ("samples", blanks, newline), 0 if it is another line, and
 * -1 with an error if it is damaged.
 */
static int
is_terminator(struct slice line, uint64_t number, struct err *e)
{
	static const struct slice word = { "samples", 7 };
	size_t i;

	if (line.len < word.len || memcmp(line.p, word.p, word.len) != 0)
		return 0;
	for (i = word.len; i < line.len; i++) {
		if (line.p[i] == ' ' || line.p[i] == '\t')
			continue;
		if (i == word.len && line.p[i] != '\r')
			return 0; /* a longer word */
		err_line(e, number,
		    line.p[i] == '\r' && i + 1 == line.len
			? "carriage return after samples "
			  "(was the file changed by a text-mode transfer?)"
			: "only blanks may follow samples");
		return -1;
	}
	return 1;
}

static int
cut_short(const struct profile *p, struct err *e)
{
	uint64_t at = p->src.base + p->src.len;

	if (at >= HEADER_MAX)
		return err_byte(e, HEADER_MAX, "header longer than %zu bytes", HEADER_MAX);
	return err_byte(e, at, "header cut short: no samples line");
}

bool
dcpi_binary_is_near(const char *s, size_t n)
{
	static const struct slice word = { "version", 7 };
	size_t i = 0;

	if (n >= BOM_BYTES && memcmp(s, ESC_BOM, BOM_BYTES) == 0)
		i = BOM_BYTES;
	while (i < n && memchr(" \t\r\n", s[i], 4) != NULL)
		i++;
	return n - i >= word.len && memcmp(s + i, word.p, word.len) == 0;
}

/* Returns 1 if neither the lines so far nor the next one are lines of a header. */
static int
is_foreign(const struct profile *p, struct slice line)
{
	size_t i;

	if (p->head.count == 0 && line.len > 0 && line.p[0] >= 'a' && line.p[0] <= 'z' &&
	    memchr(line.p, '\0', line.len) != NULL)
		return 0; /* NULs in a word */
	if (p->head.count == 0 &&
	    dcpi_binary_is_near((const char *)p->src.p + p->src.at, dcpi_source_left(&p->src)))
		return 0;
	for (i = 0; i < p->head.count; i++)
		if (p->head.line[i].known != WORD_UNKNOWN)
			return 0;
	return 1;
}

static int
split(struct slice line, uint64_t number, struct slice *word, struct slice *value, struct err *e)
{
	int rc;

	if (number == 1 && slice_begins(line, SLICE(ESC_BOM)))
		return err_line(e, number, "a byte order mark before the first word");
	rc = dcpi_header_split(line, number, word, value, e);
	if (rc == 0 && number == 1 && !dcpi_header_begins(*word))
		return err_line(e, number, "a control byte before the first word");
	return rc;
}

static int
read_header(struct profile *p, struct err *e)
{
	struct slice line, word, value, none = { NULL, 0 };
	uint64_t number;
	int rc, ends = 0;

	for (number = 1;; number++) {
		rc = dcpi_source_line(&p->src, HEADER_MAX - (size_t)dcpi_source_offset(&p->src),
		    &line, e);
		if (rc != 0)
			return rc;
		if (line.p == NULL)
			return is_foreign(p, none) ? err_byte(e, 0, DCPI_NO_PROFILE)
						   : cut_short(p, e);
		ends = is_terminator(line, number, e);
		if (ends < 0)
			return ERR_DATA;
		if (ends > 0) {
			p->src.at += line.len + 1;
			return dcpi_header_check_whole(&p->head, number, e);
		}
		rc = split(line, number, &word, &value, e);
		if (rc == ERR_DATA && is_foreign(p, line))
			return err_byte(e, 0, DCPI_NO_PROFILE);
		if (rc == 0)
			rc = dcpi_header_add(&p->head, word, value, number, e);
		if (rc == 0)
			rc = dcpi_header_check_line(&p->head, p->head.count - 1, &p->doubts, e);
		if (rc != 0)
			return rc;
		p->src.at += line.len + 1;
	}
}

static int
open_line(struct profile *p, struct err *e)
{
	struct line_event event = { .image = dcpi_header_get(&p->head, WORD_IMAGE),
		.measure = dcpi_header_get(&p->head, WORD_EVENT),
		.period = dcpi_header_get(&p->head, WORD_PERIOD),
		.rate = { .share = DCPI_SHARE_WHOLE } };
	struct dcpi_names *names;
	int rc = dcpi_profile_begin(p, event.image, &names, e);

	if (rc != 0)
		return rc;
	event.run = buf_slice(&p->run);
	event.rate.known = dcpi_value_decimal(event.period, &event.rate.period);
	if (!dcpi_line_open(&p->line, &event, p->opt, names))
		return err_nomem(e);
	dcpi_profile_run_line(p, dcpi_header_get(&p->head, WORD_EPOCH), p->opt->stride);
	dcpi_profile_measure(p, event.measure);
	evw_tag_text(p->w, SLICE("period"), event.period);
	evw_end(p->w);
	return 0;
}

int
dcpi_profile_binary(struct profile *p)
{
	struct err e;
	int rc = read_header(p, &e);

	if (rc == 0)
		rc = open_line(p, &e);
	if (rc == 0 && (p->opt->images == NULL || !p->opt->images->surveying))
		rc = dcpi_profile_chunks(p, &e);
	return rc == 0 ? 0 : dcpi_profile_report(p, &e);
}
