/* SPDX-License-Identifier: ISC */
/* spool.c - keeps data that must be read again later. */
#include "lib/spool.h"

#include <errno.h>
#include <string.h>

#include "lib/mem.h"

#define CHUNK ((size_t)128 * 1024)

/* Precedes each record, in the machine's own layout, since the file never leaves the process. */
#define HEAD sizeof(uint32_t)

int
spool_open(struct spool *s, struct err *e)
{
	int fd, rc;

	if (spool_is_open(s))
		return 0;
	rc = in_temp(&fd, e);
	if (rc != 0)
		return rc;
	*s = (struct spool){ .at = 0 };
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
	mem_free(s->buf);
	*s = (struct spool){ .at = 0 };
}

char *
spool_room(struct spool *s, size_t n)
{
	char *p = n > UINT32_MAX ? NULL : out_room(&s->out, HEAD + n);

	return p == NULL ? NULL : p + HEAD;
}

static int
failed(const struct spool *s, struct err *e)
{
	return s->out.error == ENOMEM ? err_nomem(e) : in_temp_failed(e, s->out.error, "write");
}

int
spool_put(struct spool *s, size_t n, struct err *e)
{
	uint32_t len = (uint32_t)n;

	if (s->out.error != 0)
		return failed(s, e);
	memcpy(s->out.p + s->out.len, &len, HEAD);
	out_commit(&s->out, HEAD + n);
	return 0;
}

int
spool_rewind(struct spool *s, struct err *e)
{
	s->offset = 0;
	s->at = s->len = 0;
	return out_flush(&s->out) ? 0 : failed(s, e);
}

/* Loads bytes [at, at + n) of the buffer, if the file has them. */
static int
fill(struct spool *s, size_t n, struct err *e)
{
	size_t got;
	int rc;

	if (s->len - s->at >= n)
		return 0;
	if (s->len != s->at)
		memmove(s->buf, s->buf + s->at, s->len - s->at);
	s->len -= s->at;
	s->at = 0;
	if (s->cap < n) {
		size_t cap = n < CHUNK ? CHUNK : n;
		char *buf = mem_resize(s->buf, cap);

		if (buf == NULL)
			return err_nomem(e);
		s->buf = buf;
		s->cap = cap;
	}
	rc = in_read_at(&s->file, s->offset, s->buf + s->len, s->cap - s->len, &got, e);
	if (rc != 0)
		return rc;
	s->offset += got;
	s->len += got;
	return 0;
}

int
spool_next(struct spool *s, struct slice *record, struct err *e)
{
	uint32_t n = 0;
	int rc = fill(s, HEAD, e);

	*record = (struct slice){ NULL, 0 };
	if (rc != 0 || s->len == s->at)
		return rc;
	if (s->len - s->at >= HEAD) {
		memcpy(&n, s->buf + s->at, HEAD);
		rc = fill(s, HEAD + n, e);
		if (rc != 0)
			return rc;
	}
	if (s->len - s->at < HEAD + n)
		return err_sys(e, EIO, "cannot read the temporary file");
	*record = (struct slice){ s->buf + s->at + HEAD, n };
	s->at += HEAD + n;
	return 0;
}

int
spool_read(struct spool *s, void *dst, size_t n, size_t *got, struct err *e)
{
	int rc = in_read_at(&s->file, s->offset, dst, n, got, e);

	s->offset += rc == 0 ? *got : 0;
	return rc;
}
