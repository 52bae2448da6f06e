/* SPDX-License-Identifier: ISC */
/* afagg.c - aggregates a stream: one line for each group, measure and statistic. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>

#include "lib/cli.h"
#include "lib/kinds.h"
#include "src/aggregate/aggregate.h"
#include "src/aggregate/jobs.h"

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

	while ((opt = cli_next_option(c, argc, argv)) != -1) {
		if (opt == OPT_PARTIAL) {
			aggregate_set_partial(a);
			continue;
		}
		if (opt == OPT_EVERY) {
			s->every = cli_duration(c, "every", EVERY_MIN);
			c->quiet = true; /* what shows the results may use the terminal */
			continue;
		}
		if (opt == OPT_JOBS) {
			s->jobs = (size_t)cli_number(c, "jobs", 1, JOBS_MAX);
			continue;
		}
		rc = aggregate_set(a, (enum aggregate_option)(opt - 1), optarg, &e);
		cli_check_setting(c, options[opt - 1].name, rc, &e);
	}
	if (cli_has(c, OPT(AGGREGATE_FROM)) && !cli_has(c, OPT(AGGREGATE_WINDOW)))
		cli_usage(c, "--window-from needs --window");
	if (cli_has(c, OPT_EVERY) && cli_has(c, OPT_PARTIAL))
		cli_usage(c,
		    "--every cannot be used with --partial: partial results have no interim "
		    "results");
	rc = aggregate_ready(a, &e);
	if (rc == ERR_DATA)
		cli_usage(c, "%s", e.msg);
	if (rc != 0)
		cli_die(c, &e);
}

static void
say_dropped(struct cli *c, struct kinds_left *left)
{
	char text[4096];

	if (kinds_left_note(left, "other kinds (see --kind)", text, sizeof text))
		cli_note(c, "%s", text);
	if (left->large != 0)
		cli_note(c, EV_LARGE_LEFT_OUT, left->large);
	kinds_left_free(left);
}

/* What lines go through. */
struct way {
	struct cli *cli;
	struct aggregate *a;
	struct evread *r;
	struct evwrite *w;
	struct kinds_left *left;
	struct jobs *jobs; /* NULL: one thread */
	uint64_t *alike; /* errors that are alike (lib/err.h) */
};

/* Reports what a line is refused for.  Returns false if the counts would be wrong from now on. */
static bool
judge(const struct way *way, int rc, const struct err *e)
{
	if (rc == 0 || (e->code == ERR_DATA && e->alike && (*way->alike)++ != 0))
		return true;
	cli_error(way->cli, evread_name(way->r), e);
	return e->code != ERR_SYS;
}

/*
 * Processes a line that is not a value.  Returns false if memory runs out, since the counts would
 * be wrong.
 */
static bool
take(const struct way *way, const struct ev *ev)
{
	struct aggregate *a = way->a;
	struct err e;

	switch (aggregate_fate(a, ev)) {
	case AGGREGATE_TAKE: break;
	case AGGREGATE_PART: return judge(way, aggregate_part(a, ev, &e), &e);
	case AGGREGATE_MEASURE:
		if (!judge(way, aggregate_measure(a, ev, &e), &e))
			return false;
		evw_line(way->w, ev->text);
		break;
	case AGGREGATE_PASS:
		if (!judge(way, aggregate_see_run(a, ev, &e), &e))
			return false;
		evw_line_about(way->w, ev);
		break;
	case AGGREGATE_DROP: kinds_leave_line(way->left, ev); break;
	}
	return true;
}

/* Reads the next lines that are to be processed here, like cli_next_lines. */
static size_t
next_lines(const struct way *way, struct ev *ev, size_t max)
{
	struct err e;
	int rc;

	if (way->jobs == NULL)
		return cli_next_lines(way->cli, way->r, way->w, ev, max);
	while ((rc = jobs_next(way->jobs, ev, max, &e)) < 0)
		cli_error(way->cli, evread_name(way->r), &e);
	return rc > 0 && !evw_failed(way->w) ? (size_t)rc : 0;
}

