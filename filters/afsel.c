/* SPDX-License-Identifier: ISC */
/* afsel.c - keeps the lines of a stream that match, and the lines that describe them. */
#include <getopt.h>

#include "lib/cli.h"
#include "lib/sig.h"
#include "src/select/select.h"

enum { OPT_KIND = 1, OPT_TIME, OPT_WHERE, OPT_AND, OPT_OR, OPT_KEEP_FRAMES, OPT_DROP_FRAMES };

static const struct cli_option options[] = {
	{ "kind", "KIND,...", "test lines of these kinds, and leave out other events", OPT_KIND,
	    CLI_ONCE },
	{ "time", "FROM,TO",
	    "keep events from FROM up to but not at TO: 5s or 5000000 (nanoseconds), +1.5s (after "
	    "the first event), 10% (of the run), 2026-11-22T10:00:00, or nothing",
	    OPT_TIME, CLI_ONCE },
	{ "where", "EXPR",
	    "keep events for which EXPR holds: KEY=VALUE, also with != ~ !~ < <= > >=, joined by "
	    "&& || ! ( ); KEY is a column (kind time run region measure value) or a tag (cpu, "
	    "comm, tag.x ...), with ? if it may be missing",
	    OPT_WHERE, 0 },
	{ "and", "EXPR", "and for which this holds", OPT_AND, 0 },
	{ "or", "EXPR", "or for which this holds", OPT_OR, 0 },
	{ "keep-frames", "REGEX",
	    "write stacks with only the frames that match; the last one is the region",
	    OPT_KEEP_FRAMES, CLI_ONE_OF(1) },
	{ "drop-frames", "REGEX", "write stacks without the frames that match", OPT_DROP_FRAMES,
	    CLI_ONE_OF(1) },
	{ 0 },
};

static const struct cli_program program = {
	.operands = "[FILE...]",
	.about = "Keeps the events of a stream that match, with the runs, measures, losses and\n"
		 "marks, so that other programs can check whether the stream is complete.\n",
	.example = "perfdec perf.data | afsel -w 'comm!=swapper' | afagg -b comm | aftab",
	.options = options,
	.kind = CLI_READER,
};

/* Applies an option.  A wrong argument ends the program. */
static void
set(struct cli *c, struct select *s, bool *where, int opt)
{
	struct err e;
	int rc;

	if (opt == OPT_WHERE && *where)
		cli_usage(c, "--where is given twice; join conditions with && or ||");
	*where |= opt == OPT_WHERE;

	if ((opt == OPT_AND || opt == OPT_OR) && !cli_has(c, OPT_WHERE))
		cli_usage(c, "--%s comes after --where", options[opt - 1].name);
	switch (opt) {
	case OPT_KIND: rc = select_kinds(s, optarg, &e); break;
	case OPT_TIME: rc = select_time(s, optarg, &e); break;
	case OPT_KEEP_FRAMES: rc = select_frames(s, FRAMES_MATCHING, optarg, &e); break;
	case OPT_DROP_FRAMES: rc = select_frames(s, FRAMES_OTHERS, optarg, &e); break;
	default: rc = select_where(s, opt == OPT_OR ? EXPR_OR : EXPR_AND, optarg, &e);
	}
	cli_check_setting(c, options[opt - 1].name, rc, &e);
}

struct job {
	struct select *s;
	struct evwrite *w;
};

static int
foresee(void *ctx, const struct ev *ev, struct err *e)
{
	const struct job *j = ctx;

	return select_foresee(j->s, ev, e);
}

static int
take_line(void *ctx, const char *file, const struct ev *ev, struct err *e)
{
	const struct job *j = ctx;
	bool keep;
	int rc = select_line(j->s, ev, &keep, e);

	(void)file;
	if (rc != ERR_SYS && keep)
		evw_line(j->w, ev->text);
	return rc;
}

/* Does the same for lines that lose frames. */
static int
take_frames(void *ctx, const char *file, const struct ev *ev, struct err *e)
{
	const struct job *j = ctx;
	bool keep;
	int rc = select_line(j->s, ev, &keep, e);

	(void)file;
	return rc == 0 && keep ? select_write(j->s, ev, j->w, e) : rc;
}

static void
report_rest(struct cli *c, const struct select *s)
{
	struct err e;
	size_t at = 0;

	while (!sig_stop() && select_rest(s, &at, &e))
		cli_say(c, &e);
}

/* Takes the losses of runs that were left out from those that the end mark will have. */
static void
uncount(struct evwrite *w, const struct select *s, const struct evread *r)
{
	enum mark_count i;

	for (i = 0; i < MARK_COUNTS; i++) {
		uint64_t n = select_rejected(s, i), all = evread_count(r, i);

		w->count[i] -= n < all ? n : all; /* all are added later */
	}
}

int
main(int argc, char **argv)
{
	struct cli_lines x = { .line = take_line,
		.foresee = foresee,
		.doubtful = "the times may be wrong" };
	struct select *s;
	struct evread *r;
	struct evwrite w;
	struct cli c;
	bool fine, where = false;
	int opt;

	cli_open(&c, argv[0], &program);
	s = select_new();
	if (s == NULL)
		cli_die_of_memory(&c);
	while ((opt = cli_next_option(&c, argc, argv)) != -1)
		set(&c, s, &where, opt);
	if (select_has_frames(s))
		x.line = take_frames;
	select_passes_on(s);
	select_ready(s);
	select_reads(s, select_tests_events(s) ? cli_require : cli_require_of_run, &c);
	r = cli_read(&c);
	cli_stream_open(&c, &w, r);
	x.ctx = &(struct job){ s, &w };
	fine = select_looks_ahead(s) ? cli_lines_twice(&c, r, &w, &x) : cli_lines(&c, r, &w, &x);
	if (fine && !evw_failed(&w))
		report_rest(&c, s);
	uncount(&w, s, r);
	cli_stream_end(&c, &w, r);
	select_free(s);
	evread_close(r);
	return cli_finish(&c, &w.out);
}
