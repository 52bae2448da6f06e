/* SPDX-License-Identifier: ISC */
/*
 * select.c - fuzzes afsel's conditions and times.
 *
 * The first line of an input is an expression, the second a time, and the rest is a stream.  Each
 * line of the stream must be chosen by exactly one of the expression and its opposite, whether this
 * is written with a ! or as the last one of several.
 *
 * The first line is also a regular expression for frames.  Lines with fewer frames must be lines of
 * the stream, and lose no more frames by the same expression.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/evread.h"
#include "src/select/select.h"
#include "t/fuzz/fuzz.h"

/* The most pluses in an expression: each can double what the C library makes of it. */
#define REPEATED_MAX 8

/* Returns a copy of the text between two others, which the caller must free. */
static char *
enclose(const char *before, const char *text, const char *after)
{
	char *s = malloc(strlen(before) + strlen(text) + strlen(after) + 1);

	check(s != NULL, "no memory");
	return strcat(strcat(strcpy(s, before), text), after);
}

/* Returns a selection, or NULL if the texts are refused.  TIME may be NULL. */
static struct select *
make_select(const char *where, const char *time)
{
	struct select *s = select_new();
	struct err e = { 0 };

	check(s != NULL, "no memory");
	if (select_where(s, EXPR_AND, where, &e) == 0 &&
	    (time == NULL || select_time(s, time, &e) == 0)) {
		select_ready(s);
		return s;
	}
	check_error(&e);
	select_free(s);
	return NULL;
}

/* Returns what is added to the text as the last of several options. */
static struct select *
add_select(const char *where, enum expr_join join, const char *more)
{
	struct select *s = select_new();
	struct err e = { 0 };

	check(s != NULL, "no memory");
	check(select_where(s, EXPR_AND, where, &e) == 0 && select_where(s, join, more, &e) == 0,
	    "two expressions cannot be joined");
	select_ready(s);
	return s;
}

static bool
chooses(struct select *s, const struct ev *ev)
{
	struct err e;
	bool keep;

	check(select_line(s, ev, &keep, &e) == 0, "a line cannot be judged");
	return keep;
}

static bool
is_event(const struct ev *ev)
{
	return slice_eq(ev->col[EV_KIND], SLICE("sample"));
}

static struct evread *
open_lines(void)
{
	struct evread *r;

	check(lseek(STDIN_FILENO, 0, SEEK_SET) == 0, "lseek");
	r = evread_open(NULL, 0, EVREAD_NO_MARKS);
	check(r != NULL, "no memory");
	return r;
}

/* Judges each line by the expression, by its opposite, and by itself in parentheses. */
static void
check_opposite(const char *where)
{
	char *not = enclose("!(", where, ")"), *twice = enclose("(", where, ") && kind=sample");
	struct select *s = make_select(where, NULL), *opposite = make_select(not, NULL),
		      *again = make_select(twice, NULL);
	struct evread *r = open_lines();
	struct ev ev;
	struct err e;
	int rc;

	check(opposite != NULL && again != NULL, "what is taken is refused in parentheses");
	while ((rc = evread_next(r, &ev, &e)) != 0)
		if (rc > 0 && is_event(&ev)) {
			bool kept = chooses(s, &ev);

			check(kept != chooses(opposite, &ev), "a line in both or in none");
			check(kept == chooses(again, &ev), "another answer in parentheses");
		}
	evread_close(r);
	select_free(s);
	select_free(opposite);
	select_free(again);
	free(not );
	free(twice);
}

/* Judges each line by the expression and its opposite, joined. */
static void
check_joined(const char *where)
{
	char *not = enclose("!(", where, ")");
	struct select *all = add_select(where, EXPR_OR, not ),
		      *none = add_select(where, EXPR_AND, not );
	struct evread *r = open_lines();
	struct ev ev;
	struct err e;
	int rc;

	while ((rc = evread_next(r, &ev, &e)) != 0)
		if (rc > 0 && is_event(&ev)) {
			check(chooses(all, &ev), "neither the one nor the other");
			check(!chooses(none, &ev), "the one and the other");
		}
	evread_close(r);
	select_free(all);
	select_free(none);
	free(not );
}

static void
check_rest(const struct select *s)
{
	struct err e;
	size_t at = 0;

	while (select_rest(s, &at, &e))
		check(e.msg[0] != '\0', "a report without a text");
}

/* Judges the lines by time, in one reading or two. */
static bool
check_times(const char *where, const char *time)
{
	struct select *s = make_select(where, time);
	struct evread *r;
	struct ev ev;
	struct err e;
	bool keep, fine = s != NULL;
	int rc;

	if (s == NULL)
		return false;
	if (select_looks_ahead(s)) {
		r = open_lines();
		while ((rc = evread_next(r, &ev, &e)) != 0)
			check(rc < 0 || select_foresee(s, &ev, &e) == 0, "no memory");
		evread_close(r);
	}
	r = open_lines();
	while ((rc = evread_next(r, &ev, &e)) != 0)
		if (rc > 0 && select_line(s, &ev, &keep, &e) != 0) {
			check_error(&e);
			check(!keep, "a line that cannot be judged is kept");
			fine = false;
		}
	evread_close(r);
	check_rest(s);
	select_free(s);
	return fine;
}

/*
 * Writes the lines on standard input with fewer frames.  Returns false if the expression is
 * refused.  GOOD tells that each line can be read.
 */
