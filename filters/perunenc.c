/* SPDX-License-Identifier: ISC */
/* perunenc.c - the stream to a Perun profile. */
#include <unistd.h>

#include "lib/cli.h"
#include "src/perun/encode.h"

static const char usage[] =
    "usage: perunenc [--pack | --name] [--no-marks] [FILE...]\n"
    "Writes a stream as a Perun profile: that of perundec as the document that it was,\n"
    "any other with a resource for each sample, span and aggregate.\n"
    "\n"
    "  --pack               write the object that Perun's store would keep (zlib)\n"
    "  --name               write that object's name (SHA-1)\n"
    "  --no-marks           take the input as whole, whatever its marks say\n"
    "  --help, --version    say this, say which version this is\n";

enum { OPT_PACK = 1, OPT_NAME, OPT_NO_MARKS };

static const struct option options[] = {
	{ "pack", no_argument, NULL, OPT_PACK },
	{ "name", no_argument, NULL, OPT_NAME },
	{ "no-marks", no_argument, NULL, OPT_NO_MARKS },
	CLI_LONG_OPTIONS,
};

enum came { CAME_NOTHING, CAME_LINES, CAME_TO_NAUGHT };

/* To naught: memory or the temporary file failed. */
static enum came
encode_lines(struct cli *c, struct evread *r, struct perun_encode *x, const struct out *o)
{
	struct ev ev;
	struct err e;
	enum came came = CAME_NOTHING;

	while (o->error == 0 && cli_next(c, r, NULL, &ev)) {
		came = CAME_LINES;
		if (perun_encode_line(x, &ev, &e) == 0)
			continue;
		cli_error(c, evread_name(r), &e);
		if (e.code == ERR_SYS)
			return CAME_TO_NAUGHT;
	}
	return came;
}

static void
say_notes(struct cli *c, const struct perun_encode *x, const struct out *o)
{
	char text[256];
	unsigned at = 0;

	while (o->error == 0 && perun_encode_note(x, &at, text, sizeof text))
		cli_note(c, "%s", text);
}

/* An object whose document is not whole would look whole: it is not written then. */
static bool
may_end(const struct cli *c, enum came came, enum perun_form form)
{
	if (form != PERUN_PLAIN && c->status != CLI_OK)
		return false;
	return came == CAME_LINES || (came == CAME_NOTHING && c->status == CLI_OK);
}

int
main(int argc, char **argv)
{
	struct cli c;
	struct out o;
	struct evread *r;
	struct perun_encode *x;
	struct err e;
	enum perun_form form = PERUN_PLAIN;
	unsigned flags = 0;
	int opt;

	cli_open(&c, argv[0], usage);
	while ((opt = cli_option(&c, argc, argv, ":", options)) != -1) {
		if (opt == OPT_NO_MARKS)
			flags |= EVREAD_NO_MARKS;
		else if (form != PERUN_PLAIN)
			cli_usage(&c, "only one of --pack and --name can be asked for, once");
		else
			form = opt == OPT_PACK ? PERUN_PACK : PERUN_NAME;
	}
	r = evread_open(argv + optind, (size_t)(argc - optind), flags);
	if (r == NULL || !out_open(&o, STDOUT_FILENO)) {
		err_nomem(&e);
		cli_die(&c, &e);
	}
	x = perun_encode_open(&o, form, &e);
	if (x == NULL)
		cli_die(&c, &e);
	evread_set_idle(r, &o);
	if (may_end(&c, encode_lines(&c, r, x, &o), form) && perun_encode_end(x, &e) != 0)
		cli_error(&c, NULL, &e);
	say_notes(&c, x, &o);
	perun_encode_close(x);
	evread_close(r);
	return cli_finish(&c, &o);
}
