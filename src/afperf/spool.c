/* SPDX-License-Identifier: ISC */
/* spool.c - records that wait in a temporary file. */
#include "src/afperf/spool.h"

#include <string.h>

#include "lib/mem.h"

#define CHUNK ((size_t)128 * 1024)
#define TOKEN_SIZE (2 + sizeof(size_t)) /* NUL, what it is, the index as this machine has it */

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

/* Copies whole tokens and what stands between; returns how much of p was used. */
static size_t
copy_chunk(const char *p, size_t n, struct out *o,
    struct slice (*id)(void *, enum spool_token, size_t), void *ctx)
{
	size_t at = 0, index;

	while (at < n) {
		const char *nul = memchr(p + at, '\0', n - at);
		size_t run = nul == NULL ? n - at : (size_t)(nul - (p + at));
		struct slice text;

		out_put(o, p + at, run);
		at += run;
		if (nul == NULL || n - at < TOKEN_SIZE)
			break;
		memcpy(&index, nul + 2, sizeof index);
		text = id(ctx, (enum spool_token)nul[1], index);
		out_put(o, text.p, text.len);
		at += TOKEN_SIZE;
	}
	return at;
}

int
spool_copy(struct spool *s, struct out *o, struct slice (*id)(void *, enum spool_token, size_t),
    void *ctx, struct err *e)
{
	char *chunk;
	uint64_t offset = 0;
	size_t got;
	int rc;

	if (!out_flush(&s->out))
		return err_sys(e, s->out.error, "cannot write the temporary file");
	chunk = mem_alloc(CHUNK);
	if (chunk == NULL)
		return err_nomem(e);
	do {
		rc = in_read_at(&s->file, offset, chunk, CHUNK, &got, e);
		if (rc == 0)
			offset += copy_chunk(chunk, got, o, id, ctx);
	} while (rc == 0 && got == CHUNK && o->error == 0);
	mem_free(chunk);
	return rc;
}