static bool
write_frames(enum frames_which which, const char *regex, bool good, struct evwrite *w)
{
	struct select *s = select_new();
	struct err e = { 0 };
	struct evread *r;
	struct ev ev;
	bool keep, fine;
	int rc;

	check(s != NULL && evw_open(w, -1, "afsel"), "no memory");
	w->out.hold = true;
	fine = select_frames(s, which, regex, &e) == 0;
	if (!fine)
		check_error(&e);
	r = open_lines();
	while (fine && (rc = evread_next(r, &ev, &e)) != 0) {
		check(rc > 0 || !good, "a line with fewer frames that cannot be read");
		if (rc < 0)
			continue;
		check(select_line(s, &ev, &keep, &e) == 0 && keep, "a line that is not kept");
		check(select_write(s, &ev, w, &e) == 0, "no memory");
	}
	check(!evw_failed(w), "no memory");
	check_rest(s);
	evread_close(r);
	select_free(s);
	return fine;
}

static void
check_frames(const char *regex, int in)
{
	static int out = -1;
	enum frames_which which;
	struct evwrite once, again;

	if (out < 0)
		out = scratch();
	for (which = FRAMES_MATCHING; which <= FRAMES_OTHERS; which++) {
		stdin_file(in);
		if (write_frames(which, regex, false, &once)) {
			scratch_put(out, (const uint8_t *)once.out.p, once.out.len);
			stdin_file(out);
			check(write_frames(which, regex, true, &again), "refused");
			check(slice_eq((struct slice){ once.out.p, once.out.len },
				  (struct slice){ again.out.p, again.out.len }),
			    "more frames are lost");
			out_free(&again.out);
		}
		out_free(&once.out);
	}
}

/* Returns the next line as a string, which the caller must free. */
static char *
next_text(const uint8_t **data, size_t *size)
{
	const uint8_t *end = *size == 0 ? NULL : memchr(*data, '\n', *size);
	size_t n = end == NULL ? *size : (size_t)(end - *data);
	char *s = malloc(n + 1);

	check(s != NULL, "no memory");
	if (n != 0)
		memcpy(s, *data, n);
	s[n] = '\0';
	n += end != NULL;
	*data += n;
	*size -= n;
	return s;
}

/* Returns true if it can be put into parentheses, and is no regular expression that hurts. */
static bool
is_tame(const char *where)
{
	size_t open = 0, repeated = 0;

	for (; *where != '\0'; where++) {
		open += *where == '(';
		repeated += *where == '+';
		/* the C library copies what is repeated: gigabytes if that is nested */
		if (*where == '{')
			return false;
	}
	return open < EXPR_DEPTH_MAX && repeated <= REPEATED_MAX;
}

/* What is done with an input. */
enum way { TIMES, OPPOSITE, JOINED, FRAMES, WAYS };

static bool
take_way(size_t way, const uint8_t *data, size_t size)
{
	static int in = -1;
	char *where = next_text(&data, &size), *time = next_text(&data, &size);
	struct select *s;
	bool fine;

	if (in < 0)
		in = scratch();
	scratch_put(in, data, size);
	stdin_file(in);
	if (way == FRAMES) {
		if (is_tame(where))
			check_frames(where, in);
		free(where);
		free(time);
		return true;
	}
	s = is_tame(where) ? make_select(where, NULL) : NULL;
	fine = s != NULL;
	select_free(s);
	if (fine && way == OPPOSITE)
		check_opposite(where);
	else if (fine && way == JOINED)
		check_joined(where);
	else if (fine)
		fine = check_times(where, time);
	free(where);
	free(time);
	return fine;
}

/* Makes an expression and a time of random words, and lines that they may match. */
static size_t
make(uint64_t *state, uint8_t *bytes)
{
	static const char *const words[] = { "a=1", "b?!=.", "(", ")", "&&", "||", "!", "a<1e1",
		"time>=0x5", "stack~x", "frame='x;'", "region~\"^.\\x41\"", "c?~'[ab]*'", " " };
	static const char *const times[] = { "\n,+1\n", "\n10%,50.5%\n", "\n2026-11-22,\n",
		"\n5,+1us\n", "\n1,100%\n" };
	static const char lines[] = "run\t5\tr\t.\t.\t.\twall=1.5\n"
				    "sample\t5\tr\ta\\x3b\tm\t1\ta=1\tstack=x;\\.;x\\x3b\n"
				    "sample\t7\tr\t\\.\tm\t-1.50\ta=x\tb=.\tc=b\n"
				    "sample\t.\tr\tAA\tm\tinf\ta=0x9\n";
	size_t n = 0, i, count = 1 + random_next(state) % 12;
	const char *word;

	for (i = 0; i < count; i++) {
		word = words[random_next(state) % (sizeof words / sizeof words[0])];
		memcpy(bytes + n, word, strlen(word));
		n += strlen(word);
	}
	word = times[random_next(state) % (sizeof times / sizeof times[0])];
	memcpy(bytes + n, word, strlen(word));
	n += strlen(word);
	memcpy(bytes + n, lines, sizeof lines - 1);
	return n + sizeof lines - 1;
}

const struct fuzz_driver fuzz_driver = {
	.take_way = take_way,
	.ways = WAYS,
	.make = make,
	.meaning = SLICE_INIT("\t\n.\\=;\"' ()&|!~<>?-+%,:0159xaeT"),
	.meaning_of_4 = 3,
};
