/* SPDX-License-Identifier: ISC */
/* evread.c - the one reader of the stream. */
#include "lib/evread.h"

#include <stdlib.h>

#include "lib/buf.h"
#include "lib/esc.h"
#include "lib/in.h"
#include "lib/marks.h"

#define READ_SIZE ((size_t)256 * 1024)

struct evread {
	char *const *names;
	size_t count, next; /* operands, and which of them comes next */
	unsigned flags;
	const char *name;
	struct in in;
	struct out *idle;
	bool open, eof, finished;
	bool any; /* this input gave at least one byte */
	bool skipping; /* the rest of a line that is too long */
	char *p; /* bytes [at, len) are not yet handed out */
	size_t at, len, cap;
	size_t scanned; /* [at, scanned) has no LF */
	bool judged, clean; /* what is in the buffer needs no closer look, line by line */
	uint64_t line;
	struct marks marks;
	size_t missing; /* how far marks_missing has come */
	struct buf source;
};

static char *const only_stdin[] = { "-" };

static bool
join_names(struct evread *r)
{
	size_t i;

	for (i = 0; i < r->count; i++)
		if ((i > 0 && !buf_putc(&r->source, ' ')) ||
		    !buf_put(&r->source, r->names[i], strlen(r->names[i])))
			return false;
	return buf_putc(&r->source, '\0');
}

struct evread *
evread_open(char *const *names, size_t n, unsigned flags)
{
	struct evread *r = calloc(1, sizeof *r);

	if (r == NULL)
		return NULL;
	r->names = n == 0 ? only_stdin : names;
	r->count = n == 0 ? 1 : n;
	r->name = r->names[0];
	r->flags = flags;
	r->cap = READ_SIZE * 2;
	r->p = malloc(r->cap);
	if (r->p == NULL || !join_names(r)) {
		evread_close(r);
		return NULL;
	}
	return r;
}

void
evread_close(struct evread *r)
{
	if (r == NULL)
		return;
	if (r->open)
		in_close(&r->in);
	marks_free(&r->marks);
	buf_free(&r->source);
	free(r->p);
	free(r);
}

void
evread_set_idle(struct evread *r, struct out *idle)
{
	r->idle = idle;
}

const char *
evread_name(const struct evread *r)
{
	return r->name;
}

const char *
evread_source(const struct evread *r)
{
	return r->source.p;
}

uint64_t
evread_lost(const struct evread *r)
{
	return r->marks.lost;
}

uint64_t
evread_late(const struct evread *r)
{
	return r->marks.late;
}

static int
open_next(struct evread *r, struct err *e)
{
	r->name = r->names[r->next++];
	if (in_open(&r->in, r->name, e) != 0)
		return -1;
	r->in.idle = r->idle;
	r->open = true;
	r->eof = r->any = r->skipping = false;
	r->at = r->len = r->scanned = 0;
	r->judged = false;
	r->line = 0;
	return 0;
}

/*
 * Bytes that most streams do not have: controls other than TAB and LF, DEL, the
 * backslash, and all above ASCII.  Written so that compilers make vectors of it.
 */
static bool
is_clean(const char *s, size_t n)
{
	unsigned bad = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];
		unsigned odd = (c < 0x20) & (c != '\t') & (c != '\n');

		bad |= odd | (c == '\\') | (c > 0x7e);
	}
	return bad == 0;
}

/* Reads more behind what is there.  1, 0 at the end of this input, -1. */
static int
fill(struct evread *r, struct err *e)
{
	size_t got;

	if (r->at != 0) {
		memmove(r->p, r->p + r->at, r->len - r->at);
		r->len -= r->at;
		r->scanned -= r->at;
		r->at = 0;
	}
	if (r->cap - r->len < READ_SIZE) {
		char *p = realloc(r->p, r->cap * 2);

		if (p == NULL) {
			r->eof = true;
			return err_nomem(e), -1;
		}
		r->p = p;
		r->cap *= 2;
	}
	if (in_read(&r->in, r->p + r->len, READ_SIZE, &got, e) != 0) {
		r->eof = true;
		if (e->code == ERR_STOP)
			r->next = r->count;
		return -1;
	}
	if (got == 0)
		return 0;
	r->any = true;
	r->judged = false;
	r->len += got;
	return 1;
}

