/* SPDX-License-Identifier: ISC */
/*
 * heap.c - fuzzes the maps of allocations that perunquery makes of a Perun profile.
 *
 * With libFuzzer: make fuzz.  With FUZZ_MAIN it is a program:
 *	heap FILE...			all checks on each
 *	heap --prefixes FILE		all prefixes
 *	heap --flips N SEED FILE	N copies of FILE with one to four wrong bytes
 * Always: a map is one line of JSON, spelled as json.dumps does; where Perun's rules give one, ours
 * give the same or say what they leave out; and what fails says where.
 * An input that begins with '#' is a stream.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/evread.h"
#include "lib/evwrite.h"
#include "lib/json/jvalue.h"
#include "src/perun/heap/heap.h"
#include "src/perun/pytext.h"
#include "src/perun/read/decode.h"
#include "t/fuzz/fuzz.h"

struct made {
	char *p; /* NULL: there is no map */
	size_t len;
	bool noted; /* something was left out */
};

static void
empty(int fd)
{
	check(ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0, "cannot start over");
}

static void
to_stdin(int fd)
{
	check(dup2(fd, STDIN_FILENO) >= 0 && lseek(STDIN_FILENO, 0, SEEK_SET) == 0, "dup2");
}

static void
note(void *ctx, const char *text)
{
	(void)ctx;
	check(text[0] != '\0', "a note without words");
}

/* Decodes what standard input has, to a file. */
static void
decode(int out)
{
	struct perun_options opt = { .to = { .note = note } };
	struct evwrite w;
	struct err e = { 0 };
	int status;

	empty(out);
	check(evw_open(&w, out, "perundec"), "no memory");
	status = perun_decode("-", &opt, &w, &e);
	check(status == 0 || status == ERR_DATA, e.msg);
	check(evw_flush(&w), "cannot write");
	evw_close(&w);
}

static void
check_error(const struct err *e)
{
	check(e->code == ERR_DATA, e->msg);
	check(e->msg[0] != '\0' && memchr(e->msg, '\0', sizeof e->msg) != NULL,
	    "an error without words");
}

/* False where a line is refused. */
static bool
take_lines(struct heap *h, struct evread *r)
{
	struct ev ev;
	struct err e = { 0 };
	int rc;

	while ((rc = evread_next(r, &ev, &e)) != 0) {
		if (rc < 0 || heap_line(h, &ev, &e) == 0)
			continue;
		check_error(&e);
		check(e.place == ERR_LINE && e.pos == ev.number, "an error without its line");
		return false;
	}
	return true;
}

static struct made
make(int in, enum heap_what what, bool compat)
{
	static int out = -1;
	struct made m = { .p = NULL };
	struct evread *r;
	struct heap *h;
	struct out o;
	struct err e = { 0 };
	char text[256];
	size_t at = 0;

	if (out < 0)
		out = scratch();
	empty(out);
	to_stdin(in);
	r = evread_open(NULL, 0, EVREAD_NO_MARKS);
	check(r != NULL && out_open(&o, out), "no memory");
	h = heap_open(&o, what, compat, &e);
	check(h != NULL, "no memory");
	if (take_lines(h, r) && heap_end(h, &e) == 0) {
		check(out_flush(&o), "cannot write");
		m.len = (size_t)lseek(out, 0, SEEK_END);
		m.p = malloc(m.len + 1);
		check(m.p != NULL && pread(out, m.p, m.len, 0) == (ssize_t)m.len,
		    "cannot read back");
	} else if (e.code != 0) {
		check_error(&e);
	}
	while (heap_note(h, &at, text, sizeof text)) {
		note(NULL, text);
		m.noted |= strncmp(text, "left out", 8) != 0;
	}
	heap_close(h);
	evread_close(r);
	out_free(&o);
	return m;
}

/* One line of JSON, as json.dumps spells it. */
static void
check_spelling(const struct made *m)
{
	static struct jvalue v;
	static bool opened;
	struct buf again = { 0 };
	struct err e;

	if (!opened)
		check(jvalue_open(&v), "no memory");
	opened = true;
	check(m->len > 1 && m->p[m->len - 1] == '\n', "a map that is no line");
	if (m->len > JSCAN_VALUE_MAX)
		return;
	check(jvalue_read(&v, (struct slice){ m->p, m->len - 1 }, &e) == 0,
	    "a map that is no JSON");
	check(pytext_dumps(&again, v.j.text, v.j.token, 0), "no memory");
	check(slice_eq(buf_slice(&again), (struct slice){ m->p, m->len - 1 }),
	    "a map that is spelled in another way");
	buf_free(&again);
}

static void
compare(int in, enum heap_what what)
{
	struct made ours = make(in, what, false), perun = make(in, what, true);

	if (ours.p != NULL)
		check_spelling(&ours);
	check(perun.p == NULL || ours.p != NULL, "Perun's rules give a map, ours none");
	check(perun.p != NULL || ours.p == NULL || ours.noted,
	    "nothing is said of what Perun refuses");
	check(perun.p == NULL || ours.noted ||
		(ours.len == perun.len && memcmp(ours.p, perun.p, ours.len) == 0),
	    "two maps without a word");
	free(ours.p);
	free(perun.p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int in = -1, stream = -1;
	bool is_stream = size > 0 && data[0] == '#';

	if (in < 0) {
		in = scratch();
		stream = scratch();
	}
	empty(in);
	check(pwrite(in, data, size, 0) == (ssize_t)size, "cannot write");
	to_stdin(in);
	if (!is_stream)
		decode(stream);
	compare(is_stream ? in : stream, HEAP_MAP);
	compare(is_stream ? in : stream, HEAP_HEAT);
	return 0;
}

#ifdef FUZZ_MAIN
static void
prefixes(const char *name)
{
	size_t size, cut;
	uint8_t *data = load(name, &size);

	for (cut = 0; cut < size; cut++)
		LLVMFuzzerTestOneInput(data, cut);
	printf("%zu prefixes\n", size);
	free(data);
}

/* Of the bytes that are put in three of four mean something, so that the text mostly stays JSON. */
static void
flips(uint64_t count, uint64_t seed, const char *name)
{
	static const char meaning[] = "0123456789-.eE ,\"{}[]afnrtu";
	size_t size;
	uint8_t *data = load(name, &size), *p = malloc(size + 1);
	uint64_t n, k, state = seed;

	check(p != NULL && size > 0, "nothing to damage");
	for (n = 0; n < count; n++) {
		memcpy(p, data, size);
		for (k = 1 + random_next(&state) % 4; k > 0; k--) {
			uint64_t r = random_next(&state);

			p[random_next(&state) % size] = r % 4 == 0
			    ? (uint8_t)(r >> 8)
			    : (uint8_t)meaning[(r >> 8) % (sizeof meaning - 1)];
		}
		LLVMFuzzerTestOneInput(p, size);
	}
	printf("%" PRIu64 " damaged copies\n", count);
	free(data);
	free(p);
}

int
main(int argc, char **argv)
{
	int i;

	if (argc == 3 && strcmp(argv[1], "--prefixes") == 0) {
		prefixes(argv[2]);
		return 0;
	}
	if (argc == 5 && strcmp(argv[1], "--flips") == 0) {
		flips(strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10), argv[4]);
		return 0;
	}
	for (i = 1; i < argc; i++) {
		size_t size;
		uint8_t *data = load(argv[i], &size);

		LLVMFuzzerTestOneInput(data, size);
		free(data);
	}
	printf("%d files\n", argc - 1);
	return 0;
}
#endif
