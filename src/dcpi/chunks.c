/* SPDX-License-Identifier: ISC */
/*
 * chunks.c - the binary part of a profile: chunks of counts, and the footer.
 *
 * dcpiformat(4), BINARY DATA FOR MAJOR-VERSION 0.  The footer is recognized only as the last eight
 * bytes, so eight bytes are always held back.
 */
#include <inttypes.h>

#include "lib/cur.h"
#include "src/dcpi/profile.h"
#include "src/dcpi/value.h"

#define PAIR ((size_t)8) /* a chunk's header, or the footer */
#define COUNT ((size_t)4)

struct chunks {
	struct profile *p;
	uint64_t tstart, tsize;
	bool has_tstart, has_tsize; /* they fit in 64 bits */
	uint64_t addresses, samples; /* so far */
	uint64_t last, next; /* offset of the last chunk, and its end */
	bool any;
	bool matched; /* the bytes at match could be the footer, except for what follows */
	uint64_t match;
};

struct chunk {
	uint64_t at; /* of its header, in the file */
	uint64_t offset, number;
};

static int
check_place(const struct chunks *c, const struct chunk *k, struct err *e)
{
	uint64_t stride = c->p->opt->stride, end = k->offset + k->number * stride;
	int rc = 0;

	if (c->has_tsize && end > c->tsize) {
		err_byte(e, k->at,
		    "chunk at offset %" PRIu64 " ends at %" PRIu64
		    ", outside of the text of %" PRIu64 " bytes",
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
		return err_byte(e, k->at, "empty chunk: a chunk has one count at least");
	if (c->any && k->offset <= c->last)
		return err_byte(e, k->at,
		    "chunk offset %" PRIu64 " after %" PRIu64 ": offsets must increase", k->offset,
		    c->last);
	if (c->any && k->offset < c->next)
		return err_byte(e, k->at,
		    "chunk at offset %" PRIu64 " overlaps the one before, which ends at %" PRIu64
		    "%s",
		    k->offset, c->next, stride > 1 ? " with 4 bytes a count (see --stride)" : "");
	return 0;
}

static int
runs_past(const struct chunk *k, struct err *e)
{
	return err_byte(e, k->at, "file cut short: chunk of %" PRIu64 " counts runs past its end",
	    k->number);
}

/* A file has a known size, so no part of an incomplete chunk is taken. */
static int
check_size(const struct chunks *c, const struct chunk *k, struct err *e)
{
	const struct in *in = &c->p->src.in;
	uint64_t size = in->size;

	if (!in->seekable || size < k->at + 2 * PAIR)
		return 0;
	return k->number <= (size - k->at - 2 * PAIR) / COUNT ? 0 : runs_past(k, e);
}

/* How many counts of p[0..n) from i on are zero; two at a time. */
static size_t
skip_zeros(const unsigned char *p, size_t i, size_t n)
{
	while (i + 2 <= n && cur_word64(p + i * COUNT, false) == 0)
		i += 2;
	while (i < n && cur_word32(p + i * COUNT, false) == 0)
		i++;
	return i;
}

/* Takes n counts that have been read, the first at offset off. */
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
		return err_byte(e, k->at, "footer says %" PRIu64 " addresses, chunks have %" PRIu64,
		    k->offset, c->addresses);
	if (k->number != c->samples)
		return err_byte(e, k->at + COUNT,
		    "footer says %" PRIu64 " samples, chunks have %" PRIu64, k->number, c->samples);
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

/* Damage after a possible footer is more likely something that was appended. */
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

int
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