/* Processes lines until there are no more.  Returns false like take. */
static bool
take_lines(const struct way *way)
{
	struct ev ev[AGGREGATE_AHEAD];
	struct err e;
	size_t n, i;
	int rc;

	while ((n = next_lines(way, ev, AGGREGATE_AHEAD)) != 0) {
		aggregate_expect(way->a, ev, n);
		for (i = 0; i < n && !evw_failed(way->w); i++) {
			i += aggregate_add_some(way->a, ev + i, n - i, &rc, &e);
			if (rc != 0 ? !judge(way, rc, &e) : i < n && !take(way, &ev[i]))
				return false;
		}
	}
	return true;
}

/* Processes all lines, in so many threads.  Returns false like take. */
static bool
take_all(struct way *way, size_t jobs)
{
	struct err e;
	bool ok;

	way->jobs = jobs_open(way->a, way->r, jobs, way->left);
	ok = take_lines(way);
	return judge(way, jobs_close(way->jobs, &e), &e) && ok;
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

/* Reports results in the input that were not taken, if nothing else was there. */
static void
judge_dropped(struct cli *c, const struct aggregate *a, const struct kinds_left *left)
{
	struct err e;

	if (aggregate_taken(a) == 0 && kinds_left_results(left, "--kind agg joins them", &e) != 0)
		cli_error(c, NULL, &e);
}

static void
say_notes(struct cli *c, const struct aggregate *a)
{
	char text[512];
	size_t at = 0;

	while (aggregate_note(a, &at, text, sizeof text))
		cli_note(c, "%s", text);
}

/*
 * Notes that no line could be aggregated, unless another message says so.  The kinds of the lines
 * that were left out, among them those that describe others, show what the input is.
 */
static void
say_empty(struct cli *c, const struct kinds_left *left)
{
	char text[256] = "";
	size_t i, n = 0;

	for (i = 0; i < left->kinds.count && n < sizeof text - 64; i++) {
		struct slice kind = left->kinds.item[i];

		n += (size_t)snprintf(text + n, sizeof text - n, "%s%.*s",
		    n == 0 ? "; it has " : ", ", slice_shown(kind, 40), kind.p);
	}
	cli_note(c, "the input has no lines to aggregate, so there are no results%s%s", text,
	    i < left->kinds.count ? ", ..." : "");
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

int
main(int argc, char **argv)
{
	struct aggregate *a;
	struct kinds_left left = { 0 };
	struct settings set = { .jobs = 1 };
	struct in_timer timer = { .due = write_interim };
	struct live live;
	struct evread *r;
	struct evwrite w;
	struct cli c;
	struct err e;
	uint64_t alike = 0;
	unsigned noted;
	bool whole;

	cli_open(&c, argv[0], &program);
	a = aggregate_new();
	if (a == NULL)
		cli_die_of_memory(&c);
	read_options(&c, a, &set, argc, argv);
	aggregate_reads(a, cli_require, &c);
	r = cli_read(&c);
	live = (struct live){ &c, a, &w, false };
	timer.ctx = &live;
	timer.every = set.every;
	if (set.every != 0)
		evread_set_timer(r, &timer);
	cli_stream_open(&c, &w, r);
	whole = take_all(&(struct way){ &c, a, r, &w, &left, NULL, &alike },
		    set.every == 0 ? set.jobs : 1) &&
	    keys_are_there(&c, a);
	aggregate_finish(a);
	if (whole && aggregate_write(a, &w, &e) != 0)
		cli_error(&c, NULL, &e);
	if (alike > 1)
		cli_note(&c, "%" PRIu64 " results were left out, since they cannot be added up",
		    alike);
	noted = c.noted;
	say_notes(&c, a);
	if (aggregate_deducted(a))
		kinds_left_told(&left, SLICE("pause"));
	if (c.said == 0)
		judge_dropped(&c, a, &left);
	if (c.said == 0 && c.noted == noted && aggregate_taken(a) == 0)
		say_empty(&c, &left);
	say_dropped(&c, &left);
	cli_stream_end(&c, &w, r);
	evread_close(r);
	aggregate_free(a);
	return cli_finish(&c, &w.out);
}
