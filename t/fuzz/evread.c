/* SPDX-License-Identifier: ISC */
/*
 * evread.c - a fuzz driver for the reader of the stream.
 *
 * Whatever the bytes, reading must end, and each line that is returned must be accepted again when
 * it is read alone.
 */
#include "lib/evread.h"

#include "lib/esc.h"
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

static bool
take(const uint8_t *data, size_t size)
{
	static int in = -1;

	if (in < 0)
		in = scratch();
	scratch_put(in, data, size);
	(void)read_all(in, EVREAD_NO_MARKS);
	return read_all(in, 0);
}

const struct fuzz_driver fuzz_driver = {
	.take = take,
	.meaning = SLICE_INIT("\0\t\n\\#\303"),
	.meaning_of_4 = 2,
};
