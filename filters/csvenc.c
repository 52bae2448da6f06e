/* SPDX-License-Identifier: ISC */
/* csvenc.c - writes the lines of a stream as a CSV table. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "lib/cli.h"
#include "lib/keys.h"
#include "lib/kinds.h"
#include "lib/mixed.h"
#include "src/csv/csvtable.h"
#include "src/table/table.h"

#define KINDS_MAX 256

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

struct wanted {
	const char *columns; /* NULL for all columns */
	struct slice kind[KINDS_MAX]; /* if there are none, the usual kinds */
	bool seen[KINDS_MAX]; /* some line is of that kind */
	size_t kinds;
	bool every_kind;
	struct slice wide; /* the KEY of --wide, or empty */
	struct table_sheet sheet;
};

static void
add_kinds(struct cli *c, struct wanted *w, const char *text)
{
	for (;;) {
		struct slice kind = { text, strcspn(text, ",") };

		if (kind.len == 0)
			cli_usage(c, "--kind: an empty name");
		if (w->kinds == KINDS_MAX)
			cli_usage(c, "--kind: more than %d names", KINDS_MAX);
		w->every_kind |= slice_eq(kind, SLICE("all"));
		w->kind[w->kinds++] = kind;
		text += kind.len;
		if (*text++ == '\0')
			return;
	}
}

static char
read_delimiter(const struct cli *c)
{
	if (strcmp(optarg, "tab") == 0 || strcmp(optarg, "\\t") == 0)
		return '\t';
	if (optarg[0] == '\0' || optarg[1] != '\0' || strchr(",;:|\t", optarg[0]) == NULL)
		cli_usage(c, "--delimiter: expected , ; : | or a TAB, not \"%s\"", optarg);
	return optarg[0];
}

/* Reads the key whose values become columns. */
static struct slice
read_wide(struct cli *c)
{
	static const struct slice others[] = { SLICE_INIT("unit"), SLICE_INIT("of"),
		SLICE_INIT("type"), SLICE_INIT("n"), SLICE_INIT("mid"), SLICE_INIT("start"),
		SLICE_INIT("total"), SLICE_INIT("windows"), SLICE_INIT("percentile") };
	struct slice key;
	struct err e;

	cli_check_setting(c, "wide", table_read_wide(optarg, &key, &e), &e);
	if (SLICE_AMONG(slice_of(optarg), others))
		cli_usage(c, "--wide: %s is not a key of groups", optarg);
	return key;
}

/* Names are separated by commas.  One that has another delimiter must be in quotes, as in a row. */
static void
check_columns(const struct cli *c, const struct wanted *w)
{
	const char *p;
	bool quoted = false;

	if (w->columns[0] == '\0')
		cli_usage(c, "--columns: no names given");
	for (p = w->columns; *p != '\0' && w->sheet.delimiter != ','; p++) {
		quoted ^= *p == '"';
		if (*p == w->sheet.delimiter && !quoted)
			cli_usage(c,
			    "--columns: names are separated by commas, also with --delimiter "
			    "'%c': \"%s\"",
			    *p, w->columns);
	}
}

static void
parse(struct cli *c, int argc, char **argv, struct wanted *w)
{
	int opt;

	w->sheet.delimiter = ',';

	while ((opt = cli_next_option(c, argc, argv)) != -1)
		switch (opt) {
		case OPT_COLUMNS: w->columns = optarg; break;
		case OPT_KIND: add_kinds(c, w, optarg); break;
		case OPT_WIDE: w->wide = read_wide(c); break;
		case OPT_DELIMITER: w->sheet.delimiter = read_delimiter(c); break;
		case OPT_BOM: w->sheet.bom = true; break;
		case OPT_ESCAPED: w->sheet.escaped = true; break;
		}
	if (w->columns != NULL)
		check_columns(c, w);
	if (cli_has(c, OPT_WIDE) && cli_has(c, OPT_KIND))
		cli_usage(c, "--kind cannot be used with --wide, which reads lines of kind agg");
}

static bool
is_wanted(struct wanted *w, struct slice kind)
{
	const struct kind *known;
	size_t i;

	if (w->kinds == 0) {
		known = kind_named(kind);
		return known == NULL || !known->about;
	}
	for (i = 0; i < w->kinds; i++)
		if (slice_eq(w->kind[i], kind))
			return w->seen[i] = true;
	return w->every_kind;
}

struct job {
	struct wanted wanted;
	struct csvtable *table;
	struct cli *cli;
	struct keys columns; /* those that some line must have */
	size_t checked; /* of them, for end */
	uint64_t lines, taken;
	uint64_t large; /* number of resources left out */
	struct mixed mixed; /* the rows of --columns */
	bool whole; /* the table is complete */
};

static int
take_line(void *ctx, const struct ev *ev, struct err *e)
{
	struct job *j = ctx;
	int rc;

	j->lines++;
	if (!is_wanted(&j->wanted, ev->col[EV_KIND])) {
		j->large += ev_is_large_resource(ev);
		if (!keys_done(&j->columns))
			keys_see_run(&j->columns, ev);
		return 0;
	}
	j->taken++;
	if (j->wanted.columns != NULL && !mixed_see(&j->mixed, ev))
		return err_nomem(e);
	if (!keys_done(&j->columns))
		keys_see(&j->columns, ev);
	rc = csvtable_line(j->table, ev, e);
	return rc == 0 ? 0 : ERR_STOP; /* there can be no table */
}

