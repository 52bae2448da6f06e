/* SPDX-License-Identifier: ISC */
/* aftab.c - a stream of aggregates to tables for people. */
#include <inttypes.h>
#include <unistd.h>

#include "lib/cli.h"
#include "lib/num.h"
#include "src/table/table.h"

static const char usage[] =
    "usage: aftab [--sort STAT] [--top N] [--human] [--wide] [FILE...]\n"
    "\n"
    "Shows a stream of aggregates, as afagg writes it, as one table a measure.\n"
    "\n"
    "      --sort STAT  largest STAT first (sum, or else the first that there is)\n"
    "      --top N      only the first N rows of each table\n"
    "      --human      numbers with three digits and a unit that fits\n"
    "      --wide       keys in full, however long\n" CLI_READER_HELP;

static struct table_view
parse(struct cli *c, int argc, char **argv)
{
	static const struct option longs[] = { { "sort", required_argument, NULL, 's' },
		{ "top", required_argument, NULL, 't' }, { "human", no_argument, NULL, 'u' },
		{ "wide", no_argument, NULL, 'w' }, CLI_READER_OPTIONS };
	struct table_view v = { .sort = { "", 0 } };
	uint64_t top;
	int opt;

	while ((opt = cli_option(c, argc, argv, ":", longs)) != -1)
		switch (opt) {
		case 's': v.sort = slice_of(optarg); break;
		case 't':
			if (!num_get_u64(slice_of(optarg), &top) || top == 0 || top > SIZE_MAX)
				cli_usage(c, "--top: not a number from 1: %s", optarg);
			v.top = (size_t)top;
			break;
		case 'u': v.human = true; break;
		case 'w': v.wide = true; break;
		}
	return v;
}

/* False where nothing can go on. */
static bool
take_lines(struct cli *c, struct evread *r, struct table *t)
{
	struct ev ev;
	struct err e;

	while (cli_next(c, r, NULL, &ev)) {
		if (table_line(t, &ev, &e) == 0)
			continue;
		cli_error(c, evread_name(r), &e);
		if (e.code == ERR_SYS)
			return false;
	}
	return true;
}

/* What the tables do not show. */
static void
judge(struct cli *c, struct table *t, const struct evread *r, const struct table_view *view)
{
	const struct table_counts *n = table_counts(t);
	struct slice measure;
	struct err e;
	size_t at = 0;

	if (n->aggregates == 0 && n->events != 0) {
		err_data(&e,
		    "%" PRIu64
		    " sample or span lines and no aggregates: pipe the stream through afagg first",
		    n->events);
		cli_error(c, NULL, &e);
	} else if (n->events != 0) {
		cli_note(c, "left out sample or span lines, which are no aggregates: %" PRIu64,
		    n->events);
	}
	while (table_late(t, &at, &measure)) {
		err_data(&e, "measure lines after the aggregates say different units of %.*s",
		    measure.len > 100 ? 100 : (int)measure.len, measure.p);
		cli_error(c, NULL, &e);
	}
	if (n->aggregates != 0 && view->sort.len != 0 && !table_has(t, view->sort)) {
		err_data(&e, "--sort: no group has this statistic: %s", view->sort.p);
		cli_error(c, NULL, &e);
	}
	if (n->lost != 0 && evread_count(r, MARK_LOST) == 0)
		cli_note(c, "the source lost events, so the numbers are too small");
	if (n->repeated != 0)
		cli_note(c, "%" PRIu64 " lines repeat others: each group is shown once",
		    n->repeated);
	if (n->others != 0)
		cli_note(c, "left out lines of other kinds: %" PRIu64, n->others);
}

int
main(int argc, char **argv)
{
	struct cli c;
	struct table_view view;
	struct out o;
	struct evread *r;
	struct table *t = NULL;
	struct err e;

	cli_open(&c, argv[0], usage);
	view = parse(&c, argc, argv);
	r = evread_open(argv + optind, (size_t)(argc - optind), c.read);
	if (r != NULL && out_open(&o, STDOUT_FILENO))
		t = table_open();
	if (t == NULL) {
		err_nomem(&e);
		cli_die(&c, &e);
	}
	if (take_lines(&c, r, t)) {
		judge(&c, t, r, &view);
		if (table_print(t, &view, &o, &e) != 0)
			cli_error(&c, NULL, &e);
	}
	table_close(t);
	cli_reader_end(&c, r);
	evread_close(r);
	return cli_finish(&c, &o);
}
