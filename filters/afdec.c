/* SPDX-License-Identifier: ISC */
/* afdec.c - AFPerf in, the stream out. */
#include <stdio.h>

#include "lib/cli.h"
#include "lib/num.h"
#include "src/afperf/decode.h"

static const char usage[] =
    "usage: afdec [--all] [--wall] [--lenient] [--check] [--wait N] "
    "[--max-record BYTES] [FILE...]\n"
    "Decodes AFPerf v1 files to a stream.\n"
    "\n"
    "  --all               also print comments, and of later format versions the\n"
    "                      records and fields that are not known\n"
    "  --wall              put the time of day (UTC) on each line\n"
    "  --lenient           read what the examples of the format's page break\n"
    "  --check             print no stream, and report every rule that is broken\n"
    "  --wait N            at most N records wait for what they refer to (1048576)\n"
    "  --max-record BYTES  refuse longer records (16777216)\n" CLI_DECODER_HELP;

enum { OPT_ALL = 256, OPT_WALL, OPT_LENIENT, OPT_CHECK, OPT_WAIT, OPT_MAX_RECORD };

static const struct option options[] = {
	{ "all", no_argument, NULL, OPT_ALL },
	{ "wall", no_argument, NULL, OPT_WALL },
	{ "lenient", no_argument, NULL, OPT_LENIENT },
	{ "check", no_argument, NULL, OPT_CHECK },
	{ "wait", required_argument, NULL, OPT_WAIT },
	{ "max-record", required_argument, NULL, OPT_MAX_RECORD },
	CLI_DECODER_OPTIONS,
};

struct job {
	struct cli *cli;
	struct afperf_decode_options opt;
};

/* Errors by their words; warnings, and all of --check, with the name of the rule. */
static void
report(void *ctx, const struct afperf_report *r)
{
	struct job *j = ctx;
	struct err e = r->e;
	bool error = r->weight == AFPERF_ERROR;

	if (j->opt.check)
		j->cli->said = j->cli->noted = 0; /* there is nothing else that it is for */
	if (!error || j->opt.check)
		snprintf(e.msg, sizeof e.msg, "%s%.*s [%s]",
		    error ? "" : "warning: ", (int)(sizeof e.msg - 48), r->e.msg,
		    afperf_rule_name(r->rule));
	if (!error && !j->opt.check)
		e.code = ERR_DOUBT;
	cli_error(j->cli, j->cli->operand, &e);
}

static void
note(void *ctx, const char *text)
{
	const struct job *j = ctx;

	if (j->opt.check)
		j->cli->noted = 0;
	cli_note(j->cli, "%s: %s", j->cli->operand, text);
}

static int
decode(const void *opt, const char *name, struct evwrite *w, struct err *e)
{
	return afperf_decode(name, opt, w, e);
}

static size_t
number(const struct cli *c, const char *option)
{
	uint64_t v;

	if (!num_get_u64(slice_of(optarg), &v) || v > UINT32_MAX / 4)
		cli_usage(c, "%s: not a number up to %lu: %s", option,
		    (unsigned long)(UINT32_MAX / 4), optarg);
	return (size_t)v;
}

static void
parse(struct cli *c, int argc, char **argv, struct afperf_decode_options *o)
{
	int opt;

	while ((opt = cli_option(c, argc, argv, ":", options)) != -1) {
		switch (opt) {
		case OPT_ALL: o->all = true; break;
		case OPT_WALL: o->wall = true; break;
		case OPT_LENIENT: o->lenient = true; break;
		case OPT_CHECK: o->check = true; break;
		case OPT_WAIT: o->wait_max = number(c, "--wait"); break;
		case OPT_MAX_RECORD: o->record_max = number(c, "--max-record"); break;
		}
	}
}

int
main(int argc, char **argv)
{
	struct cli c;
	struct job j = { .cli = &c,
		.opt = { .record_max = AFPERF_RECORD_MAX,
		    .wait_max = AFPERF_WAIT_MAX,
		    .report = report,
		    .note = note,
		    .ctx = &j } };
	struct evwrite w;

	cli_open(&c, argv[0], usage);
	parse(&c, argc, argv, &j.opt);
	if (j.opt.check)
		cli_check(&c, &w, argv + optind, (size_t)(argc - optind), decode, &j.opt);
	else
		cli_decode(&c, &w, argv + optind, (size_t)(argc - optind), decode, &j.opt);
	return cli_finish(&c, &w.out);
}
