/* SPDX-License-Identifier: ISC */
/* jscan.c - a JSON text, read as it comes: the window on it, and the calls. */
#include "lib/json/jscan.h"

#include "lib/mem.h"
#include "lib/json/jscanint.h"

bool
jscan_open(struct jscan *j)
{
	j->window = mem_alloc(JSCAN_WINDOW_MAX + 1);
	if (j->window != NULL)
		jscan_restart(j);
	return j->window != NULL;
}

void
jscan_restart(struct jscan *j)
{
	j->line = j->column = 1;
	j->pos = j->len = 0;
	j->window[0] = '\0';
	j->ended = false;
	j->depth = 0;
	j->rc = 0;
}

void
jscan_close(struct jscan *j)
{
	mem_free(j->window);
	mem_free(j->text);
	mem_free(j->token);
	*j = (struct jscan){ .ended = true };
}

/* Counts lines and columns over what is given up. */
static void
count(const char *s, size_t n, uint64_t *line, uint64_t *column)
{
	const char *end = s + n, *eol;

	while ((eol = memchr(s, '\n', (size_t)(end - s))) != NULL) {
		++*line;
		*column = 1;
		s = eol + 1;
	}
	for (; s < end; s++)
		*column += ((unsigned char)*s & 0xc0) != 0x80;
}

int
jscan_remember(struct jscan *j, struct err *e)
{
	*e = j->err;
	return j->rc;
}

/* The text is wrong at window[at]. */
int
jscan_wrong(struct jscan *j, size_t at, const char *what)
{
	uint64_t line = j->line, column = j->column;

	if (j->rc != 0)
		return j->rc;
	count(j->window, at, &line, &column);
	j->ended = true;
	return j->rc = err_line(&j->err, line, "column %llu: %s", (unsigned long long)column, what);
}

/*
 * Appends more bytes; those before pos are dropped, so pos becomes 0.  False at
 * the end, or where reading failed, which is in j->rc.
 */
bool
jscan_more(struct jscan *j)
{
	size_t left = j->len - j->pos, got = 0;
	int rc;

	if (j->ended)
		return false;
	count(j->window, j->pos, &j->line, &j->column);
	memmove(j->window, j->window + j->pos, left);
	j->pos = 0;
	j->len = left;
	if (left >= JSCAN_TOKEN_MAX)
		return false;
	rc = j->fill(j->ctx, j->window + left, JSCAN_WINDOW, &got, &j->err);
	if (rc != 0)
		j->rc = rc;
	j->len += got;
	j->window[j->len] = '\0';
	if (got == 0)
		j->ended = true;
	return got != 0;
}

/* At least n bytes from p on, if there are as many; p may move. */
const char *
jscan_need(struct jscan *j, const char *p, size_t n)
{
	j->pos = (size_t)(p - j->window);
	while (j->len - j->pos < n)
		if (!jscan_more(j))
			break;
	return j->window + j->pos;
}

/* p is at a NUL: true if that is only the end of the window, and more follows. */
bool
jscan_is_more(struct jscan *j, const char **p)
{
	bool is;

	j->pos = (size_t)(*p - j->window);
	if (j->pos != j->len)
		return false;
	is = jscan_more(j);
	*p = j->window + j->pos;
	return is;
}

int
jscan_expected_at(struct jscan *j, const char *p, const char *what)
{
	char text[96] = "the text ends, expected ";
	size_t at = (size_t)(p - j->window);

	(void)strcat(text, what);
	return jscan_wrong(j, at, at == j->len ? text : text + sizeof "the text ends,");
}

int
jscan_hand_out(struct jscan *j, struct writer *w)
{
	size_t n = (size_t)(w->t - j->text), at = 0;
	struct err err;
	int rc = 0;

	if (j->piece == NULL)
		return jscan_wrong(j, j->pos, "a value that is too long here");
	j->in_pieces = true;
	j->tokens = 0;
	for (; rc == 0 && n - at > j->limit; at += j->limit)
		rc = j->piece(j->piece_ctx, (struct slice){ j->text + at, j->limit }, &err);
	memmove(j->text, j->text + at, n - at);
	w->t = j->text + (n - at);
	if (rc != 0 && j->rc == 0) {
		j->err = err;
		j->rc = rc;
	}
	return j->rc;
}

/* What goes nowhere. */
static int
drop(void *ctx, struct slice text, struct err *e)
{
	(void)ctx;
	(void)text;
	(void)e;
	return 0;
}

/* A name's text, which is not to be taken for pieces of a value. */
static int
name_text(struct jscan *j, struct err *e)
{
	int (*piece)(void *ctx, struct slice text, struct err *e) = j->piece;
	int rc;

	j->piece = drop;
	rc = jscan_value(j, JSCAN_NAME_MAX, e);
	j->piece = piece;
	return rc;
}

int
jscan_peek(struct jscan *j, int *c, struct err *e)
{
	const char *p;

	if (j->rc == 0) {
		p = jscan_skip(j, j->window + j->pos);
		j->pos = (size_t)(p - j->window);
		*c = j->pos == j->len ? -1 : (unsigned char)*p;
	}
	return j->rc == 0 ? 0 : jscan_remember(j, e);
}

void
jscan_pass(struct jscan *j)
{
	if (j->rc == 0 && j->pos < j->len)
		j->pos++;
}

int
jscan_expected(struct jscan *j, const char *what, struct err *e)
{
	if (j->rc == 0)
		(void)jscan_expected_at(j, j->window + j->pos, what);
	return jscan_remember(j, e);
}

int
jscan_name(struct jscan *j, struct buf *name, struct err *e)
{
	struct slice inside;
	int c, rc = jscan_peek(j, &c, e);

	if (rc != 0)
		return rc;
	if (c != '"')
		return jscan_expected(j, "a name in double quotes", e);
	rc = name_text(j, e);
	if (rc == 0)
		rc = jscan_peek(j, &c, e);
	if (rc != 0)
		return rc;
	if (j->in_pieces) {
		(void)jscan_wrong(j, j->pos, "a name of more than 256 KiB before this");
		return jscan_remember(j, e);
	}
	if (c != ':')
		return jscan_expected(j, "a colon", e);
	jscan_pass(j);
	inside = (struct slice){ j->text + 1, j->text_len - 2 };
	return jscan_undo(name, inside) ? 0 : err_nomem(e);
}

int
jscan_next(struct jscan *j, char bracket, bool *first, bool *more_of_it, struct err *e)
{
	int c, rc = jscan_peek(j, &c, e);

	if (rc != 0)
		return rc;
	*more_of_it = c != bracket;
	if (*more_of_it && !*first && c != ',')
		return jscan_expected(j, bracket == '}' ? "a comma or }" : "a comma or ]", e);
	if (!*more_of_it || !*first)
		jscan_pass(j);
	*first = false;
	return 0;
}

struct slice
jscan_ahead(const struct jscan *j)
{
	return (struct slice){ j->window + j->pos, j->len - j->pos };
}
