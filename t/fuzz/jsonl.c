/* SPDX-License-Identifier: ISC */
/*
 * jsonl.c - fuzzes jsonenc and jsondec.
 *
 * An input that begins with '{' is JSON: each line that jsondec writes must be one that the reader
 * of the stream accepts.  Its lines, as JSON and back, must be the same.  Any other input is a
 * stream, whose lines must come back.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/evread.h"
#include "src/jsonl/jsonl.h"
#include "t/fuzz/fuzz.h"

static void
take_hashed(void *j, struct slice line)
{
	jsonl_hashed(j, line);
}

/* Writes the stream on standard input as JSON.  Returns the number of errors. */
static unsigned
encode(struct out *o, bool numbers)
{
	struct evread *r = evread_open(NULL, 0, 0);
	struct jsonl *j;
	unsigned errors = 0;
	struct ev ev;
	struct err e;
	int rc;

	check(r != NULL && out_open(o, -1), "no memory");
	o->hold = true;
	j = jsonl_open(o, numbers);
	check(j != NULL, "no memory");
	evread_set_hashed(r, take_hashed, j);
	while ((rc = evread_next(r, &ev, &e)) != 0)
		if (rc > 0)
			check(jsonl_line(j, &ev, &e) == 0, "a line that JSON cannot hold");
		else
			errors += e.code != ERR_DOUBT;
	check(o->error == 0, "output that is not whole");
	jsonl_close(j);
	evread_close(r);
	return errors;
}

static void
count(void *errors, const char *file, const struct err *e)
{
	(void)file;
	check_error(e);
	++*(unsigned *)errors;
}

/* Writes the JSON on standard input as a stream.  Returns the number of errors. */
static unsigned
decode(struct evwrite *w)
{
	unsigned errors = 0;
	struct marks marks = { 0 };
	struct jsonl_reader opt = { .to = { .error = count, .ctx = &errors }, .marks = &marks };
	struct err e;

	check(evw_open(w, -1, "jsondec"), "no memory");
	w->out.hold = true;
	if (jsonl_decode("-", &opt, w, &e) != 0)
		count(&errors, NULL, &e);
	check(!evw_failed(w), "output that is not whole");
	marks_free(&marks);
	return errors;
}

/* Returns true if the text has lines that begin with '#'. */
static bool
has_marks(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (text[i] == '#' && (i == 0 || text[i - 1] == '\n'))
			return true;
	return false;
}

/*
 * Checks that the lines of a stream come back, and that the reader refuses none of them.  After a
 * mark that the reader refuses, it may ignore what follows.
 */
static void
there_and_back(int fd, const char *text, size_t len, bool numbers)
{
	struct evwrite w;
	struct out o;

	scratch_put(fd, text, len);
	stdin_file(fd);
	if (encode(&o, numbers) != 0) {
		check(has_marks(text, len), "a line that the reader refuses");
		out_free(&o);
		return;
	}
	scratch_put(fd, o.p, o.len);
	stdin_file(fd);
	(void)decode(&w);
	check(w.out.len == len && memcmp(w.out.p, text, len) == 0, "another stream comes back");
	out_free(&w.out);
	out_free(&o);
}

static bool
take(const uint8_t *data, size_t size)
{
	static int fd = -1;
	struct evwrite w;
	struct out o;
	unsigned errors;

	if (fd < 0)
		fd = scratch();
	scratch_put(fd, data, size);
	stdin_file(fd);
	if (size == 0 || data[0] != '{') {
		/* only what the reader takes comes back: the second way is from this */
		(void)encode(&o, false);
		scratch_put(fd, o.p, o.len);
		stdin_file(fd);
		out_free(&o);
	}
	errors = decode(&w);
	if (w.out.len != 0) {
		there_and_back(fd, w.out.p, w.out.len, false);
		there_and_back(fd, w.out.p, w.out.len, true);
	}
	out_free(&w.out);
	return errors == 0;
}

const struct fuzz_driver fuzz_driver = {
	.take = take,
	.meaning = SLICE_INIT("\"\\{}[]:,#\t\n.=u0e+-1"),
	.meaning_of_4 = 2,
};
