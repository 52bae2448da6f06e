/* SPDX-License-Identifier: ISC */
/* spool.c - records that wait in a temporary file. */
#include "src/afperf/spool.h"

#include <string.h>

#include "lib/mem.h"

#define CHUNK ((size_t)128 * 1024)
#define TOKEN_SIZE (2 + sizeof(size_t)) /* NUL, the kind, the index in the machine's own layout */

int
spool_open(struct spool *s, struct err *e)
{
	int fd, rc;

	rc = in_temp(&fd, e);
	if (rc != 0)
		return rc;
	s->file = (struct in){ .fd = fd, .ours = true, .seekable = true };
	if (out_open(&s->out, fd))
		return 0;
	in_close(&s->file);
	return err_nomem(e);
}

void
spool_close(struct spool *s)
{
	out_free(&s->out);
	in_close(&s->file);
}

void
spool_put_token(struct spool *s, enum spool_token token, size_t index)
{
	char text[TOKEN_SIZE] = { '\0', (char)token };

	memcpy(text + 2, &index, sizeof index);
	out_put(&s->out, text, sizeof text);
}

/* Copies whole tokens and the bytes between; *used: how much of p.  False without memory. */
static bool
copy_chunk(const char *p, size_t n, struct out *o, spool_putter *put, void *ctx, size_t *used)
{
	size_t index;
	bool ok = true;

	*used = 0;
	while (ok && *used < n) {
		const char *nul = memchr(p + *used, '\0', n - *used);
		size_t run = nul == NULL ? n - *used : (size_t)(nul - (p + *used));

		out_put(o, p + *used, run);
		*used += run;
		if (nul == NULL || n - *used < TOKEN_SIZE)
			break;
		memcpy(&index, nul + 2, sizeof index);
		ok = put(ctx, (enum spool_token)nul[1], index);
		*used += TOKEN_SIZE;
	}
	return ok;
}

int
spool_copy(struct spool *s, struct out *o, spool_putter *put, void *ctx, struct err *e)
{
	char *chunk;
	uint64_t offset = 0;
	size_t got, used;
	int rc;

	if (!out_flush(&s->out))
		return err_sys(e, s->out.error, "cannot write the temporary file");
	chunk = mem_alloc(CHUNK);
	if (chunk == NULL)
		return err_nomem(e);
	do {
		rc = in_read_at(&s->file, offset, chunk, CHUNK, &got, e);
		if (rc == 0 && !copy_chunk(chunk, got, o, put, ctx, &used))
			rc = err_nomem(e);
		offset += rc == 0 ? used : 0;
	} while (rc == 0 && got == CHUNK && o->error == 0);
	mem_free(chunk);
	return rc;
}
