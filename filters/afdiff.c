/* SPDX-License-Identifier: ISC */
/* afdiff.c - compares the aggregates of two sides, with several runs each, and checks limits. */
#include <getopt.h>
#include <inttypes.h>
#include <string.h>

#include "lib/buf.h"
#include "lib/cli.h"
#include "lib/fit.h"
#include "lib/kinds.h"
#include "lib/num.h"
#include "src/aggregate/aggregate.h"
#include "src/diff/diff.h"
#include "src/select/select.h"

#define STATUS_BEYOND 4 /* a limit was exceeded; only this program has it */

enum {
	OPT_BEFORE = 1,
	OPT_IGNORE,
	OPT_FAIL_IF,
	OPT_FAIL_ON,
	OPT_MIN_SHARE,
	OPT_NORMALISE,
	OPT_CONFIDENCE,
	OPT_SEED,
	OPT_TABLE,
	OPT_TOP,
	OPT_SORT,
	OPT_WIDTH
};

static const struct cli_option options[] = {
	{ "before", "FILE", "a file of BEFORE (several: OLD... -- NEW...)", OPT_BEFORE, CLI_FILES },
	{ "ignore", "KEY,...", "these keys do not tell groups apart", OPT_IGNORE, CLI_ONCE },
	{ "fail-if", "[COND] STAT>LIMIT",
	    "exit with 4 if a group has changed more: 'region=f mean>+5%', 'sum<-10%', "
	    "'max>+200' (can be repeated)",
	    OPT_FAIL_IF, 0 },
	{ "fail-on", "interval|point",
	    "what must be beyond: the interval if there is one, or the change", OPT_FAIL_ON,
	    CLI_ONCE },
	{ "min-share", "PERCENT", "limits skip groups below this part of both", OPT_MIN_SHARE,
	    CLI_ONCE },
	{ "normalise", "total|time|count",
	    "divide results by the total, the seconds or the events of the run", OPT_NORMALISE,
	    CLI_ONCE },
	{ "confidence", "PERCENT", "of the intervals, 50 to 99.9 (default: 95)", OPT_CONFIDENCE,
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
	struct select *condition[DIFF_LIMITS_MAX]; /* NULL: all groups */
	char *const *before; /* files */
	size_t nbefore;
	bool table;
	struct evwrite w;
	struct out o; /* for tables */
	struct diff_view view;
	struct aggregate *parts[DIFF_SIDES]; /* merges partial results */
	struct diff *diff;
};

/* Refuses a key that tells results of one group apart: the limit would be about all of them. */
static void
see_key(void *ctx, struct slice key)
{
	static const struct slice others[] = { SLICE_INIT("run"), SLICE_INIT("value"),
		SLICE_INIT("start"), SLICE_INIT("n") };
	struct slice *found = ctx;

	if (SLICE_AMONG(key, others))
		*found = key;
}

/* Reads the condition of a limit. */
static int
read_condition(struct select *s, const char *condition, struct err *e)
{
	struct slice other = { NULL, 0 };

	if (select_kinds(s, "agg", e) == 0 && select_where(s, EXPR_AND, condition, e) == 0) {
		select_reads(s, see_key, &other);
		if (other.p == NULL)
			return 0;
		err_data(e, "a limit is about groups, and %.*s is no key of these", (int)other.len,
		    other.p);
		return err_add(e, ": choose results by afsel, before afdiff");
	}
	return err_add(e,
	    ": '%s' before STAT>LIMIT is not a condition of afsel, such as region=parse",
	    condition);
}

static void
add_limit(struct cli *c, struct job *j, const char *text)
{
	struct diff_limit *l = &j->x.limit[j->x.limits];
	struct select **s = &j->condition[j->x.limits];
	struct buf condition = { 0 };
	struct err e;

	if (j->x.limits == DIFF_LIMITS_MAX)
		cli_usage(c, "--fail-if: more than %d limits", DIFF_LIMITS_MAX);
	cli_check_setting(c, "fail-if", diff_limit_read(l, slice_of(text), &e), &e);
	j->x.limits++;
	if (l->condition.len == 0)
		return;
	*s = select_new();
	if (*s == NULL || !buf_put(&condition, l->condition.p, l->condition.len) ||
	    !buf_putc(&condition, '\0'))
		cli_die_of_memory(c);
	cli_check_setting(c, "fail-if", read_condition(*s, condition.p, &e), &e);
	select_ready(*s);
	buf_free(&condition);
}

/* Reads the argument of an option, a percentage with or without its sign, as a part of 1. */
static double
percentage(const struct cli *c, const char *name, double least, double most)
{
	struct slice text = slice_of(optarg);
	double v;

	text.len -= text.len != 0 && text.p[text.len - 1] == '%';
	if (!num_get_double(text, &v) || !(v >= least && v <= most))
		cli_usage(c, "--%s: expected a number from %g to %g", name, least, most);
	return v / 100;
}

static void
set(struct cli *c, struct job *j, int opt)
{
	struct err e;

	switch (opt) {
	case OPT_IGNORE:
		cli_check_setting(c, "ignore", diff_ignore_read(&j->x, optarg, &e), &e);
		break;
	case OPT_FAIL_IF: add_limit(c, j, optarg); break;
	case OPT_FAIL_ON:
		j->x.point = strcmp(optarg, "point") == 0;
		if (!j->x.point && strcmp(optarg, "interval") != 0)
			cli_usage(c, "--fail-on: expected interval or point");
		break;
	case OPT_NORMALISE:
		if (!diff_per_named(optarg, &j->x.per))
			cli_usage(c, "--normalise: expected total, time or count");
		break;
	case OPT_MIN_SHARE: j->x.min_share = percentage(c, "min-share", 0, 100); break;
	case OPT_CONFIDENCE: j->x.confidence = percentage(c, "confidence", 50, 99.9); break;
	case OPT_SEED: j->x.seed = cli_number(c, "seed", 0, UINT64_MAX); break;
	case OPT_TABLE: j->table = true; break;
	case OPT_WIDTH: j->view.width = cli_width(c); break;
	case OPT_TOP: j->view.top = (size_t)cli_number(c, "top", 1, SIZE_MAX); break;
	case OPT_SORT:
		cli_check_setting(c, "sort", diff_view_sort(&j->view, optarg, &e), &e);
		break;
	}
}

static void
parse(struct cli *c, int argc, char **argv, struct job *j)
{
	int opt;

	while ((opt = cli_next_option(c, argc, argv)) != -1)
		set(c, j, opt);
	if (cli_has(c, OPT_MIN_SHARE) && j->x.limits == 0)
		cli_usage(c, "--min-share needs --fail-if");
	if (cli_has(c, OPT_FAIL_ON) && j->x.limits == 0)
		cli_usage(c, "--fail-on needs --fail-if");
	if (!j->table && (cli_has(c, OPT_TOP) || cli_has(c, OPT_SORT) || cli_has(c, OPT_WIDTH)))
		cli_usage(c, "--%s needs --table",
		    cli_has(c, OPT_TOP)        ? "top"
			: cli_has(c, OPT_SORT) ? "sort"
					       : "width");
	j->before = c->file;
	j->nbefore = c->files;
	if (c->files != 0)
		return;
	if (c->noperands != 2)
		cli_usage(c, "expected two files, or --before OLD... -- NEW...");
	j->before = c->operands;
	j->nbefore = 1;
	(void)cli_operand(c, "BEFORE");
}

/* Finds the limits whose conditions hold for the line. */
static int
match(struct job *j, const struct ev *ev, uint64_t *matched, struct err *e)
{
	size_t i;
	bool keep = true;
	int rc = 0;

	*matched = 0;
	for (i = 0; rc == 0 && i < j->x.limits; i++) {
		if (j->condition[i] != NULL)
			rc = select_line(j->condition[i], ev, &keep, e);
		*matched |= (uint64_t)(j->condition[i] == NULL || keep) << i;
	}
	return rc;
}

/* Losses and lines of unknown kinds are passed on. */
static void
pass(struct job *j, const struct ev *ev)
{
	const struct kind *k = kind_named(ev->col[EV_KIND]);

	if (!j->table && (k == NULL || (k->outlives && !k->about)))
		evw_line(&j->w, ev->text);
}

/* Takes a line for the comparison, or to merge it with others before that. */
static int
take_line(struct job *j, const struct ev *ev, enum diff_side side, struct err *e)
{
	uint64_t matched;
	int rc;

	if (slice_eq(ev->col[EV_KIND], SLICE("part")))
		return aggregate_part(j->parts[side], ev, e);
	rc = slice_eq(ev->col[EV_KIND], SLICE("measure")) ? aggregate_measure(j->parts[side], ev, e)
							  : 0;
	if (rc == 0)
		rc = match(j, ev, &matched, e);
	return rc == 0 ? diff_line(j->diff, side, ev, matched, e) : rc;
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
		int rc = take_line(j, &ev, side, &e);

		if (rc != 0)
			cli_error(c, evread_name(r), &e);
		if (rc == ERR_SYS)
			return false;
		pass(j, &ev);
	}
	/* without output there is nothing to compare, and not all lines have been read */
	return w == NULL || !evw_failed(w);
}

