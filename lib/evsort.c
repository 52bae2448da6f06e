/* SPDX-License-Identifier: ISC */
/* evsort.c - sorts the lines of a stream by run and time. */
#include "lib/evsort.h"

#include <stdlib.h>
#include <string.h>

#include "lib/buf.h"
#include "lib/extsort.h"
#include "lib/mem.h"
#include "lib/vec.h"

#define SHARE 8 /* lines get at most 1/SHARE of --max-memory */

/* Precedes each line, in the machine's own layout. */
struct head {
	struct wide time;
	uint64_t number;
	const char *file;
	uint32_t len; /* length of the line that follows */
	uint32_t run_at, run_len; /* position of the run id in the line */
};

struct evsort {
	size_t memory;
	struct buf lines; /* heads, each followed by its line */
	char **line; /* pointers to the heads, once they are sorted */
	size_t count, next;
	bool ended; /* no more lines will be added */
	struct extsort *disk; /* the lines on disk; NULL for none */
	bool given; /* the first line on disk has been returned */
	uint32_t *cut; /* positions of the tags in the current line */
	size_t cuts_cap;
};

struct evsort *
evsort_new(size_t memory)
{
	struct evsort *s = mem_zero(1, sizeof *s);

	/*
	 * a growing buffer may be twice as large as its contents, and the array of lines is extra
	 */
	if (s != NULL)
		s->memory =
		    memory < mem_ceiling() / SHARE ? memory : (size_t)(mem_ceiling() / SHARE);
	return s;
}

void
evsort_free(struct evsort *s)
{
	if (s == NULL)
		return;
	extsort_close(s->disk);
	buf_free(&s->lines);
	mem_free(s->line);
	mem_free(s->cut);
	mem_free(s);
}

static struct head
head_of(const char *line)
{
	struct head h;

	memcpy(&h, line, sizeof h);
	return h;
}

static struct slice
run_of(const char *line, const struct head *h)
{
	return (struct slice){ line + sizeof *h + h->run_at, h->run_len };
}

/* Compares by run, then by time.  Both arguments point to heads. */
static int
compare(const char *a, const char *b)
{
	struct head x = head_of(a), y = head_of(b);
	int c = slice_cmp(run_of(a, &x), run_of(b, &y));

	return c != 0 ? c : wide_cmp(x.time, y.time);
}

static size_t
size_of(const char *line)
{
	return sizeof(struct head) + head_of(line).len;
}

/*
 * Compares lines in memory.  Lines of the same run and time are in memory in the order of their
 * arrival.
 */
static int
compare_lines(const void *x, const void *y)
{
	const char *a = *(char *const *)x, *b = *(char *const *)y;
	int c = compare(a, b);

	return c != 0 ? c : (a > b) - (a < b);
}

static int
sort_lines(struct evsort *s, struct err *e)
{
	size_t at = 0, i;

	mem_free(s->line);
	s->line = mem_alloc((s->count + 1) * sizeof *s->line);
	if (s->line == NULL)
		return err_nomem(e);
	for (i = 0; i < s->count; i++) {
		s->line[i] = s->lines.p + at;
		at += size_of(s->line[i]);
	}
	qsort(s->line, s->count, sizeof *s->line, compare_lines);
	return 0;
}

/* Moves the lines in memory to disk. */
static int
spill_lines(struct evsort *s, struct err *e)
{
	int rc = s->disk == NULL ? extsort_open(&s->disk, compare, e) : 0;
	size_t i;

	if (rc == 0)
		rc = sort_lines(s, e);
	if (rc == 0)
		rc = extsort_begin(s->disk, e);
	for (i = 0; rc == 0 && i < s->count; i++) {
		size_t n = size_of(s->line[i]);
		char *p = extsort_room(s->disk, n);

		if (p == NULL)
			break;
		memcpy(p, s->line[i], n);
		extsort_put(s->disk, n);
	}
	s->count = 0;
	s->lines.len = 0;
	return rc == 0 ? extsort_end(s->disk, e) : rc;
}

int
evsort_add(struct evsort *s, const char *file, const struct ev *ev, struct wide time, struct err *e)
{
	struct head h;

	if (s->lines.len >= s->memory && spill_lines(s, e) != 0)
		return e->code;
	memset(&h, 0, sizeof h); /* because its padding is written, too */
	h.time = time;
	h.number = ev->number;
	h.file = file;
	h.len = (uint32_t)ev->text.len;
	h.run_at = (uint32_t)(ev->col[EV_RUN].p - ev->text.p);
	h.run_len = (uint32_t)ev->col[EV_RUN].len;
	if (!buf_put(&s->lines, &h, sizeof h) || !buf_put(&s->lines, ev->text.p, ev->text.len))
		return err_nomem(e);
	s->count++;
	return 0;
}

/* Cuts a line that a reader has cut and returned before. */
static int
cut(struct evsort *s, const char *line, struct ev *ev, struct err *e)
{
	struct head h = head_of(line);
	const char *text = line + sizeof h, *p = text, *end = text + h.len;
	size_t n = 0;

	for (;;) {
		const char *tab = memchr(p, '\t', (size_t)(end - p));

		if (!vec_room(s->cut, n, s->cuts_cap))
			return err_nomem(e);
		if (n < EV_COLUMNS)
			ev->col[n] = (struct slice){ p, (size_t)((tab == NULL ? end : tab) - p) };
		s->cut[n++] = (uint32_t)((tab == NULL ? end : tab) - text);
		if (tab == NULL)
			break;
		p = tab + 1;
	}
	ev->number = h.number;
	ev->text = (struct slice){ text, h.len };
	ev->base = text;
	ev->cut = s->cut + EV_COLUMNS - 1;
	ev->ntags = n - EV_COLUMNS;
	ev->tags = (struct slice){ end, 0 };
	if (ev->ntags != 0)
		ev->tags = (struct slice){ text + ev->cut[0] + 1, h.len - ev->cut[0] - 1 };
	return 0;
}

static int
end_adding(struct evsort *s, struct err *e)
{
	int rc;

	s->ended = true;
	if (s->disk == NULL)
		return sort_lines(s, e);
	rc = spill_lines(s, e);
	buf_free(&s->lines);
	mem_free(s->line);
	s->line = NULL;
	return rc;
}

/* Finds the next line with its head, or NULL at the end. */
static int
next_line(struct evsort *s, const char **line, struct err *e)
{
	struct slice item;
	int rc;

	*line = NULL;
	if (s->disk == NULL) {
		if (s->next < s->count)
			*line = s->line[s->next++];
		return 0;
	}
	rc = s->given ? extsort_pop(s->disk, e) : 0;
	s->given = rc == 0 && extsort_peek(s->disk, &item);
	if (s->given)
		*line = item.p;
	return rc;
}

int
evsort_next(struct evsort *s, const char **file, struct ev *ev, struct err *e)
{
	const char *line = NULL;
	int rc = s->ended ? 0 : end_adding(s, e);

	if (rc == 0)
		rc = next_line(s, &line, e);
	if (rc == 0 && line == NULL)
		return 0;
	if (rc != 0 || cut(s, line, ev, e) != 0)
		return -1;
	*file = head_of(line).file;
	return 1;
}
