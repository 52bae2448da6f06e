/* SPDX-License-Identifier: ISC */
/*
 * feed.c - splits a sequence of bytes into records, and compressed records into the records inside
 * them.
 */
#include <inttypes.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "lib/buf.h"
#include "lib/mem.h"
#include "lib/sig.h"
#include "src/perfdata/input/parts.h"

/* The minimum free space in a block for another read. */
#define READ_MIN ((size_t)64 * 1024)

/* A header's magic, read as the type of a record, is larger than all existing types. */
#define MAGIC_MIN 0x10000000u

/*
 * ---- the zstd stream that runs through the compressed records of one file
 *
 * perf record -z flushes its frames at each record and never ends them, so one context is used from
 * the first record to the last.
 */

/* zstd's own windows are at most 128 MiB, at every level and with --long. */
#define WINDOW_LOG_MAX 27
#define WINDOW_MAX ((uint64_t)1 << WINDOW_LOG_MAX)

/*
 * The memory that a context needs besides the window: the context itself, and two blocks for input
 * and output.
 */
#define CONTEXT_BYTES ((size_t)256 * 1024)
#define BLOCKS_BYTES ((size_t)2 * 128 * 1024 + 1024)

#define FRAME_MAGIC 0xfd2fb528u
#define FRAME_HEAD_MAX 18
#define BLOCK_HEAD_BYTES 3 /* what the library asks for between two blocks of a frame */

/*
 * Versions of zstd before 0.8, which perf never wrote, have magics of their own, which are lower.
 */
#define OLD_MAGIC_MIN 0xfd2fb51eu

struct unpack {
	ZSTD_DCtx *context;
	ZSTD_inBuffer in;
	uint64_t offset;
	bool full; /* the last read filled its buffer, so there may be more */
	bool lost; /* after damage: waits for the beginning of a frame */
	bool inside; /* in a frame whose window is known */
	size_t wanted; /* inside: how many bytes the library has asked for */
	unsigned char head[FRAME_HEAD_MAX]; /* the start of the next frame */
	size_t have; /* number of bytes in head */
	size_t claimed; /* bytes of memory claimed for the library */
};

/* Claims the memory that libzstd will allocate. */
static bool
claim(struct unpack *u, size_t bytes)
{
	if (bytes <= u->claimed)
		return true;
	if (!mem_claim(bytes - u->claimed))
		return false;
	u->claimed = bytes;
	return true;
}

static void
unpack_close(struct unpack *u)
{
	ZSTD_freeDCtx(u->context);
	mem_release(u->claimed);
	mem_free(u);
}

/* Returns NULL if memory runs out. */
static struct unpack *
unpack_open(void)
{
	struct unpack *u = mem_zero(1, sizeof *u);

	if (u == NULL)
		return NULL;
	u->context = claim(u, CONTEXT_BYTES) ? ZSTD_createDCtx() : NULL;
	if (u->context == NULL ||
	    ZSTD_isError(ZSTD_DCtx_setParameter(u->context, ZSTD_d_windowLogMax, WINDOW_LOG_MAX))) {
		unpack_close(u);
		return NULL;
	}
	return u;
}

/*
 * Passes on the next compressed bytes, which are at OFFSET in the file.  They are borrowed until
 * everything in them has been read.  After damage all bytes are skipped until some begin a frame.
 */
static void
unpack_give(struct unpack *u, const void *p, size_t n, uint64_t offset)
{
	static const unsigned char magic[] = { 0x28, 0xb5, 0x2f, 0xfd };

	u->in = (ZSTD_inBuffer){ p, n, 0 };
	u->offset = offset;
	u->full = false;
	if (!u->lost)
		return;
	if (n < sizeof magic || memcmp(p, magic, sizeof magic) != 0) {
		u->in.pos = n;
		return;
	}
	(void)ZSTD_DCtx_reset(u->context, ZSTD_reset_session_only);
	u->lost = u->inside = false;
	u->have = 0;
}

/* Continues as after damage, because some bytes are missing. */
static void
unpack_lose(struct unpack *u)
{
	u->lost = true;
	u->full = false;
	u->in.pos = u->in.size;
}

/*
 * Ends the frame with an empty block, which only fits between two blocks.  Returns false if it does
 * not fit, or if the frame should have had more content.
 */
