/* SPDX-License-Identifier: ISC */
/* extsort.c - an external merge sort, with its pieces in a temporary file. */
#include "lib/extsort.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "lib/in.h"
#include "lib/mem.h"
#include "lib/out.h"
#include "lib/sig.h"

/*
 * As soon as the last PIECES_MERGED pieces are at the same level, they are merged into a piece of
 * the next level, which is written after them.  So each item is written a logarithmic number of
 * times.
 */
#define PIECES_MERGED ((size_t)16)
#define PIECES_MAX (PIECES_MERGED * 12) /* disks are full before that */
#define PIECE_BUFFER ((size_t)64 * 1024)

/* Precedes each item, in the machine's own layout, since the file never leaves the process. */
#define HEAD sizeof(uint32_t)

struct piece {
	uint64_t at, end; /* the part in the file that is not yet in buf */
	unsigned level; /* how often its items have been merged */
	char *buf;
	size_t used, len, cap; /* the first item begins at buf + used, and is complete */
};

struct extsort {
	extsort_compare *compare;
	struct in file;
	struct out out; /* writes to the file */
	uint64_t length; /* length of the file */
	struct piece piece[PIECES_MAX]; /* piece[pieces] is the one being written */
	size_t pieces;
	size_t heap[PIECES_MAX],
	    heaped; /* pieces being merged, with the piece of the smallest item on top */
};

int
extsort_open(struct extsort **to, extsort_compare *compare, struct err *e)
{
	struct extsort *s = mem_zero(1, sizeof *s);
	int fd, rc;

	*to = NULL;
	if (s == NULL)
		return err_nomem(e);
	s->compare = compare;
	rc = in_temp(&fd, e);
	if (rc != 0) {
		mem_free(s);
		return rc;
	}
	s->file = (struct in){ .fd = fd, .ours = true, .seekable = true };
	if (!out_open(&s->out, fd)) {
		extsort_close(s);
		return err_nomem(e);
	}
	*to = s;
	return 0;
}

static void
forget_piece(struct piece *p)
{
	mem_free(p->buf);
	p->buf = NULL;
	p->used = p->len = p->cap = 0;
}

void
extsort_close(struct extsort *s)
{
	size_t i;

	if (s == NULL)
		return;
	for (i = 0; i < s->pieces; i++)
		forget_piece(&s->piece[i]);
	out_free(&s->out);
	in_close(&s->file);
	mem_free(s);
}

/* Makes room for n bytes after the used ones.  Frees the space taken by a long item. */
static bool
make_room(struct piece *p, size_t n)
{
	size_t usual = mem_buffer(PIECE_BUFFER), cap = n < usual ? usual : n;
	char *buf;

	if (p->len != p->used)
		memmove(p->buf, p->buf + p->used, p->len - p->used);
	p->len -= p->used;
	p->used = 0;
	if (p->cap >= n && (p->cap == usual || n > usual || p->len > usual))
		return true;
	buf = mem_resize(p->buf, cap);
	if (buf == NULL)
		return false;
	p->buf = buf;
	p->cap = cap;
	return true;
}

