/* SPDX-License-Identifier: ISC */
/* perundec.c - decodes Perun profiles to the stream. */
#include "lib/cli.h"
#include "src/perun/read/decode.h"

enum { OPT_RUN = 1 };

static const struct cli_option options[] = {
	CLI_TAGS_OPTION,
	CLI_TAG_OPTION,
	{ "run", "ID", "use ID as the run id", OPT_RUN, 0 },
	CLI_NO_SANDBOX_OPTION,
	{ 0 },
};

static const struct cli_program program = {
	.operands = "[FILE...]",
	.about =
	    "Decodes Perun's profiles (JSON, or the packed objects of its store) to a stream.\n",
	.example = "perundec run.perf | csvenc >run.csv",
	.options = options,
	.kind = CLI_DECODER,
	.reads = GUESS_PERUN,
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

	cli_open(&c, argv[0], &program);
	while (cli_next_option(&c, argc, argv) == OPT_RUN)
		opt.run = cli_run_id(&c);
	cli_decode(&c, &w, decode, &opt);
	return cli_finish(&c, &w.out);
}
