/* SPDX-License-Identifier: ISC */
/*
 * dcpi.c - fuzzes the decoder and the encoder of DCPI profiles, and sweeps over damaged ones.
 *
 * A prefix must be rejected, and its samples must be the first samples of the whole file.  The
 * reader of the stream must accept every line, damage must have a place, and a pipe must give the
 * same status.  A profile that was read completely is encoded.  Decoding it must give the same
 * samples, and encoding these the same bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/evread.h"
#include "lib/evwrite.h"
#include "src/dcpi/dcpi.h"
#include "src/dcpi/encode.h"
#include "t/fuzz/fuzz.h"

struct run {
	int status; /* of dcpi_decode */
	unsigned reports;
	char *text; /* the output of the last call */
	size_t len;
};

static void
report(void *ctx, const char *file, const struct err *e)
{
	struct run *r = ctx;

	check(file == NULL && e->msg[0] != '\0', "a report without words");
	if (e->code == ERR_DOUBT)
		return;
	r->reports++;
	check(e->code == ERR_DATA, "a report that is no damage");
	check(e->place != ERR_NOWHERE, "a report without a place");
	check(strlen(e->msg) < sizeof e->msg, "a report of too many words");
}

static void
keep(int fd, struct run *r)
{
	free(r->text);
	r->text = scratch_text(fd, &r->len);
}

/* Checks that the reader of the stream accepts each line, and the marks. */
static void
read_back(int fd, const struct run *r, uint64_t lines)
{
	struct evread *in;
	struct ev ev;
	struct err e;
	uint64_t n = 0;
	int rc, errors = 0;

	stdin_file(fd);
	in = evread_open(NULL, 0, 0);
	check(in != NULL, "no memory");
	while ((rc = evread_next(in, &ev, &e)) != 0) {
		if (rc > 0)
			n++;
		else
			check(strstr(e.msg, "ended partial") != NULL && errors++ == 0, e.msg);
	}
	evread_close(in);
	check(n == lines, "the end mark counts other lines than there are");
	check(errors == (r->status != 0), "status and end mark disagree");
}

/* Decodes standard input. */
static void
decode(const struct dcpi_options *opt, struct run *r)
{
	static int out = -1;
	struct dcpi_options o = *opt;
	struct evwrite w;

	if (out < 0)
		out = scratch();
	scratch_empty(out);
	o.to = (struct reporter){ .error = report, .ctx = r };
	r->reports = 0;
	check(evw_open(&w, out, "dcpidec"), "no memory");
	evw_mark_open(&w, "-");
	r->status = dcpi_decode("-", &o, &w);
	check(r->status == 0 || r->status == ERR_DATA, "neither read nor damaged");
	check((r->status != 0) == (r->reports != 0), "status and reports disagree");
	evw_mark_end(&w, r->status == 0, r->status == 0 ? NULL : "damaged");
	check(evw_flush(&w), "cannot write");
	read_back(out, r, w.lines);
	keep(out, r);
	out_free(&w.out);
}

static void
decode_bytes(const void *data, size_t size, const struct dcpi_options *opt, struct run *r)
{
	static int in = -1;

	if (in < 0)
		in = scratch();
	scratch_put(in, data, size);
	stdin_file(in);
	decode(opt, r);
}

static void
decode_pipe(const uint8_t *data, size_t size, const struct dcpi_options *opt, struct run *r)
{
	stdin_pipe(data, size);
	decode(opt, r);
}

/* Encodes a stream as a profile.  The status is 1 if it is rejected. */
static void
encode_text(const struct run *from, struct run *to)
{
	static int in = -1, out = -1;
	struct dcpi_encode *x;
	struct evread *r;
	struct out o;
	struct ev ev;
	struct err e;
	int rc;

	if (in < 0) {
		in = scratch();
		out = scratch();
	}
	scratch_put(in, from->text, from->len);
	scratch_empty(out);
	stdin_file(in);
	r = evread_open(NULL, 0, EVREAD_NO_MARKS);
	check(r != NULL && out_open(&o, out), "no memory");
	x = dcpi_encode_open(&o);
	check(x != NULL, "no memory");
	to->status = 0;
	while (to->status == 0 && (rc = evread_next(r, &ev, &e)) != 0)
		to->status = rc < 0 ? 1 : dcpi_encode_line(x, &ev, &e);
	if (to->status == 0)
		to->status = dcpi_encode_end(x, &e);
	check(to->status == 0 || e.code == ERR_DATA, "the encoder failed");
	check(out_flush(&o), "cannot write");
	keep(out, to);
	dcpi_encode_close(x);
	evread_close(r);
	out_free(&o);
}

