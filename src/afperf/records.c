/* SPDX-License-Identifier: ISC */
/* records.c - cuts the bytes of an AFPerf file into records. */
#include "src/afperf/records.h"

#include <string.h>

#include "lib/mem.h"

#define READ_SIZE ((size_t)256 * 1024)

bool
records_open(struct records *x, struct in in, size_t max)
{
	*x = (struct records){ .in = in, .max = max };
	x->csv = csv_reader_open(&x->text, &x->ends);
	return x->csv != NULL;
}

void
records_close(struct records *x)
{
	csv_reader_close(x->csv);
	buf_free(&x->text);
	csv_ends_free(&x->ends);
	mem_free(x->p);
}

/* Appends more input to what is there. */
static int
read_more(struct records *x, struct err *e)
{
	size_t got;
	int rc;

	if (x->from > 0) {
		memmove(x->p, x->p + x->from, x->to - x->from);
		x->to -= x->from;
		x->from = 0;
	}
	if (x->cap - x->to < READ_SIZE) {
		size_t cap = x->cap == 0 ? READ_SIZE * 2 : x->cap * 2;
		char *p = mem_resize(x->p, cap + RECORDS_SLACK);

		if (p == NULL)
			return err_nomem(e);
		x->p = p;
		x->cap = cap;
	}
	rc = in_read(&x->in, x->p + x->to, x->cap - x->to, &got, e);
	x->to += rc == 0 ? got : 0;
	memset(x->p + x->to, 0, RECORDS_SLACK);
	x->ended = rc == 0 && got == 0;
	return rc;
}

int
records_peek(struct records *x, size_t n, struct slice *head, struct err *e)
{
	int rc = 0;

	while (rc == 0 && x->to - x->from < n && !x->ended)
		rc = read_more(x, e);
	*head = (struct slice){ x->p + x->from, x->to - x->from < n ? x->to - x->from : n };
	return rc;
}

void
records_skip(struct records *x, size_t n)
{
	x->from += n;
	x->lines++;
}

enum line { LINE_WHOLE, LINE_LAST, LINE_LONG, LINE_NONE, LINE_FAILED };

/* The next line with its LF, not yet consumed.  LONG: its first bytes; the rest comes as lines. */
static enum line
next_line(struct records *x, struct slice *line, struct err *e)
{
	size_t seen = 0;
	const char *lf;

	for (;;) {
		size_t n = x->to - x->from;

		lf = n == seen ? NULL : memchr(x->p + x->from + seen, '\n', n - seen);
		*line = (struct slice){ x->p + x->from,
			lf == NULL ? n : (size_t)(lf - (x->p + x->from)) + 1 };
		if (line->len > x->max + 2)
			return LINE_LONG;
		if (lf != NULL)
			return LINE_WHOLE;
		if (x->ended)
			return n == 0 ? LINE_NONE : LINE_LAST;
		seen = n;
		if (read_more(x, e) != 0)
			return LINE_FAILED;
	}
}

static void
use(struct records *x, struct slice line)
{
	x->from += line.len;
	x->lines++;
	x->unterminated = line.len > 0 && line.p[line.len - 1] != '\n';
}

/* Skips a line that is too long. */
static enum records_next
skip_line(struct records *x, enum afperf_rule *rule, struct err *e)
{
	struct slice line;
	const char *lf;
	uint64_t number = x->lines + 1;

	for (;;) {
		size_t n = x->to - x->from;

		lf = n == 0 ? NULL : memchr(x->p + x->from, '\n', n);
		if (lf != NULL || (n == 0 && x->ended))
			break;
		x->from = x->to;
		if (!x->ended && read_more(x, e) != 0)
			return RECORDS_FAILED;
	}
	line = (struct slice){ x->p + x->from, lf == NULL ? 0 : (size_t)(lf - x->p) + 1 - x->from };
	use(x, line);
	x->unterminated = lf == NULL;
	*rule = RULE_SIZE;
	err_line(e, number, "record longer than %zu bytes", x->max);
	return RECORDS_BROKEN;
}

