/* SPDX-License-Identifier: ISC */
/* afagg.c - aggregates a stream: one line for each group, measure and statistic. */
#include <getopt.h>
#include <inttypes.h>
#include <string.h>

#include "lib/cli.h"
#include "lib/kinds.h"
#include "src/aggregate/aggregate.h"
#include "src/aggregate/jobs.h"
#include "src/aggregate/stream.h"

/* The options that set something of the aggregation have the number of that, plus 1. */
#define OPT(option) ((option) + 1)

enum { OPT_PARTIAL = OPT(AGGREGATE_OPTIONS), OPT_EVERY, OPT_JOBS };

#define EVERY_MIN 10 /* milliseconds */

static const struct cli_option options[] = {
	{ "by", "KEY,...",
	    "columns (run region ...), tags (comm tid ...), or of the stack: frame leaf root "
	    "stack:N caller[:NAME] callee:NAME",
	    OPT(AGGREGATE_BY), CLI_ONCE },
	{ "stat", "STAT,...",
	    "any of count sum mean min max stddev pstddev var median iqr mad first last distinct "
	    "mode rate share hist, p0 to p100 (default: count,sum)",
	    OPT(AGGREGATE_STAT), CLI_ONCE },
	{ "kind", "KIND,...", "aggregate lines of these kinds (default: sample,span)",
	    OPT(AGGREGATE_KIND), CLI_ONCE },
	{ "window", "SIZE", "also group by windows of time: 100ms, or 1s/100ms",
	    OPT(AGGREGATE_WINDOW), CLI_ONCE },
	{ "window-from", "TIME", "windows begin at TIME; first: times since each run began",
	    OPT(AGGREGATE_FROM), CLI_ONCE },
	{ "of", "TAG", "aggregate the numbers in this tag, not the values", OPT(AGGREGATE_OF),
	    CLI_ONCE },
	{ "weight", "TAG", "count each line as often as this tag says", OPT(AGGREGATE_WEIGHT),
	    CLI_ONCE },
	{ "percentile", "HOW", "interpolate (default), or nearest: a value of the group",
	    OPT(AGGREGATE_PERCENTILE), CLI_ONCE },
	{ "sketch", "E%", "percentiles with this relative error, in little memory",
	    OPT(AGGREGATE_SKETCH), CLI_ONCE },
	{ "bins", "BINS", "of hist: EDGE,EDGE,... or a WIDTH (default: powers of 2)",
	    OPT(AGGREGATE_BINS), CLI_ONCE },
	{ "zeros", "KEY,...", "results for all values of KEY, 0 if there are no lines",
	    OPT(AGGREGATE_ZEROS), CLI_ONCE },
	{ "partial", NULL, "write partial results, which afagg merges", OPT_PARTIAL, CLI_ONCE },
	{ "every", "DURATION", "show interim results this often (500ms), in aftab", OPT_EVERY,
	    CLI_ONCE },
	{ "jobs", "N", "use up to N threads (default: 1)", OPT_JOBS, CLI_ONCE },
	{ 0 },
};

static const char *
word(int id, size_t i)
{
	return aggregate_word((enum aggregate_option)(id - 1), i);
}

static const struct cli_program program = {
	.operands = "[FILE...]",
	.about = "Aggregates the events of a stream, group by group.\n",
	.example = "perfdec perf.data | afagg -b comm,region -s sum,p99 | aftab",
	.options = options,
	.kind = CLI_READER,
	.word = word,
};

/* The settings that are not those of the aggregation. */
struct settings {
	uint64_t every; /* nanoseconds; 0: no interim results */
	size_t jobs;
};

static void
read_options(struct cli *c, struct aggregate *a, struct settings *s, int argc, char **argv)
{
	struct err e;
	int opt, rc;

	while ((opt = cli_next_option(c, argc, argv)) != -1)
		switch (opt) {
		case OPT_PARTIAL: aggregate_set_partial(a); break;
		case OPT_EVERY:
			s->every = cli_duration(c, "every", EVERY_MIN);
			c->quiet = true; /* what shows the results may use the terminal */
			break;
		case OPT_JOBS: s->jobs = (size_t)cli_number(c, "jobs", 1, JOBS_MAX); break;
		default:
			rc = aggregate_set(a, (enum aggregate_option)(opt - 1), optarg, &e);
			cli_check_setting(c, c->option->name, rc, &e);
		}
	if (cli_has(c, OPT_EVERY) && cli_has(c, OPT_PARTIAL))
		cli_usage(c,
		    "--every cannot be used with --partial: partial results have no interim "
		    "results");
	cli_check_settings(c, aggregate_ready(a, &e), &e);
}

