/* SPDX-License-Identifier: ISC */
/* afdiff.c - compares the aggregates of two sides, with several runs each, and checks limits. */
#include <getopt.h>

#include "lib/cli.h"
#include "lib/fit.h"
#include "lib/kinds.h"
#include "src/diff/diff.h"
#include "src/diff/sides.h"

#define STATUS_BEYOND 4 /* a limit was exceeded; only this program has it */

enum { OPT_BEFORE = DIFF_SETTINGS, OPT_FAIL_IF, OPT_SEED, OPT_TABLE, OPT_TOP, OPT_SORT, OPT_WIDTH };

static const struct cli_option options[] = {
	{ "before", "FILE", "a file of BEFORE (several: OLD... -- NEW...)", OPT_BEFORE, CLI_FILES },
	{ "ignore", "KEY,...", "these keys do not tell groups apart", DIFF_IGNORE, CLI_ONCE },
	{ "fail-if", "[COND] STAT>LIMIT",
	    "exit with 4 if a group has changed more: 'region=f mean>+5%', 'sum<-10%', "
	    "'max>+200' (can be repeated)",
	    OPT_FAIL_IF, 0 },
	{ "fail-on", "interval|point",
	    "what must be beyond: the interval if there is one, or the change", DIFF_FAIL_ON,
	    CLI_ONCE },
	{ "min-share", "PERCENT", "limits skip groups below this part of both", DIFF_MIN_SHARE,
	    CLI_ONCE },
	{ "normalise", "total|time|count",
	    "divide results by the total, the seconds or the events of the run", DIFF_NORMALISE,
	    CLI_ONCE },
	{ "confidence", "PERCENT", "of the intervals, 50 to 99.9 (default: 95)", DIFF_CONFIDENCE,
	    CLI_ONCE },
	{ "seed", "N", "the seed of the random numbers (default: 1)", OPT_SEED, CLI_ONCE },
	{ "table", NULL, "print tables for people", OPT_TABLE, CLI_ONCE },
	{ "top", "N", "with --table: only the first N rows", OPT_TOP, CLI_ONCE },
	{ "sort", "COLUMN[:asc]",
	    "with --table: before after delta change p group (default: delta)", OPT_SORT,
	    CLI_ONCE },
	{ "width", "N", "with --table: cut keys longer than N (default: 48; 0: never)", OPT_WIDTH,
	    CLI_ONCE | CLI_BRIEF },
	{ 0 },
};

static const char *
word(int id, size_t i)
{
	return id == OPT_SORT ? diff_view_column(i) : NULL;
}

static const struct cli_program program = {
	.operands = "BEFORE AFTER | --before BEFORE... -- AFTER...",
	.about =
	    "Compares the results of afagg before and after a change, group by group: the\n"
	    "change, and with 4 runs or more on each side (afagg --by run,...) its confidence\n"
	    "interval.  Exits with 4 if a limit is exceeded.\n",
	.example = "afdiff --table -n 10 before.agg after.agg",
	.options = options,
	.kind = CLI_READER,
	.word = word,
};

struct job {
	struct diff_settings x;
	struct sides *sides;
	struct evread *before; /* the reader of BEFORE */
	bool table;
	struct evwrite w;
	struct out o; /* for tables */
	struct diff_view view;
};

static void
set(struct cli *c, struct job *j, int opt)
{
	struct err e;
	int rc = 0;

	switch (opt) {
	case OPT_FAIL_IF: rc = sides_limit(j->sides, optarg, &e); break;
	case OPT_SEED: j->x.seed = cli_number(c, "seed", 0, UINT64_MAX); break;
	case OPT_TABLE: j->table = true; break;
	case OPT_WIDTH: j->view.width = cli_width(c); break;
	case OPT_TOP: j->view.top = (size_t)cli_number(c, "top", 1, SIZE_MAX); break;
	case OPT_SORT: rc = diff_view_sort(&j->view, optarg, &e); break;
	default: rc = diff_set(&j->x, (enum diff_setting)opt, optarg, &e);
	}
	cli_check_setting(c, c->option->name, rc, &e);
}

static void
parse(struct cli *c, int argc, char **argv, struct job *j)
{
	int opt;

	while ((opt = cli_next_option(c, argc, argv)) != -1)
		set(c, j, opt);
	cli_needs(c, DIFF_MIN_SHARE, OPT_FAIL_IF);
	cli_needs(c, DIFF_FAIL_ON, OPT_FAIL_IF);
	cli_needs(c, OPT_TOP, OPT_TABLE);
	cli_needs(c, OPT_SORT, OPT_TABLE);
	cli_needs(c, OPT_WIDTH, OPT_TABLE);
}

/* Opens both sides. */
static void
open_sides(struct cli *c, struct job *j)
{
	char *const *name = c->files != 0 ? c->file : c->operands;
	size_t n = c->files != 0 ? c->files : 1;
	struct err e;

	if (c->files == 0 && c->noperands != 2)
		cli_usage(c, "expected two files, or --before OLD... -- NEW...");
	if (c->files == 0)
		(void)cli_operand(c, "BEFORE");
	j->before = cli_read_other(c, name, n);
	(void)cli_read(c);
	if (sides_begin(j->sides, &e) != 0)
		cli_die(c, &e);
	if (j->table)
		cli_write(c, &j->o);
	else
		cli_stream_open(c, &j->w, c->reader);
}

