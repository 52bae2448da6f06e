/* SPDX-License-Identifier: ISC */
/*
 * perun.c - fuzzes the decoder and the encoder of Perun profiles, with jansson as the judge.
 *
 * A prefix must be rejected, unless it lacks only white space.  A text that jansson accepts must be
 * accepted, with the same values.  The reader of the stream must accept every line, a pipe must
 * give the same lines as a file, and the encoder must return the document.  An input that begins
 * with '#' is a stream, for the encoder and the flame graph only.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "lib/evread.h"
#include "lib/evwrite.h"
#include "lib/json/jdict.h"
#include "lib/json/jscan.h"
#include "lib/json/jtext.h"
#include "src/perun/pytext.h"
#include "src/perun/query/query.h"
#include "src/perun/read/decode.h"
#include "src/perun/write/encode.h"
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

static void
note(void *ctx, const char *text)
{
	(void)ctx;
	check(text[0] != '\0', "a note without words");
}

/* Decodes standard input to a file. */
static int
decode(int out)
{
	struct perun_options opt = { .to = { .note = note } };
	struct evwrite w;
	struct err e = { 0 };
	int status;

	scratch_empty(out);
	check(evw_open(&w, out, "perundec"), "no memory");
	evw_mark_open(&w, "-");
	status = perun_decode("-", &opt, &w, &e);
	check(status == 0 || status == ERR_DATA, e.msg);
	check(status == 0 || e.msg[0] != '\0', "an error without words");
	evw_mark_end(&w, status == 0, status == 0 ? NULL : "damaged");
	check(evw_flush(&w), "cannot write");
	out_free(&w.out);
	return status;
}

/*
 * Encodes the stream in a file to another.  Returns 0, or the first status of a line that is not 0.
 * *ended is the status of the end.
 */
static int
encode(int in, int out, int marks_tell, enum perun_form form, enum perun_format format, int *ended)
{
	struct evread *r;
	struct perun_encode *x;
	struct out o;
	struct ev ev;
	struct err e;
	bool more;
	int rc, status = 0;

	scratch_empty(out);
	stdin_file(in);
	r = evread_open(NULL, 0, marks_tell ? 0 : EVREAD_NO_MARKS);
	check(r != NULL && out_open(&o, out), "no memory");
	x = perun_encode_open(&o, form, format, &e);
	check(x != NULL, "no memory");
	while ((rc = evread_next(r, &ev, &e)) != 0) {
		if (rc > 0)
			rc = perun_encode_line(x, &ev, &e) == 0 ? 0 : e.code;
		status = status != 0 ? status : rc;
	}
	do {
		more = perun_encode_rest(x, &rc, &e);
		check(rc != ERR_SYS, e.msg);
		status = status != 0 ? status : rc;
	} while (more);
	*ended = rc = perun_encode_end(x, &e);
	status = status != 0 ? status : rc;
	check(out_flush(&o), "cannot write");
	perun_encode_close(x);
	evread_close(r);
	out_free(&o);
	return status;
}

/* Makes the flame graph of the stream in a file. */
static void
flame(int in, int out)
{
	struct evread *r;
	struct query *q;
	struct out o;
	struct ev ev;
	struct err e;
	bool more;
	int rc;

	scratch_empty(out);
	stdin_file(in);
	r = evread_open(NULL, 0, EVREAD_NO_MARKS);
	check(r != NULL && out_open(&o, out), "no memory");
	q = query_open(&o, QUERY_FLAME, NULL, false, &e);
	check(q != NULL, "no memory");
	while ((rc = evread_next(r, &ev, &e)) != 0) {
		if (rc < 0)
			continue;
		rc = query_line(q, &ev, &e);
		check(rc == 0 || (e.msg[0] != '\0' && e.pos == ev.number), "a bad error");
	}
	do {
		more = query_rest(q, &rc, &e);
		check(rc == 0 || rc == ERR_DATA, e.msg);
	} while (more);
	check(out_flush(&o), "cannot write");
	query_close(q);
	evread_close(r);
	out_free(&o);
}

