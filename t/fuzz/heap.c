/* SPDX-License-Identifier: ISC */
/*
 * heap.c - fuzzes the maps of allocations that perunquery makes from a Perun profile.
 *
 * A map must be one line of JSON, spelled as by json.dumps.  If Perun's rules give a map, ours must
 * give the same or report omissions.  An error must have a place.  An input that begins with '#' is
 * a stream.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/evread.h"
#include "lib/evwrite.h"
#include "lib/json/jvalue.h"
#include "src/perun/heap/heap.h"
#include "src/perun/pytext.h"
#include "src/perun/read/decode.h"
#include "t/fuzz/fuzz.h"

#define MAP_MAX ((size_t)64 << 10) /* bytes of a map that is read again */

struct made {
	char *p; /* NULL if there is no map */
	size_t len;
	bool noted; /* something was left out */
};

static void
note(void *ctx, const char *text)
{
	(void)ctx;
	check(text[0] != '\0', "a note without words");
}

/* Decodes standard input to a file. */
static void
decode(int out)
{
	struct perun_options opt = { .to = { .note = note } };
	struct evwrite w;
	struct err e = { 0 };
	int status;

	scratch_empty(out);
	check(evw_open(&w, out, "perundec"), "no memory");
	status = perun_decode("-", &opt, &w, &e);
	check(status == 0 || status == ERR_DATA, e.msg);
	check(evw_flush(&w), "cannot write");
	out_free(&w.out);
}

/* Processes all lines.  Returns false if a line is rejected. */
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
	scratch_empty(out);
	stdin_file(in);
	r = evread_open(NULL, 0, EVREAD_NO_MARKS);
	check(r != NULL && out_open(&o, out), "no memory");
	h = heap_open(&o, what, compat, &e);
	check(h != NULL, "no memory");
	if (take_lines(h, r) && heap_end(h, &e) == 0) {
		check(out_flush(&o), "cannot write");
		m.p = scratch_text(out, &m.len);
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

/* Checks that a map of at most LIMIT bytes is one line of JSON, spelled as by json.dumps. */
static void
check_spelling(const struct made *m, size_t limit)
{
	static struct jvalue v;
	static bool opened;
	struct buf again = { 0 };
	struct err e;

	if (!opened)
		check(jvalue_open(&v), "no memory");
	opened = true;
	check(m->len > 1 && m->p[m->len - 1] == '\n', "a map that is no line");
	if (m->len > limit)
		return;
	check(jvalue_read(&v, (struct slice){ m->p, m->len - 1 }, &e) == 0,
	    "a map that is no JSON");
	check(pytext_dumps(&again, v.j.text, v.j.token, 0), "no memory");
	check(slice_eq(buf_slice(&again), (struct slice){ m->p, m->len - 1 }),
	    "a map that is spelled in another way");
	buf_free(&again);
}

static void
compare(int in, enum heap_what what, size_t limit)
{
	struct made ours = make(in, what, false), perun = make(in, what, true);

	if (ours.p != NULL)
		check_spelling(&ours, limit);
	check(perun.p == NULL || ours.p != NULL, "Perun's rules give a map, ours none");
	check(perun.p != NULL || ours.p == NULL || ours.noted,
	    "nothing is said of what Perun refuses");
	check(perun.p == NULL || ours.noted ||
		(ours.len == perun.len && memcmp(ours.p, perun.p, ours.len) == 0),
	    "two maps without a word");
	free(ours.p);
	free(perun.p);
}

static void
take_up_to(enum heap_what what, const uint8_t *data, size_t size, size_t limit)
{
	static int in = -1, stream = -1;
	bool is_stream = size > 0 && data[0] == '#';

	if (in < 0) {
		in = scratch();
		stream = scratch();
	}
	scratch_put(in, data, size);
	stdin_file(in);
	if (!is_stream)
		decode(stream);
	compare(is_stream ? in : stream, what, limit);
}

/* Reading large maps again would take most of the time, so that is left to files. */
static bool
take_way(size_t way, const uint8_t *data, size_t size)
{
	take_up_to(way == 0 ? HEAP_MAP : HEAP_HEAT, data, size, MAP_MAX);
	return true;
}

static bool
take_file(const uint8_t *data, size_t size)
{
	take_up_to(HEAP_MAP, data, size, JSCAN_VALUE_MAX);
	take_up_to(HEAP_HEAT, data, size, JSCAN_VALUE_MAX);
	return true;
}

/* Most wrong bytes have a meaning, so the text mostly remains JSON. */
const struct fuzz_driver fuzz_driver = {
	.take_way = take_way,
	.ways = 2,
	.file = take_file,
	.meaning = SLICE_INIT("0123456789-.eE ,\"{}[]afnrtu"),
	.meaning_of_4 = 3,
};
