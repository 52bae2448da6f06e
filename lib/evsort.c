/* SPDX-License-Identifier: ISC */
/* evsort.c - lines of a stream in the order of run and time. */
#include "lib/evsort.h"

#include <stdlib.h>

#include "lib/buf.h"
#include "lib/evspill.h"
#include "lib/mem.h"
#include "lib/vec.h"

#define SHARE 8 /* lines get at most 1/SHARE of --max-memory */

struct evsort {
	size_t memory;
	struct buf lines; /* heads, each followed by its line */
	char **line; /* their places, once sorted */
	size_t count, next;
	bool ended; /* no more lines are added */
	struct evspill *spill; /* what is on disk; NULL for nothing */
	uint32_t *cut; /* of the current line */
	size_t cuts_cap;
};

struct evsort *
evsort_new(size_t memory)
{
	struct evsort *s = mem_zero(1, sizeof *s);

	/* a growing buffer is twice as large as its contents; the array of lines adds to that */
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
	if (s->spill != NULL)
		evspill_close(s->spill);
	mem_free(s->spill);
	buf_free(&s->lines);
	mem_free(s->line);
	mem_free(s->cut);
	mem_free(s);
}

/* Lines of the same run and time are in memory in the order in which they came. */
static int
compare_lines(const void *x, const void *y)
{
	const char *a = *(char *const *)x, *b = *(char *const *)y;
	int c = evspill_compare(a, b);

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
		at += sizeof(struct evspill_head) + evspill_head(s->line[i]).len;
	}
	qsort(s->line, s->count, sizeof *s->line, compare_lines);
	return 0;
}

/* Moves what is in memory to disk. */
static int
spill_lines(struct evsort *s, struct err *e)
{
	int rc;

	if (s->spill == NULL) {
		s->spill = mem_alloc(sizeof *s->spill);
		if (s->spill == NULL)
			return err_nomem(e);
		rc = evspill_open(s->spill, e);
		if (rc != 0) {
			mem_free(s->spill);
			s->spill = NULL;
			return rc;
		}
	}
	rc = sort_lines(s, e);
	if (rc == 0)
		rc = evspill_add(s->spill, s->line, s->count, e);
	s->count = 0;
	s->lines.len = 0;
	return rc;
}

int
evsort_add(struct evsort *s, const char *file, const struct ev *ev, struct wide time, struct err *e)
{
	struct evspill_head h;

	if (s->lines.len >= s->memory && spill_lines(s, e) != 0)
		return e->code;
	memset(&h, 0, sizeof h); /* its padding is written, too */
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

/* Cuts a line that a reader has returned before. */
static int
cut(struct evsort *s, const char *line, struct ev *ev, struct err *e)
{
	struct evspill_head h = evspill_head(line);
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
	if (s->spill == NULL)
		return sort_lines(s, e);
	rc = spill_lines(s, e);
	buf_free(&s->lines);
	mem_free(s->line);
	s->line = NULL;
	return rc == 0 ? evspill_merge(s->spill, e) : rc;
}

int
evsort_next(struct evsort *s, const char **file, struct ev *ev, struct err *e)
{
	const char *line = NULL;
	int rc = s->ended ? 0 : end_adding(s, e);

	if (rc == 0 && s->spill != NULL)
		rc = evspill_next(s->spill, &line, e);
	else if (rc == 0 && s->next < s->count)
		line = s->line[s->next++];
	if (rc == 0 && line == NULL)
		return 0;
	if (rc != 0 || cut(s, line, ev, e) != 0)
		return -1;
	*file = evspill_head(line).file;
	return 1;
}
