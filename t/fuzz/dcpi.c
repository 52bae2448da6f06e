/* SPDX-License-Identifier: ISC */
/*
 * dcpi.c - fuzzes the decoder and the encoder of DCPI profiles, and sweeps over damaged ones.
 *
 * With libFuzzer: make fuzz.  With FUZZ_MAIN it is a program:
 *	dcpi FILE...		decodes each; says how many
 *	dcpi --prefixes FILE	all prefixes: each is refused at a place, and its samples are
 *				the first of the whole's
 *	dcpi --flips N SEED FILE	N copies of FILE with one to four wrong bytes: status 0 or 1
 * Always: every line is one that the stream's reader takes, damage has a place, and a pipe gives
 * the same status.  What was read whole is encoded; decoded again it gives the same samples, and
 * encoded again the same bytes.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/evread.h"
#include "lib/evwrite.h"
#include "src/dcpi/dcpi.h"
#include "src/dcpi/encode.h"
#include "t/fuzz/fuzz.h"

#define PIPE_MAX 65536 /* bytes that a pipe takes at once */

struct run {
	int status; /* of dcpi_decode */
	unsigned reports;
	char *text; /* what was written, from the last call */
	size_t len;
};

static void
start_over(int fd)
{
	check(ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0, "cannot start over");
}

/* Standard input is that file from its start. */
static void
read_from(int fd)
{
	check(dup2(fd, STDIN_FILENO) >= 0 && lseek(STDIN_FILENO, 0, SEEK_SET) == 0, "dup2");
}

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
	off_t len = lseek(fd, 0, SEEK_END);

	check(len >= 0, "lseek");
	free(r->text);
	r->len = (size_t)len;
	r->text = malloc(r->len + 1);
	check(r->text != NULL && pread(fd, r->text, r->len, 0) == (ssize_t)r->len,
	    "cannot read back");
	r->text[r->len] = '\0';
}

/* The stream's own reader takes each line, and its marks. */
static void
read_back(int fd, const struct run *r, uint64_t lines)
{
	struct evread *in;
	struct ev ev;
	struct err e;
	uint64_t n = 0;
	int rc, errors = 0;

	read_from(fd);
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

/* Decodes what standard input has. */
static void
decode(const struct dcpi_options *opt, struct run *r)
{
	static int out = -1;
	struct dcpi_options o = *opt;
	struct evwrite w;

	if (out < 0)
		out = scratch();
	start_over(out);
	o.to = (struct reporter){ report, NULL, r };
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
	evw_close(&w);
}

static void
decode_bytes(const void *data, size_t size, const struct dcpi_options *opt, struct run *r)
{
	static int in = -1;

	if (in < 0)
		in = scratch();
	start_over(in);
	check(pwrite(in, data, size, 0) == (ssize_t)size, "cannot write");
	read_from(in);
	decode(opt, r);
}

static void
decode_pipe(const uint8_t *data, size_t size, const struct dcpi_options *opt, struct run *r)
{
	int end[2];

	check(pipe(end) == 0, "pipe");
	check(write(end[1], data, size) == (ssize_t)size && close(end[1]) == 0,
	    "cannot fill the pipe");
	check(dup2(end[0], STDIN_FILENO) >= 0 && close(end[0]) == 0, "dup2");
	decode(opt, r);
}

/* A stream to a profile; status 1 where it is refused. */
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
	start_over(in);
	start_over(out);
	check(pwrite(in, from->text, from->len, 0) == (ssize_t)from->len, "cannot write");
	read_from(in);
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

/* The stream of a profile that was read whole, there and back. */
static void
check_round(const struct run *first, unsigned stride)
{
	static struct run bytes, again, same;
	struct dcpi_options o = { .stride = stride };

	if (strstr(first->text, "\tstride=") == NULL)
		return; /* the text of dcpicat has no header of a 0.07 profile */
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

static void
try_all(const uint8_t *data, size_t size)
{
	static struct run r, piped;
	int status;

	decode_bytes(data, size, &plain, &r);
	if (r.status == 0)
		check_round(&r, 4);
	if (size <= PIPE_MAX) {
		decode_pipe(data, size, &plain, &piped);
		check(piped.status == r.status, "a pipe is read otherwise than a file");
	}
	status = r.status;
	decode_bytes(data, size, &strict, &r);
	check(status == 0 || r.status != 0, "strict takes what is refused without it");
	decode_bytes(data, size, &bytes, &r);
	if (r.status == 0)
		check_round(&r, 1);
	if (size < PIPE_MAX)
		decode_bytes(data, size, &all, &r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try_all(data, size);
	return 0;
}

#ifdef FUZZ_MAIN
/* The next line at *p that is a sample, from its region on; false at the end. */
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

static int
prefixes(const char *name)
{
	static struct run part, piped, whole;
	size_t size, cut;
	uint8_t *data = load(name, &size);

	check(size <= PIPE_MAX, "a file that is too large for this");
	decode_bytes(data, size, &plain, &whole);
	check(whole.status == 0, "the file itself is damaged");
	for (cut = 0; cut < size; cut++) {
		decode_bytes(data, cut, &plain, &part);
		check_prefix(part.text, whole.text);
		decode_pipe(data, cut, &plain, &piped);
		check_prefix(piped.text, whole.text);
		if (part.status == 0 || piped.status == 0) {
			printf("%s cut at %zu is taken for whole\n", name, cut);
			free(data);
			return 1;
		}
	}
	printf("%zu prefixes\n", cut);
	free(data);
	return 0;
}

static int
flips(uint64_t count, uint64_t seed, const char *name)
{
	static struct run r;
	size_t size, refused = 0;
	uint8_t *data = load(name, &size), *p = malloc(size + 1);
	uint64_t n, k, state;

	check(p != NULL && size > 0, "nothing to damage");
	for (n = 0; n < count; n++) {
		state = seed * 1000003 + n;
		memcpy(p, data, size);
		for (k = 1 + random_next(&state) % 4; k > 0; k--) {
			size_t at = random_next(&state) % size;

			p[at] ^= (uint8_t)(1 + random_next(&state) % 255);
		}
		try_all(p, size);
		decode_bytes(p, size, &plain, &r);
		refused += r.status != 0;
	}
	printf("%" PRIu64 " damaged copies, %zu of them refused\n", count, refused);
	free(data);
	free(p);
	return 0;
}

int
main(int argc, char **argv)
{
	int i;

	if (argc == 3 && strcmp(argv[1], "--prefixes") == 0)
		return prefixes(argv[2]);
	if (argc == 5 && strcmp(argv[1], "--flips") == 0)
		return flips(strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10), argv[4]);
	for (i = 1; i < argc; i++) {
		size_t size;
		uint8_t *data = load(argv[i], &size);

		try_all(data, size);
		free(data);
	}
	printf("%d files\n", argc - 1);
	return 0;
}
#endif
