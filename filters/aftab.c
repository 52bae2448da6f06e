/* SPDX-License-Identifier: ISC */
/* aftab.c - shows a stream of aggregates as tables for people. */
#include <getopt.h>
#include <inttypes.h>

#include "lib/cli.h"
#include "lib/fit.h"
#include "src/aggregate/aggregate.h"
#include "src/table/interim.h"
#include "src/table/table.h"

enum { OPT_SORT = 1, OPT_PERCENT_OF, OPT_TOP, OPT_HUMAN, OPT_WIDTH, OPT_WIDE };

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
	struct interim interim;
	struct table_view view;
	struct slice wide; /* the key whose values become columns */
	struct out *out;
};

static void
set(struct cli *c, struct job *j, int opt)
{
	struct table_view *v = &j->view;
	struct err e;
	int rc = 0;

	switch (opt) {
	case OPT_SORT: rc = table_view_sort(v, optarg, &e); break;
	case OPT_PERCENT_OF: v->percent_of = slice_of(optarg); break;
	case OPT_WIDE: rc = table_read_wide(optarg, &j->wide, &e); break;
	case OPT_TOP: rc = table_view_top(v, optarg, &e); break;
	case OPT_HUMAN: v->human = true; break;
	case OPT_WIDTH: v->width = cli_width(c); break;
	}
	cli_check_setting(c, c->option->name, rc, &e);
}

static void
parse(struct cli *c, int argc, char **argv, struct job *j)
{
	int opt;

	j->view = (struct table_view){ .sort = SLICE(""), .width = FIT_WIDTH_USUAL };
	while ((opt = cli_next_option(c, argc, argv)) != -1)
		set(c, j, opt);
	if (cli_has(c, OPT_PERCENT_OF) && j->view.percent_of.len == 0)
		cli_usage(c, "--percent-of: an empty name");
}

static int
take_line(void *ctx, const struct ev *ev, struct err *e)
{
	struct job *j = ctx;

	return table_line(j->table, ev, e);
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
	while (table_view_fails(t, view, &at, &e))
		cli_error(c, NULL, &e);
	cli_note_lost(c, n->lost);
	if (evread_count(c->reader, MARK_INCOMPLETE) != 0)
		table_told(t, SLICE("incomplete"));
	for (at = 0; table_report(t, &at, &e);)
		cli_say(c, &e);
}

static int
end(void *ctx, bool *more, struct err *e)
{
	struct job *j = ctx;
	struct err why;
	int rc = table_join_runs(j->table, e);

	(void)more;
	if (rc != 0)
		return rc;
	if (table_counts(j->table)->aggregates != 0)
		interim_final(&j->interim);
	judge(j->cli, j->table, &j->view);
	rc = table_print(j->table, &j->view, j->out, e);
	if (rc == 0 && table_lacks_shares(j->table, &j->view, &why))
		cli_say(j->cli, &why);
	return rc;
}

int
main(int argc, char **argv)
{
	struct cli c;
	struct out o;
	struct job j = { .cli = &c, .out = &o };

	cli_open(&c, argv[0], &program);
	parse(&c, argc, argv, &j);
	cli_write(&c, &o);
	j.table = table_open();
	if (j.table == NULL)
		cli_die_of_memory(&c);
	table_set_wide(j.table, j.wide);
	j.interim = (struct interim){ .final = j.table, .view = &j.view, .out = &o };
	c.interim =
	    &(struct evread_interim){ &j.interim, interim_begin, interim_line, interim_end };
	cli_encode(&c, &o, &(struct cli_encoder){ .ctx = &j, .line = take_line, .end = end });
	if (j.interim.shown != 0 && table_counts(j.table)->aggregates == 0)
		cli_note(&c, "there is no final result: the last table is an interim result");
	interim_close(&j.interim);
	table_close(j.table);
	return cli_finish(&c, &o);
}
