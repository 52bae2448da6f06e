/* SPDX-License-Identifier: ISC */
/* perfdec.c - decodes perf.data to a stream. */
#include <getopt.h>
#include <stdbool.h>

#include "lib/cli.h"
#include "lib/sandbox.h"
#include "src/perfdata/perfdata.h"
#include "src/symbol/lookup.h"

#define MAX_STACK 127 /* as in perf */

enum {
	OPT_NO_SYMBOLS = 1,
	OPT_FRAMES,
	OPT_ALL,
	OPT_HEADER,
	OPT_STATS,
	OPT_RUN,
	OPT_NO_SPOOL,
	OPT_NO_UNWIND,
	OPT_MAX_STACK,
};

#define WHAT CLI_ONE_OF(1)

static const struct cli_option options[] = {
	LOOKUP_OPTIONS("list all objects without symbols"),
	{ "no-symbols", NULL, "do not look up symbols in files; implies --frames", OPT_NO_SYMBOLS,
	    0 },
	{ "frames", NULL, "print the place of each frame, for a later look-up", OPT_FRAMES, 0 },
	{ "no-unwind", NULL, "do not look for callers in copies of stacks", OPT_NO_UNWIND, 0 },
	{ "max-stack", "N", "unwind at most N frames of a stack (default: 127)", OPT_MAX_STACK, 0 },
	CLI_TAGS_OPTION,
	{ "all", NULL, "print every record, not only samples and losses", OPT_ALL, WHAT },
	{ "header", NULL, "print only the contents of the header", OPT_HEADER, WHAT },
	{ "stats", NULL, "print only the number of records of each type", OPT_STATS, WHAT },
	{ "run", "ID", "use ID as the run id", OPT_RUN, 0 },
	{ "no-spool", NULL, "read a file from a pipe in one pass, without the names at its end",
	    OPT_NO_SPOOL, 0 },
	CLI_NO_SANDBOX_OPTION,
	{ 0 },
};

static const struct cli_program program = {
	.operands = "[FILE...]",
	.about = "Decodes perf.data (a file, a directory, or perf's pipe format) to a stream.\n",
	.options = options,
	.kind = CLI_DECODER,
	.reads = GUESS_PERF,
	.needs = SANDBOX_PROCESSES,
};

struct job {
	struct perf_options opt;
	struct lookup lookup;
	bool symbols, unwind;
};

/* What is not written need not be computed. */
static void
heed_tags(struct cli *c, struct perf_options *po)
{
	po->no_tags = c->few && c->tags.keys.count == 0;
	po->no_stacks = !cli_keeps(c, SLICE("stack")) && !cli_keeps(c, SLICE("lines"));
	if (cli_has(c, OPT_FRAMES) && !cli_keeps(c, SLICE("frames")))
		cli_usage(c, "--frames writes the tag 'frames', which --tags leaves out");
	po->frames &= cli_keeps(c, SLICE("frames"));
}

static int
decode(const void *job, const char *name, struct evwrite *w, struct err *e)
{
	const struct job *j = job;
	struct err reported;
	int rc = perf_decode(name, &j->opt, w, &reported);

	(void)e;
	if (rc == 0 && symbol_engine_failed(j->lookup.engine))
		return ERR_SYS;
	return rc == 0 && symbol_engine_damaged(j->lookup.engine) ? ERR_DATA : rc;
}

static void
parse(struct cli *c, int argc, char **argv, struct job *j)
{
	struct perf_options *po = &j->opt;
	int opt;

	while ((opt = cli_next_option(c, argc, argv)) != -1) {
		switch (opt) {
		case OPT_NO_SYMBOLS:
			j->symbols = false;
			po->frames = true;
			break;
		case OPT_FRAMES: po->frames = true; break;
		case OPT_ALL: po->all = true; break;
		case OPT_HEADER: po->header = true; break;
		case OPT_STATS: po->stats = true; break;
		case OPT_RUN:
			if (*optarg == '\0')
				cli_usage(c, "--run needs an id that is not empty");
			po->run = optarg;
			break;
		case OPT_NO_SPOOL: po->no_spool = true; break;
		case OPT_NO_UNWIND: j->unwind = false; break;
		case OPT_MAX_STACK:
			po->max_stack = cli_number(c, "max-stack", 1, PERF_STACK_MAX);
			break;
		default: (void)lookup_option(&j->lookup, opt, optarg);
		}
	}
	if (!j->symbols && j->lookup.missing)
		cli_usage(c, "--missing cannot be used with --no-symbols, which looks for nothing");
	if (!j->symbols && j->lookup.options.wanted != 0)
		cli_usage(c,
		    "--inline and --srcline cannot be used with --no-symbols: "
		    "give them to afsym");
}

int
main(int argc, char **argv)
{
	struct cli c;
	struct job j = { .opt = { .to = cli_reporter(&c), .max_stack = MAX_STACK },
		.symbols = true,
		.unwind = true };
	struct evwrite w;
	struct err e;

	cli_open(&c, argv[0], &program);
	parse(&c, argc, argv, &j);
	heed_tags(&c, &j.opt);
	if (lookup_open(&j.lookup, &e) != 0)
		cli_die(&c, &e);
	j.opt.symbolizer = j.symbols ? &j.lookup.face : NULL;
	j.opt.speller = &j.lookup.face;
	j.opt.unwinder = j.unwind ? &j.lookup.face : NULL;
	cli_decode(&c, &w, decode, &j);
	lookup_report(&j.lookup, &j.opt.to);
	lookup_close(&j.lookup);
	return cli_finish(&c, &w.out);
}