static bool
ends_here(struct unpack *u)
{
	static const unsigned char last[BLOCK_HEAD_BYTES] = { 1, 0, 0 };
	ZSTD_inBuffer in = { last, sizeof last, 0 };
	char byte;
	ZSTD_outBuffer out = { &byte, sizeof byte, 0 };

	return !ZSTD_isError(ZSTD_decompressStream(u->context, &out, &in)) && out.pos == 0;
}

/*
 * Returns true if the bytes so far end inside a frame's head or a block, at the end of all.  perf
 * flushes its frames, so a whole recording ends after a block.
 */
static bool
unpack_is_torn(struct unpack *u)
{
	if (u->lost)
		return false;
	if (!u->inside)
		return u->have != 0;
	return u->wanted != BLOCK_HEAD_BYTES || !ends_here(u);
}

/* Returns the offset of the last bytes passed on. */
static uint64_t
unpack_offset(const struct unpack *u)
{
	return u->offset;
}

/*
 * Finds the window that a frame needs, from its first bytes (RFC 8878, 3.1.1.1), or 0 if it is not
 * a frame.  Returns false if there are too few bytes.
 */
static bool
window_of(const struct unpack *u, uint64_t *window)
{
	static const size_t id_size[] = { 0, 1, 2, 4 };
	struct cur c = cur_over(u->head, u->have, false);
	uint32_t magic = cur_u32(&c);
	unsigned about = cur_u8(&c), size;

	*window = 0;
	if (!cur_ok(&c) || magic != FRAME_MAGIC)
		return cur_ok(&c);
	if ((about >> 5 & 1) == 0) {
		size = cur_u8(&c);
		*window = UINT64_C(1) << (10 + (size >> 3));
		*window += *window / 8 * (size & 7);
		return cur_ok(&c);
	}
	/* a single segment: the window is the content size, which follows the dictionary id */
	(void)cur_take(&c, id_size[about & 3]);
	switch (about >> 6) {
	case 0: *window = cur_u8(&c); break;
	case 1: *window = cur_u16(&c) + UINT64_C(256); break;
	case 2: *window = cur_u32(&c); break;
	default: *window = cur_u64(&c); break;
	}
	return cur_ok(&c);
}

static bool
is_older(const struct unpack *u)
{
	struct cur c = cur_over(u->head, u->have, false);
	uint32_t magic = cur_u32(&c);

	return magic >= OLD_MAGIC_MIN && magic < FRAME_MAGIC;
}

/* Checks the start of a frame before the library reads it, and claims the memory for it. */
static int
begin_frame(struct unpack *u, struct err *e)
{
	size_t left = u->in.size - u->in.pos, room = sizeof u->head - u->have;
	size_t n = left < room ? left : room;
	uint64_t window;

	if (n != 0)
		memcpy(u->head + u->have, (const unsigned char *)u->in.src + u->in.pos, n);
	u->have += n;
	if (!window_of(u, &window))
		return 0; /* the library keeps these bytes and waits for more */
	u->inside = true;
	if (window > WINDOW_MAX || is_older(u)) {
		unpack_lose(u);
		return window == 0 ? err_byte(e, u->offset, "compressed by zstd before version 0.8")
				   : err_byte(e, u->offset,
					 "compressed records that need a window of %" PRIu64
					 " bytes: zstd itself uses at most %" PRIu64,
					 window, WINDOW_MAX);
	}
	return claim(u, CONTEXT_BYTES + (size_t)window + BLOCKS_BYTES) ? 0 : err_nomem(e);
}

/*
 * Reads up to n bytes.  *got is 0 when all bytes passed on are used up.  Returns ERR_DATA on
 * damage.
 */