static bool
is_blank(struct slice s)
{
	size_t i;

	for (i = 0; i < s.len; i++)
		if (s.p[i] != ' ' && s.p[i] != '\t')
			return false;
	return true;
}

static enum records_next
broken(const struct record *r, enum csv_state state, enum afperf_rule *rule, struct err *e)
{
	*rule = state == CSV_READ_BAD_CR ? RULE_RECORD_END : RULE_QUOTING;
	switch (state) {
	case CSV_READ_BAD_CR:
		err_line(e, r->line, "field %u: carriage return without a line feed, not quoted",
		    r->n + 1);
		return RECORDS_BROKEN;
	case CSV_READ_BAD_QUOTE:
		err_line(e, r->line,
		    "field %u: quote inside an unquoted field, or text after a closing quote",
		    r->n + 1);
		return RECORDS_BROKEN;
	case CSV_READ_OPEN:
		err_line(e, r->line, "field %u: a quote is opened and never closed", r->n + 1);
		return RECORDS_LOST;
	default: err_nomem(e); return RECORDS_FAILED;
	}
}

/* A record with quotes: line by line, until libcsv finds its end. */
static enum records_next
quoted(struct records *x, struct slice line, struct record *r, enum afperf_rule *rule,
    struct err *e)
{
	enum csv_state state;
	enum line kind = LINE_WHOLE;
	size_t size = 0;

	x->text.len = x->ends.n = 0;
	for (;;) {
		size += line.len;
		state = csv_reader_line(x->csv, line.p, line.len);
		use(x, line);
		if (state != CSV_READ_MORE)
			break;
		kind = next_line(x, &line, e);
		if (kind == LINE_FAILED)
			return RECORDS_FAILED;
		if (kind == LINE_NONE) {
			state = csv_reader_last(x->csv);
			break;
		}
		if (kind == LINE_LONG || size + line.len > x->max) {
			*rule = RULE_SIZE;
			err_line(e, r->line, "record longer than %zu bytes, inside of quotes",
			    x->max);
			return RECORDS_LOST;
		}
	}
	r->n = (uint32_t)x->ends.n;
	if (state != CSV_READ_RECORD)
		return broken(r, state, rule, e);
	r->text = (struct slice){ x->text.p, x->text.len };
	r->end = x->ends.end;
	r->nul = memchr(x->text.p, '\0', x->text.len) != NULL;
	r->high = true; /* it needs a closer look */
	return RECORDS_RECORD;
}

static struct slice
without_end(struct slice line)
{
	if (line.len > 0 && line.p[line.len - 1] == '\n') {
		line.len--;
		if (line.len > 0 && line.p[line.len - 1] == '\r')
			line.len--;
	}
	return line;
}

enum records_next
records_next(struct records *x, struct record *r, enum afperf_rule *rule, struct err *e)
{
	struct slice line, body;
	enum csv_state state;

	r->cut = false;
	for (;;) {
		switch (next_line(x, &line, e)) {
		case LINE_NONE: return RECORDS_END;
		case LINE_FAILED: return RECORDS_FAILED;
		case LINE_LONG: return skip_line(x, rule, e);
		case LINE_LAST: r->cut = true; break;
		case LINE_WHOLE: break;
		}
		body = without_end(line);
		r->line = x->lines + 1;
		if (body.len > 0 && body.p[0] == '#') {
			use(x, line);
			x->unterminated = false;
			r->text = body;
			r->text.len -= r->cut && body.p[body.len - 1] == '\r';
			return RECORDS_COMMENT;
		}
		if (!is_blank(body))
			break;
		use(x, line);
		x->unterminated = false;
	}
	state = records_cut(body.p, body.len, &x->ends, r);
	if (state == CSV_READ_MORE)
		return quoted(x, line, r, rule, e);
	use(x, line);
	r->n = (uint32_t)x->ends.n;
	return state == CSV_READ_RECORD ? RECORDS_RECORD : broken(r, state, rule, e);
}
