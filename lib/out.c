/* SPDX-License-Identifier: ISC */
/* out.c - buffered output to a file descriptor. */
#define _GNU_SOURCE /* F_SETPIPE_SZ */
#include "lib/out.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/mem.h"

#define OUT_BUFFER ((size_t)256 * 1024)

/*
 * The size of a pipe that carries much.  With the usual 64 KiB, writer and reader wait for each
 * other six times as often.  A MiB is hardly faster, and the kernel lets an unprivileged user have
 * only 64 MiB in all pipes; beyond that, new pipes have 8 KiB.
 */
#define PIPE_SIZE ((int)OUT_BUFFER)

static bool
make_buffer(struct out *o)
{
	o->cap = mem_buffer(OUT_BUFFER);
	o->p = mem_alloc(o->cap);
	if (o->p == NULL)
		o->cap = 0;
	return o->p != NULL;
}

bool
out_open(struct out *o, int fd)
{
	*o = (struct out){ .fd = fd };
	return make_buffer(o);
}

bool
out_open_sink(struct out *o, out_sink *sink, void *ctx)
{
	*o = (struct out){ .fd = -1, .sink = sink, .ctx = ctx, .widened = true };
	return make_buffer(o);
}

void
out_free(struct out *o)
{
	mem_free(o->p);
	*o = (struct out){ .fd = -1 };
}

/*
 * Waits for a descriptor that another process made non-blocking.  As in a blocking write, a signal
 * that asks to stop changes nothing: all complete lines must be written before the end mark, so we
 * wait for the reader until a second signal kills us.
 */
static void
wait_writable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	(void)poll(&p, 1, -1);
}

static void
deliver(struct out *o, const char *p, size_t len)
{
	size_t done = 0;

	if (o->sink != NULL && o->error == 0 && len != 0) {
		o->error = o->sink(o->ctx, p, len);
		done = len;
	}
	while (o->error == 0 && done < len) {
		ssize_t n = write(o->fd, p + done, len - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno == EAGAIN)
			wait_writable(o->fd);
		else if (errno != EINTR)
			o->error = errno;
	}
}

bool
out_flush(struct out *o)
{
	if (o->hold)
		return o->error == 0;
	deliver(o, o->p, o->len);
	o->len = 0;
	return o->error == 0;
}

/* Enlarges the pipe that is written to, once.  A refusal, or output to a file, changes nothing. */
static void
widen(struct out *o)
{
	o->widened = true;
#ifdef F_SETPIPE_SZ
	const char *wanted = getenv("AFPIPE_PIPE");
	int size = fcntl(o->fd, F_GETPIPE_SZ);

	if (size > 0 && size < PIPE_SIZE && (wanted == NULL || strcmp(wanted, "0") != 0))
		(void)fcntl(o->fd, F_SETPIPE_SZ, PIPE_SIZE);
#endif
}

char *
out_more(struct out *o, size_t keep, size_t n)
{
	size_t begin = o->len, need;

	/* only now: what fits into the buffer does not need a larger pipe */
	if (!o->widened && !o->hold && o->len != 0)
		widen(o);
	(void)out_flush(o);
	if (begin != o->len && keep != 0)
		memmove(o->p + o->len, o->p + begin, keep);
	need = o->len + keep + n;
	if (o->cap < need) {
		size_t cap = o->cap * 2 > need ? o->cap * 2 : need;
		char *p = mem_resize(o->p, cap);

		if (p == NULL) {
			out_fail(o, ENOMEM);
			return NULL;
		}
		o->p = p;
		o->cap = cap;
	}
	return o->p + o->len + keep;
}

void
out_put_large(struct out *o, const void *s, size_t n)
{
	if (o->hold || o->cap - o->len >= n) {
		out_put(o, s, n);
		return;
	}
	if (!o->widened)
		widen(o);
	if (out_flush(o))
		deliver(o, s, n);
}

void
out_put(struct out *o, const void *s, size_t n)
{
	char *p = out_room(o, n);

	if (p == NULL)
		return;
	memcpy(p, s, n);
	out_commit(o, n);
}
