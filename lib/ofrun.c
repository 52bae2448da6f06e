/* SPDX-License-Identifier: ISC */
/* ofrun.c - gives lines the tags of their run line. */
#include "lib/ofrun.h"

#include <string.h>

#include "lib/esc.h"
#include "lib/ev.h"
#include "lib/kinds.h"
#include "lib/mem.h"
#include "lib/vec.h"

#define READ_SIZE ((size_t)64 * 1024)

void
ofrun_free(struct ofrun *x)
{
	size_t i;

	for (i = 0; i < x->cap; i++)
		buf_free(&x->tags[i]);
	mem_free(x->tags);
	tab_free(&x->runs);
	buf_free(&x->raw);
	buf_free(&x->made);
	buf_free(&x->head);
}

void
ofrun_begin(struct ofrun *x)
{
	x->raw.len = x->made.len = x->head.len = x->searched = x->given = 0;
	x->passing = x->eof = false;
	x->failure.code = 0;
}

/* What is looked at of a line. */
struct parts {
	struct slice kind, run, tags;
};

/* Returns the bytes before the next TAB, and removes both.  Returns false if there is no TAB. */
static bool
next_column(struct slice *rest, struct slice *column)
{
	const char *tab = memchr(rest->p, '\t', rest->len);

	*column = *rest;
	if (tab == NULL) {
		*rest = (struct slice){ rest->p + rest->len, 0 };
		return false;
	}
	column->len = (size_t)(tab - rest->p);
	*rest = (struct slice){ tab + 1, rest->len - column->len - 1 };
	return true;
}

/* Returns false for a line that a reader refuses, or that is not about a run. */
static bool
find_parts(struct slice line, struct parts *parts)
{
	struct slice column[EV_COLUMNS];
	size_t i;

	if (line.len == 0 || line.len > EV_LINE_MAX || line.p[0] == '#' ||
	    line.p[line.len - 1] == '\r')
		return false;
	parts->tags = line;
	for (i = 0; i < EV_COLUMNS; i++)
		if (!next_column(&parts->tags, &column[i]) && i != EV_VALUE)
			return false;
	parts->kind = column[EV_KIND];
	parts->run = column[EV_RUN];
	return true;
}

/* Adds the tag KEY=VALUE unless a reader would refuse it. */
static bool
put_tag(struct buf *b, struct slice key, struct slice value)
{
	size_t begin = b->len, at;

	if (!buf_putc(b, '\t') || !buf_put(b, key.p, key.len) || !buf_putc(b, '=') ||
	    !buf_put(b, value.p, value.len))
		return false;
	if (!esc_is_canonical(b->p + begin + 1, b->len - begin - 1, &at))
		b->len = begin;
	return true;
}

/* Notes the tags of a run line, in place of those that an earlier one had. */
static bool
note_run(struct ofrun *x, const struct parts *parts)
{
	size_t prefix = sizeof EV_OF_RUN - 1, n, i;
	struct slice value;

	if (!vec_room_zero(x->tags, x->runs.count, x->cap))
		return false;
	n = tab_add(&x->runs, parts->run, NULL);
	if (n == TAB_NONE)
		return false;
	x->tags[n].len = 0;
	for (i = 0; i < x->keys->count; i++) {
		struct slice key = x->keys->item[i];
		struct slice name = { key.p + prefix, key.len - prefix };

		if (ev_tag_in(parts->tags, name, &value) && !put_tag(&x->tags[n], key, value))
			return false;
	}
	return true;
}

/* Adds those tags of the run that the line does not have. */
static bool
put_tags(struct ofrun *x, const struct parts *parts)
{
	size_t n = tab_find(&x->runs, parts->run);
	struct slice rest, value;
	struct ev_tag tag;

	if (n == TAB_NONE || x->tags[n].len == 0)
		return true;
	rest = (struct slice){ x->tags[n].p + 1, x->tags[n].len - 1 };
	while (ev_next_tag(&rest, &tag))
		if (!ev_tag_in(parts->tags, tag.key, &value) &&
		    !put_tag(&x->made, tag.key, tag.value))
			return false;
	return true;
}

static bool
gets_tags(struct slice kind)
{
	return kind_is_event(kind) || slice_eq(kind, SLICE("agg"));
}

/* Adds a line, which ends in LF, to those that are to be returned. */
static bool
put_line(struct ofrun *x, struct slice line)
{
	struct parts parts;
	bool ok;

	line.len--;
	ok = buf_put(&x->made, line.p, line.len);
	if (ok && !x->passing && find_parts(line, &parts)) {
		if (slice_eq(parts.kind, SLICE("run")))
			ok = note_run(x, &parts);
		else if (gets_tags(parts.kind))
			ok = put_tags(x, &parts);
	}
	x->passing = false;
	return ok && buf_putc(&x->made, '\n');
}

/* Takes the whole lines from what has been read. */
static bool
take_lines(struct ofrun *x)
{
	struct buf *raw = &x->raw;
	const char *lf;
	size_t at = 0, end;

	while ((lf = memchr(raw->p + x->searched, '\n', raw->len - x->searched)) != NULL) {
		end = (size_t)(lf - raw->p) + 1;
		if (!put_line(x, (struct slice){ raw->p + at, end - at }))
			return false;
		at = x->searched = end;
	}
	raw->len -= at;
	memmove(raw->p, raw->p + at, raw->len);
	x->searched = raw->len;
	return true;
}

/* Returns what has been read as it is. */
static bool
pass(struct ofrun *x)
{
	bool ok = buf_put(&x->made, x->raw.p, x->raw.len);

	x->raw.len = x->searched = 0;
	return ok;
}

/* Reads more. */
static int
read_more(struct ofrun *x, struct in *in, struct err *e)
{
	size_t got;
	int rc;

	if (!buf_room(&x->raw, READ_SIZE))
		return err_nomem(e);
	rc = in_read(in, x->raw.p + x->raw.len, READ_SIZE, &got, e);
	if (rc != 0)
		return rc;
	if (x->head.len == 0 && !buf_put(&x->head, x->raw.p + x->raw.len, got))
		return err_nomem(e);
	x->raw.len += got;
	x->eof = got == 0;
	if (x->eof)
		return pass(x) ? 0 : err_nomem(e);
	if (!take_lines(x))
		return err_nomem(e);
	if (x->raw.len <= EV_LINE_MAX)
		return 0;
	x->passing = true;
	return pass(x) ? 0 : err_nomem(e);
}

int
ofrun_read(struct ofrun *x, struct in *in, void *dst, size_t n, size_t *got, struct err *e)
{
	*got = 0;
	while (x->given == x->made.len && !x->eof && x->failure.code == 0) {
		x->given = x->made.len = 0;
		if (read_more(x, in, e) != 0)
			x->failure = *e;
	}
	if (x->failure.code != 0) {
		*e = x->failure;
		return e->code;
	}
	*got = x->made.len - x->given < n ? x->made.len - x->given : n;
	if (*got != 0)
		memcpy(dst, x->made.p + x->given, *got);
	x->given += *got;
	return 0;
}

bool
ofrun_is_ready(const struct ofrun *x, const struct in *in)
{
	return x->given != x->made.len || x->eof || in_is_ready(in);
}
