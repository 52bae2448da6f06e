/* SPDX-License-Identifier: ISC */
/* aftab.c - shows a stream of aggregates as tables for people. */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/cli.h"
#include "lib/fit.h"
#include "src/aggregate/aggregate.h"
#include "src/table/table.h"

enum { OPT_SORT = 1, OPT_PERCENT_OF, OPT_TOP, OPT_HUMAN, OPT_WIDTH, OPT_WIDE };

/* What any terminal understands: home and clear; cut long lines, or break them as usual. */
#define CLEAR "\033[H\033[J"
#define CUT_LINES "\033[?7l"
#define BREAK_LINES "\033[?7h"
#define LINES 24 /* of a terminal that does not say */
#define LINES_OF_HEADING 3 /* with an empty line, and the one of the cursor */

static const struct cli_option options[] = {
	{ "sort", "COLUMN[:asc|:desc]",
	    "sort by this statistic, largest first, or key (default: sum, or else the first "
	    "statistic; the size of a change)",
	    OPT_SORT, CLI_ONCE },
	{ "percent-of", "KEY", "give shares within each value of KEY, such as each thread",
	    OPT_PERCENT_OF, CLI_ONE_OF(1) },
	{ "top", "N[:KEY]", "show only the first N rows of each table, or of each value of KEY",
	    OPT_TOP, 0 },
	{ "human", NULL, "show numbers with three digits and a suitable unit", OPT_HUMAN, 0 },
	{ "wide", "KEY", "turn the values of KEY into columns (default: stat)", OPT_WIDE,
	    CLI_ONE_OF(1) },
	{ "width", "N", "cut keys longer than N in the middle (default: 48; 0: never)", OPT_WIDTH,
	    0 },
	{ 0 },
};

/* What a table is sorted by: a statistic, or a key. */
static const char *
word(int id, size_t i)
{
	size_t n = 0;

	if (id != OPT_SORT)
		return NULL;
	while (n < i && aggregate_word(AGGREGATE_STAT, n) != NULL)
		n++;
	return aggregate_word(AGGREGATE_STAT, n) != NULL ? aggregate_word(AGGREGATE_STAT, i)
							 : aggregate_word(AGGREGATE_BY, i - n);
}

static const struct cli_program program = {
	.operands = "[FILE...]",
	.about = "Shows a stream of aggregates from afagg, with one table for each measure, or of\n"
		 "changes from afdiff.\n",
	.example = "perfdec perf.data | afagg -b comm,region | aftab -n 10 -H",
	.options = options,
	.kind = CLI_READER,
	.word = word,
};

struct job {
	struct cli *cli;
	struct table *table;
	struct table *interim; /* NULL outside an interim result */
	uint64_t interims; /* that were shown */
	bool live; /* standard output is a terminal, which shows one result at a time */
	struct table_view view;
	struct out *out;
};

static void
set_sort(struct cli *c, struct table_view *v)
{
	struct err e;

	cli_check_setting(c, "sort", table_view_sort(v, optarg, &e), &e);
}

static struct table_view
parse(struct cli *c, int argc, char **argv, struct slice *wide)
{
	struct table_view v = { .sort = { "", 0 }, .width = FIT_WIDTH_USUAL };
	struct err e;
	int opt;

	while ((opt = cli_next_option(c, argc, argv)) != -1)
		switch (opt) {
		case OPT_SORT: set_sort(c, &v); break;
		case OPT_PERCENT_OF: v.percent_of = slice_of(optarg); break;
		case OPT_WIDE:
			cli_check_setting(c, "wide", table_read_wide(optarg, wide, &e), &e);
			break;
		case OPT_TOP:
			cli_check_setting(c, "top", table_view_top(&v, optarg, &e), &e);
			break;
		case OPT_HUMAN: v.human = true; break;
		case OPT_WIDTH: v.width = (size_t)cli_number(c, "width", 0, SIZE_MAX); break;
		}
	if (v.percent_of.p != NULL && v.percent_of.len == 0)
		cli_usage(c, "--percent-of: an empty name");
	if (v.width != 0 && v.width < FIT_WIDTH_MIN)
		cli_usage(c, "--width: less than %d", FIT_WIDTH_MIN);
	return v;
}

static int
take_line(void *ctx, const struct ev *ev, struct err *e)
{
	struct job *j = ctx;

	return table_line(j->table, ev, e);
}

/* Reports why --sort, --top and --percent-of are without effect. */
static void
judge_view(struct cli *c, struct table *t, const struct table_view *view)
{
	struct slice key = view->percent_of;
	struct err e;

	if (table_check_sort(t, view, &e) != 0)
		cli_error(c, NULL, &e);
	if (table_check_key(t, "top", view->top_of, &e) != 0)
		cli_error(c, NULL, &e);
	if (table_check_key(t, "percent-of", key, &e) != 0)
		cli_error(c, NULL, &e);
	else if (key.len != 0 && table_counts(t)->changes != 0) {
		err_data(&e, "--percent-of: changes are not parts of a whole");
		cli_error(c, NULL, &e);
	} else if (key.len != 0 && table_overlaps(t)) {
		err_data(&e,
		    "--percent-of: the groups overlap (total=), so only their share of "
		    "the total is known (to choose one: afsel --where, before afagg)");
		cli_error(c, NULL, &e);
	}
}

