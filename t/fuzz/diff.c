/* SPDX-License-Identifier: ISC */
/*
 * diff.c - fuzzes afdiff: its limits, and the comparison of aggregates.
 *
 * The first line of an input is a limit, and the rest is a stream: lines with an even number are
 * BEFORE, the others AFTER.  The reader of the stream must accept the changes, and the sides
 * exchanged must give as many.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/evread.h"
#include "lib/evwrite.h"
#include "src/diff/diff.h"
#include "t/fuzz/fuzz.h"

/* Takes the lines of standard input.  Returns false if one was refused. */
static bool
take_lines(struct diff *d, bool exchanged)
{
	struct evread *r = evread_open(NULL, 0, EVREAD_NO_MARKS);
	struct ev ev;
	struct err e;
	bool good = true;
	int rc;

	check(r != NULL, "no memory");
	while ((rc = evread_next(r, &ev, &e)) != 0) {
		enum diff_side side = (ev.number % 2 != 0) != exchanged ? DIFF_AFTER : DIFF_BEFORE;

		if (rc > 0 && diff_line(d, side, &ev, ev.number % 3 == 0, &e) != 0) {
			check_error(&e);
			good = false;
		}
	}
	evread_close(r);
	return good;
}

/* Returns the number of changes among the lines of the output. */
static uint64_t
count_changes(struct out *o)
{
	static int fd = -1;
	struct evread *r;
	struct ev ev;
	struct err e;
	uint64_t n = 0;
	int rc;

	if (fd < 0)
		fd = scratch();
	scratch_put(fd, o->p, o->len);
	stdin_file(fd);
	r = evread_open(NULL, 0, EVREAD_NO_MARKS);
	check(r != NULL, "no memory");
	while ((rc = evread_next(r, &ev, &e)) != 0) {
		check(rc > 0, e.msg);
		n += slice_eq(ev.col[EV_KIND], SLICE("diff"));
	}
	evread_close(r);
	return n;
}

/* Compares.  *changes is their number if nothing was refused, for which it returns true. */
static bool
compare(const struct diff_settings *x, bool exchanged, uint64_t *changes)
{
	struct diff *d = diff_new(x);
	struct evwrite w;
	struct out o;
	struct err e = { 0 };
	const struct diff_view view = { .top = 3 };
	size_t at = 0;
	bool good;

	check(d != NULL && evw_open(&w, -1, "afdiff") && out_open(&o, -1), "no memory");
	w.out.hold = o.hold = true;
	good = take_lines(d, exchanged);
	if (diff_compare(d, &e) == 0) {
		diff_put(d, &w);
		check(diff_print(d, &view, &o, &e) == 0, "no memory");
		check(!evw_failed(&w) && o.error == 0, "an output that is not whole");
		while (diff_rest(d, &at, &e))
			check(e.msg[0] != '\0', "a report without words");
		(void)diff_is_beyond(d);
	} else {
		check_error(&e);
		good = false;
	}
	diff_free(d);
	*changes = count_changes(&w.out);
	out_free(&w.out);
	out_free(&o);
	return good;
}

/* In way 1 the sides are also exchanged. */
static bool
take_way(size_t way, const uint8_t *data, size_t size)
{
	static int in = -1;
	const uint8_t *end = size == 0 ? NULL : memchr(data, '\n', size);
	size_t n = end == NULL ? 0 : (size_t)(end - data);
	struct diff_settings x = { .confidence = 0.95,
		.seed = 1,
		.per = (enum diff_per)(size / 2 % 4),
		.point = size % 16 >= 8 };
	uint64_t changes, again;
	struct err e;
	bool good;

	if (in < 0)
		in = scratch();
	if (n != 0 &&
	    diff_limit_read(&x.limit[0], (struct slice){ (const char *)data, n }, &e) != 0)
		check_error(&e);
	else
		x.limits = n != 0;
	n += end != NULL;
	scratch_put(in, data + n, size - n);
	stdin_file(in);
	good = compare(&x, false, &changes);
	stdin_file(in);
	if (good && way == 1 && compare(&x, true, &again))
		check(changes == again, "other changes when the sides are exchanged");
	return good;
}

const struct fuzz_driver fuzz_driver = {
	.take_way = take_way,
	.ways = 2,
	.meaning = SLICE_INIT("\t\n.\\=<>%+-0159aegx"),
	.meaning_of_4 = 2,
};
