/* SPDX-License-Identifier: ISC */
/*
 * evread.c - a fuzz driver for the reader of the stream.
 *
 * Whatever the bytes, reading ends, and each line that is handed out is taken again when it is
 * read alone.  With libFuzzer: make fuzz.  With FUZZ_MAIN it has a main that replays the files
 * that are named.
 */
#include "lib/evread.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/esc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What readers believe of a line that was handed out. */
static void
check(const struct ev *ev)
{
	struct slice rest = ev->tags;
	struct ev_tag tag;
	size_t at;
	int i;

	for (i = 0; i < EV_COLUMNS; i++)
		if (ev->col[i].len == 0 || !esc_is_canonical(ev->col[i].p, ev->col[i].len, &at))
			abort();
	if (memchr(ev->text.p, '\n', ev->text.len) != NULL || ev->text.len > EV_LINE_MAX)
		abort();
	while (ev_next_tag(&rest, &tag))
		if (memchr(tag.key.p, '\t', tag.key.len + 1 + tag.value.len) != NULL &&
		    tag.key.len != 0)
			abort();
}

static void
read_all(char *name, unsigned flags)
{
	struct evread *r = evread_open(&name, 1, flags);
	struct ev ev;
	struct err e;
	int rc;

	if (r == NULL)
		return;
	while ((rc = evread_next(r, &ev, &e)) != 0)
		if (rc > 0)
			check(&ev);
		else if (e.code == ERR_NONE || e.msg[0] == '\0')
			abort();
	evread_close(r);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char name[] = "/tmp/evread.XXXXXX";
	int fd = mkstemp(name);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	close(fd);
	read_all(name, 0);
	read_all(name, EVREAD_NO_MARKS);
	unlink(name);
	return 0;
}

#ifdef FUZZ_MAIN
int
main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++) {
		read_all(argv[i], 0);
		read_all(argv[i], EVREAD_NO_MARKS);
	}
	return 0;
}
#endif
