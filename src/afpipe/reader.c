/* SPDX-License-Identifier: ISC */
/* reader.c - reads a stream from a descriptor or from memory. */
#include "lib/evread.h"
#include "lib/mem.h"
#include "src/afpipe/parts.h"

struct afpipe_reader {
	struct evread *stream;
	int fd; /* unless memory.p is not NULL */
	struct slice memory;
	struct afpipe_line line;
};

static char *const names[] = { "-" }; /* of the one input; no message has it */

static int
open_input(void *ctx, size_t i, const char *name, struct in *in, struct err *e)
{
	const struct afpipe_reader *r = ctx;

	(void)i;
	(void)name;
	if (r->memory.p == NULL)
		return in_open_fd(in, r->fd, e);
	in_open_memory(in, r->memory);
	return 0;
}

static struct afpipe_reader *
open_reader(const struct afpipe_reader *like, unsigned flags, struct afpipe_error *error)
{
	struct afpipe_reader *r;
	struct err e;

	if (flags > (AFPIPE_NO_MARKS | AFPIPE_WHOLE) || flags == (AFPIPE_NO_MARKS | AFPIPE_WHOLE)) {
		(void)api_usage(error, "unknown flags, or flags that exclude each other");
		return NULL;
	}
	r = mem_zero(1, sizeof *r);
	if (r != NULL) {
		*r = *like;
		r->stream = evread_open(names, 1,
		    ((flags & AFPIPE_NO_MARKS) != 0 ? EVREAD_NO_MARKS : 0u) |
			((flags & AFPIPE_WHOLE) != 0 ? EVREAD_WHOLE : 0u));
	}
	if (r == NULL || r->stream == NULL) {
		err_nomem(&e);
		(void)api_error(error, &e);
		mem_free(r);
		return NULL;
	}
	evread_set_opener(r->stream, open_input, r);
	return r;
}

struct afpipe_reader *
afpipe_reader_fd(int fd, unsigned flags, struct afpipe_error *error)
{
	struct afpipe_reader like = { .fd = fd };

	return open_reader(&like, flags, error);
}

struct afpipe_reader *
afpipe_reader_memory(const void *p, size_t n, unsigned flags, struct afpipe_error *error)
{
	struct afpipe_reader like = { .fd = -1, .memory = { n == 0 ? "" : p, n } };

	return open_reader(&like, flags, error);
}

void
afpipe_reader_free(struct afpipe_reader *r)
{
	if (r == NULL)
		return;
	evread_close(r->stream);
	mem_free(r);
}

int
afpipe_read(struct afpipe_reader *r, const struct afpipe_line **line, struct afpipe_error *error)
{
	struct ev ev;
	struct err e;
	int rc = evread_next(r->stream, &ev, &e), i;

	if (rc < 0)
		(void)api_error(error, &e);
	if (rc <= 0)
		return rc;
	r->line.number = ev.number;
	r->line.text = slice_out(ev.text);
	for (i = 0; i < EV_COLUMNS; i++)
		r->line.column[i] = slice_out(ev.col[i]);
	r->line.tags = slice_out(ev.tags);
	*line = &r->line;
	return 1;
}

uint64_t
reader_count(const struct afpipe_reader *r, enum mark_count which)
{
	uint64_t n = evread_count(r->stream, which);

	return which == MARK_TWICE ? n + evread_twice(r->stream) : n;
}

uint64_t
afpipe_count(const struct afpipe_reader *r, const char *name)
{
	int i;

	for (i = 0; i < MARK_COUNTS; i++)
		if (slice_eq(mark_words[i].key, slice_of(name)))
			return reader_count(r, (enum mark_count)i);
	return 0;
}
