/* SPDX-License-Identifier: ISC */
/* unpack.c - the zstd stream that runs through the compressed records of one file. */
#include "src/perfdata/unpack.h"

#include <stdbool.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "lib/mem.h"
#include "lib/sig.h"

/* perf's own windows are of at most 8 MiB; a larger one is only asked for to take memory. */
#define WINDOW_LOG_MAX 23

struct unpack {
	ZSTD_DCtx *context;
	ZSTD_inBuffer in;
	uint64_t offset;
	bool full; /* the last read filled what it was given, so more may be there */
	bool lost; /* damaged: waits for the beginning of a frame */
};

struct unpack *
unpack_open(void)
{
	struct unpack *u = mem_zero(1, sizeof *u);

	if (u == NULL)
		return NULL;
	u->context = ZSTD_createDCtx();
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
	u->lost = false;
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

int
unpack_read(struct unpack *u, void *dst, size_t n, size_t *got, struct err *e)
{
	ZSTD_outBuffer out = { dst, n, 0 };
	size_t rc = 0;

	if (sig_stop()) /* few bytes may unpack to more than one has time for */
		return err_stop(e);
	while (out.pos < n && (u->full || u->in.pos < u->in.size)) {
		size_t before = out.pos, used = u->in.pos;

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
	}
	*got = out.pos;
	return 0;
}
