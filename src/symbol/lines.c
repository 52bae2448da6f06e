/* SPDX-License-Identifier: ISC */
/* lines.c - the lines of a symbol list, bounded in length and in number of bytes. */
#include "src/symbol/lines.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "lib/mem.h"
#include "lib/sig.h"

#define LINE_MAX_LEN ((size_t)64 << 10)
#define BYTES_MAX ((uint64_t)1 << 30)

struct lines {
	int fd;
	bool ended, cut;
	uint64_t total;
	size_t pos, filled; /* unread bytes: buf[pos..filled) */
	char buf[LINE_MAX_LEN];
};

struct lines *
lines_open(int fd)
{
	struct lines *l = mem_alloc(sizeof *l);

	if (l != NULL) {
		l->fd = fd;
		l->ended = l->cut = false;
		l->total = 0;
		l->pos = l->filled = 0;
	}
	return l;
}

void
lines_close(struct lines *l)
{
	mem_free(l);
}

/* Moves the unread bytes to the front and adds what one read gives. */
static int
fill(struct lines *l, struct err *e)
{
	ssize_t got;

	memmove(l->buf, l->buf + l->pos, l->filled - l->pos);
	l->filled -= l->pos;
	l->pos = 0;
	do {
		if (sig_wait_input(l->fd, -1) == SIG_WAIT_STOP)
			return err_stop(e);
		got = read(l->fd, l->buf + l->filled, LINE_MAX_LEN - l->filled);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return err_sys(e, errno, "read");
	if (got == 0)
		l->ended = true;
	l->filled += (size_t)got;
	l->total += (uint64_t)got;
	return l->total > BYTES_MAX
	    ? err_data(e, "longer than %llu bytes", (unsigned long long)BYTES_MAX)
	    : 0;
}

int
lines_next(struct lines *l, const char **line, size_t *len, struct err *e)
{
	bool skipping = false;
	size_t seen = 0;
	char *nl;
	int rc;

	for (;;) {
		nl = memchr(l->buf + l->pos + seen, '\n', l->filled - l->pos - seen);
		if (nl != NULL && !skipping)
			break;
		if (nl != NULL) {
			l->pos = (size_t)(nl - l->buf) + 1;
			skipping = false;
			seen = 0;
			continue;
		}
		if (l->ended) {
			l->cut = skipping || l->filled > l->pos;
			*line = NULL;
			*len = 0;
			return 0;
		}
		seen = l->filled - l->pos;
		if (seen == LINE_MAX_LEN) {
			skipping = true;
			l->pos = l->filled;
			seen = 0;
		}
		if ((rc = fill(l, e)) != 0)
			return rc;
	}
	*line = l->buf + l->pos;
	*len = (size_t)(nl - *line);
	l->pos = (size_t)(nl - l->buf) + 1;
	*nl = '\0';
	return 0;
}

bool
lines_are_cut(const struct lines *l)
{
	return l->cut;
}

/* Above 15 for what is none. */
static inline unsigned
digit(char c)
{
	unsigned d = (unsigned)(unsigned char)c - '0';

	if (d <= 9)
		return d;
	d = ((unsigned)(unsigned char)c | 0x20) - 'a';
	return d <= 5 ? d + 10 : 16;
}

/* A kernel's list has some millions of digits. */
const char *
lines_hex(const char *p, const char *end, uint64_t *value)
{
	const char *start = p, *limit = end - p > 16 ? p + 16 : end;
	uint64_t v = 0;
	unsigned d;

	for (; p < limit && (d = digit(*p)) <= 15; p++)
		v = v << 4 | d;
	*value = v;
	if (p == start || (p == limit && p < end && digit(*p) <= 15))
		return NULL;
	return p;
}
