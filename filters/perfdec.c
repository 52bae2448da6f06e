/* SPDX-License-Identifier: ISC */
/* perfdec.c - decodes perf.data to a stream. */
#include <getopt.h>
#include <stdbool.h>
#include <string.h>

#include "lib/buf.h"
#include "lib/cli.h"
#include "lib/esc.h"
#include "lib/ev.h"
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
	OPT_TAG,
	OPT_WALL,
};

#define WHAT CLI_ONE_OF(1)

static const struct cli_option options[] = {
	LOOKUP_OPTIONS("list all objects without symbols on standard error"),
	{ "no-symbols", NULL, "do not look up symbols in files; implies --frames", OPT_NO_SYMBOLS,
	    0 },
	{ "frames", NULL, "print the place of each frame, for a later look-up", OPT_FRAMES, 0 },
	{ "no-unwind", NULL, "do not look for callers in copies of stacks", OPT_NO_UNWIND,
	    CLI_BRIEF },
	{ "max-stack", "N", "unwind at most N frames of a stack (default: 127)", OPT_MAX_STACK,
	    CLI_BRIEF },
	CLI_TAGS_OPTION,
	{ "tag", "KEY=VALUE", "add this tag to each event; --tag host: its host name", OPT_TAG, 0 },
	{ "wall", NULL, "print times of day, in nanoseconds since 1970", OPT_WALL, CLI_ONCE },
	{ "all", NULL, "print every record, not only samples and losses", OPT_ALL, WHAT },
	{ "header", NULL, "print only the contents of the header", OPT_HEADER, WHAT },
	{ "stats", NULL, "print only the number of records of each type", OPT_STATS, WHAT },
	{ "run", "ID", "use ID as the run id", OPT_RUN, CLI_BRIEF },
	{ "no-spool", NULL, "read a pipe in one pass, without the names at its end", OPT_NO_SPOOL,
	    CLI_BRIEF },
	CLI_NO_SANDBOX_OPTION,
	{ 0 },
};

/* Of --tag, only host can be completed: the keys of the stream are those that it refuses. */
static const char *
word(int id, size_t i)
{
	return id == OPT_TAG && i == 0 ? "host" : NULL;
}

static const struct cli_program program = {
	.operands = "[FILE...]",
	.about = "Decodes perf.data (a file, a directory, or perf's pipe format) to a stream.\n",
	.example = "perfdec perf.data | afagg -b region | aftab",
	.options = options,
	.kind = CLI_DECODER,
	.reads = GUESS_PERF,
	.needs = SANDBOX_PROCESSES,
	.usual = "perf.data", /* as for all commands of perf */
	.word = word,
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
	if (cli_has(c, OPT_FRAMES))
		cli_writes(c, "frames", "frames");
	if (cli_has(c, LOOKUP_SRCLINE) && !cli_keeps(c, SLICE("line")))
		cli_writes(c, "srcline", "lines");
	po->frames &= cli_keeps(c, SLICE("frames"));
}

/* Takes KEY=VALUE, or the word host. */
static void
take_tag(struct cli *c, struct job *j, const char *tag)
{
	bool word = strcmp(tag, "host") == 0;

	if (word ? evw_tags_add(&c->tags, SLICE("host"))
		 : j->opt.tag_host && strncmp(tag, "host=", 5) == 0)
		cli_usage(c, "--tag host is given twice");
	j->opt.tag_host |= word;
	if (!word)
		cli_take_tag(c, tag);
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
		case OPT_RUN: po->run = cli_run_id(c); break;
		case OPT_NO_SPOOL: po->no_spool = true; break;
		case OPT_TAG: take_tag(c, j, optarg); break;
		case OPT_WALL: po->wall = true; break;
		case OPT_NO_UNWIND: j->unwind = false; break;
		case OPT_MAX_STACK:
			po->max_stack = (size_t)cli_number(c, "max-stack", 1, PERF_STACK_MAX);
			break;
		default: lookup_option(&j->lookup, opt, optarg);
		}
	}
	if (po->wall && (po->header || po->stats))
		cli_usage(c, "--wall cannot be used with --header or --stats");
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
	j.opt.tags = c.tags.added;
	c.adds |= j.opt.tag_host;
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
