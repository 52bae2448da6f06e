/* SPDX-License-Identifier: ISC */
/* aftop.c - shows a stream as a table that changes while the stream is read. */
#include <getopt.h>
#include <unistd.h>

#include "lib/cli.h"
#include "lib/fit.h"
#include "src/top/sums.h"
#include "src/top/top.h"

enum {
	OPT_BY = 1,
	OPT_STAT,
	OPT_KIND,
	OPT_MEASURE,
	OPT_EVERY,
	OPT_LAST,
	OPT_SORT,
	OPT_TOP,
	OPT_HUMAN,
	OPT_WIDTH,
	OPT_QUIT_AT_END
};

#define EVERY ((uint64_t)1000000000) /* nanoseconds */
#define DURATION_MIN 100 /* milliseconds */
#define WINDOW ((uint64_t)5000000000)

static const struct cli_option options[] = {
	{ "by", "KEY,...", "group by these keys, as in afagg (default: region)", OPT_BY, CLI_ONCE },
	{ "stat", "STAT,...", "show these statistics, as in afagg (default: count,sum)", OPT_STAT,
	    CLI_ONCE },
	{ "kind", "KIND,...", "aggregate lines of these kinds (default: sample,span)", OPT_KIND,
	    CLI_ONCE },
	{ "measure", "NAME", "show only this measure (default: all)", OPT_MEASURE, 0 },
	{ "every", "DURATION", "redraw the table after this time (default: 1s)", OPT_EVERY, 0 },
	{ "last", "DURATION",
	    "begin with the last window of this size, not with the sum of all events (the key w "
	    "switches; default: 5s)",
	    OPT_LAST, 0 },
	{ "sort", "COLUMN[:asc|:desc]",
	    "sort by this statistic, largest first, or key (default: sum, or else the first "
	    "statistic)",
	    OPT_SORT, 0 },
	{ "top", "N", "rows of the final table (default: as many as fit on the terminal)", OPT_TOP,
	    0 },
	{ "human", NULL, "show numbers with three digits and a suitable unit", OPT_HUMAN, 0 },
	{ "width", "N", "cut keys longer than N in the final table (default: 48; 0: never)",
	    OPT_WIDTH, 0 },
	{ "quit-at-end", NULL, "do not wait for q when the input ends", OPT_QUIT_AT_END, 0 },
	{ 0 },
};

static const char *
word(int id, size_t i)
{
	return id == OPT_BY                    ? aggregate_word(AGGREGATE_BY, i)
	    : id == OPT_STAT || id == OPT_SORT ? aggregate_word(AGGREGATE_STAT, i)
					       : NULL;
}

static const struct cli_program program = {
	.operands = "[FILE...]",
	.about = "Shows a stream as a table on the terminal, which is redrawn while it is read.\n",
	.example = "perfdec perf.data | aftop -b comm,region",
	.options = options,
	.kind = CLI_READER,
	.word = word,
};

struct job {
	struct cli *cli;
	struct sums *sums;
	struct top *top; /* NULL without a terminal */
	struct top_settings set;
	struct evread *reader;
	bool whole; /* all of the input was read, and none of it damaged */
	bool stayed; /* the live table did, after the end of the input */
	bool failed; /* memory ran out, or a key is on no line: there is no result */
};

static void
set(struct cli *c, struct job *j, int opt)
{
	struct table_view *v = &j->set.view;
	struct err e;
	int rc = 0;

	switch (opt) {
	case OPT_BY:
		j->set.by = optarg;
		rc = sums_set(j->sums, AGGREGATE_BY, optarg, &e);
		break;
	case OPT_STAT: rc = sums_set(j->sums, AGGREGATE_STAT, optarg, &e); break;
	case OPT_KIND: rc = sums_set(j->sums, AGGREGATE_KIND, optarg, &e); break;
	case OPT_MEASURE: v->measure = slice_of(optarg); break;
	case OPT_EVERY: j->set.every = cli_duration(c, "every", DURATION_MIN); break;
	case OPT_LAST: j->set.window = cli_duration(c, "last", DURATION_MIN); break;
	case OPT_SORT: rc = table_view_sort(v, optarg, &e); break;
	case OPT_TOP: v->top = (size_t)cli_number(c, "top", 1, SIZE_MAX); break;
	case OPT_HUMAN: v->human = true; break;
	case OPT_WIDTH: v->width = cli_width(c); break;
	}
	cli_check_setting(c, c->option->name, rc, &e);
}

static void
parse(struct cli *c, int argc, char **argv, struct job *j)
{
	struct err e;
	int opt;

	j->set = (struct top_settings){ .by = SUMS_BY, .every = EVERY, .window = WINDOW };
	j->set.view = (struct table_view){ .sort = SLICE(""), .width = FIT_WIDTH_USUAL };
	while ((opt = cli_next_option(c, argc, argv)) != -1)
		set(c, j, opt);
	if (cli_has(c, OPT_MEASURE) && j->set.view.measure.len == 0)
		cli_usage(c, "--measure: an empty name");
	j->set.windows = cli_has(c, OPT_LAST);
	cli_check_settings(c, sums_ready(j->sums, &e), &e);
}