/* Encodes the stream of a profile that was read completely, and decodes it again. */
static void
check_round(const struct run *first, unsigned stride)
{
	static struct run bytes, again, same;
	struct dcpi_options o = { .stride = stride };

	if (strstr(first->text, "\tstride=") == NULL)
		return; /* the text of dcpicat does not have the header of a 0.07 profile */
	encode_text(first, &bytes);
	if (bytes.status != 0)
		return;
	decode_bytes(bytes.text, bytes.len, &o, &again);
	check(again.status == 0, "what was encoded is refused");
	check(again.len == first->len && memcmp(again.text, first->text, again.len) == 0,
	    "what was encoded says something else");
	encode_text(&again, &same);
	check(same.status == 0 && same.len == bytes.len &&
		memcmp(same.text, bytes.text, same.len) == 0,
	    "the second pass gives other bytes than the first");
}

static const struct dcpi_options plain = { .stride = 4 };
static const struct dcpi_options bytes = { .stride = 1 };
static const struct dcpi_options all = { .stride = 4, .zeros = true, .events = true };
static const struct dcpi_options strict = { .stride = 4, .strict = true };

/* What is done with an input. */
enum way { ROUND, PIPE, STRICT, BYTES, ALL, WAYS };

static bool
take_way(size_t way, const uint8_t *data, size_t size)
{
	static struct run r, other;

	decode_bytes(data, size, way == BYTES ? &bytes : way == ALL ? &all : &plain, &r);
	switch (way) {
	case ROUND:
	case BYTES:
		if (r.status == 0)
			check_round(&r, way == ROUND ? plain.stride : bytes.stride);
		break;
	case PIPE:
		if (size > FUZZ_PIPE_MAX)
			break;
		decode_pipe(data, size, &plain, &other);
		check(other.status == r.status, "a pipe is read otherwise than a file");
		break;
	case STRICT:
		decode_bytes(data, size, &strict, &other);
		check(r.status == 0 || other.status != 0,
		    "strict takes what is refused without it");
		break;
	default: break;
	}
	return r.status == 0;
}

/* Finds the next sample line at *p, from its region on.  Returns false at the end. */
static int
next_sample(const char **p, const char **line, size_t *len)
{
	while (**p != '\0') {
		const char *at = *p;

		*len = strcspn(at, "\n");
		*line = at;
		*p += *len + 1;
		if (strncmp(at, "sample\t", 7) != 0)
			continue;
		return 1;
	}
	return 0;
}

static void
check_prefix(const char *part, const char *whole)
{
	const char *a, *b;
	size_t la, lb;

	while (next_sample(&part, &a, &la)) {
		check(next_sample(&whole, &b, &lb), "a prefix has more samples than the whole");
		check(la == lb && memcmp(a, b, la) == 0, "a sample of a prefix is not the whole's");
	}
}

static bool
prefix(const uint8_t *data, size_t size, size_t cut)
{
	static struct run part, piped, whole;

	check(size <= FUZZ_PIPE_MAX, "a file that is too large for this");
	if (cut == size) {
		decode_bytes(data, size, &plain, &whole);
		check(whole.status == 0, "the file itself is damaged");
		return true;
	}
	decode_bytes(data, cut, &plain, &part);
	check_prefix(part.text, whole.text);
	decode_pipe(data, cut, &plain, &piped);
	check_prefix(piped.text, whole.text);
	check(part.status != 0 && piped.status != 0, "it is taken for whole");
	return false;
}

const struct fuzz_driver fuzz_driver = { .take_way = take_way, .ways = WAYS, .prefix = prefix };
