/* SPDX-License-Identifier: ISC */
/* csvenc.c - writes the lines of a stream as a CSV table. */
#include <getopt.h>

#include "lib/cli.h"
#include "src/csv/csvlines.h"
#include "src/table/table.h"

enum { OPT_COLUMNS = 1, OPT_KIND, OPT_WIDE, OPT_DELIMITER, OPT_BOM, OPT_ESCAPED, OPT_GONE };

static const struct cli_option options[] = {
	{ "columns", "NAME[?],...", "write these columns and tags, without waiting (default: all)",
	    OPT_COLUMNS, CLI_ONE_OF(1) },
	{ "kind", "KIND,...",
	    "write lines of these kinds, or all (default: all but run, measure, section, header)",
	    OPT_KIND, 0 },
	{ "wide", "KEY",
	    "write a row for each group of aggregates, and turn the values of KEY into columns "
	    "(stat: a column for each statistic)",
	    OPT_WIDE, CLI_ONE_OF(1) },
	{ "delimiter", "CHAR", "separate fields by ; : | or a TAB instead of a comma",
	    OPT_DELIMITER, CLI_ONCE },
	{ "bom", NULL, "begin with a byte order mark, which some spreadsheets need", OPT_BOM, 0 },
	{ "escaped", NULL, "keep the stream's escapes", OPT_ESCAPED, 0 },
	{ "perun", NULL, "perunquery frame", OPT_GONE, CLI_MOVED },
	{ "compat", NULL, "perunquery --compat frame", OPT_GONE, CLI_MOVED },
	{ 0 },
};

static const char *
word(int id, size_t i)
{
	return id == OPT_COLUMNS ? cli_key_word(i) : NULL;
}

static const struct cli_program program = {
	.operands = "[FILE...]",
	.about = "Writes a stream as CSV (RFC 4180), the names of the columns first.\n",
	.example = "perfdec perf.data | afagg -b region | csvenc --wide stat >perf.csv",
	.options = options,
	.kind = CLI_READER,
	.word = word,
};

struct job {
	struct cli *cli;
	const char *columns; /* NULL for all */
	struct csv_style style;
	struct csvlines *lines; /* the table with a row for each line */
	struct table *table; /* that of --wide, with a row for each group */
	struct slice wide; /* the key whose values become columns, or empty for statistics */
	struct out *out;
	bool written; /* the table */
	size_t missing; /* for csvlines_missing */
};

/* Names are separated by commas.  One that has another delimiter must be in quotes, as in a row. */
static void
check_columns(const struct cli *c, const char *columns, char delimiter)
{
	const char *p;
	bool quoted = false;

	if (columns[0] == '\0')
		cli_usage(c, "--columns: no names given");
	for (p = columns; *p != '\0' && delimiter != ','; p++) {
		quoted ^= *p == '"';
		if (*p == delimiter && !quoted)
			cli_usage(c,
			    "--columns: names are separated by commas, also with --delimiter "
			    "'%c': \"%s\"",
			    *p, columns);
	}
}

static void
set(struct cli *c, struct job *j, int opt)
{
	struct err e;
	int rc = 0;

	switch (opt) {
	case OPT_COLUMNS: j->columns = optarg; break;
	case OPT_KIND: rc = csvlines_want_kinds(j->lines, optarg, &e); break;
	case OPT_WIDE: rc = table_read_wide_sheet(optarg, &j->wide, &e); break;
	case OPT_DELIMITER:
		if (!csv_style_delimiter(&j->style, optarg))
			cli_usage(c, "--delimiter: expected , ; : | or a TAB, not \"%s\"", optarg);
		break;
	case OPT_BOM: j->style.bom = true; break;
	case OPT_ESCAPED: j->style.escaped = true; break;
	}
	cli_check_setting(c, c->option->name, rc, &e);
}