/* Loads at least n bytes, starting at p->used.  The piece must have that many. */
static int
fill(struct extsort *s, struct piece *p, size_t n, struct err *e)
{
	size_t got, want;
	int rc;

	if (p->len - p->used >= n)
		return 0;
	if (sig_stop())
		return err_stop(e);
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

static struct slice
item_of(const struct piece *p)
{
	uint32_t n;

	memcpy(&n, p->buf + p->used, HEAD);
	return (struct slice){ p->buf + p->used + HEAD, n };
}

static bool
is_used_up(const struct piece *p)
{
	return p->used == p->len && p->at == p->end;
}

/* Loads the next item as a whole.  A piece without more items is removed. */
static int
look(struct extsort *s, struct piece *p, struct err *e)
{
	int rc;

	if (is_used_up(p)) {
		forget_piece(p);
		return 0;
	}
	rc = fill(s, p, HEAD, e);
	return rc != 0 ? rc : fill(s, p, HEAD + item_of(p).len, e);
}

/*
 * Returns true if the item of piece I comes before the item of piece J.  Equal items are in the
 * order of their pieces.
 */
static bool
is_before(const struct extsort *s, size_t i, size_t j)
{
	int c = s->compare(item_of(&s->piece[i]).p, item_of(&s->piece[j]).p);

	return c != 0 ? c < 0 : i < j;
}

static void
sift(struct extsort *s, size_t at)
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

/* Makes the heap of piece FIRST and all pieces after it.  Their items have been loaded. */
static int
make_heap(struct extsort *s, size_t first, struct err *e)
{
	size_t i;

	s->heaped = 0;
	for (i = first; i < s->pieces; i++) {
		int rc = look(s, &s->piece[i], e);

		if (rc != 0)
			return rc;
		if (!is_used_up(&s->piece[i]))
			s->heap[s->heaped++] = i;
	}
	for (i = s->heaped / 2; i > 0; i--)
		sift(s, i - 1);
	return 0;
}

/* Moves past the item on top. */
static int
next(struct extsort *s, struct err *e)
{
	struct piece *p = &s->piece[s->heap[0]];
	int rc;

	p->used += HEAD + item_of(p).len;
	rc = look(s, p, e);
	if (rc != 0)
		return rc;
	if (is_used_up(p))
		s->heap[0] = s->heap[--s->heaped];
	if (s->heaped != 0)
		sift(s, 0);
	return 0;
}

static int
flush(struct extsort *s, struct err *e)
{
	if (out_flush(&s->out))
		return 0;
	return s->out.error == ENOMEM ? err_nomem(e) : in_temp_failed(e, s->out.error, "write");
}

char *
extsort_room(struct extsort *s, size_t n)
{
	char *p = n > UINT32_MAX ? NULL : out_room(&s->out, HEAD + n);

	return p == NULL ? NULL : p + HEAD;
}

void
extsort_put(struct extsort *s, size_t n)
{
	uint32_t len = (uint32_t)n;

	memcpy(s->out.p + s->out.len, &len, HEAD);
	out_commit(&s->out, HEAD + n);
	s->length += HEAD + n;
}

static void
copy_item(struct extsort *s, struct slice item)
{
	char *p = extsort_room(s, item.len);

	if (p == NULL)
		return;
	memcpy(p, item.p, item.len);
	extsort_put(s, item.len);
}

/* Merges piece FIRST and all pieces after it into a piece of the next level. */
static int
merge_from(struct extsort *s, size_t first, struct err *e)
{
	struct piece merged = { .at = s->length, .level = s->piece[first].level + 1 };
	int rc = make_heap(s, first, e);

	while (rc == 0 && s->heaped != 0 && s->out.error == 0) {
		copy_item(s, item_of(&s->piece[s->heap[0]]));
		rc = next(s, e);
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

/* Returns true if the last PIECES_MERGED pieces are at the same level. */
static bool
is_due(const struct extsort *s)
{
	return s->pieces >= PIECES_MERGED &&
	    s->piece[s->pieces - PIECES_MERGED].level == s->piece[s->pieces - 1].level;
}

int
extsort_begin(struct extsort *s, struct err *e)
{
	size_t i, live = 0;
	int rc = 0;

	for (i = 0; i < s->pieces; i++)
		if (!is_used_up(&s->piece[i]))
			s->piece[live++] = s->piece[i];
	s->pieces = live;
	while (rc == 0 && is_due(s))
		rc = merge_from(s, s->pieces - PIECES_MERGED, e);
	if (rc == 0 && s->pieces == PIECES_MAX)
		rc = merge_from(s, 0, e);
	s->piece[s->pieces] = (struct piece){ .at = s->length };
	return rc;
}

int
extsort_end(struct extsort *s, struct err *e)
{
	int rc = flush(s, e);

	if (rc != 0)
		return rc;
	s->piece[s->pieces++].end = s->length;
	return make_heap(s, 0, e);
}

bool
extsort_peek(const struct extsort *s, struct slice *item)
{
	if (s->heaped == 0)
		return false;
	*item = item_of(&s->piece[s->heap[0]]);
	return true;
}

/*
 * Starts the file over when nothing is left in it, so it is never longer than the most data it held
 * at once.
 */
static int
start_over(struct extsort *s, struct err *e)
{
	s->pieces = 0;
	s->length = 0;
	if (ftruncate(s->file.fd, 0) != 0 || lseek(s->file.fd, 0, SEEK_SET) != 0)
		return err_sys(e, errno, "cannot truncate the temporary file");
	return 0;
}

int
extsort_pop(struct extsort *s, struct err *e)
{
	int rc = next(s, e);

	return rc == 0 && s->heaped == 0 ? start_over(s, e) : rc;
}
