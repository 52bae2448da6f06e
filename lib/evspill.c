/* SPDX-License-Identifier: ISC */
/* evspill.c - sorted pieces of lines in a temporary file, and their merge. */
#include "lib/evspill.h"

#include <errno.h>

#include "lib/mem.h"

#define PIECE_BUFFER ((size_t)64 * 1024)

int
evspill_open(struct evspill *s, struct err *e)
{
	int fd, rc;

	*s = (struct evspill){ .length = 0 };
	rc = in_temp(&fd, e);
	if (rc != 0)
		return rc;
	s->file = (struct in){ .fd = fd, .ours = true, .seekable = true };
	if (out_open(&s->out, fd))
		return 0;
	in_close(&s->file);
	return err_nomem(e);
}

static void
forget_piece(struct evspill_piece *p)
{
	mem_free(p->buf);
	p->buf = NULL;
	p->used = p->len = p->cap = 0;
}

void
evspill_close(struct evspill *s)
{
	size_t i;

	for (i = 0; i < s->pieces; i++)
		forget_piece(&s->piece[i]);
	out_free(&s->out);
	in_close(&s->file);
}

static struct slice
run_of(const char *line, const struct evspill_head *h)
{
	return (struct slice){ line + sizeof *h + h->run_at, h->run_len };
}

int
evspill_compare(const char *a, const char *b)
{
	struct evspill_head x = evspill_head(a), y = evspill_head(b);
	int c = slice_cmp(run_of(a, &x), run_of(b, &y));

	return c != 0 ? c : wide_cmp(x.time, y.time);
}

static size_t
size_of(const char *line)
{
	return sizeof(struct evspill_head) + evspill_head(line).len;
}

static void
write_line(struct evspill *s, const char *line)
{
	size_t n = size_of(line);

	out_put(&s->out, line, n);
	s->length += n;
}

static int
flush(struct evspill *s, struct err *e)
{
	if (out_flush(&s->out))
		return 0;
	return s->out.error == ENOMEM ? err_nomem(e)
				      : err_sys(e, s->out.error, "cannot write the temporary file");
}

/* Makes room for n bytes after what is used; the room of a long line is freed. */
static bool
make_room(struct evspill_piece *p, size_t n)
{
	size_t cap = n < PIECE_BUFFER ? PIECE_BUFFER : n;
	char *buf;

	if (p->len != p->used)
		memmove(p->buf, p->buf + p->used, p->len - p->used);
	p->len -= p->used;
	p->used = 0;
	if (p->cap >= n && (p->cap == PIECE_BUFFER || n > PIECE_BUFFER || p->len > PIECE_BUFFER))
		return true;
	buf = mem_resize(p->buf, cap);
	if (buf == NULL)
		return false;
	p->buf = buf;
	p->cap = cap;
	return true;
}

/* Loads at least n bytes from p->used on; the piece has that many. */
static int
fill(struct evspill *s, struct evspill_piece *p, size_t n, struct err *e)
{
	size_t got, want;
	int rc;

	if (p->len - p->used >= n)
		return 0;
	if (!make_room(p, n))
		return err_nomem(e);
	want = p->cap - p->len;
	if (want > p->end - p->at)
		want = (size_t)(p->end - p->at);
	rc = in_read_at(&s->file, p->at, p->buf + p->len, want, &got, e);
	if (rc != 0)
		return rc;
	p->at += got;
	p->len += got;
	return p->len >= n ? 0 : err_sys(e, EIO, "cannot read the temporary file");
}

static const char *
line_of(const struct evspill_piece *p)
{
	return p->buf + p->used;
}

/* Loads the whole line after what is used; *more is false at the end. */
static int
look(struct evspill *s, struct evspill_piece *p, bool *more, struct err *e)
{
	int rc;

	*more = p->used != p->len || p->at != p->end;
	if (!*more) {
		forget_piece(p);
		return 0;
	}
	rc = fill(s, p, sizeof(struct evspill_head), e);
	return rc != 0 ? rc : fill(s, p, size_of(line_of(p)), e);
}

/* Pieces are in the order in which their lines came. */
static bool
is_before(const struct evspill *s, size_t i, size_t j)
{
	int c = evspill_compare(line_of(&s->piece[i]), line_of(&s->piece[j]));

	return c != 0 ? c < 0 : i < j;
}

static void
sift(struct evspill *s, size_t at)
{
	size_t *heap = s->heap, child, piece = heap[at];

	for (; (child = 2 * at + 1) < s->heaped; at = child) {
		if (child + 1 < s->heaped && is_before(s, heap[child + 1], heap[child]))
			child++;
		if (!is_before(s, heap[child], piece))
			break;
		heap[at] = heap[child];
	}
	heap[at] = piece;
}

/* Merges all pieces from FIRST on. */
static int
begin(struct evspill *s, size_t first, struct err *e)
{
	size_t i;

	s->heaped = 0;
	s->given = false;
	for (i = first; i < s->pieces; i++) {
		bool more;
		int rc = look(s, &s->piece[i], &more, e);

		if (rc != 0)
			return rc;
		if (more)
			s->heap[s->heaped++] = i;
	}
	for (i = s->heaped / 2; i > 0; i--)
		sift(s, i - 1);
	return 0;
}

/* Moves past the line on top. */
static int
pop(struct evspill *s, struct err *e)
{
	struct evspill_piece *p = &s->piece[s->heap[0]];
	bool more;
	int rc;

	p->used += size_of(line_of(p));
	rc = look(s, p, &more, e);
	if (rc != 0)
		return rc;
	if (!more)
		s->heap[0] = s->heap[--s->heaped];
	if (s->heaped != 0)
		sift(s, 0);
	return 0;
}

int
evspill_next(struct evspill *s, const char **line, struct err *e)
{
	int rc = s->given ? pop(s, e) : 0;

	s->given = rc == 0 && s->heaped != 0;
	*line = s->given ? line_of(&s->piece[s->heap[0]]) : NULL;
	return rc;
}

/* Merges the last pieces into one of the next level. */
static int
merge_last(struct evspill *s, struct err *e)
{
	size_t first = s->pieces - EVSPILL_PIECES;
	struct evspill_piece merged = { .at = s->length, .level = s->piece[first].level + 1 };
	const char *line;
	int rc = begin(s, first, e);

	while (rc == 0) {
		rc = evspill_next(s, &line, e);
		if (line == NULL)
			break;
		write_line(s, line);
	}
	if (rc == 0)
		rc = flush(s, e);
	if (rc != 0)
		return rc;
	merged.end = s->length;
	s->piece[first] = merged;
	s->pieces = first + 1;
	return 0;
}

int
evspill_add(struct evspill *s, char *const *line, size_t count, struct err *e)
{
	struct evspill_piece p = { .at = s->length };
	size_t i;
	int rc;

	for (i = 0; i < count; i++)
		write_line(s, line[i]);
	rc = flush(s, e);
	p.end = s->length;
	s->piece[s->pieces++] = p;
	while (rc == 0 && s->pieces >= EVSPILL_PIECES &&
	    s->piece[s->pieces - EVSPILL_PIECES].level == s->piece[s->pieces - 1].level)
		rc = merge_last(s, e);
	return rc;
}

int
evspill_merge(struct evspill *s, struct err *e)
{
	return begin(s, 0, e);
}
