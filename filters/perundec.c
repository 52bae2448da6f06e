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

static int
decode(const void *opt, const char *name, struct evwrite *w, struct err *e)
{
	return perun_decode(name, opt, w, e);
}

int
main(int argc, char **argv)
{
	struct cli c;
	struct perun_options opt = { .to = cli_reporter(&c) };
	struct evwrite w;

	cli_open(&c, argv[0], usage);
	while (cli_option(&c, argc, argv, ":", options) == OPT_RUN) {
		if (*optarg == '\0')
			cli_usage(&c, "--run needs an id that is not empty");
		opt.run = optarg;
	}
	cli_decode(&c, &w, argv + optind, (size_t)(argc - optind), decode, &opt);
	return cli_finish(&c, &w.out);
}
