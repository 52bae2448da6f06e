/* SPDX-License-Identifier: ISC */
/*
 * aggregate.c - fuzzes afagg: its settings, its results, and partial results.
 *
 * The first line of an input has settings, separated by TABs: the letter of an option and its
 * argument.  The rest is a stream.  If nothing is refused, and units come first, the partial
 * results of two halves, merged, must be the results of the whole.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/evread.h"
#include "lib/evwrite.h"
#include "lib/wide.h"
#include "src/aggregate/aggregate.h"
#include "t/fuzz/fuzz.h"

#define LETTERS "bskwfoWpSBZ" /* in the order of the options */

enum half { FIRST, SECOND, BOTH, PARTS };

struct settings {
	char *argument[AGGREGATE_OPTIONS]; /* or NULL */
};

/* Returns whether a line may be in thousands of windows.  That is slow, and shows nothing new. */
static bool
overlaps_often(const char *window)
{
	struct slice step = slice_of(window == NULL ? "" : window), length;
	struct wide l, s;

	return slice_cut(&step, '/', &length) && wide_get_duration(length, &l) &&
	    wide_get_duration(step, &s) && l.lo / 100 >= s.lo;
}

/* Returns an aggregation, or NULL if the settings are refused or make it slow. */
static struct aggregate *
set_up(const struct settings *s, bool partial)
{
	struct aggregate *a = aggregate_new();
	struct err e = { 0 };
	int i, rc = 0;

	check(a != NULL, "no memory");
	if (overlaps_often(s->argument[AGGREGATE_WINDOW]))
		rc = err_data(&e, "many windows");
	for (i = 0; i < AGGREGATE_OPTIONS && rc == 0; i++)
		if (s->argument[i] != NULL)
			rc = aggregate_set(a, (enum aggregate_option)i, s->argument[i], &e);
	if (rc == 0 && partial)
		aggregate_set_partial(a);
	if (rc == 0)
		rc = aggregate_ready(a, &e);
	if (rc == 0)
		return a;
	check_error(&e);
	aggregate_free(a);
	return NULL;
}

/*
 * Adds a line.  Returns its status; a line that the aggregation has no use for is fine.  Units are
 * in lines that are passed on.
 */
static int
take_line(struct aggregate *a, const struct ev *ev, enum half half, struct evwrite *w,
    struct err *e)
{
	switch (aggregate_fate(a, ev)) {
	case AGGREGATE_TAKE:
		if (half <= SECOND && ev->number % 2 != (uint64_t)half)
			return 0;
		aggregate_expect(a, ev, 1);
		return aggregate_add(a, ev, e);
	case AGGREGATE_PART: return aggregate_part(a, ev, e);
	case AGGREGATE_PASS: return aggregate_see_run(a, ev, e);
	case AGGREGATE_MEASURE: evw_line(w, ev->text); return aggregate_measure(a, ev, e);
	default: return 0;
	}
}

/*
 * Appends the results for a half of the stream on standard input.  Returns false if anything was
 * refused, or a key is missing.
 */
static bool
make(struct aggregate *a, enum half half, struct evwrite *w)
{
	struct evread *r = evread_open(NULL, 0, EVREAD_NO_MARKS);
	struct ev ev;
	struct err e = { 0 };
	size_t at = 0;
	int rc;
	bool good = true;

	check(r != NULL, "no memory");
	while ((rc = evread_next(r, &ev, &e)) != 0) {
		if (rc > 0 && (rc = take_line(a, &ev, half, w, &e)) != 0)
			check_error(&e);
		good &= rc == 0;
	}
	while (aggregate_missing(a, &at, &e) != 0) {
		check_error(&e);
		good = false;
	}
	if (good && aggregate_write(a, w, &e) != 0) {
		check_error(&e);
		good = false;
	}
	check(!evw_failed(w), "output that is not whole");
	evread_close(r);
	return good;
}