/* Reports why there are no shares, after the tables were printed, unless judge_view has done so. */
static void
judge_shares(struct cli *c, const struct table *t, const struct table_view *view)
{
	struct err e;

	if (table_counts(t)->aggregates != 0 && table_counts(t)->changes == 0 &&
	    !table_overlaps(t) && table_check_key(t, "percent-of", view->percent_of, &e) == 0 &&
	    table_lacks_shares(t, view, &e))
		cli_say(c, &e);
}

/* Reports anything that the tables do not show. */
static void
judge(struct cli *c, struct table *t, const struct table_view *view)
{
	const struct table_counts *n = table_counts(t);
	struct err e;
	size_t at = 0;

	if (n->open != 0)
		cli_note(c,
		    "changes without an interval, which may be chance (see afdiff): %" PRIu64,
		    n->open);
	if (n->aggregates != 0)
		judge_view(c, t, view);
	cli_note_lost(c, n->lost);
	if (evread_count(c->reader, MARK_INCOMPLETE) != 0)
		table_told(t, SLICE("incomplete"));
	while (table_report(t, &at, &e))
		cli_say(c, &e);
}

static int
begin_interim(void *ctx, struct err *e)
{
	struct job *j = ctx;

	table_close(j->interim);
	j->interim = table_open_beside(j->table);
	return j->interim == NULL ? err_nomem(e) : 0;
}

/* A line that has no place in the table is left to the final result, where it is reported. */
static int
take_interim(void *ctx, const struct ev *ev, struct err *e)
{
	struct job *j = ctx;

	return table_line(j->interim, ev, e) == ERR_SYS ? ERR_SYS : 0;
}

/* Begins a result: on a terminal it replaces the one before, elsewhere it comes after it. */
static void
put_heading(struct job *j, const char *text, uint64_t number)
{
	char digits[NUM_MAX + 1];

	if (j->live)
		out_puts(j->out, CLEAR);
	else if (j->interims != 0)
		out_puts(j->out, "\n");
	out_puts(j->out, text);
	if (number != 0) {
		out_puts(j->out, " ");
		out_put(j->out, digits, num_put_u64(digits, number));
	}
	out_puts(j->out, "\n\n");
}

/* Returns how many lines of the terminal the tables may take. */
static size_t
lines_for_tables(void)
{
	struct winsize size = { .ws_row = 0 };

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0)
		size.ws_row = LINES;
	return size.ws_row > LINES_OF_HEADING ? size.ws_row - LINES_OF_HEADING : 1;
}

static int
end_interim(void *ctx, uint64_t number, struct err *e)
{
	struct job *j = ctx;
	struct table_view view = j->view;
	size_t fit;
	int rc = 0;

	(void)number; /* results without a group are not shown, so those that are have their own */
	if (table_counts(j->interim)->aggregates != 0) { /* with windows there may be no new one */
		rc = table_join_runs(j->interim, e);
		put_heading(j, "interim result", j->interims + 1);
		fit = table_fit(j->interim, lines_for_tables());
		if (j->live) {
			if (view.top == 0 || view.top_of.len != 0 || fit < view.top)
				view.top = fit;
			view.top_of = SLICE("");
			out_puts(j->out, CUT_LINES);
		}
		if (rc == 0)
			rc = table_print(j->interim, &view, j->out, e);
		if (j->live)
			out_puts(j->out, BREAK_LINES);
		(void)out_flush(j->out);
		j->interims++;
	}
	table_close(j->interim);
	j->interim = NULL;
	return rc;
}

static int
end(void *ctx, bool *more, struct err *e)
{
	struct job *j = ctx;
	int rc = table_join_runs(j->table, e);

	(void)more;
	if (rc != 0)
		return rc;
	if (j->interims != 0 && table_counts(j->table)->aggregates != 0)
		put_heading(j, "final result", 0);
	judge(j->cli, j->table, &j->view);
	rc = table_print(j->table, &j->view, j->out, e);
	if (rc == 0)
		judge_shares(j->cli, j->table, &j->view);
	return rc;
}

static bool
is_terminal(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && term != NULL && strcmp(term, "dumb") != 0;
}

int
main(int argc, char **argv)
{
	struct cli c;
	struct out o;
	struct job j = { .cli = &c, .out = &o, .live = is_terminal() };
	const struct evread_interim interim = { &j, begin_interim, take_interim, end_interim };
	struct slice wide = { 0 };

	cli_open(&c, argv[0], &program);
	j.view = parse(&c, argc, argv, &wide);
	cli_write(&c, &o);
	j.table = table_open();
	if (j.table == NULL)
		cli_die_of_memory(&c);
	table_set_wide(j.table, wide);
	c.interim = &interim;
	cli_encode(&c, &o, &(struct cli_encoder){ .ctx = &j, .line = take_line, .end = end });
	if (j.interims != 0 && table_counts(j.table)->aggregates == 0)
		cli_note(&c, "there is no final result: the last table is an interim result");
	table_close(j.interim);
	table_close(j.table);
	return cli_finish(&c, &o);
}
