/* SPDX-License-Identifier: ISC */
/* feed.c - splits a run of bytes into records, in blocks of memory. */

#include <inttypes.h>
#include <string.h>

#include "lib/mem.h"
#include "lib/vec.h"
#include "src/perfdata/input/parts.h"

/* The least room at the end of a block that is worth a read. */
#define READ_MIN ((size_t)64 * 1024)

/* A header's magic, read as the type of a record, is above all existing types. */
#define MAGIC_MIN 0x10000000u

/* ---- blocks */

void
blocks_free(struct blocks *b)
{
	uint32_t i;

	for (i = 0; i < b->count; i++)
		mem_free(b->item[i].data);
	mem_free(b->item);
	*b = (struct blocks){ 0 };
}

static int
add_block(struct blocks *b, struct err *e)
{
	unsigned char *data;

	if (!vec_room(b->item, b->count, b->cap))
		return err_nomem(e);
	data = mem_alloc(BLOCK_HEAD + BLOCK_BODY);
	if (data == NULL)
		return err_nomem(e);
	b->item[b->count] = (struct block){ .data = data, .next_free = b->free };
	b->free = ++b->count;
	return 0;
}

int
blocks_get(struct blocks *b, uint32_t *n, struct err *e)
{
	struct block *k;

	if (b->free == 0 && add_block(b, e) != 0)
		return e->code;
	*n = b->free - 1;
	k = &b->item[*n];
	b->free = k->next_free;
	k->refs = 1;
	b->used++;
	return 0;
}

/* ---- records */

void
feed_open(struct feed *f, struct in *in, struct blocks *blocks, bool big_endian, uint64_t offset,
    uint64_t length)
{
	*f = (struct feed){ .in = in,
		.blocks = blocks,
		.big_endian = big_endian,
		.left = length,
		.offset = offset };
}

static void
close_inner(struct feed *f)
{
	if (f->inner == NULL)
		return;
	unpack_close(f->inner->unpack);
	feed_close(f->inner);
	mem_free(f->inner);
	f->inner = NULL;
}

void
feed_close(struct feed *f)
{
	if (f->have_block)
		blocks_drop(f->blocks, f->block);
	f->have_block = false;
	close_inner(f);
}

void
feed_begin_anew(struct feed *f, bool big_endian)
{
	close_inner(f);
	f->big_endian = big_endian;
}

struct feed *
feed_inner(struct feed *f)
{
	struct feed *inner = f->inner;

	if (inner != NULL)
		return inner;
	inner = mem_zero(1, sizeof *inner);
	if (inner == NULL)
		return NULL;
	feed_open(inner, NULL, f->blocks, f->big_endian, 0, UINT64_MAX);
	inner->unpack = unpack_open();
	if (inner->unpack == NULL) {
		mem_free(inner);
		return NULL;
	}
	return f->inner = inner;
}

bool
feed_is_torn(const struct feed *f)
{
	return f->at != f->len;
}

void
feed_drop(struct feed *f)
{
	f->at = f->len;
}

/* Moves to a fresh block; the unread tail comes along, in its head. */
static int
next_block(struct feed *f, struct err *e)
{
	size_t tail = f->len - f->at;
	struct block *k;
	uint32_t n;

	if (blocks_get(f->blocks, &n, e) != 0)
		return -1;
	k = &f->blocks->item[n];
	if (tail != 0)
		memcpy(k->data + BLOCK_HEAD - tail, f->blocks->item[f->block].data + f->at, tail);
	if (f->have_block)
		blocks_drop(f->blocks, f->block);
	k->base = f->offset - BLOCK_HEAD;
	k->packed = f->unpack != NULL ? unpack_offset(f->unpack) : 0;
	f->block = n;
	f->have_block = true;
	f->at = BLOCK_HEAD - tail;
	f->len = BLOCK_HEAD;
	return 0;
}

static int
read_source(struct feed *f, size_t room, size_t *got, struct err *e)
{
	unsigned char *dst = f->blocks->item[f->block].data + f->len;

	if (f->unpack != NULL)
		return unpack_read(f->unpack, dst, room, got, e);
	return in_read(f->in, dst, room, got, e);
}