/* Reads all lines, or up to the key q. */
static void
read_all(struct job *j)
{
	struct in_timer timer = { .every = TOP_TICK, .due = top_tick, .ctx = j->top };
	struct ev ev;
	struct err e;
	int rc;

	j->whole = true;
	if (j->top != NULL)
		evread_set_timer(j->reader, &timer);
	while (!j->failed && (rc = evread_next(j->reader, &ev, &e)) != 0) {
		if (rc > 0 && sums_line(j->sums, &ev, &e) == 0)
			continue;
		j->whole = j->whole && e.code == ERR_DOUBT;
		if (e.code == ERR_STOP && j->top != NULL && top_has_quit(j->top))
			j->cli->status = CLI_DATA;
		else
			cli_error(j->cli, evread_name(j->reader), &e);
		j->failed = rc > 0 && e.code == ERR_SYS;
	}
	evread_set_timer(j->reader, NULL);
}

/* Makes the final table, or returns NULL. */
static struct table *
make_table(struct job *j)
{
	struct table *t;
	struct err e;
	size_t at = 0;

	while (aggregate_missing(sums_all(j->sums), &at, &e) != 0) {
		cli_error(j->cli, NULL, &e);
		j->failed = true;
	}
	if (j->failed)
		return NULL;
	if (sums_final(j->sums, &t, &e) == 0)
		return t;
	cli_error(j->cli, NULL, &e);
	return NULL;
}

/* Reports what the final table does not show. */
static void
judge(struct job *j, struct table *t, const struct table_view *view)
{
	struct sums_counts n = sums_counts(j->sums);
	struct cli *c = j->cli;
	char text[512];
	struct err e;
	size_t at = 0;

	while (aggregate_note(sums_all(j->sums), &at, text, sizeof text))
		cli_note(c, "%s", text);
	for (at = 0; t != NULL && table_report(t, &at, &e);)
		cli_say(c, &e);
	if (t != NULL && table_count(t) != 0 && table_check_sort(t, view, &e) != 0)
		cli_error(c, NULL, &e);
	if (t != NULL && table_check_measure(t, view, &e) != 0)
		cli_error(c, NULL, &e);
	cli_note_lost(c, n.losses);
	if (evread_count(j->reader, MARK_INCOMPLETE) != 0)
		kinds_left_told(sums_left(j->sums), SLICE("incomplete"));
	cli_note_left(c, sums_left(j->sums), "other kinds");
	if (n.taken == 0 && kinds_left_results(sums_left(j->sums), "aftab shows them", &e) != 0)
		cli_error(c, NULL, &e);
	cli_report_counts(c, j->reader, "");
}

/* Leaves the live table, and prints the final one. */
static void
print(struct job *j, struct out *o)
{
	bool quit = j->top != NULL && top_has_quit(j->top) && !j->stayed;
	struct table *t = make_table(j);
	struct table_view view = j->top != NULL ? top_leave(j->top, t) : j->set.view;
	struct err e;

	judge(j, t, &view);
	if (!j->whole && j->top != NULL)
		out_puts(o,
		    quit ? "NOT THE WHOLE INPUT: quit with the key q\n\n"
			 : "NOT THE WHOLE INPUT: it was incomplete or damaged, or the program was "
			   "interrupted\n\n");
	if (t != NULL && table_print(t, &view, o, &e) != 0)
		cli_error(j->cli, NULL, &e);
}

/* Returns true if an operand is '-', which is a terminal. */
static bool
reads_terminal(const struct cli *c)
{
	size_t i = 0;

	while (i < c->noperands && strcmp(c->operands[i], "-") != 0)
		i++;
	return i < c->noperands && isatty(STDIN_FILENO);
}

int
main(int argc, char **argv)
{
	struct cli c;
	struct out o;
	struct job j = { .cli = &c };

	cli_open(&c, argv[0], &program);
	j.sums = sums_new();
	if (j.sums == NULL)
		cli_die_of_memory(&c);
	parse(&c, argc, argv, &j);
	cli_write(&c, &o);
	aggregate_reads(sums_all(j.sums), cli_require, &c);
	j.reader = cli_read(&c);
	if (!reads_terminal(&c)) /* else keys would be read as lines */
		j.top = top_open(j.sums, &j.set);
	read_all(&j);
	if (j.top != NULL && !cli_has(&c, OPT_QUIT_AT_END) && !j.failed)
		j.stayed = top_stay(j.top);
	print(&j, &o);
	top_close(j.top);
	evread_close(j.reader);
	sums_free(j.sums);
	return cli_finish(&c, &o);
}
