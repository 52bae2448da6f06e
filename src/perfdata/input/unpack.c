/* SPDX-License-Identifier: ISC */
/* unpack.c - the zstd stream that runs through the compressed records of one file. */

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "lib/mem.h"
#include "lib/sig.h"
#include "src/perfdata/input/parts.h"

/* zstd's own windows are at most 128 MiB, at every level and with --long. */
#define WINDOW_LOG_MAX 27
#define WINDOW_MAX ((uint64_t)1 << WINDOW_LOG_MAX)

/* Memory of a context besides the window: itself, and two blocks for input and output. */
#define CONTEXT_BYTES ((size_t)256 * 1024)
#define BLOCKS_BYTES ((size_t)2 * 128 * 1024 + 1024)

#define FRAME_MAGIC 0xfd2fb528u
#define FRAME_HEAD_MAX 18

/* Versions before 0.8, which perf never wrote, have magics of their own, below this one. */
#define OLD_MAGIC_MIN 0xfd2fb51eu

struct unpack {
	ZSTD_DCtx *context;
	ZSTD_inBuffer in;
	uint64_t offset;
	bool full; /* the last read filled its buffer, so more may be there */
	bool lost; /* damaged: waits for the beginning of a frame */
	bool inside; /* in a frame whose window is known */
	unsigned char head[FRAME_HEAD_MAX]; /* the start of the next frame */
	size_t have; /* bytes of head */
	size_t claimed; /* of memory, for the library */
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

struct unpack *
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

void
unpack_close(struct unpack *u)
{
	if (u == NULL)
		return;
	ZSTD_freeDCtx(u->context);
	mem_release(u->claimed);
	mem_free(u);
}

void
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

void
unpack_lose(struct unpack *u)
{
	u->lost = true;
	u->full = false;
	u->in.pos = u->in.size;
}

uint64_t
unpack_offset(const struct unpack *u)
{
	return u->offset;
}

/*
 * The window that a frame needs, from its first bytes (RFC 8878, 3.1.1.1); 0 if it is not a
 * frame.  False if there are too few bytes.
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
	/* all in one segment: the size of the content, after the dictionary's number */
	(void)cur_take(&c, id_size[about & 3]);
	switch (about >> 6) {
	case 0: *window = cur_u8(&c); break;
	case 1: *window = cur_u16(&c) + UINT64_C(256); break;
	case 2: *window = cur_u32(&c); break;
	case 3: *window = cur_u64(&c); break;
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

/* Examines the start of a frame before the library does, and claims the memory for it. */
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
		return 0; /* the library keeps them, and waits for more */
	u->inside = true;
	if (window > WINDOW_MAX || is_older(u)) {
		unpack_lose(u);
		return window == 0 ? err_byte(e, u->offset, "compressed by zstd before version 0.8")
				   : err_byte(e, u->offset,
					 "compressed records that ask for a window of %" PRIu64
					 " bytes: zstd's own have %" PRIu64 " at most",
					 window, WINDOW_MAX);
	}
	return claim(u, CONTEXT_BYTES + (size_t)window + BLOCKS_BYTES) ? 0 : err_nomem(e);
}

int
unpack_read(struct unpack *u, void *dst, size_t n, size_t *got, struct err *e)
{
	ZSTD_outBuffer out = { dst, n, 0 };
	size_t rc = 0;

	if (sig_stop()) /* a few bytes may unpack to a very long output */
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