/* Cuts the next line.  1, 0 at the end of this input, -1 with e set. */
static int
next_line(struct evread *r, struct slice *line, struct err *e)
{
	for (;;) {
		char *lf = r->scanned < r->len
		    ? memchr(r->p + r->scanned, '\n', r->len - r->scanned)
		    : NULL;
		size_t end = lf == NULL ? r->len : (size_t)(lf - r->p);
		bool too_long = end - r->at > EV_LINE_MAX;

		if (lf == NULL && !r->eof && !too_long) {
			int rc;

			r->scanned = r->len;
			rc = fill(r, e);
			if (rc < 0)
				return -1;
			r->eof = rc == 0;
			continue;
		}
		if (lf == NULL && r->at == r->len)
			return 0;
		*line = (struct slice){ r->p + r->at, end - r->at };
		r->at = r->scanned = lf == NULL ? end : end + 1;
		if (r->skipping) {
			r->skipping = lf == NULL;
			continue;
		}
		r->line++;
		if (too_long) {
			r->skipping = lf == NULL;
			return err_line(e, r->line, "line longer than 16 MiB"), -1;
		}
		if (lf == NULL)
			return err_line(e, r->line, "no newline at the end: the line is cut"), -1;
		return 1;
	}
}

static int
check_line(const struct evread *r, struct slice line, struct err *e)
{
	size_t begin = 0, at;

	while (begin <= line.len) {
		const char *tab = memchr(line.p + begin, '\t', line.len - begin);
		size_t end = tab == NULL ? line.len : (size_t)(tab - line.p);

		if (end > begin && !esc_is_canonical(line.p + begin, end - begin, &at)) {
			unsigned char c = (unsigned char)line.p[begin + at];

			if (c == '\r' && begin + at + 1 == line.len)
				return err_line(e, r->line,
				    "carriage return: lines end in LF alone");
			if (c == '\\')
				return err_line(e, r->line,
				    "unknown escape in byte %zu of the line", begin + at + 1);
			return err_line(e, r->line, "raw byte 0x%02x in byte %zu of the line", c,
			    begin + at + 1);
		}
		begin = end + 1;
	}
	return 0;
}

static int
split(const struct evread *r, struct slice line, struct ev *ev, struct err *e)
{
	const char *p = line.p, *end = line.p + line.len;
	int i;

	ev->number = r->line;
	ev->text = line;
	for (i = 0; i < EV_COLUMNS; i++) {
		const char *tab = p > end ? NULL : memchr(p, '\t', (size_t)(end - p));

		if (p > end)
			return err_line(e, r->line, "%d columns, not 6 or more", i);
		if (tab == NULL)
			tab = end;
		if (tab == p)
			return err_line(e, r->line, "column %d is empty: nothing is spelled \".\"",
			    i + 1);
		ev->col[i] = (struct slice){ p, (size_t)(tab - p) };
		p = tab + 1;
	}
	ev->tags = p > end ? (struct slice){ end, 0 } : (struct slice){ p, (size_t)(end - p) };
	return 0;
}

/* Does the line need a closer look?  Most buffers are clean as a whole. */
static bool
is_doubtful(struct evread *r, struct slice line)
{
	if (!r->judged) {
		r->clean = is_clean(line.p, (size_t)(r->p + r->len - line.p));
		r->judged = true;
	}
	return !r->clean && !is_clean(line.p, line.len);
}

static int
take_mark(struct evread *r, struct slice line, struct err *e)
{
	if ((r->flags & EVREAD_NO_MARKS) != 0 || marks_take(&r->marks, line, e) == 0)
		return 0;
	e->place = ERR_LINE;
	e->pos = r->line;
	if (r->marks.refused) {
		r->marks.refused = false;
		r->at = r->scanned = r->len;
		r->eof = true;
	}
	return -1;
}

static int
one_line(struct evread *r, struct ev *ev, struct err *e)
{
	struct slice line;
	int rc;

	for (;;) {
		rc = next_line(r, &line, e);
		if (rc <= 0)
			return rc;
		if (is_doubtful(r, line) && check_line(r, line, e) != 0)
			return -1;
		if (line.len == 0)
			return err_line(e, r->line, "empty line"), -1;
		if (line.p[0] != '#')
			return split(r, line, ev, e) == 0 ? 1 : -1;
		if (take_mark(r, line, e) != 0)
			return -1;
	}
}

/* The input has ended; -1 if it should have had more. */
static int
end_input(struct evread *r, struct err *e)
{
	in_close(&r->in);
	r->open = false;
	if (r->any || (r->flags & EVREAD_NO_MARKS) != 0)
		return 0;
	return err_data(e, "empty input: not one byte"), -1;
}

int
evread_next(struct evread *r, struct ev *ev, struct err *e)
{
	int rc;

	while (!r->finished) {
		if (r->open) {
			rc = one_line(r, ev, e);
			if (rc != 0)
				return rc;
			if (end_input(r, e) != 0)
				return -1;
		} else if (r->next < r->count) {
			if (open_next(r, e) != 0)
				return -1;
		} else {
			r->finished = true;
		}
	}
	return marks_missing(&r->marks, &r->missing, e) != 0 ? -1 : 0;
}