/* Appends more bytes.  1, 0 at the end (of the bytes given, if compressed), -1. */
static int
more(struct feed *f, struct err *e)
{
	size_t room, got;

	if (f->ended || f->left == 0)
		return 0;
	if ((!f->have_block || BLOCK_HEAD + BLOCK_BODY - f->len < READ_MIN) &&
	    next_block(f, e) != 0)
		return -1;
	room = BLOCK_HEAD + BLOCK_BODY - f->len;
	if (room > f->left)
		room = (size_t)f->left;
	if (read_source(f, room, &got, e) != 0)
		return -1;
	if (got == 0) {
		f->ended = f->unpack == NULL;
		return 0;
	}
	f->len += got;
	f->offset += got;
	if (f->left != UINT64_MAX)
		f->left -= got;
	return 1;
}

/* Makes n bytes readable at f->at.  1, 0 if the input ends before that, -1. */
static int
need(struct feed *f, size_t n, struct err *e)
{
	while (f->len - f->at < n) {
		int rc = more(f, e);

		if (rc <= 0)
			return rc;
	}
	return 1;
}

static uint64_t
position(const struct feed *f)
{
	if (f->unpack != NULL)
		return unpack_offset(f->unpack);
	return f->offset - (f->len - f->at);
}

static int
cut_short(struct feed *f, size_t wanted, struct err *e)
{
	bool file_ended = f->ended && f->left != 0 && f->left != UINT64_MAX;

	err_byte(e, position(f), "record cut short: %zu of %zu bytes%s", f->len - f->at, wanted,
	    file_ended ? ", and the file is shorter than its header says" : "");
	f->at = f->len;
	return -1;
}

static int
at_end(struct feed *f, struct err *e)
{
	uint64_t missing = f->left;

	if (!f->ended || missing == 0 || missing == UINT64_MAX)
		return 0;
	f->left = 0;
	err_byte(e, position(f), "the file ends here, %" PRIu64 " bytes before its header says",
	    missing);
	return -1;
}

static int
bad_size(struct feed *f, const struct rec *r, struct err *e)
{
	err_byte(e, r->offset, "record of type %" PRIu32 " with size %u: less than its own header",
	    r->type, r->size);
	f->at = f->len;
	f->left = 0;
	return -1;
}

static void
take_header(struct feed *f, struct rec *r)
{
	struct cur c;

	r->p = f->blocks->item[f->block].data + f->at;
	c = cur_over(r->p, REC_HEADER, f->big_endian);
	r->type = cur_u32(&c);
	r->misc = cur_u16(&c);
	r->size = r->stored_size = cur_u16(&c);
}

int
feed_next(struct feed *f, struct rec *r, struct err *e)
{
	int rc;

	if (f->len - f->at < REC_HEADER) {
		rc = need(f, REC_HEADER, e);
		if (rc < 0)
			return -1;
		if (rc == 0 && f->unpack != NULL)
			return 0;
		if (rc == 0)
			return f->at == f->len ? at_end(f, e) : cut_short(f, REC_HEADER, e);
	}
	take_header(f, r);
	r->offset = position(f);
	if (r->type >= MAGIC_MIN && f->unpack == NULL && magic_is(r->p))
		return FEED_ANOTHER;
	if (r->type == REC_COMPRESSED2)
		r->size = REC_HEADER; /* its size may be wrong; the payload is not counted */
	if (r->size < REC_HEADER)
		return bad_size(f, r, e);
	if (f->len - f->at < r->size) {
		rc = need(f, r->size, e);
		if (rc == 0 && f->unpack != NULL)
			return 0;
		if (rc <= 0)
			return rc < 0 ? -1 : cut_short(f, r->size, e);
		r->p = f->blocks->item[f->block].data + f->at; /* it may have moved */
	}
	r->block = f->block;
	r->at = (uint32_t)f->at;
	f->at += r->size;
	return 1;
}

int
feed_take(struct feed *f, size_t n, const unsigned char **p, size_t *got, struct err *e)
{
	*got = 0;
	if (need(f, n, e) < 0)
		return -1;
	*got = f->len - f->at < n ? f->len - f->at : n;
	*p = *got == 0 ? (const unsigned char *)"" : f->blocks->item[f->block].data + f->at;
	f->at += *got;
	return 0;
}

int
feed_skip(struct feed *f, uint64_t n, struct err *e)
{
	uint64_t begin = position(f);

	while (n != 0) {
		size_t here = f->len - f->at;
		int rc;

		if (here != 0) {
			here = here < n ? here : (size_t)n;
			f->at += here;
			n -= here;
			continue;
		}
		rc = more(f, e);
		if (rc < 0)
			return -1;
		if (rc == 0) {
			err_byte(e, begin, "payload cut short: %" PRIu64 " bytes missing", n);
			return -1;
		}
	}
	return 0;
}
