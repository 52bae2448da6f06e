/* SPDX-License-Identifier: ISC */
/*
 * duration.c - fuzzes what afdur makes of a stream: durations, and the sorting of lines.
 *
 * With libFuzzer: make fuzz.  With FUZZ_MAIN it is a program:
 *	duration FILE...		takes each in every way
 *	duration --prefixes FILE	all prefixes: their lines are the first of the whole's
 *	duration --flips N SEED FILE	N copies of FILE with one to four wrong bytes
 * Always: every line is one that the stream's reader takes, what was measured is what elapsed less
 * what was paused, and sorting gives the same lines in memory and on disk.
 */
#include <inttypes.h>
#include <stdio.h>
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

static void
to_stdin(int fd)
{
	check(dup2(fd, STDIN_FILENO) >= 0 && lseek(STDIN_FILENO, 0, SEEK_SET) == 0, "dup2");
}

static void
check_error(const struct err *e)
{
	check(e->code == ERR_DATA, e->msg);
	check(e->msg[0] != '\0' && memchr(e->msg, '\0', sizeof e->msg) != NULL,
	    "an error without words");
}

/* value + paused = elapsed */
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

/* The stream's reader takes what is in the file. */
static void
read_back(int fd, bool ours)
{
	struct evread *r;
	struct ev ev;
	struct err e;
	int rc;

	to_stdin(fd);
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
	while ((rc = evsort_next(sorted, &file, &ev, &e)) > 0)
		take(d, &ev);
	check(rc == 0, "cannot read what was sorted");
	evsort_free(sorted);
}

/* Are there spans among the input's lines?  They pass, and may say anything. */
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

/* What is made of the input in fd; memory: as of evsort, or 0 for no sorting. */
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
	off_t len;
	int rc;
	bool spans;

	if (out < 0)
		out = scratch();
	check(ftruncate(out, 0) == 0 && lseek(out, 0, SEEK_SET) == 0, "cannot start over");
	check(evw_open(&w, out, "afdur"), "no memory");
	d = duration_new(&w, flags);
	check(t != NULL && r != NULL && before != NULL && d != NULL, "no memory");
	to_stdin(in);
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
	len = lseek(out, 0, SEEK_END);
	text = (struct text){ malloc((size_t)len + 1), (size_t)len };
	check(text.p != NULL && pread(out, text.p, text.len, 0) == len, "cannot read back");
	if (len != 0)
		read_back(out, !spans);
	evread_close(before);
	evread_close(r);
	duration_free(d);
	twice_free(t);
	evw_close(&w);
	return text;
}

/* In plain, for prefixes, what is made in the plainest way. */
static void
all_ways(const uint8_t *data, size_t size, struct text *plain)
{
	static int in = -1;
	struct text a, b;

	if (in < 0)
		in = scratch();
	check(ftruncate(in, 0) == 0 && pwrite(in, data, size, 0) == (ssize_t)size, "cannot write");
	free(make(in, DURATION_DEDUCT | DURATION_KEEP, 0).p);
	a = make(in, DURATION_DEDUCT, 1);
	b = make(in, DURATION_DEDUCT, EVSORT_MEMORY);
	check(a.len == b.len && memcmp(a.p, b.p, a.len) == 0, "disk and memory sort in other ways");
	free(a.p);
	free(b.p);
	*plain = make(in, 0, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text plain;

	all_ways(data, size, &plain);
	free(plain.p);
	return 0;
}

#ifdef FUZZ_MAIN
static void
prefixes(const char *name)
{
	size_t size, cut;
	uint8_t *data = load(name, &size);
	struct text whole, part;

	all_ways(data, size, &whole);
	for (cut = 0; cut < size; cut++) {
		all_ways(data, cut, &part);
		check(part.len <= whole.len && memcmp(part.p, whole.p, part.len) == 0,
		    "the lines of a prefix are not the first of the whole's");
		free(part.p);
	}
	printf("%zu prefixes\n", size);
	free(whole.p);
	free(data);
}

/* Of the bytes that are put in every second is one that means something. */
static void
flips(uint64_t count, uint64_t seed, const char *name)
{
	static const char meaning[] = "\t\n.\\=;0123456789#";
	size_t size;
	uint8_t *data = load(name, &size), *p = malloc(size + 1);
	uint64_t n, k, state = seed;

	check(p != NULL && size > 0, "nothing to damage");
	for (n = 0; n < count; n++) {
		memcpy(p, data, size);
		for (k = 1 + random_next(&state) % 4; k > 0; k--) {
			uint64_t r = random_next(&state);

			p[random_next(&state) % size] = r % 2 == 0
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