/* Checks that two texts are the same document: json.dumps gives the same for both. */
static void
same_document(struct jscan *j, const char *a, size_t la, const char *b, size_t lb)
{
	struct buf x = { 0 }, y = { 0 };
	struct err e;

	check(scan(j, a, la, SIZE_MAX, &e) == 0 && pytext_dumps(&x, j->text, j->token, 0),
	    "the document cannot be read");
	check(scan(j, b, lb, SIZE_MAX, &e) == 0 && pytext_dumps(&y, j->text, j->token, 0),
	    "what was encoded cannot be read");
	check(slice_eq(buf_slice(&x), buf_slice(&y)), "another document comes back");
	buf_free(&x);
	buf_free(&y);
}

/* Checks that the output in either format is JSON. */
static void
convert(struct jscan *j, int in, int out)
{
	enum perun_format to;
	struct err e;
	char *text;
	size_t len;
	int ended;

	for (to = PERUN_SNAPSHOTS; to <= PERUN_RESOURCES; to++) {
		(void)encode(in, out, 0, PERUN_PLAIN, to, &ended);
		if (ended != 0)
			continue;
		text = scratch_text(out, &len);
		check(scan(j, text, len, SIZE_MAX, &e) == 0, "what was converted is no JSON");
		free(text);
	}
}

static void
take_stream(struct jscan *j, int in, int out)
{
	char *text;
	size_t len;
	struct err e;
	int ended;

	/* whatever was rejected, the output is JSON */
	(void)encode(in, out, 0, PERUN_PLAIN, PERUN_AS_IT_IS, &ended);
	if (ended == 0) {
		text = scratch_text(out, &len);
		check(scan(j, text, len, SIZE_MAX, &e) == 0, "what was encoded is no JSON");
		free(text);
	}
	(void)encode(in, out, 0, PERUN_PACK, PERUN_AS_IT_IS, &ended);
	convert(j, in, out);
	flame(in, out);
}

static int
take_profile(struct jscan *j, const uint8_t *data, size_t size, int in, int stream, int out)
{
	int packed = size > 1 && data[0] == 0x78, taken = !packed && differ(j, data, size), status,
	    ended;
	char *text, *again;
	size_t len, other;

	stdin_file(in);
	status = decode(stream);
	check(packed || (status == 0) == taken, "scanner and decoder disagree");
	text = scratch_text(stream, &len);
	if (size <= FUZZ_PIPE_MAX) {
		stdin_pipe(data, size);
		check(decode(out) == status, "a pipe has another status");
		again = scratch_text(out, &other);
		check(other == len && memcmp(text, again, len) == 0, "a pipe has other lines");
		free(again);
	}
	free(text);
	if (status != 0) {
		check(encode(stream, out, 1, PERUN_PLAIN, PERUN_AS_IT_IS, &ended) != 0,
		    "damage is not seen");
		return status;
	}
	flame(stream, out);
	convert(j, stream, out);
	check(encode(stream, out, 1, PERUN_PLAIN, PERUN_AS_IT_IS, &ended) == 0,
	    "the encoder refuses the decoder's lines");
	text = scratch_text(out, &len);
	if (!packed)
		same_document(j, (const char *)data, size, text, len);
	free(text);
	(void)encode(stream, out, 1, PERUN_NAME, PERUN_AS_IT_IS, &ended);
	return 0;
}

/* Returns the status: 0, or the reason for the rejection. */
static int
status_of(const uint8_t *data, size_t size)
{
	static struct jscan j;
	static int in = -1, stream = -1, out = -1;

	if (in < 0) {
		in = scratch();
		stream = scratch();
		out = scratch();
		check(jscan_open(&j), "no memory");
	}
	scratch_put(in, data, size);
	if (size > 0 && data[0] == '#') {
		take_stream(&j, in, out);
		return 0;
	}
	return take_profile(&j, data, size, in, stream, out);
}

static bool
take(const uint8_t *data, size_t size)
{
	return status_of(data, size) == 0;
}

static bool
prefix(const uint8_t *data, size_t size, size_t cut)
{
	size_t end = size;

	if (cut == size) {
		check(take(data, size), "the file itself is damaged");
		return true;
	}
	while (end > 0 && strchr(" \t\r\n", data[end - 1]) != NULL)
		end--;
	if (cut >= end)
		return true;
	check(status_of(data, cut) == ERR_DATA, "a prefix is taken for whole");
	return false;
}

const struct fuzz_driver fuzz_driver = { .take = take, .prefix = prefix };
