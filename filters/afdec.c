/* SPDX-License-Identifier: ISC */
/* afdec.c - decodes AFPerf to the stream. */
#include <stdio.h>

#include "lib/cli.h"
#include "src/afperf/read/decode.h"

enum { OPT_ALL = 1, OPT_WALL, OPT_LENIENT, OPT_CHECK, OPT_RUN, OPT_WAIT, OPT_MAX_RECORD };

#define NUMBER_MAX (UINT32_MAX / 4)

static const struct cli_option options[] = {
	CLI_TAGS_OPTION,
	CLI_TAG_OPTION,
	{ "all", NULL, "also print comments, and unknown records and fields", OPT_ALL, 0 },
	{ "wall", NULL, "add the time of day (UTC) to each line", OPT_WALL, 0 },
	{ "lenient", NULL, "accept the errors in the examples of the format's page", OPT_LENIENT,
	    0 },
	{ "check", NULL, "print no stream, and report every rule that is broken", OPT_CHECK, 0 },
	{ "run", "ID", "use ID as the run id, of a file with one run", OPT_RUN, 0 },
	{ "wait", "N", "let at most N records wait for definitions (1048576)", OPT_WAIT, 0 },
	{ "max-record", "BYTES", "refuse longer records (16777216)", OPT_MAX_RECORD, 0 },
	CLI_NO_SANDBOX_OPTION,
	{ 0 },
};

static const struct cli_program program = {
	.operands = "[FILE...]",
	.about = "Decodes AFPerf v1 files to a stream.\n",
	.example = "afdec run.afperf | afdur | afagg -b region | aftab",
	.options = options,
	.kind = CLI_DECODER,
	.reads = GUESS_AFPERF,
};

struct job {
	struct cli *cli;
	struct afperf_decode_options opt;
};

/* Reports an error.  Warnings and, with --check, all messages also name the rule. */
static void
report(void *ctx, const struct afperf_report *r)
{
	struct job *j = ctx;
	struct err e = r->e;
	bool error = r->weight == AFPERF_ERROR;

	if (j->opt.check)
		/* messages are the only output, so there is no limit */
		j->cli->said = j->cli->noted = 0;
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

static void
parse(struct cli *c, int argc, char **argv, struct afperf_decode_options *o)
{
	int opt;

	while ((opt = cli_next_option(c, argc, argv)) != -1) {
		switch (opt) {
		case OPT_ALL: o->all = true; break;
		case OPT_WALL: o->wall = true; break;
		case OPT_LENIENT: o->lenient = true; break;
		case OPT_CHECK: o->check = true; break;
		case OPT_RUN: o->run = cli_run_id(c); break;
		case OPT_WAIT: o->wait_max = (size_t)cli_number(c, "wait", 0, NUMBER_MAX); break;
		case OPT_MAX_RECORD:
			o->record_max = (size_t)cli_number(c, "max-record", 0, NUMBER_MAX);
			break;
		}
	}
	if (o->check && o->run != NULL)
		cli_usage(c, "--run cannot be used with --check, which prints no runs");
	if (o->wall)
		cli_writes(c, "wall", "utc");
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

	cli_open(&c, argv[0], &program);
	parse(&c, argc, argv, &j.opt);
	if (j.opt.check)
		cli_check(&c, &w, decode, &j.opt);
	else
		cli_decode(&c, &w, decode, &j.opt);
	return cli_finish(&c, &w.out);
}
