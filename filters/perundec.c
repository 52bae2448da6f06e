/* SPDX-License-Identifier: ISC */
/* perundec.c - Perun profiles in, the stream out. */
#include "lib/cli.h"
#include "src/perun/decode.h"

static const char usage[] =
    "usage: perundec [--run ID] [FILE...]\n"
    "Decodes Perun's profiles (JSON, or the packed objects of its store) to a stream.\n"
    "\n"
    "  --run ID             use ID as the run id\n" CLI_DECODER_HELP;

enum { OPT_RUN = 1 };

static const struct option options[] = {
	{ "run", required_argument, NULL, OPT_RUN },
	CLI_DECODER_OPTIONS,
};

struct job {
	struct cli *cli;
	struct perun_options opt;
	const char *name; /* of the input that messages are about */
};

static void
note(void *ctx, const char *text)
{
	const struct job *j = ctx;

	cli_doubt(j->cli, "%s: %s", j->name, text);
}

static int
decode(void *ctx, const char *name, struct evwrite *w)
{
	struct job *j = ctx;
	struct err e;
	int rc;

	j->name = name;
	rc = perun_decode(name, &j->opt, w, &e);
	if (rc != 0 && rc != ERR_STOP)
		cli_error(j->cli, name, &e);
	return rc;
}

int
main(int argc, char **argv)
{
	struct cli c;
	struct job j = { .cli = &c };
	struct evwrite w;

	cli_open(&c, argv[0], usage);
	while (cli_option(&c, argc, argv, ":", options) == OPT_RUN) {
		if (*optarg == '\0')
			cli_usage(&c, "--run needs an id that is not empty");
		j.opt.run = optarg;
	}
	j.opt.note = note;
	j.opt.ctx = &j;
	cli_decode(&c, &w, argv + optind, (size_t)(argc - optind), decode, &j);
	return cli_finish(&c, &w.out);
}