static int
unpack_read(struct unpack *u, void *dst, size_t n, size_t *got, struct err *e)
{
	ZSTD_outBuffer out = { dst, n, 0 };
	size_t rc = 0;

	if (sig_stop()) /* a few bytes may expand to a very long output */
		return err_stop(e);
	while (out.pos < n && (u->full || u->in.pos < u->in.size)) {
		size_t before = out.pos, used = u->in.pos;

		if (!u->inside && begin_frame(u, e) != 0)
			return e->code;
		rc = ZSTD_decompressStream(u->context, &out, &u->in);
		if (ZSTD_getErrorCode(rc) == ZSTD_error_memory_allocation)
			return err_nomem(e);
		if (ZSTD_isError(rc)) {
			unpack_lose(u);
			return err_byte(e, u->offset, "compressed records are damaged: %s",
			    ZSTD_getErrorName(rc));
		}
		u->full = out.pos == n;
		u->wanted = rc;
		if (out.pos == before && u->in.pos == used)
			break;
		if (rc == 0) {
			u->inside = false;
			u->have = 0;
		}
	}
	*got = out.pos;
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

/*
 * Returns the feed of the records inside compressed records.  It gets its bytes piece by piece, and
 * feed_next on it returns 0 when it needs more.  Returns NULL if memory runs out.
 */
static struct feed *
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

/* Returns true if the inner feed is in the middle of a record. */
static bool
feed_is_torn(const struct feed *f)
{
	return f->at != f->len;
}

/* Drops the incomplete record after damage. */
static void
feed_drop(struct feed *f)
{
	f->at = f->len;
}

/* Moves to a new block, and copies the unread rest to its head. */
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

/*
 * Appends more bytes.  Returns 1, or 0 at the end (of the bytes passed on, if compressed), or -1
 * for an error.
 */
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

/*
 * Makes n bytes readable at f->at.  Returns 1, or 0 if the input ends before that, or -1 for an
 * error.
 */
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

/* perf writes buffer by buffer, one for each processor, so the order in the file is not of time. */
#define ALSO_MISSING "; the missing part may have mappings and names for earlier events"

static int
cut_short(struct feed *f, size_t wanted, struct err *e)
{
	bool file_ended = f->ended && f->left != UINT64_MAX;

	err_byte(e, position(f), "record cut short: %zu of %zu bytes%s", f->len - f->at, wanted,
	    file_ended ? ", and the file is shorter than its header says" ALSO_MISSING : "");
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
	err_byte(e, position(f),
	    "the file ends here, %" PRIu64 " bytes before its header says" ALSO_MISSING, missing);
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
	r->p = f->blocks->item[f->block].data + f->at;
	rec_read_header(r, f->big_endian);
	r->stored_size = r->size;
}

int
feed_next_other(struct feed *f, struct rec *r, struct err *e)
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
		r->size = REC_HEADER; /* its size may be wrong, and the payload is not counted */
	if (r->size < REC_HEADER)
		return bad_size(f, r, e);
	if (f->len - f->at < r->size) {
		rc = need(f, r->size, e);
		if (rc == 0 && f->unpack != NULL)
			return 0;
		if (rc <= 0)
			return rc < 0 ? -1 : cut_short(f, r->size, e);
		r->p = f->blocks->item[f->block].data + f->at; /* the bytes may have moved */
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

/* ---- compressed records */

/* The receiver of the records inside compressed records. */
struct receiver {
	struct input *input;
	struct feed *inner;
	packed_sink *sink;
	void *ctx;
};

/*
 * Passes on all records that are complete by now.  Damage is reported, and torn records are
 * omitted.
 */
static int
drain(const struct receiver *to, struct err *e)
{
	struct rec r;
	int rc;

	while ((rc = feed_next(to->inner, &r, e)) > 0) {
		rc = to->sink(to->ctx, to->inner, &r, e);
		if (rc != 0)
			return rc;
	}
	if (rc == 0)
		return 0;
	if (e->code != ERR_DATA)
		return e->code;
	input_report(to->input, e);
	feed_drop(to->inner);
	return 0;
}

/*
 * Handles one compressed piece of the zstd stream, from a record or from one of the glued records.
 */
static int
give(const struct receiver *to, const void *p, size_t n, uint64_t offset, struct err *e)
{
	unpack_give(to->inner->unpack, p, n, offset);
	return drain(to, e);
}

static int
packed_cut_short(uint64_t offset, uint64_t missing, struct err *e)
{
	return err_byte(e, offset, "compressed record cut short: %" PRIu64 " bytes missing",
	    missing);
}

static int
collect(struct feed *f, size_t n, struct buf *all, struct err *e)
{
	const unsigned char *p;
	size_t got;

	for (; n > 0; n -= got) {
		if (feed_take(f, n < REC_MAX ? n : REC_MAX, &p, &got, e) != 0)
			return e->code;
		if (got == 0)
			break;
		if (!buf_put(all, p, got))
			return err_nomem(e);
	}
	return 0;
}

/*
 * Handles the glued records one after another, up to the point where they were truncated, if they
 * were.
 */
static int
give_all(const struct receiver *to, const struct glued *g, size_t first, uint64_t offset,
    struct err *e)
{
	size_t at = 0, end = first, n;
	int rc;

	for (;;) {
		n = (end < g->len ? end : g->len) - at;
		rc = give(to, g->p + at, n, offset + at, e);
		if (rc != 0 || end >= g->len)
			return rc;
		at = end + PACKED2_HEAD;
		if (at > g->len)
			return 0;
		end += glued_size(g, end);
	}
}

/* Handles what there is of glued records of SIZE bytes in all, at OFFSET. */
static int
unglue(const struct receiver *to, struct glued g, uint64_t offset, struct err *e)
{
	size_t first;
	int rc = glued_find(&g, &first, e);

	if (rc == 0)
		return give_all(to, &g, first, offset, e);
	if (rc != ERR_DATA || g.len != g.total)
		return rc;
	err_at_byte(e, offset);
	input_report(to->input, e);
	unpack_lose(to->inner->unpack);
	feed_drop(to->inner);
	return 0;
}

static int
read_glued(const struct receiver *to, struct feed *f, uint64_t size, uint64_t offset, struct err *e)
{
	struct buf all = { 0 };
	int rc;

	if (size > GLUED_MAX)
		return err_byte(e, offset,
		    "compressed record of %" PRIu64 " bytes: no perf buffer is that large", size);
	rc = collect(f, (size_t)size, &all, e);
	if (rc == 0 && all.len != 0)
		rc = unglue(to,
		    (struct glued){ (const unsigned char *)all.p, all.len, (size_t)size,
			f->big_endian },
		    offset, e);
	if ((rc == 0 || rc == ERR_DATA) && all.len < size)
		rc = packed_cut_short(offset, size - all.len, e);
	buf_free(&all);
	return rc;
}

static int
packed2(const struct receiver *to, struct feed *f, const struct rec *r, struct cur body,
    struct err *e)
{
	const unsigned char *p;
	uint64_t size = cur_u64(&body), offset = r->offset;
	size_t got, stored = r->stored_size, whole;

	if (!cur_ok(&body))
		return err_byte(e, r->offset, "compressed record cut short");
	if (size > PACKED2_MAX)
		return read_glued(to, f, size, offset, e);
	if (feed_take(f, (size_t)size, &p, &got, e) != 0 || give(to, p, got, offset, e) != 0)
		return e->code;
	if (got < size)
		return packed_cut_short(offset, size - got, e);
	/* the record is padded to 8 bytes, unless its size is wrong; then nothing follows it */
	whole = (PACKED2_HEAD + got + 7) & ~(size_t)7;
	if (stored < whole)
		return 0;
	return feed_skip(f, stored - PACKED2_HEAD - got, e) == 0 ? 0 : e->code;
}

int
packed_begin(struct feed *f, const struct rec *r, struct cur *body, struct err *e)
{
	const unsigned char *p;
	size_t got;

	if (f->unpack != NULL)
		return err_byte(e, r->offset, "compressed records inside compressed records");
	if (feed_inner(f) == NULL)
		return err_nomem(e);
	*body = cur_over(NULL, 0, f->big_endian);
	if (r->type != REC_COMPRESSED2)
		return 0;
	if (feed_take(f, PACKED2_HEAD - REC_HEADER, &p, &got, e) != 0)
		return e->code;
	*body = cur_over(p, got, f->big_endian);
	return 0;
}

int
packed_read(struct input *i, struct feed *f, const struct rec *r, struct cur body,
    packed_sink *sink, void *ctx, struct err *e)
{
	struct receiver to = { i, f->inner, sink, ctx };

	if (r->type == REC_COMPRESSED2)
		return packed2(&to, f, r, body, e);
	return give(&to, r->p + REC_HEADER, r->size - (size_t)REC_HEADER, r->offset, e);
}

void
packed_end(struct input *i, const struct feed *f)
{
	struct err e;
	bool in_block;

	if (f->inner == NULL)
		return;
	in_block = unpack_is_torn(f->inner->unpack);
	if (!in_block && !feed_is_torn(f->inner))
		return;
	err_byte(&e, unpack_offset(f->inner->unpack), "the compressed records end inside a %s",
	    in_block ? "block of zstd: records may be missing" : "record");
	input_report(i, &e);
}