/* Merges the partial results of a side, and takes the results.  Returns false if that failed. */
static bool
merge(struct cli *c, struct job *j, enum diff_side side)
{
	struct aggregate *a = j->parts[side];
	struct evread *r = NULL;
	char text[512];
	struct err e;
	size_t at = 0;
	bool ok;
	int rc;

	if (aggregate_taken(a) == 0)
		return true;
	if (diff_results(j->diff, side) != 0)
		rc = err_data(&e, "%s has both results and partial results",
		    side == DIFF_BEFORE ? "BEFORE" : "AFTER");
	else if ((rc = aggregate_missing(a, &at, &e)) == 0)
		rc = aggregate_read(a, &r, &e);
	if (rc != 0) {
		cli_error(c, NULL, &e);
		return false;
	}
	for (at = 0; aggregate_note(a, &at, text, sizeof text);)
		cli_note(c, "%s", text);
	ok = take(c, j, r, side);
	evread_close(r);
	return ok;
}

/* Reports what the conditions and the comparison have to say. */
static void
report_rest(struct cli *c, struct job *j)
{
	struct err e;
	size_t i, at;

	for (i = 0; i < j->x.limits; i++)
		for (at = 0; j->condition[i] != NULL && select_rest(j->condition[i], &at, &e);)
			cli_say(c, &e);
	for (at = 0; diff_rest(j->diff, &at, &e);)
		cli_say(c, &e);
}

