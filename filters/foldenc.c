/* SPDX-License-Identifier: ISC */
/* foldenc.c - writes a stream as folded stacks, which flamegraph.pl reads. */
#include <getopt.h>

#include "lib/cli.h"
#include "src/aggregate/fold.h"

enum { OPT_GONE = FOLD_SETTINGS };

static const struct cli_option options[] = {
	{ "measure", "NAME", "use only this measure (default: self, or the first one)",
	    FOLD_MEASURE, CLI_ONE_OF(1) },
	{ "add-measures", NULL, "add up all measures", FOLD_ADD_ALL, CLI_ONE_OF(1) },
	FOLD_OPTIONS,
	{ "perun", NULL, "perunquery flame", OPT_GONE, CLI_MOVED },
	{ "compat", NULL, "perunquery --compat flame", OPT_GONE, CLI_MOVED },
	{ 0 },
};

static const struct cli_program program = {
	.operands = "[FILE...]",
	.about = "Writes the stacks of a stream in the format of flamegraph.pl: the frames, root\n"
		 "first and separated by ;, then a blank and the weight, which is the sum of the\n"
		 "values.  Of changes from afdiff, it writes two weights: before and after.\n",
	.example = "perfdec perf.data | foldenc >perf.folded",
	.options = options,
	.kind = CLI_READER,
};

struct job {
	struct fold *fold;
	struct out *out;
};

static int
take_line(void *ctx, const struct ev *ev, struct err *e)
{
	struct job *j = ctx;

	return fold_line(j->fold, ev, e);
}

static int
end(void *ctx, bool *more, struct err *e)
{
	struct job *j = ctx;

	(void)more;
	return fold_missing(j->fold, e) != 0 ? e->code : fold_write(j->fold, j->out, e);
}

static bool
note(void *ctx, size_t *at, char *text, size_t size)
{
	const struct job *j = ctx;

	return fold_note(j->fold, at, text, size);
}

static void
told(void *ctx)
{
	struct job *j = ctx;

	fold_told(j->fold);
}

int
main(int argc, char **argv)
{
	struct out o;
	struct job j = { .fold = fold_new(), .out = &o };
	struct cli c;
	struct err e;
	int opt;

	cli_open(&c, argv[0], &program);
	if (j.fold == NULL)
		cli_die_of_memory(&c);
	while ((opt = cli_next_option(&c, argc, argv)) != -1)
		cli_check_setting(&c, c.option->name,
		    fold_set(j.fold, (enum fold_setting)opt, optarg, &e), &e);
	cli_write(&c, &o);
	fold_reads(j.fold, cli_require, &c);
	cli_encode(&c, &o,
	    &(struct cli_encoder){ .ctx = &j,
		.line = take_line,
		.end = end,
		.note = note,
		.told = told,
		.leaves_large = true });
	fold_free(j.fold);
	return cli_finish(&c, &o);
}
