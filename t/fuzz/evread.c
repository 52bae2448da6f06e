/* SPDX-License-Identifier: ISC */
/*
 * evread.c - a fuzz driver for the reader of the stream.
 *
 * Whatever the bytes, reading must end, and each line that is returned must be accepted again when
 * it is read alone.  Lines that get tags of their run are otherwise the same.
 */
#include "lib/evread.h"

#include <stdio.h>

#include "lib/esc.h"
#include "lib/tab.h"
#include "t/fuzz/fuzz.h"

/* Checks the properties of a returned line that callers rely on. */
static void
check_line(const struct ev *ev)
{
	struct slice rest = ev->tags;
	struct ev_tag tag;
	size_t at;
	int i;

	for (i = 0; i < EV_COLUMNS; i++)
		check(ev->col[i].len != 0 && esc_is_canonical(ev->col[i].p, ev->col[i].len, &at),
		    "a column that is empty, or spelled in another way");
	check(memchr(ev->text.p, '\n', ev->text.len) == NULL && ev->text.len <= EV_LINE_MAX,
	    "more than a line");
	while (ev_next_tag(&rest, &tag))
		check(tag.key.len == 0 ||
			memchr(tag.key.p, '\t', tag.key.len + 1 + tag.value.len) == NULL,
		    "a tag with a tab");
}

/* Returns whether there was no error. */
static bool
read_all(int fd, unsigned flags)
{
	struct evread *r;
	struct ev ev;
	struct err e;
	bool good = true;
	int rc;

	stdin_file(fd);
	r = evread_open(NULL, 0, flags);
	check(r != NULL, "no memory");
	while ((rc = evread_next(r, &ev, &e)) != 0) {
		if (rc > 0)
			check_line(&ev);
		else
			check(e.code != ERR_NONE && e.msg[0] != '\0', "an error without words");
		good &= rc > 0;
	}
	evread_close(r);
	return good;
}

/* Tags of the run line are added to lines, and change nothing else. */
static void
read_of_run(int fd)
{
	static struct tab keys;
	char name[32], *operands[] = { name };
	struct evread *plain, *longer;
	struct ev a, b;
	struct err e;
	int rc;

	(void)snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	check(tab_add(&keys, SLICE("run.a"), NULL) == 0, "no memory");
	plain = evread_open(operands, 1, EVREAD_NO_MARKS);
	longer = evread_open(operands, 1, EVREAD_NO_MARKS);
	check(plain != NULL && longer != NULL, "no memory");
	evread_set_of_run(longer, &keys);
	while ((rc = evread_next(plain, &a, &e)) != 0) {
		check(evread_next(longer, &b, &e) == rc, "another result with tags of the run");
		if (rc < 0)
			continue;
		check(b.text.len >= a.text.len && memcmp(a.text.p, b.text.p, a.text.len) == 0,
		    "another line with tags of the run");
		check(b.text.len == a.text.len ||
			(b.text.len >= a.text.len + 7 &&
			    memcmp(b.text.p + a.text.len, "\trun.a=", 7) == 0),
		    "another tag than that of the run");
	}
	check(evread_next(longer, &b, &e) == 0, "more lines with tags of the run");
	evread_close(plain);
	evread_close(longer);
}

static bool
take(const uint8_t *data, size_t size)
{
	static int in = -1;

	if (in < 0)
		in = scratch();
	scratch_put(in, data, size);
	(void)read_all(in, EVREAD_NO_MARKS);
	read_of_run(in);
	return read_all(in, 0);
}

const struct fuzz_driver fuzz_driver = {
	.take = take,
	.meaning = SLICE_INIT("\0\t\n\\#\303"),
	.meaning_of_4 = 2,
};