/* Reports keys that no line has.  Returns true if there are none. */
static bool
keys_are_there(struct cli *c, const struct aggregate *a)
{
	struct err e;
	size_t at = 0;
	bool there = true;

	while (aggregate_missing(a, &at, &e) != 0) {
		cli_error(c, NULL, &e);
		there = false;
	}
	return there;
}

/*
 * Notes that no line could be aggregated.  The kinds of the lines that were left out, among them
 * those that describe others, show what the input is.
 */
static void
say_empty(struct cli *c, const struct kinds_left *left)
{
	char text[256] = "; it has ", *names = text + strlen(text);

	kinds_left_names(left, names, sizeof text - (size_t)(names - text));
	cli_note(c, "the input has no lines to aggregate, so there are no results%s",
	    *names == '\0' ? "" : text);
}

/*
 * Reports results that were left out beside partial results.  They are those of a shard that was
 * made without --partial, so its events are in no result.
 */
static void
say_shards(struct cli *c, struct kinds_left *left)
{
	struct slice kind = SLICE("agg");
	size_t n = tab_find(&left->kinds, kind);
	struct err e;

	if (n == TAB_NONE)
		return;
	err_data(&e,
	    "results (lines of kind agg) beside partial results were left out: %" PRIu64
	    " (make all of them with --partial)",
	    left->n[n]);
	cli_error(c, NULL, &e);
	kinds_left_told(left, kind);
}

/* Reports what the results do not show. */
static void
say_rest(struct cli *c, struct aggregate_stream *s)
{
	unsigned noted;
	char text[512];
	struct err e;
	size_t at = 0;

	if (s->alike > 1)
		cli_note(c, "%" PRIu64 " results were left out for such reasons", s->alike);
	noted = c->noted;
	while (aggregate_note(s->a, &at, text, sizeof text))
		cli_note(c, "%s", text);
	if (aggregate_merges(s->a))
		say_shards(c, &s->left);
	if (aggregate_deducted(s->a))
		kinds_left_told(&s->left, SLICE("pause"));
	/* if the output fails, no more lines are read */
	if (c->said == 0 && !evw_failed(s->w) && aggregate_taken(s->a) == 0) {
		if (kinds_left_results(&s->left, "--kind agg joins them", &e) != 0)
			cli_error(c, NULL, &e);
		else if (c->noted == noted) /* else it has been said why */
			say_empty(c, &s->left);
	}
	cli_note_left(c, &s->left, "other kinds (see --kind)");
}

/* What is needed to write interim results. */
struct live {
	struct cli *cli;
	struct aggregate *a;
	struct evwrite *w;
	bool told; /* why there is none */
};

static void
write_interim(void *ctx)
{
	struct live *l = ctx;
	struct err e;
	int rc;

	if (evw_failed(l->w))
		return;
	rc = aggregate_write_interim(l->a, l->w, &e);
	if (rc == ERR_DOUBT && !l->told)
		cli_note(l->cli, "no interim results: %s", e.msg);
	else if (rc != 0 && rc != ERR_DOUBT)
		cli_error(l->cli, NULL, &e);
	l->told |= rc == ERR_DOUBT;
}

/* From the first line to the end mark. */
static void
aggregate_all(struct cli *c, struct aggregate *a, const struct settings *set, struct evwrite *w)
{
	struct evread *r = cli_read(c);
	struct live live = { c, a, w, false };
	struct in_timer timer = { .due = write_interim, .ctx = &live, .every = set->every };
	struct aggregate_stream s = { .a = a,
		.r = r,
		.w = w,
		.to = cli_reporter(c),
		.jobs = set->every == 0 ? set->jobs : 1 };
	struct err e;
	bool whole;

	if (set->every != 0)
		evread_set_timer(r, &timer);
	cli_stream_open(c, w, r);
	whole = aggregate_stream_read(&s) && keys_are_there(c, a);
	aggregate_finish(a);
	if (whole && aggregate_write(a, w, &e) != 0)
		cli_error(c, NULL, &e);
	say_rest(c, &s);
	kinds_left_free(&s.left);
	cli_stream_end(c, w, r);
	evread_close(r);
}

int
main(int argc, char **argv)
{
	struct aggregate *a;
	struct settings set = { .jobs = 1 };
	struct evwrite w;
	struct cli c;

	cli_open(&c, argv[0], &program);
	a = aggregate_new();
	if (a == NULL)
		cli_die_of_memory(&c);
	read_options(&c, a, &set, argc, argv);
	aggregate_reads(a, cli_require, &c);
	aggregate_all(&c, a, &set, &w);
	aggregate_free(a);
	return cli_finish(&c, &w.out);
}
