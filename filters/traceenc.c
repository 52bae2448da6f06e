/* SPDX-License-Identifier: ISC */
/* traceenc.c - writes a stream for programs that show profiles and traces. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "lib/cli.h"
#include "src/aggregate/fold.h"
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
	struct fold *fold; /* for the others: which lines are used */
	struct trace *trace;
	struct out *out;
	uint64_t large; /* number of resources left out */
	bool told; /* about late samples */
	bool cut; /* the output is not complete */
};

static void
set_target(const struct cli *c, struct job *j)
{
	static const char *const names[] = { [FOR_PERFETTO] = "perfetto",
		[FOR_SPEEDSCOPE] = "speedscope",
		[FOR_FIREFOX] = "firefox" };
	int i;

	for (i = FOR_PERFETTO; i <= FOR_FIREFOX; i++) {
		if (strcmp(optarg, names[i]) != 0)
			continue;
		j->target = (enum target)i;
		return;
	}
	cli_usage(c, "--for: expected perfetto, speedscope or firefox, not \"%s\"", optarg);
}

static void
set(const struct cli *c, struct job *j, int opt)
{
	switch (opt) {
	case OPT_FOR: set_target(c, j); break;
	case OPT_MEASURE: j->measure = optarg; break;
	case OPT_KIND: j->kind = optarg; break;
	case OPT_GAP: j->gap = cli_duration(c, "gap", 0); break;
	}
}

static void
open_timeline(struct cli *c, struct job *j)
{
	struct err e;

	if (j->kind != NULL)
		cli_usage(c, "--kind needs --for speedscope or firefox");
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

	if (j->gap != 0)
		cli_usage(c, "--gap needs --for perfetto");
	j->fold = fold_new();
	j->trace = trace_new(j->target == FOR_FIREFOX ? TRACE_FIREFOX : TRACE_SPEEDSCOPE);
	if (j->fold == NULL || j->trace == NULL)
		cli_die_of_memory(c);
	fold_set_measures(j->fold, FOLD_EACH);
	if (j->kind != NULL)
		cli_check_setting(c, "kind", fold_set(j->fold, FOLD_KIND, j->kind, &e), &e);
	if (j->measure != NULL && fold_set(j->fold, FOLD_MEASURE, j->measure, &e) != 0)
		cli_die(c, &e);
}

static int
take_event(struct job *j, const struct ev *ev, struct err *e)
{
	struct trace_measure m;
	int rc;

	if (slice_eq(ev->col[EV_KIND], SLICE("run")) && trace_run(j->trace, ev, e) != 0)
		return e->code;
	rc = fold_choose(j->fold, ev, &m.number, e);
	if (rc != 0 || m.number == FOLD_PARTS_MAX ||
	    !fold_part(j->fold, m.number, &m.name, &m.unit))
		return rc;
	return trace_add(j->trace, &m, ev, fold_stack(j->fold, ev), e);
}

static int
take_line(void *ctx, const struct ev *ev, struct err *e)
{
	struct job *j = ctx;
	int rc;

	if (ev_is_large_resource(ev)) {
		j->large++;
		return 0;
	}
	rc = j->timeline != NULL ? timeline_line(j->timeline, ev, e) : take_event(j, ev, e);
	j->cut = rc == ERR_SYS;
	return rc;
}

/* Stores the next note in text.  *at is a place among the notes of the parts of a job. */
static bool
next_note(const struct job *j, size_t *at, char *text, size_t size)
{
	const size_t fold = 100, large = 1000;
	size_t i = *at - fold;
	bool found;

	if (*at == 0 && j->large != 0) {
		snprintf(text, size, EV_LARGE_LEFT_OUT, j->large);
		*at = large;
		return true;
	}
	if (*at == large)
		*at = 0;
	if (j->timeline != NULL)
		return timeline_note(j->timeline, at, text, size);
	if (*at < fold) {
		if (trace_note(j->trace, at, text, size))
			return true;
		i = 0;
	}
	found = fold_note(j->fold, &i, text, size);
	*at = fold + i;
	return found;
}

static bool
note(void *ctx, size_t *at, char *text, size_t size)
{
	return next_note(ctx, at, text, size);
}

static int
remark(struct job *j, const char *text, struct err *e)
{
	if (j->trace != NULL)
		return trace_remark(j->trace, text, e);
	timeline_remark(j->timeline, text);
	return 0;
}

/* The output itself says what is missing from it. */
static int
remark_all(struct job *j, struct err *e)
{
	char text[512];
	size_t at = 0, count = 0;
	int rc = 0;

	if (cli_is_damaged(j->cli, text, sizeof text))
		rc = remark(j, text, e);
	while (rc == 0 && next_note(j, &at, text, sizeof text))
		rc = remark(j, text, e);
	while (rc == 0 && cli_next_count(j->cli->reader, &count, text, sizeof text))
		rc = remark(j, text, e);
	return rc;
}

static int
write_timeline(struct job *j, struct err *e)
{
	int rc = timeline_settle(j->timeline, e);

	if (rc == 0)
		rc = timeline_names(j->timeline, e);
	if (rc == 0)
		rc = remark_all(j, e);
	if (rc == 0)
		timeline_end(j->timeline);
	return rc;
}

static int
end(void *ctx, bool *more, struct err *e)
{
	struct job *j = ctx;
	int rc;

	if (j->fold != NULL && fold_missing(j->fold, e) != 0)
		return e->code;
	if (j->timeline != NULL && timeline_missing(j->timeline, e) != 0)
		return e->code;
	if (j->timeline == NULL) {
		rc = remark_all(j, e);
		if (rc == 0)
			rc = trace_write(j->trace, j->out, e);
	} else {
		rc = timeline_late(j->timeline, &j->told, e);
		*more = rc != 0;
		if (rc == 0)
			rc = write_timeline(j, e);
	}
	j->cut = rc == ERR_SYS || rc == ERR_STOP;
	return rc;
}

static void
told(void *ctx)
{
	struct job *j = ctx;

	if (j->timeline != NULL)
		timeline_told(j->timeline);
	if (j->fold != NULL)
		fold_told(j->fold);
}

int
main(int argc, char **argv)
{
	struct out o;
	struct job j = { .target = FOR_PERFETTO, .out = &o };
	struct cli c;
	int opt;

	cli_open(&c, argv[0], &program);
	j.cli = &c;
	while ((opt = cli_next_option(&c, argc, argv)) != -1)
		set(&c, &j, opt);
	if (j.target == FOR_PERFETTO)
		open_timeline(&c, &j);
	else
		open_trace(&c, &j);
	cli_require(&c, SLICE("stack"));
	cli_require(&c, SLICE("pid"));
	cli_require(&c, SLICE("tid"));
	cli_write(&c, &o);
	cli_encode(&c, &o,
	    &(struct cli_encoder){ .ctx = &j,
		.line = take_line,
		.end = end,
		.note = note,
		.told = told });
	/* JSON without its end is of no use, and is not mistaken for a whole trace */
	if (j.cut || o.error == ENOMEM)
		cli_note(&c, "the output is not complete, so no program can read it");
	timeline_free(j.timeline);
	trace_free(j.trace);
	fold_free(j.fold);
	return cli_finish(&c, &o);
}