static void
open_output(struct evwrite *w)
{
	check(evw_open(w, -1, "afagg"), "no memory");
	w->out.hold = true;
}

/* Returns the lines of kind agg, one after the other, at the beginning of the output. */
static struct slice
results(struct evwrite *w)
{
	char *p = w->out.p, *end = p + w->out.len, *to = p, *next;

	for (; p < end; p = next) {
		next = (char *)memchr(p, '\n', (size_t)(end - p)) + 1;
		if (strncmp(p, "agg\t", 4) != 0)
			continue;
		memmove(to, p, (size_t)(next - p));
		to += next - p;
	}
	return (struct slice){ w->out.p, (size_t)(to - w->out.p) };
}

/* Merges the partial results of both halves.  Each must be accepted if it has been made. */
static void
merge(const struct settings *s, int in, struct slice want)
{
	static const struct settings none;
	static int fd = -1;
	struct evwrite parts, whole;
	struct aggregate *a;
	struct err e;
	size_t at = 0;
	bool both = true;
	int half;

	if (fd < 0)
		fd = scratch();
	open_output(&parts);
	for (half = FIRST; half <= SECOND; half++) {
		a = set_up(s, true);
		stdin_file(in);
		/* a half that takes nothing does not tell which keys its lines have */
		both &= a != NULL && make(a, (enum half)half, &parts) && aggregate_taken(a) != 0;
		aggregate_free(a);
	}
	scratch_put(fd, parts.out.p, parts.out.len);
	out_free(&parts.out);
	a = set_up(&none, false);
	check(a != NULL, "no settings are refused");
	stdin_file(fd);
	open_output(&whole);
	if (both) {
		check(make(a, PARTS, &whole), "its own partial results are refused");
		while (aggregate_missing(a, &at, &e) != 0)
			finding("a key that was there is missing");
		check(slice_eq(results(&whole), want), "halves give other results");
	}
	aggregate_free(a);
	out_free(&whole.out);
}

/* Takes the settings from the first line, and leaves the stream. */
static void
read_settings(struct settings *s, const uint8_t **data, size_t *size)
{
	const uint8_t *end = *size == 0 ? NULL : memchr(*data, '\n', *size), *tab, *p = *data;
	const char *letter;
	size_t n;

	*s = (struct settings){ .argument = { NULL } };
	for (; end != NULL && p < end; p = tab + 1) {
		tab = memchr(p, '\t', (size_t)(end - p));
		tab = tab == NULL ? end : tab;
		letter = *p == '\0' ? NULL : strchr(LETTERS, *p);
		if (letter == NULL || s->argument[letter - LETTERS] != NULL)
			continue;
		n = (size_t)(tab - p - 1);
		s->argument[letter - LETTERS] = malloc(n + 1);
		check(s->argument[letter - LETTERS] != NULL, "no memory");
		memcpy(s->argument[letter - LETTERS], p + 1, n);
		s->argument[letter - LETTERS][n] = '\0';
	}
	n = end == NULL ? 0 : (size_t)(end - *data) + 1;
	*data += n;
	*size -= n;
}

static bool
take(const uint8_t *data, size_t size)
{
	static int in = -1;
	struct settings s;
	struct aggregate *a;
	struct evwrite w;
	bool good = false;
	size_t i;

	if (in < 0)
		in = scratch();
	read_settings(&s, &data, &size);
	scratch_put(in, data, size);
	stdin_file(in);
	open_output(&w);
	a = set_up(&s, false);
	if (a != NULL)
		good = make(a, BOTH, &w);
	aggregate_free(a);
	if (good)
		merge(&s, in, results(&w));
	out_free(&w.out);
	for (i = 0; i < AGGREGATE_OPTIONS; i++)
		free(s.argument[i]);
	return good;
}

const struct fuzz_driver fuzz_driver = {
	.take = take,
	.meaning = SLICE_INIT("\t\n.\\=;,:?/%0159-ens"),
	.meaning_of_4 = 2,
};