static void
parse(struct cli *c, int argc, char **argv, struct job *j)
{
	int opt;

	while ((opt = cli_next_option(c, argc, argv)) != -1)
		set(c, j, opt);
	if (j->columns != NULL)
		check_columns(c, j->columns, j->style.delimiter);
	if (cli_has(c, OPT_WIDE) && cli_has(c, OPT_KIND))
		cli_usage(c, "--kind cannot be used with --wide, which reads lines of kind agg");
}

static int
take_line(void *ctx, const struct ev *ev, struct err *e)
{
	struct job *j = ctx;

	return csvlines_line(j->lines, ev, e) == 0 ? 0 : ERR_STOP; /* there can be no table */
}

/* The first call completes the table.  Each further one reports a column that no line has. */
static int
end(void *ctx, bool *more, struct err *e)
{
	struct job *j = ctx;
	bool first = !j->written;
	int rc;

	j->written = true;
	rc = first ? csvlines_end(j->lines, e) : csvlines_missing(j->lines, &j->missing, e);
	*more = first || rc != 0;
	return rc;
}

static bool
note(void *ctx, size_t *at, char *text, size_t size)
{
	const struct job *j = ctx;

	return csvlines_note(j->lines, at, text, size);
}

static void
encode_lines(struct cli *c, struct job *j)
{
	struct err e;

	cli_check_setting(c, "columns", csvlines_begin(j->lines, j->out, &j->style, j->columns, &e),
	    &e);
	csvlines_reads(j->lines, csvlines_have_events(j->lines) ? cli_require : cli_require_of_run,
	    c);
	cli_encode(c, j->out,
	    &(struct cli_encoder){ .ctx = j,
		.line = take_line,
		.end = end,
		.note = note,
		.takes_parts = true });
}

static int
take_group(void *ctx, const struct ev *ev, struct err *e)
{
	struct job *j = ctx;

	if (slice_eq(ev->col[EV_KIND], SLICE("diff")))
		return err_line(e, ev->number, "--wide: a change is not a group of aggregates"),
		       ERR_STOP;
	/* a value that has no cell would be missing in the table, so there is none */
	return table_line(j->table, ev, e) == 0 ? 0 : ERR_STOP;
}

static int
end_groups(void *ctx, bool *more, struct err *e)
{
	struct job *j = ctx;
	const struct table_counts *n = table_counts(j->table);
	size_t at = 0;

	(void)more;
	while (table_report(j->table, &at, e))
		cli_say(j->cli, e);
	cli_note_lost(j->cli, n->lost);
	if (table_overlaps(j->table))
		cli_note(j->cli,
		    "events are in several groups, which must not be added up; without --wide, "
		    "there is a column total");
	if (n->aggregates == 0 || (j->wide.len != 0 && n->wide == 0))
		return 0;
	if (table_join_runs(j->table, e) != 0)
		return e->code;
	return table_put_csv(j->table, &j->style, j->out, e);
}

static void
encode_groups(struct cli *c, struct job *j)
{
	j->table = table_open();
	if (j->table == NULL)
		cli_die_of_memory(c);
	table_set_wide(j->table, j->wide);
	table_set_columns(j->table, CSV_COLUMNS_MAX);
	cli_encode(c, j->out,
	    &(struct cli_encoder){ .ctx = j, .line = take_group, .end = end_groups });
	table_close(j->table);
}

int
main(int argc, char **argv)
{
	struct cli c;
	struct out o;
	struct job j = { .cli = &c,
		.style = { .delimiter = ',' },
		.lines = csvlines_new(),
		.out = &o };

	cli_open(&c, argv[0], &program);
	if (j.lines == NULL)
		cli_die_of_memory(&c);
	parse(&c, argc, argv, &j);
	cli_write(&c, &o);
	if (cli_has(&c, OPT_WIDE))
		encode_groups(&c, &j);
	else
		encode_lines(&c, &j);
	csvlines_free(j.lines);
	return cli_finish(&c, &o);
}
