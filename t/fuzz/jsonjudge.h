/* SPDX-License-Identifier: ISC */
/*
 * jsonjudge.h - for drivers that read JSON: compares the scanner with jansson.
 *
 * A text that jansson accepts must be accepted, with the same values.  How much of a text arrives
 * at a time must not matter.
 */
#ifndef AFPIPE_FUZZ_JSONJUDGE_H
#define AFPIPE_FUZZ_JSONJUDGE_H

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "lib/json/jdict.h"
#include "lib/json/jscan.h"
#include "lib/json/jtext.h"
#include "src/perun/pytext.h"
#include "t/fuzz/fuzz.h"

/* A text in memory for jscan, read at most STEP bytes at a time. */
struct memory {
	const char *p;
	size_t left, step;
};

static int
fill(void *ctx, char *dst, size_t n, size_t *got, struct err *e)
{
	struct memory *m = ctx;

	(void)e;
	*got = m->left < n ? m->left : n;
	*got = *got < m->step ? *got : m->step;
	memcpy(dst, m->p, *got);
	m->p += *got;
	m->left -= *got;
	return 0;
}

/* Scans the whole text as one value.  Returns 0 or the status. */
static int
scan(struct jscan *j, const char *p, size_t len, size_t step, struct err *e)
{
	struct memory m = { p, len, step };
	int rc, c = 0;

	jscan_restart(j);
	j->fill = fill;
	j->ctx = &m;
	rc = jscan_value(j, JSCAN_VALUE_MAX, e);
	if (rc == 0)
		rc = jscan_peek(j, &c, e);
	if (rc == 0 && c != -1)
		rc = jscan_expected(j, "the end", e);
	check(rc == 0 ||
		(rc == ERR_DATA && e->place == ERR_LINE && e->pos > 0 &&
		    strncmp(e->msg, "column ", 7) == 0),
	    "an error without line and column");
	return rc;
}

/* Returns whether the value has something that Python accepts and jansson cannot hold. */
static int
is_beyond_jansson(const struct jscan *j)
{
	size_t i, k;

	for (i = 0; i < j->tokens; i++) {
		const struct jscan_token *t = &j->token[i];
		const char *p = j->text + t->off;

		if (t->kind == JSCAN_WORD && (p[0] == 'N' || p[0] == 'I' || p[0] == '-'))
			return 1;
		for (k = 0; t->kind == JSCAN_STRING && k + 3 < t->len; k++)
			if (p[k] == '\\' && p[k + 1] == 'u' && (p[k + 2] == 'd' || p[k + 2] == 'D'))
				return 1;
	}
	return 0;
}

static void compare(const struct jscan *j, uint32_t index, const json_t *v);

static void
compare_object(const struct jscan *j, uint32_t index, const json_t *v)
{
	struct jdict m = { 0 };
	struct buf name = { 0 };
	void *at = json_object_iter((json_t *)(uintptr_t)v);
	size_t i;

	check(jdict_push(&m, j->text, j->token, index), "no memory");
	check(m.n == json_object_size(v), "another number of members than jansson's");
	for (i = 0; i < m.n; i++) {
		const struct jscan_token *k = &j->token[m.m[i].name];

		name.len = 0;
		check(jtext_undo(&name, jscan_inside(j->text, k)), "no memory");
		check(slice_eq(buf_slice(&name),
			  (struct slice){ json_object_iter_key(at), json_object_iter_key_len(at) }),
		    "another name than jansson's");
		compare(j, m.m[i].value, json_object_iter_value(at));
		at = json_object_iter_next((json_t *)(uintptr_t)v, at);
	}
	jdict_free(&m);
	buf_free(&name);
}

static void
compare_array(const struct jscan *j, uint32_t index, const json_t *v)
{
	size_t n = 0;
	uint32_t i;

	for (i = index + 1; i < j->token[index].next; i = j->token[i].next) {
		check(n < json_array_size(v), "more elements than jansson's");
		compare(j, i, json_array_get(v, n++));
	}
	check(n == json_array_size(v), "fewer elements than jansson's");
}

static void
compare_string(const struct jscan_token *t, const char *text, const json_t *v)
{
	struct buf b = { 0 };

	check(json_is_string(v) && jtext_undo(&b, jscan_inside(text, t)) &&
		slice_eq(buf_slice(&b),
		    (struct slice){ json_string_value(v), json_string_length(v) }),
	    "another string than jansson's");
	buf_free(&b);
}

static void
compare(const struct jscan *j, uint32_t index, const json_t *v)
{
	const struct jscan_token *t = &j->token[index];
	struct slice s = { j->text + t->off, t->len };

	switch (t->kind) {
	case JSCAN_OBJECT:
		check(json_is_object(v), "not jansson's object");
		compare_object(j, index, v);
		break;
	case JSCAN_ARRAY:
		check(json_is_array(v), "not jansson's array");
		compare_array(j, index, v);
		break;
	case JSCAN_STRING: compare_string(t, j->text, v); break;
	case JSCAN_INTEGER:
		check(json_is_integer(v) && strtoll(s.p, NULL, 10) == json_integer_value(v),
		    "another integer than jansson's");
		break;
	case JSCAN_FLOAT: {
		double a = pytext_double(s), b = json_real_value(v);

		check(json_is_real(v) && memcmp(&a, &b, sizeof a) == 0,
		    "another float than jansson's");
		break;
	}
	default:
		check(s.p[0] == 't'     ? json_is_true(v)
			: s.p[0] == 'f' ? json_is_false(v)
					: json_is_null(v),
		    "another word than jansson's");
	}
}

/* Compares the scanner with jansson.  Returns true if the text is accepted. */
static int
differ(struct jscan *j, const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	json_error_t je;
	struct err e, again;
	int rc = scan(j, text, size, SIZE_MAX, &e), code;
	json_t *v;

	check(rc == scan(j, text, size, 1 + size / 7, &again), "the text's pieces matter");
	check(rc == 0 || (e.pos == again.pos && strcmp(e.msg, again.msg) == 0),
	    "the place of an error depends on the text's pieces");
	v = json_loadb(text, size, JSON_DECODE_ANY | JSON_ALLOW_NUL, &je);
	if (v != NULL && rc == 0)
		compare(j, 0, v);
	else if (v != NULL)
		/* jansson skips a NUL between tokens */
		check(strstr(e.msg, "nested") != NULL || memchr(text, '\0', size) != NULL,
		    "jansson takes what is refused here");
	code = v == NULL ? (int)json_error_code(&je) : 0;
	if (v == NULL && rc == 0)
		check(code == json_error_numeric_overflow || code == json_error_null_byte_in_key ||
			code == json_error_stack_overflow || is_beyond_jansson(j),
		    "jansson refuses what is taken here");
	json_decref(v);
	return rc == 0;
}

#endif
