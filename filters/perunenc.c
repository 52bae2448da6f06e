/* SPDX-License-Identifier: ISC */
/* perunenc.c - the stream to a Perun profile. */
#include <unistd.h>

#include "lib/cli.h"
#include "src/perun/encode.h"

static const char usage[] =
    "usage: perunenc [--format FORMAT] [--pack | --name] [--compat]\n"
    "                [FILE...]\n"
    "Writes a stream as a Perun profile: that of perundec as the document that it was,\n"
    "any other with a resource for each sample, span and aggregate.\n"
    "\n"
    "  --format FORMAT      snapshots, or resources: the map of newer versions\n"
    "  --pack               write the object that Perun's store would keep (zlib)\n"
    "  --name               write that object's name (SHA-1)\n"
    "  --compat             pack a profile with origin only, as Perun does\n" CLI_READER_HELP;

enum { OPT_FORMAT = 1, OPT_PACK, OPT_NAME, OPT_COMPAT };

static const struct option options[] = {
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "pack", no_argument, NULL, OPT_PACK },
	{ "name", no_argument, NULL, OPT_NAME },
	{ "compat", no_argument, NULL, OPT_COMPAT },
	CLI_READER_OPTIONS,
};

struct asked {
	enum perun_form form;
	enum perun_format format;
	bool compat;
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

/* What waited to be converted.  False where memory or the temporary file failed. */
static bool
encode_rest(struct cli *c, struct evread *r, struct perun_encode *x, const struct out *o)
{
	struct err e;
	bool more;
	int rc;

	do {
		more = perun_encode_rest(x, &rc, &e);
		if (rc != 0)
			cli_error(c, e.place == ERR_LINE ? evread_name(r) : NULL, &e);
	} while (more && o->error == 0);
	return rc != ERR_SYS;
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

static void
parse(struct cli *c, int argc, char **argv, struct asked *a)
{
	int opt;

	while ((opt = cli_option(c, argc, argv, ":", options)) != -1) {
		if (opt == OPT_COMPAT) {
			a->compat = true;
		} else if (opt == OPT_FORMAT) {
			if (a->format != PERUN_AS_IT_IS)
				cli_usage(c, "--format is given twice");
			if (strcmp(optarg, "snapshots") == 0)
				a->format = PERUN_SNAPSHOTS;
			else if (strcmp(optarg, "resources") == 0)
				a->format = PERUN_RESOURCES;
			else
				cli_usage(c, "--format: snapshots or resources, not %s", optarg);
		} else if (a->form != PERUN_PLAIN) {
			cli_usage(c, "only one of --pack and --name can be asked for, once");
		} else {
			a->form = opt == OPT_PACK ? PERUN_PACK : PERUN_NAME;
		}
	}
}

int
main(int argc, char **argv)
{
	struct cli c;
	struct out o;
	struct evread *r;
	struct perun_encode *x;
	struct err e;
	enum came came;
	struct asked a = { .form = PERUN_PLAIN };

	cli_open(&c, argv[0], usage);
	parse(&c, argc, argv, &a);
	r = evread_open(argv + optind, (size_t)(argc - optind), c.read);
	if (r == NULL || !out_open(&o, STDOUT_FILENO)) {
		err_nomem(&e);
		cli_die(&c, &e);
	}
	x = perun_encode_open(&o, a.form, a.format, &e);
	if (x == NULL)
		cli_die(&c, &e);
	if (a.compat)
		perun_encode_want_origin(x);
	evread_set_idle(r, &o);
	came = encode_lines(&c, r, x, &o);
	if (may_end(&c, came, a.form) && !encode_rest(&c, r, x, &o))
		came = CAME_TO_NAUGHT;
	if (may_end(&c, came, a.form) && perun_encode_end(x, &e) != 0)
		cli_error(&c, NULL, &e);
	say_notes(&c, x, &o);
	perun_encode_close(x);
	cli_reader_end(&c, r);
	evread_close(r);
	return cli_finish(&c, &o);
}
