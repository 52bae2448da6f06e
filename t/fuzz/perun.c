/* SPDX-License-Identifier: ISC */
/*
 * perun.c - fuzzes the decoder and the encoder of Perun profiles, with jansson as the judge.
 *
 * A prefix must be rejected, unless it lacks only white space.  A text that jansson accepts must be
 * accepted, with the same values.  The reader of the stream must accept every line, a pipe must
 * give the same lines as a file, and the encoder must return the document.  An input that begins
 * with '#' is a stream, for the encoder and the flame graph only.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/evread.h"
#include "lib/evwrite.h"
#include "src/perun/query/query.h"
#include "src/perun/read/decode.h"
#include "src/perun/write/encode.h"
#include "t/fuzz/fuzz.h"
#include "t/fuzz/jsonjudge.h"

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

/* Checks that the output is JSON whatever was rejected, or nothing, with an error. */
static void
check_json(struct jscan *j, int in, int out, enum perun_format to)
{
	struct err e;
	char *text;
	size_t len;
	int ended, status = encode(in, out, 0, PERUN_PLAIN, to, &ended);

	if (ended != 0)
		return;
	text = scratch_text(out, &len);
	check((len == 0 && status != 0) || scan(j, text, len, SIZE_MAX, &e) == 0,
	    "what was encoded is no JSON");
	free(text);
}

static void
check_conversions(struct jscan *j, int in, int out)
{
	check_json(j, in, out, PERUN_SNAPSHOTS);
	check_json(j, in, out, PERUN_RESOURCES);
}

/* What is done with an input. */
enum way { ROUND, JUDGE, PIPE, CONVERT, FLAME, PACK, WAYS };

static void
take_stream(enum way way, struct jscan *j, int in, int out)
{
	int ended;

	switch (way) {
	case PACK: (void)encode(in, out, 0, PERUN_PACK, PERUN_AS_IT_IS, &ended); break;
	case CONVERT: check_conversions(j, in, out); break;
	case FLAME: flame(in, out); break;
	default: check_json(j, in, out, PERUN_AS_IT_IS);
	}
}

/* Checks that a pipe gives the same status as the file, and the same stream. */
static void
check_pipe(const uint8_t *data, size_t size, int status, int stream, int out)
{
	char *text, *again;
	size_t len, other;

	if (size > FUZZ_PIPE_MAX)
		return;
	stdin_pipe(data, size);
	check(decode(out) == status, "a pipe has another status");
	text = scratch_text(stream, &len);
	again = scratch_text(out, &other);
	check(other == len && memcmp(text, again, len) == 0, "a pipe has other lines");
	free(text);
	free(again);
}

/* Checks that the document comes back, if it was not packed. */
static void
check_round(struct jscan *j, const uint8_t *data, size_t size, bool packed, int stream, int out)
{
	char *text;
	size_t len;
	int ended;

	check(encode(stream, out, 1, PERUN_PLAIN, PERUN_AS_IT_IS, &ended) == 0,
	    "the encoder refuses the decoder's lines");
	text = scratch_text(out, &len);
	if (!packed)
		same_document(j, (const char *)data, size, text, len);
	free(text);
}

static int
take_profile(enum way way, struct jscan *j, const uint8_t *data, size_t size, int in, int stream,
    int out)
{
	bool packed = size > 1 && data[0] == 0x78;
	int status, ended;

	stdin_file(in);
	status = decode(stream);
	if (way == JUDGE && !packed)
		check((status == 0) == differ(j, data, size), "scanner and decoder disagree");
	if (way == PIPE)
		check_pipe(data, size, status, stream, out);
	if (status != 0) {
		check(way != ROUND ||
			encode(stream, out, 1, PERUN_PLAIN, PERUN_AS_IT_IS, &ended) != 0,
		    "damage is not seen");
		return status;
	}
	switch (way) {
	case ROUND: check_round(j, data, size, packed, stream, out); break;
	case CONVERT: check_conversions(j, stream, out); break;
	case FLAME: flame(stream, out); break;
	case PACK: (void)encode(stream, out, 1, PERUN_NAME, PERUN_AS_IT_IS, &ended); break;
	default: break;
	}
	return 0;
}

/* Returns the status: 0, or the reason for the rejection. */
static int
status_of(enum way way, const uint8_t *data, size_t size)
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
		take_stream(way, &j, in, out);
		return 0;
	}
	return take_profile(way, &j, data, size, in, stream, out);
}

static bool
take_way(size_t way, const uint8_t *data, size_t size)
{
	return status_of((enum way)way, data, size) == 0;
}

static bool
prefix(const uint8_t *data, size_t size, size_t cut)
{
	size_t end = size, way;

	if (cut == size) {
		check(take_way(ROUND, data, size), "the file itself is damaged");
		return true;
	}
	while (end > 0 && strchr(" \t\r\n", data[end - 1]) != NULL)
		end--;
	if (cut >= end)
		return true;
	for (way = ROUND; way <= PIPE; way++)
		check(status_of((enum way)way, data, cut) == ERR_DATA,
		    "a prefix is taken for whole");
	return false;
}

const struct fuzz_driver fuzz_driver = { .take_way = take_way, .ways = WAYS, .prefix = prefix };
