/* SPDX-License-Identifier: ISC */
/* pprofenc.c - writes the stacks of a stream as a profile for pprof. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>

#include "lib/cli.h"
#include "src/aggregate/fold.h"
#include "src/pprof/pprof.h"

enum { OPT_LABEL = FOLD_SETTINGS };

static const struct cli_option options[] = {
	{ "measure", "NAME", "use only this measure (default: all)", FOLD_MEASURE, CLI_ONCE },
	{ "kind", "KIND", "use lines of this kind (default: sample and span, or agg)", FOLD_KIND,
	    CLI_ONCE },
	{ "label", "KEY,...",
	    "label samples with these keys (default: pcomm,comm,pid,tid,cpu; . for none)",
	    OPT_LABEL, CLI_ONCE },
	{ 0 },
};

static const struct cli_program program = {
	.operands = "[FILE...]",
	.about =
	    "Writes the stacks of a stream as a profile for pprof (a gzipped profile.proto).\n",
	.example = "perfdec perf.data | pprofenc >perf.pb.gz",
	.options = options,
	.kind = CLI_READER,
};

struct job {
	struct cli *cli;
	struct fold *fold;
	struct pprof *pprof;
	struct out *out;
	size_t missing; /* for pprof_missing */
	bool lacking; /* a label is missing, so nothing is written */
};

static void
set(struct cli *c, struct job *j, int opt)
{
	struct err e;
	int rc;

	if (opt != OPT_LABEL)
		rc = fold_set(j->fold, (enum fold_setting)opt, optarg, &e);
	else if ((rc = pprof_set_labels(j->pprof, optarg, &e)) == 0)
		fold_told_apart(j->fold, optarg);
	cli_check_setting(c, c->option->name, rc, &e);
}

static int
take_line(void *ctx, const struct ev *ev, struct err *e)
{
	struct job *j = ctx;
	size_t number;
	int rc;

	if (slice_eq(ev->col[EV_KIND], SLICE("run")) && pprof_run(j->pprof, ev, e) != 0)
		return e->code;
	rc = fold_choose(j->fold, ev, &number, e);
	if (rc != 0 || number == FOLD_PARTS_MAX)
		return rc;
	return pprof_add(j->pprof, number, ev, fold_stack(j->fold, ev), e);
}

static bool
note(void *ctx, size_t *at, char *text, size_t size)
{
	enum { UNPLACED, ROUNDED, FRACTIONS, FOLD };
	static const char *const words[FOLD] = {
		"stacks used without addresses or lines, since these do not match the frames: "
		"%" PRIu64,
		"values with more than 15 digits, rounded to 15: %" PRIu64,
		"measures with decimals, written in a fraction of their unit (pprof shows 1.5 J as "
		"15x1e-1 J): %" PRIu64,
	};
	const struct job *j = ctx;
	uint64_t n[FOLD] = { pprof_unplaced(j->pprof), pprof_rounded(j->pprof),
		pprof_fractions(j->pprof) };
	size_t i, fold;

	for (i = *at; i < FOLD; i++) {
		if (n[i] == 0)
			continue;
		snprintf(text, size, words[i], n[i]);
		*at = i + 1;
		return true;
	}
	fold = i - FOLD;
	if (!fold_note(j->fold, &fold, text, size))
		return false;
	*at = fold + FOLD;
	return true;
}

static int
comment(void *ctx, const char *text, struct err *e)
{
	struct job *j = ctx;

	return pprof_comment(j->pprof, text, e);
}

/* The names are known only now: one may depend on another measure that comes later. */
static int
name_measures(struct job *j, struct err *e)
{
	struct pprof_measure m;
	int rc = 0;

	for (m.number = 0; rc == 0 && fold_part(j->fold, m.number, &m.name, &m.unit); m.number++)
		rc = pprof_name(j->pprof, &m, e);
	return rc;
}

/* Reports labels that no line has, or else writes the profile, which contains the notes. */
static int
end(void *ctx, bool *more, struct err *e)
{
	struct job *j = ctx;
	int rc = pprof_missing(j->pprof, &j->missing, e);

	*more = rc != 0;
	j->lacking |= rc != 0;
	if (j->lacking)
		return rc;
	if (fold_missing(j->fold, e) != 0)
		return e->code;
	rc = cli_remark(j->cli, comment, e);
	if (rc == 0)
		rc = name_measures(j, e);
	pprof_show_first(j->pprof, fold_foremost(j->fold));
	return rc != 0 ? rc : pprof_write(j->pprof, j->out, e);
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
	struct job j = { .fold = fold_new(), .pprof = pprof_new(), .out = &o };
	struct cli c;
	int opt;

	cli_open(&c, argv[0], &program);
	j.cli = &c;
	if (j.fold == NULL || j.pprof == NULL)
		cli_die_of_memory(&c);
	fold_set_measures(j.fold, FOLD_EACH);
	fold_with_counts(j.fold);
	while ((opt = cli_next_option(&c, argc, argv)) != -1)
		set(&c, &j, opt);
	cli_write_binary(&c, &o);
	cli_require(&c, SLICE("stack"));
	pprof_reads(j.pprof, cli_require, &c);
	cli_encode(&c, &o,
	    &(struct cli_encoder){ .ctx = &j,
		.line = take_line,
		.end = end,
		.note = note,
		.told = told,
		.leaves_large = true });
	fold_free(j.fold);
	pprof_free(j.pprof);
	return cli_finish(&c, &o);
}