/*
 * Losses and lines of unknown kinds are passed on, unless tables are printed, and those that are
 * not results are counted.
 */
static void
pass(struct job *j, enum diff_side side, const struct ev *ev)
{
	static const struct slice used[] = { SLICE_INIT("agg"), SLICE_INIT("part"),
		SLICE_INIT("run"), SLICE_INIT("measure") };
	struct slice kind = ev->col[EV_KIND];

	if (SLICE_AMONG(kind, used))
		return;
	if (!j->table && (kind_named(kind) == NULL || kind_tells_loss(kind)))
		evw_line(&j->w, ev->text);
	else
		sides_leave(j->sides, side, ev);
}

/* Reads all lines of a side.  Returns false if the system, or the output, failed. */
static bool
take(struct cli *c, struct job *j, struct evread *r, enum diff_side side)
{
	const struct evwrite *w = j->table ? NULL : &j->w;
	struct ev ev;
	struct err e;

	if (w != NULL)
		evread_set_idle(r, &j->w.out);
	while (cli_next(c, r, w, &ev)) {
		if (sides_line(j->sides, side, &ev, &e) != 0) {
			cli_error(c, evread_name(r), &e);
			if (e.code == ERR_SYS)
				return false;
		}
		pass(j, side, &ev);
	}
	/* without output there is nothing to compare, and not all lines have been read */
	return w == NULL || !evw_failed(w);
}

/* Merges the partial results of a side, and takes the results.  Returns false if that failed. */
static bool
merge(struct cli *c, struct job *j, enum diff_side side)
{
	struct evread *r;
	char text[512];
	struct err e;
	size_t at = 0;
	bool ok;

	if (sides_merge(j->sides, side, &r, &e) != 0) {
		cli_error(c, NULL, &e);
		return false;
	}
	if (r == NULL)
		return true;
	while (sides_note(j->sides, side, &at, text, sizeof text))
		cli_note(c, "%s", text);
	ok = take(c, j, r, side);
	evread_close(r);
	return ok;
}

static void
compare(struct cli *c, struct job *j)
{
	struct diff *d = sides_diff(j->sides);
	char text[4096];
	struct err e;
	size_t at = 0;

	sides_counts(j->sides, DIFF_BEFORE, j->before);
	sides_counts(j->sides, DIFF_AFTER, c->reader);
	if (sides_compare(j->sides, &e) != 0) {
		/* an empty side follows from an error that has been reported */
		if (c->status == CLI_OK || e.code == ERR_SYS ||
		    (diff_results(d, DIFF_BEFORE) != 0 && diff_results(d, DIFF_AFTER) != 0))
			cli_error(c, NULL, &e);
		return;
	}
	while (sides_left(j->sides, &at, text, sizeof text))
		cli_note(c, "%s", text);
	while (sides_rest(j->sides, &e))
		cli_say(c, &e);
	if (!diff_shares_runs(d))
		cli_report_shared(c);
	if (!j->table)
		diff_put(d, &j->w);
	else if (diff_print(d, &j->view, &j->o, &e) != 0)
		cli_error(c, NULL, &e);
}

static void
end_output(struct cli *c, struct job *j)
{
	const struct evread *before = j->before, *after = c->reader;
	struct err e;

	/* no later program knows which side it was */
	if (diff_lost(evread_count(before, MARK_LOST), evread_count(after, MARK_LOST), &e))
		cli_say(c, &e);
	if (j->table) {
		cli_report_counts(c, before, "BEFORE: ");
		cli_report_counts(c, after, "AFTER: ");
		return;
	}
	cli_stream_counts(c, &j->w, before, "BEFORE: ");
	cli_stream_end(c, &j->w, after);
}

int
main(int argc, char **argv)
{
	struct job j = { .x = { .confidence = 0.95, .seed = 1 },
		.view = { .width = FIT_WIDTH_USUAL } };
	struct cli c;
	int status;

	cli_open(&c, argv[0], &program);
	j.sides = sides_new(&j.x);
	if (j.sides == NULL)
		cli_die_of_memory(&c);
	parse(&c, argc, argv, &j);
	open_sides(&c, &j);
	if (take(&c, &j, j.before, DIFF_BEFORE) && take(&c, &j, c.reader, DIFF_AFTER) &&
	    merge(&c, &j, DIFF_BEFORE) && merge(&c, &j, DIFF_AFTER))
		compare(&c, &j);
	end_output(&c, &j);
	evread_close(j.before);
	evread_close(c.reader);
	status = cli_finish(&c, j.table ? &j.o : &j.w.out);
	if (status == CLI_OK && diff_is_beyond(sides_diff(j.sides)))
		status = STATUS_BEYOND;
	sides_free(j.sides);
	return status;
}