/* Reports a kind that was asked for, and that no line has, if it is probably misspelled. */
static int
check_kinds(const struct job *j, struct err *e)
{
	const struct wanted *w = &j->wanted;
	size_t i;

	for (i = 0; i < w->kinds && j->lines != 0; i++)
		if (!w->seen[i] && !slice_eq(w->kind[i], SLICE("all")) &&
		    keys_check_kind(w->kind[i], e) != 0)
			return e->code;
	return 0;
}

/* The first call completes the table.  Each further one reports a column that no line has. */
static int
end(void *ctx, bool *more, struct err *e)
{
	struct job *j = ctx;
	int rc;

	if (j->whole) {
		rc = keys_missing(&j->columns, &j->checked, e);
		*more = rc != 0;
		return rc;
	}
	j->whole = true;
	*more = j->taken != 0;
	rc = csvtable_end(j->table, e);
	return rc == 0 ? check_kinds(j, e) : rc;
}

/* Reports the lines that were omitted, or are not what they seem, once for each reason. */
static bool
note(void *ctx, size_t *at, char *text, size_t size)
{
	struct job *j = ctx;

	if (!j->whole)
		return false;
	if (j->large != 0) {
		snprintf(text, size, EV_LARGE_LEFT_OUT, j->large);
		j->large = 0;
		return true;
	}
	if (mixed_note(&j->mixed, at, text, size))
		return true;
	if (j->taken != 0 || j->lines == 0)
		return false;
	snprintf(text, size, "left out all lines: none is of a selected kind");
	j->lines = 0;
	return true;
}

static void
want_column(void *ctx, struct slice name)
{
	struct job *j = ctx;

	if (!keys_want(&j->columns, name))
		cli_die_of_memory(j->cli);
}

static void
see_column(void *ctx, struct slice name)
{
	struct job *j = ctx;

	mixed_column(&j->mixed, name);
}

static void
set_up(struct cli *c, struct job *j, struct out *o)
{
	struct err e;

	j->table = csvtable_open(o);
	if (j->table == NULL)
		cli_die_of_memory(c);
	if (j->wanted.sheet.escaped)
		csvtable_keep_escapes(j->table);
	if (j->wanted.sheet.bom)
		csvtable_want_bom(j->table);
	csvtable_set_delimiter(j->table, j->wanted.sheet.delimiter);
	j->mixed.by_kind = j->wanted.kinds != 0;
	if (j->wanted.columns == NULL || csvtable_name(j->table, j->wanted.columns, &e) == 0) {
		csvtable_reads(j->table, cli_require, c);
		csvtable_reads(j->table, see_column, j);
		csvtable_needs(j->table, want_column, j);
		return;
	}
	if (e.code == ERR_DATA)
		cli_usage(c, "--columns: %s", e.msg);
	cli_die(c, &e);
}

/* The conversion of groups to rows. */
struct wide {
	struct cli *cli;
	const struct wanted *wanted;
	struct table *table;
	struct out *out;
};

static int
take_group(void *ctx, const struct ev *ev, struct err *e)
{
	struct wide *x = ctx;

	if (slice_eq(ev->col[EV_KIND], SLICE("diff")))
		return err_line(e, ev->number, "--wide: a change is not a group of aggregates"),
		       ERR_STOP;
	/* a value that has no cell would be missing in the table, so there is none */
	return table_line(x->table, ev, e) == 0 ? 0 : ERR_STOP;
}

static int
end_groups(void *ctx, bool *more, struct err *e)
{
	struct wide *x = ctx;
	const struct table_counts *n = table_counts(x->table);
	size_t at = 0;

	(void)more;
	while (table_report(x->table, &at, e))
		cli_say(x->cli, e);
	if (n->lost != 0 && evread_count(x->cli->reader, MARK_LOST) == 0)
		cli_note(x->cli, "the source lost events, so the numbers are too small");
	if (table_overlaps(x->table))
		cli_note(x->cli,
		    "events are in several groups, which must not be added up; without --wide, "
		    "there is a column total");
	if (n->aggregates == 0 || (x->wanted->wide.len != 0 && n->wide == 0))
		return 0;
	if (table_join_runs(x->table, e) != 0)
		return e->code;
	return table_put_csv(x->table, &x->wanted->sheet, x->out, e);
}

static void
encode_wide(struct cli *c, const struct wanted *wanted, struct out *o)
{
	struct wide x = { c, wanted, table_open(), o };

	if (x.table == NULL)
		cli_die_of_memory(c);
	table_set_wide(x.table, wanted->wide);
	table_set_columns(x.table, CSVTABLE_COLUMNS_MAX);
	cli_encode(c, o, &(struct cli_encoder){ .ctx = &x, .line = take_group, .end = end_groups });
	table_close(x.table);
}

int
main(int argc, char **argv)
{
	struct cli c;
	struct job j = { .cli = &c };
	struct out o;

	cli_open(&c, argv[0], &program);
	parse(&c, argc, argv, &j.wanted);
	cli_write(&c, &o);
	if (cli_has(&c, OPT_WIDE)) {
		encode_wide(&c, &j.wanted, &o);
		return cli_finish(&c, &o);
	}
	set_up(&c, &j, &o);
	cli_encode(&c, &o,
	    &(struct cli_encoder){ .ctx = &j,
		.line = take_line,
		.end = end,
		.note = note,
		.takes_parts = true });
	csvtable_close(j.table);
	keys_free(&j.columns);
	mixed_free(&j.mixed);
	return cli_finish(&c, &o);
}