static void
compare(struct cli *c, struct job *j)
{
	struct err e;

	if (diff_compare(j->diff, &e) != 0) {
		bool empty = diff_results(j->diff, DIFF_BEFORE) == 0 ||
		    diff_results(j->diff, DIFF_AFTER) == 0;

		/* an empty side follows from an error that has been reported */
		if (!empty || c->status == CLI_OK || e.code == ERR_SYS)
			cli_error(c, NULL, &e);
		return;
	}
	report_rest(c, j);
	if (!j->table)
		diff_put(j->diff, &j->w);
	else if (diff_print(j->diff, &j->view, &j->o, &e) != 0)
		cli_error(c, NULL, &e);
}

/*
 * A side that has lost more events than the other looks smaller than it is.  No other program knows
 * which it was.
 */
static void
say_lost(struct cli *c, const struct job *j, uint64_t before, uint64_t after)
{
	struct err e;

	if ((before == 0 && after == 0) || !(j->table || j->x.limits != 0 || c->strict))
		return;
	err_data(&e, "BEFORE lost %" PRIu64 " events, and AFTER %" PRIu64, before, after);
	e.code = before == after ? ERR_NONE : ERR_DOUBT;
	cli_say(c, &e);
}

static void
end_output(struct cli *c, struct job *j, const struct evread *before, const struct evread *after)
{
	enum mark_count i;

	say_lost(c, j, evread_count(before, MARK_LOST), evread_count(after, MARK_LOST));
	if (j->table) {
		cli_report_counts(c, before);
		cli_report_counts(c, after);
		return;
	}
	for (i = 0; i < MARK_COUNTS; i++)
		j->w.count[i] += evread_count(before, i);
	j->w.count[MARK_TWICE] += evread_twice(before);
	cli_stream_end(c, &j->w, after);
}

static void
release(struct job *j)
{
	enum diff_side side;
	size_t i;

	for (i = 0; i < j->x.limits; i++)
		select_free(j->condition[i]);
	for (side = 0; side < DIFF_SIDES; side++)
		aggregate_free(j->parts[side]);
	diff_free(j->diff);
}

static struct aggregate *
new_merge(struct cli *c)
{
	struct aggregate *a = aggregate_new();
	struct err e;

	if (a == NULL)
		cli_die_of_memory(c);
	if (aggregate_ready(a, &e) != 0)
		cli_die(c, &e);
	return a;
}

int
main(int argc, char **argv)
{
	struct job j = { .x = { .confidence = 0.95, .seed = 1 },
		.view = { .width = FIT_WIDTH_USUAL } };
	struct evread *before, *after;
	struct cli c;
	enum diff_side side;
	bool beyond;
	int status;

	cli_open(&c, argv[0], &program);
	parse(&c, argc, argv, &j);
	before = cli_read_other(&c, j.before, j.nbefore);
	after = cli_read(&c);
	j.diff = diff_new(&j.x);
	for (side = 0; side < DIFF_SIDES; side++)
		j.parts[side] = new_merge(&c);
	if (j.diff == NULL)
		cli_die_of_memory(&c);
	if (j.table)
		cli_write(&c, &j.o);
	else
		cli_stream_open(&c, &j.w, after);
	if (take(&c, &j, before, DIFF_BEFORE) && take(&c, &j, after, DIFF_AFTER) &&
	    merge(&c, &j, DIFF_BEFORE) && merge(&c, &j, DIFF_AFTER))
		compare(&c, &j);
	end_output(&c, &j, before, after);
	beyond = diff_is_beyond(j.diff);
	evread_close(before);
	evread_close(after);
	release(&j);
	status = cli_finish(&c, j.table ? &j.o : &j.w.out);
	return status == CLI_OK && beyond ? STATUS_BEYOND : status;
}
