/* SPDX-License-Identifier: ISC */
/* later.c - records that wait in a temporary file. */
#include "lib/later.h"

#include <errno.h>
#include <string.h>

#include "lib/mem.h"

#define CHUNK ((size_t)128 * 1024)

/* Before each record, in the machine's own layout: the file never leaves the process. */
#define HEAD sizeof(uint32_t)

int
later_open(struct later *l, struct err *e)
{
	int fd, rc;

	*l = (struct later){ .at = 0 };
	rc = in_temp(&fd, e);
	if (rc != 0)
		return rc;
	l->file = (struct in){ .fd = fd, .ours = true, .seekable = true };
	if (out_open(&l->out, fd))
		return 0;
	in_close(&l->file);
	return err_nomem(e);
}

void
later_close(struct later *l)
{
	out_free(&l->out);
	in_close(&l->file);
	mem_free(l->buf);
}

char *
later_room(struct later *l, size_t n)
{
	char *p = n > UINT32_MAX ? NULL : out_room(&l->out, HEAD + n);

	return p == NULL ? NULL : p + HEAD;
}

static int
failed(const struct later *l, struct err *e)
{
	return l->out.error == ENOMEM ? err_nomem(e)
				      : err_sys(e, l->out.error, "cannot write the temporary file");
}

int
later_put(struct later *l, size_t n, struct err *e)
{
	uint32_t len = (uint32_t)n;

	if (l->out.error != 0)
		return failed(l, e);
	memcpy(l->out.p + l->out.len, &len, HEAD);
	out_commit(&l->out, HEAD + n);
	return 0;
}

int
later_rewind(struct later *l, struct err *e)
{
	l->offset = 0;
	l->at = l->len = 0;
	return out_flush(&l->out) ? 0 : failed(l, e);
}

/* Loads bytes [at, at + n) of the buffer, if the file has them. */
static int
fill(struct later *l, size_t n, struct err *e)
{
	size_t got;
	int rc;

	if (l->len - l->at >= n)
		return 0;
	if (l->len != l->at)
		memmove(l->buf, l->buf + l->at, l->len - l->at);
	l->len -= l->at;
	l->at = 0;
	if (l->cap < n) {
		size_t cap = n < CHUNK ? CHUNK : n;
		char *buf = mem_resize(l->buf, cap);

		if (buf == NULL)
			return err_nomem(e);
		l->buf = buf;
		l->cap = cap;
	}
	rc = in_read_at(&l->file, l->offset, l->buf + l->len, l->cap - l->len, &got, e);
	if (rc != 0)
		return rc;
	l->offset += got;
	l->len += got;
	return 0;
}

int
later_next(struct later *l, struct slice *record, struct err *e)
{
	uint32_t n = 0;
	int rc = fill(l, HEAD, e);

	*record = (struct slice){ NULL, 0 };
	if (rc != 0 || l->len == l->at)
		return rc;
	if (l->len - l->at >= HEAD) {
		memcpy(&n, l->buf + l->at, HEAD);
		rc = fill(l, HEAD + n, e);
		if (rc != 0)
			return rc;
	}
	if (l->len - l->at < HEAD + n)
		return err_sys(e, EIO, "cannot read the temporary file");
	*record = (struct slice){ l->buf + l->at + HEAD, n };
	l->at += HEAD + n;
	return 0;
}
