/* SPDX-License-Identifier: ISC */
/* source.c - a window that moves over the input. */
#include "src/dcpi/source.h"

#include <string.h>

#include "lib/mem.h"

#define WINDOW ((size_t)256 * 1024)

int
dcpi_source_open(struct source *s, struct in in, struct out *idle, struct err *e)
{
	*s = (struct source){ .in = in };
	s->in.idle = idle;
	s->p = mem_alloc(WINDOW);
	if (s->p == NULL)
		return err_nomem(e);
	s->cap = WINDOW;
	return 0;
}

void
dcpi_source_close(struct source *s)
{
	in_close(&s->in);
	mem_free(s->p);
	s->p = NULL;
}

/* Makes room for n bytes after at, which are more than there are. */
static int
make_room(struct source *s, size_t n, struct err *e)
{
	size_t cap = s->cap;
	unsigned char *p;

	if (s->at != 0) {
		memmove(s->p, s->p + s->at, dcpi_source_left(s));
		s->base += s->at;
		s->len -= s->at;
		s->at = 0;
	}
	while (cap < n)
		cap *= 2;
	if (cap == s->cap)
		return 0;
	p = mem_resize(s->p, cap);
	if (p == NULL)
		return err_nomem(e);
	s->p = p;
	s->cap = cap;
	return 0;
}

int
dcpi_source_want(struct source *s, size_t n, struct err *e)
{
	size_t got;
	int rc;

	if (s->ended || dcpi_source_left(s) >= n)
		return 0;
	rc = make_room(s, n, e);
	while (rc == 0 && dcpi_source_left(s) < n && !s->ended) {
		rc = in_read(&s->in, s->p + s->len, s->cap - s->len, &got, e);
		s->len += got;
		s->ended = rc == 0 && got == 0;
	}
	return rc;
}

int
dcpi_source_line(struct source *s, size_t max, struct slice *line, struct err *e)
{
	size_t seen = 0, left;
	const unsigned char *end;
	int rc;

	*line = (struct slice){ NULL, 0 };
	for (;;) {
		left = dcpi_source_left(s) < max ? dcpi_source_left(s) : max;
		end = left == seen ? NULL : memchr(s->p + s->at + seen, '\n', left - seen);
		if (end != NULL) {
			line->p = (const char *)s->p + s->at;
			line->len = (size_t)(end - (s->p + s->at));
			return 0;
		}
		if (left == max || s->ended)
			return 0;
		seen = left;
		rc = dcpi_source_want(s, left + 1, e);
		if (rc != 0)
			return rc;
	}
}

int
dcpi_source_find(struct source *s, struct slice text, size_t max, bool *found, struct err *e)
{
	size_t seen = 0, left;
	const char *at, *end;
	int rc;

	*found = true;
	for (;;) {
		left = dcpi_source_left(s);
		at = (const char *)s->p + s->at + seen;
		end = (const char *)s->p + s->len;
		while (at != end && (at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
			if ((size_t)(end - ++at) < text.len) {
				at--;
				break;
			}
			if (memcmp(at, text.p, text.len) == 0)
				return 0;
		}
		seen = at == NULL ? left : (size_t)(at - (const char *)s->p) - s->at;
		if (s->ended || left >= max)
			break;
		rc = dcpi_source_want(s, left + 1, e);
		if (rc != 0)
			return rc;
	}
	*found = false;
	return 0;
}

int
dcpi_source_drain(struct source *s, uint64_t *n, struct err *e)
{
	uint64_t from = dcpi_source_offset(s);
	int rc = 0;

	while (rc == 0 && !s->ended) {
		s->at = s->len;
		rc = dcpi_source_want(s, 1, e);
	}
	*n = s->base + s->len - from;
	return rc;
}
