/* SPDX-License-Identifier: ISC */
/* traceenc.c - writes a stream for programs that show profiles and traces. */
#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "lib/cli.h"
#include "src/trace/timeline.h"
#include "src/trace/trace.h"

enum { OPT_FOR = 1, OPT_MEASURE, OPT_KIND, OPT_GAP };

static const struct cli_option options[] = {
	{ "for", "perfetto|speedscope|firefox", "the program that reads it (default: perfetto)",
	    OPT_FOR, CLI_ONCE },
	{ "measure", "NAME", "use only this measure (default: all)", OPT_MEASURE, CLI_ONCE },
	{ "kind", "KIND",
	    "speedscope, firefox: use lines of this kind (default: sample and span, or agg)",
	    OPT_KIND, CLI_ONCE },
	{ "gap", "DURATION",
	    "perfetto: show a gap between samples that are further apart, such as 10ms (default: "
	    "twice the usual distance)",
	    OPT_GAP, CLI_ONCE },
	{ 0 },
};

static const struct cli_program program = {
	.operands = "[FILE...]",
	.about =
	    "Writes a stream as JSON for Perfetto and chrome://tracing, for speedscope or for\n"
	    "the Firefox Profiler.\n",
	.example = "perfdec perf.data | traceenc >trace.json",
	.options = options,
	.kind = CLI_READER,
};

enum target { FOR_PERFETTO, FOR_SPEEDSCOPE, FOR_FIREFOX };

struct job {
	struct cli *cli;
	enum target target;
	const char *measure, *kind;
	uint64_t gap;
	struct timeline *timeline; /* for perfetto */
	struct trace *trace; /* for the others */
	struct out *out;
	bool told; /* about late samples */
	bool cut; /* the output is not complete */
};

static void
set_target(const struct cli *c, struct job *j)
{
	static const char *const names[] = { [FOR_PERFETTO] = "perfetto",
		[FOR_SPEEDSCOPE] = "speedscope",
		[FOR_FIREFOX] = "firefox" };
	int i = FOR_PERFETTO;

	while (i <= FOR_FIREFOX && strcmp(optarg, names[i]) != 0)
		i++;
	if (i > FOR_FIREFOX)
		cli_usage(c, "--for: expected perfetto, speedscope or firefox, not \"%s\"", optarg);
	j->target = (enum target)i;
}

static void
parse(struct cli *c, int argc, char **argv, struct job *j)
{
	int opt;

	while ((opt = cli_next_option(c, argc, argv)) != -1)
		switch (opt) {
		case OPT_FOR: set_target(c, j); break;
		case OPT_MEASURE: j->measure = optarg; break;
		case OPT_KIND: j->kind = optarg; break;
		case OPT_GAP: j->gap = cli_duration(c, "gap", 0); break;
		}
	if (j->kind != NULL && j->target == FOR_PERFETTO)
		cli_usage(c, "--kind needs --for speedscope or firefox");
	if (j->gap != 0 && j->target != FOR_PERFETTO)
		cli_usage(c, "--gap needs --for perfetto");
}

static void
open_timeline(struct cli *c, struct job *j)
{
	struct err e;

	j->timeline = timeline_new(j->out);
	if (j->timeline == NULL)
		cli_die_of_memory(c);
	timeline_set_gap(j->timeline, j->gap);
	if (j->measure != NULL)
		cli_check_setting(c, "measure", timeline_set_measure(j->timeline, j->measure, &e),
		    &e);
}

static void
open_trace(struct cli *c, struct job *j)
{
	struct err e;

	j->trace = trace_new(j->target == FOR_FIREFOX ? TRACE_FIREFOX : TRACE_SPEEDSCOPE);
	if (j->trace == NULL)
		cli_die_of_memory(c);
	if (j->kind != NULL)
		cli_check_setting(c, "kind", trace_set(j->trace, FOLD_KIND, j->kind, &e), &e);
	if (j->measure != NULL)
		cli_check_setting(c, "measure", trace_set(j->trace, FOLD_MEASURE, j->measure, &e),
		    &e);
	cli_require(c, SLICE("stack"));
	cli_require(c, SLICE("pid"));
	cli_require(c, SLICE("tid"));
}

static int
take_line(void *ctx, const struct ev *ev, struct err *e)
{
	struct job *j = ctx;
	int rc =
	    j->timeline != NULL ? timeline_line(j->timeline, ev, e) : trace_line(j->trace, ev, e);

	j->cut = rc == ERR_SYS;
	return rc;
}

static bool
note(void *ctx, size_t *at, char *text, size_t size)
{
	const struct job *j = ctx;

	return j->timeline != NULL ? timeline_note(j->timeline, at, text, size)
				   : trace_note(j->trace, at, text, size);
}

/* The output itself says what is missing from it. */
static int
remark(void *ctx, const char *text, struct err *e)
{
	struct job *j = ctx;

	if (j->trace != NULL)
		return trace_remark(j->trace, text, e);
	timeline_remark(j->timeline, text);
	return 0;
}

static int
write_timeline(struct job *j, bool *more, struct err *e)
{
	int rc = timeline_missing(j->timeline, e);

	if (rc != 0)
		return rc;
	rc = timeline_late(j->timeline, &j->told, e);
	*more = rc != 0;
	if (rc == 0)
		rc = timeline_settle(j->timeline, e);
	if (rc == 0)
		rc = timeline_names(j->timeline, e);
	if (rc == 0)
		rc = cli_remark(j->cli, remark, e);
	if (rc == 0)
		timeline_end(j->timeline);
	return rc;
}

static int
write_trace(struct job *j, struct err *e)
{
	int rc = trace_missing(j->trace, e);

	if (rc == 0)
		rc = cli_remark(j->cli, remark, e);
	return rc != 0 ? rc : trace_write(j->trace, j->out, e);
}

static int
end(void *ctx, bool *more, struct err *e)
{
	struct job *j = ctx;
	int rc = j->timeline != NULL ? write_timeline(j, more, e) : write_trace(j, e);

	j->cut = rc == ERR_SYS || rc == ERR_STOP;
	return rc;
}

static void
told(void *ctx)
{
	struct job *j = ctx;

	if (j->timeline != NULL)
		timeline_told(j->timeline);
	else
		trace_told(j->trace);
}

int
main(int argc, char **argv)
{
	struct out o;
	struct job j = { .target = FOR_PERFETTO, .out = &o };
	struct cli c;

	cli_open(&c, argv[0], &program);
	j.cli = &c;
	parse(&c, argc, argv, &j);
	if (j.target == FOR_PERFETTO)
		open_timeline(&c, &j);
	else
		open_trace(&c, &j);
	cli_write(&c, &o);
	cli_encode(&c, &o,
	    &(struct cli_encoder){ .ctx = &j,
		.line = take_line,
		.end = end,
		.note = note,
		.told = told,
		.leaves_large = true });
	/* JSON without its end is of no use, and is not mistaken for a whole trace */
	if (j.cut || o.error == ENOMEM)
		cli_note(&c, "the output is not complete, so no program can read it");
	timeline_free(j.timeline);
	trace_free(j.trace);
	return cli_finish(&c, &o);
}
