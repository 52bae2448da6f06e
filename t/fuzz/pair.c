/* SPDX-License-Identifier: ISC */
/*
 * pair.c - fuzzes afpair: its settings, and spans of pairs of events.
 *
 * The first line of an input has the keys, the tags to keep, the architecture of system calls and
 * the name of the measure, separated by TABs.  The rest is a stream, whose line is the first of a
 * pair, the second, both or none as its region begins with another byte.  All lines that are
 * written must be accepted by the reader of the stream, and no span may end before it begins.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/evread.h"
#include "lib/evwrite.h"
#include "lib/kinds.h"
#include "lib/wide.h"
#include "src/pair/pair.h"
#include "t/fuzz/fuzz.h"

enum setting { ON, KEEP, KEEP_TO, SYSCALLS, NAME, SETTINGS };

static int
set(struct pair *p, enum setting which, const char *text, struct err *e)
{
	switch (which) {
	case ON: return pair_on(p, text, e);
	case KEEP: return pair_keep(p, text, e);
	case KEEP_TO: return pair_keep_to(p, text, e);
	case SYSCALLS: return pair_syscalls(p, text, e);
	default: return pair_name(p, text, e);
	}
}

/* Returns false if the settings are refused.  Texts that are empty are not set. */
static bool
set_up(struct pair *p, char *const *text)
{
	struct err e = { 0 };
	int i, rc = 0;

	for (i = 0; i < SETTINGS && rc == 0; i++)
		if (text[i] != NULL && text[i][0] != '\0')
			rc = set(p, (enum setting)i, text[i], &e);
	if (rc == 0)
		rc = pair_ready(p, &e);
	if (rc != 0)
		check_error(&e);
	return rc == 0;
}

/* Pairs the lines of standard input.  *spans is set if there are spans among them. */
static bool
pair_lines(struct pair *p, bool *spans)
{
	struct evread *r = evread_open(NULL, 0, EVREAD_NO_MARKS);
	struct ev ev;
	struct err e = { 0 };
	bool good = true;
	size_t at = 0;
	int rc;

	check(r != NULL, "no memory");
	while ((rc = evread_next(r, &ev, &e)) != 0) {
		unsigned roles = 0;

		if (rc < 0)
			continue;
		if (kind_is_event(ev.col[EV_KIND]))
			roles = (unsigned char)ev.col[EV_REGION].p[0] % 4;
		*spans |= slice_eq(ev.col[EV_KIND], SLICE("span"));
		if (pair_line(p, &ev, roles, &e) == 0)
			continue;
		check_error(&e);
		check(e.place == ERR_LINE && e.pos == ev.number, "an error without its line");
		good = false;
	}
	while (pair_rest(p, &at, &e))
		check(e.msg[0] != '\0', "a report without words");
	evread_close(r);
	return good;
}

/* Checks what was written.  Spans of the input pass, and may be odd. */
static void
read_back(int fd, bool ours)
{
	struct evread *r;
	struct slice start;
	struct wide from, to;
	struct ev ev;
	struct err e;
	int rc;

	stdin_file(fd);
	r = evread_open(NULL, 0, EVREAD_NO_MARKS);
	check(r != NULL, "no memory");
	while ((rc = evread_next(r, &ev, &e)) != 0) {
		check(rc > 0, e.msg);
		if (!ours || !slice_eq(ev.col[EV_KIND], SLICE("span")) ||
		    !ev_tag(&ev, SLICE("start"), &start))
			continue;
		if (wide_get(start, &from) == WIDE_OK && wide_get(ev.col[EV_TIME], &to) == WIDE_OK)
			check(wide_cmp(from, to) <= 0, "a span that ends before it begins");
	}
	evread_close(r);
}

/* Copies a text of fields with TABs between them, and ends each with a NUL. */
static char *
cut(const uint8_t *data, size_t size, char **field)
{
	char *copy = malloc(size + 1);
	size_t i, n = 0;

	check(copy != NULL, "no memory");
	if (size != 0)
		memcpy(copy, data, size);
	copy[size] = '\0';
	field[n++] = copy;
	for (i = 0; i < size && n < SETTINGS; i++)
		if (copy[i] == '\t') {
			copy[i] = '\0';
			field[n++] = copy + i + 1;
		}
	return copy;
}

static bool
take(const uint8_t *data, size_t size)
{
	static int in = -1, out = -1;
	const uint8_t *end = size == 0 ? NULL : memchr(data, '\n', size);
	size_t n = end == NULL ? size : (size_t)(end - data) + 1;
	char *text[SETTINGS] = { NULL }, *copy = cut(data, end == NULL ? n : n - 1, text);
	struct evwrite w;
	struct pair *p;
	bool good, spans = false;

	if (in < 0) {
		in = scratch();
		out = scratch();
	}
	scratch_put(in, data + n, size - n);
	scratch_empty(out);
	stdin_file(in);
	check(evw_open(&w, out, "afpair"), "no memory");
	p = pair_new(&w);
	check(p != NULL, "no memory");
	if (size % 2 != 0)
		pair_set_loose(p);
	good = set_up(p, text) && pair_lines(p, &spans);
	pair_free(p);
	check(evw_flush(&w), "output that is not whole");
	out_free(&w.out);
	read_back(out, !spans);
	free(copy);
	return good;
}

const struct fuzz_driver fuzz_driver = {
	.take = take,
	.meaning = SLICE_INIT("\t\n.\\=;,?0123456789abcd"),
	.meaning_of_4 = 2,
};
