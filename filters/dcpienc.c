/* SPDX-License-Identifier: ISC */
/* dcpienc.c - the stream to a DCPI profile. */
#include <unistd.h>

#include "lib/cli.h"
#include "src/dcpi/encode.h"

static const char usage[] =
    "usage: dcpienc [FILE...]\n"
    "\n"
    "Writes the counts of a stream that dcpidec, or afagg after it, has made as one\n"
    "DCPI profile, version 0.07.\n"
    "\n" CLI_READER_HELP;

enum came { CAME_NOTHING, CAME_LINES, CAME_TO_NAUGHT };

/* To naught: the profile is refused as a whole, or memory ran out. */
static enum came
encode_lines(struct cli *c, struct evread *r, struct dcpi_encode *x, const struct out *o)
{
	struct ev ev;
	struct err e;
	enum came came = CAME_NOTHING;

	while (o->error == 0 && cli_next(c, r, NULL, &ev)) {
		came = CAME_LINES;
		if (dcpi_encode_line(x, &ev, &e) == 0)
			continue;
		cli_error(c, evread_name(r), &e);
		if (e.code == ERR_SYS || dcpi_encode_refused(x))
			return CAME_TO_NAUGHT;
	}
	return came;
}

static void
say_notes(struct cli *c, const struct dcpi_encode *x, const struct out *o)
{
	char text[512];
	size_t at = 0;

	while (o->error == 0 && dcpi_encode_note(x, &at, text, sizeof text))
		cli_note(c, "%s", text);
}

int
main(int argc, char **argv)
{
	static const struct option longs[] = { CLI_READER_OPTIONS };
	struct cli c;
	struct out o;
	struct evread *r;
	struct dcpi_encode *x = NULL;
	struct err e;

	cli_open(&c, argv[0], usage);
	(void)cli_option(&c, argc, argv, ":", longs);
	r = evread_open(argv + optind, (size_t)(argc - optind), c.read);
	if (r != NULL && out_open(&o, STDOUT_FILENO))
		x = dcpi_encode_open(&o);
	if (x == NULL) {
		err_nomem(&e);
		cli_die(&c, &e);
	}
	evread_set_idle(r, &o);
	switch (encode_lines(&c, r, x, &o)) {
	case CAME_NOTHING:
		if (c.status != CLI_OK)
			break;
		/* fall through */
	case CAME_LINES:
		if (dcpi_encode_end(x, &e) != 0)
			cli_error(&c, NULL, &e);
		say_notes(&c, x, &o);
		break;
	case CAME_TO_NAUGHT: break;
	}
	dcpi_encode_close(x);
	cli_reader_end(&c, r);
	evread_close(r);
	return cli_finish(&c, &o);
}
