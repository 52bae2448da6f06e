/* SPDX-License-Identifier: ISC */
/* jvalue.c - a value of a JSON text, and its tape. */

#include "lib/mem.h"
#include "lib/json/jscanint.h"

static bool
token_room(struct jscan *j)
{
	size_t cap = j->token_cap < 64 ? 256 : j->token_cap * 2;
	struct jscan_token *t;

	if (j->tokens < j->token_cap)
		return true;
	t = mem_resize(j->token, cap * sizeof *t);
	if (t == NULL)
		return false;
	j->token = t;
	j->token_cap = cap;
	return true;
}

/* The index of a new token whose text begins at t. */
static inline int
token_add(struct jscan *j, const char *t, uint8_t kind, uint32_t *index)
{
	*index = UINT32_MAX;
	if (j->in_pieces)
		return 0;
	if (!token_room(j))
		return j->rc = err_nomem(&j->err);
	*index = (uint32_t)j->tokens++;
	j->token[*index] = (struct jscan_token){ .off = (uint32_t)(t - j->text), .kind = kind };
	return 0;
}

static inline void
token_end(struct jscan *j, const char *t, uint32_t index, uint8_t flags)
{
	struct jscan_token *k;
	uint32_t quote;

	j->flags |= flags;
	if (j->in_pieces || index == UINT32_MAX)
		return;
	k = &j->token[index];
	quote = k->kind == JSCAN_STRING;
	k->off += quote;
	k->len = (uint32_t)(t - j->text) - k->off - quote;
	k->next = (uint32_t)j->tokens;
	k->flags = flags;
}

static int
string_token(struct jscan *j, const char **p, struct writer *w)
{
	uint32_t index;
	uint8_t flags = 0;
	int rc = token_add(j, w->t, JSCAN_STRING, &index);

	if (rc == 0)
		rc = jscan_string(j, p, w, &flags);
	if (rc == 0)
		token_end(j, w->t, index, flags);
	return rc;
}

static int
scalar_token(struct jscan *j, const char **p, struct writer *w)
{
	uint32_t index;
	uint8_t kind = JSCAN_WORD;
	int rc = token_add(j, w->t, JSCAN_WORD, &index);

	if (rc == 0)
		rc = jscan_scalar(j, p, w, &kind);
	if (rc == 0) {
		token_end(j, w->t, index, 0);
		if (!j->in_pieces)
			j->token[index].kind = kind;
	}
	return rc;
}

/* The containers that are open in a value. */
struct nest {
	unsigned n;
	uint32_t index[JSCAN_DEPTH];
	bool object[JSCAN_DEPTH];
};

/* The bracket at *p. */
static int
open_container(struct jscan *j, const char **p, struct writer *w, struct nest *nest)
{
	bool object = **p == '{';

	if (j->depth + nest->n >= JSCAN_DEPTH)
		return jscan_wrong(j, (size_t)(*p - j->window), "nested deeper than 900");
	nest->object[nest->n] = object;
	*w->t++ = *(*p)++;
	return token_add(j, w->t - 1, object ? JSCAN_OBJECT : JSCAN_ARRAY, &nest->index[nest->n++]);
}

static void
close_container(struct jscan *j, const char **p, struct writer *w, struct nest *nest)
{
	*w->t++ = *(*p)++;
	token_end(j, w->t, nest->index[--nest->n], 0);
}

/* A name, its colon, and what is before its value. */
static int
member_name(struct jscan *j, const char **p, struct writer *w)
{
	int rc;

	*p = jscan_skip(j, *p);
	if (**p != '"')
		return jscan_expected_at(j, *p, "a name in double quotes");
	if ((rc = string_token(j, p, w)) != 0)
		return rc;
	*p = jscan_skip(j, *p);
	if (**p != ':')
		return jscan_expected_at(j, *p, "a colon");
	*w->t++ = *(*p)++;
	return 0;
}

/* After a value: the comma and, in an object, the name of the next member, or brackets. */
static int
behind_value(struct jscan *j, const char **p, struct writer *w, struct nest *nest)
{
	bool object;

	while (nest->n != 0) {
		object = nest->object[nest->n - 1];
		*p = jscan_skip(j, *p);
		if (**p == ',') {
			*w->t++ = *(*p)++;
			return object ? member_name(j, p, w) : 0;
		}
		if (**p != (object ? '}' : ']'))
			return jscan_expected_at(j, *p, object ? "a comma or }" : "a comma or ]");
		close_container(j, p, w, nest);
	}
	return 0;
}

/* A value's beginning: all of a scalar or an empty container, else up to its first element. */
static int
begin_value(struct jscan *j, const char **p, struct writer *w, struct nest *nest, bool *whole)
{
	int rc;

	*whole = true;
	*p = jscan_skip(j, *p);
	if (**p == '"')
		return string_token(j, p, w);
	if (**p != '{' && **p != '[')
		return scalar_token(j, p, w);
	if ((rc = open_container(j, p, w, nest)) != 0)
		return rc;
	*p = jscan_skip(j, *p);
	if (**p == (nest->object[nest->n - 1] ? '}' : ']')) {
		close_container(j, p, w, nest);
		return 0;
	}
	*whole = false;
	return nest->object[nest->n - 1] ? member_name(j, p, w) : 0;
}

static int
text_room(struct jscan *j, size_t limit)
{
	/* from one jscan_room to the next: a number, brackets, and a name up to the window's end */
	size_t cap = limit + JSCAN_WINDOW_MAX + JSCAN_DEPTH + 64;
	char *text;

	j->limit = limit;
	if (j->text_cap >= cap)
		return 0;
	text = mem_alloc(cap);
	if (text == NULL)
		return j->rc = err_nomem(&j->err);
	mem_free(j->text);
	j->text = text;
	j->text_cap = cap;
	return 0;
}

static int
scan_value(struct jscan *j, struct writer *w)
{
	struct nest nest;
	const char *p = j->window + j->pos;
	bool whole;
	int rc;

	nest.n = 0;
	do {
		rc = begin_value(j, &p, w, &nest, &whole);
		if (rc == 0 && whole)
			rc = behind_value(j, &p, w, &nest);
		if (rc == 0)
			rc = jscan_room(j, w);
	} while (rc == 0 && nest.n != 0);
	j->pos = (size_t)(p - j->window);
	return rc;
}

int
jscan_value(struct jscan *j, size_t limit, struct err *e)
{
	struct writer w;
	int rc = j->rc;

	j->tokens = 0;
	j->flags = 0;
	j->in_pieces = false;
	j->text_len = 0;
	if (rc == 0)
		rc = text_room(j, limit);
	if (rc != 0)
		return jscan_remember(j, e);
	w.t = j->text;
	w.limit = j->text + limit;
	if (scan_value(j, &w) != 0) {
		/* what is before the damage, however it came */
		if (j->rc == ERR_DATA && j->piece != NULL && w.t > w.limit)
			(void)jscan_hand_out(j, &w);
		return jscan_remember(j, e);
	}
	j->text_len = (size_t)(w.t - j->text);
	*w.t = '\0';
	return 0;
}
