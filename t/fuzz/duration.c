/* SPDX-License-Identifier: ISC */
/*
 * duration.c - fuzzes afdur: durations, and the sorting of lines.
 *
 * The lines of a prefix must be the first lines of the whole input.  The reader of the stream must
 * accept every line, a measured time must be the elapsed time less the paused time, and sorting
 * must give the same lines in memory and on disk.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/evread.h"
#include "lib/evsort.h"
#include "lib/twice.h"
#include "src/duration/duration.h"
#include "t/fuzz/fuzz.h"

struct text {
	char *p;
	size_t len;
};

/* Checks that value + paused = elapsed. */
static void
check_sum(const struct ev *ev)
{
	struct slice elapsed, paused;
	struct wide value = { 0, 0 }, part = value, whole = value, sum;

	if (!slice_eq(ev->col[EV_KIND], SLICE("span")) || !ev_tag(ev, SLICE("elapsed"), &elapsed) ||
	    !ev_tag(ev, SLICE("paused"), &paused))
		return;
	check(wide_get(ev->col[EV_VALUE], &value) == WIDE_OK &&
		wide_get(elapsed, &whole) == WIDE_OK && wide_get(paused, &part) == WIDE_OK,
	    "a duration that is none");
	check(wide_add(value, part, &sum) && wide_cmp(sum, whole) == 0,
	    "a duration is not what elapsed less what was paused");
}

/* Checks that the reader of the stream accepts the file. */
static void
read_back(int fd, bool ours)
{
	struct evread *r;
	struct ev ev;
	struct err e;
	int rc;

	stdin_file(fd);
	r = evread_open(NULL, 0, 0);
	check(r != NULL, "no memory");
	while ((rc = evread_next(r, &ev, &e)) != 0) {
		check(rc > 0, e.msg);
		if (ours)
			check_sum(&ev);
	}
	evread_close(r);
}

static void
read_rest(struct duration *d)
{
	struct duration_rest rest;
	size_t at = 0;

	while (duration_rest(d, &at, &rest)) {
		check_error(&rest.e);
		check(rest.e.place != ERR_LINE || strcmp(rest.file, "-") == 0,
		    "a start without its file");
	}
}

static void
take(struct duration *d, const struct ev *ev)
{
	struct err e = { 0 };

	if (duration_line(d, "-", ev, &e) != 0) {
		check_error(&e);
		check(e.place == ERR_LINE && e.pos == ev->number, "an error without its line");
	}
}

/* Takes the stops that have waited until the line, or the end. */
static void
take_late(struct duration *d, const struct ev *next)
{
	const char *file;
	struct err e;
	int rc;

	while (duration_late(d, next, &file, &rc, &e))
		if (rc != 0) {
			check(e.code == ERR_DATA && e.place == ERR_LINE,
			    "a late stop without its line");
			check_error(&e);
		}
}

static void
take_sorted(struct duration *d, struct evread *r, size_t memory)
{
	struct evsort *sorted = evsort_new(memory);
	const char *file;
	struct wide time;
	struct ev ev;
	struct err e;
	int rc;

	check(sorted != NULL, "no memory");
	while ((rc = evread_next(r, &ev, &e)) != 0)
		if (rc > 0 && duration_is_timed(&ev, &time))
			check(evsort_add(sorted, "-", &ev, time, &e) == 0, "cannot sort");
	while ((rc = evsort_next(sorted, &file, &ev, &e)) > 0) {
		take_late(d, &ev);
		take(d, &ev);
	}
	take_late(d, NULL);
	check(rc == 0, "cannot read what was sorted");
	evsort_free(sorted);
}

/*
 * Reads pauses.  Returns whether there are spans in the input.  They pass, and may have any
 * contents.
 */
static bool
foresee(struct duration *d, struct evread *r)
{
	bool spans = false;
	struct ev ev;
	struct err e;
	int rc;

	while ((rc = evread_next(r, &ev, &e)) != 0)
		if (rc > 0) {
			check(duration_foresee(d, &ev, &e) == 0, "a pause without memory");
			spans |= slice_eq(ev.col[EV_KIND], SLICE("span"));
		}
	return spans;
}

/* Returns the output for the input in a file.  MEMORY is as for evsort, or 0 for no sorting. */
static struct text
make(int in, unsigned flags, size_t memory)
{
	static int out = -1;
	struct twice *t = twice_new(0);
	struct evread *r = evread_open(NULL, 0, 0), *before = evread_open(NULL, 0, 0);
	struct duration *d;
	struct evwrite w;
	struct text text;
	struct ev ev;
	struct err e;
	int rc;
	bool spans;

	if (out < 0)
		out = scratch();
	scratch_empty(out);
	check(evw_open(&w, out, "afdur"), "no memory");
	d = duration_new(&w, flags);
	check(t != NULL && r != NULL && before != NULL && d != NULL, "no memory");
	stdin_file(in);
	evread_set_opener(before, twice_open, t);
	evread_set_opener(r, twice_open, t);
	spans = foresee(d, before);
	if (memory != 0)
		take_sorted(d, r, memory);
	while ((rc = evread_next(r, &ev, &e)) != 0)
		if (rc > 0)
			take(d, &ev);
	read_rest(d);
	check(evw_flush(&w), "cannot write");
	text.p = scratch_text(out, &text.len);
	if (text.len != 0)
		read_back(out, !spans);
	evread_close(before);
	evread_close(r);
	duration_free(d);
	twice_free(t);
	out_free(&w.out);
	return text;
}

/* What is done with an input. */
enum way { PLAIN, KEEP, SORTED, WAYS };

/* Returns the output in one way, which the caller must free. */
static struct text
text_of(enum way way, int in)
{
	struct text a, b;

	if (way != SORTED)
		return make(in, way == PLAIN ? 0 : DURATION_DEDUCT | DURATION_KEEP, 0);
	a = make(in, DURATION_DEDUCT | DURATION_SORTED, 1);
	b = make(in, DURATION_DEDUCT | DURATION_SORTED, EVSORT_MEMORY);
	check(a.len == b.len && memcmp(a.p, b.p, a.len) == 0, "disk and memory sort in other ways");
	free(a.p);
	return b;
}

/* Returns a file with the input. */
static int
input(const uint8_t *data, size_t size)
{
	static int in = -1;

	if (in < 0)
		in = scratch();
	scratch_put(in, data, size);
	return in;
}

static bool
take_way(size_t way, const uint8_t *data, size_t size)
{
	free(text_of((enum way)way, input(data, size)).p);
	return true;
}

/* Tries all ways.  The output of the simplest is stored in plain, for prefixes. */
static void
all_ways(const uint8_t *data, size_t size, struct text *plain)
{
	int in = input(data, size);

	free(text_of(KEEP, in).p);
	free(text_of(SORTED, in).p);
	*plain = text_of(PLAIN, in);
}

static bool
prefix(const uint8_t *data, size_t size, size_t cut)
{
	static struct text whole;
	struct text part;

	if (cut == size) {
		free(whole.p);
		all_ways(data, size, &whole);
		return true;
	}
	all_ways(data, cut, &part);
	check(part.len <= whole.len && memcmp(part.p, whole.p, part.len) == 0,
	    "the lines of a prefix are not the first of the whole's");
	free(part.p);
	return true;
}

const struct fuzz_driver fuzz_driver = {
	.take_way = take_way,
	.ways = WAYS,
	.prefix = prefix,
	.meaning = SLICE_INIT("\t\n.\\=;0123456789#"),
	.meaning_of_4 = 2,
};
